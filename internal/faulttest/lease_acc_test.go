package faulttest

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// script is the order in which the engine acted on what several writers wrote into one release, its lease apart.
type script struct {
	mu    sync.Mutex
	turns []string
}

// watch notes the writes that come through a proxy.
func (s *script) watch(proxy *acctest.Proxy, who, lease string) {
	proxy.OnAnswer = func(c *acctest.Call) {
		if !c.Writes() || c.Status >= http.StatusBadRequest || strings.HasPrefix(c.Path, "/configs/"+lease) {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.turns) == 0 || s.turns[len(s.turns)-1] != who {
			s.turns = append(s.turns, who)
		}
	}
}

// leaseOf returns the config that is the lease of a release.
func (r *rig) leaseOf(t testing.TB) swarm.Config {
	t.Helper()
	lease, _, err := r.Client().ConfigInspectWithRaw(t.Context(), "keel-lease."+r.name)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// TestAccOneWriterAtATime starts two applies of one release together, twenty times, the second now in this process and
// now in another. Their writes must not mix, and what is there at the end is what one of them wanted, whole.
func TestAccOneWriterAtATime(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	instance := r.mustApply(t, "", ledger{})
	lease := r.leaseOf(t).ID
	contended := 0
	for round := 1; round <= 20; round++ {
		a, b := r.NewProxy(t), r.NewProxy(t)
		var s script
		s.watch(a, "a", lease)
		s.watch(b, "b", lease)
		version := func(who string) ledger {
			return ledger{version: round, config: who + fmt.Sprint(round), secret: who + fmt.Sprint(round)}
		}
		var second func() error
		if round%4 == 0 {
			w := startWriter(t, assignment{Host: b.Host(), Instance: instance, Name: r.name, Stack: version("b").String(), Lock: limit})
			second = func() error { w.apply(); return w.wait() }
		} else {
			core := newCore(t, b.Host(), reconcile.LockTimeout(limit))
			second = func() error {
				_, err := apply(t, core, release(t, r.name, instance, version("b")), reconcile.ApplyOptions{})
				return err
			}
		}
		core := newCore(t, a.Host(), reconcile.LockTimeout(limit))
		var together sync.WaitGroup
		var errA, errB error
		together.Go(func() {
			_, errA = apply(t, core, release(t, r.name, instance, version("a")), reconcile.ApplyOptions{})
		})
		together.Go(func() { errB = second() })
		together.Wait()
		if errA != nil || errB != nil {
			t.Fatalf("round %d: a ended with %v, b with %v", round, errA, errB)
		}
		if len(s.turns) != 2 {
			t.Fatalf("round %d: the writes came in the turns %v, want one turn each", round, s.turns)
		}
		// Whoever came second has read what the first wrote while it held the lease.
		contended += max(a.Count("GET", "/configs/keel-lease."+r.name), b.Count("GET", "/configs/keel-lease."+r.name)) - 2
		r.settled(t, instance, version(s.turns[1]))
		r.holds(t, ledger{}.objects()...)
	}
	if contended == 0 {
		t.Error("in no round had one of the two to wait")
	}
}

// TestAccSecondWriterNamesTheHolder does not wait for a writer that is at work.
func TestAccSecondWriterNamesTheHolder(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	instance := r.mustApply(t, "", ledger{})
	held, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	r.proxy.SetOnRequest(func(c *acctest.Call) acctest.Fault {
		if strings.HasPrefix(c.Path, "/services/") && c.Writes() {
			once.Do(func() { close(held); <-goOn })
		}
		return acctest.Fault{}
	})
	var first sync.WaitGroup
	first.Go(func() {
		if _, err := apply(t, r.core(t), release(t, r.name, instance, ledger{version: 1}), reconcile.ApplyOptions{}); err != nil {
			t.Errorf("the first writer: %v", err)
		}
	})
	<-held
	proxy := r.NewProxy(t)
	_, err := apply(t, newCore(t, proxy.Host(), reconcile.LockTimeout(100*time.Millisecond)), release(t, r.name, instance, ledger{version: 2}), reconcile.ApplyOptions{})
	host, _ := os.Hostname()
	holder := fmt.Sprintf("process %d on %s", os.Getpid(), host)
	if reconcile.ReasonOf(err) != reconcile.ReasonConflict || !strings.Contains(err.Error(), holder) || !strings.Contains(err.Error(), "lock_timeout") {
		t.Errorf("the second writer ended with %v, want an error that names %s", err, holder)
	}
	if writes := proxy.Writes(); len(writes) > 0 {
		t.Errorf("the second writer wrote %v", writes)
	}
	close(goOn)
	first.Wait()
	r.settled(t, instance, ledger{version: 1})
}

// TestAccKilledHolderIsReplacedAtOnce kills a second process in the middle of its apply.
func TestAccKilledHolderIsReplacedAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	instance := r.mustApply(t, "", ledger{})
	for _, at := range []string{"/configs/create", "/services/"} {
		met := make(chan struct{})
		var once sync.Once
		proxy := r.NewProxy(t)
		proxy.SetOnRequest(func(c *acctest.Call) acctest.Fault {
			if c.Writes() && strings.HasPrefix(c.Path, at) {
				once.Do(func() { close(met) })
				return acctest.Fault{Delay: limit} // ends with the client
			}
			return acctest.Fault{}
		})
		w := startWriter(t, assignment{Host: proxy.Host(), Instance: instance, Name: r.name, Stack: ledger{version: 1, config: at}.String(), Lock: limit})
		w.apply()
		<-met
		if err := w.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = w.wait()
		if state := r.leaseOf(t).Spec.Labels["io.swarmkeel.lease.state"]; state != "held" {
			t.Fatalf("the lease of the killed process is %q, want held", state)
		}
		began := time.Now()
		r.mustApply(t, instance, ledger{version: 2, config: at})
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("the next apply took %s: it waited for the lease of a process that is gone", took)
		}
		r.settled(t, instance, ledger{version: 2, config: at})
		r.holds(t, ledger{}.objects()...)
	}
}

