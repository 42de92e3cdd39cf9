package reconcile_test

import (
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

func writes(b *memory.Backend) []string {
	var out []string
	for _, c := range b.Calls() {
		if c.Step != nil {
			out = append(out, string(c.Step.Verb)+" "+string(c.Step.Object.Kind)+" "+c.Step.Object.Name)
		}
	}
	return out
}

func TestApplyWithNothingToDoWritesNothing(t *testing.T) {
	b := memory.New()
	first := mustApply(t, b, basic().release(), "")
	b.ResetCalls()
	again := mustApply(t, b, basic().release(), first.Instance)
	if w := writes(b); len(w) > 0 {
		t.Errorf("writes: %v", w)
	}
	if again.Revision != first.Revision || again.Status != reconcile.Deployed {
		t.Errorf("revision %d %s, want %d deployed", again.Revision, again.Status, first.Revision)
	}
}

func TestChangeOfOneServiceWritesOneService(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, basic().release(), "").Instance
	b.ResetCalls()
	mustApply(t, b, basic().with(func(b *build) { b.services["web"] = "acme/web:2" }).release(), instance)
	var services []string
	for _, w := range writes(b) {
		if strings.Contains(w, " service ") {
			services = append(services, w)
		}
	}
	if len(services) != 1 || services[0] != "update service shop_web" {
		t.Errorf("service writes: %v", services)
	}
}

func TestWhatIsLeftOfAFailureIsFinishedByTheNextApply(t *testing.T) {
	outcomes := map[string]struct {
		outcome memory.Outcome
		says    []string
	}{
		"image that does not exist": {memory.Outcome{Rejected: "No such image: acme/web:2"}, []string{"rejected twice", "No such image", "credentials"}},
		"container that exits":      {memory.Outcome{ExitCode: new(3), Log: []string{"cannot open db"}}, []string{"failed 3 times", "exit    3", "cannot open db"}},
		"container that is killed":  {memory.Outcome{ExitCode: new(137)}, []string{"failed 3 times", "exit    137", "its node had no memory left"}},
		"update that Swarm paused":  {memory.Outcome{Polls: 1 << 30, Update: reconcile.UpdateStatus{State: "paused", Message: "update paused due to failure"}}, []string{"paused"}},
		"roll-back by Swarm itself": {memory.Outcome{Update: reconcile.UpdateStatus{State: "rollback_completed", Message: "rollback completed"}}, []string{"rolled it back"}},
	}
	for name, c := range outcomes {
		t.Run(name, func(t *testing.T) {
			b := memory.New()
			instance := mustApply(t, b, basic().release(), "").Instance
			next := basic().with(func(b *build) { b.services["web"] = "acme/web:2" }).release()
			b.Behave = func(service string, _ *swarm.ServiceSpec) memory.Outcome {
				if service == "shop_web" {
					return c.outcome
				}
				return memory.Outcome{}
			}
			result, err := apply(t.Context(), b, next, instance, reconcile.PlanOptions{})
			if reconcile.ReasonOf(err) != reconcile.ReasonNotConverged {
				t.Fatalf("reason %s, want NotConverged: %v", reconcile.ReasonOf(err), err)
			}
			for _, want := range append(c.says, "shop_web") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error does not say %q:\n%v", want, err)
				}
			}
			if result.Status != reconcile.Failed || result.Revision != 2 {
				t.Errorf("result %+v, want revision 2 failed", result)
			}
			next.Instance = instance
			if p, err := newCore(b).Plan(t.Context(), next, reconcile.PlanOptions{}); err != nil || p.Empty() {
				t.Errorf("the plan after a failure is empty (err %v)", err)
			}
			b.Behave = nil
			if again := mustApply(t, b, next, instance); again.Status != reconcile.Deployed || again.Revision != 2 {
				t.Errorf("the next apply gives %+v, want revision 2 deployed", again)
			}
			wantSettled(t, b, next, instance)
		})
	}
}

// A service that crashes because another one is still coming up must not fail
// the apply.
func TestCrashesWhileOthersComeUpAreExcused(t *testing.T) {
	b := memory.New()
	polls := 0
	b.Behave = func(service string, _ *swarm.ServiceSpec) memory.Outcome {
		if service == "shop_api" {
			return memory.Outcome{Polls: 20}
		}
		if polls++; polls <= 15 {
			return memory.Outcome{ExitCode: new(1)}
		}
		return memory.Outcome{}
	}
	mustApply(t, b, basic().release(), "")
}

func TestDependenciesOrderTheRollout(t *testing.T) {
	b := memory.New()
	r := basic().with(func(b *build) {
		b.depends = map[string][]object.Dependency{"api": {{Key: "web", Condition: object.Healthy}}}
	}).release()
	b.Behave = func(string, *swarm.ServiceSpec) memory.Outcome { return memory.Outcome{Polls: 3} }
	mustApply(t, b, r, "")
	var order []string
	polls := 0
	for _, c := range b.Calls() {
		if c.Method == "Progress" {
			polls++
		}
		if c.Step != nil && c.Step.Object.Kind == object.KindService {
			order = append(order, c.Step.Object.Key)
			if c.Step.Object.Key == "api" && polls < 3 {
				t.Errorf("api was written after %d polls, before web ran", polls)
			}
		}
	}
	if strings.Join(order, " ") != "web api" {
		t.Errorf("order of writes %v, want web before api", order)
	}
}

func TestJobRunsOncePerChange(t *testing.T) {
	b := memory.New()
	with := basic().with(func(b *build) { b.services["job"], b.job = "acme/job:1", "job" })
	instance := mustApply(t, b, with.release(), "").Instance
	b.ResetCalls()
	mustApply(t, b, with.with(func(b *build) { b.services["web"] = "acme/web:2" }).release(), instance)
	for _, w := range writes(b) {
		if strings.HasSuffix(w, "service shop_job") {
			t.Errorf("the job was written again: %s", w)
		}
	}
}

