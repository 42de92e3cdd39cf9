package drift_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// engine is the provider's configuration, of the owner of one test.
func engine(s *acctest.Swarm, owner string) string {
	return fmt.Sprintf("provider \"swarm\" {\n  host  = %q\n  owner = %q\n}\n", s.Host(), owner)
}

// shop is an application of two services, one of them with a sensitive variable.
func shop(name string) string {
	return fmt.Sprintf(`
resource "swarm_application" "app" {
  name          = %q
  resolve_image = "never"
  variables_wo  = { TOKEN = "hunter2-hunter2" }
  compose = [<<-EOT
    services:
      web:
        image: %s
        environment: { MODE: fast, TOKEN: "$${TOKEN}" }
        stop_grace_period: 1s
        deploy: { endpoint_mode: dnsrr, update_config: { monitor: 100ms }, restart_policy: { delay: 100ms } }
      api:
        image: %s
        deploy: { replicas: 0 }
  EOT
  ]
}
`, name, acctest.Image("1.0"), acctest.Image("1.0"))
}

// check asserts in the way that the documentation tells.
const check = `
check "drift" {
  assert {
    condition = data.swarm_drift.all.in_sync
    error_message = join("\n", flatten([for r in data.swarm_drift.all.releases : [
      for d in r.differences : "${r.name}: ${d.object} ${d.path} is ${d.live}, deployed was ${d.desired}"
    ]]))
  }
}
`

const warning = "Check block assertion failed"

// byHand changes services with the Docker CLI. The want is what the check then says.
func byHand(t *testing.T, s *acctest.Swarm, name string) (want []string) {
	t.Helper()
	for _, c := range []struct {
		service string
		args    []string
		want    []string
	}{
		{"web", []string{"--env-rm", "MODE", "--env-add", "ADDED=1", "--replicas", "2", "--limit-memory", "64M"}, []string{
			"env.ADDED is 1, deployed was (not set)", "env.MODE is (not set), deployed was fast",
			"replicas is 2, deployed was 1", "limits.memory is 64MiB, deployed was (not set)",
		}},
		{"api", []string{"--image", acctest.Image("1.1"), "--no-resolve-image", "--label-add", "a.b=1"}, []string{
			"image is " + acctest.Image("1.1") + ", deployed was " + acctest.Image("1.0"), `labels["a.b"] is 1, deployed was (not set)`,
		}},
	} {
		s.Docker(t, append(append([]string{"service", "update", "-q", "--detach"}, c.args...), name+"_"+c.service)...)
		for _, w := range c.want {
			want = append(want, fmt.Sprintf("%s: service/%s %s", name, c.service, w))
		}
	}
	return want
}

// says fails unless output has every text, or none of them.
func says(t *testing.T, output string, all bool, texts ...string) {
	t.Helper()
	output = providertest.Flat(output)
	for _, text := range texts {
		if strings.Contains(output, text) != all {
			t.Errorf("%q is in the output: %v, want %v\n%s", text, !all, all, output)
		}
	}
}

