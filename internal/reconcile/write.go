package reconcile

import (
	"context"
	"fmt"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// retries is how often a write is tried again whose object was changed in
// between without changing what it means.
const retries = 3

// do carries out one step.
//
// The version of a service also moves when Swarm itself notes the progress of an
// update, so a conflict is no evidence that somebody interferes: the object is
// read again, and the write repeated when it still means what was planned
// against.
//
// A write without an answer is ambiguous: a manager that lost its leader answers
// 500 and may have written all the same. It is looked up before it is tried
// again, for as long as an engine may be out of sight. Even then it may be done
// later, in the way of its own repetition.
func (c *Core) do(ctx context.Context, step Step) error {
	var silence error
	for failures := 1; ; failures++ {
		_, err := c.backend.Do(ctx, step)
		if ReasonOf(err) == ReasonLeaseLost && silence != nil {
			return silence // the lease ran out because of it
		}
		switch r := ReasonOf(err); {
		case r == ReasonUnreachable, r == ReasonConflict && step.Live != nil:
		case r == ReasonExists && silence != nil: // by the first attempt, perhaps
		default:
			return err
		}
		if failures > retries || ctx.Err() != nil {
			return err
		}
		if ReasonOf(err) == ReasonUnreachable {
			silence = err
		}
		state, readErr := c.lookAgain(ctx)
		if readErr != nil {
			return err
		}
		done, again, lookErr := reconsider(step, state.find(step.Object.Kind, step.Object.Name), err)
		if done || lookErr != nil {
			return lookErr
		}
		step = again
	}
}

// lookAgain observes anew after a write without an answer. The engine may stay
// out of sight for a while: nothing is written before it was seen.
func (c *Core) lookAgain(ctx context.Context) (*State, error) {
	return patiently(ctx, c, func() (*State, error) { return c.backend.Observe(ctx, Scope{Fresh: true}) })
}

// unreadable reports whether a read failed in a way that says nothing about what
// was to be read: no answer, or an error of the engine's own that may pass.
func unreadable(err error) bool {
	r := ReasonOf(err)
	return r == ReasonUnreachable || r == ReasonUnknown
}

// patiently reads until the engine answers, for as long as it may be out of sight.
// When the time ends meanwhile, the error is still the engine's.
func patiently[T any](ctx context.Context, c *Core, read func() (T, error)) (T, error) {
	var silence error
	for since := c.now(); ; {
		found, err := read()
		if err != nil && silence != nil && ctx.Err() != nil {
			return found, silence
		}
		silence = err
		if !unreadable(err) || c.now().Sub(since) > blind || c.pause(ctx) != nil {
			return found, err
		}
	}
}

// reconsider decides what a write that failed with cause has come to, by what is
// there now: it was done, or it is to be tried again, or it must not be.
func reconsider(step Step, now *Live, cause error) (done bool, again Step, err error) {
	changed := &Error{
		Reason: ReasonConflict, Op: fmt.Sprintf("%s %s %s", step.Verb, step.Object.Kind, step.Object.Name), Ref: step.Object.Ref(), Err: cause,
		Detail: "Somebody changed it while this apply ran. Nothing of it was overwritten: plan again to see the difference.",
	}
	switch {
	case step.Verb == Create && now == nil:
		return false, step, nil
	case step.Verb == Create:
		if now.Owner != ownerOf(step.Object) {
			return false, step, changed
		}
		return true, step, nil
	case step.Verb == Delete && step.Object.Kind == object.KindVolume:
		return false, step, nil // no observation has volumes, and what is gone may be removed again
	case step.Verb == Delete && (now == nil || step.Live == nil || now.ID != step.Live.ID):
		return true, step, nil
	case step.Verb == Delete:
		step.Live = now
		return false, step, nil
	case now == nil || now.ID != step.Live.ID:
		return false, step, changed
	case now.Version != step.Live.Version && sameWrite(step.Object, now):
		return true, step, nil
	case !unchanged(step.Live, now):
		return false, step, changed
	}
	step.Live = now
	if want, ok := step.Object.Spec.(*swarm.ServiceSpec); ok {
		if have, ok := now.Spec.(*swarm.ServiceSpec); ok {
			step.Object.Spec = object.CarryForceUpdate(want, have)
		}
	}
	return false, step, nil
}

// sameWrite reports whether an observed object is what a write would have made.
func sameWrite(o object.Object, now *Live) bool {
	a, errA := o.Form(object.View{})
	b, errB := now.Form(object.View{Declared: &o})
	return errA == nil && errB == nil && a.Equal(b) && ownerOf(o) == now.Owner && len(changedReferences(o, now.Object)) == 0
}

// unchanged reports whether two observations of one object mean the same.
func unchanged(a, b *Live) bool {
	fa, errA := a.Form(object.View{})
	fb, errB := b.Form(object.View{})
	return errA == nil && errB == nil && fa.Equal(fb)
}

// ownerOf reads back what stamp has written.
func ownerOf(o object.Object) Owner {
	labels := labelsOf(&o)
	if labels == nil {
		return Owner{}
	}
	return Owner{
		Release: (*labels)[LabelRelease], Kind: (*labels)[LabelKind],
		Instance: (*labels)[LabelInstance], Owner: (*labels)[LabelOwner],
	}
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
