package render

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// scalarKind is what a scalar is to be, and so how it is brought into the type
// that docker/cli's loader insists on.
type scalarKind int

const (
	noScalar scalarKind = iota
	// textScalar is a string; a number or a boolean counts as it was written.
	textScalar
	// valueScalar is a string, number or boolean of a map such as environment. A
	// number stays one, because docker/cli formats it (010 becomes 8).
	valueScalar
	intScalar
	octalScalar // file mode: 0440 or "0440"
	numberScalar
	boolScalar
	durationScalar
	memoryScalar // "64m" or a number of bytes, to a string
	bytesScalar  // the same, to an integer
)

var scalarNames = map[scalarKind]string{
	textScalar: "a string", valueScalar: "a string, number or boolean", intScalar: "a whole number",
	octalScalar: "a file mode such as 0440", numberScalar: "a number", boolScalar: "true or false",
	durationScalar: "a duration such as 30s or 1m30s",
	memoryScalar:   "a size such as 64M", bytesScalar: "a size such as 64M",
}

// shape is what may stand at a place of a Compose file: the version 3.13 schema
// of docker/cli, widened by other ways to write the same. A shape can allow a
// scalar, a list and a mapping side by side.
type shape struct {
	scalar  scalarKind
	words   []string // the only strings allowed
	element *shape   // of a list
	unique  bool     // the list must not repeat a string
	keys    map[string]*shape
	each    *shape // of a mapping with free keys
	// open mappings have further keys, which docker/cli ignores as well.
	open bool
	// names is what free keys have to match.
	names    *regexp.Regexp
	required []string
	// advice is for keys that have no effect on Swarm or are not supported.
	advice map[string]advice
	// nullable values and mappings keep a null; elsewhere it means "not set".
	nullable bool
	// hides is set where the value of a sensitive variable can be hidden.
	hides bool
	// pair strings are KEY=VALUE; only the value can be hidden.
	pair bool
	// check is a further check of a scalar that has the right type.
	check func(s string) error
}

// advice is what to say about a key that a Swarm service does not honour.
type advice struct {
	severity spec.Severity
	text     string
}

// checker holds a tree against a shape, normalises it for docker/cli's loader
// and reports every mismatch.
type checker struct {
	report *report
}

// conform returns false when the value cannot be used; the caller then takes it
// out of the tree, so that the checks that follow find only what is sound.
func (c *checker) conform(n *node, s *shape, p path) bool {
	switch n.kind {
	case scalarNode:
		return !n.broken && c.conformScalar(n, s, p)
	case listNode:
		return c.conformList(n, s, p)
	case mappingNode:
		return c.conformMapping(n, s, p)
	}
	if !s.nullable {
		return c.wrongType(n, s, p)
	}
	if s.keys != nil {
		n.kind = mappingNode
	}
	return true
}

func (c *checker) wrongType(n *node, s *shape, p path) bool {
	var wanted []string
	if s.scalar != noScalar {
		wanted = append(wanted, scalarNames[s.scalar])
	}
	if s.element != nil {
		wanted = append(wanted, "a list")
	}
	if s.keys != nil || s.each != nil {
		wanted = append(wanted, "a mapping")
	}
	found := map[nodeKind]string{nullNode: "empty", scalarNode: fmt.Sprintf("%q", excerpt(n.raw)), listNode: "a list", mappingNode: "a mapping"}[n.kind]
	c.report.errorAt(n.at, p, fmt.Sprintf("Wrong type of %s", p),
		fmt.Sprintf("It must be %s, and is %s.", strings.Join(wanted, " or "), found))
	return false
}

func (c *checker) conformList(n *node, s *shape, p path) bool {
	if s.element == nil {
		return c.wrongType(n, s, p)
	}
	first := map[string]place{}
	var kept []*node
	for i, item := range n.items {
		at := p.with(strconv.Itoa(i))
		if !c.conform(item, s.element, at) {
			c.report.damage(at)
			continue
		}
		if s.unique && item.kind == scalarNode {
			text := item.text()
			if earlier, ok := first[text]; ok {
				c.report.errorAt(item.at, at, fmt.Sprintf("%s repeats an entry", p),
					fmt.Sprintf("%q is already in line %d. Remove one of the two.", excerpt(item.shown()), earlier.line))
				continue
			}
			first[text] = item.at
		}
		kept = append(kept, item)
	}
	n.items = kept
	return true
}

func (c *checker) conformMapping(n *node, s *shape, p path) bool {
	if s.keys == nil && s.each == nil {
		return c.wrongType(n, s, p)
	}
	n.keepEntries(func(e *entry) bool { return c.conformEntry(e, s, p.with(e.key)) })
	ok := true
	for _, key := range s.required {
		if n.entry(key) == nil {
			if !c.report.isDamaged(p.with(key)) {
				c.report.errorAt(n.at, p, fmt.Sprintf("%s lacks %q", p, key), fmt.Sprintf("The key %q is required here.", key))
			}
			ok = false
		}
	}
	return ok
}

