package reconcile_test

import (
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// namesake is a release of another kind under the same name, which shares no real
// name with the basic one.
func namesake() reconcile.Release {
	one := uint64(1)
	name := stack + "_connector"
	return reconcile.Release{Owner: reconcile.Owner{Release: stack, Kind: "tunnel", Owner: "terraform"}, Objects: []object.Object{{
		Kind: object.KindService, Key: "connector", Name: name, Spec: &swarm.ServiceSpec{
			Annotations:  swarm.Annotations{Name: name},
			Mode:         swarm.ServiceMode{Replicated: &swarm.ReplicatedService{Replicas: &one}},
			TaskTemplate: swarm.TaskSpec{ContainerSpec: &swarm.ContainerSpec{Image: "acme/connector:1"}},
		},
	}}}
}

// Terraform plans all resources of a configuration before it creates any, and
// creates them at the same time.
func TestOfTwoCreatesOfOneNameTheSecondIsRefused(t *testing.T) {
	b := memory.New()
	core := newCore(b)
	first, err := core.Plan(t.Context(), basic().release(), reconcile.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	second, err := core.Plan(t.Context(), namesake(), reconcile.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := core.Apply(t.Context(), first, reconcile.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := core.Apply(t.Context(), second, reconcile.ApplyOptions{}); reconcile.ReasonOf(err) != reconcile.ReasonRefused {
		t.Errorf("got %v, want Refused", err)
	}
	wantSettled(t, b, basic().release(), first.Release.Instance)
}

func TestReleaseOfAnotherKindIsNotTakenOver(t *testing.T) {
	for rule, c := range map[string]struct{ adopt, lose bool }{
		"when creating":            {},
		"when adopting":            {adopt: true},
		"by its labels, no record": {adopt: true, lose: true},
	} {
		t.Run(rule, func(t *testing.T) {
			b := memory.New()
			instance := mustApply(t, b, basic().release(), "").Instance
			if c.lose {
				b.Remove(object.KindRecord, "keel.shop.v1")
			}
			b.ResetCalls()
			_, err := apply(t.Context(), b, namesake(), "", reconcile.PlanOptions{Adopt: c.adopt})
			if reconcile.ReasonOf(err) != reconcile.ReasonRefused || !strings.Contains(err.Error(), "is of kind application") || strings.Contains(err.Error(), "import") {
				t.Errorf("got %v, want Refused with the other kind, and no word of importing", err)
			}
			if w := writes(b); len(w) > 0 {
				t.Errorf("written all the same: %v", w)
			}
			if !c.lose {
				wantSettled(t, b, basic().release(), instance)
			}
		})
	}
}
