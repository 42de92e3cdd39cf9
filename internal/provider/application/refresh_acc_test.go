package application_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// A swarm moves by itself: tasks end and are restarted, ports are allocated, a node gets labels, somebody restarts all
// tasks of a service. None of that is drift.
func TestAccLifecycleRefreshIsCleanWhileTheSwarmMoves(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	compose := strings.ReplaceAll(`
services:
  web:
    image: IMAGE
    ports: [{target: 8080, mode: host}, {target: 8081}]
    volumes: ["data:/data"]
    deploy:
      replicas: 2
      update_config: {monitor: 100ms, parallelism: 0}
      restart_policy: {delay: 0s}
  fickle:
    image: IMAGE
    command: [-exit-after, 2s]
    deploy: {update_config: {monitor: 100ms}, restart_policy: {delay: 0s}}
  everywhere:
    image: IMAGE
    deploy: {mode: global, update_config: {monitor: 100ms}, restart_policy: {delay: 0s}}
  once:
    image: IMAGE
    command: [job]
    deploy: {mode: replicated-job}
volumes: {data: {}}
`, "IMAGE", acctest.Image("1.0"))
	w := providertest.NewWorkspace(t, application(s.Host(), name, compose))
	clean := func(after string) {
		t.Helper()
		if code, out := w.Terraform("plan", "-refresh-only", "-detailed-exitcode", "-input=false"); code != 0 {
			t.Fatalf("a refresh-only plan %s ends with %d:\n%s", after, code, out)
		}
	}
	w.Apply()
	for range 3 {
		clean("right after the apply")
	}

	before := s.Tasks(t, name+"_web")
	for _, task := range before {
		s.Docker(t, "rm", "-f", task.Status.ContainerStatus.ContainerID)
	}
	clean("while tasks are restarted")
	acctest.Wait(t, time.Minute, "other tasks run", func() bool {
		now := s.Tasks(t, name+"_web")
		return len(now) == 2 && !slices.ContainsFunc(now, func(task swarm.Task) bool {
			return task.Status.State != swarm.TaskStateRunning ||
				slices.ContainsFunc(before, func(was swarm.Task) bool { return was.ID == task.ID })
		})
	})
	clean("after tasks were restarted")

	s.Docker(t, "service", "update", "--detach", "--force", name+"_web")
	clean("during an update without a change")
	acctest.Wait(t, time.Minute, "the update without a change is over", func() bool {
		status := s.Service(t, name+"_web").UpdateStatus
		return status != nil && status.State == swarm.UpdateStateCompleted
	})
	clean("after an update without a change")

	s.Docker(t, "service", "update", "--detach", "--force", name+"_once")
	clean("while a job runs again")
	w.Settled()
}

// What is taken out of the Compose file is taken out of the swarm.
func TestAccLifecycleRemovedLinesAreRemoved(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	lines := []struct{ line, element, moved string }{
		{`ports: [{target: 80, mode: host}]`, "service/web", "ports"},
		{`healthcheck: {test: ["CMD", "/app", "healthcheck"]}`, "service/web", "healthcheck.test"},
		{`labels: {a: "1"}`, "service/web", "container_labels.a"},
		{`environment: {A: "1"}`, "service/web", "env.A"},
		{`stop_grace_period: 1s`, "service/web", "stop_grace_period"},
		{`init: true`, "service/web", "init"},
		{`deploy: {replicas: 0, placement: {constraints: [node.role==worker]}, labels: {b: "1"}, restart_policy: {condition: none},
      update_config: {order: start-first}, resources: {limits: {cpus: "0.5", memory: 64M}, reservations: {memory: 5M}}}`, "service/web", ""},
		{"x-nothing: more", "", ""},
	}
	compose := func(keep int) string {
		text := "services:\n  web:\n    image: never/there:1\n"
		for _, l := range lines[len(lines)-keep:] {
			text += "    " + l.line + "\n"
		}
		if keep < 2 {
			text += "    deploy: {replicas: 0}\n"
		}
		return text
	}
	w := providertest.NewWorkspace(t, application(s.Host(), name, compose(len(lines))))
	w.Apply()
	for removed := 1; removed < len(lines); removed++ {
		l := lines[removed-1]
		w.Write("main.tf", application(s.Host(), name, compose(len(lines)-removed)))
		paths := providertest.Compare(t, w.Plan(2).Change(resource)).Take(l.element)
		if l.moved != "" && !slices.Equal(paths, []string{l.moved}) {
			t.Errorf("the plan that removes %q shows %v, want %s", l.line, paths, l.moved)
		}
		w.Apply()
		w.Settled()
	}
	spec := s.Service(t, name+"_web").Spec
	container := spec.TaskTemplate.ContainerSpec
	for what, left := range map[string]bool{
		"ports": len(spec.EndpointSpec.Ports) > 0, "a healthcheck": container.Healthcheck != nil, "a container label": container.Labels["a"] != "",
		"environment": len(container.Env) > 0, "constraints": len(spec.TaskTemplate.Placement.Constraints) > 0, "a label": spec.Labels["b"] != "",
		"limits":            spec.TaskTemplate.Resources.Limits != nil && *spec.TaskTemplate.Resources.Limits != swarm.Limit{},
		"reservations":      spec.TaskTemplate.Resources.Reservations != nil && spec.TaskTemplate.Resources.Reservations.MemoryBytes != 0,
		"an update config":  spec.UpdateConfig != nil,
		"a restart policy":  spec.TaskTemplate.RestartPolicy != nil,
		"a grace period":    container.StopGracePeriod != nil,
		"an init of itself": container.Init != nil,
	} {
		if left {
			t.Errorf("the service still has %s: %s", what, providertest.AsJSON(t, spec))
		}
	}
}
