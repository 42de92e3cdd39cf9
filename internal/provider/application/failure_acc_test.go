package application_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// quick keeps the engine's own pauses short; stacks append it below a service's deploy.
const quick = `
      restart_policy: {delay: 100ms}
      update_config: {monitor: 2s, delay: 0s}`

// TestAccFailures lets every kind of failure happen and reads what a person is told about it. An apply must give up
// soon after the evidence is there, long before its time is used up.
func TestAccFailures(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	host := s.Host()
	const port = 18471
	occupant := s.RandomName(t)
	s.Docker(t, "service", "create", "-d", "--name", occupant+"_web", "--label", "com.docker.stack.namespace="+occupant,
		"--publish", fmt.Sprintf("mode=host,published=%d,target=8080", port), acctest.Image("1.0"))
	s.WaitRunning(t, occupant+"_web", 1)

	image := acctest.Image("1.0")
	for _, tc := range []struct {
		rule    string
		service string // what stands below the service
		// evidence is how many tasks must have failed, or since when one must have been waiting.
		failures int
		waiting  time.Duration
		want     []string
	}{
		{"an image that does not exist", `
    image: swarmkeel/absent:9.9
    deploy:` + quick, 2, 0,
			[]string{"rejected twice", "on n1", "swarmkeel/absent:9.9", "No such image: swarmkeel/absent:9.9", "registry"}},
		{"a container that ends with an exit code", `
    image: ` + image + `
    command: [job, -exit-code, "3", -message, "cannot open ledger: permission denied", -lines, "25"]
    deploy:` + quick, 3, 0,
			[]string{"failed 3 times in the same way", "on n1", image, "task: non-zero exit (3)", "exit    3",
				"cannot open ledger: permission denied", "line 25", "line 7\n"}},
		{"a container that runs for a while, then ends with an exit code", `
    image: ` + image + `
    command: [serve, -exit-after, 1s, -exit-code, "4", -message, "lost the ledger"]
    deploy:
      restart_policy: {delay: 100ms}
      update_config: {monitor: 10s}`, 3, 0,
			[]string{"failed 3 times in the same way", image, "exit    4", "lost the ledger"}},
		{"a healthcheck that never passes", `
    image: ` + image + `
    command: [serve, -unhealthy, -ignore-term]
    stop_grace_period: 100ms
    healthcheck: {test: [CMD, /app, healthcheck], interval: 300ms, timeout: 2s, retries: 2}
    deploy:` + quick, 3, 0,
			[]string{"failed 3 times in the same way", "on n1", image, "unhealthy container", "exit    137",
				"healthcheck does not pass", "test-app 1.0 serves on :8080"}},
		{"a healthcheck that never passes, of a program that the engine stops gracefully", `
    image: ` + image + `
    command: [serve, -unhealthy]
    healthcheck: {test: [CMD, /app, healthcheck], interval: 300ms, timeout: 2s, retries: 2}
    deploy:` + quick, 3, 0,
			[]string{"ended 3 times with exit code 0", "on n1", image, "exit    0", "healthcheck does not pass", "test-app 1.0 serves on :8080"}},
		{"a program that ends although the service is to run on", `
    image: ` + image + `
    command: [job, -message, "nothing left to do"]
    deploy:` + quick, 3, 0,
			[]string{"ended 3 times with exit code 0", "on n1", image, "exit    0", "nothing left to do", "mode: replicated-job"}},
		{"a constraint that no node satisfies", `
    image: ` + image + `
    deploy:
      placement: {constraints: [node.labels.disk == ssd]}`, 0, 15 * time.Second,
			[]string{"no node takes the task for 15s", image, "no suitable node (scheduling constraints not satisfied on 1 node)", "node.labels.disk == ssd"}},
		{"a port that is taken", fmt.Sprintf(`
    image: %s
    ports: [{target: 8080, published: %d, mode: host}]
    deploy:%s`, image, port, quick), 0, 15 * time.Second,
			[]string{"no node takes the task for 15s", image, "host-mode port already in use on 1 node", fmt.Sprint(port), occupant + "_web"}},
		{"a bind source that does not exist", `
    image: ` + image + `
    volumes: ["/srv/absent:/data"]
    deploy:` + quick, 2, 0,
			[]string{"rejected twice", "on n1", image, "bind source path does not exist: /srv/absent", "every node"}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			name := s.RandomName(t)
			w := providertest.NewWorkspace(t, application(host, name, "services:\n  web:"+tc.service))
			out := w.Expect(1, "apply", "-auto-approve", "-input=false")
			ended := time.Now()
			said := diagnostic(t, out)
			for _, want := range append(tc.want, "Service "+name+"_web did not converge", name+"_web.1") {
				if !strings.Contains(said, want) {
					t.Errorf("the diagnostic does not say %q:\n%s", want, said)
				}
			}
			if late := ended.Sub(evidence(t, s, name+"_web", tc.failures).Add(tc.waiting)); late > 10*time.Second {
				t.Errorf("the apply ended %s after the evidence", late)
			}
			w.Expect(2, "plan", "-detailed-exitcode", "-input=false")
		})
	}
}

// diagnostic is what an output says from its first error on, frames and line breaks included: see flat.
func diagnostic(t *testing.T, out string) string {
	t.Helper()
	_, said, found := strings.Cut(out, "Error: ")
	if !found {
		t.Fatalf("there is no error in:\n%s", out)
	}
	return said
}

// evidence is when the n-th task of a service had failed; with 0, when its first task had been made.
func evidence(t *testing.T, s *acctest.Swarm, service string, n int) time.Time {
	t.Helper()
	tasks := tasksOf(s, service)
	var times []time.Time
	for _, task := range tasks {
		switch {
		case n == 0:
			times = append(times, task.CreatedAt)
		case task.Status.State == swarm.TaskStateFailed, task.Status.State == swarm.TaskStateRejected, task.Status.State == swarm.TaskStateComplete:
			times = append(times, task.Status.Timestamp)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	if len(times) < max(n, 1) {
		t.Fatalf("%s has only %d such tasks of %d", service, len(times), n)
	}
	return times[max(n, 1)-1]
}

// tasksOf lists all tasks of a service that the engine remembers; none when it does not answer.
func tasksOf(s *acctest.Swarm, service string) []swarm.Task {
	tasks, err := s.Client().TaskList(context.Background(), swarm.TaskListOptions{Filters: filters.NewArgs(filters.Arg("service", service))})
	if err != nil {
		return nil
	}
	return tasks
}
