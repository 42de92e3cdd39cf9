package reconcile

import (
	"fmt"

	"github.com/docker/docker/api/types/swarm"
	"github.com/google/uuid"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// LabelBatch tells which secrets come from one making, see object.Derived.
const LabelBatch = LabelPrefix + "batch"

// together returns the live secrets, by key, that stand for the derived ones that
// are made together: of one making, all of them there, and made from what is
// desired now. nil when there is no such set, and all have to be made.
func (p *planner) together(derived *object.Derived) map[string]*Live {
	desired := map[string]object.Object{}
	for _, o := range p.desired.Objects {
		if o.Derived == derived {
			desired[o.Key] = o
		}
	}
	batches := map[string]map[string]*Live{}
	for _, l := range p.owned {
		o, ok := desired[l.Key]
		if !ok || l.Kind != object.KindSecret || !p.sameContent(o, l) {
			continue
		}
		batch := batchOf(l)
		if batches[batch] == nil {
			batches[batch] = map[string]*Live{}
		}
		batches[batch][l.Key] = l
	}
	var best map[string]*Live
	for _, set := range batches {
		// Of several whole ones the services' own: another one would restart them.
		if len(set) == len(desired) && (best == nil || p.mounted(set) > p.mounted(best)) {
			best = set
		}
	}
	return best
}

// mounted counts the secrets that live services of the release refer to.
func (p *planner) mounted(set map[string]*Live) int {
	n := 0
	for _, service := range p.owned {
		refs := references(service.Object)
		for _, l := range set {
			if refs[Adopted{Kind: l.Kind, Name: l.Name}] {
				n++
			}
		}
	}
	return n
}

// wasMade reports whether a live secret is of a making. Of a revision that never
// got there the others of that making may be missing, and then it opens nothing.
func (p *planner) wasMade(o object.Object) bool {
	l := p.state.find(o.Kind, o.Name)
	return l != nil && batchOf(l) != ""
}

// batchOf tells of which making a live secret is, "" when it was not made.
func batchOf(l *Live) string {
	if l.Kind != object.KindSecret {
		return ""
	}
	return labelOf(l.Object, LabelBatch)
}

// makeSecrets fills in the contents that exist only from now on. It is called once
// before the steps are carried out, so that a write that is repeated writes the
// same.
func (p *Plan) makeSecrets() error {
	made := map[*object.Derived]map[string][]byte{}
	batches := map[*object.Derived]string{}
	for i, s := range p.Steps {
		derived := s.Object.Derived
		if s.Verb != Create || derived == nil {
			continue
		}
		if made[derived] == nil {
			contents, err := derived.Make()
			if err != nil {
				return &Error{Reason: ReasonInvalid, Op: "make secret " + s.Object.Name, Ref: s.Object.Ref(), Err: err, Detail: "Nothing of it was written."}
			}
			made[derived], batches[derived] = contents, uuid.NewString()
		}
		content := made[derived][s.Object.Key]
		o := s.Object.Clone()
		spec, ok := o.Spec.(*swarm.SecretSpec)
		if !ok || len(content) == 0 {
			return &Error{Reason: ReasonInvalid, Op: "make secret " + s.Object.Name, Ref: s.Object.Ref(), Err: fmt.Errorf("no content for %q", s.Object.Key)}
		}
		spec.Data, spec.Labels[LabelBatch] = content, batches[derived] // stamped, so there are labels
		p.Steps[i].Object = o
		p.made = append(p.made, string(content))
	}
	return nil
}

// hide masks in an error the values that this apply has made.
func (p *Plan) hide(err error) error {
	if len(p.made) == 0 {
		return err
	}
	return newMasker(Release{Sensitive: p.made}).error(err)
}
