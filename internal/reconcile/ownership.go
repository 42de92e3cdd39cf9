package reconcile

import (
	"strings"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// stamp returns the object with the labels that say whose it is. None of them
// reaches a task template, so that stamping never restarts a task.
func stamp(o object.Object, owner Owner) object.Object {
	o = o.Clone()
	labels := labelsOf(&o)
	if labels == nil {
		return o
	}
	if *labels == nil {
		*labels = map[string]string{}
	}
	for k, v := range map[string]string{
		LabelStack:    owner.Release,
		LabelRelease:  owner.Release,
		LabelKind:     owner.Kind,
		LabelInstance: owner.Instance,
		LabelOwner:    owner.Owner,
		LabelKey:      o.Key,
	} {
		(*labels)[k] = v
	}
	if o.Kind == object.KindSecret && o.Fingerprint != "" {
		(*labels)[LabelFingerprint] = o.Fingerprint
	}
	return o
}

// labelsOf returns where the labels of an object are, nil when it has none.
func labelsOf(o *object.Object) *map[string]string {
	switch spec := o.Spec.(type) {
	case *swarm.ServiceSpec:
		return &spec.Labels
	case *swarm.ConfigSpec:
		return &spec.Labels
	case *swarm.SecretSpec:
		return &spec.Labels
	case *object.NetworkSpec:
		return &spec.Options.Labels
	}
	return nil
}

// labelOf reads one label of an object, "" when it has none of the name.
func labelOf(o object.Object, name string) string {
	labels := labelsOf(&o)
	if labels == nil {
		return ""
	}
	return (*labels)[name]
}

// claim decides which observed objects belong to one release.
type claim struct {
	owner Owner
	// adopting is the stack whose unlabelled objects are being taken over.
	adopting string
	// named are objects without labels of ours that the newest record lists.
	named map[Adopted]bool
	// external objects are declared to be somebody else's: whatever label they
	// carry, they are never the release's own.
	external map[Adopted]bool
}

func newClaim(owner Owner, newest *Revision, adopting bool) claim {
	c := claim{owner: owner, named: map[Adopted]bool{}, external: map[Adopted]bool{}}
	if adopting {
		c.adopting = owner.Release
	}
	if newest != nil && newest.Owner.Instance == owner.Instance {
		for _, a := range newest.Adopted {
			c.named[a] = true
		}
		for _, o := range newest.Objects {
			c.named[Adopted{Kind: o.Kind, Name: o.Name}] = true
		}
		for _, a := range newest.External {
			c.external[a] = true
		}
	}
	return c
}

// declaring returns the claim of a release that declares these objects external.
func (c claim) declaring(external []object.External) claim {
	c.external = map[Adopted]bool{}
	for _, e := range external {
		c.external[Adopted{Kind: e.Kind, Name: e.Name}] = true
	}
	return c
}

// owns reports whether an observed object is the release's own. Labels are the
// stronger evidence; the record speaks only for objects that carry none.
func (c claim) owns(l *Live) bool {
	if l.Kind == object.KindRecord {
		return l.Owner.Release == c.owner.Release && l.Owner.Instance == c.owner.Instance
	}
	if c.external[Adopted{Kind: l.Kind, Name: l.Name}] {
		return false
	}
	if l.Owner.Release != "" {
		return l.Owner.Release == c.owner.Release && l.Owner.Instance == c.owner.Instance
	}
	if c.named[Adopted{Kind: l.Kind, Name: l.Name}] {
		return true
	}
	return c.adopting != "" && l.Stack == c.adopting
}

// bookkeeping tells the objects that the provider keeps for itself.
func bookkeeping(kind object.Kind) bool {
	return kind == object.KindRecord || kind == object.KindLease
}

// owned returns the release's objects, bookkeeping left out, in the order of
// observation.
func (c claim) owned(s *State) []*Live {
	var out []*Live
	for i := range s.Live {
		if l := &s.Live[i]; !bookkeeping(l.Kind) && c.owns(l) {
			out = append(out, l)
		}
	}
	return out
}

// find returns the observed object of a real name, nil when there is none.
func (s *State) find(kind object.Kind, name string) *Live {
	for i := range s.Live {
		if l := &s.Live[i]; l.Kind == kind && l.Name == name {
			return l
		}
	}
	return nil
}

// met returns what a create of a release finds under its name: objects of the
// stack, objects with its label, and objects that have the very names it wants.
func (s *State) met(desired Release) []*Live {
	want := map[Adopted]bool{}
	for _, o := range desired.Objects {
		want[Adopted{Kind: o.Kind, Name: o.Name}] = true
	}
	var out []*Live
	for i := range s.Live {
		l := &s.Live[i]
		if bookkeeping(l.Kind) {
			continue
		}
		if l.Stack == desired.Release || l.Owner.Release == desired.Release || want[Adopted{Kind: l.Kind, Name: l.Name}] {
			out = append(out, l)
		}
	}
	return out
}

// users returns the services outside a release that refer to a network.
func (s *State) users(network string, ours claim) []string {
	var out []string
	for i := range s.Live {
		l := &s.Live[i]
		if l.Kind != object.KindService || ours.owns(l) {
			continue
		}
		if attached(l.Object, network) {
			out = append(out, l.Name)
		}
	}
	return out
}

// attached reports whether a service refers to a network by its real name.
func attached(service object.Object, network string) bool {
	spec, ok := service.Spec.(*swarm.ServiceSpec)
	if !ok {
		return false
	}
	for _, n := range spec.TaskTemplate.Networks {
		if n.Target == network {
			return true
		}
	}
	return false
}

func names(objects []*Live) string {
	out := make([]string, len(objects))
	for i, l := range objects {
		out[i] = string(l.Kind) + " " + l.Name
	}
	return strings.Join(out, ", ")
}
