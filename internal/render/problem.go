package render

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// place is where a value was written. The zero place means that nobody wrote it.
type place struct {
	file         string
	attribute    string // compose, values or values_wo
	index        int    // position of the text in the attribute
	line, column int
}

func (p place) input() []string {
	if p.file == "" {
		return []string{"compose"}
	}
	return []string{p.attribute, strconv.Itoa(p.index)}
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// report collects problems. The same finding at the same place is kept once,
// because aliases and merges show one piece of text at several paths.
type report struct {
	problems spec.Problems
	seen     map[string]bool
	// failed are the services with an error.
	failed map[string]bool
	// damaged are the paths whose values were reported and taken out, so that
	// nobody reports them as missing.
	damaged map[string]bool
}

func (r *report) damage(p path) {
	if r.damaged == nil {
		r.damaged = map[string]bool{}
	}
	r.damaged[p.id()] = true
}

// isDamagedBelow tells whether a part of the whole at the path was taken out.
func (r *report) isDamagedBelow(p path) bool {
	for damaged := range r.damaged {
		if strings.HasPrefix(damaged, p.id()+"\x00") {
			return true
		}
	}
	return r.isDamaged(p)
}

// isDamaged tells whether something at the path, or the whole it belongs to, was
// taken out.
func (r *report) isDamaged(p path) bool {
	for i := 1; i <= len(p); i++ {
		if r.damaged[p[:i].id()] {
			return true
		}
	}
	return false
}

func (r *report) add(p spec.Problem) {
	id := fmt.Sprint(p.Severity, p.Attribute, p.File, p.Line, p.Column, p.Summary, p.Detail)
	if r.seen[id] {
		return
	}
	if r.seen == nil {
		r.seen, r.failed = map[string]bool{}, map[string]bool{}
	}
	r.seen[id] = true
	if p.Severity == spec.Error {
		r.failed[p.Service] = true
	}
	r.problems = append(r.problems, p)
}

func (r *report) hasErrorOf(service string) bool { return r.failed[service] }

func (r *report) put(severity spec.Severity, at place, service, summary, detail string) {
	r.add(spec.Problem{
		Severity: severity, Attribute: at.input(),
		File: at.file, Line: at.line, Column: at.column,
		Service: service, Summary: summary, Detail: detail,
	})
}

// errorAt reports something at a path of a Compose file; the service at fault
// follows from the path.
func (r *report) errorAt(at place, p path, summary, detail string) {
	r.put(spec.Error, at, p.service(), summary, detail)
}

func (r *report) warnAt(at place, p path, summary, detail string) {
	r.put(spec.Warning, at, p.service(), summary, detail)
}

// attributeError reports something that no Compose file can mend.
func (r *report) attributeError(attribute []string, summary, detail string) {
	r.add(spec.Problem{Severity: spec.Error, Attribute: attribute, Summary: summary, Detail: detail})
}

// path leads to a value of a Compose file: keys and list indexes, outermost first.
type path []string

func (p path) with(segments ...string) path {
	return append(p[:len(p):len(p)], segments...)
}

// id tells paths apart whose keys contain dots.
func (p path) id() string { return strings.Join(p, "\x00") }

func (p path) service() string {
	if len(p) > 1 && p[0] == "services" {
		return p[1]
	}
	return ""
}

// String is the form users write in conversation: services.web.ports[0].
func (p path) String() string {
	var b strings.Builder
	for i, s := range p {
		if _, err := strconv.Atoi(s); err == nil && i > 0 {
			b.WriteString("[" + s + "]")
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(s)
	}
	return b.String()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
