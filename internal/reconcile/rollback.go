package reconcile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// fallbackBudget is the time of a roll-back whose apply had no deadline.
const fallbackBudget = 10 * time.Minute

func timeLeft(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return time.Until(deadline)
	}
	return fallbackBudget
}

// settle decides what becomes of an apply that failed: it is rolled back or left
// as it is. It returns the status of the revision and the original error, which
// says so.
func (c *Core) settle(ctx context.Context, p *Plan, opts ApplyOptions, budget time.Duration, failure error) (Status, error) {
	var e *Error
	if !errors.As(failure, &e) {
		return Failed, failure
	}
	target := p.lastDeployed()
	if !opts.RollBack || !e.revertible() || target == nil {
		why := "What was written stays for inspection; mend the cause and apply again."
		if opts.RollBack && target == nil {
			why = "No revision was ever deployed, so there is nothing to go back to. " + why
		}
		return Failed, e.adding(why)
	}
	// The time of the apply may be used up; going back has as much again. Only
	// the user ends it.
	back, cancel := withBudget(ctx, budget)
	defer cancel()
	left, err := c.rollBack(back, p, target, opts)
	switch {
	case err != nil && errors.Is(context.Cause(back), context.Canceled):
		return Applying, &Error{Reason: ReasonInterrupted, Op: e.Op, Ref: e.Ref, Err: e, Detail: fmt.Sprintf(
			"Interrupted while the release was rolled back to revision %d. The next apply goes on from what is there.", target.Number)}
	case ReasonOf(err) == ReasonTimeout:
		return Failed, e.adding(fmt.Sprintf("The roll-back to revision %d, which has the same time again, was not done in time either. The next apply goes on from what is there.", target.Number))
	case err != nil:
		return Failed, e.adding(fmt.Sprintf("The roll-back to revision %d failed as well: %v", target.Number, err))
	}
	text := fmt.Sprintf("The release was rolled back to revision %d, which runs again.", target.Number)
	if len(left) > 0 {
		text += " Jobs are never rolled back; these were changed and stay so: " + strings.Join(left, ", ") + "."
	}
	return RolledBack, e.adding(text)
}

// unpruned tells of a pruning that failed. It is no reason to take back what runs.
func unpruned(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	return e.adding("Everything that is declared runs, and stays. What is no longer needed could not all be removed: the next apply goes on with that.")
}

// withBudget gives a context that a cancel of ctx ends but its deadline does not.
func withBudget(ctx context.Context, budget time.Duration) (context.Context, context.CancelFunc) {
	back, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.Canceled) {
			cancel(context.Canceled)
		}
	})
	timed, release := context.WithTimeout(back, budget)
	return timed, func() { release(); stop(); cancel(nil) }
}

// revertible tells errors after which going back makes sense: the engine answers,
// and nobody else is at work on the release.
func (e *Error) revertible() bool {
	switch e.Reason {
	case ReasonNotConverged, ReasonTimeout, ReasonInvalid, ReasonNotFound, ReasonInUse, ReasonExists, ReasonUnknown:
		return true
	}
	return false
}

// adding returns the error with a paragraph more.
func (e *Error) adding(text string) *Error {
	out := *e
	if out.Detail != "" {
		out.Detail += "\n\n"
	}
	out.Detail += text
	return &out
}

// lastDeployed is the revision that a failed apply goes back to.
func (p *Plan) lastDeployed() *Revision {
	for i := len(p.revisions) - 1; i >= 0; i-- {
		if r := p.revisions[i]; r.Status == Deployed && r.Owner.Instance == p.Release.Instance {
			return r
		}
	}
	return nil
}

