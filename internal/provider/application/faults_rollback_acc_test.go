package application_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// crash is a command that ends with an error.
const crash = `[job, -exit-code, "3", -message, "no ledger"]`

// trio is a release of three services: web and api change with the version, steady never does. web mounts a config and a
// secret whose contents change with it. command is api's.
func trio(host, name string, version int, command string, settings ...string) string {
	return application(host, name, fmt.Sprintf(`
services:
  web:
    image: %[1]s
    environment: {VERSION: "%[2]d"}
    configs: [greeting]
    secrets: [key]
    stop_grace_period: 1s
    deploy:%[4]s
  api:
    image: %[1]s
    command: %[3]s
    environment: {VERSION: "%[2]d"}
    stop_grace_period: 1s
    deploy:%[4]s
  steady:
    image: %[1]s
    stop_grace_period: 1s
    deploy:%[4]s
configs:
  greeting: {content: hello %[2]d}
secrets:
  key: {}
`, acctest.Image("1.0"), version, command, quick), append(settings, fmt.Sprintf(`secrets_wo = { key = "correct horse %d" }`, version))...)
}

// specs reads the specs of the services of a trio, with the ids of the tasks of the one that never changes.
func specs(t *testing.T, s *acctest.Swarm, name string) map[string]swarm.ServiceSpec {
	t.Helper()
	out := map[string]swarm.ServiceSpec{}
	for _, service := range []string{"web", "api", "steady"} {
		out[service] = s.Service(t, name+"_"+service).Spec
	}
	return out
}

// TestAccRollBack updates two of three services, one of which crashes: the whole release goes back to the revision
// before and runs again when the apply returns.
func TestAccRollBack(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	w := providertest.NewWorkspace(t, trio(s.Host(), name, 1, "[serve]"))
	w.Apply()
	before, steady := specs(t, s, name), s.Tasks(t, name+"_steady")[0].ID
	objects := s.ReleaseObjects(t, name)

	w.Write("main.tf", trio(s.Host(), name, 2, crash))
	said := diagnostic(t, w.Expect(1, "apply", "-auto-approve", "-input=false"))
	for _, want := range []string{
		"Service " + name + "_api did not converge", name + "_api.1 on n1", "exit    3", "no ledger",
		"The release was rolled back to revision 1, which runs again.",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the diagnostic does not say %q:\n%s", want, said)
		}
	}
	for service, was := range before {
		if now := s.Service(t, name+"_"+service).Spec; !reflect.DeepEqual(now, was) {
			t.Errorf("%s was not rolled back:\n%+v\nwas\n%+v", service, now, was)
		}
		if running := runningTasks(t, s, name+"_"+service); running != 1 {
			t.Errorf("%s has %d running tasks when the apply returns, want 1", service, running)
		}
	}
	if now := s.Tasks(t, name+"_steady"); len(now) != 1 || now[0].ID != steady {
		t.Errorf("the service that does not change had task %s and has now %+v", steady, now)
	}
	want := slices.Concat(objects, []string{"config/keel." + name + ".v2"})
	if now := s.ReleaseObjects(t, name); !slices.Equal(now, sorted(want)) {
		t.Errorf("after the roll-back there are\n%s\nwant\n%s", strings.Join(now, "\n"), strings.Join(sorted(want), "\n"))
	}

	plan := w.Expect(2, "plan", "-detailed-exitcode", "-input=false")
	if !strings.Contains(plan, `"rolled_back" -> "deployed"`) {
		t.Errorf("the plan after a roll-back does not say what it is for:\n%s", plan)
	}
	w.Write("main.tf", trio(s.Host(), name, 3, "[serve]"))
	w.Apply()
	w.Settled()
}

// TestAccKeepAfterFailure updates in the same way, and leaves what was written.
func TestAccKeepAfterFailure(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	w := providertest.NewWorkspace(t, trio(s.Host(), name, 1, "[serve]"))
	w.Apply()
	w.Write("main.tf", trio(s.Host(), name, 2, crash, `on_failure = "keep"`))
	said := diagnostic(t, w.Expect(1, "apply", "-auto-approve", "-input=false"))
	if !strings.Contains(said, "What was written stays for inspection") || strings.Contains(said, "rolled back") {
		t.Errorf("the diagnostic does not tell that what was written stays:\n%s", said)
	}
	for _, service := range []string{"web", "api"} {
		if env := s.Service(t, name+"_"+service).Spec.TaskTemplate.ContainerSpec.Env; !slices.Contains(env, "VERSION=2") {
			t.Errorf("%s has %v, want what was written", service, env)
		}
	}
	w.Expect(2, "plan", "-detailed-exitcode", "-input=false")
	w.Write("main.tf", trio(s.Host(), name, 3, "[serve]"))
	w.Apply()
	w.Settled()
}

