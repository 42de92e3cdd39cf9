package application_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
)

// templated is an application whose Compose text is a template.
func templated(host, name, tag string, settings ...string) string {
	return application(host, name, `
services:
{{- range $service := .Values.services }}
  {{ $service }}:
    image: "{{ $.Values.repository }}:{{ $.Values.tag }}"
    hostname: "{{.Node.Hostname}}-{{.Task.Slot}}"
    environment: {TOKEN: {{ $.Values.token | literal }}}
    deploy: {replicas: 0}
{{- end }}
`, append(settings, fmt.Sprintf(`values = ["services: [api]\nrepository: swarmkeel/test-app\ntag: x", yamlencode({ services = ["api", "web"], tag = %q })]`, tag))...)
}

// TestAccTemplates deploys a template, changes one of its values, and rotates a secret one, which shows nowhere.
func TestAccTemplates(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	first, second := randomValue(t, "pa$s'\" "), randomValue(t, "pa$s'\" ")
	config := func(tag string) string {
		return ephemeral("token") + templated(s.Host(), name, tag, `values_wo = [yamlencode({ token = var.token })]`)
	}
	w := newWorkspace(t, config("1.0"))
	w.traced()
	w.variable("token", first)
	w.apply()
	w.settled()
	token := func() string {
		spec := s.Docker(t, "service", "inspect", name+"_web", "--format", `{{index .Spec.TaskTemplate.ContainerSpec.Env 0}} {{.Spec.TaskTemplate.ContainerSpec.Hostname}}`)
		return strings.TrimPrefix(spec, "TOKEN=")
	}
	if got, want := token(), first+" {{.Node.Hostname}}-{{.Task.Slot}}"; got != want {
		t.Errorf("the service has %q, want %q", got, want)
	}

	w.write("main.tf", config("1.1"))
	d := compare(t, w.plan(2).change())
	for _, service := range []string{"service/api", "service/web"} {
		if got := d.take(service); len(got) != 1 || got[0] != "image" {
			t.Errorf("another tag shows of %s %v, want the image", service, got)
		}
	}
	w.apply()
	w.variable("token", second)
	d = compare(t, w.plan(2).change())
	if got := d.take("service/web"); len(got) != 1 || got[0] != "env.TOKEN" {
		t.Errorf("another token shows %v, want env.TOKEN", got)
	}
	w.apply()
	w.settled()
	if got := token(); !strings.HasPrefix(got, second) {
		t.Errorf("the service has %q, want %q", got, second)
	}
	for _, value := range []string{first, second} {
		unique := strings.TrimPrefix(value, "pa$s'\" ")
		if found := w.evidence().having(unique); len(found) > 0 {
			t.Errorf("the token is in %v", found)
		}
	}

	w.write("main.tf", strings.Replace(config("1.1"), "$.Values.tag", "$.Values.nope", 1))
	out := w.expect(1, "plan", "-input=false")
	if want := `compose[0]:5: at <$.Values.nope>: map has no entry for key "nope".`; !strings.Contains(flat(out), want) {
		t.Errorf("the plan does not say %q:\n%s", want, out)
	}
}
