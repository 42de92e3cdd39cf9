package reconcile

import (
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"
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
