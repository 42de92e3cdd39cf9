package render

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// markSensitive finds the places in the canonical forms of the objects that
// sensitive variables and values went into. It renders the application a second time, with
// sensitive values that are marked: what then differs is sensitive, whatever
// splitting, trimming and sorting docker/cli did on the way.
//
// Positions that cannot be hidden have been refused before (shape.hides).
func markSensitive(app spec.Application, vars variables, rendered *Rendered, r *report) {
	for _, marked := range vars.marked() {
		markDifferences(app, marked, rendered, r)
	}
}

// markDifferences renders once more, with other values, and notes what differs.
func markDifferences(app spec.Application, marked variables, rendered *Rendered, r *report) {
	second := &report{}
	other := renderApplication(app, marked, second)
	for _, p := range second.problems {
		if p.Severity == spec.Error {
			p.Summary = "A sensitive value is used where it cannot be hidden"
			p.Detail = "Use `variables` or `values` for it, or put it into a secret."
			r.add(p)
		}
	}
	if second.problems.HasErrors() {
		return
	}
	byRef := map[object.Ref]object.Object{}
	for _, o := range other.Objects {
		byRef[o.Ref()] = o
	}
	names, otherNames := object.NamesOf(rendered.Objects), object.NamesOf(other.Objects)
	for i := range rendered.Objects {
		o := &rendered.Objects[i]
		if o.Kind == object.KindSecret {
			continue // shown as a fingerprint in any case
		}
		form, err := o.Form(object.View{Names: names})
		if err != nil {
			r.put(spec.Error, place{}, serviceOf(*o), fmt.Sprintf("%s has no canonical form", o.Ref()), "It cannot be compared with what runs, and sensitive values in it cannot be hidden.")
			continue
		}
		otherForm, err := byRef[o.Ref()].Form(object.View{Names: otherNames})
		if err == nil {
			err = differingLeaves(map[string]any(form), map[string]any(otherForm), nil, &o.Sensitive)
		}
		if err != nil {
			r.put(spec.Error, place{}, serviceOf(*o), fmt.Sprintf("A sensitive value is used in %s where it cannot be hidden", o.Ref()),
				"It becomes part of a name. Use `variables` or `values` for it.")
		}
	}
}

func serviceOf(o object.Object) string {
	if o.Kind == object.KindService {
		return o.Key
	}
	return ""
}

// mark follows each rune of a sensitive value in the second rendering. It is of
// the Unicode area for private use, and nothing splits or trims at it.
const mark = '\ue000'

// marked returns the variables with other sensitive values, in as many ways as
// are needed; none when nothing is sensitive. Runes that have a meaning to a
// splitter of words stay alone.
func (v variables) marked() []variables {
	marked := variables{plain: v.plain, sensitive: make(map[string]string, len(v.sensitive)), values: v.values, isMarked: true}
	found := false
	for name, value := range v.sensitive {
		var b strings.Builder
		for _, c := range value {
			b.WriteRune(c)
			if !unicode.IsSpace(c) && !strings.ContainsRune(`'"\`, c) {
				b.WriteRune(mark)
				found = true
			}
		}
		marked.sensitive[name] = b.String()
	}
	if v.values.isSensitive() {
		masked, shifted := marked, marked
		masked.values, shifted.values = &templateValues{data: v.values.masked}, &templateValues{data: v.values.shifted}
		return []variables{masked, shifted}
	}
	if !found {
		return nil
	}
	return []variables{marked}
}

// differingLeaves collects the paths in which two forms differ; for a list, the
// path of the list. Different keys are an error: a key cannot be hidden.
func differingLeaves(a, b any, at object.Path, found *[]object.Path) error {
	m, isMap := a.(map[string]any)
	if !isMap {
		if !reflect.DeepEqual(a, b) && !slices.ContainsFunc(*found, func(p object.Path) bool { return p.String() == at.String() }) {
			*found = append(*found, append(object.Path(nil), at...))
		}
		return nil
	}
	n, _ := b.(map[string]any)
	if len(m) != len(n) {
		return fmt.Errorf("%s has other keys", at)
	}
	for _, key := range sortedKeys(m) {
		other, ok := n[key]
		if !ok {
			return fmt.Errorf("%s has other keys", at)
		}
		if err := differingLeaves(m[key], other, append(at[:len(at):len(at)], key), found); err != nil {
			return err
		}
	}
	return nil
}
