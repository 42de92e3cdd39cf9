package acctest

import (
	"context"
	"testing"
	"time"

	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/swarm"
)

// Wait polls until a condition holds, and fails the test with what was awaited when it does not within the limit.
func Wait(t testing.TB, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	if !poll(limit, holds) {
		t.Fatalf("waited %s for: %s", limit, what)
	}
}

func poll(limit time.Duration, holds func() bool) bool {
	for deadline := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		if holds() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}

// Tasks returns the tasks of a service, by name, whose desired state is running.
func (s *Swarm) Tasks(t testing.TB, service string) []swarm.Task {
	t.Helper()
	tasks, err := s.client.TaskList(context.Background(), swarm.TaskListOptions{Filters: filters.NewArgs(
		filters.Arg("service", service), filters.Arg("desired-state", "running"))})
	if err != nil {
		t.Fatalf("tasks of %s: %v", service, err)
	}
	return tasks
}

// WaitRunning waits until a service, by name, has exactly n running tasks.
func (s *Swarm) WaitRunning(t testing.TB, service string, n int) {
	t.Helper()
	Wait(t, time.Minute, service+" runs", func() bool {
		running := 0
		for _, task := range s.Tasks(t, service) {
			if task.Status.State == swarm.TaskStateRunning {
				running++
			}
		}
		return running == n
	})
}

// Service reads a service by name.
func (s *Swarm) Service(t testing.TB, name string) swarm.Service {
	t.Helper()
	service, _, err := s.client.ServiceInspectWithRaw(context.Background(), name, swarm.ServiceInspectOptions{})
	if err != nil {
		t.Fatalf("service %s: %v", name, err)
	}
	return service
}

// UpdateService changes a service behind Terraform's back.
func (s *Swarm) UpdateService(t testing.TB, name string, change func(*swarm.ServiceSpec)) {
	t.Helper()
	service := s.Service(t, name)
	change(&service.Spec)
	if _, err := s.client.ServiceUpdate(context.Background(), service.ID, service.Version, service.Spec, swarm.ServiceUpdateOptions{}); err != nil {
		t.Fatalf("updating service %s: %v", name, err)
	}
}
