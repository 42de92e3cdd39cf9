package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

const (
	// parallel bounds how many writes are under way at once: the engine gains
	// nothing from more.
	parallel = 8
	// draining is how long an object may be in use by tasks that shut down.
	draining = 30 * time.Second
)

// Apply carries out a plan. It observes again and plans anew first, so that a
// plan of any age is safe to apply; a plan with nothing to do takes no lease and
// writes nothing.
//
// The error is an *Error. Whatever it is, the same call again goes on from what
// is there. After ReasonInterrupted the revision stays `applying`, after any
// other error it is `failed` or `rolled_back`.
func (c *Core) Apply(ctx context.Context, planned *Plan, opts ApplyOptions) (*Result, error) {
	hide := newMasker(planned.Release, planned.revisions...)
	opts.Report = hide.report(opts.Report)
	result, err := c.apply(ctx, planned, opts)
	if result != nil {
		result.Warnings = hide.texts(result.Warnings)
	}
	return result, hide.error(err)
}

func (c *Core) apply(ctx context.Context, planned *Plan, opts ApplyOptions) (*Result, error) {
	op := "apply " + planned.Release.Release
	p, err := c.replan(ctx, planned)
	if err != nil {
		return nil, err
	}
	if p.Empty() {
		return p.result(planned), nil
	}
	if err := p.guard(opts.Prior); err != nil {
		return nil, err
	}
	if p.revises() {
		if _, err := p.next.record(); err != nil {
			return nil, err // before the lease, which is a write too
		}
	}
	l, err := c.acquire(ctx, p.Release.Owner, c.lockTimeout, opts.Report)
	if err != nil {
		return nil, ended(ctx, op, err)
	}
	// A create that was refused leaves nothing behind, not even its lease.
	refused := false
	defer func() {
		if refused {
			closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.closing)
			defer cancel()
			_ = l.remove(closing)
			return
		}
		l.release(ctx)
	}()
	// Whoever held the lease before may have written.
	covered := c.under(l)
	if p, err = covered.replan(ctx, p); err != nil {
		return nil, err
	}
	if p.Empty() {
		return p.result(planned), nil
	}
	warnings, err := covered.settleImages(ctx, p)
	if err != nil {
		refused = p.Newest == nil
		return nil, ended(ctx, op, err)
	}
	result := p.result(planned)
	result.Warnings = merge(result.Warnings, warnings)
	result, err = covered.write(ctx, p, result, opts)
	refused = result == nil && p.Newest == nil
	return result, err
}

// started tells the caller that there is something to remember.
func (o ApplyOptions) started(p *Plan) {
	if o.Started != nil {
		o.Started(p.Release.Instance)
	}
}

func (c *Core) replan(ctx context.Context, planned *Plan) (*Plan, error) {
	options := planned.Options
	options.Fresh = true
	return c.Plan(ctx, planned.Release, options)
}

// result is the outcome if nothing is to be done.
func (p *Plan) result(planned *Plan) *Result {
	r := &Result{Instance: p.Release.Instance, Status: Deployed, Images: p.Release.Pinned, Warnings: merge(planned.Warnings, p.Warnings)}
	if p.Newest != nil {
		r.Revision = p.Newest.Number
	}
	return r
}

// write does what a plan asks for, from the first write to the last.
func (c *Core) write(ctx context.Context, p *Plan, result *Result, opts ApplyOptions) (_ *Result, failure error) {
	if err := p.guard(opts.Prior); err != nil {
		return nil, err
	}
	if missing := missingExternals(p.state, p.Release); len(missing) > 0 {
		return nil, &Error{
			Reason: ReasonInvalid, Op: "apply " + p.Release.Release,
			Detail: strings.Join(missing, " ") + " Check the names, and create what is missing first.",
		}
	}
	looks := p.looksDue()
	if len(looks) == 0 {
		opts.started(p)
	}
	rev, err := c.begin(ctx, p)
	err = ended(ctx, "record a revision of "+p.Release.Release, err)
	if len(looks) > 0 {
		if err == nil {
			err = c.lookBefore(ctx, p, looks, opts)
		}
		if err != nil && c.forget(ctx, p) {
			return nil, err
		}
		opts.started(p)
	}
	if err != nil {
		return result, err
	}
	if rev == nil { // only something to tidy up
		warnings, err := c.tidy(ctx, p, opts)
		result.Warnings = append(result.Warnings, warnings...)
		return result, ended(ctx, "prune "+p.Release.Release, err)
	}
	result.Revision = rev.Number
	budget := timeLeft(ctx)
	defer func() { failure = p.hide(failure) }()
	warnings, runs, err := c.carryOut(ctx, p, opts)
	result.Warnings = append(result.Warnings, warnings...)
	switch err = ended(ctx, "apply "+p.Release.Release, err); {
	case ReasonOf(err) == ReasonInterrupted:
		result.Status = Applying
		return result, err
	case err != nil && runs:
		result.Status, err = Failed, unpruned(err)
	case err != nil:
		result.Status, err = c.settle(ctx, p, opts, budget, err)
		if ReasonOf(err) == ReasonInterrupted {
			return result, err
		}
	}
	// The status is noted even if the operation's time is used up.
	noting, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.closing)
	defer cancel()
	if noteErr := c.note(noting, p.Release.Owner, rev.Number, result.Status); noteErr != nil && err == nil {
		result.Status = Applying
		err = noteErr
	}
	return result, err
}