func (c *checker) conformEntry(e *entry, s *shape, p path) bool {
	child, named := s.keys[e.key]
	if !named {
		child = s.each
	}
	switch {
	case child == nil:
		c.foreignKey(e, s, p)
		return s.open
	case !named && s.names != nil && !s.names.MatchString(e.key):
		c.report.damage(p)
		c.report.errorAt(e.at, p, fmt.Sprintf("Invalid name %q", e.key), "Names consist of letters, digits, `.`, `_` and `-`.")
		return false
	case named && e.value.kind == nullNode && !child.nullable:
		return false // a key without a value is a key that is not set
	}
	if !c.conform(e.value, child, p) {
		c.report.damage(p)
		return false
	}
	if a, ok := s.advice[e.key]; ok && !isIdle(e.value) {
		c.report.put(a.severity, e.at, p.service(), fmt.Sprintf("%s has no effect on Swarm", p), a.text)
	}
	return true
}

// isIdle tells whether a value asks for nothing: false, an empty list, an empty
// string.
func isIdle(n *node) bool {
	switch n.kind {
	case scalarNode:
		return n.value == false || n.value == ""
	case listNode:
		return len(n.items) == 0
	case mappingNode:
		return len(n.entries) == 0
	}
	return true
}

// foreignKey reports a key that the shape does not know.
func (c *checker) foreignKey(e *entry, s *shape, p path) {
	a, advised := s.advice[e.key]
	switch {
	case advised && isIdle(e.value), s.open && !advised, strings.HasPrefix(e.key, "x-"):
	case advised && a.severity == spec.Warning:
		c.report.put(a.severity, e.at, p.service(), fmt.Sprintf("%s has no effect on Swarm", p), a.text)
	case advised:
		c.report.damage(p)
		c.report.put(a.severity, e.at, p.service(), fmt.Sprintf("%s is not supported", p), a.text)
	default:
		const few = 15
		detail := fmt.Sprintf("The key %q is not known here.", e.key)
		if near := nearest(e.key, s.keys); near != "" {
			detail += fmt.Sprintf(" Did you mean %q?", near)
		} else if known := sortedKeys(s.keys); len(known) > 0 && len(known) <= few {
			detail += " Known are " + strings.Join(known, ", ") + "."
		}
		c.report.errorAt(e.at, p, fmt.Sprintf("Unknown key %s", p), detail)
	}
}

func (c *checker) conformScalar(n *node, s *shape, p path) bool {
	if s.scalar == noScalar {
		return c.wrongType(n, s, p)
	}
	if len(n.secrets) > 0 && (!s.hides || s.pair && n.secretName) {
		c.report.errorAt(n.at, p, fmt.Sprintf("Sensitive variable %s cannot be hidden in %s", strings.Join(n.secrets, ", "), p),
			"Sensitive variables may be used in environment, command, entrypoint, labels, healthcheck.test, logging.options, hostname, extra_hosts and configs.content, whose values are shown as fingerprints. Use `variables` here, or put the value into a secret.")
		return false
	}
	value, err := castScalar(n, s.scalar)
	if err != nil {
		c.wrongValue(n, p, fmt.Sprintf("%q is not %s: %s.", excerpt(n.shown()), scalarNames[s.scalar], err))
		return false
	}
	if value == nil {
		return c.wrongType(n, s, p)
	}
	n.value = value
	if s.scalar == valueScalar {
		c.warnOfNumber(n, p)
	}
	if text, ok := value.(string); ok && len(s.words) > 0 && !slices.Contains(s.words, text) {
		c.wrongValue(n, p, fmt.Sprintf("It is %q, and must be one of %s.", excerpt(n.shown()), strings.Join(s.words, ", ")))
		return false
	}
	if s.check != nil {
		if err := s.check(fmt.Sprint(n.value)); err != nil {
			c.wrongValue(n, p, fmt.Sprintf("%q: %s.", excerpt(n.shown()), err))
			return false
		}
	}
	return true
}

// warnOfNumber tells of numbers that do not arrive as they were written.
func (c *checker) warnOfNumber(n *node, p path) {
	if _, isText := n.value.(string); !isText && fmt.Sprint(n.value) != n.raw {
		c.report.warnAt(n.at, p, fmt.Sprintf("%s is read as a number", p),
			fmt.Sprintf("YAML reads %s as the number %v, and that is what the container gets. Put it in quotes to keep it as it is.", n.raw, n.value))
	}
}

func (c *checker) wrongValue(n *node, p path, detail string) {
	c.report.errorAt(n.at, p, fmt.Sprintf("Wrong value of %s", p), detail)
}

// shown is the scalar's text for messages: the value, or what was written when a
// sensitive variable went into it.
func (n *node) shown() string {
	if len(n.secrets) > 0 {
		return n.raw
	}
	return n.text()
}
