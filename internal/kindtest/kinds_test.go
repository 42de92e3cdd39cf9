// Package kindtest holds every kind of resource to the same rules: what is demanded of one is demanded of all, by tests over
// one table, with the real servers on real swarms. It holds tests alone.
package kindtest

import (
	"regexp"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

func TestMain(m *testing.M) { providertest.Main(m) }

// kind is a row of the table: a kind of resource, and of databases an engine.
type kind struct {
	name     string // of the row
	resource string // type of the resource
	servers  []acctest.Server
	service  string // key of the service that is the server, the only one of the first version
	image    string // of it
	// attributes are the lines of the resource of a version, without name. The secret is var.secret.
	attributes func(r *release, v version) string
	// around makes, called release.beside, what the resource is about and does not make itself; nil is nothing.
	around func(r *release)
	// secret is a new value for var.secret that holds a text, which must be found wherever the value is.
	secret func(text string) string
	// use does what a client with a secret does, and fails where the server refuses that.
	use func(r *release, secret string) error
	// put stores a row, and rows lists what is stored; nil where a kind stores nothing.
	put  func(r *release, row string) error
	rows func(r *release) (string, error)

	objects   []string // of a release, as acctest.Holds takes them
	extra     []string // what a version with something extra has besides
	volumes   []string // names, NAME for the release's, that a destroy keeps
	jobs      []string // keys of what an apply of the first version runs on the way
	made      []made   // what nobody but the swarm is to know
	generates bool     // a secret that is not given is made
	lasting   bool     // a former secret is taken for as long as somebody else wants
	protected bool     // against being destroyed, unless it is said that it may be
	// sparse tests kill the provider less often, since the server takes its time.
	sparse bool
}

// version is what a configuration asks for.
type version struct {
	change    int  // another number changes something in place
	extra     bool // one more of something, that a next version drops
	generated bool // the secret is left to the kind, where it can make one
}

// made is a part of a file in a task that holds something secret.
type made struct {
	file    string
	pattern *regexp.Regexp // with one group
}

// kinds is the table.
func kinds() []kind {
	return []kind{application(), redis(), postgres(), mariadb(), registry(), tunnel()}
}

// each runs a test for every kind, beside each other.
func each(t *testing.T, test func(t *testing.T, k kind)) {
	t.Helper()
	t.Parallel()
	tests := map[string]func(*testing.T){}
	for _, k := range kinds() {
		tests[k.name] = func(t *testing.T) { test(t, k) }
	}
	acctest.SideBySide(t, tests)
}
