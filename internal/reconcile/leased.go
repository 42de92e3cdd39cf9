package reconcile

import (
	"context"
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

// Do gives the write no more time than the lease has left.
func (b leased) Do(ctx context.Context, step Step) (string, error) {
	left, err := b.lease.left()
	if err != nil {
		return "", b.gone(err)
	}
	limited, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	return b.Backend.Do(limited, step)
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
