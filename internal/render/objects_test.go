package render

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

func refs(r *Rendered) []string {
	var list []string
	for _, o := range r.Objects {
		list = append(list, o.Ref().String()+" = "+o.Name)
	}
	return list
}

func TestNamesAreThoseOfDockerStackDeploy(t *testing.T) {
	rendered := mustRender(t, shop(web("networks: [default, front, named, proxy]\nsecrets: [s, fixed, theirs]\nconfigs: [c]")+`
networks:
  front: {}
  named: {name: "${NAME}"}
  proxy: {external: true, name: traefik}
secrets:
  s: {}
  fixed: {name: shop-key-v1}
  theirs: {external: true}
configs:
  c: {file: c.txt}
`, variable("NAME", "shop-net"), file("c.txt", "text"), secret("s", "one"), secret("fixed", "two")))
	config, own := find(t, rendered, "config/c"), find(t, rendered, "secret/s")
	want := []string{
		"network/default = shop_default", "network/front = shop_front", "network/named = shop-net",
		"secret/fixed = shop-key-v1", "secret/s = " + object.ContentName("shop", "s", own.Fingerprint),
		"config/c = " + object.ContentName("shop", "c", config.Fingerprint),
		"service/web = shop_web",
	}
	if diff := cmp.Diff(want, refs(rendered)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	if own.FixedName || !find(t, rendered, "secret/fixed").FixedName {
		t.Error("only an explicit name is fixed")
	}
	if own.Fingerprint != object.SecretFingerprint("application", "shop", "s", []byte("one")) {
		t.Error("the fingerprint of a secret is not that of its content")
	}
	container := service(t, rendered, "web").TaskTemplate.ContainerSpec
	var names []string
	for _, s := range container.Secrets {
		names = append(names, s.SecretName)
	}
	if diff := cmp.Diff([]string{"shop-key-v1", own.Name, "theirs"}, names); diff != "" {
		t.Errorf("secrets of the service (-want +got):\n%s", diff)
	}
	if container.Configs[0].ConfigName != config.Name {
		t.Errorf("the service refers to config %q, which is called %q", container.Configs[0].ConfigName, config.Name)
	}
}

// A changed content is a new name, and so the service that mounts it is rolled;
// the same content is the same name.
func TestContentGivesConfigsAndSecretsTheirNames(t *testing.T) {
	text := web("configs: [c]\nsecrets: [s]") + "configs: {c: {file: c, template_driver: \"${T:-}\"}}\nsecrets: {s: {driver: \"${D:-}\"}}\n"
	names := func(changes ...func(*spec.Application)) string {
		rendered := mustRender(t, shop(text, append(changes, file("c", "one"))...))
		return find(t, rendered, "config/c").Name + " " + find(t, rendered, "secret/s").Name
	}
	base := names(secret("s", "one"))
	if again := names(secret("s", "one")); again != base {
		t.Errorf("the same content has two names: %s, %s", base, again)
	}
	seen := map[string]bool{base: true}
	for name, changes := range map[string][]func(*spec.Application){
		"another content":         {secret("s", "two")},
		"another driver":          {variable("D", "vault")},
		"another template driver": {secret("s", "one"), variable("T", "golang")},
	} {
		if got := names(changes...); seen[got] {
			t.Errorf("%s keeps the name %s", name, got)
		} else {
			seen[got] = true
		}
	}
}

func TestExternalObjectsAreListedWithTheirUsers(t *testing.T) {
	rendered := mustRender(t, shop(`
services:
  a: {image: x, networks: [proxy, hostnet], secrets: [s], configs: [c]}
  b: {image: x, networks: [proxy], secrets: [s]}
networks:
  proxy: {external: {name: traefik}}
  hostnet: {external: true, name: host}
  unused: {external: true}
secrets:
  s: {external: true, name: s_v2}
  unused: {external: true}
configs:
  c: {external: true}
`))
	want := []object.External{
		{Kind: object.KindConfig, Name: "c", UsedBy: []string{"a"}},
		{Kind: object.KindNetwork, Name: "traefik", UsedBy: []string{"a", "b"}},
		{Kind: object.KindSecret, Name: "s_v2", UsedBy: []string{"a", "b"}},
	}
	if diff := cmp.Diff(want, rendered.External); diff != "" {
		t.Errorf("external (-want +got):\n%s", diff)
	}
}

func TestNeedsNameTheEngineThatHasTheFeature(t *testing.T) {
	rendered := mustRender(t, shop(web("oom_score_adj: 100\nhealthcheck: {test: x, start_interval: 1s}\nvolumes: [{type: volume, source: v, target: /v, volume: {subpath: a}}, {type: cluster, source: \"group:g\", target: /g}, {type: image, source: busybox, target: /i}]")+"volumes: {v: }\n"))
	want := []object.Need{
		{APIVersion: "1.44", What: "healthcheck.start_interval of service web"},
		{APIVersion: "1.46", What: "oom_score_adj of service web"},
		{APIVersion: "1.42", What: "the cluster volume at /g of service web"},
		{APIVersion: "1.48", What: "the image mount at /i of service web"},
		{APIVersion: "1.45", What: "volume.subpath at /v of service web"},
	}
	if diff := cmp.Diff(want, rendered.Needs); diff != "" {
		t.Errorf("needs (-want +got):\n%s", diff)
	}
}

func TestDependenciesAreRenderedWithTheirConditions(t *testing.T) {
	rendered := mustRender(t, shop(`
services:
  web: {image: x, depends_on: {db: {condition: service_healthy}, init: {condition: service_completed_successfully}, cache: }}
  db: {image: x}
  cache: {image: x}
  init: {image: x, deploy: {mode: replicated-job}}
`, override("services: {web: {depends_on: [db]}}\n")))
	want := []object.Dependency{{Key: "cache", Condition: object.Started}, {Key: "db", Condition: object.Started}, {Key: "init", Condition: object.Completed}}
	if diff := cmp.Diff(want, find(t, rendered, "service/web").DependsOn); diff != "" {
		t.Errorf("dependencies (-want +got):\n%s", diff)
	}
}

func TestSuspendedScalesReplicatedServicesToZero(t *testing.T) {
	text := "services:\n  r: {image: x, deploy: {replicas: 3}}\n  g: {image: x, deploy: {mode: global}}\n  j: {image: x, deploy: {mode: replicated-job, replicas: 3}}\n"
	rendered := mustRender(t, shop(text, func(a *spec.Application) { a.Suspended = true }))
	if n := *service(t, rendered, "r").Mode.Replicated.Replicas; n != 0 {
		t.Errorf("the replicated service has %d replicas", n)
	}
	if service(t, rendered, "g").Mode.Global == nil {
		t.Error("the global service is no longer global")
	}
	if n := *service(t, rendered, "j").Mode.ReplicatedJob.TotalCompletions; n != 3 {
		t.Errorf("the job has %d completions", n)
	}
}

func TestRedeployTriggerBecomesALabel(t *testing.T) {
	label := func(trigger string) string {
		rendered := mustRender(t, shop(web("tty: true"), func(a *spec.Application) { a.RedeployTrigger = trigger }))
		return service(t, rendered, "web").Labels[object.LabelRedeploy]
	}
	if label("") != "" {
		t.Error("there is a label without a trigger")
	}
	if a, b := label("a"), label("b"); a == b || len(a) != 12 || label("a") != a {
		t.Errorf("the labels of two triggers are %q and %q", a, b)
	}
}

func TestWhatGoesBeyondDockerStackDeploy(t *testing.T) {
	rendered := mustRender(t, shop(web("dns_opt: [ndots:1]\ngroup_add: [\"44\"]\ncredential_spec: {config: cred}")+"configs: {cred: {content: \"{}\"}}\n"))
	container := service(t, rendered, "web").TaskTemplate.ContainerSpec
	if container.Image != "nginx:latest" {
		t.Errorf("the image is %q, not as the Docker client sends it", container.Image)
	}
	if diff := cmp.Diff([]string{"ndots:1"}, container.DNSConfig.Options); diff != "" {
		t.Errorf("dns options:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"44"}, container.Groups); diff != "" {
		t.Errorf("groups:\n%s", diff)
	}
	name := find(t, rendered, "config/cred").Name
	if container.Privileges.CredentialSpec.Config != name || container.Configs[0].ConfigName != name || container.Configs[0].Runtime == nil {
		t.Errorf("the credential spec does not refer to its config %q: %+v", name, container.Configs[0])
	}
}

// A text of a few bytes that grows without bound is refused, and fast.
func TestHostileTextsAreRefusedQuickly(t *testing.T) {
	laughs := "x-0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
	for i := 1; i < 12; i++ {
		alias := fmt.Sprintf("*a%d", i-1)
		laughs += fmt.Sprintf("x-%d: &a%d [%s]\n", i, i, strings.Join([]string{alias, alias, alias, alias, alias, alias, alias, alias, alias}, ", "))
	}
	for name, text := range map[string]string{
		"a billion laughs":   laughs + web("tty: true"),
		"deep nesting":       strings.Repeat("[", 5000),
		"nested variables":   web("user: \"" + strings.Repeat("${A:-", 100_000) + "\""),
		"many keys":          "services:\n" + manyServices(20_000),
		"a very long text":   web("user: " + strings.Repeat("x", maxTextBytes)),
		"very many problems": web("environment:\n" + strings.Repeat("- ${NOPE}\n", 50_000)),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			if _, problems := Application(shop(text)); !problems.HasErrors() {
				t.Error("it is not refused")
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

func manyServices(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  s%d: {}\n", i)
	}
	return b.String()
}

func BenchmarkApplication300Services(b *testing.B) {
	var text strings.Builder
	text.WriteString("services:\n")
	for i := range 300 {
		fmt.Fprintf(&text, "  s%d:\n    image: x:${TAG}\n    environment: {A: \"${PW}\", B: c}\n    deploy: {replicas: 2, update_config: {order: start-first}}\n    secrets: [s%d]\n", i, i)
	}
	text.WriteString("secrets:\n")
	app := shop("", variable("TAG", "1"), sensitive("PW", "hidden"))
	for i := range 300 {
		fmt.Fprintf(&text, "  s%d: {}\n", i)
		secret(fmt.Sprintf("s%d", i), fmt.Sprint(i))(&app)
	}
	app.Compose[0].Text = text.String()
	for b.Loop() {
		if _, problems := Application(app); problems.HasErrors() {
			b.Fatal(problems.Error())
		}
	}
}
