package render

import (
	"fmt"
	"strings"
)

// expansion is the result of expanding the variables of one string.
type expansion struct {
	text string
	// used names the variables whose value went into text.
	used []string
	// unset names variables without a value and without a default.
	unset []string
	// faults are the other things wrong with the string.
	faults []string
}

// expand replaces variables in a string by the rules of the Compose
// specification (https://github.com/compose-spec/compose-spec/blob/main/12-interpolation.md):
// $NAME and ${NAME}, ${NAME-default}, ${NAME:-default}, ${NAME+replacement},
// ${NAME:+replacement}, ${NAME?message}, ${NAME:?message}, nested to any depth;
// `$$` stands for one `$`, and a `$` in front of anything else for itself.
//
// It differs from the specification's own library in two ways: it collects every
// fault of a string, not the first, and a variable that is not set is a fault
// instead of a word on the process's standard error.
func expand(s string, lookup func(string) (string, bool)) expansion {
	p := &templateParser{input: s, lookup: lookup}
	text := p.until(false, true)
	p.text = text
	return p.expansion
}

type templateParser struct {
	expansion
	input  string
	offset int
	depth  int
	lookup func(string) (string, bool)
}

// maxNesting bounds ${A:-${B:-…}}.
const maxNesting = 50

// until expands up to the end of the input, or in braces up to the closing one.
// With live false the text is only skipped: the branch that is not taken must
// not complain about variables.
func (p *templateParser) until(inBraces, live bool) string {
	var out strings.Builder
	open := 0
	for p.offset < len(p.input) {
		c := p.input[p.offset]
		switch {
		case c == '$':
			out.WriteString(p.dollar(live))
			continue
		case inBraces && c == '{':
			open++
		case inBraces && c == '}':
			if open == 0 {
				return out.String()
			}
			open--
		}
		out.WriteByte(c)
		p.offset++
	}
	return out.String()
}

// dollar expands what starts with the `$` at the current offset.
func (p *templateParser) dollar(live bool) string {
	rest := p.input[p.offset+1:]
	switch {
	case strings.HasPrefix(rest, "$"):
		p.offset += 2
		return "$"
	case strings.HasPrefix(rest, "{"):
		return p.braced(live)
	}
	name := variableName(rest)
	if name == "" {
		p.offset++
		return "$"
	}
	p.offset += 1 + len(name)
	return p.value(name, live)
}

func (p *templateParser) braced(live bool) string {
	start := p.offset
	p.offset += 2
	name := variableName(p.input[p.offset:])
	p.offset += len(name)
	rest := p.input[p.offset:]
	if name != "" && strings.HasPrefix(rest, "}") {
		p.offset++
		return p.value(name, live)
	}
	operator := ""
	for _, o := range []string{":-", ":?", ":+", "-", "?", "+"} {
		if strings.HasPrefix(rest, o) {
			operator = o
			break
		}
	}
	if name == "" || operator == "" || p.depth >= maxNesting {
		p.faults = append(p.faults, fmt.Sprintf("%q is no variable: write ${NAME}, ${NAME:-default}, ${NAME:?message} or ${NAME:+value}, and $$ for a plain dollar sign",
			excerpt(p.input[start:])))
		p.offset = len(p.input)
		return ""
	}
	p.offset += len(operator)
	return p.operation(name, operator, start, live)
}

func (p *templateParser) operation(name, operator string, start int, live bool) string {
	value, set := p.lookup(name)
	present := set && (value != "" || operator[0] != ':')
	kind := operator[len(operator)-1]
	takeOperand := live && kind != '?' && (present == (kind == '+'))

	p.depth++
	from := p.offset
	operand := p.until(true, takeOperand)
	p.depth--
	if p.offset >= len(p.input) {
		p.faults = append(p.faults, fmt.Sprintf("%q has no closing brace", excerpt(p.input[start:])))
		return ""
	}
	p.offset++ // the closing brace

	switch {
	case !live:
		return ""
	case kind == '+':
		if present {
			return operand
		}
		return ""
	case present:
		p.used = append(p.used, name)
		return value
	case kind == '?':
		state := "not set"
		if set {
			state = "empty"
		}
		fault := fmt.Sprintf("variable %s is required and %s", name, state)
		// The message is shown as written: a value in it may be sensitive.
		if message := p.input[from : p.offset-1]; message != "" {
			fault += ": " + message
		}
		p.faults = append(p.faults, fault)
		return ""
	default:
		return operand
	}
}

func (p *templateParser) value(name string, live bool) string {
	if !live {
		return ""
	}
	value, ok := p.lookup(name)
	if !ok {
		p.unset = append(p.unset, name)
		return ""
	}
	p.used = append(p.used, name)
	return value
}

// variableName is the variable name that s starts with, or "".
func variableName(s string) string {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return s[:i]
		}
	}
	return s
}

// excerpt keeps quoted text short.
func excerpt(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
