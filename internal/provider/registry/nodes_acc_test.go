package registry_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// runsOn are the ids of the nodes on which tasks of a service run, by the tasks' ids.
func runsOn(t testing.TB, s *acctest.Swarm, service string) map[string]string {
	t.Helper()
	nodes := map[string]string{}
	tasks, err := s.Client().TaskList(context.Background(), swarm.TaskListOptions{Filters: filters.NewArgs(filters.Arg("service", service), filters.Arg("desired-state", "running"))})
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		if task.Status.State == swarm.TaskStateRunning {
			nodes[task.ID] = task.NodeID
		}
	}
	return nodes
}

// TestAccPrivateImageOnEveryNode has a registry on one node, and an application of a private image of it on all three.
// Another password for the registry leaves the application alone, and the next image needs it.
func TestAccPrivateImageOnEveryNode(t *testing.T) {
	t.Parallel()
	s := acctest.StartNodes(t, 3, "--workers")
	acctest.Load(t, s, acctest.Distribution)
	r := server{Swarm: s, name: "images", host: s.Address(t, 2), node: "n2"}
	app := func(tag string) string {
		return fmt.Sprintf(`
resource "swarm_application" "shop" {
  name    = "shop"
  compose = [<<-EOT
    services:
      web:
        image: ${swarm_registry.images.address}/acme/app:%s
        stop_grace_period: 1s
        deploy:
          mode: global
          update_config: {monitor: 500ms, parallelism: 0}
          restart_policy: {delay: 100ms}
  EOT
  ]
}
`, tag)
	}
	// The provider's credential is a variable of its own: a map cannot be taken apart in `registry_auth` before it is known.
	config := func(more string, settings ...string) string {
		return strings.Replace("variable \"password\" {\n  type = string\n  sensitive = true\n}\n"+r.config(more, settings...), "provider \"swarm\" {",
			fmt.Sprintf("provider \"swarm\" {\n  registry_auth = [{ address = %q, username = \"rita\", password = var.password }]", r.address()), 1)
	}
	w := providertest.NewWorkspace(t, config(""))
	password := func(is string) {
		users(w, map[string]string{"rita": is})
		w.Variable("password", is)
	}
	password("first-password")
	w.Apply()
	taken(t, "a push", r.push(t, "1.0", "acme/app:1", "rita:first-password"))
	for n := 1; n <= 3; n++ {
		node := server{Swarm: s.Through(t, n), host: r.host}
		refused(t, fmt.Sprintf("an anonymous pull on node %d", n), node.pull(t, "acme/app:1", ""))
	}

	w.Write("main.tf", config(app("1")))
	w.Apply()
	w.Settled()
	before := runsOn(t, s, "shop_web")
	if nodes := slices.Compact(slices.Sorted(maps.Values(before))); len(before) != 3 || len(nodes) != 3 {
		t.Fatalf("the private image runs on %v, want on three nodes", before)
	}

	t.Run("another password leaves what runs alone", func(t *testing.T) {
		w.T = t
		password("second-password")
		w.Apply()
		w.Settled()
		for credential, want := range map[string]int{"": 401, "rita:first-password": 401, "rita:second-password": 200} {
			if got := r.status(t, credential); got != want {
				t.Errorf("%q: %d, want %d", credential, got, want)
			}
		}
		if after := runsOn(t, s, "shop_web"); !maps.Equal(before, after) {
			t.Errorf("the tasks were %v and are %v", before, after)
		}
		taken(t, "a push", r.push(t, "1.1", "acme/app:2", "rita:second-password"))
		w.Write("main.tf", config(app("2")))
		w.Apply()
		w.Settled()
		if after := runsOn(t, s, "shop_web"); len(after) != 3 {
			t.Errorf("the next image runs on %v, want on three nodes", after)
		}
	})

	t.Run("the registry does not leave its images behind unseen", func(t *testing.T) {
		w.T = t
		for _, c := range []struct {
			placement string
			code      int
			said      string
		}{
			{"", 2, "Service images_registry has its data in a volume of node n2, and may be moved to"},
			{`placement = { constraints = ["node.hostname==n3"] }`, 1, "Its data is in a volume of node n2, and the placement (node.hostname==n3) keeps it off that node"},
		} {
			w.Write("main.tf", strings.Replace(config(app("2")), `placement    = { constraints = ["node.hostname==n2"] }`, c.placement, 1))
			if said := providertest.Flat(w.Expect(c.code, "plan", "-detailed-exitcode", "-input=false")); !strings.Contains(said, c.said) {
				t.Errorf("with placement %q the plan does not say %q:\n%s", c.placement, c.said, said)
			}
		}
	})

	t.Run("the images go from a node that the provider is not connected to", func(t *testing.T) {
		w.T = t
		w.Write("main.tf", config("", "delete_data = true"))
		w.Apply()
		taken(t, "a pull before", r.pull(t, "acme/app:2", "rita:second-password"))
		w.Expect(0, "destroy", "-auto-approve", "-input=false")
		if left := s.ReleaseObjects(t, r.name); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		w.Write("main.tf", config(""))
		w.Apply()
		if err := r.pull(t, "acme/app:2", "rita:second-password"); err == nil || !strings.Contains(err.Error(), "not found") {
			t.Errorf("a pull from an emptied registry: %v", err)
		}
	})
}
