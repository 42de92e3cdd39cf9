package kindtest

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestAccTakenNamesAreRefused creates each kind under a name that something else has: at plan, and at the apply of a plan that
// was made before it was there. Nothing of the other may change.
func TestAccTakenNamesAreRefused(t *testing.T) {
	for _, other := range []struct {
		rule string
		// comes makes the other one. It leaves what adopt = true would find.
		comes func(r *release)
		// says is what a refusal names.
		says []string
		// adoptable is set where adopt = true makes the release out of it.
		adoptable bool
	}{
		{"a release of another kind", anotherKind, []string{"NAME"}, false},
		{"the same kind of another owner", anotherOwner, []string{"NAME", "another-team"}, true},
		{"a stack that was deployed by hand", aStack, []string{"service NAME_KEY", "adopt = true"}, true},
	} {
		t.Run(other.rule, func(t *testing.T) {
			each(t, func(t *testing.T, k kind) {
				r := newRelease(t, k, direct)
				r.declare(version{})
				r.Expect(0, "plan", "-input=false", "-out=early")
				other.comes(r)
				before := r.versions()
				for _, command := range [][]string{{"plan", "-input=false"}, {"apply", "-input=false", "early"}, {"apply", "-input=false", "-auto-approve"}} {
					said := providertest.Flat(r.Expect(1, command...))
					for _, want := range other.says {
						if want = strings.NewReplacer("NAME", r.name, "KEY", k.service).Replace(want); !strings.Contains(said, want) {
							t.Errorf("%v does not say %q:\n%s", command, want, said)
						}
					}
				}
				if after := r.versions(); !maps.Equal(before, after) {
					t.Errorf("a refused create moved %v to %v", before, after)
				}
				if !other.adoptable {
					return
				}
				r.more = []string{"adopt = true"}
				r.declare(version{})
				r.Apply()
				r.works()
				r.Settled()
				r.Expect(0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")
				r.destroy()
			})
		})
	}
}

// anotherKind has the name for an application, and an application's for a tunnel's network.
func anotherKind(r *release) {
	other := application()
	if r.kind.resource == other.resource {
		other = redis()
	}
	r.neighbour(other, "").Apply()
}

func anotherOwner(r *release) { r.neighbour(r.kind, "another-team").Apply() }

// neighbour declares a release of the same name in a folder of its own.
func (r *release) neighbour(k kind, owner string) *release {
	r.T.Helper()
	acctest.Load(r.T, r.Swarm, k.servers...)
	n := &release{Swarm: r.Swarm, kind: k, name: r.name, port: r.port, host: r.host, owner: owner, beside: r.beside, texts: r.texts[len(r.texts)/2:]}
	n.Workspace = providertest.NewWorkspace(r.T, "")
	n.newSecret()
	n.declare(version{})
	return n
}

// aStack is what `docker stack deploy` leaves of the same server: a service with the label of the stack.
func aStack(r *release) {
	r.Docker(r.T, "service", "create", "-q", "--detach", "--name", r.serviceName(), "--label", "com.docker.stack.namespace="+r.name,
		"--container-label", fmt.Sprintf("com.docker.stack.namespace=%s", r.name), "--replicas", "0", r.kind.image)
}
