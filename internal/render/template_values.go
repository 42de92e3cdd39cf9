package render

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// templateValues are what templates are executed with.
type templateValues struct {
	data map[string]any
	// masked and shifted are the same with the sensitive values replaced: by others
	// that tell nothing, not even the length, and by others that differ in every
	// letter. What comes out differently with one of them depends on a sensitive
	// value. Both are nil when nothing is sensitive.
	masked, shifted map[string]any
	// hidden are the sensitive values as text.
	hidden []string
}

// readValues merges `values` and `values_wo`. It returns nil when there are none:
// the Compose texts are no templates then.
func readValues(app spec.Application, r *report) *templateValues {
	if len(app.Values)+len(app.SensitiveValues) == 0 {
		return nil
	}
	v := &templateValues{data: map[string]any{}}
	for i, text := range app.Values {
		mergeValues(v.data, parseValues(text, "values", i, r))
	}
	var sensitive []map[string]any
	for i, text := range app.SensitiveValues {
		sensitive = append(sensitive, parseValues(text, "values_wo", i, r))
	}
	if len(sensitive) > 0 {
		v.masked, v.shifted = copyValues(v.data), copyValues(v.data)
		for _, values := range sensitive {
			mergeValues(v.masked, alterLeaves(values, mask))
			mergeValues(v.shifted, alterLeaves(values, shift))
		}
	}
	for _, values := range sensitive {
		mergeValues(v.data, copyValues(values))
		v.hidden = append(v.hidden, textsIn(values)...)
	}
	if sizeOf(reflect.ValueOf(v.data), maxTemplateValue, maxTemplateDepth) > maxTemplateValue {
		r.attributeError([]string{"values"}, "The values are too large", fmt.Sprintf("Merged, %v.", errTemplateValue))
	}
	return v
}

func (v *templateValues) isSensitive() bool { return v != nil && v.shifted != nil }

// parseValues reads one text of values; an empty one has none.
func parseValues(text, attribute string, index int, r *report) map[string]any {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	b := &treeBuilder{report: r, file: fmt.Sprintf("%s[%d]", attribute, index), attribute: attribute, index: index, quotes: attribute == "values"}
	root := b.parse(text)
	if root == nil {
		return nil
	}
	values, _ := root.plain().(map[string]any)
	return values
}

// mergeValues puts values over others: mappings are merged, anything else is
// replaced, and a null takes the key away.
func mergeValues(into, over map[string]any) {
	for key, value := range over {
		if value == nil {
			delete(into, key)
			continue
		}
		mapping, isMapping := value.(map[string]any)
		below, isBelow := into[key].(map[string]any)
		if isMapping && !isBelow {
			below, isBelow = map[string]any{}, true
			into[key] = below
		}
		if isMapping && isBelow {
			mergeValues(below, mapping)
			continue
		}
		into[key] = value
	}
}

// copyValues keeps what one template does to its values from another.
func copyValues(values map[string]any) map[string]any {
	return alterLeaves(values, nil)
}

// alterLeaves copies values, with their scalars altered; with alter nil as they
// are. Keys are names, and stay.
func alterLeaves(values map[string]any, alter func(string) string) map[string]any {
	altered, _ := alterLeaf(values, alter).(map[string]any)
	return altered
}

func alterLeaf(value any, alter func(string) string) any {
	switch v := value.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, value := range v {
			m[key] = alterLeaf(value, alter)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, value := range v {
			list[i] = alterLeaf(value, alter)
		}
		return list
	}
	if alter == nil || value == nil {
		return value
	}
	return alter(fmt.Sprint(value))
}

// textsIn lists the scalars of values, but for those that say yes or no.
func textsIn(value any) []string {
	var texts []string
	switch v := value.(type) {
	case nil, bool:
	case map[string]any:
		for _, key := range sortedKeys(v) {
			texts = append(texts, textsIn(v[key])...)
		}
	case []any:
		for _, value := range v {
			texts = append(texts, textsIn(value)...)
		}
	default:
		texts = append(texts, fmt.Sprint(v))
	}
	return texts
}

// mask is a text of another length that has nothing of s.
func mask(s string) string {
	if s == "" {
		return s
	}
	return strings.Repeat("x", utf8.RuneCountInString(s)+1)
}

// shift replaces each letter and digit by the next, and leaves alone what has a
// meaning to splitters of words.
func shift(s string) string {
	next := func(c, first, last rune) rune {
		if c == last {
			return first
		}
		return c + 1
	}
	return strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z':
			return next(c, 'a', 'z')
		case 'A' <= c && c <= 'Z':
			return next(c, 'A', 'Z')
		case '0' <= c && c <= '9':
			return next(c, '0', '9')
		case unicode.IsSpace(c) || strings.ContainsRune(`'"\`, c):
			return c
		}
		return 'x'
	}, s)
}

// swarmTemplates are the placeholders that Swarm itself fills in for each task
// (swarmkit, template/context.go): they pass through a template as they are.
var swarmTemplates = map[string]any{
	"Service": map[string]any{"ID": "{{.Service.ID}}", "Name": "{{.Service.Name}}", "Labels": "{{.Service.Labels}}"},
	"Node": map[string]any{"ID": "{{.Node.ID}}", "Hostname": "{{.Node.Hostname}}",
		"Platform": map[string]any{"Architecture": "{{.Node.Platform.Architecture}}", "OS": "{{.Node.Platform.OS}}"}},
	"Task": map[string]any{"ID": "{{.Task.ID}}", "Name": "{{.Task.Name}}", "Slot": "{{.Task.Slot}}"},
}

// templateData is the dot of a template.
func templateData(release string, values map[string]any) map[string]any {
	data := copyValues(swarmTemplates)
	data["Name"], data["Values"] = release, copyValues(values)
	return data
}
