package render

import (
	"strings"
	"testing"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// FuzzTemplate holds that no template panics, runs on without bound, or shows a
// sensitive value.
func FuzzTemplate(f *testing.F) {
	for _, text := range []string{
		web("environment: {A: {{ .Values.pw | literal }}}"),
		web("labels: {a: \"{{ .Values.pw | b64enc | sha256sum }}\", b: \"{{ len .Values.pw }}\"}"),
		"services:\n{{- range $i, $s := .Values.l }}\n  s{{ $i }}: {image: \"{{ $s }}\", hostname: \"{{.Node.Hostname}}\"}\n{{- end }}\n",
		"{{ define \"a\" }}{{ template \"a\" . }}{{ end }}{{ template \"a\" . }}",
		"{{ $d := dict }}{{ $d = set $d \"d\" $d }}{{ toJson $d }}",
		"{{ range until 100000 }}{{ repeat 1000 \"x\" }}{{ end }}",
		"{{ with .Values.m }}{{ toYaml . | nindent 2 }}{{ else }}{{ fail .Values.pw }}{{ end }}",
		"{{ regexReplaceAll \"(x*)*y\" .Values.pw \"$1$1\" }}{{ printf \"%5.2f %v\" 1.5 .Values }}",
		"{{ .Values.m | dig \"a\" \"b\" }}{{- /* c */ -}}{{ break }}",
	} {
		f.Add(text)
	}
	const secret = "s3cr3tv4lue"
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		rendered, problems := Application(spec.Application{
			Name: "shop", Compose: []spec.Source{{Name: "compose[0]", Text: text}},
			Values: []string{"l: [nginx, redis]\nm: {a: 1}\n"}, SensitiveValues: []string{"pw: " + secret},
		})
		if took := time.Since(start); took > time.Minute {
			t.Errorf("it took %s", took)
		}
		if rendered == nil {
			rendered = &Rendered{}
		}
		if !strings.Contains(text, secret) {
			requireHidden(t, secret, rendered, problems)
		}
	})
}
