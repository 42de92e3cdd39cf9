package tunnel_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// runsOn are the nodes on which tasks of a service run, by the ids of the tasks.
func runsOn(t testing.TB, s *acctest.Swarm, service string) map[string]string {
	t.Helper()
	nodes := map[string]string{}
	for _, task := range s.Tasks(t, service) {
		if task.Status.State == swarm.TaskStateRunning {
			nodes[task.ID] = task.NodeID
		}
	}
	return nodes
}

// twoNodes requires that no node has both connectors.
func twoNodes(t testing.TB, s *acctest.Swarm, service string) {
	t.Helper()
	if nodes := slices.Compact(slices.Sorted(maps.Values(runsOn(t, s, service)))); len(nodes) != 2 {
		t.Errorf("the two connectors are on %d nodes", len(nodes))
	}
}

// TestAccTunnel carries requests from the edge to a service, and changes everything about the tunnel under a steady load:
// not one request may be lost.
func TestAccTunnel(t *testing.T) {
	t.Parallel()
	s := acctest.StartNodes(t, 3, "--workers")
	const service = "edge_connector"
	attributes := func(version string, more ...string) string {
		return fmt.Sprintf("image = %q\n  %s", acctest.CloudflaredImage(version), strings.Join(more, "\n  "))
	}
	secrets := []string{providertest.RandomValue(t, "one-"), providertest.RandomValue(t, "two-"), providertest.RandomValue(t, "unknown-")}
	tokens := make([]string, len(secrets))
	for i, secret := range secrets {
		tokens[i] = acctest.TunnelToken("acme", tunnelID, secret)
	}
	w := providertest.NewWorkspace(t, stack(s, ""))
	w.Traced()
	w.Apply()
	edge := acctest.StartEdge(t, s, "shop_default", map[string]string{"shop.example.com": "http://shop_web:8080"}, tokens[:2]...)
	if _, err := ask(edge.Client); err == nil || !strings.Contains(err.Error(), "502") {
		t.Fatalf("without a tunnel the edge answers: %v", err)
	}

	w.Variable("token", tokens[0])
	w.Write("main.tf", stack(s, attributes("2025.4.0")))
	w.Apply()
	// Whoever reads that it was applied may send requests.
	if _, err := ask(edge.Client); err != nil {
		t.Errorf("after the apply: %v", err)
	}
	w.Settled()
	w.Expect(0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")
	s.Holds(t, "edge", "secret/NAME_token-HASH", "service/NAME_connector")
	twoNodes(t, s, service)

	t.Run("another token", func(t *testing.T) {
		w.T = t
		tasks, old := runsOn(t, s, service), connectors(t, edge.Client)
		l := startLoad(t, edge.Client)
		w.Variable("token", tokens[1])
		w.Apply()
		l.stop(t)
		w.Settled()
		for id := range runsOn(t, s, service) {
			if tasks[id] != "" {
				t.Errorf("task %s has the token of before", id)
			}
		}
		twoNodes(t, s, service)
		for _, connector := range connectors(t, edge.Client) {
			if slices.Contains(old, connector) {
				t.Errorf("connector %s, which has the token of before, still takes requests", connector)
			}
		}
	})

	t.Run("another version, and one connector more", func(t *testing.T) {
		w.T = t
		l := startLoad(t, edge.Client)
		w.Write("main.tf", stack(s, attributes("2025.5.0", `replicas = 3`)))
		w.Apply()
		l.stop(t)
		w.Settled()
		if tasks := runsOn(t, s, service); len(tasks) != 3 {
			t.Errorf("the connectors are %v, want three", tasks)
		}
	})

	t.Run("a token that the edge does not know", func(t *testing.T) {
		w.T = t
		before := runsOn(t, s, service)
		l := startLoad(t, edge.Client)
		w.Variable("token", tokens[2])
		said := providertest.Flat(w.Expect(1, "apply", "-auto-approve", "-input=false"))
		for _, want := range []string{"Service edge_connector did not converge", "Unauthorized: Invalid tunnel secret", "was rolled back"} {
			if !strings.Contains(said, want) {
				t.Errorf("the error does not say %q:\n%s", want, said)
			}
		}
		l.stop(t)
		kept := 0
		for id := range runsOn(t, s, service) {
			if before[id] != "" {
				kept++
			}
		}
		if kept < 2 {
			t.Errorf("of three connectors %d were kept", kept)
		}
		w.Variable("token", tokens[1])
		w.Apply()
		w.Settled()
	})

	t.Run("no token is anywhere but in its file", func(t *testing.T) {
		live := providertest.InSwarm(t, s, "edge")
		for _, task := range s.Tasks(t, service) {
			live["task/"+task.ID] = providertest.AsJSON(t, task)
		}
		everything := w.Evidence()
		for i := range tokens {
			for what, value := range map[string]string{"token": tokens[i], "secret": secrets[i]} {
				if found := append(live.Having(value), everything.Having(value)...); len(found) > 0 {
					t.Errorf("%s %d is in %v", what, i+1, found)
				}
			}
		}
		if len(everything["trace.log"]) < 10000 || len(live) < 4 {
			t.Error("there is too little to look through")
		}
	})

	t.Run("without the tunnel there is no answer", func(t *testing.T) {
		w.T = t
		w.Write("main.tf", stack(s, ""))
		w.Apply()
		if left := s.ReleaseObjects(t, "edge"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		if _, err := ask(edge.Client); err == nil || !strings.Contains(err.Error(), "502") {
			t.Errorf("the edge answers: %v", err)
		}
	})
}
