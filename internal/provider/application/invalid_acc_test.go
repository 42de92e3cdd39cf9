package application_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// faulty has one fault a line, each of another kind. %s is a service name of 64 characters.
const faulty = `    services:
      web:
        image: registry.example/web:$${TAG}
        enviroment: {A: b}
        privileged: true
        container_name: web
        networks: [nowhere]
        volumes: ["cache:/data", "./local:/srv"]
        configs: [absent]
        secrets: [missing]
        depends_on: [gone]
        ports: ["80:80", "80:81"]
        deploy: {replicas: many, mode: bogus}
      api:
        image: api
        ports: ["80:8080"]
        user: $${USER_NAME}
      %s:
        image: api
    configs:
      big: {file: big.txt}
      empty: {content: ""}
      bad-name: {content: x, name: "no spaces please"}
    secrets:
      session: {}
      large: {}`

// want is what must be said about each of them: the text, and the line of the Compose text, 0 where it is not one.
var faults = []struct {
	text string
	line int
}{
	{"Variable TAG is not set", 3},
	{"Unknown key services.web.enviroment", 4},
	{"services.web.privileged has no effect on Swarm", 5},
	{`Undefined network "nowhere"`, 7},
	{`Undefined volume "cache"`, 8},
	{"Bind mount of a relative path", 8},
	{`Undefined config "absent"`, 9},
	{`Undefined secret "missing"`, 10},
	{`Undefined service "gone"`, 11},
	{"Port 80/tcp is published twice", 12},
	{"Wrong value of services.web.deploy.replicas", 13},
	{"Wrong value of services.web.deploy.mode", 13},
	{"Port 80/tcp is published by two services", 12},
	{"Variable USER_NAME is not set", 17},
	{"Invalid name of service sssss", 18},
	{"Config big is too large", 21},
	{"Config empty is empty", 22},
	{"Invalid name of config bad-name", 23},
	{"Secret session has no content", 25},
	{"Secret large is too large", 26},
	{"Secret unknown is not declared", 0},
	{"must be a whole number from 1 to 9999", 0},
}

// TestAccFaultsAreFoundAtPlan gives one application every kind of fault at once: the plan names all of them with
// their place, and neither plan nor apply asks the engine for anything but what a refresh needs.
func TestAccFaultsAreFoundAtPlan(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name, proxy := s.RandomName(t), s.NewProxy(t)
	sound := "    services:\n      web:\n        image: " + acctest.Image("1.0") + "\n        deploy: {replicas: 0}"
	bad := application(proxy.Host(), name, fmt.Sprintf(faulty, strings.Repeat("s", 64)),
		`files = { "big.txt" = file("big.txt") }`, `secrets_wo = { unknown = "x", large = file("large.txt") }`,
		`history_limit = "0"`)

	w := providertest.NewWorkspace(t, bad)
	w.Write("big.txt", strings.Repeat("x", 1000*1024))
	w.Write("large.txt", strings.Repeat("x", 500*1024))
	fresh := w.Expect(1, "plan", "-input=false")
	t.Log(fresh)
	allFaults(t, "plan of a new application", fresh)
	allFaults(t, "validate", w.Expect(1, "validate"))
	w.Expect(1, "apply", "-auto-approve", "-input=false")
	if calls := proxy.Calls(nil); len(calls) > 0 {
		t.Errorf("the engine was asked: %v", calls)
	}

	w.Write("main.tf", application(proxy.Host(), name, sound))
	w.Apply()
	state := w.Evidence()["terraform.tfstate"]
	w.Write("main.tf", bad)
	proxy.Reset()
	allFaults(t, "plan of a change", w.Expect(1, "plan", "-input=false"))
	allFaults(t, "apply of a change", w.Expect(1, "apply", "-auto-approve", "-input=false"))
	if writes := proxy.Writes(); len(writes) > 0 {
		t.Errorf("the engine was written to: %v", writes)
	}
	if now := w.Evidence()["terraform.tfstate"]; now != state {
		t.Errorf("the state was changed:\n%s", now)
	}
}

// allFaults checks that each fault is in one diagnostic with its place.
func allFaults(t *testing.T, when, out string) {
	t.Helper()
	diagnostics := regexp.MustCompile(`(?m)^(?:│ )?(Error|Warning): `).Split(out, -1)
	for _, f := range faults {
		about := slices.DeleteFunc(slices.Clone(diagnostics), func(d string) bool { return !strings.Contains(providertest.Flat(d), f.text) })
		switch {
		case len(about) == 0:
			t.Errorf("%s: nothing is said of %q", when, f.text)
			continue
		case len(about) > 1:
			t.Errorf("%s: %q is said %d times", when, f.text, len(about))
		}
		if place := fmt.Sprintf("compose[0]:%d", f.line); f.line > 0 && !regexp.MustCompile(regexp.QuoteMeta(place)+`\b`).MatchString(about[0]) {
			t.Errorf("%s: %q does not say %s:\n%s", when, f.text, place, about[0])
		}
		if text := providertest.Flat(about[0]); !strings.Contains(text, "with swarm_application.app, on main.tf line") {
			t.Errorf("%s: %q does not point to the configuration:\n%s", when, f.text, about[0])
		}
	}
}

// TestAccIgnoredKeysAreWarnings: what Swarm would drop without a word, and what harms nobody, is said and no more.
func TestAccIgnoredKeysAreWarnings(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	w := providertest.NewWorkspace(t, application(s.Host(), name, `    services:
      web:
        image: `+acctest.Image("1.0")+`
        container_name: web
        build: .
        expose: ["8080"]
        links: [web]
        deploy: {replicas: 0}`))
	out := w.Apply()
	t.Log(out)
	for line, key := range map[int]string{4: "container_name", 5: "build", 7: "links"} {
		if !regexp.MustCompile(fmt.Sprintf(`Warning: services\.web\.%s has no effect on Swarm .*compose\[0\]:%d, service web`, key, line)).MatchString(providertest.Flat(out)) {
			t.Errorf("%s in line %d is not warned of", key, line)
		}
	}
	w.Settled()
}
