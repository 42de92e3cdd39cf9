package kindtest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// release is one release of a kind, and the folder that declares it.
type release struct {
	*acctest.Swarm
	*providertest.Workspace
	kind   kind
	name   string
	port   int    // of its own, on the node
	host   string // engine, or a proxy before it
	beside string // name of what is around it; "" where nothing is
	secret string // as declared
	text   string // in the secret
	owner  string // of the configuration; empty is the provider's default
	more   []string

	texts   []string     // of secrets to come, where others have to know them before
	visitor *http.Client // comes from outside, where that is how a kind is used
}

// newRelease prepares a release at an engine, with a secret of its own. Nothing is declared yet.
func newRelease(t *testing.T, k kind, host func(s *acctest.Swarm) string) *release {
	t.Helper()
	s := acctest.Start(t)
	acctest.Load(t, s, k.servers...)
	r := &release{Swarm: s, kind: k, port: nextPort(), host: host(s)}
	r.Workspace = providertest.NewWorkspace(t, "")
	if k.around != nil {
		r.beside = s.RandomName(t)
		k.around(r)
	}
	r.name = s.RandomName(t) // goes before what is beside it
	r.newSecret()
	return r
}

// direct is the engine itself.
func direct(s *acctest.Swarm) string { return s.Host() }

// newSecret gives var.secret another value and returns the one before.
func (r *release) newSecret() string {
	before := r.secret
	if len(r.texts) > 0 {
		r.text, r.texts = r.texts[0], r.texts[1:]
	} else {
		r.text = providertest.RandomValue(r.T, "secret")
	}
	r.secret = r.kind.secret(r.text)
	r.Variable("secret", r.secret)
	return before
}

// declare writes the configuration of a version.
func (r *release) declare(v version) {
	r.T.Helper()
	owner := ""
	if r.owner != "" {
		owner = fmt.Sprintf("owner = %q", r.owner)
	}
	r.Write("main.tf", fmt.Sprintf(`
variable "secret" {
  type      = string
  ephemeral = true
}

provider "swarm" {
  host = %q
  %s
}

resource %q "it" {
  name          = %q
  history_limit = "1"
  timeouts      = { create = "2m", update = "2m", delete = "2m" }
  %s
  %s
}
`, r.host, owner, r.kind.resource, r.name, r.kind.attributes(r, v), strings.Join(r.more, "\n  ")))
}

// address is the resource in the configuration.
func (r *release) address() string { return r.kind.resource + ".it" }

// serviceName is the real name of the server.
func (r *release) serviceName() string { return r.name + "_" + r.kind.service }

// destroy must succeed, and leave nothing but the volumes that are kept.
func (r *release) destroy() {
	r.T.Helper()
	r.Expect(0, "destroy", "-auto-approve", "-input=false")
	r.Gone(r.T, r.name)
	if have, want := r.ReleaseVolumes(r.T, r.name), r.named(r.kind.volumes); strings.Join(have, " ") != strings.Join(want, " ") {
		r.T.Errorf("after the destroy there are the volumes %v, want %v", have, want)
	}
}

// named puts the release's name into patterns.
func (r *release) named(patterns []string) []string {
	out := make([]string, len(patterns))
	for i, p := range patterns {
		out[i] = strings.ReplaceAll(p, "NAME", r.name)
	}
	return out
}

// holds requires that the swarm has exactly the objects of a version.
func (r *release) holds(v version) {
	r.T.Helper()
	objects := r.kind.objects
	if v.extra {
		objects = merged(objects, r.kind.extra)
	}
	r.Holds(r.T, r.name, objects...)
}

// works requires that a client with the declared secret is served, and that what was stored is there.
func (r *release) works(rows ...string) {
	r.T.Helper()
	if err := r.kind.use(r, r.secret); err != nil {
		r.T.Fatalf("a client is not served: %v", err)
	}
	if r.kind.rows == nil || len(rows) == 0 {
		return
	}
	have, err := r.kind.rows(r)
	if err != nil {
		r.T.Fatal(err)
	}
	for _, row := range rows {
		if !strings.Contains(have, row) {
			r.T.Errorf("row %s is not there, but %q", row, have)
		}
	}
}

// store stores a row, and returns it; "" where a kind stores nothing.
func (r *release) store() string {
	r.T.Helper()
	if r.kind.put == nil {
		return ""
	}
	row := providertest.RandomValue(r.T, "row")
	if err := r.kind.put(r, row); err != nil {
		r.T.Fatal(err)
	}
	return row
}

// inside runs a shell script in the running task of the server.
func (r *release) inside(script string, env ...string) (string, error) {
	r.T.Helper()
	return r.Inside(r.T, r.serviceName(), script, env...)
}

// versions are the versions that the engine counts of the release's objects, by kind/name.
func (r *release) versions() map[string]uint64 {
	r.T.Helper()
	out := map[string]uint64{}
	for _, object := range r.ReleaseObjects(r.T, r.name) {
		kind, name, _ := strings.Cut(object, "/")
		if kind == "network" {
			continue // cannot be changed
		}
		var index uint64
		if _, err := fmt.Sscan(r.Docker(r.T, kind, "inspect", "--format", "{{.Version.Index}}", name), &index); err != nil {
			r.T.Fatal(err)
		}
		out[object] = index
	}
	return out
}
