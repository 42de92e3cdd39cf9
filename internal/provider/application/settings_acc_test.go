package application_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// quickService is one service of a stack, with quick's short pauses. Lines stand below the service, deploy below its deploy.
func quickService(key, lines, deploy string) string {
	text := fmt.Sprintf("  %s:\n    image: %s\n    stop_grace_period: 1s\n", key, acctest.Image("1.0"))
	if lines != "" {
		text += "    " + lines + "\n"
	}
	return text + "    deploy:" + quick + "\n      " + deploy + "\n"
}

// replicas reads how many replicas a service is to have.
func replicas(t *testing.T, s *acctest.Swarm, name string) uint64 {
	t.Helper()
	return *s.Service(t, name).Spec.Mode.Replicated.Replicas
}

func TestAccSuspended(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	stack := "services:\n" + quickService("web", "", "replicas: 2") + quickService("idle", "", "replicas: 0") + "configs:\n  unused: {content: kept}\n"
	w := providertest.NewWorkspace(t, application(s.Host(), name, stack))
	w.Apply()
	s.WaitRunning(t, name+"_web", 2)
	before := s.ReleaseObjects(t, name)

	w.Write("main.tf", application(s.Host(), name, stack, "suspended = true"))
	w.Apply()
	w.Settled()
	if n := replicas(t, s, name+"_web"); n != 0 {
		t.Errorf("suspended web has %d replicas, want 0", n)
	}
	s.WaitRunning(t, name+"_web", 0)
	if now := withoutRecords(s.ReleaseObjects(t, name)); !slices.Equal(now, withoutRecords(before)) {
		t.Errorf("while suspended there are %v, want %v", now, withoutRecords(before))
	}

	w.Write("main.tf", application(s.Host(), name, stack))
	w.Apply()
	w.Settled()
	for service, want := range map[string]uint64{name + "_web": 2, name + "_idle": 0} {
		if n := replicas(t, s, service); n != want {
			t.Errorf("%s has %d replicas when no longer suspended, want %d", service, n, want)
		}
	}
	s.WaitRunning(t, name+"_web", 2)
}

func withoutRecords(objects []string) []string {
	return slices.DeleteFunc(slices.Clone(objects), func(o string) bool { return strings.HasPrefix(o, "config/keel.") })
}

func TestAccRedeployTrigger(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	proxy := s.NewProxy(t)
	name := s.RandomName(t)
	config := func(trigger string) string {
		return application(proxy.Host(), name, "services:\n"+quickService("web", "", "replicas: 2")+quickService("api", "", "replicas: 1"), fmt.Sprintf("redeploy_trigger = %q", trigger))
	}
	w := providertest.NewWorkspace(t, config("monday"))
	w.Apply()
	tasks := func() []string { return append(taskIDs(t, s, name+"_web"), taskIDs(t, s, name+"_api")...) }
	first := tasks()
	w.Write("main.tf", config("tuesday"))
	w.Apply()
	second := tasks()
	if len(second) != 3 || slices.ContainsFunc(second, func(id string) bool { return slices.Contains(first, id) }) {
		t.Errorf("after a change of the trigger the tasks are %v, before they were %v: want three others", second, first)
	}
	proxy.Reset()
	w.Apply()
	if third := tasks(); !slices.Equal(second, third) {
		t.Errorf("a repeated apply restarted tasks: %v, before %v", third, second)
	}
	if writes := proxy.Writes(); len(writes) > 0 {
		t.Errorf("a repeated apply wrote %v", writes)
	}
	w.Settled()
	if total := len(tasksOf(s, name+"_web")); total != 4 {
		t.Errorf("web has had %d tasks, want 4: two, each restarted once", total)
	}
}

func TestAccWithoutWaiting(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	stack := "services:\n" + quickService("web", "command: [serve, -ready-after, 1h]\n    healthcheck: {test: [CMD, /app, healthcheck], interval: 1s, retries: 1000}", "replicas: 1")
	w := providertest.NewWorkspace(t, application(s.Host(), name, stack, "wait = false"))
	w.Apply() // would not end: the service never gets healthy
	if state := s.Service(t, name+"_web").Spec.Name; state != name+"_web" {
		t.Errorf("there is no service %s_web", name)
	}
	w.Settled()
}

