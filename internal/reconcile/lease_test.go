package reconcile_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

const lease = "keel-lease." + stack

// plant puts a lease into the swarm as another writer holds it.
func plant(t *testing.T, b *memory.Backend, labels map[string]string) {
	t.Helper()
	all := map[string]string{
		reconcile.LabelRelease: stack, reconcile.LabelStack: stack, reconcile.LabelKey: "lease",
		reconcile.LabelPrefix + "lease.holder": "process 7 on elsewhere",
		reconcile.LabelPrefix + "lease.state":  "held",
		reconcile.LabelPrefix + "lease.nonce":  "theirs",
		reconcile.LabelPrefix + "lease.ttl":    "200ms",
		reconcile.LabelPrefix + "lease.since":  "2001-01-01T00:00:00Z", // a clock that is years behind
	}
	for k, v := range labels {
		all[k] = v
	}
	o := object.Object{Kind: object.KindLease, Key: "lease", Name: lease, Spec: &swarm.ConfigSpec{
		Annotations: swarm.Annotations{Name: lease, Labels: all}, Data: []byte("lease\n"),
	}}
	if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Create, Object: o}); err != nil {
		t.Fatal(err)
	}
	b.ResetCalls()
}

func TestLeaseOfASilentHolderIsTakenOverAfterItsTime(t *testing.T) {
	b := memory.New()
	plant(t, b, nil)
	began := time.Now()
	mustApply(t, b, basic().release(), "")
	if waited := time.Since(began); waited < 200*time.Millisecond {
		t.Errorf("taken over after %s, before its time to live of 200 ms", waited)
	}
}

