package application_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// since returns when the newest task of a service began to run, and fails unless exactly n run, all of an image.
func since(t *testing.T, s *acctest.Swarm, service, image string, n int) time.Time {
	t.Helper()
	var newest time.Time
	tasks := s.Tasks(t, service)
	for _, task := range tasks {
		if task.Status.State != swarm.TaskStateRunning || task.Spec.ContainerSpec.Image != image {
			t.Errorf("task %s is %s with %s, want running with %s", task.ID, task.Status.State, task.Spec.ContainerSpec.Image, image)
		}
		if task.Status.Timestamp.After(newest) {
			newest = task.Status.Timestamp
		}
	}
	if len(tasks) != n {
		t.Errorf("%s has %d tasks, want %d", service, len(tasks), n)
	}
	return newest
}

// TestAccRollingUpdate updates four replicas one after the other. The apply may end neither before the fourth runs nor
// before that has held for the monitor window.
func TestAccRollingUpdate(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	const window = 3 * time.Second
	stack := func(image string) string {
		return application(s.Host(), name, fmt.Sprintf(`
services:
  web:
    image: %s
    stop_grace_period: 1s
    deploy:
      replicas: 4
      update_config: {parallelism: 1, delay: 0s, monitor: %s}
      restart_policy: {delay: 100ms}
`, image, window))
	}
	w := providertest.NewWorkspace(t, stack(acctest.Image("1.0")))
	for _, image := range []string{acctest.Image("1.0"), acctest.Image("1.1")} {
		w.Write("main.tf", stack(image))
		w.Apply()
		ended := time.Now()
		if held := ended.Sub(since(t, s, name+"_web", image, 4)); held < window {
			t.Errorf("%s: the apply ended %s after the last task began to run, want at least %s", image, held, window)
		}
		w.Settled()
	}
	if status := s.Service(t, name+"_web").UpdateStatus; status == nil || status.State != swarm.UpdateStateCompleted {
		t.Errorf("after the apply the update is %+v, want completed", status)
	}
}

// TestAccExitInsideTheMonitorWindow deploys what runs for 3 s, at create and as an update. Under a monitor of 10 s both
// are failures.
func TestAccExitInsideTheMonitorWindow(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	stack := func(host, name, command string) string {
		return application(host, name, fmt.Sprintf(`
services:
  web:
    image: %s
    command: %s
    stop_grace_period: 1s
    deploy:
      update_config: {delay: 0s, monitor: 10s}
      restart_policy: {delay: 100ms}
`, acctest.Image("1.0"), command))
	}
	const doomed = `[serve, -exit-after, 3s, -exit-code, "7", -message, "the ledger went away"]`
	for _, tc := range []struct {
		rule   string
		before string // command of the version that runs already
		said   []string
	}{
		{"of a create", "", []string{"failed 3 times in the same way"}},
		{"of an update", `[serve, -lines, "1"]`, []string{"Swarm paused the update"}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			name := s.RandomName(t)
			w := providertest.NewWorkspace(t, "")
			if tc.before != "" {
				w.Write("main.tf", strings.ReplaceAll(stack(s.Host(), name, tc.before), "monitor: 10s", "monitor: 1s"))
				w.Apply()
			}
			w.Write("main.tf", stack(s.Host(), name, doomed))
			said := diagnostic(t, w.Expect(1, "apply", "-auto-approve", "-input=false"))
			for _, want := range append(tc.said, "Service "+name+"_web did not converge", name+"_web.1 on n1", acctest.Image("1.0"), "exit    7", "the ledger went away") {
				if !strings.Contains(said, want) {
					t.Errorf("the diagnostic does not say %q:\n%s", want, said)
				}
			}
			w.Expect(2, "plan", "-detailed-exitcode", "-input=false")
			w.Write("main.tf", stack(s.Host(), name, `[serve, -lines, "2"]`))
			w.Apply()
			w.Settled()
		})
	}
}
