package render

import "strconv"

// nodeKind tells what a node holds.
type nodeKind int

const (
	nullNode nodeKind = iota
	scalarNode
	listNode
	mappingNode
)

// node is a value of a Compose file together with the place it was written at.
type node struct {
	kind nodeKind
	at   place
	// value is what the YAML scalar decodes to, the way docker/cli decodes it:
	// string, bool, int, int64, uint64 or float64.
	value any
	// raw is the scalar as written, before interpolation, and therefore safe to
	// show.
	raw     string
	items   []*node
	entries []*entry
	// index finds the entries of a large mapping.
	index map[string]*entry
	// broken is set when interpolation failed, which has been reported.
	broken bool
	// secrets names the sensitive variables whose value went into the scalar.
	secrets []string
	// secretName is set when, read as KEY=VALUE, one of them is in the KEY.
	secretName bool
}

// entry is a key of a mapping with its value.
type entry struct {
	key   string
	at    place
	value *node
}

func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	if e := n.entry(key); e != nil {
		return e.value
	}
	return nil
}

func (n *node) entry(key string) *entry {
	const few = 16
	if len(n.entries) > few {
		if len(n.index) != len(n.entries) {
			n.index = make(map[string]*entry, len(n.entries))
			for _, e := range n.entries {
				n.index[e.key] = e
			}
		}
		return n.index[key]
	}
	for _, e := range n.entries {
		if e.key == key {
			return e
		}
	}
	return nil
}

// keepEntries takes out the entries for which keep returns false.
func (n *node) keepEntries(keep func(*entry) bool) {
	kept := make([]*entry, 0, len(n.entries))
	for _, e := range n.entries {
		if keep(e) {
			kept = append(kept, e)
		}
	}
	n.entries, n.index = kept, nil
}

// set replaces or adds a key.
func (n *node) set(key string, value *node) {
	if e := n.entry(key); e != nil {
		e.value = value
		return
	}
	e := &entry{key: key, at: value.at, value: value}
	n.entries = append(n.entries, e)
	if n.index != nil {
		n.index[key] = e
	}
}

func (n *node) remove(key string) {
	n.keepEntries(func(e *entry) bool { return e.key != key })
}

// text is the scalar as a string, "" for anything else.
func (n *node) text() string {
	if n == nil || n.kind != scalarNode {
		return ""
	}
	if s, ok := n.value.(string); ok {
		return s
	}
	return n.raw
}

// find follows a path as far as it exists and returns the place of the deepest
// key found: what a user has to look at.
func (n *node) find(p path) (place, bool) {
	at, current := n.at, n
	for _, segment := range p {
		if current == nil {
			return at, false
		}
		switch current.kind {
		case mappingNode:
			e := current.entry(segment)
			if e == nil {
				return at, false
			}
			at, current = e.at, e.value
		case listNode:
			i, err := strconv.Atoi(segment)
			if err != nil || i < 0 || i >= len(current.items) {
				return at, false
			}
			current = current.items[i]
			at = current.at
		default:
			return at, false
		}
	}
	return at, true
}

// plain turns the tree into what docker/cli's loader takes.
func (n *node) plain() any {
	switch n.kind {
	case scalarNode:
		return n.value
	case listNode:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = item.plain()
		}
		return list
	case mappingNode:
		m := make(map[string]any, len(n.entries))
		for _, e := range n.entries {
			m[e.key] = e.value.plain()
		}
		return m
	default:
		return nil
	}
}

func stringNode(at place, s string) *node {
	return &node{kind: scalarNode, at: at, value: s, raw: s}
}

func equalNodes(a, b *node) bool {
	if a.kind != b.kind || a.value != b.value || len(a.items) != len(b.items) || len(a.entries) != len(b.entries) {
		return false
	}
	for i := range a.items {
		if !equalNodes(a.items[i], b.items[i]) {
			return false
		}
	}
	for _, e := range a.entries {
		other := b.entry(e.key)
		if other == nil || !equalNodes(e.value, other.value) {
			return false
		}
	}
	return true
}
