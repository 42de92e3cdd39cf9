package render

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Bounds of one Compose text. Aliases multiply what is written, so the tree is
// bounded after their expansion; real stacks stay two orders of magnitude below.
const (
	maxTextBytes = 8 << 20
	maxTreeBytes = 2 * maxTextBytes
	maxNodes     = 100_000
	maxDepth     = 100
)

var yamlLine = regexp.MustCompile(`^(?:yaml: )?line (\d+): `)

// start is the beginning of the text.
func (b *treeBuilder) start() place {
	return place{file: b.file, attribute: b.attribute, index: b.index, line: 1}
}

// parse parses one YAML text into a tree. It returns nil after reporting why
// there is none.
func (b *treeBuilder) parse(text string) *node {
	r, start := b.report, b.start()
	if len(text) > maxTextBytes {
		r.errorAt(start, nil, "YAML text is too long",
			fmt.Sprintf("It has %d bytes; at most %d are read.", len(text), maxTextBytes))
		return nil
	}
	text, err := decodeText(text)
	if err != nil {
		r.errorAt(start, nil, "YAML text cannot be decoded", err.Error()+".")
		return nil
	}
	var document yaml.Node
	decoder := yaml.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		message := err.Error()
		if m := yamlLine.FindStringSubmatch(message); m != nil {
			line, _ := strconv.Atoi(m[1])
			start.line = b.line(line)
			message = message[len(m[0]):]
		}
		message = strings.TrimPrefix(message, "yaml: ") + "."
		if !b.quotes {
			message = "What is wrong is not said, because that may quote a value."
		}
		r.errorAt(start, nil, "Invalid YAML", message)
		return nil
	}
	if len(document.Content) == 0 {
		r.errorAt(start, nil, "YAML text is empty", "It holds no YAML document; a Compose file needs at least `services:`.")
		return nil
	}
	var further yaml.Node
	if decoder.Decode(&further) == nil {
		r.warnAt(b.place(&further), nil, "A second YAML document is not read", fmt.Sprintf("A text is one document: what follows `---` has no effect. Make it a text of its own in `%s`.", b.attribute))
	}
	root := b.build(document.Content[0], 0)
	if b.full {
		return nil
	}
	if root.kind != mappingNode {
		r.errorAt(root.at, nil, "YAML text is not a mapping", topLevel[b.attribute])
		return nil
	}
	return root
}

var topLevel = map[string]string{
	"compose":   "The top level of a Compose file is a mapping with keys such as `services:`.",
	"values":    "The top level of values is a mapping of names to values.",
	"values_wo": "The top level of values is a mapping of names to values.",
}

// treeBuilder expands aliases and merges of one document.
type treeBuilder struct {
	report    *report
	file      string
	attribute string
	index     int
	// quotes is set when messages may quote the text.
	quotes bool
	// lines maps the lines of the text to those that somebody wrote, when it came
	// out of a template.
	lines []int
	nodes int
	bytes int
	full  bool
	open  map[*yaml.Node]bool // anchors being expanded, to find an alias to itself
}

func (b *treeBuilder) place(y *yaml.Node) place {
	at := place{file: b.file, attribute: b.attribute, index: b.index, line: b.line(y.Line)}
	if b.lines == nil {
		at.column = y.Column
	}
	return at
}

// line is the line as it was written.
func (b *treeBuilder) line(n int) int {
	if len(b.lines) == 0 {
		return n
	}
	return b.lines[min(max(n, 1), len(b.lines))-1]
}

func (b *treeBuilder) build(y *yaml.Node, depth int) *node {
	n := &node{at: b.place(y)}
	b.nodes++
	b.bytes += len(y.Value)
	switch {
	case b.full:
		return n
	case b.nodes > maxNodes || b.bytes > maxTreeBytes || depth > maxDepth:
		b.full = true
		b.report.errorAt(n.at, nil, "YAML text grows too large",
			fmt.Sprintf("With its aliases expanded it has more than %d values or %d MiB, or is nested deeper than %d levels.", maxNodes, maxTreeBytes>>20, maxDepth))
		return n
	}
	switch y.Kind {
	case yaml.AliasNode:
		return b.alias(y, depth)
	case yaml.ScalarNode:
		b.scalar(n, y)
	case yaml.SequenceNode:
		n.kind = listNode
		b.guarded(y, func() {
			for _, item := range y.Content {
				n.items = append(n.items, b.build(item, depth+1))
			}
		})
	case yaml.MappingNode:
		n.kind = mappingNode
		b.guarded(y, func() { b.mapping(n, y, depth) })
	}
	return n
}

