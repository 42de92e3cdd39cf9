package render

import (
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/bcrypt"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

func images(change func(*spec.Registry)) spec.Registry {
	r := spec.Registry{
		Name: "images", Image: spec.DefaultRegistryImage, Port: spec.DefaultRegistryPort, PublishMode: spec.PublishIngress,
		Users: map[string]string{"rita": "first-password"},
	}
	if change != nil {
		change(&r)
	}
	return r
}

func mustRegistry(t *testing.T, r spec.Registry) *Rendered {
	t.Helper()
	rendered, problems := Registry(r)
	if rendered == nil {
		t.Fatal(problems)
	}
	return rendered
}

// form is the canonical form of an object of a release, as JSON.
func form(t *testing.T, r *Rendered, o object.Object) string {
	t.Helper()
	f, err := o.Form(object.View{Names: object.NamesOf(r.Objects)})
	if err != nil {
		t.Fatal(err)
	}
	return f.JSON()
}

func TestRegistryIsOneTaskOnOneVolumeWithoutASecretInItsSpec(t *testing.T) {
	r := mustRegistry(t, images(func(r *spec.Registry) {
		r.Placement.Constraints = []string{"node.hostname==n1"}
		r.Resources = spec.Resources{Memory: "512M", CPUsReservation: "0.5"}
	}))
	want := []string{
		"network/default = images_default", "secret/config = " + find(t, r, "secret/config").Name,
		"secret/htpasswd = " + find(t, r, "secret/htpasswd").Name, "service/registry = images_registry",
	}
	if diff := cmp.Diff(want, refs(r)); diff != "" {
		t.Error(diff)
	}
	const service = `{"command":["serve","/run/secrets/config.yml"],` +
		`"env":{"OTEL_TRACES_EXPORTER":"none","REGISTRY_AUTH":"htpasswd","REGISTRY_AUTH_HTPASSWD_PATH":"/run/secrets/htpasswd","REGISTRY_AUTH_HTPASSWD_REALM":"Registry","REGISTRY_STORAGE_DELETE_ENABLED":"true"},` +
		`"healthcheck":{"interval":"2s","retries":5,"start_period":"30s","test":["CMD","wget","-q","-O","/dev/null","http://127.0.0.1:5000/"],"timeout":"5s"},` +
		`"image":"registry:3","limits":{"memory":"512MiB"},"mode":"replicated","mounts":{"/var/lib/registry":{"source":"images_data","type":"volume"}},` +
		`"networks":{"images_default":{"aliases":["registry"]}},"placement":{"constraints":["node.hostname==n1"]},` +
		`"ports":[{"mode":"ingress","protocol":"tcp","published":5000,"target":5000}],"replicas":1,"reservations":{"cpus":"0.5"},"restart_policy":{"condition":"any","delay":"2s"},` +
		`"rollback_config":{"monitor":"2s","parallelism":1},` +
		`"secrets":{"config":[{"gid":"0","mode":"0444","target":"config.yml","uid":"0"}],"htpasswd":[{"gid":"0","mode":"0444","target":"htpasswd","uid":"0"}]},"update_config":{"monitor":"2s","parallelism":1}}`
	if diff := cmp.Diff(service, form(t, r, find(t, r, "service/registry"))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"registry"}, r.Local); diff != "" {
		t.Errorf("the data is not said to be local: %s", diff)
	}
	if diff := cmp.Diff([]string{"first-password"}, r.Sensitive); diff != "" {
		t.Errorf("what is to be hidden: %s", diff)
	}
}

func TestRegistryPublishesAsAsked(t *testing.T) {
	r := mustRegistry(t, images(func(r *spec.Registry) { r.PublishMode, r.Port, r.Hostname = spec.PublishHost, 443, "10.0.0.5" }))
	want := &swarm.EndpointSpec{
		Mode:  swarm.ResolutionModeDNSRR,
		Ports: []swarm.PortConfig{{Protocol: "tcp", TargetPort: 5000, PublishedPort: 443, PublishMode: swarm.PortConfigPublishModeHost}},
	}
	if diff := cmp.Diff(want, service(t, r, "registry").EndpointSpec); diff != "" {
		t.Error(diff)
	}
}

func TestRegistryUsersAreAFileOfHashesThatIsMadeOnlyWhenTheyChange(t *testing.T) {
	both := images(func(r *spec.Registry) { r.Users = map[string]string{"zoe": "second", "rita": "first-password"} })
	made := find(t, mustRegistry(t, both), "secret/htpasswd")
	if spec := made.Spec.(*swarm.SecretSpec); spec.Data != nil {
		t.Error("planning has hashed")
	}
	contents, err := made.Derived.Make()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(contents["htpasswd"]), "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for i, want := range []struct{ user, password string }{{"rita", "first-password"}, {"zoe", "second"}} {
		user, hash, _ := strings.Cut(lines[i], ":")
		if err := bcrypt.CompareHashAndPassword([]byte(hash), []byte(want.password)); user != want.user || err != nil {
			t.Errorf("line %d is of %s: %v", i+1, user, err)
		}
	}
	for rule, c := range map[string]struct {
		change func(*spec.Registry)
		same   bool
	}{
		"the same users are the same file":     {func(*spec.Registry) {}, true},
		"another image leaves the file":        {func(r *spec.Registry) { r.Image = "registry:2" }, true},
		"another password makes a new file":    {func(r *spec.Registry) { r.Users["zoe"] = "third" }, false},
		"a user less makes a new file":         {func(r *spec.Registry) { delete(r.Users, "zoe") }, false},
		"a renamed user makes a new file":      {func(r *spec.Registry) { delete(r.Users, "zoe"); r.Users["zo"] = "second" }, false},
		"passwords that change places are new": {func(r *spec.Registry) { r.Users = map[string]string{"rita": "second", "zoe": "first-password"} }, false},
	} {
		t.Run(rule, func(t *testing.T) {
			r := both
			r.Users = map[string]string{"zoe": "second", "rita": "first-password"}
			c.change(&r)
			if o := find(t, mustRegistry(t, r), "secret/htpasswd"); (o.Name == made.Name) != c.same {
				t.Errorf("it is called %s, before %s", o.Name, made.Name)
			}
		})
	}
}

