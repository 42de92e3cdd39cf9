package application_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestAccDependsOn deploys and updates services that depend on each other, in both forms of depends_on. A service may
// be written only when what it depends on has come as far as the condition says.
func TestAccDependsOn(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	slow := "command: [serve, -ready-after, 3s]\n    environment: {VERSION: \"%d\"}\n    healthcheck: {test: [CMD, /app, healthcheck], interval: 500ms, retries: 100}"
	for _, tc := range []struct {
		rule    string
		depends string
		db      string // what stands below the service that is depended on
		deploy  string
		reached swarm.TaskState // the state in which its task must be before the other is written
	}{
		{"a list waits for the start", "depends_on: [db]", slow, "replicas: 1", swarm.TaskStateStarting},
		{"a map can wait for health", "depends_on: {db: {condition: service_healthy}}", slow, "replicas: 1", swarm.TaskStateRunning},
		{"a map can wait for a job", "depends_on: {db: {condition: service_completed_successfully}}",
			"command: [job, -exit-after, 3s]\n    environment: {VERSION: \"%d\"}", "mode: replicated-job", swarm.TaskStateComplete},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			name := s.RandomName(t)
			db := func(version int) string {
				if strings.Contains(tc.deploy, "job") {
					// A job knows no update_config and no restart condition any.
					return fmt.Sprintf("  db:\n    image: %s\n    %s\n    deploy: {%s, restart_policy: {condition: none}}\n",
						acctest.Image("1.0"), fmt.Sprintf(tc.db, version), tc.deploy)
				}
				return quickService("db", fmt.Sprintf(tc.db, version), tc.deploy)
			}
			// When the dependent service is written, the newest task of the other must be far enough.
			var mu sync.Mutex
			var state []swarm.TaskState
			version := 1
			proxy := s.NewProxy(t)
			proxy.OnRequest = func(c *acctest.Call) acctest.Fault {
				if c.Path == "/services/create" || strings.HasSuffix(c.Path, "/update") && strings.HasPrefix(c.Path, "/services/") {
					mu.Lock()
					defer mu.Unlock()
					state = append(state, newestTask(s, name+"_db", fmt.Sprintf("VERSION=%d", version)))
				}
				return acctest.Fault{}
			}
			w := providertest.NewWorkspace(t, "")
			for ; version <= 2; version++ {
				state = nil
				w.Write("main.tf", application(proxy.Host(), name, "services:\n"+db(version)+
					quickService("web", tc.depends+fmt.Sprintf("\n    environment: {VERSION: \"%d\"}", version), "replicas: 1")))
				w.Apply()
				w.Settled()
				if len(state) != 2 {
					t.Fatalf("version %d: %d services were written, want 2", version, len(state))
				}
				if rank(state[1]) < rank(tc.reached) {
					t.Errorf("version %d: web was written while the task of db was %q, want at least %q", version, state[1], tc.reached)
				}
			}
		})
	}
}

// newestTask is the state of the youngest task of a service that has an environment entry; empty when there is none.
func newestTask(s *acctest.Swarm, service, env string) swarm.TaskState {
	var newest swarm.Task
	for _, task := range tasksOf(s, service) {
		if task.CreatedAt.After(newest.CreatedAt) && slices.Contains(task.Spec.ContainerSpec.Env, env) {
			newest = task
		}
	}
	return newest.Status.State
}

// rank orders the states of a task that comes up: api/types/swarm/task.go.
func rank(state swarm.TaskState) int {
	for i, s := range []swarm.TaskState{
		swarm.TaskStateNew, swarm.TaskStateAllocated, swarm.TaskStatePending, swarm.TaskStateAssigned, swarm.TaskStateAccepted,
		swarm.TaskStatePreparing, swarm.TaskStateReady, swarm.TaskStateStarting, swarm.TaskStateRunning, swarm.TaskStateComplete,
	} {
		if s == state {
			return i
		}
	}
	return -1
}

// TestAccSuspendedDependency leaves a suspended application's services at 0, whatever waits for them.
func TestAccSuspendedDependency(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	w := providertest.NewWorkspace(t, application(s.Host(), name, "services:\n"+quickService("db", "", "replicas: 1")+
		quickService("web", "depends_on: {db: {condition: service_healthy}}", "replicas: 1"), "suspended = true"))
	started := time.Now()
	w.Apply()
	if took := time.Since(started); took > 30*time.Second {
		t.Errorf("creating suspended services took %s", took)
	}
	w.Settled()
	for _, service := range []string{name + "_db", name + "_web"} {
		if n := replicas(t, s, service); n != 0 {
			t.Errorf("%s has %d replicas, want 0", service, n)
		}
	}
}
