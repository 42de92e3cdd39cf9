package faulttest

import (
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// faults are the ways in which a call fails. A read whose connection is lost is often repeated by the HTTP client itself,
// so those runs may end well where the others do not.
func faults() map[string]acctest.Fault {
	return map[string]acctest.Fault{
		"lost before the engine acted": {Kind: acctest.DropBefore},
		"answer lost":                  {Kind: acctest.DropAfter},
		"500":                          {Kind: acctest.Answer, Status: http.StatusInternalServerError, Message: "something went wrong"},
		"503":                          {Kind: acctest.Answer, Status: http.StatusServiceUnavailable, Message: "not available now"},
	}
}

// strike is a fault that hits one call.
type strike struct{ call atomic.Pointer[acctest.Call] }

// fired tells whether the call has come.
func (s *strike) fired() bool { return s.call.Load() != nil }

// onRead tells whether the call could change nothing.
func (s *strike) onRead() bool { return s.fired() && !s.call.Load().Writes() }

// breakCall lets the k-th call fail in one way, once.
func (r *rig) breakCall(k int, fault acctest.Fault) *strike {
	s := &strike{}
	r.proxy.Reset()
	r.updates.reset()
	r.proxy.SetOnRequest(func(c *acctest.Call) acctest.Fault {
		if c.N == k && s.call.CompareAndSwap(nil, c) {
			return fault
		}
		return acctest.Fault{}
	})
	return s
}

// mend ends the faults.
func (r *rig) mend() { r.proxy.SetOnRequest(nil) }

// judged fails the test when a run without a fault ended with an error, or one with a fault in a way that the core
// does not know.
func judged(t *testing.T, err error, fired bool) {
	t.Helper()
	var known *reconcile.Error
	switch {
	case err == nil:
	case !fired:
		t.Errorf("without a fault: %v", err)
	case !errors.As(err, &known):
		t.Errorf("the error is no *reconcile.Error: %v", err)
	case known.Reason == reconcile.ReasonConflict, known.Reason == reconcile.ReasonExists, known.Reason == reconcile.ReasonRefused:
		t.Errorf("the fault is taken for the work of somebody else: %v", err)
	default:
		t.Logf("it ended with: %v", err)
	}
}

// least is how many calls the shortest of the scenarios makes. Fewer mean that the faults never met anything.
const least = 15

// everyCall runs attempt with a fault at call 1, 2, ... until a run has fewer calls than that: then that fault never
// came, and this was the clean run. It fails the test when the runs are too short to have met anything.
func (r *rig) everyCall(t *testing.T, fault acctest.Fault, attempt func(t *testing.T, hit *strike)) {
	t.Helper()
	for k := 1; ; k++ {
		hit := r.breakCall(k, fault)
		t.Run(fmt.Sprintf("at call %d", k), func(t *testing.T) { attempt(t, hit) })
		r.mend()
		switch {
		case t.Failed():
			return // what would follow starts from a state that is not as it should be
		case !hit.fired() && k <= least:
			t.Errorf("a run has only %d calls", k-1)
			return
		case !hit.fired():
			return
		}
	}
}

// image is what all services of these tests run.
func image() string { return acctest.Image("1.0") }

// ledger has an object of every kind: web is what changes, steady is to be left alone.
type ledger struct {
	web, steady    int // replicas; none make writes cheap
	version        int
	config, secret string
	extra          bool // one more service
}

func (l ledger) String() string {
	const deploy = `
    stop_grace_period: 1s
    deploy:
      replicas: %d
      restart_policy: {delay: 100ms}
      update_config: {monitor: 1ms, delay: 0s}
`
	text := fmt.Sprintf("services:\n  web:\n    image: %s\n    environment: {VERSION: \"%d\"}\n    configs: [greeting]\n    secrets: [key]", image(), l.version) +
		fmt.Sprintf(deploy, l.web) + fmt.Sprintf("  steady:\n    image: %s", image()) + fmt.Sprintf(deploy, l.steady)
	if l.extra {
		text += fmt.Sprintf("  extra:\n    image: %s", image()) + fmt.Sprintf(deploy, 0)
	}
	return text + fmt.Sprintf("configs:\n  greeting: {content: %q}\nsecrets:\n  key: {} # %s\n", "greeting "+l.config, "xyzzy "+l.secret)
}

// objects are the patterns of what the swarm must hold of a ledger.
func (l ledger) objects() []string {
	out := []string{`config/NAME_greeting-HASH`, `network/NAME_default`, `secret/NAME_key-HASH`}
	if l.extra {
		out = append(out, `service/NAME_extra`)
	}
	return append(out, `service/NAME_steady`, `service/NAME_web`)
}

// TestAccFaultAtEveryCallOfACreate breaks every single call of a create, each of a new release. The same create again,
// which knows nothing of the first, must finish it and write no service a second time.
func TestAccFaultAtEveryCallOfACreate(t *testing.T) {
	t.Parallel()
	stack := ledger{}
	tests := map[string]func(*testing.T){}
	for name, fault := range faults() {
		tests[name] = func(t *testing.T) {
			r := newRig(t)
			r.everyCall(t, fault, func(t *testing.T, hit *strike) {
				r.name = r.RandomName(t)
				result, err := apply(t, r.core(t), release(t, r.name, "", stack.String()), reconcile.ApplyOptions{RollBack: true})
				judged(t, err, hit.fired())
				r.mend()
				// A provider that was killed saved no state: the instance is known only after success.
				instance := ""
				if err == nil {
					instance = result.Instance
				}
				instance = r.mustApply(t, instance, stack.String())
				r.settled(t, instance, stack.String())
				r.holds(t, stack.objects()...)
				for _, service := range []string{"_web", "_steady"} {
					if s := r.Service(t, r.name+service); s.PreviousSpec != nil {
						t.Errorf("%s was written a second time", s.Spec.Name)
					}
				}
			})
		}
	}
	acctest.SideBySide(t, tests)
}

// TestAccFaultAtEveryCallOfAnUpdate breaks every single call of updates, one after the other in one release. web may be
// written once a version, and not at all where it does not change: every further write may restart its tasks. Only
// where the release was rolled back it is written three times.
func TestAccFaultAtEveryCallOfAnUpdate(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*testing.T){}
	for scenario, tc := range map[string]struct {
		version func(n int) ledger
		writes  int
	}{
		"update of one service": {func(n int) ledger { return ledger{steady: 1, version: n} }, 1},
		"rotation of a config and a secret": {func(n int) ledger {
			return ledger{steady: 1, config: fmt.Sprint(n), secret: fmt.Sprint(n)}
		}, 1},
		"service dropped or added": {func(n int) ledger { return ledger{steady: 1, extra: n%2 == 1} }, 0},
	} {
		for name, fault := range faults() {
			tests[scenario+"/"+name] = func(t *testing.T) {
				change{version: tc.version, writes: tc.writes}.breakEveryCall(t, fault)
			}
		}
		tests[scenario+"/500 and rolled back"] = func(t *testing.T) {
			change{version: tc.version, writes: tc.writes, rollBack: true}.breakEveryCall(t, faults()["500"])
		}
	}
	acctest.SideBySide(t, tests)
}

