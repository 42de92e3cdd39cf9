package tunnel

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/serverattr"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/render"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

type model struct {
	lifecycle.Common

	TokenWO   types.String `tfsdk:"token_wo"`
	Networks  types.List   `tfsdk:"networks"`
	Replicas  types.String `tfsdk:"replicas"`
	Image     types.String `tfsdk:"image"`
	Placement types.Object `tfsdk:"placement"`
	Resources types.Object `tfsdk:"resources"`
}

var _ lifecycle.Model = (*model)(nil)

// Render implements lifecycle.Model.
func (m *model) Render(context.Context, *lifecycle.Session) (*reconcile.Release, spec.Problems) {
	rendered, problems := render.Tunnel(m.tunnel())
	if rendered == nil {
		return nil, problems
	}
	release := lifecycle.Release(rendered)
	release.Resolve = reconcile.ResolveChanged
	return release, problems
}

// tunnel is what the attributes mean. The defaults are not filled in when
// Terraform validates, and after an import.
func (m *model) tunnel() spec.Tunnel {
	t := spec.Tunnel{
		Name:      m.Name.ValueString(),
		Token:     m.TokenWO.ValueString(),
		Replicas:  spec.DefaultTunnelReplicas,
		Image:     spec.DefaultTunnelImage,
		Placement: serverattr.SpecPlacement(m.Placement),
		Resources: serverattr.SpecResources(m.Resources),
	}
	// Of a text that is no number the schema speaks.
	if n, err := strconv.ParseUint(m.Replicas.ValueString(), 10, 32); err == nil && n > 0 {
		t.Replicas = n
	}
	if image := m.Image.ValueString(); image != "" {
		t.Image = image
	}
	for _, v := range m.Networks.Elements() {
		if name, ok := v.(types.String); ok {
			t.Networks = append(t.Networks, name.ValueString())
		}
	}
	return t
}
