package reconcile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// No list of the swarm's objects has volumes: that one is not in it says nothing.
func TestRemovalOfAVolumeWithoutAnAnswerIsRepeated(t *testing.T) {
	for rule, fault := range map[string]memory.Fault{"lost before the engine acted": memory.Fail, "answer lost": memory.Lose} {
		t.Run(rule, func(t *testing.T) {
			b := memory.New()
			r := basic().release()
			for _, o := range r.Objects {
				if s, ok := o.Spec.(*swarm.ServiceSpec); ok && o.Key == "api" {
					s.TaskTemplate.ContainerSpec.Mounts = []mount.Mount{{Type: mount.TypeVolume, Source: "shop_data", Target: "/data"}}
				}
			}
			instance := mustApply(t, b, r, "").Instance
			attempts := 0
			b.Fault = func(c memory.Call) memory.Fault {
				if c.Step == nil || c.Step.Object.Kind != object.KindVolume {
					return memory.None
				}
				if attempts++; attempts == 1 {
					return fault
				}
				return memory.None
			}
			_, err := newCore(b).Uninstall(t.Context(), reconcile.Owner{Release: stack, Kind: "application", Owner: "terraform", Instance: instance},
				reconcile.UninstallOptions{PurgeVolumes: true})
			if err != nil || attempts != 2 {
				t.Errorf("the removal was tried %d times, want twice: %v", attempts, err)
			}
		})
	}
}

// A create that failed is replaced on the data that it met, and whoever asked for
// the data to go is told that it did not.
func TestDataOfWhatWasNeverDeployedIsKeptAndNamed(t *testing.T) {
	b := memory.New()
	r := basic().release()
	for _, o := range r.Objects {
		if s, ok := o.Spec.(*swarm.ServiceSpec); ok && o.Key == "api" {
			s.TaskTemplate.ContainerSpec.Mounts = []mount.Mount{{Type: mount.TypeVolume, Source: "shop_data", Target: "/data"}}
		}
	}
	b.Behave = failing("api", 1)
	result, err := apply(t.Context(), b, r, "", reconcile.PlanOptions{})
	if err == nil {
		t.Fatal("a failing service was deployed")
	}
	b.ResetCalls()
	gone, err := newCore(b).Uninstall(t.Context(), reconcile.Owner{Release: stack, Kind: "application", Owner: "terraform", Instance: result.Instance},
		reconcile.UninstallOptions{PurgeVolumes: true})
	if err != nil {
		t.Fatal(err)
	}
	if w := writes(b); slices.Contains(w, "delete volume shop_data") {
		t.Errorf("the data was deleted: %v", w)
	}
	if len(gone.Warnings) != 1 || !strings.Contains(gone.Warnings[0], "Volume shop_data is kept") {
		t.Errorf("warns %q, want that the volume is kept", gone.Warnings)
	}
}
