package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

func TestSensitiveValuesAreFoundWhereTheyGo(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"environment":             {web("environment: {A: {{ .Values.pw | literal }}, B: plain}"), []string{"service/web env.A"}},
		"environment as a list":   {web("environment: [ {{ print \"A=\" .Values.pw | literal }}, B=plain ]"), []string{"service/web env.A"}},
		"in an encoding":          {web("environment: {A: {{ .Values.pw | b64enc }}}"), []string{"service/web env.A"}},
		"in a hash":               {web("labels: {a: \"{{ .Values.pw | sha256sum }}\"}"), []string{"service/web container_labels.a"}},
		"a number":                {web("environment: {PIN: {{ .Values.pin }}}"), []string{"service/web env.PIN"}},
		"in part":                 {web("environment: {A: \"{{ trunc 2 .Values.tok }}\"}"), []string{"service/web env.A"}},
		"by its length":           {web("environment: {A: \"{{ len .Values.tok }}\"}"), []string{"service/web env.A"}},
		"by a comparison":         {web("environment: {A: \"{{ eq .Values.tok \"tok-123\" }}\"}"), []string{"service/web env.A"}},
		"by a condition":          {web("environment: {A: \"{{ if eq .Values.tok \"tok-123\" }}yes{{ else }}no{{ end }}\"}"), []string{"service/web env.A"}},
		"by a pattern":            {web("environment: {A: \"{{ regexMatch \"^[a-z]+-[0-9]+$\" .Values.tok }}\"}"), []string{"service/web env.A"}},
		"the content of a config": {web("configs: [c]") + "configs: {c: {content: {{ .Values.pw | literal }}}}", []string{"config/c content"}},
		"of a list":               {web("command: [run, {{ index .Values.l 1 | quote }}]"), []string{"service/web command"}},
		"laid over a value":       {web("environment: {A: {{ .Values.over }}, B: {{ .Values.plain }}}"), []string{"service/web env.A"}},
		"not used":                {web("environment: {A: {{ .Values.plain }}}"), []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			app := shop(c.text, values("plain: plain\nover: x\n"),
				sensitiveValues("pw: |-\n  "+password+"\npin: 90210\ntok: tok-123\nl: [a, sec-ond]\n", "over: laid-over\n"))
			rendered := mustRender(t, app)
			if diff := cmp.Diff(c.want, sensitivePaths(rendered)); diff != "" {
				t.Errorf("sensitive (-want +got):\n%s", diff)
			}
			for _, value := range []string{"s3cr", "90210", "tok-123", "sec-ond", "laid-over"} {
				requireHidden(t, value, rendered, nil)
			}
			if diff := cmp.Diff([]string{"a", "sec-ond", "90210", password, "tok-123", "laid-over"}, rendered.Sensitive); diff != "" {
				t.Errorf("values to mask in the words of others (-want +got):\n%s", diff)
			}
		})
	}
}

// Where a sensitive value cannot be followed or hidden, the plan is an error, and
// it does not quote the value.
func TestSensitiveValuesAreRefusedElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		value string
		want  string
	}{
		"an image":                       {"services: {web: {image: \"x:{{ .Values.pw }}\"}}\n", "h1dden", "Sensitive variable values_wo cannot be hidden in services.web.image"},
		"a number":                       {web("deploy: {replicas: {{ .Values.pw }}}"), "77123", "Sensitive variable values_wo cannot be hidden in services.web.deploy.replicas"},
		"the key of an entry":            {web("environment: [\"{{ .Values.pw }}=x\"]"), "h1dden", "Sensitive variable values_wo cannot be hidden in services.web.environment[0]"},
		"a key":                          {web("labels: { {{ .Values.pw }}: x}"), "h1dden", "A value of values_wo decides what is declared"},
		"whether something is there":     {web("{{ if eq .Values.pw \"h1dden\" }}user: root{{ end }}"), "h1dden", "A value of values_wo decides what is declared"},
		"how often something is there":   {web("command: [{{ range splitList \"d\" .Values.pw }}x,{{ end }}]"), "h1dden", "A value of values_wo decides what is declared"},
		"a value with a line of its own": {web("environment:\n  A: {{ .Values.pw }}"), "\"x\\n      h1dden: y\"", "A value of values_wo does not fit"},
		"a value that breaks YAML":       {web("environment: {A: {{ .Values.pw }}}"), "'h1dden: {['", "A value of values_wo does not fit"},
		"a value that fails":             {web("environment: {A: \"{{ fail .Values.pw }}\"}"), "h1dden", "The template fails"},
		"a value that alone fails":       {web("environment: {A: \"{{ if eq .Values.pw \"h1dden\" }}{{ fail .Values.pw }}{{ end }}\"}"), "h1dden", "A value of values_wo does not fit"},
		"a value that is decoded":        {web("environment: {A: \"{{ (mustFromJson .Values.pw).h1dden }}\"}"), "'{\"h1dden\": 1}'", "A value of values_wo does not fit"},
		"a dollar sign":                  {web("environment: {A: \"{{ .Values.pw }}\"}"), "x$h1dden", "A value of values_wo contains a dollar sign"},
		"no YAML":                        {web("environment: {A: \"{{ .Values.pw }}\"}"), "*h1dden", "Invalid YAML"},
		"a circle beside it":             {web("depends_on: [web]\nenvironment: [\"A={{ .Values.pw }}\"]"), "h1dden", "Services depend on each other in a circle"},
		"a command with an open quote":   {web("command: \"sh -c {{ .Values.pw }}\""), "\"'h1dden\"", "Wrong value of services.web.command"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Application(shop(c.text, sensitiveValues("pw: "+c.value)))
			if diff := cmp.Diff([]string{c.want}, summaries(problems)); diff != "" {
				t.Errorf("errors (-want +got):\n%s\n%s", diff, problems.Error())
			}
			for _, hidden := range []string{"h1dden", "77123"} {
				text := problems.Error()
				// The template's own words may be quoted.
				text = strings.ReplaceAll(text, `"h1dden"`, "")
				if strings.Contains(strings.ReplaceAll(text, `.h1dden>`, ""), hidden) {
					t.Errorf("a problem shows the value:\n%s", problems.Error())
				}
			}
		})
	}
}

func TestChangedSensitiveValuesChangeTheFingerprint(t *testing.T) {
	shown := map[string]bool{}
	for _, value := range []string{"one", "two"} {
		rendered := mustRender(t, shop(web("environment: {A: {{ .Values.pw }}}"), sensitiveValues("pw: "+value)))
		o := find(t, rendered, "service/web")
		form, err := o.Form(object.View{Names: object.NamesOf(rendered.Objects)})
		if err != nil {
			t.Fatal(err)
		}
		shown[form.Redact(object.Scope{Kind: "application", Release: "shop"}, o.Ref(), o.Sensitive).JSON()] = true
	}
	if len(shown) != 2 {
		t.Errorf("another value does not show: %v", shown)
	}
}
