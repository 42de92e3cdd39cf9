package application_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// greeter mounts a config and a secret.
func greeter() string {
	return `    services:
      web:
        image: ` + acctest.Image("1.0") + `
        command: [serve, -greeting, /etc/greeting, -secret, /run/secrets/session]
        configs: [{source: greeting, target: /etc/greeting}]
        secrets: [session]
        deploy: {replicas: 2, restart_policy: {delay: 100ms}, update_config: {monitor: 300ms, delay: 0s}}
    configs:
      greeting: {file: ./greeting.txt}
    secrets:
      session: {}`
}

// contents lists the real configs and secrets of a release without the provider's bookkeeping.
func contents(t *testing.T, s *acctest.Swarm, release string) (configs, secrets []string) {
	t.Helper()
	for _, ref := range s.ReleaseObjects(t, release) {
		kind, name, _ := strings.Cut(ref, "/")
		switch {
		case strings.HasPrefix(name, "keel"):
		case kind == "config":
			configs = append(configs, name)
		case kind == "secret":
			secrets = append(secrets, name)
		}
	}
	return configs, secrets
}

// TestAccContentChanges gives a config and a secret new contents: a new object each, the service rolled, and the old
// one gone as soon as no kept revision needs it.
func TestAccContentChanges(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	configure := func(w *providertest.Workspace, greeting string, history int) {
		w.Write("main.tf", ephemeral("session")+application(s.Host(), name, greeter(), fmt.Sprintf("files = { \"greeting.txt\" = %q }", greeting),
			"secrets_wo = { session = var.session }", fmt.Sprintf("history_limit = %d", history)))
	}
	w := providertest.NewWorkspace(t, "")
	var before []string
	apply := func(rolls bool) {
		t.Helper()
		w.Apply()
		w.Settled()
		after := taskIDs(t, s, name+"_web")
		replaced := !slices.ContainsFunc(after, func(id string) bool { return slices.Contains(before, id) })
		if len(after) != 2 || replaced != rolls && len(before) > 0 {
			t.Errorf("tasks before %v and after %v, want them replaced: %v", before, after, rolls)
		}
		before = after
	}
	want := func(step string, configs, secrets int) (string, string) {
		t.Helper()
		c, sec := contents(t, s, name)
		if len(c) != configs || len(sec) != secrets {
			t.Fatalf("%s: configs %v and secrets %v, want %d and %d", step, c, sec, configs, secrets)
		}
		return strings.Join(c, " "), strings.Join(sec, " ")
	}

	w.Variable("session", "of monday")
	configure(w, "hello", 1)
	apply(true)
	config1, secret1 := want("create", 1, 1)

	configure(w, "good evening", 1)
	p := w.Plan(2)
	d := providertest.Compare(t, p.Change(resource))
	if got := d.Take("config/greeting"); !slices.Equal(got, []string{"content"}) {
		t.Errorf("the plan shows of the config: %v", got)
	}
	for element := range d.Rest() {
		if strings.Contains(element, "service/") || strings.Contains(element, "secret/") {
			t.Errorf("the plan shows %s, which stays as it is", element)
		}
	}
	if !strings.Contains(p.Text, "- hello") && !strings.Contains(p.Text, `"hello" -> "good evening"`) {
		t.Errorf("the plan does not show the text:\n%s", p.Text)
	}
	apply(true)
	config2, secret2 := want("another config", 1, 1)
	if config2 == config1 || secret2 != secret1 {
		t.Errorf("config %s became %s, secret %s became %s", config1, config2, secret1, secret2)
	}

	w.Variable("session", "of tuesday")
	if shown := w.Plan(2).Text; !strings.Contains(shown, "secret/session") || strings.Contains(shown, `~ "service/web"`) {
		t.Errorf("the plan of another secret shows:\n%s", shown)
	}
	apply(true)
	config3, secret3 := want("another secret", 1, 1)
	if config3 != config2 || secret3 == secret2 {
		t.Errorf("config %s became %s, secret %s became %s", config2, config3, secret2, secret3)
	}

	// With two revisions kept, so is what the older of them needs.
	configure(w, "good night", 2)
	apply(true)
	both, _ := want("a revision kept", 2, 1)
	if !strings.Contains(both, config3) {
		t.Errorf("kept %s, want %s among them", both, config3)
	}
	w.Variable("session", "of wednesday")
	apply(true)
	config5, _ := want("the older revision needs the secret only", 1, 2)
	if config5 == config3 || !strings.Contains(both, config5) {
		t.Errorf("kept %s, want the config of the last two revisions", config5)
	}
	configure(w, "good night", 1)
	apply(false)
	want("no older revision is kept", 1, 1)
	w.Expect(0, "destroy", "-auto-approve", "-input=false")
	if left := s.ReleaseObjects(t, name); len(left) > 0 {
		t.Errorf("left in the swarm: %v", left)
	}
}
