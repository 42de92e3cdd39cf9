package reconcile

import (
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

func TestKillIsHeldAgainstTheMemoryLimit(t *testing.T) {
	limited := &swarm.ServiceSpec{TaskTemplate: swarm.TaskSpec{Resources: &swarm.ResourceRequirements{Limits: &swarm.Limit{MemoryBytes: 8 << 20}}}}
	if hint := memoryHint(limited); !strings.Contains(hint, "its limit of 8MiB") {
		t.Errorf("with a limit: %s", hint)
	}
	if hint := memoryHint(&swarm.ServiceSpec{}); strings.Contains(hint, "limit") {
		t.Errorf("without a limit: %s", hint)
	}
}

func TestReservationsThatNoNodeHasAreNamed(t *testing.T) {
	spec := &swarm.ServiceSpec{TaskTemplate: swarm.TaskSpec{Resources: &swarm.ResourceRequirements{
		Reservations: &swarm.Resources{NanoCPUs: 64e9, MemoryBytes: 1 << 30},
	}}}
	api := object.Object{Kind: object.KindService, Key: "api", Spec: spec}
	r := &rollout{core: &Core{}, plan: &Plan{Release: Release{Objects: []object.Object{api}}}}
	hint := r.hint(&watch{key: "api"}, []Task{{Err: "no suitable node (insufficient resources on 1 node)"}})
	if !strings.Contains(hint, "64 CPUs, 1GiB of memory") {
		t.Error(hint)
	}
}