// TestAccLostLeaseStopsWriting takes the lease away in the middle of an apply. Nothing is written from then on.
func TestAccLostLeaseStopsWriting(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const ttl = 3 * time.Second
	depending := func(version int) stack {
		return stack(strings.Replace(ledger{version: version}.String(), "  web:\n", "  web:\n    depends_on: [steady]\n", 1))
	}
	instance := r.mustApply(t, "", depending(0))
	changed := stack(strings.ReplaceAll(string(depending(1)), "stop_grace_period: 1s", "stop_grace_period: 2s"))
	steady, web := r.Service(t, r.name+"_steady").ID, r.Service(t, r.name+"_web").ID
	var once sync.Once
	r.updates.reset()
	r.proxy.SetOnRequest(func(c *acctest.Call) acctest.Fault {
		if c.Path != "/services/"+steady+"/update" {
			return acctest.Fault{}
		}
		once.Do(func() { r.stealLease(t) })
		return acctest.Fault{Delay: ttl / 2} // the holder renews it every third of that, and notices
	})
	_, err := apply(t, r.core(t, reconcile.LeaseTTL(ttl)), release(t, r.name, instance, changed), reconcile.ApplyOptions{RollBack: true})
	if reconcile.ReasonOf(err) != reconcile.ReasonLeaseLost || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("the apply ended with %v, want that its lease was taken over by somebody else", err)
	}
	if n := r.updates.of(web); n != 0 {
		t.Errorf("web was written %d times after the lease was lost", n)
	}
	if holder := r.leaseOf(t).Spec.Labels["io.swarmkeel.lease.holder"]; holder != "somebody else" {
		t.Errorf("the lease is %q's after the apply has ended, want it left to its new holder", holder)
	}
}

// stealLease makes somebody else the holder, as a writer does that has seen no renewal for long enough.
func (r *rig) stealLease(t testing.TB) {
	for range 10 { // against renewals
		lease := r.leaseOf(t)
		labels := maps.Clone(lease.Spec.Labels)
		labels["io.swarmkeel.lease.nonce"], labels["io.swarmkeel.lease.holder"] = "another", "somebody else"
		lease.Spec.Labels = labels
		if r.Client().ConfigUpdate(t.Context(), lease.ID, lease.Version, lease.Spec) == nil {
			return
		}
	}
	t.Error("the lease could not be taken away")
}

// TestAccNothingToDoTakesNoLease counts what an apply of what is there already writes.
func TestAccNothingToDoTakesNoLease(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	instance := r.mustApply(t, "", ledger{steady: 1})
	lease := r.leaseOf(t).Version.Index
	r.proxy.Reset()
	r.mustApply(t, instance, ledger{steady: 1})
	if writes := r.proxy.Writes(); len(writes) > 0 {
		t.Errorf("an apply with nothing to do wrote %v", writes)
	}
	if now := r.leaseOf(t).Version.Index; now != lease {
		t.Errorf("the lease moved from version %d to %d", lease, now)
	}
}
