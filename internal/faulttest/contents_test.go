package faulttest

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/render"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// content is what a release of some kind consists of, in one version.
type content interface {
	// kind is that of the release.
	kind() string
	// render is what the provider's kinds do: spec to objects.
	render(name string) (*render.Rendered, spec.Problems)
	// objects are the patterns of what the swarm must hold of it.
	objects() []string
}

// stack is a Compose file. The content of its secret "key" stands beside the declaration.
type stack string

func (stack) kind() string      { return "application" }
func (stack) objects() []string { return nil }

func (s stack) render(name string) (*render.Rendered, spec.Problems) {
	return render.Application(spec.Application{
		Name: name, Compose: []spec.Source{{Name: "compose[0]", Text: string(s)}}, Secrets: secretsOf(string(s)),
	})
}

var secretText = regexp.MustCompile(`(?m)^  key: \{\} # (.*)$`)

// secretsOf finds the content of the secret "key".
func secretsOf(stack string) map[string]string {
	if found := secretText.FindStringSubmatch(stack); found != nil {
		return map[string]string{"key": found[1]}
	}
	return nil
}

// image is what all services of these tests run.
func image() string { return acctest.Image("1.0") }

// ledger has an object of every kind: web is what changes, steady is to be left alone.
type ledger struct {
	web, steady    int // replicas; none make writes cheap
	version        int
	config, secret string
	extra          bool // one more service
}

func (l ledger) String() string {
	const deploy = `
    stop_grace_period: 1s
    deploy:
      replicas: %d
      restart_policy: {delay: 100ms}
      update_config: {monitor: 1ms, delay: 0s}
`
	text := fmt.Sprintf("services:\n  web:\n    image: %s\n    environment: {VERSION: \"%d\"}\n    configs: [greeting]\n    secrets: [key]", image(), l.version) +
		fmt.Sprintf(deploy, l.web) + fmt.Sprintf("  steady:\n    image: %s", image()) + fmt.Sprintf(deploy, l.steady)
	if l.extra {
		text += fmt.Sprintf("  extra:\n    image: %s", image()) + fmt.Sprintf(deploy, 0)
	}
	return text + fmt.Sprintf("configs:\n  greeting: {content: %q}\nsecrets:\n  key: {} # %s\n", "greeting "+l.config, "xyzzy "+l.secret)
}

// objects are the patterns of what the swarm must hold of a ledger.
func (l ledger) objects() []string {
	out := []string{`config/NAME_greeting-HASH`, `network/NAME_default`, `secret/NAME_key-HASH`}
	if l.extra {
		out = append(out, `service/NAME_extra`)
	}
	return append(out, `service/NAME_steady`, `service/NAME_web`)
}

func (l ledger) kind() string { return stack("").kind() }

func (l ledger) render(name string) (*render.Rendered, spec.Problems) {
	return stack(l.String()).render(name)
}

// database is one with a setting and a password that change.
type database struct {
	engine, version, image string
	setting                string
	value                  int
	password               string
}

func (database) kind() string { return "database" }

func (d database) render(name string) (*render.Rendered, spec.Problems) {
	return quick(render.Database(spec.Database{
		Name: name, Engine: d.engine, Version: d.version, Image: d.image, Password: &d.password,
		Settings: map[string]string{d.setting: fmt.Sprint(100 + d.value)},
	}))
}

func (d database) objects() []string {
	if d.engine == spec.MariaDB {
		return []string{"config/NAME_create-HASH", "network/NAME_default", "secret/NAME_init-HASH", "secret/NAME_password-HASH", "secret/NAME_url-HASH", "service/NAME_db"}
	}
	return []string{"network/NAME_default", "secret/NAME_password-HASH", "secret/NAME_url-HASH", "service/NAME_db"}
}

// registry is one with a limit and a password that change.
type registry struct {
	limit    int
	password string
}

func (registry) kind() string { return "registry" }

func (g registry) render(name string) (*render.Rendered, spec.Problems) {
	r := spec.Registry{
		Name: name, Image: acctest.RegistryImage("2"), Port: portOf(name), PublishMode: spec.PublishHost, Hostname: "127.0.0.1",
		Users: map[string]string{name: g.password}, Resources: spec.Resources{Memory: fmt.Sprintf("%dM", 200+g.limit)},
	}
	rendered, problems := quick(render.Registry(r))
	if rendered != nil {
		rendered.Empty = render.EmptyRegistry(r)
	}
	return rendered, problems
}

func (registry) objects() []string {
	return []string{"network/NAME_default", "secret/NAME_config-HASH", "secret/NAME_htpasswd-HASH", "service/NAME_registry"}
}

// portOf is a port that hardly any other release has.
func portOf(name string) uint32 {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(name))
	return 20000 + hash.Sum32()%20000
}

// tunnel is a connector with a limit and a token that change.
type tunnel struct {
	network string
	limit   int
	token   string
}

func (tunnel) kind() string { return "tunnel" }

func (u tunnel) render(name string) (*render.Rendered, spec.Problems) {
	return quick(render.Tunnel(spec.Tunnel{
		Name: name, Token: u.token, Networks: []string{u.network}, Replicas: 1, Image: acctest.CloudflaredImage("2025.4.0"),
		Resources: spec.Resources{Memory: fmt.Sprintf("%dM", 64+u.limit)},
	}))
}

func (tunnel) objects() []string { return []string{"secret/NAME_token-HASH", "service/NAME_connector"} }

// quick takes out of services what only a person's patience needs.
func quick(r *render.Rendered, problems spec.Problems) (*render.Rendered, spec.Problems) {
	if r == nil {
		return nil, problems
	}
	for _, o := range r.Objects {
		s, ok := o.Spec.(*swarm.ServiceSpec)
		if !ok {
			continue
		}
		delay := 100 * time.Millisecond
		s.TaskTemplate.RestartPolicy.Delay = &delay
		s.UpdateConfig.Monitor, s.RollbackConfig.Monitor = time.Millisecond, time.Millisecond
		// Every check starts a process in the container, so more of them would slow all tests down.
		s.TaskTemplate.ContainerSpec.Healthcheck.Interval = time.Second
	}
	return r, problems
}
