package reconcile_test

import (
	"context"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// failOn makes the tasks of an image end with an exit code.
func failOn(image string) func(string, *swarm.ServiceSpec) memory.Outcome {
	return func(_ string, spec *swarm.ServiceSpec) memory.Outcome {
		if spec.TaskTemplate.ContainerSpec.Image == image {
			return memory.Outcome{ExitCode: new(3)}
		}
		return memory.Outcome{}
	}
}

func applyOrRollBack(ctx context.Context, t *testing.T, b *memory.Backend, r reconcile.Release, instance string) (*reconcile.Result, error) {
	t.Helper()
	r.Instance = instance
	core := newCore(b)
	p, err := core.Plan(ctx, r, reconcile.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return core.Apply(ctx, p, reconcile.ApplyOptions{RollBack: true})
}

func TestRollBackRestoresTheWholeRelease(t *testing.T) {
	cases := []struct {
		name string
		next build
	}{
		{"a service that failed and one that did not", basic().with(func(b *build) {
			b.services["web"], b.services["api"] = "acme/web:2", "acme/api:2"
		})},
		{"a rotated config and secret", basic().with(func(b *build) {
			b.services["web"], b.config, b.secret = "acme/web:2", "listen 8080", "other"
		})},
		{"a service that was added", basic().with(func(b *build) {
			b.services["web"], b.services["worker"] = "acme/web:2", "acme/worker:1"
		})},
		{"a service that was dropped", basic().with(func(b *build) {
			b.services["web"] = "acme/web:2"
			delete(b.services, "api")
		})},
		{"a network that was replaced", basic().with(func(b *build) {
			b.services["web"], b.internal = "acme/web:2", true
		})},
		{"one of two revisions may be kept", basic().with(func(b *build) {
			b.services["web"], b.config, b.limit = "acme/web:2", "listen 8080", 1
		})},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := memory.New()
			instance := mustApply(t, b, basic().release(), "").Instance
			b.Behave = failOn("acme/web:2")
			result, err := applyOrRollBack(t.Context(), t, b, c.next.release(), instance)
			if reconcile.ReasonOf(err) != reconcile.ReasonNotConverged {
				t.Fatalf("the original error is lost: %v", err)
			}
			for _, want := range []string{"shop_web", "exit    3", "rolled back to revision 1, which runs again"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not say %q:\n%v", want, err)
				}
			}
			if result.Status != reconcile.RolledBack {
				t.Errorf("status %s, want rolled_back", result.Status)
			}
			wantLive(t, b, basic().release(), instance)

			next := c.next.release()
			next.Instance = instance
			if p, err := newCore(b).Plan(t.Context(), next, reconcile.PlanOptions{}); err != nil || p.Empty() {
				t.Errorf("the plan after a roll-back is empty (err %v)", err)
			}
			b.Behave = nil
			mustApply(t, b, next, instance)
			wantSettled(t, b, next, instance)
		})
	}
}

// wantLive fails unless what runs is what a release declares, object by object.
func wantLive(t *testing.T, b *memory.Backend, r reconcile.Release, instance string) {
	t.Helper()
	want, err := reconcile.Declare(&r, nil)
	if err != nil {
		t.Fatal(err)
	}
	view, err := newCore(b).Inspect(t.Context(), stack, instance)
	if err != nil {
		t.Fatal(err)
	}
	for ref, text := range want {
		if view.Display[ref] != text {
			t.Errorf("%s runs as %s\nwant %s", ref, view.Display[ref], text)
		}
	}
	for ref := range view.Display {
		if _, ok := want[ref]; !ok {
			t.Errorf("%s is still there", ref)
		}
	}
}

func TestFailedFirstInstallIsKept(t *testing.T) {
	b := memory.New()
	b.Behave = failOn("acme/web:1")
	result, err := applyOrRollBack(t.Context(), t, b, basic().release(), "")
	if reconcile.ReasonOf(err) != reconcile.ReasonNotConverged || result.Status != reconcile.Failed {
		t.Fatalf("got %+v, %v; want a failed revision", result, err)
	}
	if len(b.Names(object.KindService)) != 2 {
		t.Errorf("services %v, want both kept for inspection", b.Names(object.KindService))
	}
}

