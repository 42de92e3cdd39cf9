package reconcile

import (
	"context"
	"fmt"
	"slices"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// Plan compares what is desired with what is observed and returns every step in
// between, in order. It writes nothing. The error is an *Error; ReasonRefused
// when the release's name is taken.
func (c *Core) Plan(ctx context.Context, desired Release, opts PlanOptions) (*Plan, error) {
	op := "plan " + desired.Release
	state, err := c.backend.Observe(ctx, Scope{Fresh: opts.Fresh})
	if err != nil {
		return nil, ended(ctx, op, err)
	}
	unfinished, err := c.unfinishedJobs(ctx, state, desired.Release)
	if err != nil {
		return nil, ended(ctx, op, err)
	}
	homes, err := c.homes(ctx, state, desired)
	if err != nil {
		return nil, ended(ctx, op, err)
	}
	return plan(state, desired, opts, facts{unfinished: unfinished, homes: homes})
}

// facts are what a plan has to know that no list of objects says.
type facts struct {
	// unfinished jobs are run again, see unfinishedJobs.
	unfinished map[string]bool
	// homes are the ids of the nodes that hold the data of services, see Core.homes.
	homes map[string]string
	// converged is set when the newest revision is known to have converged,
	// whatever its record says so far.
	converged bool
	// recorded is set when the desired objects come from a record, which has no
	// contents of configs and secrets: those must be there.
	recorded bool
}

// unfinishedJobs names the jobs of a release whose current run neither completed
// nor goes on. It asks the engine only when the newest revision is not deployed:
// nobody else wants to know.
func (c *Core) unfinishedJobs(ctx context.Context, state *State, release string) (map[string]bool, error) {
	newest, err := state.newest(release)
	if err != nil || newest == nil || newest.Status == Deployed {
		return nil, err
	}
	var jobs []string
	for i := range state.Live {
		if l := &state.Live[i]; l.Owner.Release == release && isJob(l.Object) {
			jobs = append(jobs, l.Name)
		}
	}
	if len(jobs) == 0 {
		return nil, nil
	}
	rollouts, err := c.backend.Progress(ctx, jobs)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, r := range rollouts {
		if r.Have < r.Want && !r.active() {
			out[r.Service] = true
		}
	}
	return out, nil
}

// planner carries what the parts of one plan share.
type planner struct {
	state     *State
	desired   Release
	opts      PlanOptions
	revisions []*Revision
	newest    *Revision
	claim     claim
	adopting  bool
	owned     []*Live
	facts     facts
	// names resolve references on either side.
	desiredNames, liveNames object.Names
	out                     *Plan
}

// plan is pure: all it knows is in its arguments.
func plan(state *State, desired Release, opts PlanOptions, known facts) (*Plan, error) {
	revisions, err := state.revisions(desired.Release)
	if err != nil {
		return nil, err
	}
	p := &planner{state: state, desired: desired, opts: opts, revisions: revisions, facts: known, out: &Plan{Options: opts, state: state}}
	if n := len(revisions); n > 0 {
		p.newest = revisions[n-1]
	}
	if err := p.identify(); err != nil {
		return nil, err
	}
	p.claim = newClaim(p.desired.Owner, p.newest, p.adopting).declaring(p.desired.External)
	p.owned = p.claim.owned(state)
	if err := p.checkEngine(); err != nil {
		return nil, err
	}
	if err := p.checkForeign(); err != nil {
		return nil, err
	}
	if err := p.checkLocal(); err != nil {
		return nil, err
	}
	if err := p.settleNames(); err != nil {
		return nil, err
	}
	p.desired.Pinned = p.desired.pinned(p.newest)
	p.desiredNames, p.liveNames = object.NamesOf(p.desired.Objects), namesOfLive(p.owned)
	if err := p.steps(); err != nil {
		return nil, err
	}
	p.out.Release, p.out.Newest = p.desired, p.newest
	if p.newest != nil && p.newest.Owner.Instance != p.desired.Instance {
		p.out.Newest = nil
	}
	p.out.Prune = p.prune()
	p.out.next, p.out.revisions = p.revision(), p.revisions
	return p.out, nil
}

// steps fills in the writes, in order.
func (p *planner) steps() error {
	var writes []Step
	replaced := map[string]string{} // service → why it is removed and created again
	var place []Step                // removals that make place
	for _, o := range p.desired.ofKind(object.KindNetwork) {
		step, err := p.network(o, replaced)
		if err != nil {
			return err
		}
		if step == nil {
			continue
		}
		if step.Live != nil {
			place = append(place, Step{Verb: Delete, Object: step.Live.Object, Live: step.Live, Reason: step.Reason})
		}
		writes = append(writes, Step{Verb: Create, Object: stamp(o, p.desired.Owner), Reason: step.Reason})
	}
	for _, kind := range []object.Kind{object.KindSecret, object.KindConfig} {
		for _, o := range p.desired.ofKind(kind) {
			step, err := p.file(o)
			if err != nil {
				return err
			}
			if step != nil {
				writes = append(writes, *step)
			}
		}
	}
	var services []Step
	for _, o := range p.desired.ofKind(object.KindService) {
		steps, err := p.service(o, replaced)
		if err != nil {
			return err
		}
		services = append(services, steps...)
	}
	for _, s := range services {
		if s.Verb == Delete {
			p.out.Steps = append(p.out.Steps, s)
			p.out.Disruptions = append(p.out.Disruptions, fmt.Sprintf("Service %s is removed and created again: %s.", s.Object.Name, s.Reason))
		}
	}
	p.out.Steps = append(append(p.out.Steps, place...), writes...)
	for _, s := range services {
		if s.Verb != Delete {
			p.out.Steps = append(p.out.Steps, s)
		}
	}
	return nil
}

// prune returns the deletions that follow convergence.
func (p *planner) prune() []Step {
	var out []Step
	wanted := map[Adopted]bool{}
	for _, o := range p.desired.Objects {
		wanted[Adopted{Kind: o.Kind, Name: o.Name}] = true
	}
	keep, drop := p.revisions, []*Revision(nil)
	if p.newest != nil && p.newest.Owner.Instance == p.desired.Instance {
		keep, drop = kept(p.revisions, p.desired.HistoryLimit, p.facts.converged)
	}
	for _, rev := range keep {
		if rev.Owner.Instance != p.desired.Instance {
			continue
		}
		for _, o := range rev.Objects {
			if (o.Kind == object.KindConfig || o.Kind == object.KindSecret) && (rev.Status == Deployed || !p.wasMade(o)) {
				wanted[Adopted{Kind: o.Kind, Name: o.Name}] = true
			}
		}
	}
	// Services first: they hold on to everything else.
	for _, kind := range []object.Kind{object.KindService, object.KindConfig, object.KindSecret, object.KindNetwork} {
		for _, l := range p.owned {
			if l.Kind != kind || wanted[Adopted{Kind: l.Kind, Name: l.Name}] {
				continue
			}
			if p.opts.NoPrune {
				continue
			}
			if kind != object.KindNetwork && len(p.state.mounters(Adopted{Kind: l.Kind, Name: l.Name}, p.claim)) > 0 {
				// Services of others mount it, which follow in an apply of their own: the
				// one after that finds nobody.
				continue
			}
			out = append(out, Step{Verb: Delete, Object: l.Object, Live: l, Reason: "no longer declared"})
		}
	}
	for _, rev := range drop {
		out = append(out, Step{Verb: Delete, Object: rev.live.Object, Live: rev.live, Reason: "beyond the history limit"})
	}
	return out
}

// revision is what an apply of this plan puts on record, but for its number and
// time.
func (p *planner) revision() Revision {
	next := Revision{Status: Applying, Owner: p.desired.Owner, Commit: p.desired.Commit, Objects: p.desired.Objects, Images: p.desired.Pinned, Earlier: p.recordsLost()}
	wanted := map[Adopted]bool{}
	for _, o := range p.desired.Objects {
		wanted[Adopted{Kind: o.Kind, Name: o.Name}] = true
	}
	for _, e := range p.desired.External {
		next.External = append(next.External, Adopted{Kind: e.Kind, Name: e.Name})
	}
	for _, l := range p.owned {
		a := Adopted{Kind: l.Kind, Name: l.Name}
		if l.Owner.Release == "" {
			next.Adopted = append(next.Adopted, a)
		}
		if p.opts.NoPrune && !wanted[a] && (l.Kind == object.KindService || l.Kind == object.KindNetwork) {
			next.Retained = append(next.Retained, a)
		}
	}
	return next
}

// recordsLost reports whether objects of the instance are there and no record is,
// which is the first thing that is written and the last that is removed.
func (p *planner) recordsLost() bool {
	return p.out.Newest == nil && slices.ContainsFunc(p.owned, func(l *Live) bool { return l.Owner.Instance == p.desired.Instance })
}

// ofKind returns the objects of one kind, in the order of the release.
func (r Release) ofKind(kind object.Kind) []object.Object {
	var out []object.Object
	for _, o := range r.Objects {
		if o.Kind == kind {
			out = append(out, o)
		}
	}
	return out
}

func namesOfLive(live []*Live) object.Names {
	objects := make([]object.Object, len(live))
	for i, l := range live {
		objects[i] = l.Object
	}
	return object.NamesOf(objects)
}
