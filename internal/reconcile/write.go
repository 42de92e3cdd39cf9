package reconcile

import (
	"context"
	"errors"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// retries is how often a write is tried whose object was changed in between
// without changing what it means.
const retries = 3

// do carries out one step. The version of a service also moves when Swarm itself
// notes the progress of an update, so a conflict is no evidence that somebody
// interferes: the object is read again, and the write repeated when its canonical
// form is the one that was planned against.
func (c *Core) do(ctx context.Context, step Step) error {
	for attempt := 1; ; attempt++ {
		_, err := c.backend.Do(ctx, step)
		if ReasonOf(err) != ReasonConflict || step.Live == nil || attempt > retries {
			return err
		}
		state, readErr := c.backend.Observe(ctx, Scope{Fresh: true})
		if readErr != nil {
			return errors.Join(err, readErr)
		}
		now := state.byID(step.Object.Kind, step.Live.ID)
		if now == nil || !unchanged(step.Live, now) {
			return &Error{
				Reason: ReasonConflict, Op: string(step.Verb) + " " + string(step.Object.Kind) + " " + step.Object.Name, Ref: step.Object.Ref(), Err: err,
				Detail: "Somebody changed it while this apply ran. Nothing of it was overwritten: plan again to see the difference.",
			}
		}
		step.Live = now
		if want, ok := step.Object.Spec.(*swarm.ServiceSpec); ok {
			if have, ok := now.Spec.(*swarm.ServiceSpec); ok {
				step.Object.Spec = object.CarryForceUpdate(want, have)
			}
		}
	}
}

// unchanged reports whether two observations of one object mean the same.
func unchanged(a, b *Live) bool {
	fa, errA := a.Form(object.View{})
	fb, errB := b.Form(object.View{})
	return errA == nil && errB == nil && fa.JSON() == fb.JSON()
}

// doDraining is do, with patience for objects that tasks on their way out still
// hold on to.
func (c *Core) doDraining(ctx context.Context, step Step) error {
	deadline := c.now().Add(draining)
	for {
		err := c.do(ctx, step)
		if step.Verb != Delete || ReasonOf(err) != ReasonInUse || c.now().After(deadline) {
			return err
		}
		if err := c.pause(ctx); err != nil {
			return err
		}
	}
}

// pause waits for one poll interval.
func (c *Core) pause(ctx context.Context) error {
	t := time.NewTimer(c.poll)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
