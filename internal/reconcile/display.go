package reconcile

import (
	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// declare is Declare.
func declare(desired *Release, prior map[string]string) (map[string]string, error) {
	names := object.NamesOf(desired.Objects)
	scope := object.Scope{Kind: desired.Kind, Release: desired.Release}
	out := map[string]string{}
	show := func(o object.Object) (object.Object, error) {
		form, err := o.Form(object.View{Names: names})
		if err != nil {
			return o, invalidForm(o, err)
		}
		if was, ok := prior[o.Ref().String()]; ok {
			if before, err := object.ParseForm(was); err == nil {
				o.Sensitive = union(o.Sensitive, object.StickySensitive(form, before, scope, o.Ref()))
			}
		}
		out[o.Ref().String()] = form.Redact(scope, o.Ref(), o.Sensitive).JSON()
		return o, nil
	}
	objects := make([]object.Object, len(desired.Objects))
	for i, o := range desired.Objects {
		shown, err := show(o)
		if err != nil {
			return nil, err
		}
		objects[i] = shown
	}
	for _, o := range object.Volumes(objects, desired.Release) {
		if _, err := show(o); err != nil {
			return nil, err
		}
	}
	desired.Objects = objects
	return out, nil
}

func union(a, b []object.Path) []object.Path {
	seen := map[string]bool{}
	var out []object.Path
	for _, p := range append(append([]object.Path(nil), a...), b...) {
		if key := p.String(); !seen[key] {
			seen[key] = true
			out = append(out, p)
		}
	}
	return out
}

// display is the canonical JSON of live objects, redacted by what the records
// say is sensitive. Without a record nobody knows, and everything that may be is
// redacted.
//
// The newest revision may not have been reached, or been left again: what runs is
// then of an older one, whose sensitive places count as well.
func display(owner Owner, newest *Revision, others []*Revision, live []object.Object, names object.Names) (map[string]string, error) {
	scope := object.Scope{Kind: owner.Kind, Release: owner.Release}
	out := map[string]string{}
	for _, o := range live {
		declared := newest.object(o.Ref())
		form, err := o.Form(object.View{Names: names, Live: true, Declared: declared})
		if err != nil {
			return nil, invalidForm(o, err)
		}
		hidden := hiddenIn(o.Ref(), form, newest, others)
		out[o.Ref().String()] = form.Redact(scope, o.Ref(), hidden).JSON()
	}
	return out, nil
}

// hiddenIn returns what must not be shown of a live object.
func hiddenIn(ref object.Ref, form object.Form, newest *Revision, others []*Revision) []object.Path {
	var hidden []object.Path
	known := false
	for _, rev := range append([]*Revision{newest}, others...) {
		if was := rev.object(ref); was != nil {
			known = true
			hidden = union(hidden, was.Sensitive)
		}
	}
	if !known && ref.Kind != object.KindVolume {
		return object.UnrecordedSensitive(form, ref.Kind)
	}
	return hidden
}
