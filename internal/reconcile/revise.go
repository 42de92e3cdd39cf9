package reconcile

import (
	"context"
	"maps"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// begin writes the record of the revision that is about to be applied. It is the
// first write of every apply, so that everything that follows can be found again
// under its instance. It returns nil when no new revision is due.
func (c *Core) begin(ctx context.Context, p *Plan) (*Revision, error) {
	if !p.revises() {
		return nil, nil
	}
	next := p.next
	next.Number, next.Created = 1, c.now()
	if last := p.state.records(p.Release.Release); len(last) > 0 {
		next.Number = recordNumber(p.Release.Release, last[len(last)-1].Name) + 1
	}
	if n := p.Newest; n != nil && n.Status != Deployed && n.sameContent(next) && maps.Equal(n.Images, next.Images) {
		return n, c.note(ctx, p.Release.Owner, n.Number, Applying)
	}
	if p.Newest == nil && len(p.Adopted) > 0 {
		was := next
		was.Status, was.Commit, was.Objects = Deployed, "", nil
		for _, l := range p.Adopted {
			was.Objects = append(was.Objects, l.Object)
		}
		if err := c.createRecord(ctx, was); err != nil {
			return nil, err
		}
		next.Number++
	}
	return &next, c.createRecord(ctx, next)
}

func (c *Core) createRecord(ctx context.Context, rev Revision) error {
	o, err := rev.record()
	if err != nil {
		return err
	}
	err = c.do(ctx, Step{Verb: Create, Object: o})
	if ReasonOf(err) == ReasonExists {
		return &Error{
			Reason: ReasonConflict, Op: "record revision " + o.Name, Err: err,
			Detail: "Somebody else applies this release at this moment. Wait until that is done and try again.",
		}
	}
	return err
}

// note changes the status of a revision. A record that is gone is no error: the
// next apply writes a new one.
func (c *Core) note(ctx context.Context, owner Owner, number int, status Status) error {
	var silence error
	for attempt := 1; ; attempt++ {
		state, err := patiently(ctx, c, func() (*State, error) { return c.backend.Observe(ctx, Scope{Fresh: attempt > 1}) })
		if err != nil {
			return err
		}
		l := state.find(object.KindRecord, recordName(owner.Release, number))
		if l == nil || l.Owner.Instance != owner.Instance || l.Status == string(status) {
			return nil
		}
		o := l.Object.Clone()
		(*labelsOf(&o))[LabelStatus] = string(status)
		_, err = c.backend.Do(ctx, Step{Verb: Update, Object: o, Live: l})
		// Without an answer it may have been written: the next look tells.
		if silence != nil && ctx.Err() != nil {
			return silence // the time ran out because of it
		}
		silence = err
		if r := ReasonOf(err); (r != ReasonConflict && r != ReasonUnreachable) || attempt > retries {
			return err
		}
	}
}
