package render

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/template"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var templateVariables = map[string]string{"SET": "value", "EMPTY": "", "OTHER": "o", "DOLLAR": "$SET"}

func lookupTemplateVariable(name string) (string, bool) {
	s, ok := templateVariables[name]
	return s, ok
}

func TestExpand(t *testing.T) {
	for name, c := range map[string]struct {
		in     string
		want   string
		unset  []string
		faults int
	}{
		"a name ends where it cannot go on":       {in: "$SET-$SET.x", want: "value-value.x"},
		"braces set a name apart":                 {in: "${SET}x", want: "valuex"},
		"two dollars are one, once":               {in: "$$SET $$$SET $$$$", want: "$SET $value $$"},
		"a value is not expanded again":           {in: "$DOLLAR", want: "$SET"},
		"a dollar in front of no name stays":      {in: "^a$ $1 $(x) $", want: "^a$ $1 $(x) $"},
		"a template of the engine stays":          {in: "{{.Node.Hostname}}-${SET}", want: "{{.Node.Hostname}}-value"},
		":- takes the default when empty":         {in: "${EMPTY:-d}${NOPE:-e}${SET:-f}", want: "devalue"},
		"- takes the default when unset":          {in: "${EMPTY-d}${NOPE-e}${SET-f}", want: "evalue"},
		":+ replaces what is not empty":           {in: "${EMPTY:+d}${NOPE:+e}${SET:+f}", want: "f"},
		"+ replaces what is set":                  {in: "${EMPTY+d}${NOPE+e}${SET+f}", want: "df"},
		"defaults nest":                           {in: "${NOPE:-${NOPE2:-${SET}}}", want: "value"},
		"defaults are expanded":                   {in: "${NOPE:-a$SET}", want: "avalue"},
		"a default may be a template":             {in: "${NOPE:-{{.Task.Slot}}}", want: "{{.Task.Slot}}"},
		"an operator in the default is text":      {in: "${NOPE:-a:?b}", want: "a:?b"},
		"what is not taken does not complain":     {in: "${SET:-${NOPE}}${NOPE:+${NOPE2:?x}}", want: "value"},
		"all unset names are found":               {in: "$A ${SET} ${B} $A", want: " value  ", unset: []string{"A", "B", "A"}},
		"an unset name in a default":              {in: "${NOPE:-$A}", want: "", unset: []string{"A"}},
		"a required one that is empty":            {in: "${EMPTY:?m}${EMPTY?m}", want: "", faults: 1},
		"a fault is not lost to what follows":     {in: "${NOPE:?need}-${SET}", want: "-value", faults: 1},
		"every fault counts":                      {in: "${NOPE:?a}${NOPE2?b}", want: "", faults: 2},
		"an unknown operator":                     {in: "${SET:=x}", faults: 1},
		"no name":                                 {in: "${}", faults: 1},
		"a missing brace":                         {in: "${SET:-x", faults: 1},
		"letters, digits and underscores make it": {in: "${_a1}", want: "", unset: []string{"_a1"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := expand(c.in, lookupTemplateVariable)
			if got.text != c.want || len(got.faults) != c.faults {
				t.Errorf("%q becomes %q with faults %q, not %q with %d", c.in, got.text, got.faults, c.want, c.faults)
			}
			if diff := cmp.Diff(c.unset, got.unset, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("unset (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExpandNamesWhatItUsed(t *testing.T) {
	for in, want := range map[string][]string{
		"$SET ${OTHER:-x}":     {"SET", "OTHER"},
		"${NOPE:-$OTHER}":      {"OTHER"},
		"${SET:+$OTHER}":       {"OTHER"},
		"${SET:-$OTHER}":       {"SET"},
		"${EMPTY:-x}":          nil,
		"$$SET ${NOPE:-plain}": nil,
	} {
		got := expand(in, lookupTemplateVariable).used
		if !slices.Equal(got, want) {
			t.Errorf("%q uses %q, not %q", in, got, want)
		}
	}
}

// FuzzExpand holds expand against the specification's own library, where that
// has no error and does what the specification says.
func FuzzExpand(f *testing.F) {
	for _, seed := range []string{"$SET", "${SET:-x}", "${NOPE:-${OTHER}}", "$$", "a${EMPTY:+b}c", "${NOPE?m}", "{{.X}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := expand(in, lookupTemplateVariable)
		if len(got.faults)+len(got.unset) > 0 || strings.Count(in, "{") > 1 || strings.ContainsAny(in, "\n") {
			return // the library's matching of braces is a regular expression on one line
		}
		want, err := template.Substitute(in, lookupTemplateVariable)
		var invalid *template.InvalidTemplateError
		if errors.As(err, &invalid) {
			return
		}
		if err != nil {
			t.Fatalf("%q: the library says %v", in, err)
		}
		if got.text != want {
			t.Errorf("%q becomes %q, and with the library %q", in, got.text, want)
		}
	})
}
