package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// looksDue reports whether the jobs that look before a release is made have to
// run: their service is to be created, and the release was never deployed. A
// service that somebody removed from a deployed release comes back to its own, and
// of one whose records were lost nobody knows better.
func (p *Plan) looksDue() []object.OneShot {
	if p.next.Earlier || p.state.everDeployed(p.Release.Release, p.Release.Instance) {
		return nil
	}
	creates := map[string]bool{}
	for _, s := range p.Steps {
		if s.Verb == Create && s.Object.Kind == object.KindService {
			creates[s.Object.Key] = true
		}
	}
	var due []object.OneShot
	for _, job := range p.Release.Before {
		if creates[job.For] {
			due = append(due, job)
		}
	}
	return due
}

// lookBefore runs the jobs that look before a release is made.
func (c *Core) lookBefore(ctx context.Context, p *Plan, jobs []object.OneShot, opts ApplyOptions) error {
	// What counts is what volumes hold when nobody writes into them any more.
	if err := c.drained(ctx, p.Release.Release, nil, "The next apply goes on from here."); err != nil {
		return ended(ctx, "look before "+p.Release.Release+" is made", err)
	}
	for _, job := range jobs {
		if err := c.runJob(ctx, p, job, opts.Report); err != nil {
			return ended(ctx, job.Op, err)
		}
	}
	return nil
}

// forget takes away what a create has written until a look refused it, and reports
// whether nothing is left. What an earlier one has left stays, and so does the
// record while a job is there, since it alone says whose that is.
func (c *Core) forget(ctx context.Context, p *Plan) bool {
	if p.Newest != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.closing)
	defer cancel()
	for _, job := range p.Release.Before {
		if c.removeJob(ctx, p.Release.Owner, job.Service.Name) != nil {
			return false
		}
	}
	state, err := c.lookAgain(ctx)
	if err != nil {
		return false
	}
	// An adoption has written two: what was there, and what was to be.
	for _, l := range state.records(p.Release.Release) {
		if l.Owner.Instance != p.Release.Instance {
			continue
		}
		if c.do(ctx, Step{Verb: Delete, Object: l.Object, Live: l}) != nil {
			return false
		}
	}
	return true
}

// removeLeftJobs takes away what an operation that was killed has left of its jobs,
// and waits until it is gone: it may be emptying the volume of a service that is
// about to be made, and would on every node that joins.
func (c *Core) removeLeftJobs(ctx context.Context, p *Plan) error {
	var left []*Live
	for _, s := range p.Prune {
		if s.Object.Kind == object.KindService && labelOf(s.Object, object.LabelOneShot) != "" {
			left = append(left, s.Live)
		}
	}
	return c.removeServices(ctx, "", left, "The next apply goes on from here.")
}

// prove runs the jobs that show that a converged release does what it is for.
func (c *Core) prove(ctx context.Context, p *Plan, opts ApplyOptions) error {
	for _, job := range p.Release.After {
		if err := c.runJob(ctx, p, job, opts.Report); err != nil {
			return err
		}
	}
	return nil
}

// runJob runs one job to its end and takes it away again, whatever came of it. A
// job that an earlier apply has left behind is removed first.
//
// A container that the engine could not start says nothing of what the job was to
// find out. A service's task would be tried again, and so is the job.
func (c *Core) runJob(ctx context.Context, p *Plan, job object.OneShot, report func(string)) error {
	for attempt := 1; ; attempt++ {
		ran, err := c.tryJob(ctx, p, job, report)
		if err == nil || ran || attempt == sameFailures || ctx.Err() != nil {
			return err
		}
	}
}

// notStarted is the exit code of a container that the engine could not start.
const notStarted = 128

// tryJob is one attempt at a job. ran is false when its container never started.
func (c *Core) tryJob(ctx context.Context, p *Plan, job object.OneShot, report func(string)) (ran bool, err error) {
	if report != nil {
		report(fmt.Sprintf("%s: %s", p.Release.Release, job.Op))
	}
	if err := c.removeJob(ctx, p.Release.Owner, job.Service.Name); err != nil {
		return true, err
	}
	defer func() {
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.closing)
		defer cancel()
		if left := c.removeJob(leaving, p.Release.Owner, job.Service.Name); err == nil {
			err = left
		}
	}()
	service := stamp(job.Service, p.Release.Owner)
	(*labelsOf(&service))[object.LabelOneShot] = "true"
	step := Step{Verb: Create, Object: sameImage(service, job.For, p.Release), Restarts: true}
	if err := c.do(ctx, step); err != nil {
		return true, err
	}
	r := c.newRollout(p, ApplyOptions{Report: report})
	r.follow(step)
	if _, err := r.wait(ctx); err != nil {
		w := r.watches[job.Service.Key]
		started := !slices.ContainsFunc(w.failures(), func(t Task) bool { return t.ExitCode != nil && *t.ExitCode == notStarted })
		return started, jobFailed(job, err, w)
	}
	if w := r.watches[job.Service.Key]; w.last.Want == 0 {
		return true, &Error{
			Reason: ReasonNotConverged, Op: notRun(job), Ref: object.Ref{Kind: object.KindService, Key: job.For},
			Detail: fmt.Sprintf("To %s, a job has to run on the node, and no node takes it: %s.", job.Op, w.last.Blocked),
		}
	}
	return true, nil
}

func (c *Core) removeJob(ctx context.Context, owner Owner, name string) error {
	state, err := c.lookAgain(ctx)
	if err != nil {
		return err
	}
	l := state.find(object.KindService, name)
	if l == nil || l.Owner.Release != owner.Release || l.Owner.Instance != owner.Instance {
		return nil // what somebody else has under this name, the create meets
	}
	return c.doDraining(ctx, Step{Verb: Delete, Object: l.Object, Live: l})
}

// sameImage gives a job the very image that the service it is about is pinned to.
func sameImage(job object.Object, key string, release Release) object.Object {
	for _, o := range release.ofKind(object.KindService) {
		if o.Key == key && object.NormalizeImage(imageOf(o)) == object.NormalizeImage(imageOf(job)) {
			if pin, ok := release.Pinned[key]; ok {
				return pins{job.Key: pin}.pin(job)
			}
		}
	}
	return job
}

// notRun says that a job has found nothing out, neither good nor bad.
func notRun(job object.OneShot) string { return "job to " + job.Op + " did not run" }

// jobFailed puts what a job found into the words of the one who asked for it. Other
// errors than its failure stay as they are.
func jobFailed(job object.OneShot, err error, w *watch) error {
	var e *Error
	if !errors.As(err, &e) || e.Reason != ReasonNotConverged {
		return err
	}
	out := *e
	out.Op, out.Ref = notRun(job), object.Ref{Kind: object.KindService, Key: job.For}
	for _, t := range w.failures() {
		if t.ExitCode == nil {
			continue
		}
		out.Op = job.Failure
		if text := job.Exits[*t.ExitCode]; text != "" {
			out.Detail = text + "\n\n" + out.Detail
			break
		}
	}
	return &out
}
