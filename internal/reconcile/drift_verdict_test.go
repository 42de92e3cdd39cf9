package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// namedRelease is a release with one service and one network.
func namedRelease(name, owner string) reconcile.Release {
	r := basic().with(func(b *build) {
		delete(b.services, "api")
		b.config, b.secret = "", ""
	}).release()
	r.Owner = reconcile.Owner{Release: name, Kind: "application", Owner: owner}
	for i, o := range r.Objects {
		o.Name = strings.Replace(o.Name, stack+"_", name+"_", 1)
		switch spec := o.Spec.(type) {
		case *swarm.ServiceSpec:
			spec.Name, spec.TaskTemplate.Networks[0].Target = o.Name, name+"_default"
		case *object.NetworkSpec:
			spec.Name = o.Name
		}
		r.Objects[i] = o
	}
	return r
}

func names(report *reconcile.DriftReport) []string {
	out := []string{}
	for _, r := range report.Releases {
		out = append(out, r.Name)
	}
	return out
}

func TestDriftLooksAtTheReleasesOfAnOwner(t *testing.T) {
	b := memory.New()
	for name, owner := range map[string]string{"alpha": "terraform", "beta": "terraform", "gamma": "others"} {
		mustApply(t, b, namedRelease(name, owner), "")
	}
	foreign(t, b, basic().release()) // a stack of nobody's
	s := sabotage{t, b}
	s.remove(object.KindRecord, "keel.beta.v1") // labels without a record are a release as well
	mustApply(t, b, namedRelease("delta", "terraform"), "")
	s.remove(object.KindRecord, "keel.delta.v1") // and a lease alone is none
	s.remove(object.KindService, "delta_web")
	s.remove(object.KindNetwork, "delta_default")
	s.find(object.KindLease, "keel-lease.delta")

	for rule, c := range map[string]struct {
		owner string
		names []string
		want  []string
	}{
		"all of one owner":                             {"terraform", nil, []string{"alpha", "beta"}},
		"all of another":                               {"others", nil, []string{"gamma"}},
		"an owner without a release":                   {"nobody", nil, []string{}},
		"named ones alone, each once":                  {"terraform", []string{"beta", "beta"}, []string{"beta"}},
		"a named one is read whoever owns it":          {"terraform", []string{"gamma", "alpha"}, []string{"alpha", "gamma"}},
		"a named one that nobody has ever heard of":    {"terraform", []string{"omega"}, []string{"omega"}},
		"a named stack that no provider has deployed":  {"terraform", []string{stack}, []string{stack}},
		"the lease of a release is no release by name": {"terraform", []string{"keel-lease.alpha"}, []string{"keel-lease.alpha"}},
	} {
		t.Run(rule, func(t *testing.T) {
			report, err := newCore(b).Drift(t.Context(), c.owner, c.names)
			if err != nil {
				t.Fatal(err)
			}
			if got := names(report); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
			if report.SwarmID != "memory" || report.Checked.IsZero() {
				t.Errorf("swarm %q, checked at %v", report.SwarmID, report.Checked)
			}
		})
	}
	wantVerdict(t, only(t, drift(t, b, "omega")), reconcile.False, reconcile.BecauseNotFound)
	wantVerdict(t, only(t, drift(t, b, "beta")), reconcile.Unknown, reconcile.BecauseNoRecord)
	wantVerdict(t, only(t, drift(t, b, "gamma")), reconcile.True, reconcile.BecauseInSync)
	theirs := only(t, drift(t, b, stack))
	wantVerdict(t, theirs, reconcile.Unknown, reconcile.BecauseNoRecord)
	if theirs.Kind != "" || theirs.Revision != 0 {
		t.Errorf("a stack of nobody's is called a %s of revision %d", theirs.Kind, theirs.Revision)
	}
}

// The newest record outweighs the labels that objects have from a former owner.
func TestDriftGoesByTheNewestRecordOfAReleaseThatWasHandedOver(t *testing.T) {
	b := memory.New()
	mustApply(t, b, namedRelease("alpha", "others"), "")
	if _, err := apply(t.Context(), b, namedRelease("alpha", "terraform"), "", reconcile.PlanOptions{Adopt: true}); err != nil {
		t.Fatal(err)
	}
	if got := names(drift(t, b)); !slices.Equal(got, []string{"alpha"}) {
		t.Errorf("the new owner has %v", got)
	}
	report, err := newCore(b).Drift(t.Context(), "others", nil)
	if err != nil || len(report.Releases) != 0 {
		t.Errorf("the former owner still has %v (%v)", names(report), err)
	}
}