func TestHistoryIsTrimmedAndKeepsWhatItRefersTo(t *testing.T) {
	b := memory.New()
	at := func(text string, limit int) reconcile.Release {
		return basic().with(func(b *build) { b.config, b.limit = text, limit }).release()
	}
	instance := mustApply(t, b, at("one", 2), "").Instance
	for _, text := range []string{"two", "three", "four"} {
		mustApply(t, b, at(text, 2), instance)
	}
	history, err := newCore(b).History(t.Context(), stack)
	if err != nil {
		t.Fatal(err)
	}
	if len(history) != 2 || history[0].Number != 4 || history[1].Number != 3 {
		t.Fatalf("history %+v, want revisions 4 and 3", history)
	}
	if got := len(b.Names(object.KindConfig)); got != 2 {
		t.Errorf("%d configs, want the two that kept revisions refer to", got)
	}
	mustApply(t, b, at("four", 1), instance)
	if got := len(b.Names(object.KindConfig)); got != 1 {
		t.Errorf("%d configs after the limit was lowered, want 1", got)
	}
	wantSettled(t, b, at("four", 1), instance)
}

func TestRetainedObjectsAreLeftOutUntilPruned(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, basic().release(), "").Instance
	less := basic().with(func(b *build) { delete(b.services, "api") }).release()
	if _, err := apply(t.Context(), b, less, instance, reconcile.PlanOptions{NoPrune: true}); err != nil {
		t.Fatal(err)
	}
	view, err := newCore(b).Inspect(t.Context(), stack, instance)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := view.Display["service/api"]; ok {
		t.Error("a retained service is shown")
	}
	if len(b.Names(object.KindService)) != 2 {
		t.Error("prune = false removed a service")
	}
	mustApply(t, b, less, instance)
	wantSettled(t, b, less, instance)
}

func TestReplacementOfANetworkLeavesNothingHalfAttached(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, basic().release(), "").Instance
	next := basic().with(func(b *build) { b.internal = true }).release()
	next.Instance = instance
	p, err := newCore(b).Plan(t.Context(), next, reconcile.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Disruptions) != 2 || !strings.Contains(p.Disruptions[0], "shop_api") {
		t.Errorf("disruptions %q, want one for each service", p.Disruptions)
	}
	mustApply(t, b, next, instance)
	wantSettled(t, b, next, instance)
}

func TestNetworkOfOthersIsNeitherReplacedNorRemoved(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, basic().release(), "").Instance
	guest := object.Object{Kind: object.KindService, Key: "guest", Name: "guest", Spec: &swarm.ServiceSpec{
		Annotations:  swarm.Annotations{Name: "guest"},
		TaskTemplate: swarm.TaskSpec{Networks: []swarm.NetworkAttachmentConfig{{Target: "shop_default"}}},
	}}
	if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Create, Object: guest}); err != nil {
		t.Fatal(err)
	}
	next := basic().with(func(b *build) { b.internal = true }).release()
	b.ResetCalls()
	_, err := apply(t.Context(), b, next, instance, reconcile.PlanOptions{})
	if reconcile.ReasonOf(err) != reconcile.ReasonInUse || !strings.Contains(err.Error(), "guest") {
		t.Errorf("replacing: %v, want InUse naming guest", err)
	}
	_, err = newCore(b).Uninstall(t.Context(), reconcile.Owner{Release: stack, Kind: "application", Owner: "terraform", Instance: instance}, reconcile.UninstallOptions{})
	if reconcile.ReasonOf(err) != reconcile.ReasonInUse || !strings.Contains(err.Error(), "guest") {
		t.Errorf("uninstalling: %v, want InUse naming guest", err)
	}
	if w := writes(b); len(w) > 0 {
		t.Errorf("written all the same: %v", w)
	}
}

// While a failed update leaves the old version running, what was sensitive in
// the old version stays hidden, although the new one no longer has it.
func TestSensitiveLeavesOfARevisionThatStillRunsStayHidden(t *testing.T) {
	env := func(r reconcile.Release, vars ...string) reconcile.Release {
		for i, o := range r.Objects {
			if o.Kind == object.KindService && o.Key == "web" {
				o.Spec.(*swarm.ServiceSpec).TaskTemplate.ContainerSpec.Env = vars
				o.Sensitive = nil
				for _, v := range vars {
					name, _, _ := strings.Cut(v, "=")
					o.Sensitive = append(o.Sensitive, object.Path{"env", name})
				}
				r.Objects[i] = o
			}
		}
		return r
	}
	b := memory.New()
	instance := mustApply(t, b, env(basic().release(), "TOKEN=hunter2hunter2"), "").Instance
	next := env(basic().with(func(b *build) { b.services["api"] = "acme/api:2" }).release())
	b.Fault = func(c memory.Call) memory.Fault {
		if c.Step != nil && c.Step.Object.Name == "shop_web" {
			return memory.Fail
		}
		return memory.None
	}
	if _, err := apply(t.Context(), b, next, instance, reconcile.PlanOptions{}); err == nil {
		t.Fatal("the fault did not fire")
	}
	b.Fault = nil
	view, err := newCore(b).Inspect(t.Context(), stack, instance)
	if err != nil {
		t.Fatal(err)
	}
	if shown := view.Display["service/web"]; !strings.Contains(shown, "(sensitive ") || strings.Contains(shown, "hunter2") {
		t.Errorf("shown: %s", shown)
	}
}
