package reconcile_test

import (
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

func TestProtectedReleaseStaysOnceDeployed(t *testing.T) {
	b := memory.New()
	uninstall := func(instance string) error {
		_, err := newCore(b).Uninstall(t.Context(), reconcile.Owner{Release: stack, Kind: "application", Owner: "terraform", Instance: instance}, reconcile.UninstallOptions{Protected: true})
		return err
	}
	b.Behave = failing("api", 1)
	result, err := apply(t.Context(), b, basic().release(), "", reconcile.PlanOptions{})
	if err == nil {
		t.Fatal("a failing service was deployed")
	}
	if err := uninstall(result.Instance); err != nil {
		t.Errorf("a release that was never deployed is protected: %v", err)
	}
	b.Behave = nil
	instance := mustApply(t, b, basic().release(), "").Instance
	b.ResetCalls()
	if err := uninstall(instance); reconcile.ReasonOf(err) != reconcile.ReasonProtected {
		t.Errorf("reason %s, want Protected: %v", reconcile.ReasonOf(err), err)
	}
	if w := writes(b); len(w) > 0 {
		t.Errorf("a refused removal wrote %v", w)
	}
}
