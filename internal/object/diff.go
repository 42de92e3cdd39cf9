package object

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// Difference is one leaf in which two forms differ. A nil value means that the
// side does not have the leaf.
type Difference struct {
	Path    Path `json:"path"`
	Desired any  `json:"desired"`
	Live    any  `json:"live"`
}

// noValue stands in a Difference for a leaf that is there and null.
const noValue = "(no value)"

// Diff returns the leaves in which two forms differ, in the order of their
// paths; none exactly when the forms are equal. An empty map counts as a leaf.
//
// Lists of maps of equal length are compared element by element
// (ports[0].published). Every other list is one leaf: what changed in a command
// or in a set of constraints is seen in the whole, and not from indexes that
// moved.
func Diff(desired, live Form) []Difference {
	return diffMaps(nil, nil, desired, live)
}

func diffMaps(found []Difference, at Path, desired, live map[string]any) []Difference {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(desired)), maps.Keys(live))
	slices.Sort(keys)
	for _, k := range slices.Compact(keys) {
		d, inDesired := desired[k]
		l, inLive := live[k]
		path := at.child(k)
		switch {
		case !inLive:
			found = oneSided(found, path, d, func(p Path, v any) Difference { return Difference{Path: p, Desired: v} })
		case !inDesired:
			found = oneSided(found, path, l, func(p Path, v any) Difference { return Difference{Path: p, Live: v} })
		default:
			found = diffValues(found, path, d, l)
		}
	}
	return found
}

func diffValues(found []Difference, at Path, desired, live any) []Difference {
	if reflect.DeepEqual(desired, live) {
		return found
	}
	if d, l, ok := both[map[string]any](desired, live); ok && len(d) > 0 && len(l) > 0 {
		return diffMaps(found, at, d, l)
	}
	if d, l, ok := both[[]any](desired, live); ok && len(d) == len(l) && allMaps(d) && allMaps(l) {
		for i := range d {
			found = diffValues(found, at.child(strconv.Itoa(i)), d[i], l[i])
		}
		return found
	}
	if d, ok := desired.(map[string]any); ok && len(d) > 0 && emptyMap(live) {
		return diffMaps(found, at, d, nil)
	}
	if l, ok := live.(map[string]any); ok && len(l) > 0 && emptyMap(desired) {
		return diffMaps(found, at, nil, l)
	}
	return append(found, Difference{Path: at, Desired: leaf(desired), Live: leaf(live)})
}

// oneSided lists every leaf of a value that the other side does not have.
func oneSided(found []Difference, at Path, value any, difference func(Path, any) Difference) []Difference {
	m, ok := value.(map[string]any)
	if !ok || len(m) == 0 {
		return append(found, difference(at, leaf(value)))
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		found = oneSided(found, at.child(k), m[k], difference)
	}
	return found
}

func leaf(v any) any {
	if v == nil {
		return noValue
	}
	return copyTree(v)
}

func both[T any](a, b any) (T, T, bool) {
	x, okA := a.(T)
	y, okB := b.(T)
	return x, y, okA && okB
}

func emptyMap(v any) bool {
	m, ok := v.(map[string]any)
	return ok && len(m) == 0
}

func allMaps(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(map[string]any); return !ok })
}

// child returns the path of a part, without touching memory that p shares.
func (p Path) child(segment string) Path {
	return append(slices.Clip(p), segment)
}
