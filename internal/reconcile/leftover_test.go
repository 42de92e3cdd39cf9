package reconcile_test

import (
	"slices"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// callsOf are the calls so far: writes in words, others by their method.
func callsOf(b *memory.Backend) []string {
	var out []string
	for _, c := range b.Calls() {
		if c.Step == nil {
			out = append(out, c.Method)
			continue
		}
		out = append(out, string(c.Step.Verb)+" "+string(c.Step.Object.Kind)+" "+c.Step.Object.Name)
	}
	return out
}

// wantOrder fails unless the calls come in this order.
func wantOrder(t *testing.T, calls []string, order ...string) {
	t.Helper()
	rest := calls
	for _, want := range order {
		i := slices.Index(rest, want)
		if i < 0 {
			t.Fatalf("no %q in its place, the order being %q: %q", want, order, calls)
		}
		rest = rest[i+1:]
	}
}

// A removal that was killed has left the job that empties the volume.
func TestLeftOverJobIsGoneBeforeItsServiceIsMade(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, placed(), "").Instance
	b.Fault = func(c memory.Call) memory.Fault {
		if c.Step != nil && c.Step.Verb == reconcile.Delete && c.Step.Object.Key == "empty" {
			return memory.Fail
		}
		return memory.None
	}
	_, err := newCore(b).Uninstall(t.Context(), reconcile.Owner{Release: stack, Kind: "application", Owner: "terraform", Instance: instance},
		reconcile.UninstallOptions{PurgeVolumes: true, Empty: []object.OneShot{oneShot("empty", nil)}})
	if err == nil {
		t.Fatal("the removal hides that it left a job behind")
	}
	b.Fault = nil
	b.ResetCalls()
	mustApply(t, b, placed(), instance)
	wantOrder(t, callsOf(b), "delete service shop_empty", "Draining", "create service shop_api")
	wantSettled(t, b, placed(), instance)
}

// Two servers on one volume ruin it, and the old one may take its time to end.
func TestReplacedServiceWithDataIsGoneBeforeItsSuccessor(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, placed(), "").Instance
	b.ResetCalls()
	next := basic().with(func(b *build) { b.internal = true }).release()
	next.Local = []string{"api"}
	mustApply(t, b, next, instance)
	wantOrder(t, callsOf(b), "delete service shop_api", "Draining", "create service shop_api")
	wantSettled(t, b, next, instance)
}

// The job mounts the very secret that the roll-back has to remove.
func TestLeftOverJobIsGoneBeforeItsSecretIsTakenBack(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, server().release(), "").Instance
	next := server().with(func(b *build) { b.secret = "another" }).release()
	next.Instance = instance
	p, err := newCore(b).Plan(t.Context(), next, reconcile.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.Behave = failing("ready", 1)
	failures := 0
	b.Fault = func(c memory.Call) memory.Fault {
		if c.Step != nil && c.Step.Verb == reconcile.Delete && c.Step.Object.Key == "ready" && failures < 4 {
			failures++ // as often as a write is tried
			return memory.Fail
		}
		return memory.None
	}
	result, err := newCore(b).Apply(t.Context(), p, reconcile.ApplyOptions{RollBack: true})
	if failures != 4 || result == nil || result.Status != reconcile.RolledBack {
		t.Fatalf("the removal failed %d times, and the apply ends as %+v: %v", failures, result, err)
	}
	b.Behave, b.Fault = nil, nil
	mustApply(t, b, server().release(), instance)
	wantSettled(t, b, server().release(), instance)
}
