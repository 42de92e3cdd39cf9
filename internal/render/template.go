package render

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
)

// templated is the text that a template has become.
type templated struct {
	text string
	// lines holds, for each line of text, the line of the template that wrote its
	// first character.
	lines []int
}

// templateFault is why a template has no text. The message may quote values.
type templateFault struct {
	line    int // of the template, 0 when unknown
	message string
}

func (f *templateFault) Error() string { return f.message }

// templateName stands in the messages of text/template, from which it is cut.
const templateName = "(template)"

// maxTemplateBytes bounds a template, and with it the recursion of its parser.
const maxTemplateBytes = 1 << 20

// executeTemplate turns a Go template into the text that it stands for. The
// error is a *templateFault.
//
// What a template may use up is bounded: text/template knows no limit of its
// own, and cannot be stopped from outside. So the parsed template is rewritten
// before it runs. In front of everything that is executed comes an account of it
// (accountFunc), which ends the run when its allowance is used up, and behind
// every value that is printed a look at it (printFunc). Functions are guarded the
// same way, see templateFunctions.
func executeTemplate(text string, data map[string]any) (templated, error) {
	if len(text) > maxTemplateBytes {
		return templated{}, &templateFault{message: fmt.Sprintf("it has %d bytes, and a template at most %d", len(text), maxTemplateBytes)}
	}
	out := &lineWriter{}
	allowance := &allowance{left: maxTemplateWork}
	t := template.New(templateName).Option("missingkey=error").Funcs(allowance.functions(out))
	if _, err := t.Parse(text); err != nil {
		return templated{}, faultOf(err)
	}
	lines := newLineIndex(text)
	for _, part := range t.Templates() {
		if part.Tree != nil && part.Root != nil {
			(&accountant{lines: lines}).list(part.Root)
		}
	}
	if err := t.Execute(out, data); err != nil {
		return templated{}, faultOf(err)
	}
	return templated{text: out.text.String(), lines: out.lines}, nil
}

var templateErrorText = regexp.MustCompile(`^template: ` + regexp.QuoteMeta(templateName) + `:(\d+)(?::\d+)?: (?:executing "[^"]*" )?`)

// faultOf takes apart what text/template says, which has no type for the place.
func faultOf(err error) *templateFault {
	message := err.Error()
	fault := &templateFault{message: message}
	if m := templateErrorText.FindStringSubmatch(message); m != nil {
		fault.line, _ = strconv.Atoi(m[1])
		fault.message = message[len(m[0]):]
	}
	for _, ours := range []error{errTemplateWork, errTemplateValue, errNoValue, errLongText} {
		if errors.Is(err, ours) {
			fault.message = ours.Error()
		}
	}
	return fault
}

// lineWriter collects the text, and which line of the template each line of it
// comes from.
type lineWriter struct {
	text  strings.Builder
	lines []int
	// line is where the template stands; inText, whether what is written now is
	// text of the template itself, whose line ends count.
	line   int
	inText bool
	inLine bool // whether the last line has begun
}

var errLongText = errors.New("the text that it stands for grows too long")

func (w *lineWriter) Write(p []byte) (int, error) {
	if w.text.Len()+len(p) > maxTextBytes {
		return 0, errLongText
	}
	for _, c := range p {
		if !w.inLine {
			w.lines, w.inLine = append(w.lines, w.line), true
		}
		if c == '\n' {
			w.inLine = false
			if w.inText {
				w.line++
			}
		}
	}
	return w.text.Write(p)
}

var _ io.Writer = (*lineWriter)(nil)

// lineIndex finds the line of an offset.
type lineIndex []int

func newLineIndex(text string) lineIndex {
	var ends lineIndex
	for i := range len(text) {
		if text[i] == '\n' {
			ends = append(ends, i)
		}
	}
	return ends
}

func (x lineIndex) line(offset parse.Pos) int {
	return sort.SearchInts(x, int(offset)) + 1
}

// accountant puts the account in front of the nodes of a template.
type accountant struct{ lines lineIndex }

func (a *accountant) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	// A loop around nothing is to be paid for, too.
	nodes := []parse.Node{a.account(l)}
	for _, n := range l.Nodes {
		n = keepPlaceholder(n)
		nodes = append(nodes, a.account(n), n)
		switch n := n.(type) {
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 {
				n.Pipe.Cmds = append(n.Pipe.Cmds, call(n.Pos, printFunc))
			}
		case *parse.IfNode:
			a.list(n.List)
			a.list(n.ElseList)
		case *parse.WithNode:
			a.list(n.List)
			a.list(n.ElseList)
		case *parse.RangeNode:
			a.list(n.List)
			a.list(n.ElseList)
		}
	}
	l.Nodes = nodes
}

// keepPlaceholder turns `{{.Node.Hostname}}` and the like into text: it is Swarm's
// to fill in, wherever it stands, also where the dot is another one.
func keepPlaceholder(n parse.Node) parse.Node {
	action, ok := n.(*parse.ActionNode)
	if !ok || len(action.Pipe.Decl) > 0 || len(action.Pipe.Cmds) != 1 || len(action.Pipe.Cmds[0].Args) != 1 {
		return n
	}
	field, ok := action.Pipe.Cmds[0].Args[0].(*parse.FieldNode)
	if !ok {
		return n
	}
	placeholder := any(swarmTemplates)
	for _, name := range field.Ident {
		names, _ := placeholder.(map[string]any)
		placeholder = names[name]
	}
	text, ok := placeholder.(string)
	if !ok {
		return n
	}
	return &parse.TextNode{NodeType: parse.NodeText, Pos: action.Pos, Text: []byte(text)}
}

// account makes `{{ _account line inText work }}` for a node.
func (a *accountant) account(n parse.Node) parse.Node {
	inText, work := int64(0), 0
	switch n := n.(type) {
	case *parse.TextNode:
		inText, work = 1, len(n.Text)
	case *parse.ActionNode:
		work = len(n.Pipe.String())
	case *parse.TemplateNode:
		work = templateCallWork
	case *parse.IfNode:
		work = len(n.Pipe.String())
	case *parse.WithNode:
		work = len(n.Pipe.String())
	case *parse.RangeNode:
		work = len(n.Pipe.String())
	}
	at := n.Position()
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: at, Pipe: &parse.PipeNode{NodeType: parse.NodePipe, Pos: at, Cmds: []*parse.CommandNode{
		call(at, accountFunc, int64(a.lines.line(at)), inText, int64(work)),
	}}}
}

func call(at parse.Pos, function string, args ...int64) *parse.CommandNode {
	c := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: at, Args: []parse.Node{parse.NewIdentifier(function).SetPos(at)}}
	for _, n := range args {
		c.Args = append(c.Args, &parse.NumberNode{NodeType: parse.NodeNumber, Pos: at, IsInt: true, Int64: n, Text: strconv.FormatInt(n, 10)})
	}
	return c
}
