package render

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/docker/cli/cli/compose/schema"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// requireSchemaAgrees holds that docker/cli's JSON schema refuses nothing that
// the shapes let pass: it is not asked in production.
func requireSchemaAgrees(t *testing.T, app spec.Application) {
	t.Helper()
	r := &report{}
	s := readStack(app, variablesOf(app, r), r)
	if r.problems.HasErrors() {
		return
	}
	for _, f := range s.details().ConfigFiles {
		if err := schema.Validate(f.Config, "3.13"); err != nil {
			t.Errorf("docker/cli's schema refuses what was let pass: %v", err)
		}
	}
}

func TestShapesAreStricterThanTheSchema(t *testing.T) {
	for _, s := range readPublishedStacks(t) {
		t.Run(s.file, func(t *testing.T) { requireSchemaAgrees(t, rewriteRefused(t, s.app)) })
	}
}

// requireHidden holds that neither the problems nor the redacted forms show a
// value.
func requireHidden(t *testing.T, value string, r *Rendered, problems spec.Problems) {
	t.Helper()
	if strings.Contains(fmt.Sprintf("%+v", problems), value) {
		t.Errorf("the problems show the value: %s", problems.Error())
	}
	if r == nil {
		return
	}
	names := object.NamesOf(r.Objects)
	for _, o := range r.Objects {
		form, err := o.Form(object.View{Names: names})
		if err != nil {
			t.Fatal(err)
		}
		scope := object.Scope{Kind: kindApplication, Release: "shop"}
		if shown := form.Redact(scope, o.Ref(), o.Sensitive).JSON(); strings.Contains(shown, value) {
			t.Errorf("%s shows the value: %s", o.Ref(), shown)
		}
	}
}

// FuzzApplication: no input makes rendering panic, take long, show a sensitive
// value, or depend on anything but the input.
func FuzzApplication(f *testing.F) {
	for _, seed := range []string{
		web("tty: true"),
		web("ports: [\"80-90:8080\", {target: 1, published: 2, mode: host}]\nenvironment: {A: \"${A:-b}\", PW: }"),
		web("configs: [{source: c, mode: 0440}]\nsecrets: [s]") + "configs: {c: {content: \"$PW\"}}\nsecrets: {s: {external: {name: x}}}\n",
		"x-a: &a {A: 1}\n" + web("environment: {<<: *a}\nulimits: {nofile: {soft: 1, hard: 2}}\nhealthcheck: {test: [CMD, x], interval: 5s}"),
		web("deploy: {mode: global, placement: {preferences: [{spread: node.labels.a}]}, resources: {reservations: {generic_resources: [{discrete_resource_spec: {kind: gpu, value: 1}}]}}}"),
		web("volumes: [v:/x:ro, {type: tmpfs, target: /t, tmpfs: {size: 1m}}]\nnetworks: {n: {aliases: [a]}}") + "volumes: {v: }\nnetworks: {n: {ipam: {config: [{subnet: 10.0.0.0/24}]}}}\n",
		web("command: run $PW\nentrypoint: [\"${PW:-x}\"]\nlabels: [\"a=$PW\"]\nhealthcheck: {test: \"$PW\"}\nextra_hosts: [\"a:$PW\"]\nhostname: $PW\nenvironment: [PW, \"B=$PW\"]\nlogging: {options: {t: $PW}}"),
		"a: &a [*a]\n", "services: {web: {image: x, depends_on: {web: {condition: service_healthy}}}}\n",
	} {
		f.Add(seed)
	}
	const hidden = "qZ7hidden"
	f.Fuzz(func(t *testing.T, text string) {
		app := shop(text, variable("A", "1"), sensitive("PW", hidden), file("a.env", "A=1"), secret("s", "x"))
		start := time.Now()
		first, problems := Application(app)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("it took %s", took)
		}
		if (first == nil) != problems.HasErrors() {
			t.Error("there are objects together with errors, or neither")
		}
		if _, again := Application(app); again.Error() != problems.Error() {
			t.Errorf("two runs report differently:\n%s\n\n%s", problems.Error(), again.Error())
		}
		if !strings.Contains(text, hidden) {
			requireHidden(t, hidden, first, problems)
		}
		requireSchemaAgrees(t, app)
	})
}