func TestWaitForALivingHolderIsBoundedAndNamesIt(t *testing.T) {
	b := memory.New()
	plant(t, b, nil)
	alive, stop := context.WithCancel(t.Context())
	var beating sync.WaitGroup
	beating.Go(func() { // renews, as a holder does
		for alive.Err() == nil {
			l, err := b.Bookkeeping(alive, lease)
			if err == nil && l != nil {
				_, _ = b.Do(alive, reconcile.Step{Verb: reconcile.Update, Object: l.Object, Live: l})
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	defer func() { stop(); beating.Wait() }()
	core := reconcile.New(b, reconcile.PollEvery(time.Millisecond), reconcile.LockTimeout(400*time.Millisecond))
	_, err := applyWith(t.Context(), core, basic().release(), "", reconcile.PlanOptions{})
	if reconcile.ReasonOf(err) != reconcile.ReasonConflict || !strings.Contains(err.Error(), "process 7 on elsewhere") {
		t.Errorf("got %v, want Conflict naming the holder", err)
	}
	if n := len(b.Names(object.KindService)); n != 0 {
		t.Errorf("%d services were written without the lease", n)
	}
}

func TestLeaseOfAProcessThatIsGoneIsTakenOverAtOnce(t *testing.T) {
	host, pid, started := reconcile.Identity()
	if host == "" {
		t.Skip("processes of this host cannot be told apart")
	}
	cases := map[string]map[string]string{
		"no such process":                     {"lease.host": host, "lease.pid": "4194303", "lease.started": "1"},
		"the number was given away since":     {"lease.host": host, "lease.pid": pid, "lease.started": "1"},
		"an operation of this process, ended": {"lease.host": host, "lease.pid": pid, "lease.started": started},
	}
	for name, labels := range cases {
		t.Run(name, func(t *testing.T) {
			b := memory.New()
			prefixed := map[string]string{reconcile.LabelPrefix + "lease.ttl": "1h"}
			for k, v := range labels {
				prefixed[reconcile.LabelPrefix+k] = v
			}
			plant(t, b, prefixed)
			mustApply(t, b, basic().release(), "")
		})
	}
}

func TestLostLeaseStopsWriting(t *testing.T) {
	b := memory.New()
	stolen := false
	b.Behave = func(string, *swarm.ServiceSpec) memory.Outcome {
		return memory.Outcome{Polls: 1 << 30} // the apply waits for ever
	}
	core := reconcile.New(b, reconcile.PollEvery(time.Millisecond), reconcile.LeaseTTL(90*time.Millisecond))
	go func() {
		for !stolen {
			l, err := b.Bookkeeping(context.Background(), lease)
			if err == nil && l != nil && len(b.Names(object.KindService)) == 2 {
				o := l.Object.Clone()
				o.Spec.(*swarm.ConfigSpec).Labels[reconcile.LabelPrefix+"lease.nonce"] = "theirs"
				_, err := b.Do(context.Background(), reconcile.Step{Verb: reconcile.Update, Object: o, Live: l})
				stolen = err == nil
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := applyWith(t.Context(), core, basic().release(), "", reconcile.PlanOptions{})
	if reconcile.ReasonOf(err) != reconcile.ReasonLeaseLost {
		t.Fatalf("got %v, want LeaseLost", err)
	}
	calls := b.Calls()
	for i := len(calls) - 1; i >= 0 && calls[i].Step != nil; i-- {
		if calls[i].Step.Object.Kind != object.KindLease {
			t.Errorf("%s %s was written after the lease was lost", calls[i].Step.Verb, calls[i].Step.Object.Name)
		}
	}
}

func TestUnrenewedLeaseStopsWritingBeforeItsTimeIsOver(t *testing.T) {
	b := memory.New()
	var cut atomic.Bool
	b.Fault = func(c memory.Call) memory.Fault {
		renewal := c.Step != nil && c.Step.Object.Kind == object.KindLease || c.Method == "Bookkeeping"
		if cut.Load() && renewal {
			return memory.Fail
		}
		return memory.None
	}
	b.Behave = func(string, *swarm.ServiceSpec) memory.Outcome {
		cut.Store(true)
		time.Sleep(80 * time.Millisecond) // more than two thirds of the lease
		return memory.Outcome{}
	}
	core := reconcile.New(b, reconcile.PollEvery(time.Millisecond), reconcile.LeaseTTL(90*time.Millisecond), reconcile.ClosingTime(50*time.Millisecond))
	_, err := applyWith(t.Context(), core, basic().release(), "", reconcile.PlanOptions{})
	if reconcile.ReasonOf(err) != reconcile.ReasonLeaseLost {
		t.Errorf("got %v, want LeaseLost", err)
	}
}

// Many writers of one release at the same time: one at a time gets through, and
// whatever comes of it is one writer's, never a mixture.
func TestWritersOfOneReleaseNeverMix(t *testing.T) {
	b := memory.New()
	instance := mustApply(t, b, basic().release(), "").Instance
	var writers sync.WaitGroup
	for _, image := range []string{"2", "3", "4", "5", "6"} {
		writers.Go(func() {
			next := basic().with(func(b *build) { b.services["web"], b.services["api"] = "acme/web:"+image, "acme/api:"+image })
			_, err := applyWith(t.Context(), reconcile.New(b, reconcile.PollEvery(time.Millisecond)), next.release(), instance, reconcile.PlanOptions{})
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("writer %s: %v", image, err)
			}
		})
	}
	writers.Wait()
	view, err := newCore(b).Inspect(t.Context(), stack, instance)
	if err != nil {
		t.Fatal(err)
	}
	web, api := strings.TrimPrefix(view.Images["web"], "acme/web:"), strings.TrimPrefix(view.Images["api"], "acme/api:")
	if web != api {
		t.Errorf("a mixture runs: web %s and api %s", web, api)
	}
	if view.Status != reconcile.Deployed || view.Revision != 6 {
		t.Errorf("revision %d is %s, want 6 deployed", view.Revision, view.Status)
	}
}

// Managers that choose a new leader do not answer for longer than a lease allows
// writing. When they do again and nobody has taken the lease, the apply goes on.
func TestApplyGoesOnWhenItsLeaseIsRenewedLate(t *testing.T) {
	b := memory.New()
	var cut atomic.Bool
	b.Fault = func(c memory.Call) memory.Fault {
		if renewal := c.Step != nil && c.Step.Object.Kind == object.KindLease || c.Method == "Bookkeeping"; cut.Load() && renewal {
			return memory.Fail
		}
		return memory.None
	}
	var once sync.Once
	b.Behave = func(string, *swarm.ServiceSpec) memory.Outcome {
		once.Do(func() {
			cut.Store(true)
			time.Sleep(80 * time.Millisecond) // more than two thirds of the lease
			time.AfterFunc(40*time.Millisecond, func() { cut.Store(false) })
		})
		return memory.Outcome{}
	}
	core := reconcile.New(b, reconcile.PollEvery(time.Millisecond), reconcile.LeaseTTL(90*time.Millisecond))
	if _, err := applyWith(t.Context(), core, basic().release(), "", reconcile.PlanOptions{}); err != nil {
		t.Errorf("got %v, want success", err)
	}
}
