package object

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// redacted is how a leaf that a sensitive input went into is shown.
var redacted = regexp.MustCompile(`^\(sensitive [0-9a-f]{12}\)$`)

// Redact returns a copy of the form in which every leaf at or below one of the
// paths is replaced by "(sensitive <fingerprint>)", the first 12 hex digits of a
// fingerprint salted with the release, the object and the path of the leaf. A
// path that leads nowhere is passed over; what is redacted already stays as it
// is.
func (f Form) Redact(scope Scope, ref Ref, paths []Path) Form {
	form := Form(copyTree(map[string]any(f)).(map[string]any))
	for _, p := range paths {
		replaceLeaves(map[string]any(form), nil, p, func(at Path, leaf any) any {
			return redactLeaf(scope, ref, at, leaf)
		})
	}
	return form
}

func redactLeaf(scope Scope, ref Ref, at Path, leaf any) any {
	if s, ok := leaf.(string); ok && redacted.MatchString(s) {
		return s
	}
	text, err := marshal(leaf)
	if err != nil {
		text = []byte(err.Error())
	}
	key := ref.String() + "\x00" + strings.Join(at, "\x00")
	return "(sensitive " + scope.Fingerprint(key, text)[:12] + ")"
}

// replaceLeaves replaces the leaves at or below rest, which is relative to the tree at
// the path at, and returns the tree.
func replaceLeaves(tree any, at, rest Path, replace func(Path, any) any) any {
	switch t := tree.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(t)) {
			if len(rest) == 0 {
				t[k] = replaceLeaves(t[k], at.child(k), nil, replace)
			} else if k == rest[0] {
				t[k] = replaceLeaves(t[k], at.child(k), rest[1:], replace)
			}
		}
		return t
	case []any:
		for i := range t {
			index := strconv.Itoa(i)
			if len(rest) == 0 {
				t[i] = replaceLeaves(t[i], at.child(index), nil, replace)
			} else if index == rest[0] {
				t[i] = replaceLeaves(t[i], at.child(index), rest[1:], replace)
			}
		}
		return t
	}
	if len(rest) > 0 {
		return tree
	}
	return replace(at, tree)
}

// RedactedPaths returns the paths of the leaves of a form that are redacted, in
// order.
func RedactedPaths(f Form) []Path {
	var paths []Path
	walk(f, func(at Path, leaf any) {
		if s, ok := leaf.(string); ok && redacted.MatchString(s) {
			paths = append(paths, at)
		}
	})
	return paths
}

// StickySensitive returns the paths at which the prior form is redacted and the
// desired leaf has the same fingerprint: what was not shown before and has not
// changed stays hidden. Without it the first plan after an import would show
// every value as changed, and show it.
func StickySensitive(desired, prior Form, scope Scope, ref Ref) []Path {
	hidden := map[string]any{}
	walk(prior, func(at Path, leaf any) {
		if s, ok := leaf.(string); ok && redacted.MatchString(s) {
			hidden[strings.Join(at, "\x00")] = s
		}
	})
	var paths []Path
	walk(desired, func(at Path, leaf any) {
		if was, ok := hidden[strings.Join(at, "\x00")]; ok && redactLeaf(scope, ref, at, leaf) == was {
			paths = append(paths, at)
		}
	})
	return paths
}

// UnrecordedSensitive returns what has to be hidden of an object of a release
// without a record, of which nobody knows what is sensitive: the values of all
// environment variables, and the text of a config.
func UnrecordedSensitive(f Form, kind Kind) []Path {
	hide := map[Kind]string{KindService: "env", KindConfig: "content", KindRecord: "content"}[kind]
	var paths []Path
	walk(f, func(at Path, leaf any) {
		if at[0] == hide && leaf != nil {
			paths = append(paths, at)
		}
	})
	return paths
}

// walk visits the leaves of a form, in the order of their paths.
func walk(f Form, visit func(Path, any)) {
	var down func(Path, any)
	down = func(at Path, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				down(at.child(k), v[k])
			}
		case []any:
			for i, e := range v {
				down(at.child(strconv.Itoa(i)), e)
			}
		default:
			visit(at, v)
		}
	}
	down(nil, map[string]any(f))
}
