package reconcile_test

import (
	"slices"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

func uninstallProtected(t *testing.T, b *memory.Backend, instance string) error {
	t.Helper()
	_, err := newCore(b).Uninstall(t.Context(), reconcile.Owner{Release: stack, Kind: "application", Owner: "terraform", Instance: instance},
		reconcile.UninstallOptions{Protected: true})
	return err
}

// Unknown is not absent: whether a release whose records are gone was ever deployed
// nobody knows, and a look may empty its volume.
func TestReleaseWhoseRecordsWereLostCountsAsDeployed(t *testing.T) {
	next := server().with(func(b *build) { b.services["web"] = "acme/web:2" }).release()
	// without is the deployed server without its records.
	without := func(t *testing.T) (*memory.Backend, string) {
		b := memory.New()
		instance := mustApply(t, b, server().release(), "").Instance
		b.Remove(object.KindRecord, "keel.shop.v1")
		return b, instance
	}
	// failed is the same after an apply that wrote a new record and failed.
	failed := func(t *testing.T) (*memory.Backend, string) {
		b, instance := without(t)
		b.Behave = failing("web", 1)
		if _, err := apply(t.Context(), b, next, instance, reconcile.PlanOptions{}); err == nil {
			t.Fatal("a failing service was deployed")
		}
		b.Behave = nil
		return b, instance
	}
	for rule, prepare := range map[string]func(*testing.T) (*memory.Backend, string){"without records": without, "after a failed apply": failed} {
		t.Run("nothing looks into its volume "+rule, func(t *testing.T) {
			b, instance := prepare(t)
			b.Remove(object.KindService, "shop_api")
			b.ResetCalls()
			mustApply(t, b, next, instance)
			if w := writes(b); slices.Contains(w, "create service shop_look") {
				t.Errorf("it was looked at as if it were new: %v", w)
			}
		})
		t.Run("it is protected "+rule, func(t *testing.T) {
			b, instance := prepare(t)
			if err := uninstallProtected(t, b, instance); reconcile.ReasonOf(err) != reconcile.ReasonProtected {
				t.Errorf("got %v, want Protected", err)
			}
			if deployed, err := newCore(b).EverDeployed(t.Context(), stack, instance); err != nil || !deployed {
				t.Errorf("ever deployed: %v, %v", deployed, err)
			}
		})
	}
}

// The lease goes last, and protects nothing by itself.
func TestRemovalThatLeftTheLeaseIsFinished(t *testing.T) {
	b := memory.New()
	b.Behave = failing("api", 1)
	result, err := apply(t.Context(), b, basic().release(), "", reconcile.PlanOptions{})
	if err == nil {
		t.Fatal("a failing service was deployed")
	}
	b.Fault = func(c memory.Call) memory.Fault {
		if c.Step != nil && c.Step.Verb == reconcile.Delete && c.Step.Object.Kind == object.KindLease {
			return memory.Fail
		}
		return memory.None
	}
	if err := uninstallProtected(t, b, result.Instance); err == nil {
		t.Fatal("the removal hides that it left the lease")
	}
	b.Fault = nil
	if err := uninstallProtected(t, b, result.Instance); err != nil {
		t.Error(err)
	}
	if left := b.Names(object.KindLease); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
