package lifecycle

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// computing is a model that notes what it is told.
type computing struct {
	Model
	of    *Common
	stays bool
}

func (m *computing) common() *Common { return m.of }

func (m *computing) PlanComputed(_ Model, stays func(string) bool) {
	m.stays = stays("secret/password")
}

func (m *computing) Observe(*reconcile.View, bool) {}

func TestAnObjectStaysOnlyIfTheLastApplyEndedWell(t *testing.T) {
	const form = `{"fingerprint":"1"}`
	declared := map[string]string{"secret/password": form}
	for status, want := range map[reconcile.Status]bool{reconcile.Deployed: true, reconcile.Applying: false, reconcile.Failed: false, reconcile.RolledBack: false} {
		t.Run(string(status), func(t *testing.T) {
			prior := &computing{of: &Common{Status: types.StringValue(string(status)), Objects: StringMap(declared)}}
			m := &computing{of: &Common{}}
			if planComputed(m, prior, declared); m.stays != want {
				t.Errorf("stays: %v, want %v", m.stays, want)
			}
		})
	}
}
