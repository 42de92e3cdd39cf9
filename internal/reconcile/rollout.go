package reconcile

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

const (
	// reporting is how often a long wait says how far it is.
	reporting = 5 * time.Second
	// blind is how long the engine may not answer while an apply waits.
	blind = 20 * time.Second
)

// rollout writes the services of a plan in the order of their dependencies and
// follows them with one read of the task list per poll.
type rollout struct {
	core    *Core
	plan    *Plan
	opts    ApplyOptions
	pending map[string]Step // by logical name, not yet written
	watches map[string]*watch
	started time.Time
	said    time.Time
	unseen  time.Time // since when the engine does not answer
}

// rollOut writes the services of a plan and waits for them. The strings are
// warnings.
func (c *Core) rollOut(ctx context.Context, p *Plan, opts ApplyOptions) ([]string, error) {
	r := c.newRollout(p, opts)
	for _, s := range p.Steps {
		if s.Object.Kind == object.KindService && s.Verb != Delete {
			r.pending[s.Object.Key] = s
		}
	}
	r.watchUnwritten()
	return r.wait(ctx)
}

func (c *Core) newRollout(p *Plan, opts ApplyOptions) *rollout {
	now := c.now()
	return &rollout{core: c, plan: p, opts: opts, pending: map[string]Step{}, watches: map[string]*watch{}, started: now, said: now}
}

// wait returns when everything is written and every required service has
// converged, and an error of ReasonNotConverged as soon as there is evidence that
// one will not.
func (r *rollout) wait(ctx context.Context) ([]string, error) {
	for {
		if err := r.writeReady(ctx); err != nil {
			return nil, err
		}
		if len(r.pending) == 0 && (r.opts.NoWait || r.converged()) {
			return r.warnings(), nil
		}
		if err := r.look(ctx); err != nil {
			return r.warnings(), err
		}
		if len(r.pending) == 0 && r.converged() {
			return r.warnings(), nil
		}
		r.report()
		if err := r.core.pause(ctx); err != nil {
			return r.warnings(), r.unfinished(err)
		}
	}
}

// watchUnwritten follows services that this apply does not write: all of them
// while the newest revision is not known to have converged, otherwise those that
// a service to be written waits for.
func (r *rollout) watchUnwritten() {
	resuming := r.plan.Newest != nil && r.plan.Newest.Status != Deployed
	needed := map[string]bool{}
	for _, s := range r.pending {
		for _, d := range s.Object.DependsOn {
			needed[d.Key] = true
		}
	}
	for _, o := range r.plan.Release.ofKind(object.KindService) {
		if _, ok := r.pending[o.Key]; ok {
			continue
		}
		if resuming || needed[o.Key] {
			r.watches[o.Key] = &watch{service: o.Name, key: o.Key, required: resuming && !r.opts.NoWait}
		}
	}
}

// writeReady writes every pending service whose dependencies are satisfied.
func (r *rollout) writeReady(ctx context.Context) error {
	var ready []Step
	for _, s := range r.pending {
		if r.satisfied(s) {
			ready = append(ready, s)
		}
	}
	sort.Slice(ready, func(i, j int) bool { return ready[i].Object.Key < ready[j].Object.Key })
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for _, s := range ready {
		delete(r.pending, s.Object.Key)
		r.follow(s)
		g.Go(func() error { return r.core.do(gctx, s) })
	}
	return g.Wait()
}

// follow watches a service that is being written.
func (r *rollout) follow(s Step) {
	r.watches[s.Object.Key] = &watch{
		service: s.Object.Name, key: s.Object.Key, required: !r.opts.NoWait, rewritten: s.Restarts,
	}
}

func (r *rollout) satisfied(s Step) bool {
	for _, d := range s.Object.DependsOn {
		if _, waiting := r.pending[d.Key]; waiting {
			return false
		}
		w := r.watches[d.Key]
		if w == nil || w.last.Service == "" || !w.reached(string(d.Condition)) {
			return false
		}
	}
	return true
}

func (r *rollout) converged() bool {
	for _, w := range r.watches {
		if w.required && !w.converged {
			return false
		}
	}
	return true
}