// change is a release that changes from version to version.
type change struct {
	version  func(n int) ledger
	writes   int // of web in one version
	rollBack bool
}

func (c change) breakEveryCall(t *testing.T, fault acctest.Fault) {
	r, n := newRig(t), 1
	instance := r.mustApply(t, "", c.version(n).String())
	before := r.Tasks(t, r.name+"_steady")
	web := r.Service(t, r.name+"_web").ID
	r.everyCall(t, fault, func(t *testing.T, hit *strike) {
		n++
		stack := c.version(n)
		result, err := apply(t, r.core(t), release(t, r.name, instance, stack.String()), reconcile.ApplyOptions{RollBack: c.rollBack})
		judged(t, err, hit.fired())
		r.mend()
		writes := c.writes
		if err != nil && result != nil && result.Status == reconcile.RolledBack {
			if hit.onRead() {
				t.Errorf("rolled back for a read that failed: %v", err)
			}
			if r.updates.of(web) > 0 {
				writes = 3 * c.writes
			}
		}
		r.mustApply(t, instance, stack.String())
		r.settled(t, instance, stack.String())
		r.holds(t, stack.objects()...)
		if now := r.Tasks(t, r.name+"_steady"); len(now) != 1 || now[0].ID != before[0].ID {
			t.Errorf("a service that does not change had task %s and has now %+v", before[0].ID, now)
		}
		if have := r.updates.of(web); have != writes {
			t.Errorf("web was written %d times, want %d", have, writes)
		}
	})
}

// TestAccFaultAtEveryCallOfADestroy breaks every single call of a destroy, each of a new release. The same destroy again
// must leave nothing.
func TestAccFaultAtEveryCallOfADestroy(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*testing.T){}
	for name, fault := range faults() {
		tests[name] = func(t *testing.T) {
			r := newRig(t)
			r.everyCall(t, fault, func(t *testing.T, hit *strike) {
				r.name = r.RandomName(t)
				result, err := apply(t, newCore(t, r.Host()), release(t, r.name, "", ledger{}.String()), reconcile.ApplyOptions{})
				if err != nil {
					t.Fatal(err)
				}
				judged(t, uninstall(t, r.core(t), r.name, result.Instance), hit.fired())
				r.mend()
				if err := uninstall(t, r.core(t), r.name, result.Instance); err != nil {
					t.Errorf("the second run: %v", err)
				}
				if left := r.ReleaseObjects(t, r.name); len(left) > 0 {
					t.Errorf("there are still %v", left)
				}
			})
		}
	}
	acctest.SideBySide(t, tests)
}
