package swarm

import (
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// A volume goes although an ended task of a removed job had it, which Engine 20.10 never forgets; what a job that is
// still there has had stays in use.
func TestAccVolumeIsRemovedAfterItsJobs(t *testing.T) {
	s := newStage(t)
	name := s.name + "_data"
	withVolume := func(key string) object.Object {
		return s.service(key, func(spec *swarm.ServiceSpec) {
			spec.Mode.GlobalJob = &swarm.GlobalJob{}
			spec.TaskTemplate.ContainerSpec.Args = []string{"job"}
			spec.TaskTemplate.ContainerSpec.Mounts = []mount.Mount{{Type: mount.TypeVolume, Source: name, Target: "/data"}}
			spec.TaskTemplate.RestartPolicy = &swarm.RestartPolicy{Condition: swarm.RestartPolicyConditionNone}
		})
	}
	gone, there := withVolume("gone"), withVolume("there")
	for _, job := range []object.Object{gone, there} {
		s.create(job)
		s.progress(job, "it has ended", converged)
	}
	if err := s.do(reconcile.Delete, gone, s.observe(gone)); err != nil {
		t.Fatal(err)
	}
	remove := func() error {
		_, err := s.Do(t.Context(), reconcile.Step{Verb: reconcile.Delete, Object: object.Object{
			Kind: object.KindVolume, Key: "data", Name: name, Spec: &object.VolumeSpec{}}})
		return err
	}
	if err := remove(); err == nil {
		t.Error("the volume of a job that is there was removed")
	}
	if err := s.do(reconcile.Delete, there, s.observe(there)); err != nil {
		t.Fatal(err)
	}
	acctest.Wait(t, 20*time.Second, "the volume can be removed", func() bool { return remove() == nil })
	if _, err := s.engine.Client().VolumeInspect(t.Context(), name); !errdefs.IsNotFound(err) {
		t.Errorf("the volume is still there: %v", err)
	}
}
