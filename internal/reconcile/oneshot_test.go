package reconcile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// oneShot is a job about the service api.
func oneShot(key string, secrets []*swarm.SecretReference) object.OneShot {
	one := uint64(1)
	spec := &swarm.ServiceSpec{
		Annotations: swarm.Annotations{Name: stack + "_" + key},
		Mode:        swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{MaxConcurrent: &one, TotalCompletions: &one}},
		TaskTemplate: swarm.TaskSpec{
			ContainerSpec: &swarm.ContainerSpec{Image: "acme/api:1", Secrets: secrets},
			RestartPolicy: &swarm.RestartPolicy{Condition: swarm.RestartPolicyConditionNone},
		},
	}
	return object.OneShot{
		Service: object.Object{Kind: object.KindService, Key: key, Name: stack + "_" + key, Spec: spec},
		For:     "api", Op: "try " + key, Failure: "The attempt to " + key + " failed",
		Exits: map[int]string{10: "There is data in the volume."},
	}
}

func server() build { return basic().with(func(b *build) { b.made, b.jobs = "one", true }) }

// failing makes one service's tasks end with an exit code.
func failing(name string, code int) func(string, *swarm.ServiceSpec) memory.Outcome {
	return func(service string, _ *swarm.ServiceSpec) memory.Outcome {
		if service == stack+"_"+name {
			return memory.Outcome{ExitCode: &code, Log: []string{"said on the way out"}}
		}
		return memory.Outcome{}
	}
}

func TestJobsRunInTheirPlace(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, server().release(), "").Instance
	order := writes(b)
	at := func(what string) int {
		i := slices.Index(order, what)
		if i < 0 {
			t.Fatalf("no write %q in %v", what, order)
		}
		return i
	}
	for _, pair := range [][2]string{
		{"create record keel.shop.v1", "create service shop_look"},
		{"delete service shop_look", "create network shop_default"},
		{"create service shop_api", "create service shop_ready"},
		{"create service shop_ready", "delete service shop_ready"},
	} {
		if at(pair[0]) > at(pair[1]) {
			t.Errorf("%q comes after %q: %v", pair[0], pair[1], order)
		}
	}
	wantSettled(t, b, server().release(), instance)

	b.ResetCalls()
	mustApply(t, b, server().with(func(b *build) { b.services["web"] = "acme/web:2" }).release(), instance)
	order = writes(b)
	at("create service shop_ready")
	if slices.Contains(order, "create service shop_look") {
		t.Errorf("a release that was deployed is looked at as if it were new: %v", order)
	}
}

func TestNothingToDoRunsNoJob(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, server().release(), "").Instance
	b.ResetCalls()
	mustApply(t, b, server().release(), instance)
	if w := writes(b); len(w) > 0 {
		t.Errorf("writes: %v", w)
	}
}

// What a job would have found is not said when no container ever ran.
func TestJobThatDidNotRunFoundNothing(t *testing.T) {
	for name, outcome := range map[string]memory.Outcome{
		"its image is not there": {Rejected: "No such image: acme/api:1"},
		"it got no node":         {Pending: "no suitable node"},
	} {
		t.Run(name, func(t *testing.T) {
			b := memory.New()
			b.Behave = func(service string, _ *swarm.ServiceSpec) memory.Outcome {
				if service == stack+"_look" {
					return outcome
				}
				return memory.Outcome{}
			}
			_, err := apply(t.Context(), b, server().release(), "", reconcile.PlanOptions{})
			if err == nil {
				t.Fatal("a look that did not run is taken for one that found nothing")
			}
			wantSays(t, err.Error(), []string{"job to try look did not run", outcome.Rejected + outcome.Pending})
			if strings.Contains(err.Error(), "The attempt to look failed") {
				t.Errorf("it says what only the job could know:\n%v", err)
			}
		})
	}
}

