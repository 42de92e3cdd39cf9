package reconcile_test

import (
	"context"
	"testing"

	"github.com/docker/docker/api/types/network"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// create applies a release that no state knows, and returns the instance that a
// state would know afterwards.
func create(ctx context.Context, t *testing.T, b *memory.Backend, r reconcile.Release, adopt bool) (started string, err error) {
	t.Helper()
	core := newCore(b)
	p, err := core.Plan(t.Context(), r, reconcile.PlanOptions{Adopt: adopt})
	if err != nil {
		t.Fatal(err)
	}
	_, err = core.Apply(ctx, p, reconcile.ApplyOptions{Started: func(instance string) { started = instance }})
	return started, err
}

// Either nothing is left, or a state knows of it, so that somebody can remove it.
func TestWhatARefusedCreateLeavesIsInTheState(t *testing.T) {
	onNetwork := func(t *testing.T, b *memory.Backend) {
		name := stack + "_default"
		_, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Create, Object: object.Object{Kind: object.KindNetwork, Key: "default", Name: name,
			Spec: &object.NetworkSpec{Name: name, Options: network.CreateOptions{Driver: "overlay", Labels: map[string]string{reconcile.LabelStack: stack}}}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	noRecord := func(_ *testing.T, b *memory.Backend) {
		b.Fault = func(c memory.Call) memory.Fault {
			if c.Step != nil && c.Step.Object.Kind == object.KindRecord && c.Step.Verb == reconcile.Create {
				return memory.Fail
			}
			return memory.None
		}
	}
	halfMade := func(t *testing.T, b *memory.Backend) {
		b.Fault = func(c memory.Call) memory.Fault {
			if c.Step != nil && c.Step.Object.Ref().String() == "service/api" {
				return memory.Fail
			}
			return memory.None
		}
		if _, err := create(t.Context(), t, b, server().release(), false); err == nil {
			t.Fatal("the fault did not fire")
		}
		b.Fault = nil
	}
	for rule, c := range map[string]struct {
		before     func(*testing.T, *memory.Backend)
		adopt      bool
		remembered bool
	}{
		"a look refuses": {before: func(*testing.T, *memory.Backend) {}},
		"a look refuses an adoption, of which there was a record of what was there": {before: onNetwork, adopt: true},
		"the record cannot be written":                                              {before: noRecord},
		"a look refuses what an earlier create had begun":                           {before: halfMade, remembered: true},
	} {
		t.Run(rule, func(t *testing.T) {
			b := memory.New()
			c.before(t, b)
			b.Behave = failing("look", 10)
			started, err := create(t.Context(), t, b, server().release(), c.adopt)
			if err == nil {
				t.Fatal("a refused look made the release")
			}
			if (started != "") != c.remembered {
				t.Errorf("instance in the state: %q, want one: %v", started, c.remembered)
			}
			if records := b.Names(object.KindRecord); (len(records) > 0) != c.remembered {
				t.Errorf("records %v", records)
			}
			if leases := b.Names(object.KindLease); (len(leases) > 0) != c.remembered {
				t.Errorf("leases %v", leases)
			}
		})
	}
}

func TestInterruptedLookLeavesNothing(t *testing.T) {
	b := memory.New()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b.Fault = func(c memory.Call) memory.Fault {
		if c.Step != nil && c.Step.Verb == reconcile.Create && c.Step.Object.Key == "look" {
			cancel()
		}
		return memory.None
	}
	started, err := create(ctx, t, b, server().release(), false)
	if reconcile.ReasonOf(err) != reconcile.ReasonInterrupted || started != "" {
		t.Fatalf("started %q, error %v", started, err)
	}
	for _, kind := range []object.Kind{object.KindService, object.KindRecord, object.KindLease} {
		if left := b.Names(kind); len(left) > 0 {
			t.Errorf("left behind: %s %v", kind, left)
		}
	}
}

func TestRefusedImageLeavesNoLease(t *testing.T) {
	b := memory.New()
	b.Fault = func(c memory.Call) memory.Fault {
		if c.Method == "Resolve" {
			return memory.Fail
		}
		return memory.None
	}
	if _, err := create(t.Context(), t, b, resolving(reconcile.ResolveChanged, same), false); err == nil {
		t.Fatal("an image was pinned without an answer of its registry")
	}
	if left := b.Names(object.KindLease); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