// carryOut does the steps of a plan, waits, and prunes. runs reports that the release
// does what it is for, whatever the pruning comes to.
func (c *Core) carryOut(ctx context.Context, p *Plan, opts ApplyOptions) (warnings []string, runs bool, err error) {
	if err := c.removeLeftJobs(ctx, p); err != nil {
		return nil, false, err
	}
	if err := p.makeSecrets(); err != nil {
		return nil, false, err
	}
	if err := c.makeReady(ctx, p); err != nil {
		return nil, false, err
	}
	warnings, err = c.rollOut(ctx, p, opts)
	if err != nil || opts.NoWait {
		return warnings, false, err
	}
	if err := c.prove(ctx, p, opts); err != nil {
		return warnings, false, err
	}
	more, err := c.tidy(ctx, p, opts)
	return append(warnings, more...), true, err
}

// makeReady does every step of a plan but the writing of services, and waits for
// those that may not run yet.
func (c *Core) makeReady(ctx context.Context, p *Plan) error {
	for _, batch := range batches(p.Steps) {
		if batch[0].Object.Kind == object.KindService && batch[0].Verb != Delete {
			continue // the rollout's business
		}
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(parallel)
		for _, step := range batch {
			g.Go(func() error { return c.doDraining(gctx, step) })
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	if !p.takesData() {
		return nil
	}
	return c.drained(ctx, p.Release.Release, nil, "The next apply goes on from here.")
}

// takesData reports whether a service is made that has data on its node. Whoever
// removed its predecessor, a task of that may still be at work on the data, and two
// servers at once would ruin it.
func (p *Plan) takesData() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool {
		return s.Verb == Create && s.Object.Kind == object.KindService && slices.Contains(p.Release.Local, s.Object.Key)
	})
}

// batches groups neighbouring steps of the same verb and kind: those do not
// depend on each other.
func batches(steps []Step) [][]Step {
	var out [][]Step
	for _, s := range steps {
		if n := len(out); n > 0 && out[n-1][0].Verb == s.Verb && out[n-1][0].Object.Kind == s.Object.Kind {
			out[n-1] = append(out[n-1], s)
			continue
		}
		out = append(out, []Step{s})
	}
	return out
}

// tidy deletes what the release no longer needs. It observes anew: what is to go
// depends on what the steps before have made of the swarm. With NoWait it
// deletes only when everything has converged already.
func (c *Core) tidy(ctx context.Context, p *Plan, opts ApplyOptions) ([]string, error) {
	state, err := patiently(ctx, c, func() (*State, error) { return c.backend.Observe(ctx, Scope{}) })
	if err != nil {
		return nil, err
	}
	options := p.Options
	options.Adopt = false
	now, err := plan(state, p.Release, options, facts{converged: !opts.NoWait})
	if err != nil {
		return nil, err
	}
	if len(now.Prune) == 0 {
		return nil, nil
	}
	if opts.NoWait {
		if ok, err := c.converged(ctx, now); err != nil || !ok {
			return nil, err
		}
	}
	var warnings []string
	for _, step := range now.Prune {
		err := c.doDraining(ctx, step)
		if ReasonOf(err) == ReasonInUse {
			warnings = append(warnings, fmt.Sprintf("%s %s is no longer declared and still in use (%v): the next apply tries again.",
				step.Object.Kind, step.Object.Name, errors.Unwrap(err)))
			continue
		}
		if err != nil {
			return warnings, err
		}
	}
	return warnings, nil
}

func merge(a, b []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range append(append([]string(nil), a...), b...) {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
