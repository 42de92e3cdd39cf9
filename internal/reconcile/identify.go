package reconcile

import (
	"fmt"

	"github.com/google/uuid"
)

// identify settles which instance the plan is for. A caller that knows the
// instance keeps it. A create takes a new one, unless what it meets is its own
// half-made work (resumed), or is to be adopted; everything else is refused.
func (p *planner) identify() error {
	if p.desired.Instance != "" {
		if err := p.state.ofOthers("plan "+p.desired.Release, p.desired.Owner, p.newest); err != nil && !p.opts.Adopt {
			return err
		}
		if n := p.newest; n != nil && n.Owner.Instance != p.desired.Instance {
			// Two creates of one name were planned before either had begun, or a state
			// speaks of what is gone.
			if err := p.ofAnotherKind(nil); err != nil {
				return err
			}
			return p.refuse(nil)
		}
		// An adoption that was planned before, or the first apply after an import
		// of a stack without labels.
		p.adopting = p.opts.Adopt && p.newest == nil
		p.adopted()
		return nil
	}
	met := p.state.met(p.desired)
	if len(met) == 0 && p.newest == nil {
		p.desired.Instance = uuid.NewString()
		return nil
	}
	if p.resumable() {
		p.desired.Instance = p.newest.Owner.Instance
		p.out.Warnings = append(p.out.Warnings, fmt.Sprintf(
			"Release %s was begun by an apply that did not finish (revision %d is %q): its objects are taken over and completed, unless this plan replaces it.",
			p.desired.Release, p.newest.Number, p.newest.Status))
		return nil
	}
	if err := p.ofAnotherKind(met); err != nil {
		return err
	}
	if !p.opts.Adopt {
		return p.refuse(met)
	}
	if p.newest != nil {
		p.desired.Instance = p.newest.Owner.Instance
	} else {
		p.desired.Instance = uuid.NewString()
		p.adopting = true
	}
	p.adopted()
	if len(met) > 0 {
		p.out.Warnings = append(p.out.Warnings, fmt.Sprintf(
			"Existing objects become part of release %s and will be changed and deleted with it: %s.", p.desired.Release, names(met)))
	}
	return nil
}

// ofAnotherKind refuses a release of another kind, which can be neither imported
// nor adopted: nothing of it would be declared any more, and all of it be pruned,
// protected or not.
func (p *planner) ofAnotherKind(met []*Live) error {
	theirs := ""
	if p.newest != nil {
		theirs = p.newest.Owner.Kind
	}
	for _, l := range met {
		if theirs == "" && l.Owner.Release == p.desired.Release {
			theirs = l.Owner.Kind
		}
	}
	if theirs == "" || theirs == p.desired.Kind {
		return nil
	}
	return &Error{
		Reason: ReasonRefused,
		Op:     "create " + p.desired.Release,
		Detail: fmt.Sprintf("In the swarm a release of this name exists and is of kind %s, and this one is of kind %s. All kinds share one name space, and adopt = true takes over the same kind only. "+
			"Nothing was changed. Choose another name, or destroy that release first.", theirs, p.desired.Kind),
	}
}

// adopted notes what an adoption takes over.
func (p *planner) adopted() {
	if !p.adopting {
		return
	}
	for _, l := range newClaim(p.desired.Owner, nil, true).declaring(p.desired.External).owned(p.state) {
		if l.Owner.Release == "" {
			p.out.Adopted = append(p.out.Adopted, *l)
		}
	}
}

// resumable reports whether what is on record is a create of the same release
// that was killed or failed: same owner and kind, and either no revision was
// ever deployed, or the only one asks for exactly what is desired now.
func (p *planner) resumable() bool {
	n := p.newest
	if n == nil || n.Owner.Owner != p.desired.Owner.Owner || n.Owner.Kind != p.desired.Kind {
		return false
	}
	for _, r := range p.revisions {
		if r.Status != Deployed {
			continue
		}
		if len(p.revisions) > 1 {
			return false
		}
		return n.sameContent(Revision{Owner: n.Owner, Objects: p.desired.Objects, Retained: n.Retained})
	}
	return true
}

// ofOthers refuses to touch an installation whose owner is another one. Whose it
// is the newest record says, since that is written by every take-over; without a
// record the objects do.
func (s *State) ofOthers(op string, ours Owner, newest *Revision) error {
	theirs := ""
	if newest != nil && newest.Owner.Instance == ours.Instance {
		theirs = newest.Owner.Owner
	} else if newest == nil {
		for i := range s.Live {
			if o := s.Live[i].Owner; o.Release == ours.Release && o.Instance == ours.Instance && ours.Instance != "" {
				theirs = o.Owner
				break
			}
		}
	}
	if theirs == "" || theirs == ours.Owner {
		return nil
	}
	return &Error{
		Reason: ReasonOtherOwner,
		Op:     op,
		Detail: fmt.Sprintf("Release %s belongs to owner %q, and this configuration is of owner %q. Nothing was changed.", ours.Release, theirs, ours.Owner) +
			"\n\n" + handOver(ours, theirs),
	}
}

// handOver says how a release gets from one owner to another.
func handOver(ours Owner, theirs string) string {
	return fmt.Sprintf("To manage it as what it is, set the provider's owner to %q. To take it over for owner %q, see to it that no other "+
		"configuration has it in its state, and create it here with adopt = true.", theirs, ours.Owner)
}

func (p *planner) refuse(met []*Live) error {
	if n := p.newest; n != nil && n.Owner.Owner != p.desired.Owner.Owner {
		return &Error{
			Reason: ReasonRefused,
			Op:     "create " + p.desired.Release,
			Detail: fmt.Sprintf("In the swarm a release of this name exists (revision %d, %s, instance %s). It belongs to owner %q, and this configuration is of owner %q. Nothing was changed.",
				n.Number, n.Status, n.Owner.Instance, n.Owner.Owner, p.desired.Owner.Owner) + "\n\n" + handOver(p.desired.Owner, n.Owner.Owner),
		}
	}
	what := "objects of this name exist: " + names(met)
	if p.newest != nil {
		what = fmt.Sprintf("a release of this name exists (revision %d, %s, owner %q, instance %s)",
			p.newest.Number, p.newest.Status, p.newest.Owner.Owner, p.newest.Owner.Instance)
	}
	return &Error{
		Reason: ReasonRefused,
		Op:     "create " + p.desired.Release,
		Detail: fmt.Sprintf("In the swarm %s. Nothing was changed. To manage them with Terraform, import them "+
			"(terraform import swarm_%s.<name> %s) or set adopt = true.", what, p.desired.Kind, p.desired.Release),
	}
}