func (b *treeBuilder) guarded(y *yaml.Node, f func()) {
	if b.open == nil {
		b.open = map[*yaml.Node]bool{}
	}
	b.open[y] = true
	f()
	delete(b.open, y)
}

func (b *treeBuilder) alias(y *yaml.Node, depth int) *node {
	if y.Alias == nil || b.open[y.Alias] {
		b.report.errorAt(b.place(y), nil, "YAML alias contains itself",
			fmt.Sprintf("The anchor %q is used inside its own value.", y.Value))
		return &node{at: b.place(y), kind: scalarNode, broken: true}
	}
	return b.build(y.Alias, depth+1)
}

func (b *treeBuilder) scalar(n *node, y *yaml.Node) {
	n.raw = y.Value
	switch y.ShortTag() {
	case "!!null":
		return
	case "!!bool", "!!int", "!!float":
		var v any
		if err := y.Decode(&v); err == nil && v != nil {
			n.kind, n.value = scalarNode, v
			return
		}
	}
	// Dates and anything with a tag of its own are text to Compose.
	n.kind, n.value = scalarNode, y.Value
}

// mapping reads the keys of a mapping, then what `<<` merges into it: a key
// written out wins over a merged one, wherever it stands.
func (b *treeBuilder) mapping(n *node, y *yaml.Node, depth int) {
	known := map[string]*entry{}
	var merges []*yaml.Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := y.Content[i], y.Content[i+1]
		if key.ShortTag() == "!!merge" {
			merges = append(merges, value)
			continue
		}
		if key.Kind == yaml.AliasNode && key.Alias != nil {
			key = key.Alias
		}
		at := b.place(y.Content[i])
		if key.Kind != yaml.ScalarNode {
			b.report.errorAt(at, nil, "Mapping key is not a string", "Keys of a Compose file are plain words.")
			continue
		}
		if earlier := known[key.Value]; earlier != nil {
			b.report.errorAt(at, nil, fmt.Sprintf("Key %q is given twice", key.Value),
				fmt.Sprintf("It is already set in line %d. Keep one of the two.", earlier.at.line))
			continue
		}
		e := &entry{key: key.Value, at: at, value: b.build(value, depth+1)}
		known[e.key] = e
		n.entries = append(n.entries, e)
	}
	b.merge(n, known, merges, depth)
}

// merge adds the entries of merged mappings. Within one `<<: [a, b]` the earlier
// mapping wins, as YAML says. Two `<<` keys in one mapping are no YAML, but
// their meaning is clear as long as they do not contradict each other.
func (b *treeBuilder) merge(n *node, known map[string]*entry, merges []*yaml.Node, depth int) {
	mergedBy := map[string]int{}
	for i, value := range merges {
		list := value
		if list.Kind == yaml.AliasNode && list.Alias != nil && list.Alias.Kind == yaml.SequenceNode {
			list = list.Alias
		}
		sources := []*yaml.Node{value}
		if list.Kind == yaml.SequenceNode {
			sources = list.Content
		}
		for _, source := range sources {
			merged := b.build(source, depth+1)
			if merged.kind != mappingNode {
				if !b.full {
					b.report.errorAt(b.place(source), nil, "`<<` does not merge a mapping", "A merge key takes a mapping or a list of mappings.")
				}
				continue
			}
			for _, e := range merged.entries {
				earlier := known[e.key]
				if earlier == nil {
					known[e.key], mergedBy[e.key] = e, i
					n.entries = append(n.entries, e)
					continue
				}
				if j, ok := mergedBy[e.key]; ok && j != i && !equalNodes(earlier.value, e.value) {
					b.report.errorAt(b.place(value), nil, fmt.Sprintf("Two `<<` keys disagree about %q", e.key),
						fmt.Sprintf("Line %d and line %d merge different values. Write `<<: [first, second]`, where the first wins, or set %q itself.", earlier.at.line, e.at.line, e.key))
				}
			}
		}
	}
}
