package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/docker/docker/api/types/swarm"
	"github.com/google/uuid"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// The labels of a lease. The config that carries them lives as long as the
// release; its content says nothing.
const (
	labelHolder = LabelPrefix + "lease.holder" // for people
	labelSince  = LabelPrefix + "lease.since"  // for people
	labelNonce  = LabelPrefix + "lease.nonce"  // one acquisition
	labelHeld   = LabelPrefix + "lease.state"  // held, free
	labelTTL    = LabelPrefix + "lease.ttl"
	labelBeat   = LabelPrefix + "lease.beat" // counts renewals
	labelHost   = LabelPrefix + "lease.host" // identity of the process
	labelPID    = LabelPrefix + "lease.pid"
	labelStart  = LabelPrefix + "lease.started"

	leasePrefix = "keel-lease."
	// DefaultLockTimeout bounds the wait for another writer.
	DefaultLockTimeout = 2 * time.Minute
)

// lease is the right to write a release. There is one writer per release, across
// processes and machines: whoever has changed the labels of the lease with
// compare-and-swap last.
//
// No clock is compared with another machine's: a waiter takes over when it has
// seen the same version of the lease for its time to live, on its own monotonic
// clock; the holder counts the same time from before its last successful renewal
// and stops writing well before it is over.
type lease struct {
	core  *Core
	owner Owner
	name  string
	nonce string
	stop  context.CancelFunc
	done  chan struct{}

	mu      sync.Mutex
	live    *Live
	renewed time.Time // from before the last successful renewal
	failure error     // of the newest renewal
	lost    error
}

// errStale is what left answers while the lease may be renewed yet.
var errStale = errors.New("the lease could not be renewed")

// holding are the nonces of the leases that this process holds. It tells a lease
// that an earlier operation of the process left behind from one that another
// operation of it holds at this moment.
var holding sync.Map

// acquire waits until the release is free, at most timeout.
func (c *Core) acquire(ctx context.Context, owner Owner, timeout time.Duration, report func(string)) (*lease, error) {
	l := &lease{core: c, owner: owner, name: leasePrefix + owner.Release, nonce: uuid.NewString(), done: make(chan struct{})}
	deadline := c.now().Add(timeout)
	var seen uint64
	var since, told time.Time
	for {
		live, err := c.backend.Bookkeeping(ctx, l.name)
		if err != nil {
			return nil, err
		}
		now := c.now()
		if live != nil && (since.IsZero() || live.Version != seen) {
			seen, since = live.Version, now
		}
		if live == nil || free(live) || abandoned(live) || now.Sub(since) >= timeToLive(live) {
			got, err := l.take(ctx, live)
			if err != nil || got {
				return l, err
			}
			continue // somebody was faster
		}
		if now.After(deadline) {
			return nil, l.busy(live, timeout)
		}
		if report != nil && now.Sub(told) >= reporting {
			told = now
			report(fmt.Sprintf("%s: waiting for %s", owner.Release, heldBy(live)))
		}
		if err := c.pause(ctx); err != nil {
			return nil, l.busy(live, timeout)
		}
	}
}

// take tries to become the holder once. A lost answer is looked up: the nonce
// tells whose the lease is.
func (l *lease) take(ctx context.Context, live *Live) (bool, error) {
	began := l.core.now()
	holding.Store(l.nonce, true)
	step := Step{Verb: Create, Object: l.object(1, "held")}
	if live != nil {
		step = Step{Verb: Update, Object: l.object(1, "held"), Live: live}
	}
	_, err := l.core.backend.Do(ctx, step)
	if r := ReasonOf(err); r == ReasonExists || r == ReasonConflict || r == ReasonNotFound {
		holding.Delete(l.nonce)
		return false, nil
	}
	now, findErr := patiently(ctx, l.core, func() (*Live, error) { return l.core.backend.Bookkeeping(ctx, l.name) })
	if findErr != nil || now == nil || labelOf(now.Object, labelNonce) != l.nonce {
		holding.Delete(l.nonce)
		return false, errors.Join(err, findErr)
	}
	l.live, l.renewed = now, began
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.stop = stop
	go l.keep(renewing)
	return true, nil
}

// keep renews the lease until it is stopped or lost.
func (l *lease) keep(ctx context.Context) {
	defer close(l.done)
	ticker := time.NewTicker(l.core.leaseTTL / 3)
	defer ticker.Stop()
	for beat := 2; ; beat++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		l.renew(ctx, beat)
		l.mu.Lock()
		over := l.lost != nil
		l.mu.Unlock()
		if over {
			return
		}
	}
}