// look reads the progress of all watched services and judges each.
func (r *rollout) look(ctx context.Context) error {
	services := make([]string, 0, len(r.watches))
	byName := map[string]*watch{}
	for _, w := range r.watches {
		services = append(services, w.service)
		byName[w.service] = w
	}
	sort.Strings(services)
	rollouts, err := r.core.backend.Progress(ctx, services)
	now := r.core.now()
	if err != nil {
		if ctx.Err() != nil {
			return r.unfinished(ctx.Err())
		}
		if r.unseen.IsZero() {
			r.unseen = now
		}
		if !unreadable(err) || now.Sub(r.unseen) > blind {
			return err
		}
		return nil
	}
	r.unseen = time.Time{}
	failed := map[*watch]verdict{}
	for _, roll := range rollouts {
		w := byName[roll.Service]
		if w == nil {
			continue
		}
		if v := w.look(roll, now); v.failed != "" {
			failed[w] = v
		}
	}
	if r.restSettled() {
		for _, w := range r.watches {
			if v := w.repeated(); v.failed != "" && failed[w].failed == "" && !w.converged {
				failed[w] = v
			}
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return r.explain(ctx, failed)
}

// restSettled reports whether every service that does not fail itself runs, so
// that failures cannot be blamed on somebody who is still coming up.
func (r *rollout) restSettled() bool {
	if len(r.pending) > 0 && !r.blockedByFailing() {
		return false
	}
	for _, w := range r.watches {
		if !w.settled() {
			return false
		}
	}
	return true
}

// blockedByFailing reports whether all that is still to be written waits for
// services that fail: then there is nothing else to wait for.
func (r *rollout) blockedByFailing() bool {
	for _, s := range r.pending {
		blocked := false
		for _, d := range s.Object.DependsOn {
			if w := r.watches[d.Key]; w != nil && len(w.failures()) > 0 {
				blocked = true
			}
			if _, waits := r.pending[d.Key]; waits {
				blocked = true
			}
		}
		if !blocked {
			return false
		}
	}
	return true
}

func (r *rollout) report() {
	now := r.core.now()
	if r.opts.Report == nil || now.Sub(r.said) < reporting {
		return
	}
	r.said = now
	r.opts.Report(fmt.Sprintf("%s: %s", r.plan.Release.Release, r.account()))
}

// account says how far the services are that have not converged.
func (r *rollout) account() string {
	var parts []string
	for _, w := range r.watches {
		switch {
		case w.converged || !w.required:
		case w.last.Service == "":
			parts = append(parts, w.service+" was just written")
		case w.fulfilled() >= w.last.Want && !w.last.updating():
			parts = append(parts, fmt.Sprintf("%s runs (%d of %d), held for the monitor window of %s", w.service, w.fulfilled(), w.last.Want, w.last.Window))
		default:
			parts = append(parts, fmt.Sprintf("%s has %d of %d tasks running", w.service, w.fulfilled(), w.last.Want))
		}
	}
	for _, s := range r.pending {
		var deps []string
		for _, d := range s.Object.DependsOn {
			deps = append(deps, d.Key)
		}
		parts = append(parts, fmt.Sprintf("%s waits for %s", s.Object.Name, strings.Join(deps, ", ")))
	}
	sort.Strings(parts)
	return strings.Join(parts, "; ")
}

// warnings are what the user should know about services that did converge.
func (r *rollout) warnings() []string {
	var out []string
	for _, w := range r.watches {
		if w.last.Blocked != "" {
			out = append(out, fmt.Sprintf("Service %s runs nowhere: no node is eligible (%s).", w.service, w.last.Blocked))
		}
	}
	sort.Strings(out)
	return out
}

// converged looks once whether all services of a release run.
func (c *Core) converged(ctx context.Context, p *Plan) (bool, error) {
	var services []string
	for _, o := range p.Release.ofKind(object.KindService) {
		services = append(services, o.Name)
	}
	if len(services) == 0 {
		return true, nil
	}
	rollouts, err := c.backend.Progress(ctx, services)
	if err != nil {
		return false, err
	}
	for _, roll := range rollouts {
		w := &watch{service: roll.Service}
		w.look(roll, c.now())
		if w.fulfilled() < roll.Want || roll.updating() {
			return false, nil
		}
	}
	return true, nil
}
