package reconcile

import (
	"context"
	"fmt"
	"time"
)

// defaultTTL is the time to live of a lease.
const defaultTTL = 15 * time.Second

// leased is a backend that writes only while a lease is held.
type leased struct {
	Backend
	lease *lease
}

// under returns a Core whose writes are covered by a lease.
func (c *Core) under(l *lease) *Core {
	covered := *c
	covered.backend = leased{Backend: c.backend, lease: l}
	return &covered
}

// settling is for how long a write that is under way is waited for after its
// operation was cancelled.
const settling = 5 * time.Second

// Do gives the write no more time than the lease has left. A write that had no
// answer by then is as ambiguous as any other: the operation's own time is not
// over.
//
// A write that was begun is not cut off when the operation is cancelled: the
// engine would do it all the same, a moment after everybody has looked, and leave
// an object behind that nobody knows of.
func (b leased) Do(ctx context.Context, step Step) (string, error) {
	left, err := b.lease.await(ctx)
	if err != nil {
		return "", b.gone(err)
	}
	if ctx.Err() != nil {
		return "", &Error{
			Reason: ReasonInterrupted, Op: fmt.Sprintf("%s %s %s", step.Verb, step.Object.Kind, step.Object.Name), Ref: step.Object.Ref(), Err: context.Cause(ctx),
		}
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), left)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(min(settling, b.lease.core.closing), cancel) })()
	id, err := b.Backend.Do(limited, step)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return "", &Error{
			Reason: ReasonUnreachable, Op: fmt.Sprintf("%s %s %s", step.Verb, step.Object.Kind, step.Object.Name), Ref: step.Object.Ref(),
			Err:    fmt.Errorf("no answer within %s", left.Round(100*time.Millisecond)),
			Detail: "That is all the time that the lease left for it. Either the engine is not reached, or its swarm has no leader or no quorum now.",
		}
	}
	return id, err
}

// Progress ends a wait whose lease is lost: whoever has it now decides.
func (b leased) Progress(ctx context.Context, services []string) ([]Rollout, error) {
	b.lease.mu.Lock()
	lost := b.lease.lost
	b.lease.mu.Unlock()
	if lost != nil {
		return nil, b.gone(lost)
	}
	return b.Backend.Progress(ctx, services)
}

func (b leased) gone(err error) error {
	return &Error{
		Reason: ReasonLeaseLost, Op: "write release " + b.lease.owner.Release, Err: err,
		Detail: "Nothing more is written, so that two writers never mix. What was written stays; the next apply goes on from there.",
	}
}