func TestARevisionThatIsNotDeployedIsNotInSync(t *testing.T) {
	next := basic().with(func(b *build) { b.services["web"] = "acme/web:2" }).release()
	fails := func(rollBack bool) func(*testing.T, *memory.Backend, string) {
		return func(t *testing.T, b *memory.Backend, instance string) {
			b.Behave = failOn("acme/web:2")
			run := func() (*reconcile.Result, error) {
				return apply(t.Context(), b, next, instance, reconcile.PlanOptions{})
			}
			if rollBack {
				run = func() (*reconcile.Result, error) { return applyOrRollBack(t.Context(), t, b, next, instance) }
			}
			if _, err := run(); err == nil {
				t.Fatal("the update was to fail")
			}
		}
	}
	for rule, c := range map[string]struct {
		apply     func(*testing.T, *memory.Backend, string)
		reason    reconcile.ConditionReason
		converged reconcile.ConditionReason
		want      []string
	}{
		"an apply that failed and was kept": {fails(false), reconcile.BecauseFailed, reconcile.BecauseTasksFailing, nil},
		"an apply that was rolled back": {fails(true), reconcile.BecauseRolledBack, reconcile.BecauseConverged,
			[]string{"service/web image: acme/web:2, not acme/web:1"}},
		"an apply that was interrupted": {func(t *testing.T, b *memory.Backend, instance string) {
			ctx, cancel := context.WithCancel(t.Context())
			b.Behave = func(string, *swarm.ServiceSpec) memory.Outcome { cancel(); return memory.Outcome{} }
			if _, err := apply(ctx, b, next, instance, reconcile.PlanOptions{}); err == nil {
				t.Fatal("the update was to be interrupted")
			}
		}, reconcile.BecauseApplying, reconcile.BecauseConverged, nil},
	} {
		t.Run(rule, func(t *testing.T) {
			b := memory.New()
			c.apply(t, b, mustApply(t, b, basic().release(), "").Instance)
			d := only(t, drift(t, b))
			wantVerdict(t, d, reconcile.False, c.reason)
			if d.Conditions[0].Reason != c.reason || d.Conditions[1].Reason != c.converged {
				t.Errorf("deployed: %s, converged: %s; want %s and %s", d.Conditions[0].Reason, d.Conditions[1].Reason, c.reason, c.converged)
			}
			if got := lines(d); !slices.Equal(got, c.want) {
				t.Errorf("differences %v, want %v", got, c.want)
			}
			if d.Revision != 2 {
				t.Errorf("revision %d, want the newest, 2", d.Revision)
			}
		})
	}
}

// Whether tasks run is another question than whether what is declared is there.
func TestTasksThatFailAreNoDrift(t *testing.T) {
	b := memory.New()
	deployed(t, b)
	b.Behave = func(string, *swarm.ServiceSpec) memory.Outcome {
		return memory.Outcome{Rejected: "cannot log in with hunter2-hunter2"}
	}
	d := only(t, drift(t, b))
	wantVerdict(t, d, reconcile.True, reconcile.BecauseInSync)
	if c := d.Conditions[1]; c.Status != reconcile.False || c.Reason != reconcile.BecauseTasksFailing || !strings.Contains(c.Message, "cannot log in with (sensitive)") {
		t.Errorf("converged is %s because %s: %s", c.Status, c.Reason, c.Message)
	}
	sabotage{t, b}.remove(object.KindService, "shop_web")
	b.Behave = nil
	if c := only(t, drift(t, b)).Conditions[1]; c.Status != reconcile.False || c.Reason != reconcile.BecauseNotFound {
		t.Errorf("with a service removed, converged is %s because %s: %s", c.Status, c.Reason, c.Message)
	}
}