func TestRollBackLeavesJobsAloneAndNamesThem(t *testing.T) {
	b := memory.New()
	with := basic().with(func(b *build) { b.services["job"], b.job = "acme/job:1", "job" })
	instance := mustApply(t, b, with.release(), "").Instance
	b.Behave = failOn("acme/web:2")
	next := with.with(func(b *build) { b.services["web"], b.services["job"] = "acme/web:2", "acme/job:2" })
	before := b.Templates("shop_job")
	_, err := applyOrRollBack(t.Context(), t, b, next.release(), instance)
	if err == nil || !strings.Contains(err.Error(), "shop_job") {
		t.Errorf("the error does not name the job: %v", err)
	}
	if got := b.Templates("shop_job"); got != before+1 {
		t.Errorf("the job ran %d times, want once for the change", got-before)
	}
}

func TestFailedRollBackTellsBoth(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, basic().release(), "").Instance
	b.Behave = func(service string, _ *swarm.ServiceSpec) memory.Outcome {
		if service == "shop_web" {
			return memory.Outcome{ExitCode: new(3)} // the old version no longer runs either
		}
		return memory.Outcome{}
	}
	next := basic().with(func(b *build) { b.services["web"] = "acme/web:2" })
	result, err := applyOrRollBack(t.Context(), t, b, next.release(), instance)
	if err == nil || !strings.Contains(err.Error(), "failed as well") || result.Status != reconcile.Failed {
		t.Errorf("got %+v, %v; want both failures told", result, err)
	}
}

func TestInterruptRollsNothingBack(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, basic().release(), "").Instance
	ctx, cancel := context.WithCancel(t.Context())
	next := basic().with(func(b *build) { b.services["web"] = "acme/web:2" })
	b.Behave = func(string, *swarm.ServiceSpec) memory.Outcome { cancel(); return memory.Outcome{Polls: 1 << 30} }
	result, err := applyOrRollBack(ctx, t, b, next.release(), instance)
	if reconcile.ReasonOf(err) != reconcile.ReasonInterrupted || result.Status != reconcile.Applying {
		t.Fatalf("got %+v, %v; want an interrupted revision that is still applying", result, err)
	}
	b.Behave = nil
	wantLive(t, b, next.release(), instance)
}

// What no longer is needed may not go for many reasons, none of which makes what runs
// any worse.
func TestFailedPruningTakesNothingBack(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, basic().with(func(b *build) { b.limit = 1 }).release(), "").Instance
	next := basic().with(func(b *build) { b.limit = 1; b.services["web"] = "acme/web:2" }).release()
	next.Instance = instance
	core := newCore(b)
	p, err := core.Plan(t.Context(), next, reconcile.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.Fault = func(c memory.Call) memory.Fault {
		if c.Step != nil && c.Step.Verb == reconcile.Delete && c.Step.Object.Kind == object.KindRecord {
			return memory.Fail
		}
		return memory.None
	}
	result, err := core.Apply(t.Context(), p, reconcile.ApplyOptions{RollBack: true})
	if err == nil || !strings.Contains(err.Error(), "Everything that is declared runs, and stays") {
		t.Errorf("error %v, want one that says that the release runs", err)
	}
	if result.Status != reconcile.Failed {
		t.Errorf("status %s, want failed: the next apply goes on with the pruning", result.Status)
	}
	view, viewErr := core.Inspect(t.Context(), stack, instance)
	if viewErr != nil || view.Images["web"] != "acme/web:2" {
		t.Errorf("web runs %q (%v), want what was applied", view.Images["web"], viewErr)
	}
	b.Fault = nil
	mustApply(t, b, next, instance)
	wantSettled(t, b, next, instance)
}