func TestRegistryConfigurationHasItsOwnSecretAndNeverChanges(t *testing.T) {
	one, two := find(t, mustRegistry(t, images(nil)), "secret/config"), find(t, mustRegistry(t, images(func(r *spec.Registry) {
		r.Port, r.Users, r.Image = 5001, map[string]string{"zoe": "x"}, "registry:2"
	})), "secret/config")
	if one.Name != two.Name {
		t.Errorf("it is called %s and %s", one.Name, two.Name)
	}
	var texts [2]string
	for i := range texts {
		contents, err := one.Derived.Make()
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(contents["config"])
	}
	if texts[0] == texts[1] {
		t.Error("the HTTP secret is not random")
	}
	secret, _, _ := strings.Cut(strings.SplitAfter(texts[0], "secret: ")[1], "\n")
	if len(secret) != 64 {
		t.Errorf("the HTTP secret is no 32 bytes: %q", secret)
	}
}

// allSummaries are the problems as "path: summary".
func allSummaries(problems spec.Problems) []string {
	var list []string
	for _, p := range problems {
		list = append(list, path(p.Attribute).String()+": "+p.Summary)
	}
	return list
}

func TestEveryFaultOfARegistryIsReportedAtItsAttribute(t *testing.T) {
	long, broken := strings.Repeat("p", 73), "line\nbreak"
	rendered, problems := Registry(images(func(r *spec.Registry) {
		r.Name, r.Image, r.Port, r.PublishMode, r.Hostname = "Images", "UPPER:1", 0, "global", "http://images.example.com"
		r.Users = map[string]string{"a:b": "x", "#c": "x", " d": "x", "e\n": "x", "f": "", "g": long, "h": broken, "rita": "fine", "": "x"}
		r.Resources.Memory, r.Placement.Constraints = "much", []string{"n1"}
	}))
	if rendered != nil {
		t.Error("something was rendered in spite of errors")
	}
	want := []string{
		`hostname: Invalid hostname "http://images.example.com"`,
		`image: Invalid image "UPPER:1"`,
		`name: Invalid name "Images"`,
		`placement.constraints[0]: Wrong constraint "n1"`,
		`port: Invalid port 0`,
		`publish_mode: Invalid publish_mode "global"`,
		`resources.memory: Wrong size of memory "much"`,
		`users_wo: A user without a name`,
		`users_wo. d: Invalid user " d"`,
		`users_wo.#c: Invalid user "#c"`,
		`users_wo.a:b: Invalid user "a:b"`,
		`users_wo.e` + "\n" + `: Invalid user "e\n"`,
		`users_wo.f: The password of user "f" is empty`,
		`users_wo.g: The password of user "g" is too long`,
		`users_wo.h: The password of user "h" has a control character`,
	}
	if diff := cmp.Diff(want, allSummaries(problems)); diff != "" {
		t.Error(diff)
	}
	if text := problems.Error(); strings.Contains(text, long) || strings.Contains(text, broken) {
		t.Errorf("a password is quoted: %s", text)
	}
}

func TestRegistryWithoutUsersOrAddressIsRefused(t *testing.T) {
	_, problems := Registry(images(func(r *spec.Registry) { r.PublishMode, r.Users = spec.PublishHost, nil }))
	want := []string{"hostname: The registry has no address", "users_wo: No user"}
	if diff := cmp.Diff(want, allSummaries(problems)); diff != "" {
		t.Error(diff)
	}
}

func TestRegistryAddress(t *testing.T) {
	for rule, c := range map[string]struct {
		change func(*spec.Registry)
		want   string
	}{
		"an ingress port is on every node":     {func(*spec.Registry) {}, "127.0.0.1:5000"},
		"a name that leads there goes first":   {func(r *spec.Registry) { r.Hostname, r.Port = "images.example.com", 443 }, "images.example.com:443"},
		"a host-mode port is on no loopback":   {func(r *spec.Registry) { r.PublishMode = spec.PublishHost }, ""},
		"an address of version 6 is bracketed": {func(r *spec.Registry) { r.Hostname = "fd00::5" }, "[fd00::5]:5000"},
	} {
		t.Run(rule, func(t *testing.T) {
			if got := images(c.change).Address(); got != c.want {
				t.Errorf("the address is %q, want %q", got, c.want)
			}
		})
	}
}
