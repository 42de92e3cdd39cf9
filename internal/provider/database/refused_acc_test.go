package database_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestAccWhatADatabaseCannotBecomeIsRefusedByThePlan needs no more than one database, since no plan touches it.
func TestAccWhatADatabaseCannotBecomeIsRefusedByThePlan(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *acctest.Swarm, e engine) {
		d := newDatabase(t, s, e)
		minor := []string{fmt.Sprintf("version = %q", e.minor), fmt.Sprintf("image = %q", e.image(e.minor))}
		w := providertest.NewWorkspace(t, d.config(minor...))
		w.Apply()
		before := d.container(t)

		stranger := engines[0]
		if e.name == stranger.name {
			stranger = engines[2]
		}
		refusals := map[string][]string{
			"cannot become another engine":                                   {"engine = \"" + stranger.name + "\"", "version = \"" + stranger.version + "\"", "image = null"},
			"cannot be upgraded from " + e.title + " " + e.version:           {"version = \"99.1\"", "image = null"},
			"cannot be taken back from " + e.title + " " + e.minor:           {"version = \"" + e.version + ".0\"", "image = null"},
			"cannot be taken back from " + e.title + " " + e.minor + " to 6": {"version = \"6.0\"", "image = null"},
		}
		if e.name != "redis" {
			refusals["The username of database "+d.name+" cannot change"] = append(minor, `username = "somebody"`)
			refusals["The database of database "+d.name+" cannot change"] = append(minor, `database = "other"`)
			delete(refusals, "cannot be taken back from "+e.title+" "+e.minor+" to 6") // too old for these
		}
		for words, settings := range refusals {
			w.Write("main.tf", d.config(settings...))
			said := providertest.Flat(w.Expect(1, "plan", "-input=false"))
			if !strings.Contains(said, words) {
				t.Errorf("a plan with %q does not say %q:\n%s", settings, words, said)
			}
		}

		// What runs has a say too: after an import, the state knows nothing else.
		w.Expect(0, "state", "rm", "swarm_database.db")
		w.Write("main.tf", d.config("version = \"99.1\"", "image = null", "adopt = true"))
		if said := providertest.Flat(w.Expect(1, "plan", "-input=false")); !strings.Contains(said, "cannot be upgraded") {
			t.Errorf("an adoption with another version does not say that it cannot be:\n%s", said)
		}
		w.Write("main.tf", d.config("version = \"99.1\"", "image = null")+fmt.Sprintf("\nimport {\n  to = swarm_database.db\n  id = %q\n}\n", d.name))
		if said := providertest.Flat(w.Expect(1, "plan", "-input=false")); !strings.Contains(said, "cannot be upgraded") {
			t.Errorf("an import with another version does not say that it cannot be:\n%s", said)
		}
		w.Write("main.tf", d.config(minor...)+fmt.Sprintf("\nimport {\n  to = swarm_database.db\n  id = %q\n}\n", d.name))
		w.Apply()
		w.Settled()
		if after := d.container(t); after != before {
			t.Error("the server was restarted")
		}
	})
}
