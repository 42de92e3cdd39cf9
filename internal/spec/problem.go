package spec

import (
	"fmt"
	"sort"
	"strings"
)

// Severity tells whether a Problem stops the plan.
type Severity int

// The severities of a Problem.
const (
	Error Severity = iota
	Warning
)

// Problem is one thing that is wrong with the input, with the place where the
// user has to mend it.
type Problem struct {
	Severity Severity
	// Attribute is the path of the attribute at fault, outermost first: map keys
	// and list indexes as strings ("compose", "0").
	Attribute []string
	// File, Line and Column are the place in a Compose file, counted from 1; 0
	// means unknown.
	File         string
	Line, Column int
	// Service is the Compose service at fault, if it is about one.
	Service string
	// Summary is one short sentence without a full stop.
	Summary string
	// Detail says what is wrong with which key and what to do about it.
	Detail string
}

// Position is "file:line" as far as it is known.
func (p Problem) Position() string {
	if p.File == "" {
		return ""
	}
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

func (p Problem) String() string {
	var b strings.Builder
	if pos := p.Position(); pos != "" {
		b.WriteString(pos + ": ")
	}
	if p.Service != "" {
		b.WriteString("service " + p.Service + ": ")
	}
	b.WriteString(p.Summary)
	if p.Detail != "" {
		b.WriteString(": " + p.Detail)
	}
	return b.String()
}

// Problems is everything that is wrong with an input.
type Problems []Problem

// HasErrors reports whether one of the problems stops the plan.
func (ps Problems) HasErrors() bool {
	for _, p := range ps {
		if p.Severity == Error {
			return true
		}
	}
	return false
}

// Sort orders by attribute, file and line, so that the same input gives the same
// report every time.
func (ps Problems) Sort() {
	sort.SliceStable(ps, func(i, j int) bool {
		a, b := ps[i], ps[j]
		if x, y := strings.Join(a.Attribute, "."), strings.Join(b.Attribute, "."); x != y {
			return x < y
		}
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		if a.Column != b.Column {
			return a.Column < b.Column
		}
		if a.Summary != b.Summary {
			return a.Summary < b.Summary
		}
		return a.Detail < b.Detail
	})
}

// Error makes Problems usable as an error where only one can be returned.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}
