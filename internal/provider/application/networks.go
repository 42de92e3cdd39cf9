package application

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

var _ lifecycle.Computed = (*model)(nil)

// PlanComputed implements lifecycle.Computed. The name of a network that is there
// already stays, whatever becomes of the network.
func (m *model) PlanComputed(prior lifecycle.Model, _ func(ref string) bool) {
	if m.Objects.IsUnknown() {
		m.Networks = types.MapUnknown(types.StringType)
		return
	}
	var before map[string]attr.Value
	if p, ok := prior.(*model); ok {
		before = p.Networks.Elements()
	}
	names := map[string]attr.Value{}
	for ref := range m.Objects.Elements() {
		key, ok := strings.CutPrefix(ref, string(object.KindNetwork)+"/")
		if !ok {
			continue
		}
		names[key] = types.StringUnknown()
		if name, known := before[key]; known {
			names[key] = name
		}
	}
	m.Networks = types.MapValueMust(types.StringType, names)
}

// Observe implements lifecycle.Computed.
func (m *model) Observe(view *reconcile.View, unknownOnly bool) {
	lifecycle.ObservedMap(&m.Networks, view.Networks, unknownOnly)
}
