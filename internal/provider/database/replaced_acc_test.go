package database_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// application is a configuration of an application under the name of the database.
func (d *database) application(settings string) string {
	return fmt.Sprintf(`
resource "swarm_application" "namesake" {
  name          = %q
  resolve_image = "never"
  compose       = [<<-YAML
    version: "3.8"
    services:
      web:
        image: %s
        deploy: { replicas: 0 }
  YAML
  ]
  %s
}
`, d.name, acctest.Image("1.0"), settings)
}

// Whatever Terraform has a reason to destroy a protected database for, it stays as it is.
func TestAccProtectedDatabaseIsNeitherReplacedNorTakenOver(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	acctest.Load(t, s, acctest.Redis)
	d := newDatabase(t, s, engines[2])
	config := d.config("deletion_protection = true", "delete_data = true", "adopt = true")
	w := providertest.NewWorkspace(t, config)
	w.Apply()
	d.ask(t, d.insert)
	before, objects := d.container(t), s.ReleaseObjects(t, d.name)
	refused := func(w *providertest.Workspace, words string, args ...string) {
		t.Helper()
		if said := providertest.Flat(w.Expect(1, args...)); !strings.Contains(said, words) {
			t.Errorf("%q does not say %q:\n%s", args, words, said)
		}
		if after := d.container(t); after != before {
			t.Errorf("%q: the container is another one", args)
		}
		if now := s.ReleaseObjects(t, d.name); strings.Join(now, "\n") != strings.Join(objects, "\n") {
			t.Errorf("%q: the swarm has now %q", args, now)
		}
	}
	apply := []string{"apply", "-auto-approve", "-input=false"}
	const protected = "deletion_protection = false"

	refused(w, protected, append(apply, "-replace=swarm_database.db")...)
	w.Expect(0, "taint", "swarm_database.db")
	refused(w, protected, apply...)
	w.Expect(0, "untaint", "swarm_database.db")
	w.Write("main.tf", strings.Replace(config, fmt.Sprintf("name = %q", d.name), `name = "renamed"`, 1))
	refused(w, protected, apply...)

	// An older plan than the last change.
	w.Write("main.tf", strings.Replace(config, "engine =", "settings = { maxmemory = \"50mb\" }\n  engine =", 1))
	w.Expect(0, "plan", "-input=false", "-out=older")
	s.Docker(t, "service", "update", "--quiet", "--detach", "--update-order", "start-first", d.name+"_db")
	refused(w, "Plan again", "apply", "-input=false", "older")

	another := providertest.NewWorkspace(t, fmt.Sprintf("provider \"swarm\" {\n  host = %q\n}\n", s.Host())+d.application("adopt = true"))
	refused(another, "of kind database", apply...)

	w.Write("main.tf", config)
	w.Apply()
	w.Settled()
	d.keeps(t, "all of this")
	w.Write("main.tf", d.config())
	w.Apply()
	w.Expect(0, "destroy", "-auto-approve", "-input=false")
}

// Nothing of a configuration is there when two of its resources of one name are planned.
func TestAccOfTwoKindsOfOneNameOneIsMade(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	acctest.Load(t, s, acctest.Redis)
	d := newDatabase(t, s, engines[2])
	w := providertest.NewWorkspace(t, d.config()+d.application(""))
	if said := providertest.Flat(w.Expect(1, "apply", "-auto-approve", "-input=false")); !strings.Contains(said, "its name is taken") {
		t.Errorf("it does not say that the name is taken:\n%s", said)
	}
	w.Write("main.tf", fmt.Sprintf("provider \"swarm\" {\n  host = %q\n}\n", s.Host()))
	w.Apply()
	if left := s.ReleaseObjects(t, d.name); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
