package faulttest

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
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

// breakCall lets the k-th call fail in one way, once. A look that is repeated until something happens counts twice, and
// of all looks only every so many-th.
func (r *rig) breakCall(k int, fault acctest.Fault, every int) *strike {
	s := &strike{}
	r.proxy.Reset()
	r.updates.reset()
	var mu sync.Mutex
	n, looked, looks := 0, 0, map[string]int{}
	notable := func(c *acctest.Call) int {
		mu.Lock()
		defer mu.Unlock()
		if c.Writes() {
			clear(looks)
		} else if looks[c.Path]++; looks[c.Path] > 2 {
			return 0
		} else if looked++; looked%every != 0 {
			return 0
		}
		n++
		return n
	}
	r.proxy.SetOnRequest(func(c *acctest.Call) acctest.Fault {
		if notable(c) == k && s.call.CompareAndSwap(nil, c) {
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

// lane is a share of the calls, and the way in which they fail. Lanes run beside each other, each on releases of its own.
type lane struct {
	name          string
	fault         acctest.Fault
	first, stride int // of the calls that count
	every         int // of the looks counts one
}

// lanes are those of a kind: every call fails in every way. Where each takes its time, every so many-th write fails in one of
// the ways in turn, and of the looks a sample.
func (s subject) lanes() []lane {
	var out []lane
	ways := faults()
	for i, name := range slices.Sorted(maps.Keys(ways)) {
		l := lane{name, ways[name], 1, 1, 1}
		if s.stride > 0 && !acctest.Thorough() {
			l.first, l.stride, l.every = 1+i*s.stride, len(ways)*s.stride, 15
		}
		out = append(out, l)
	}
	return out
}

// least is how many calls the shortest of the scenarios makes. Fewer mean that the faults never met anything.
const least = 15

// everyCall runs attempt with a fault at each call of a lane, until a run has fewer calls than that: then that fault
// never came, and this was the clean run. It fails the test when the runs are too short to have met anything.
func (r *rig) everyCall(t *testing.T, l lane, attempt func(t *testing.T, hit *strike)) {
	t.Helper()
	const most = 200 // calls that a run may have
	for k := l.first; ; k += l.stride {
		hit, ran := r.breakCall(k, l.fault, l.every), false
		t.Run(fmt.Sprintf("at call %d", k), func(t *testing.T) {
			ran = true
			attempt(t, hit)
		})
		r.mend()
		switch {
		case !ran && k < most:
			// Left out by -run, as when one that failed is run again.
		case t.Failed():
			return // what would follow starts from a state that is not as it should be
		case !hit.fired() && (k == 1 || l.stride == 1 && k <= least):
			t.Errorf("a run has only %d calls", k-1)
			return
		case !hit.fired():
			return
		}
	}
}
