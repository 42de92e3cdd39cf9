package render

import (
	"strings"
	"testing"
	"time"

	"github.com/Masterminds/sprig/v3"
	"github.com/google/go-cmp/cmp"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

func values(texts ...string) func(*spec.Application) {
	return func(app *spec.Application) { app.Values = append(app.Values, texts...) }
}

func sensitiveValues(texts ...string) func(*spec.Application) {
	return func(app *spec.Application) { app.SensitiveValues = append(app.SensitiveValues, texts...) }
}

func TestTemplatesMeanWhatTheyStandFor(t *testing.T) {
	for name, c := range map[string]struct {
		template, plain string
		changes         []func(*spec.Application)
	}{
		"later values win, and mappings are merged": {
			template: web("environment: {A: \"{{ .Values.a.x }}\", B: \"{{ .Values.a.y }}\", C: \"{{ join \",\" .Values.l }}\"}"),
			plain:    web("environment: {A: \"1\", B: \"3\", C: \"z\"}"),
			changes:  []func(*spec.Application){values("a: {x: 1, y: 2}\nl: [p, q]\n", "a: {y: 3}\nl: [z]\n")},
		},
		"a null takes a value away": {
			template: web("environment: {A: \"{{ hasKey .Values \"a\" }}\"}"),
			plain:    web("environment: {A: \"false\"}"),
			changes:  []func(*spec.Application){values("a: 1\n", "a: null\n")},
		},
		"loops and conditions make services": {
			template: "services:\n{{- range $i, $s := .Values.services }}\n  {{ $s }}: {image: nginx, deploy: {replicas: {{ add1 $i }}}}\n{{- end }}\n",
			plain:    "services:\n  a: {image: nginx, deploy: {replicas: 1}}\n  b: {image: nginx, deploy: {replicas: 2}}\n",
			changes:  []func(*spec.Application){values("services: [a, b]")},
		},
		"Swarm's own templates pass through": {
			template: web("hostname: \"{{.Node.Hostname}}-{{ .Task.Slot }}-{{ .Name }}\""),
			plain:    web("hostname: \"{{.Node.Hostname}}-{{.Task.Slot}}-shop\""),
			changes:  []func(*spec.Application){values("a: 1")},
		},
		"and where the dot is another one": {
			template: "services:\n{{- range .Values.services }}\n  {{ . }}: {image: nginx, hostname: \"{{.Service.Name}}-{{.Task.Slot}}\"}\n{{- end }}\n",
			plain:    "services:\n  a: {image: nginx, hostname: \"{{.Service.Name}}-{{.Task.Slot}}\"}\n",
			changes:  []func(*spec.Application){values("services: [a]")},
		},
		"variables are expanded afterwards": {
			template: web("environment: {A: \"${ {{- .Values.name -}} }\", B: {{ .Values.dollar | literal }}}"),
			plain:    web("environment: {A: \"yes\", B: 'pa$$word \" # x'}"),
			changes:  []func(*spec.Application){values("name: VAR\ndollar: 'pa$word \" # x'"), variable("VAR", "yes")},
		},
		"without values a text is no template": {
			template: web("hostname: \"{{.Node.Hostname}}\"\nlabels: {a: \"{{ nope\"}"),
			plain:    web("hostname: \"{{.Node.Hostname}}\"\nlabels: {a: \"{{ nope\"}"),
		},
		"keys come in order": {
			template: web("command: [{{ join \",\" (keys .Values.m) }}, {{ join \",\" (values .Values.m) }}]"),
			plain:    web("command: [a,b,c,d, \"1\",\"2\",\"3\",\"4\"]"),
			changes:  []func(*spec.Application){values("m: {c: '\"3\"', a: '\"1\"', d: '\"4\"', b: '\"2\"'}")},
		},
		"YAML is indented": {
			template: web("environment:{{ .Values.env | toYaml | nindent 6 }}"),
			plain:    web("environment:\n  A: \"1\"\n  B: two"),
			changes:  []func(*spec.Application){values("env: {A: '1', B: two}")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := forms(t, mustRender(t, shop(c.plain, variable("VAR", "yes"))))
			for range 5 {
				got := forms(t, mustRender(t, shop(c.template, c.changes...)))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("it is not what it stands for (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestFaultsOfTemplatesHaveTheirPlace(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		values []string
		want   []string
		detail string
	}{
		"a missing value": {
			text: web("labels:\n  a: x\n  b: \"{{ .Values.nope }}\""), want: []string{"E compose[0]:6: The template fails"},
			detail: `at <.Values.nope>: map has no entry for key "nope".`,
		},
		"no value to print":          {text: web("user: \"{{ first .Values.l }}\""), values: []string{"l: [~]"}, want: []string{"E compose[0]:4: The template fails"}},
		"an unknown function":        {text: web("user: \"{{ env \"HOME\" }}\""), want: []string{"E compose[0]:4: The template fails"}, detail: `function "env" not defined.`},
		"an action without an end":   {text: web("{{ if true }}"), want: []string{"E compose[0]:5: The template fails"}},
		"what the author refuses":    {text: web("user: \"{{ required \"user must be set\" .Values.u }}\""), values: []string{"u: ''"}, want: []string{"E compose[0]:4: The template fails"}, detail: "user must be set"},
		"values that are no mapping": {text: web(""), values: []string{"- a"}, want: []string{"E values[0]:1: YAML text is not a mapping"}},
		"values that are no YAML":    {text: web(""), values: []string{"a: 1", "a: 1\nb: [\n"}, want: []string{"E values[1]:2: Invalid YAML"}},
		"a fault of what it stands for is where it was written": {
			text:   "services:\n{{- range .Values.l }}\n  {{ . }}:\n    image: nginx\n    portz: [80]\n{{- end }}\n  z:\n    image: nginx\n    replicaz: 1\n",
			values: []string{"l: [a, b]"},
			want: []string{
				"E compose[0]:5 a: Unknown key services.a.portz", "E compose[0]:5 b: Unknown key services.b.portz", "E compose[0]:9 z: Unknown key services.z.replicaz",
			},
		},
		"a fault in lines that a value brings": {
			text: "services:\n  web:\n    image: nginx\n    deploy: {{ .Values.d | toYaml | nindent 6 }}\n    user: root\n    nope: 1\n", values: []string{"d: {mode: global, x: 1, y: 2}"},
			want: []string{
				"E compose[0]:4 web: Unknown key services.web.deploy.x", "E compose[0]:4 web: Unknown key services.web.deploy.y", "E compose[0]:6 web: Unknown key services.web.nope",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.values == nil {
				c.values = []string{"a: 1"}
			}
			_, problems := Application(shop(c.text, values(c.values...)))
			if diff := cmp.Diff(c.want, brief(problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s\n%s", diff, problems.Error())
			}
			if c.detail != "" && !strings.Contains(problems.Error(), c.detail) {
				t.Errorf("it does not say %q: %s", c.detail, problems.Error())
			}
		})
	}
}

// Whatever a template does, it is over in bounded time and memory.
func TestTemplatesAreBounded(t *testing.T) {
	double := strings.Repeat("{{ $s = print $s $s }}", 60)
	for name, text := range map[string]string{
		"a loop around nothing":           "{{ range 1000000000000 }}{{ end }}",
		"nested loops":                    "{{ range until 10000 }}{{ range until 10000 }}{{ range until 10000 }}{{ end }}{{ end }}{{ end }}",
		"a loop that prints":              "{{ range 1000000000000 }}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{{ end }}",
		"a loop around much":              "{{ range 1000000000000 }}" + strings.Repeat("{{ $x := 1 }}", 10_000) + "{{ end }}",
		"a loop that compares":            "{{ $a := repeat 200000 \"a\" }}{{ $b := repeat 200000 \"a\" }}{{ range 1000000000000 }}{{ $x := eq $a $b }}{{ end }}",
		"recursion":                       "{{ define \"a\" }}{{ template \"a\" . }}{{ end }}{{ template \"a\" . }}",
		"recursion in two":                "{{ define \"a\" }}{{ template \"a\" . }}{{ template \"a\" . }}{{ end }}{{ template \"a\" . }}",
		"a long list":                     "{{ $x := until 1000000000 }}",
		"a repeated text":                 "{{ repeat 1000000000 \"x\" }}",
		"a repeated text without a text":  "{{ repeat 1000000000000 \"\" }}",
		"a deep indent":                   "{{ indent 1000000000 \"x\" }}",
		"a wide format":                   "{{ printf \"%1000000000d\" 1 }}",
		"a wide format by number":         "{{ printf \"%*d\" 1000000000 1 }}",
		"a doubled text":                  "{{ $s := \"x\" }}" + double,
		"a doubled list":                  "{{ $s := list 1 }}" + strings.ReplaceAll(double, "print", "concat"),
		"a text replaced by a longer one": "{{ $s := repeat 100000 \"x\" }}{{ $s = replace \"x\" $s $s }}",
		"an expression that doubles":      "{{ $s := repeat 100000 \"x\" }}{{ $s = regexReplaceAll \"x*\" $s \"$0$0$0$0$0\" }}",
		"a costly expression":             "{{ $s := repeat 200000 \"x\" }}{{ range 1000000 }}{{ $x := regexMatch \"(x*x*x*x*x*x*)*y\" $s }}{{ end }}",
		"a long separator":                "{{ $s := repeat 100000 \"x\" }}{{ $s = join $s (splitList \"\" $s) }}",
		"a billion laughs":                "{{ $d := dict }}" + strings.Repeat("{{ $d = dict \"a\" $d \"b\" $d }}", 60) + "{{ toJson $d }}",
		"a mapping in itself":             "{{ $d := dict }}{{ $d = set $d \"d\" $d }}{{ $d }}",
		"a mapping in itself, unseen":     "{{ $d := dict }}{{ $e := dict \"d\" $d }}{{ $x := set $d \"e\" $e }}{{ toJson $e }}",
		"much of all in pairs":            "{{ $l := until 100000 }}{{ $l = uniq $l }}",
		"a text too long to parse":        strings.Repeat("{{ if true }}", 100_000),
		"values printed again and again":  "{{ range 1000000000 }}{{ $.Values }}{{ end }}",
		"nested deeper than a stack":      strings.Repeat("{{ if true }}", 80_000) + strings.Repeat("{{ end }}", 50),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, problems := Application(shop(text, values("a: 1")))
			if took := time.Since(start); took > time.Minute {
				t.Errorf("it took %s", took)
			}
			if diff := cmp.Diff([]string{"The template fails"}, summaries(problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func summaries(problems spec.Problems) []string {
	list := []string{}
	for _, p := range problems {
		list = append(list, p.Summary)
	}
	return list
}

func TestAliasesDoNotMultiplyTexts(t *testing.T) {
	text := web("environment:\n  A: &a \"" + strings.Repeat("x", 1<<20) + "\"\n" + strings.Repeat("  B: *a\n", 1))
	var b strings.Builder
	b.WriteString(text)
	for i := range 100 {
		b.WriteString("      C" + strings.Repeat("c", i) + ": *a\n")
	}
	_, problems := Application(shop(b.String()))
	if diff := cmp.Diff([]string{"YAML text grows too large"}, summaries(problems)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// The functions are chosen one by one: what sprig adds must not come in unseen,
// and what was chosen must be there.
func TestTemplateFunctionsExist(t *testing.T) {
	all := sprig.TxtFuncMap()
	for _, name := range sprigFunctions {
		if all[name] == nil {
			t.Errorf("sprig has no function %s", name)
		}
		if ownFunctions[name] != nil {
			t.Errorf("%s is taken from sprig and replaced as well", name)
		}
	}
	functions := (&allowance{}).functions(&lineWriter{})
	for _, name := range strings.Fields(`env expandenv getHostByName now date ago unixEpoch randAlphaNum randInt randBytes uuidv4 shuffle
		genCA genPrivateKey derivePassword bcrypt htpasswd encryptAES`) {
		if functions[name] != nil {
			t.Errorf("%s is not the same in every run, and may be used", name)
		}
	}
}
