package swarm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/docker/docker/client"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// latchLife is how long an engine that could not be reached is not tried again.
// It is short, so that a wait over the failover of a manager goes on.
const latchLife = 2 * time.Second

// errUnreachable is what the pointers to the first failure wrap.
var errUnreachable = errors.New("engine unreachable, see the first error")

// latch spares the many callers of one command from waiting, one after the
// other, for an engine that is away: the first failure is reported in full, the
// others point to it.
type latch struct {
	endpoint string

	mu    sync.Mutex
	until time.Time // no call before
	words string    // of the failure that was reported in full; empty after a success
}

// check fails at once while the latch is closed.
func (l *latch) check(a attempt) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Now().Before(l.until) {
		return l.pointer(a.op, a.ref)
	}
	return nil
}

// release opens the latch after an answer of the engine.
func (l *latch) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until, l.words = time.Time{}, ""
}

// note closes the latch when err says that nothing answered, and returns what is
// to be reported: err, or a pointer to the same failure reported before.
func (l *latch) note(a attempt, err *reconcile.Error) error {
	var lost *connectionError
	if !errors.As(err, &lost) {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = time.Now().Add(latchLife)
	if words := lost.Error(); words != l.words {
		l.words = words
		return err
	}
	return l.pointer(a.op, a.ref)
}

func (l *latch) pointer(op string, ref object.Ref) error {
	return &reconcile.Error{
		Reason: reconcile.ReasonUnreachable, Op: op, Ref: ref,
		Err: fmt.Errorf("%s: %w", l.endpoint, errUnreachable),
	}
}

// connectionError is a failure below HTTP: nothing answered.
type connectionError struct{ err error }

func (e *connectionError) Error() string { return e.err.Error() }
func (e *connectionError) Unwrap() error { return e.err }

// dialLimit bounds the attempt to hear the network's own words.
const dialLimit = 2 * time.Second

// networkWords adds what the network says to an error of the Docker client that
// keeps it to itself: "Cannot connect to the Docker daemon" hides whether there
// is no socket, no permission, or nobody who listens.
func (b *Backend) networkWords(ctx context.Context, err error) error {
	if scheme := b.endpoint.scheme(); !client.IsErrConnectionFailed(err) || scheme != "unix" && scheme != "tcp" {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	conn, dialErr := b.cli.Dialer()(ctx)
	if dialErr != nil {
		return fmt.Errorf("%w (%w)", err, dialErr)
	}
	_ = conn.Close()
	return err
}