func TestAccPrune(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	kept, dropped := quickService("web", "", "replicas: 1"), quickService("gone", "networks: [side]", "replicas: 0")
	w := providertest.NewWorkspace(t, application(s.Host(), name, "services:\n"+kept+dropped+"networks:\n  side: {}\n"))
	w.Apply()
	old := []string{"network/" + name + "_side", "service/" + name + "_gone"}
	has := func(object string) bool { return slices.Contains(s.ReleaseObjects(t, name), object) }

	w.Write("main.tf", application(s.Host(), name, "services:\n"+kept, "prune = false"))
	w.Apply()
	for _, object := range old {
		if !has(object) {
			t.Errorf("%s is gone although prune = false", object)
		}
	}
	if out := w.Expect(0, "show"); strings.Contains(out, `"service/gone"`) {
		t.Errorf("what prune = false left is in objects:\n%s", out)
	}
	w.Settled()

	w.Write("main.tf", application(s.Host(), name, "services:\n"+kept, "prune = true"))
	w.Expect(2, "plan", "-detailed-exitcode", "-input=false")
	w.Apply()
	for _, object := range old {
		if has(object) {
			t.Errorf("%s is there although prune = true", object)
		}
	}
	w.Settled()
}

func TestAccPurgeVolumes(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	for _, tc := range []struct {
		purge bool
		left  int
	}{{false, 1}, {true, 0}} {
		t.Run(fmt.Sprint("purge_volumes = ", tc.purge), func(t *testing.T) {
			t.Parallel()
			name := s.RandomName(t)
			stack := "services:\n" + quickService("web", `volumes: ["data:/data"]`, "replicas: 1") + "volumes:\n  data: {}\n"
			w := providertest.NewWorkspace(t, application(s.Host(), name, stack, fmt.Sprint("purge_volumes = ", tc.purge)))
			w.Apply()
			if have := s.ReleaseVolumes(t, name); len(have) != 1 {
				t.Fatalf("the volumes are %v, want one", have)
			}
			w.Expect(0, "destroy", "-auto-approve", "-input=false")
			if left := s.ReleaseObjects(t, name); len(left) > 0 {
				t.Errorf("after destroy there are %v", left)
			}
			if left := s.ReleaseVolumes(t, name); len(left) != tc.left {
				t.Errorf("after destroy the volumes are %v, want %d", left, tc.left)
			}
		})
	}
}

func TestAccAdopt(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	stack := "version: '3.8'\nservices:\n" + quickService("web", "", "replicas: 1")
	s.DockerInput(t, stack, "stack", "deploy", "--resolve-image", "never", "-c", "-", name)
	s.WaitRunning(t, name+"_web", 1)
	before := taskIDs(t, s, name+"_web")

	w := providertest.NewWorkspace(t, application(s.Host(), name, stack))
	refused := providertest.Flat(diagnostic(t, w.Expect(1, "plan", "-input=false")))
	for _, want := range []string{"terraform import swarm_application", "adopt = true", name + "_web"} {
		if !strings.Contains(refused, want) {
			t.Errorf("the refusal does not say %q:\n%s", want, refused)
		}
	}
	w.Write("main.tf", application(s.Host(), name, stack, "adopt = true"))
	out := w.Apply()
	if !strings.Contains(out, "Warning: ") || !strings.Contains(out, name+"_web") || !strings.Contains(out, name+"_default") {
		t.Errorf("the plan of an adoption does not warn of what is taken:\n%s", out)
	}
	w.Settled()
	if after := taskIDs(t, s, name+"_web"); !slices.Equal(before, after) {
		t.Errorf("the adoption restarted tasks: %v, before %v", after, before)
	}
	w.Expect(0, "destroy", "-auto-approve", "-input=false")
	if left := s.ReleaseObjects(t, name); len(left) > 0 {
		t.Errorf("after destroy there are %v", left)
	}
}

func TestAccTimeouts(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	stack := "services:\n" + quickService("web", "command: [serve, -ready-after, 1h]\n    healthcheck: {test: [CMD, /app, healthcheck], interval: 1s, retries: 1000}", "replicas: 1")
	w := providertest.NewWorkspace(t, application(s.Host(), name, stack, `timeouts = { create = "4s" }`))
	started := time.Now()
	said := diagnostic(t, w.Expect(1, "apply", "-auto-approve", "-input=false"))
	if took := time.Since(started); took < 4*time.Second || took > 30*time.Second {
		t.Errorf("an apply with 4s of time took %s", took)
	}
	for _, want := range []string{"Release " + name + " did not converge in time", name + "_web has 0 of 1 tasks running", "timeouts"} {
		if !strings.Contains(said, want) {
			t.Errorf("the diagnostic does not say %q:\n%s", want, said)
		}
	}
}
