package application_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// An apply writes what changes and nothing else, counted at the engine's socket.
func TestAccLifecycleWritesOnlyWhatChanges(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	proxy := s.NewProxy(t)
	name := s.RandomName(t)
	compose := "services:\n"
	for i := range 10 {
		compose += fmt.Sprintf("  s%d: {image: \"never/there:1\", deploy: {replicas: 0}}\n", i)
	}
	w := providertest.NewWorkspace(t, application(proxy.Host(), name, compose))
	w.Apply()
	if created := proxy.Count(http.MethodPost, "/services/create"); created != 10 {
		t.Fatalf("creating ten services took %d service creates", created)
	}

	steps := []struct {
		rule, compose string
		settings      []string
		updates       int
		silent        bool // no write at all
	}{
		{rule: "one of ten services changes", compose: strings.Replace(compose, "there:1", "there:2", 1), updates: 1},
		{rule: "nothing changes", compose: strings.Replace(compose, "there:1", "there:2", 1), silent: true},
		{rule: "a setting changes and nothing of the release", compose: strings.Replace(compose, "there:1", "there:2", 1), settings: []string{"wait = false"}, silent: true},
		{rule: "another spelling of the same", compose: strings.ReplaceAll(strings.Replace(compose, "there:1", "there:2", 1), "image: \"", "image: \"docker.io/"), silent: true},
	}
	for _, step := range steps {
		t.Run(step.rule, func(t *testing.T) {
			w.Write("main.tf", application(proxy.Host(), name, step.compose, step.settings...))
			proxy.Reset()
			w.Apply()
			if got := proxy.Count(http.MethodPost, "/services/*/update"); got != step.updates {
				t.Errorf("%d service updates, want %d", got, step.updates)
			}
			if got := proxy.Count(http.MethodPost, "/services/create") + proxy.Count(http.MethodDelete, "/services/*"); got != 0 {
				t.Errorf("%d services were created or removed", got)
			}
			if writes := proxy.Writes(); step.silent && len(writes) > 0 {
				t.Errorf("an apply with nothing to do wrote %v", writes)
			}
			w.Settled()
		})
	}
}

// A refresh and plan costs the same few calls for one application and for a hundred.
func TestAccLifecyclePlanCallsDoNotGrow(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	proxy := s.NewProxy(t)
	name := s.RandomName(t)
	for i := range 100 {
		t.Cleanup(func() { s.Sweep(t, fmt.Sprintf("%s-%d", name, i)) })
	}
	s.Docker(t, "network", "create", "--driver", "overlay", "--label", "com.docker.stack.namespace="+name, name)
	config := func(n int) string {
		return fmt.Sprintf(`
provider "swarm" {
  host = %q
}

resource "swarm_application" "app" {
  count   = %d
  name    = "%s-${count.index}"
  compose = [<<-EOT
    services:
      web: {image: "never/there:1", deploy: {replicas: 0}}
    networks:
      default: {external: true, name: %s}
  EOT
  ]
}
`, proxy.Host(), n, name, name)
	}
	w := providertest.NewWorkspace(t, config(1))
	w.Apply()
	calls := func() int {
		t.Helper()
		proxy.Reset()
		w.Settled()
		all := proxy.Calls(nil)
		if len(all) > 10 {
			t.Errorf("a refresh and plan took %d calls: %v", len(all), all)
		}
		return len(all)
	}
	one := calls()
	w.Write("main.tf", config(100))
	w.Apply()
	if hundred := calls(); hundred != one {
		t.Errorf("a refresh and plan takes %d calls with one application and %d with a hundred", one, hundred)
	}
	w.Expect(0, "destroy", "-auto-approve", "-input=false", "-parallelism=50")
}
