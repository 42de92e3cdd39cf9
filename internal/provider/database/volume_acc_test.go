package database_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/containerd/errdefs"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

func TestAccVolumeThatIsThereIsRefusedReusedOrEmptied(t *testing.T) {
	eachEngine(t, func(t *testing.T, s *acctest.Swarm, e engine) {
		d := newDatabase(t, s, e)
		w := providertest.NewWorkspace(t, d.config())
		w.Apply()
		d.ask(t, d.insert)
		w.Expect(0, "destroy", "-auto-approve", "-input=false")

		refused := func(what string, config string, words ...string) {
			t.Helper()
			w.Write("main.tf", config)
			said := providertest.Flat(w.Expect(1, "apply", "-auto-approve", "-input=false"))
			for _, word := range append(words, "Volume "+d.name+"_data") {
				if !strings.Contains(said, word) {
					t.Errorf("%s: it does not say %q:\n%s", what, word, said)
				}
			}
			if left := s.ReleaseObjects(t, d.name); len(left) > 0 {
				t.Errorf("%s: left behind: %q", what, left)
			}
			if strings.Contains(w.State(), d.name) {
				t.Errorf("%s: the state has it", what)
			}
		}
		refused("a volume with data", d.config(), `existing_volume = "reuse"`, "Nothing was written")
		refused("data of another version", d.config(d.tagged(t, e, e.other)...), "data of another version", e.version)
		stranger := engines[0]
		if e.name == stranger.name {
			stranger = engines[2]
		}
		acctest.Load(t, s, stranger.server)
		refused("data of another engine", d.config(fmt.Sprintf("engine = %q", stranger.name), fmt.Sprintf("version = %q", stranger.version),
			fmt.Sprintf("image = %q", stranger.image(stranger.version)), `existing_volume = "reuse"`), "something else")

		w.Write("main.tf", d.config(`existing_volume = "reuse"`))
		w.Apply()
		d.keeps(t, "reusing the volume")
		w.Expect(0, "destroy", "-auto-approve", "-input=false")

		w.Write("main.tf", d.config(`existing_volume = "discard"`))
		w.Apply()
		d.ask(t, d.insert)
		d.keeps(t, "emptying the volume and writing a row")
		w.Settled()
	})
}

// tagged is a reuse with the engine's image under the name of another major version.
func (d *database) tagged(t testing.TB, e engine, version string) []string {
	t.Helper()
	d.Docker(t, "tag", e.image(e.version), e.image(version))
	return []string{fmt.Sprintf("version = %q", version), fmt.Sprintf("image = %q", e.image(version)), `existing_volume = "reuse"`}
}

func TestAccProtectedDatabaseIsNotDestroyed(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	acctest.Load(t, s, acctest.Redis)
	d := newDatabase(t, s, engines[2])
	w := providertest.NewWorkspace(t, d.config("deletion_protection = true", "delete_data = true"))
	w.Apply()
	d.ask(t, d.insert)
	before, objects := d.container(t), s.ReleaseObjects(t, d.name)

	protected := func(args ...string) {
		t.Helper()
		if said := providertest.Flat(w.Expect(1, args...)); !strings.Contains(said, "deletion_protection = false") {
			t.Errorf("it does not say what to do:\n%s", said)
		}
		if after := d.container(t); after != before {
			t.Errorf("the container is another one")
		}
		if diff := strings.Join(s.ReleaseObjects(t, d.name), "\n"); diff != strings.Join(objects, "\n") {
			t.Errorf("the swarm has now:\n%s", diff)
		}
	}
	protected("destroy", "-auto-approve", "-input=false")
	w.Write("main.tf", fmt.Sprintf("provider \"swarm\" {\n  host = %q\n}\n", s.Host()))
	protected("apply", "-auto-approve", "-input=false")

	w.Write("main.tf", d.config("delete_data = true"))
	w.Apply()
	if after := d.container(t); after != before {
		t.Errorf("taking the protection away restarted the server")
	}
	w.Expect(0, "destroy", "-auto-approve", "-input=false")
	if left := append(s.ReleaseObjects(t, d.name), s.ReleaseVolumes(t, d.name)...); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestAccDataOnAnotherNode has a database on a node that Terraform does not talk to.
func TestAccDataOnAnotherNode(t *testing.T) {
	t.Parallel()
	s := acctest.StartNodes(t, 3)
	acctest.Load(t, s, acctest.Redis)
	d := newDatabase(t, s, engines[2])
	at := func(node int) string {
		return fmt.Sprintf("placement = { constraints = [\"node.hostname==n%d\"] }", node)
	}
	w := providertest.NewWorkspace(t, d.config(at(2)))
	w.Apply()
	there := s.Through(t, 2)
	ask := func(statement string) string {
		return (&database{there, d.engine, d.name, d.user, d.database}).ask(t, statement)
	}
	ask(d.insert)

	w.Write("main.tf", d.config(`settings = { maxmemory = "50mb" }`))
	if said := providertest.Flat(w.Expect(0, "plan", "-input=false")); !strings.Contains(said, "n2") || !strings.Contains(said, "Warning") {
		t.Errorf("a plan without a constraint does not warn that the data is on n2:\n%s", said)
	}
	w.Write("main.tf", d.config(at(3)))
	if said := providertest.Flat(w.Expect(1, "plan", "-input=false")); !strings.Contains(said, "n2") {
		t.Errorf("a plan that moves the database away does not say that the data is on n2:\n%s", said)
	}

	w.Write("main.tf", d.config(at(2)))
	w.Expect(0, "destroy", "-auto-approve", "-input=false")
	w.Write("main.tf", d.config())
	if said := providertest.Flat(w.Expect(1, "apply", "-auto-approve", "-input=false")); !strings.Contains(said, "Volume "+d.name+"_data") || !strings.Contains(said, "on n2") {
		t.Errorf("a create does not find the volume on n2:\n%s", said)
	}
	w.Write("main.tf", d.config(at(2), `existing_volume = "reuse"`, "delete_data = true"))
	w.Apply()
	if got := ask(d.count); got != "1" {
		t.Fatalf("there are %s rows, want 1", got)
	}
	w.Expect(0, "destroy", "-auto-approve", "-input=false")
	if content := contentOf(t, there, d.name+"_data", d.image(d.version)); content != "" {
		t.Errorf("the volume on n2 still holds %s", content)
	}
}

// contentOf lists what a volume of the node holds; nothing when there is no such volume.
func contentOf(t testing.TB, s *acctest.Swarm, volume, image string) string {
	t.Helper()
	if _, err := s.Client().VolumeInspect(context.Background(), volume); errdefs.IsNotFound(err) {
		return ""
	}
	return s.Docker(t, "run", "--rm", "--network", "none", "--entrypoint", "ls", "-v", volume+":/v", image, "-A", "/v")
}