// rollBack undoes what an apply has written: services it changed get the specs of
// the target revision, what it removed is created again, what it created is
// removed. It returns the jobs that it left alone, because writing a job runs it.
func (c *Core) rollBack(ctx context.Context, p *Plan, target *Revision, opts ApplyOptions) ([]string, error) {
	if opts.Report != nil {
		opts.Report(fmt.Sprintf("%s: rolling back to revision %d", p.Release.Release, target.Number))
	}
	state, err := c.lookAgain(ctx)
	if err != nil {
		return nil, err
	}
	desired := p.Release
	desired.Objects, desired.Commit, desired.External, desired.Needs = target.Objects, target.Commit, nil, nil
	if desired.Pinned = target.Images; desired.Pinned == nil {
		desired.Pinned = map[string]string{} // and not those of the revision that failed
	}
	back, err := plan(state, desired, PlanOptions{}, facts{recorded: true})
	if err != nil {
		return nil, err
	}
	// A job that could not be taken away holds on to what the apply has made.
	if err := c.removeLeftJobs(ctx, back); err != nil {
		return nil, err
	}
	touched := map[Adopted]bool{}
	var made []Adopted
	for _, s := range p.Steps {
		a := Adopted{Kind: s.Object.Kind, Name: s.Object.Name}
		touched[a] = true
		if s.Verb == Create {
			made = append(made, a)
		}
	}
	var left []string
	var steps []Step
	for _, s := range back.Steps {
		if !touched[Adopted{Kind: s.Object.Kind, Name: s.Object.Name}] {
			continue
		}
		if s.Object.Kind == object.KindService && (isJob(s.Object) || (s.Live != nil && isJob(s.Live.Object))) {
			left = append(left, s.Object.Name)
			continue
		}
		steps = append(steps, s)
	}
	back.Steps = steps
	if err := c.makeReady(ctx, back); err != nil {
		return left, err
	}
	r := c.newRollout(back, ApplyOptions{Report: opts.Report})
	for _, s := range reversed(steps, p.Release.Objects) {
		if err := c.do(ctx, s); err != nil {
			return left, err
		}
		r.follow(s)
	}
	r.watchTakenBack(target, touched)
	if _, err := r.wait(ctx); err != nil {
		return left, err
	}
	return left, c.unmake(ctx, state, target, made)
}

// watchTakenBack follows services that the apply wrote and that are as the target
// revision says all the same: Swarm has taken them back itself, is still at it, or
// has given up. They are not written again, and have to run like the others.
func (r *rollout) watchTakenBack(target *Revision, touched map[Adopted]bool) {
	for _, o := range target.Objects {
		if o.Kind == object.KindService && touched[Adopted{Kind: o.Kind, Name: o.Name}] && r.watches[o.Key] == nil && !isJob(o) {
			r.watches[o.Key] = &watch{service: o.Name, key: o.Key, required: true, takenBack: true}
		}
	}
}

// unmake removes what an apply created and the target revision does not have.
// Services go first: they hold on to the rest.
func (c *Core) unmake(ctx context.Context, state *State, target *Revision, made []Adopted) error {
	wanted := map[Adopted]bool{}
	for _, o := range target.Objects {
		wanted[Adopted{Kind: o.Kind, Name: o.Name}] = true
	}
	for _, kind := range []object.Kind{object.KindService, object.KindConfig, object.KindSecret, object.KindNetwork} {
		for _, a := range made {
			if a.Kind != kind || wanted[a] {
				continue
			}
			l := state.find(a.Kind, a.Name)
			if l == nil {
				continue
			}
			if err := c.doDraining(ctx, Step{Verb: Delete, Object: l.Object, Live: l}); err != nil {
				return err
			}
		}
	}
	return nil
}

// reversed orders the service writes of a roll-back against the dependencies:
// what was written last goes back first.
func reversed(steps []Step, objects []object.Object) []Step {
	depth := map[string]int{}
	needs := map[string][]object.Dependency{}
	for _, o := range objects {
		if o.Kind == object.KindService {
			needs[o.Key] = o.DependsOn
		}
	}
	var measure func(key string, seen int) int
	measure = func(key string, seen int) int {
		if d, ok := depth[key]; ok || seen > len(needs) {
			return d
		}
		d := 0
		for _, n := range needs[key] {
			d = max(d, 1+measure(n.Key, seen+1))
		}
		depth[key] = d
		return d
	}
	var byDepth [][]Step
	for _, s := range steps {
		if s.Object.Kind != object.KindService || s.Verb == Delete {
			continue
		}
		d := measure(s.Object.Key, 0)
		for len(byDepth) <= d {
			byDepth = append(byDepth, nil)
		}
		byDepth[d] = append(byDepth[d], s)
	}
	var out []Step
	for i := len(byDepth) - 1; i >= 0; i-- {
		out = append(out, byDepth[i]...)
	}
	return out
}