// TestAccJobsAreNotRolledBack lets a service crash beside a job that has run: the job keeps its new version, is named,
// and runs neither for the roll-back nor for the apply that follows.
func TestAccJobsAreNotRolledBack(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	stack := func(version int, command string) string {
		return application(s.Host(), name, "services:\n"+
			fmt.Sprintf("  migrate:\n    image: %s\n    command: [job]\n    environment: {VERSION: \"%d\"}\n    deploy: {mode: replicated-job, restart_policy: {condition: none}}\n", acctest.Image("1.0"), version)+
			quickService("web", "command: "+command+"\n    depends_on: {migrate: {condition: service_completed_successfully}}", "replicas: 1"))
	}
	w := providertest.NewWorkspace(t, stack(1, "[serve]"))
	w.Apply()
	w.Write("main.tf", stack(2, crash))
	said := diagnostic(t, w.Expect(1, "apply", "-auto-approve", "-input=false"))
	if want := "Jobs are never rolled back; these were changed and stay so: " + name + "_migrate"; !strings.Contains(joined(said), want) {
		t.Errorf("the diagnostic does not say %q:\n%s", want, said)
	}
	w.Write("main.tf", stack(2, "[serve]"))
	w.Apply()
	w.Settled()
	if runs := s.Service(t, name+"_migrate").JobStatus.JobIteration.Index; len(allTasks(t, s, name+"_migrate")) != 2 {
		t.Errorf("the job has run %d times (iteration %d), want once a version", len(allTasks(t, s, name+"_migrate")), runs)
	}
}

// TestAccRollBackBySwarm lets Swarm itself take the crashing service back. That is this apply's failure, with Swarm's
// reason; the service is not written again, and the rest of the release goes back too.
func TestAccRollBackBySwarm(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	// The new version fails in one of its two slots. The other one is what Swarm has to take back task by task; a task that
	// has failed it counts as taken back without a look.
	const doomed = `{APP_EXIT_AFTER: '{{if eq .Task.Slot "1"}}1s{{else}}1h{{end}}', APP_EXIT_CODE: "3", APP_MESSAGE: no ledger}`
	for _, tc := range []struct {
		rule string
		// env is api's before the update.
		env   string
		state swarm.UpdateState
		said  []string
	}{
		{
			rule: "which works", env: "{}", state: swarm.UpdateStateRollbackCompleted,
			said: []string{"Swarm rolled it back (rollback_", "exit 3", "no ledger", "The release was rolled back to revision 1, which runs again."},
		},
		{
			// Its old version holds out for long enough to be deployed, and not for what the roll-back asks for.
			rule: "which fails as well", env: `{APP_EXIT_AFTER: 6s, APP_EXIT_CODE: "9"}`, state: swarm.UpdateStateRollbackPaused,
			said: []string{"Swarm rolled it back (rollback_", "exit 3", "no ledger", "The roll-back to revision 1 failed as well:", "Swarm's own roll-back failed and is paused"},
		},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			name := s.RandomName(t)
			proxy := s.NewProxy(t)
			stack := func(version int, env string) string {
				return application(proxy.Host(), name, "services:\n"+quickService("web", fmt.Sprintf("environment: {VERSION: \"%d\"}", version), "replicas: 1")+
					fmt.Sprintf(`
  api:
    image: %s
    environment: %s
    stop_grace_period: 1s
    deploy:
      replicas: 2
      restart_policy: {delay: 100ms}
      update_config: {parallelism: 2, monitor: 3s, delay: 0s, failure_action: rollback}
      rollback_config: {parallelism: 2, monitor: 12s, delay: 0s}
`, acctest.Image("1.0"), env))
			}
			w := providertest.NewWorkspace(t, stack(1, tc.env))
			w.Apply()
			proxy.Reset()
			w.Write("main.tf", stack(2, doomed))
			said := diagnostic(t, w.Expect(1, "apply", "-auto-approve", "-input=false"))
			for _, want := range tc.said {
				if !strings.Contains(joined(said), want) {
					t.Errorf("the diagnostic does not say %q:\n%s", want, said)
				}
			}
			api := s.Service(t, name+"_api")
			if api.UpdateStatus == nil || api.UpdateStatus.State != tc.state {
				t.Errorf("when the apply returns the update of api is %+v, want %s", api.UpdateStatus, tc.state)
			}
			if n := proxy.Count("POST", "/services/"+api.ID+"/update"); n != 1 {
				t.Errorf("api was written %d times, want once: Swarm has taken it back itself", n)
			}
			if env := s.Service(t, name+"_web").Spec.TaskTemplate.ContainerSpec.Env; !slices.Contains(env, "VERSION=1") {
				t.Errorf("web has %v, want the version before", env)
			}
			w.Expect(2, "plan", "-detailed-exitcode", "-input=false")
			w.Write("main.tf", stack(3, "{}"))
			w.Apply()
			w.Settled()
		})
	}
}

// joined undoes the line breaks that Terraform puts into a diagnostic.
func joined(said string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╵", " ").Replace(said)), " ")
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

func runningTasks(t *testing.T, s *acctest.Swarm, service string) int {
	t.Helper()
	n := 0
	for _, task := range s.Tasks(t, service) {
		if task.Status.State == swarm.TaskStateRunning {
			n++
		}
	}
	return n
}

// allTasks returns the tasks of a service, by name, those that have ended included.
func allTasks(t *testing.T, s *acctest.Swarm, service string) []swarm.Task {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tasks, err := s.Client().TaskList(ctx, swarm.TaskListOptions{Filters: filters.NewArgs(filters.Arg("service", service))})
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}
