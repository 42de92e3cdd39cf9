package swarm

import (
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// Of an update that finds no node, no task has been anywhere: the data is where the
// version before it has left it.
func TestAccHomeIsWhereATaskHadItsContainer(t *testing.T) {
	s := newStage(t)
	nowhere := func(spec *swarm.ServiceSpec) {
		spec.TaskTemplate.Placement = &swarm.Placement{Constraints: []string{"node.labels.never==true"}}
	}
	moved, waiting := s.service("moved", nil), s.service("waiting", nowhere)
	s.create(moved)
	s.create(waiting)
	s.progress(moved, "it runs", converged)
	if err := s.do(reconcile.Update, s.service("moved", nowhere), s.observe(moved)); err != nil {
		t.Fatal(err)
	}
	for _, o := range []object.Object{moved, waiting} {
		s.progress(o, "it waits for a node", func(r reconcile.Rollout) bool {
			return len(r.Tasks) > 0 && r.Tasks[0].State == "pending" && r.Tasks[0].Err != ""
		})
	}
	state, err := s.Observe(t.Context(), reconcile.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	homes, err := s.Homes(t.Context(), []string{moved.Name, waiting.Name, "nobody"})
	if err != nil || len(homes) != 1 || homes[moved.Name] != state.Nodes[0].ID {
		t.Errorf("homes %v, %v: want node %s for %s alone", homes, err, state.Nodes[0].ID, moved.Name)
	}
}
