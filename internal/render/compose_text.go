package render

import (
	"errors"
	"fmt"
	"strings"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// readText turns one Compose text into a tree: executed as a template when there
// are values, and parsed. It returns nil after reporting why there is none.
func readText(source spec.Source, index int, app spec.Application, values *templateValues, r *report) *node {
	b := &treeBuilder{report: r, file: source.Name, attribute: "compose", index: index, quotes: true}
	if values == nil {
		return b.parse(source.Text)
	}
	if !values.isSensitive() {
		return b.parseTemplate(source.Text, templateData(app.Name, values.data))
	}
	return b.parseSensitive(source.Text, app.Name, values)
}

// parseSensitive does so with values of which some are to be hidden. Messages
// quote what they are about, so they are taken from the run with masked values.
func (b *treeBuilder) parseSensitive(text, release string, values *templateValues) *node {
	root, faults := b.attempt(text, release, values.data)
	masked, maskedFaults := b.attempt(text, release, values.masked)
	shifted, shiftedFaults := b.attempt(text, release, values.shifted)
	switch {
	case faults.HasErrors() && maskedFaults.HasErrors():
		for _, p := range maskedFaults {
			b.report.add(p)
		}
		return nil
	case faults.HasErrors():
		b.hiddenFaults(faults, "With the values of `values_wo`, the template fails, or it does not become valid YAML. What is wrong is not said, because that may quote a value. Write {{ .Values.NAME | literal }} for a text that is to arrive as it is.")
		return nil
	case maskedFaults.HasErrors() || shiftedFaults.HasErrors():
		b.hiddenFaults(append(maskedFaults, shiftedFaults...), "With another value of `values_wo` the template would fail here, so that what the value goes into cannot be followed and hidden. "+
			"A text from `values_wo` can be put in its place, quoted, encoded and joined with others; give what is compared, decoded or computed with in `values`, or put it into a secret.")
		return nil
	}
	for _, p := range faults {
		b.report.add(p) // warnings, none of which quotes
	}
	if at, same := taint(root, []*node{masked, shifted}); !same {
		b.report.errorAt(at, nil, "A value of values_wo decides what is declared",
			"With another value there would be other keys, list items or types here, so that what the value goes into cannot be followed and hidden. Give what is no secret in `values`, and write {{ .Values.NAME | literal }} for a text that is to arrive as it is.")
		return nil
	}
	return root
}

func (b *treeBuilder) attempt(text, release string, values map[string]any) (*node, spec.Problems) {
	own, scratch := *b, &report{}
	own.report = scratch
	root := own.parseTemplate(text, templateData(release, values))
	return root, scratch.problems
}

// hiddenFaults reports faults by their places alone.
func (b *treeBuilder) hiddenFaults(faults spec.Problems, detail string) {
	for _, p := range faults {
		if p.Severity == spec.Error {
			p.Summary, p.Detail = "A value of values_wo does not fit", detail
			b.report.add(p)
		}
	}
}

// parseTemplate executes a template and parses what it becomes.
func (b *treeBuilder) parseTemplate(text string, data map[string]any) *node {
	start := b.start()
	decoded, err := decodeText(text)
	if err != nil {
		b.report.errorAt(start, nil, "YAML text cannot be decoded", err.Error()+".")
		return nil
	}
	done, err := executeTemplate(decoded, data)
	if err != nil {
		var fault *templateFault
		if errors.As(err, &fault) {
			start.line = max(fault.line, 1)
		}
		b.report.errorAt(start, nil, "The template fails", fmt.Sprintf("%s.", strings.TrimSuffix(err.Error(), ".")))
		return nil
	}
	b.lines = done.lines
	return b.parse(done.text)
}

// hiddenText stands for a scalar that a sensitive value went into.
const hiddenText = "(sensitive)"

// taint notes which scalars depend on a sensitive value: those that are not the
// same in all alternatives of the tree. It returns false, and the place, when
// anything else differs.
func taint(n *node, alternatives []*node) (place, bool) {
	var raws []string
	for _, other := range alternatives {
		if other.kind != n.kind || len(other.items) != len(n.items) || len(other.entries) != len(n.entries) {
			return n.at, false
		}
		if n.kind == scalarNode && (other.raw != n.raw || other.value != n.value) {
			raws = append(raws, other.raw)
		}
	}
	below := make([]*node, len(alternatives))
	for i, item := range n.items {
		for k, other := range alternatives {
			below[k] = other.items[i]
		}
		if at, same := taint(item, below); !same {
			return at, false
		}
	}
	for i, e := range n.entries {
		for k, other := range alternatives {
			if other.entries[i].key != e.key {
				return e.at, false
			}
			below[k] = other.entries[i].value
		}
		if at, same := taint(e.value, below); !same {
			return at, false
		}
	}
	if len(raws) > 0 {
		name, _, _ := strings.Cut(n.raw, "=")
		for _, raw := range raws {
			other, _, _ := strings.Cut(raw, "=")
			n.secretName = n.secretName || other != name
		}
		if _, isText := n.value.(string); !isText {
			n.value = n.raw // as it was written, which is what can be hidden
		}
		n.raw, n.secrets = hiddenText, []string{"values_wo"}
	}
	return place{}, true
}