func (l *lease) renew(ctx context.Context, beat int) {
	began := l.core.now()
	limited, cancel := context.WithTimeout(ctx, l.core.leaseTTL/3)
	defer cancel()
	l.mu.Lock()
	live := l.live
	l.mu.Unlock()
	_, err := l.core.backend.Do(limited, Step{Verb: Update, Object: l.object(beat, "held"), Live: live})
	now, findErr := l.core.backend.Bookkeeping(limited, l.name)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case ctx.Err() != nil || findErr != nil:
		// Nothing is known: the time to live goes on running.
	case now == nil:
		l.lost = fmt.Errorf("the lease %s was removed", l.name)
	case labelOf(now.Object, labelNonce) != l.nonce:
		l.lost = fmt.Errorf("the lease was taken over by %s", heldBy(now))
	default:
		l.live = now
		if err == nil || labelOf(now.Object, labelBeat) == strconv.Itoa(beat) {
			l.renewed, l.failure = began, nil
			return
		}
	}
	l.failure = cmp.Or(err, findErr)
}

// left is for how long the lease may still be written under. After two thirds of
// its time without a renewal no write is begun any more.
func (l *lease) left() (time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost != nil {
		return 0, l.lost
	}
	age := l.core.now().Sub(l.renewed)
	if age >= l.core.leaseTTL*2/3 {
		if l.failure != nil {
			return 0, fmt.Errorf("%w for %s: %w", errStale, age.Round(time.Second), l.failure)
		}
		return 0, fmt.Errorf("%w for %s", errStale, age.Round(time.Second))
	}
	return l.core.leaseTTL - age, nil
}

// await is left, with patience for a lease that cannot be renewed while the
// managers choose a new leader. Once it is renewed nobody has written meanwhile.
func (l *lease) await(ctx context.Context) (time.Duration, error) {
	for since := l.core.now(); ; {
		left, err := l.left()
		if !errors.Is(err, errStale) || l.core.now().Sub(since) > l.core.leaseTTL*4/3 || l.core.pause(ctx) != nil {
			return left, err
		}
	}
}

// release frees the lease. It is written even if the operation was cancelled;
// if that fails, the next writer waits for the time to live.
func (l *lease) release(ctx context.Context) {
	l.end()
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.core.closing)
	defer cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost == nil {
		_, _ = l.core.backend.Do(closing, Step{Verb: Update, Object: l.object(0, "free"), Live: l.live})
	}
}

// remove deletes the lease with the release that it is for.
func (l *lease) remove(ctx context.Context) error {
	l.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost != nil {
		return nil // somebody else's now
	}
	_, err := l.core.backend.Do(ctx, Step{Verb: Delete, Object: l.live.Object, Live: l.live})
	return err
}

func (l *lease) end() {
	l.stop()
	<-l.done
	holding.Delete(l.nonce)
}

func (l *lease) object(beat int, state string) object.Object {
	id := thisProcess()
	o := stamp(object.Object{Kind: object.KindLease, Key: "lease", Name: l.name, Spec: &swarm.ConfigSpec{
		Annotations: swarm.Annotations{Name: l.name}, Data: []byte("lease\n"),
	}}, l.owner)
	labels := *labelsOf(&o)
	for k, v := range map[string]string{
		labelHolder: id.String(), labelSince: l.core.now().UTC().Format(time.RFC3339), labelNonce: l.nonce, labelHeld: state,
		labelTTL: l.core.leaseTTL.String(), labelBeat: strconv.Itoa(beat),
		labelHost: id.host, labelPID: strconv.Itoa(id.pid), labelStart: id.started,
	} {
		labels[k] = v
	}
	return o
}

func (l *lease) busy(live *Live, waited time.Duration) error {
	return &Error{
		Reason: ReasonConflict, Op: "write release " + l.owner.Release,
		Detail: fmt.Sprintf("Another writer is at work: %s. Waited %s (lock_timeout); nothing was written. Try again when it is done.", heldBy(live), waited),
	}
}

func heldBy(l *Live) string {
	return fmt.Sprintf("%s, last heard of at %s by its own clock", labelOf(l.Object, labelHolder), labelOf(l.Object, labelSince))
}

func free(l *Live) bool { return labelOf(l.Object, labelHeld) != "held" }

func timeToLive(l *Live) time.Duration {
	d, err := time.ParseDuration(labelOf(l.Object, labelTTL))
	if err != nil || d <= 0 {
		return defaultTTL
	}
	return d
}

// abandoned reports whether the holder is known to be gone: a process of this
// host that no longer runs, or an operation of this process that has ended.
func abandoned(l *Live) bool {
	me := thisProcess()
	pid, err := strconv.Atoi(labelOf(l.Object, labelPID))
	if err != nil || me.host == "" || labelOf(l.Object, labelHost) != me.host {
		return false
	}
	if pid == me.pid && labelOf(l.Object, labelStart) == me.started {
		_, active := holding.Load(labelOf(l.Object, labelNonce))
		return !active
	}
	started, running := processStart(pid)
	return !running || started != labelOf(l.Object, labelStart)
}