// TestAccDriftBesideTheApplication has the data source in the configuration that deploys: it is read again after an
// apply that heals.
func TestAccDriftBesideTheApplication(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	w := providertest.NewWorkspace(t, engine(s, name)+shop(name)+`
data "swarm_drift" "all" {
  names      = [swarm_application.app.name]
  depends_on = [swarm_application.app]
}
`+check)
	clean := func() {
		t.Helper()
		for _, plan := range []string{"-refresh-only", "-refresh=true"} {
			says(t, w.Expect(0, "plan", plan, "-detailed-exitcode", "-input=false"), false, warning, "known after apply")
		}
		providertest.InSync(t, s, name)
	}
	says(t, w.Apply(), false, warning)
	clean()

	want := byHand(t, s, name)
	says(t, w.Expect(2, "plan", "-refresh-only", "-detailed-exitcode", "-input=false"), true, append(want, warning)...)
	// What is to be healed is in the plan itself; the check waits until it is.
	says(t, w.Expect(2, "plan", "-detailed-exitcode", "-input=false"), false, warning)
	// What moved is taken into the state: for Terraform that is the end of the drift, and not for the record.
	says(t, w.Expect(0, "apply", "-refresh-only", "-auto-approve", "-input=false"), true, warning)
	says(t, w.Expect(0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false"), true, append(want, warning)...)
	says(t, w.Apply(), false, warning)
	clean()

	// A service that is gone.
	s.Docker(t, "service", "rm", name+"_api")
	says(t, w.Expect(2, "plan", "-refresh-only", "-detailed-exitcode", "-input=false"), true, warning, name+": service/api exists is false, deployed was true")
	w.Apply()
	clean()
	for where, text := range w.Evidence() {
		if where != "main.tf" && strings.Contains(text, "hunter2") && !strings.Contains(where, "tfconfig") {
			t.Errorf("%s holds the sensitive value", where)
		}
	}
}

// The exit codes of configurations that look and do not deploy, as the guide tells them.
func TestAccDriftExitCodes(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	app := providertest.NewWorkspace(t, engine(s, name)+shop(name))
	app.Apply()

	watchers := []struct {
		rule, config   string
		clean, drifted int // plan -detailed-exitcode
		refresh        int // plan -refresh-only -detailed-exitcode, drifted
		said           string
		w              *providertest.Workspace
	}{
		{rule: "a check warns and leaves the exit code alone", config: plain + check, said: warning},
		{rule: "a postcondition is an error, of a refresh-only plan a warning", drifted: 1, said: "Resource postcondition failed", config: `
data "swarm_drift" "all" {
  lifecycle {
    postcondition {
      condition     = self.in_sync
      error_message = join(", ", [for r in self.releases : "${r.name}: ${r.reason}" if !r.in_sync])
    }
  }
}
`},
		{rule: "an output that changes is a change", drifted: 2, refresh: 2, said: "Changes to Outputs", config: plain + `
output "drift" {
  value = { for r in data.swarm_drift.all.releases : r.name => r.differences if !r.in_sync }
}
`},
		{rule: "a data source inside of a check is a change for ever", clean: 2, drifted: 2, said: warning,
			config: strings.Replace(check, "check \"drift\" {", "check \"drift\" {\n  "+plain, 1)},
	}
	for i := range watchers {
		c := &watchers[i]
		c.w = providertest.NewWorkspace(t, engine(s, name)+c.config)
		says(t, c.w.Apply(), false, warning, "failed")
		says(t, c.w.Expect(c.clean, "plan", "-detailed-exitcode", "-input=false"), false, warning, "failed")
	}
	if got := verdict(t, watchers[0].w); got != "pass" {
		t.Errorf("the check of the plan is called %q, want pass", got)
	}
	want := byHand(t, s, name)
	for _, c := range watchers {
		t.Run(c.rule, func(t *testing.T) {
			c.w.T = t
			says(t, c.w.Expect(c.drifted, "plan", "-detailed-exitcode", "-input=false"), true, c.said)
			says(t, c.w.Expect(c.refresh, "plan", "-refresh-only", "-detailed-exitcode", "-input=false"), true, c.said)
		})
	}

	if got := verdict(t, watchers[0].w, want...); got != "fail" {
		t.Errorf("the check of the plan is called %q, want fail", got)
	}
}

// verdict is what a pipeline can decide on: the status of the only check in the JSON of a plan, which says texts.
func verdict(t *testing.T, w *providertest.Workspace, texts ...string) string {
	t.Helper()
	w.T = t
	says(t, w.Expect(0, "plan", "-input=false", "-out=tfplan"), true, texts...)
	plan, err := w.Command("show", "-json", "tfplan").Output()
	if err != nil {
		t.Fatal(err)
	}
	var found struct{ Checks []struct{ Status string } }
	if err := json.Unmarshal(plan, &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Checks) != 1 {
		t.Fatalf("the plan has the checks %+v, want one", found.Checks)
	}
	return found.Checks[0].Status
}

// Releases of several owners, and of none, in one swarm.
func TestAccDriftKeepsOwnersApart(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	ours, theirs, nobodys := s.RandomName(t), s.RandomName(t), s.RandomName(t)
	for _, name := range []string{ours, theirs} {
		providertest.NewWorkspace(t, engine(s, name)+shop(name)).Apply()
	}
	s.DockerInput(t, "version: '3.8'\nservices: {web: {image: "+acctest.Image("1.0")+", deploy: {replicas: 0}}}\n", "stack", "deploy", "-c", "-", nobodys)
	s.Docker(t, "service", "scale", "--detach", theirs+"_web=2")

	w := providertest.NewWorkspace(t, engine(s, ours)+`
data "swarm_drift" "all" {}
data "swarm_drift" "named" {
  names = ["`+theirs+`", "`+nobodys+`", "nothing-of-this-name"]
}
output "all" {
  value = { for r in data.swarm_drift.all.releases : r.name => r.reason }
}
output "named" {
  value = { for r in data.swarm_drift.named.releases : r.name => r.reason }
}
`)
	w.Apply()
	for output, want := range map[string]map[string]reconcile.ConditionReason{
		"all":   {ours: reconcile.BecauseInSync},
		"named": {theirs: reconcile.BecauseDrifted, nobodys: reconcile.BecauseNoRecord, "nothing-of-this-name": reconcile.BecauseNotFound},
	} {
		text, err := w.Command("output", "-json", output).Output()
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]reconcile.ConditionReason
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", output, got, want)
		}
	}
}

// A record that cannot be read is a finding about its release, and the others are compared all the same.
func TestAccDriftWithADamagedRecord(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	good, bad := s.RandomName(t), s.RandomName(t)
	for _, name := range []string{good, bad} {
		providertest.NewWorkspace(t, engine(s, name)+shop(name)).Apply()
	}
	// A newer record, of a format that nobody knows yet.
	labels := s.Docker(t, "config", "inspect", "keel."+bad+".v1", "--format", `{{range $k, $v := .Spec.Labels}}--label={{$k}}={{$v}} {{end}}`)
	s.DockerInput(t, "of the future", slices.Concat([]string{"config", "create"}, strings.Fields(labels), []string{"keel." + bad + ".v2", "-"})...)

	if r := providertest.Drift(t, s, bad); r.Reason != reconcile.BecauseUnreadable || r.InSync || r.Revision != 2 || !strings.Contains(r.Conditions[2].Message, "docker config rm keel."+bad+".v2") {
		t.Errorf("the damaged release is in sync %v, because %s at revision %d: %s", r.InSync, r.Reason, r.Revision, r.Conditions[2].Message)
	}
	providertest.InSync(t, s, good)
}
