package kindtest

import (
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestAccImport brings a release that runs into an empty state, by its name. The plan after it changes no object, the
// apply touches nothing that runs, and the release can be destroyed from there.
func TestAccImport(t *testing.T) {
	each(t, func(t *testing.T, k kind) {
		for _, v := range k.secretVersions() {
			t.Run(v.rule(), func(t *testing.T) {
				var proxy *acctest.Proxy
				r := newRelease(t, k, func(s *acctest.Swarm) string { proxy = s.NewProxy(t); return proxy.Host() })
				r.declare(v)
				r.Apply()
				row := r.storedBy(v)
				running := r.Tasks(t, r.serviceName())

				first := r.Workspace
				r.Workspace = providertest.NewWorkspace(t, "")
				r.Env = append(r.Env, first.Env[len(first.Env)-1]) // var.secret
				r.declare(v)
				r.Expect(0, "import", "-input=false", r.address(), r.name)
				if k.protected {
					if said := r.Expect(1, "destroy", "-auto-approve", "-input=false"); !strings.Contains(said, "deletion_protection") {
						t.Errorf("the state of an import has the default of deletion_protection, but the destroy ends with:\n%s", said)
					}
				}
				code, said := r.Terraform("plan", "-detailed-exitcode", "-input=false", "-out=tfplan")
				if code == 1 {
					t.Fatalf("the plan after the import fails:\n%s", said)
				}
				if code == 2 {
					for element, paths := range providertest.Compare(t, r.Plan(2).Change(k.resource)).Rest() {
						if isObject(element) {
							t.Errorf("the plan after the import changes %s: %v\n%s", element, paths, said)
						}
					}
				}
				proxy.Reset()
				r.Apply()
				for _, c := range proxy.Writes() {
					if strings.HasPrefix(c.Path, "/services/") || strings.HasPrefix(c.Path, "/secrets/") || strings.HasPrefix(c.Path, "/networks/") {
						t.Errorf("the apply after the import wrote %s", c)
					}
				}
				r.Settled()
				r.holds(v)
				r.worksFor(v, row)
				if now := r.Tasks(t, r.serviceName()); len(now) != len(running) || now[0].ID != running[0].ID {
					t.Errorf("tasks %v became %v", running, now)
				}
				r.destroy()
			})
		}
	})
}

// isObject tells the elements of `objects` from attributes beside it.
func isObject(element string) bool {
	for _, kind := range []string{"service/", "network/", "config/", "secret/", "volume/"} {
		if strings.HasPrefix(element, kind) {
			return true
		}
	}
	return false
}

// secretVersions are versions with a secret that is given and, where the kind can make one, with one that is not.
func (k kind) secretVersions() []version {
	out := []version{{}}
	if k.generates {
		out = append(out, version{generated: true})
	}
	return out
}

func (v version) rule() string {
	if v.generated {
		return "with a secret that was made"
	}
	return "with a secret that was given"
}

// storedBy is store for a version whose secret may be known in the task alone.
func (r *release) storedBy(v version) string {
	r.T.Helper()
	defer r.learn(v)()
	return r.store()
}

// worksFor is works for such a version.
func (r *release) worksFor(v version, rows ...string) {
	r.T.Helper()
	defer r.learn(v)()
	r.works(rows...)
}

// learn reads the secret that a kind has made from where its server finds it, for as long as the returned function is not
// called.
func (r *release) learn(v version) func() {
	r.T.Helper()
	declared := r.secret
	if v.generated {
		r.secret = r.known(r.kind.made[0])
	}
	return func() { r.secret = declared }
}

// known reads something secret in the running task.
func (r *release) known(m made) string {
	r.T.Helper()
	text, err := r.inside("cat " + m.file)
	if err != nil {
		r.T.Fatal(err)
	}
	found := m.pattern.FindStringSubmatch(text)
	if found == nil || len(found[1]) < 8 {
		r.T.Fatalf("%s holds nothing like %s", m.file, m.pattern)
	}
	return found[1]
}