func TestRefusedLookLeavesNothing(t *testing.T) {
	b := memory.New()
	b.Behave = failing("look", 10)
	started := ""
	core := newCore(b)
	p, err := core.Plan(t.Context(), server().release(), reconcile.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := core.Apply(t.Context(), p, reconcile.ApplyOptions{Started: func(instance string) { started = instance }})
	if reconcile.ReasonOf(err) != reconcile.ReasonNotConverged || result != nil || started != "" {
		t.Fatalf("result %+v, started %q, err %v: want a refusal before anything started", result, started, err)
	}
	for _, want := range []string{"The attempt to look failed", "There is data in the volume.", "said on the way out"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
	for _, kind := range []object.Kind{object.KindService, object.KindNetwork, object.KindSecret, object.KindConfig, object.KindRecord, object.KindLease} {
		if left := b.Names(kind); len(left) > 0 {
			t.Errorf("left behind: %s %v", kind, left)
		}
	}
	b.Behave = nil
	mustApply(t, b, server().release(), "")
}

func TestLookWithoutANodeIsRefused(t *testing.T) {
	b := memory.New()
	r := server().release()
	spec := r.Before[0].Service.Spec.(*swarm.ServiceSpec)
	zero := uint64(0)
	spec.Mode.ReplicatedJob.TotalCompletions = &zero // what a global job without an eligible node looks like
	if _, err := apply(t.Context(), b, r, "", reconcile.PlanOptions{}); err == nil || !strings.Contains(err.Error(), "no node takes it") {
		t.Errorf("error %v, want one that says that no node takes the job", err)
	}
}

func TestFailedProofFailsTheApplyAndTakesItBack(t *testing.T) {
	b := memory.New()
	core := newCore(b)
	instance := mustApply(t, b, server().release(), "").Instance
	next := server().with(func(b *build) { b.services["api"] = "acme/api:2" }).release()
	next.Instance = instance
	b.Behave = failing("ready", 1)
	p, err := core.Plan(t.Context(), next, reconcile.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := core.Apply(t.Context(), p, reconcile.ApplyOptions{RollBack: true})
	if err == nil || result.Status != reconcile.RolledBack || !strings.Contains(err.Error(), "The attempt to ready failed") {
		t.Fatalf("status %v, err %v: want rolled back because of the proof", result, err)
	}
	if left := b.Names(object.KindService); slices.Contains(left, "shop_ready") {
		t.Errorf("the job was left behind: %v", left)
	}
	b.Behave = nil
	mustApply(t, b, next, instance)
	wantSettled(t, b, next, instance)
}

func TestLeftOverJobIsRemovedByTheNextApply(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, server().release(), "").Instance
	b.Fault = func(c memory.Call) memory.Fault {
		if c.Step != nil && c.Step.Verb == reconcile.Delete && c.Step.Object.Key == "ready" {
			return memory.Fail
		}
		return memory.None
	}
	next := server().with(func(b *build) { b.services["web"] = "acme/web:2" }).release()
	if _, err := apply(t.Context(), b, next, instance, reconcile.PlanOptions{}); err == nil {
		t.Fatal("the apply hides that it left a job behind")
	}
	b.Fault = nil
	mustApply(t, b, next, instance)
	wantSettled(t, b, next, instance)
}

// The record is all that says whose the job is.
func TestLookThatCannotBeRemovedLeavesTheRecordWithIt(t *testing.T) {
	b := memory.New()
	b.Fault = func(c memory.Call) memory.Fault {
		if c.Step != nil && c.Step.Verb == reconcile.Delete && c.Step.Object.Key == "look" {
			return memory.Fail
		}
		return memory.None
	}
	if _, err := apply(t.Context(), b, server().release(), "", reconcile.PlanOptions{}); err == nil {
		t.Fatal("the create hides that it left a job behind")
	}
	b.Fault = nil
	instance := mustApply(t, b, server().release(), "").Instance
	wantSettled(t, b, server().release(), instance)
}

// The engine now and then fails to start a container, which has nothing to do with
// what the job is to find out.
func TestJobWhoseContainerDidNotStartIsTriedAgain(t *testing.T) {
	for code, want := range map[int]int{128: 2, 1: 1} {
		b := memory.New()
		tries := 0
		b.Fault = func(c memory.Call) memory.Fault {
			if c.Step != nil && c.Step.Verb == reconcile.Create && c.Step.Object.Key == "ready" {
				tries++
			}
			return memory.None
		}
		b.Behave = func(service string, _ *swarm.ServiceSpec) memory.Outcome {
			if service == stack+"_ready" && tries < 2 {
				return memory.Outcome{ExitCode: &code}
			}
			return memory.Outcome{}
		}
		_, err := apply(t.Context(), b, server().release(), "", reconcile.PlanOptions{})
		if (err == nil) != (code == 128) {
			t.Errorf("exit code %d: error %v", code, err)
		}
		if tries != want {
			t.Errorf("exit code %d: the job ran %d times, want %d", code, tries, want)
		}
	}
}
