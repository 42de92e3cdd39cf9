package application_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
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
	first, second := providertest.RandomValue(t, "pa$s'\" "), providertest.RandomValue(t, "pa$s'\" ")
	config := func(tag string) string {
		return ephemeral("token") + templated(s.Host(), name, tag, `values_wo = [yamlencode({ token = var.token })]`)
	}
	w := providertest.NewWorkspace(t, config("1.0"))
	w.Traced()
	w.Variable("token", first)
	w.Apply()
	w.Settled()
	token := func() string {
		spec := s.Docker(t, "service", "inspect", name+"_web", "--format", `{{index .Spec.TaskTemplate.ContainerSpec.Env 0}} {{.Spec.TaskTemplate.ContainerSpec.Hostname}}`)
		return strings.TrimPrefix(spec, "TOKEN=")
	}
	if got, want := token(), first+" {{.Node.Hostname}}-{{.Task.Slot}}"; got != want {
		t.Errorf("the service has %q, want %q", got, want)
	}

	w.Write("main.tf", config("1.1"))
	d := providertest.Compare(t, w.Plan(2).Change(resource))
	for _, service := range []string{"service/api", "service/web"} {
		if got := d.Take(service); len(got) != 1 || got[0] != "image" {
			t.Errorf("another tag shows of %s %v, want the image", service, got)
		}
	}
	w.Apply()
	w.Variable("token", second)
	d = providertest.Compare(t, w.Plan(2).Change(resource))
	if got := d.Take("service/web"); len(got) != 1 || got[0] != "env.TOKEN" {
		t.Errorf("another token shows %v, want env.TOKEN", got)
	}
	w.Apply()
	w.Settled()
	if got := token(); !strings.HasPrefix(got, second) {
		t.Errorf("the service has %q, want %q", got, second)
	}
	for _, value := range []string{first, second} {
		unique := strings.TrimPrefix(value, "pa$s'\" ")
		if found := w.Evidence().Having(unique); len(found) > 0 {
			t.Errorf("the token is in %v", found)
		}
	}

	w.Write("main.tf", strings.Replace(config("1.1"), "$.Values.tag", "$.Values.nope", 1))
	out := w.Expect(1, "plan", "-input=false")
	if want := `compose[0]:5: at <$.Values.nope>: map has no entry for key "nope".`; !strings.Contains(providertest.Flat(out), want) {
		t.Errorf("the plan does not say %q:\n%s", want, out)
	}
}
