package swarm

import (
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

func TestAccDrainingDoesNotWaitForRemovedJobs(t *testing.T) {
	s := newStage(t)
	for code, over := range map[string]func(reconcile.Rollout) bool{
		"0": converged,
		"1": func(r reconcile.Rollout) bool { return failures(r) > 1 },
	} {
		job := s.service("job"+code, func(spec *swarm.ServiceSpec) {
			spec.Mode.ReplicatedJob = &swarm.ReplicatedJob{}
			spec.TaskTemplate.ContainerSpec.Args = []string{"job", "-exit-code", code}
			spec.TaskTemplate.RestartPolicy = &swarm.RestartPolicy{Condition: swarm.RestartPolicyConditionOnFailure, MaxAttempts: count(1)}
		})
		id := s.create(job)
		s.progress(job, "it has ended", over)
		if err := s.do(reconcile.Delete, job, s.observe(job)); err != nil {
			t.Fatal(err)
		}
		acctest.Wait(t, 20*time.Second, "nothing of job"+code+" drains", func() bool {
			n, err := s.Draining(t.Context(), "", []string{id})
			return err == nil && n == 0
		})
	}
}

func TestAccDrainingEndsWithTheTasks(t *testing.T) {
	s := newStage(t)
	grace := 3 * time.Second
	slow := s.service("slow", func(spec *swarm.ServiceSpec) {
		spec.TaskTemplate.ContainerSpec.Args = []string{"-ignore-term"}
		spec.TaskTemplate.ContainerSpec.StopGracePeriod = &grace
	})
	id := s.create(slow)
	s.progress(slow, "it runs", converged)
	draining := func() int {
		t.Helper()
		n, err := s.Draining(t.Context(), "", []string{id})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := s.do(reconcile.Delete, slow, s.observe(slow)); err != nil {
		t.Fatal(err)
	}
	if n := draining(); n != 1 {
		t.Errorf("right after the removal %d tasks drain", n)
	}
	acctest.Wait(t, 20*time.Second, "nothing drains any more", func() bool { return draining() == 0 })
}

// A removal that was interrupted is run again when its services are gone: their
// tasks may still be on their way out.
func TestAccDrainingKnowsTheTasksOfAnEarlierRemoval(t *testing.T) {
	s := newStage(t)
	grace := 5 * time.Second
	slow := func(key, stack string) object.Object {
		return s.service(key, func(spec *swarm.ServiceSpec) {
			spec.TaskTemplate.ContainerSpec.Args = []string{"-ignore-term"}
			spec.TaskTemplate.ContainerSpec.StopGracePeriod = &grace
			spec.TaskTemplate.ContainerSpec.Labels = map[string]string{reconcile.LabelStack: stack}
		})
	}
	const ours = "drained-again"
	going, staying := slow("going", ours), slow("staying", ours)
	for _, o := range []object.Object{going, staying} {
		s.create(o)
		s.progress(o, "it runs", converged)
	}
	if err := s.do(reconcile.Delete, going, s.observe(going)); err != nil {
		t.Fatal(err)
	}
	for release, want := range map[string]int{ours: 1, "another": 0} {
		if n, err := s.Draining(t.Context(), release, nil); err != nil || n != want {
			t.Errorf("%d tasks of release %s drain (error %v), want %d", n, release, err, want)
		}
	}
	acctest.Wait(t, 20*time.Second, "nothing drains any more", func() bool {
		n, err := s.Draining(t.Context(), ours, nil)
		return err == nil && n == 0
	})
}