// What is wrong with one release is said of it, and of no other.
func TestOneReleaseStopsNoOther(t *testing.T) {
	for rule, c := range map[string]struct {
		tamper func(*reconcile.State)
		reason reconcile.ConditionReason
		status reconcile.ConditionStatus
		said   string
	}{
		"a record that is no record": {func(s *reconcile.State) {
			live(s, "keel.beta.v1").Spec = &swarm.ConfigSpec{Data: []byte("scribble")}
		}, reconcile.BecauseUnreadable, reconcile.Unknown, "docker config rm keel.beta.v1"},
		"a panic": {func(s *reconcile.State) {
			live(s, "beta_web").Spec = "no spec"
		}, reconcile.BecauseInternal, reconcile.Unknown, "bug of the provider"},
		"an object without a canonical form": {func(s *reconcile.State) {
			live(s, "beta_web").Spec = &swarm.ServiceSpec{Mode: swarm.ServiceMode{Replicated: &swarm.ReplicatedService{}, Global: &swarm.GlobalService{}}}
		}, reconcile.BecauseNotComparable, reconcile.Unknown, "service/web cannot be compared"},
	} {
		t.Run(rule, func(t *testing.T) {
			b := &tampered{Backend: memory.New(), tamper: c.tamper}
			for _, name := range []string{"alpha", "beta", "gamma"} {
				mustApply(t, b.Backend, namedRelease(name, "terraform"), "")
			}
			report := drift(t, b)
			if got := names(report); !slices.Equal(got, []string{"alpha", "beta", "gamma"}) {
				t.Fatalf("reported are %v", got)
			}
			wantVerdict(t, report.Releases[0], reconcile.True, reconcile.BecauseInSync)
			wantVerdict(t, report.Releases[1], c.status, c.reason)
			wantVerdict(t, report.Releases[2], reconcile.True, reconcile.BecauseInSync)
			if said := report.Releases[1].Conditions[2].Message; !strings.Contains(said, c.said) {
				t.Errorf("the message does not say %q: %s", c.said, said)
			}
			if d := report.Releases[1]; d.Kind != "application" || d.Revision != 1 {
				t.Errorf("it is called a %q of revision %d", d.Kind, d.Revision)
			}
			if report.InSync() {
				t.Error("all of it is said to be in sync")
			}
		})
	}
}

// tampered is a backend of which the core is told something else than there is.
type tampered struct {
	*memory.Backend
	tamper func(*reconcile.State)
}

func (b *tampered) Observe(ctx context.Context, scope reconcile.Scope) (*reconcile.State, error) {
	state, err := b.Backend.Observe(ctx, scope)
	if err == nil {
		b.tamper(state)
	}
	return state, err
}

func live(s *reconcile.State, name string) *reconcile.Live {
	return &s.Live[slices.IndexFunc(s.Live, func(l reconcile.Live) bool { return l.Name == name })]
}

func TestDriftOfASwarmThatCannotBeReadIsAnError(t *testing.T) {
	for _, method := range []string{"Observe", "Progress"} {
		b := memory.New()
		mustApply(t, b, namedRelease("alpha", "terraform"), "")
		b.Fault = func(c memory.Call) memory.Fault {
			if c.Method == method {
				return memory.Fail
			}
			return memory.None
		}
		report, err := newCore(b).Drift(t.Context(), "terraform", nil)
		if reconcile.ReasonOf(err) != reconcile.ReasonUnreachable || !errors.Is(err, memory.ErrInjected) {
			t.Errorf("%s without an answer: %+v, %v", method, report, err)
		}
	}
}

// Thirty releases cost what one does: one observation and one read of the task list.
func TestDriftCallsDoNotGrow(t *testing.T) {
	b := memory.New()
	for i := range 30 {
		mustApply(t, b, namedRelease(fmt.Sprintf("r%02d", i), "terraform"), "")
	}
	sabotage{t, b}.remove(object.KindService, "r07_web")
	b.Behave = func(service string, _ *swarm.ServiceSpec) memory.Outcome {
		if service == "r09_web" {
			return memory.Outcome{Rejected: "no"}
		}
		return memory.Outcome{}
	}
	b.ResetCalls()
	report := drift(t, b)
	var methods []string
	for _, c := range b.Calls() {
		methods = append(methods, c.Method)
	}
	if !slices.Equal(methods, []string{"Observe", "Progress"}) {
		t.Errorf("calls %v", methods)
	}
	if len(report.Releases) != 30 || report.Releases[7].InSync || !report.Releases[8].InSync || report.Releases[9].Conditions[1].Status != reconcile.False {
		t.Errorf("%d releases: %+v", len(report.Releases), report.Releases[7:10])
	}
}
