package swarm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/docker/docker/client"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// latchLife is how long an engine that could not be reached is not tried again.
// It is short, so that a wait over the failover of a manager goes on.
const latchLife = 2 * time.Second

// latch spares the many callers of one command from waiting, one after the
// other, for an engine that is away: while it is closed, every call fails at once
// with what the last one that was tried had to say. Whoever shows the errors says
// it once; which of many callers at the same time was first is not known here.
type latch struct {
	mu    sync.Mutex
	until time.Time // no call before
	last  *reconcile.Error
}

// check fails at once while the latch is closed.
func (l *latch) check(a attempt) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !time.Now().Before(l.until) {
		return nil
	}
	again := *l.last
	again.Op, again.Ref = a.op, a.ref
	return &again
}

// release opens the latch after an answer of the engine.
func (l *latch) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until, l.last = time.Time{}, nil
}

// note closes the latch when err says that nothing answered.
func (l *latch) note(err *reconcile.Error) {
	var lost *connectionError
	if !errors.As(err, &lost) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until, l.last = time.Now().Add(latchLife), err
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
