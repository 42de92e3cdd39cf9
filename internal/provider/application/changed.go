package application

import (
	"sort"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// changed lists the objects in which two revisions differ, those that only one
// of them has included.
func changed(after, before []object.Object) []string {
	was, is := meanings(before), meanings(after)
	refs := []string{}
	for ref, meaning := range is {
		if old, ok := was[ref]; !ok || old != meaning {
			refs = append(refs, ref)
		}
	}
	for ref := range was {
		if _, ok := is[ref]; !ok {
			refs = append(refs, ref)
		}
	}
	sort.Strings(refs)
	return refs
}

// meanings maps every object to what it means: the canonical form, and the
// fingerprint of configs and secrets, whose content no record has.
func meanings(objects []object.Object) map[string]string {
	names := object.NamesOf(objects)
	out := make(map[string]string, len(objects))
	for _, o := range objects {
		meaning := o.Fingerprint
		if o.Kind != object.KindConfig && o.Kind != object.KindSecret {
			form, err := o.Form(object.View{Names: names})
			if err != nil {
				meaning = err.Error() // a form that cannot be had differs from every other
			} else {
				meaning = form.JSON()
			}
		}
		out[o.Ref().String()] = meaning
	}
	return out
}
