package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// settleNames gives configs and secrets their final names: what is live with the
// same content keeps its name, and an explicit name cannot get new content. A
// name that something else of the release's own has by now, since somebody made
// the config anew by hand or relabelled the secret, is left to it: what is live
// can neither be changed nor, while services mount it, removed.
func (p *planner) settleNames() error {
	var fixed []string
	objects := make([]object.Object, len(p.desired.Objects))
	copy(objects, p.desired.Objects)
	rename := map[Adopted]string{}
	batches := map[*object.Derived]map[string]*Live{}
	for i, o := range objects {
		if o.Kind != object.KindConfig && o.Kind != object.KindSecret {
			continue
		}
		if o.FixedName {
			if l := p.state.find(o.Kind, o.Name); l != nil && !p.sameContent(o, l) {
				fixed = append(fixed, o.Ref().String()+" (name: "+o.Name+")")
			}
			continue
		}
		name := o.Name
		if l := p.standing(o, batches); l != nil {
			name = l.Name
		} else if !p.facts.recorded {
			name = p.freeName(o)
			p.warnOfReplacement(o, name)
		}
		if name != o.Name {
			rename[Adopted{Kind: o.Kind, Name: o.Name}] = name
			objects[i] = named(o, name)
		}
	}
	if len(fixed) > 0 {
		return &Error{
			Reason: ReasonInvalid,
			Op:     "plan " + p.desired.Release,
			Detail: "The content of " + strings.Join(fixed, ", ") + " changes, and it carries an explicit name: Swarm cannot change " +
				"the content of a config or secret. Leave `name:` out, or put a variable into it that changes with the content.",
		}
	}
	renamed := func(o object.Object) object.Object {
		for from, to := range rename {
			o = object.RenameReferences(o, from.Kind, from.Name, to)
		}
		return o
	}
	for i, o := range objects {
		if o.Kind == object.KindService {
			objects[i] = renamed(o)
		}
	}
	p.desired.Objects = objects
	for _, jobs := range []*[]object.OneShot{&p.desired.Before, &p.desired.After} {
		*jobs = slices.Clone(*jobs)
		for i := range *jobs {
			(*jobs)[i].Service = renamed((*jobs)[i].Service)
		}
	}
	return nil
}

// warnOfReplacement tells that an adopted secret gets a successor although its
// content may be the very same: nobody can read it back to see.
func (p *planner) warnOfReplacement(o object.Object, name string) {
	if o.Kind != object.KindSecret {
		return
	}
	for i := range p.out.Adopted {
		if l := &p.out.Adopted[i]; l.Kind == object.KindSecret && l.Key == o.Key {
			p.out.Warnings = append(p.out.Warnings, fmt.Sprintf(
				"The content of secret %s cannot be read, so it is replaced by secret %s with the content that is given, and the services that mount it restart their tasks.", l.Name, name))
		}
	}
}

// standing returns the owned live config or secret that is to stay for a desired
// one. batches remembers what it found for secrets that are made together.
func (p *planner) standing(o object.Object, batches map[*object.Derived]map[string]*Live) *Live {
	d := o.Derived
	if d == nil || len(d.Keys) < 2 || p.facts.recorded {
		return p.generation(o)
	}
	if _, ok := batches[d]; !ok {
		batches[d] = p.together(d)
	}
	return batches[d][o.Key]
}

// generation returns the owned live config or secret that already holds the
// content of a desired one.
func (p *planner) generation(o object.Object) *Live {
	var found *Live
	for _, l := range p.owned {
		if l.Kind != o.Kind || l.Key != o.Key || !p.sameContent(o, l) {
			continue
		}
		if l.Name == o.Name {
			return l
		}
		if p.facts.recorded && batchOf(l) != "" {
			continue // made from the same, and not the same
		}
		if found == nil {
			found = l
		}
	}
	return found
}

// sameContent reports whether a live config or secret is what a desired one
// would be created as. Labels are all that can be changed later. Of one that
// comes from a record, the fingerprint is all there is.
func (p *planner) sameContent(o object.Object, l *Live) bool {
	if o.Fingerprint == "" || o.Fingerprint != l.Fingerprint {
		return false
	}
	if p.facts.recorded {
		return true
	}
	want, err := o.Form(object.View{})
	if err != nil {
		return false
	}
	have, err := l.Form(object.View{Live: true})
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(object.Diff(want, have), func(d object.Difference) bool { return d.Path[0] != "labels" })
}

// freeName is the name for a config or secret that is not there yet: its content
// name, or another one when something of the release's own has that. Of secrets
// that are made together none gets the name that a deployed revision knows another
// making by: a roll-back goes by names.
func (p *planner) freeName(o object.Object) string {
	name := o.Name
	taken := func() bool {
		l := p.state.find(o.Kind, name)
		return l != nil && p.claim.owns(l) ||
			o.Derived != nil && len(o.Derived.Keys) > 1 && p.deployedWith(o.Kind, name)
	}
	for again := 2; ; again++ {
		if !taken() {
			return name
		}
		name = object.ContentName(p.desired.Release, o.Key, fmt.Sprintf("%d of %s", again, o.Fingerprint))
	}
}

// deployedWith reports whether a revision that was deployed has an object of this
// name.
func (p *planner) deployedWith(kind object.Kind, name string) bool {
	return slices.ContainsFunc(p.revisions, func(r *Revision) bool {
		return r.Status == Deployed && r.Owner.Instance == p.desired.Instance &&
			slices.ContainsFunc(r.Objects, func(o object.Object) bool { return o.Kind == kind && o.Name == name })
	})
}

// named returns a config or secret under another real name.
func named(o object.Object, name string) object.Object {
	o = o.Clone()
	o.Name = name
	switch spec := o.Spec.(type) {
	case *swarm.ConfigSpec:
		spec.Name = name
	case *swarm.SecretSpec:
		spec.Name = name
	}
	return o
}
