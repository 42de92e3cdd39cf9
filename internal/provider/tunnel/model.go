package tunnel

import (
	"context"

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
	return lifecycle.Release(rendered), problems
}

// tunnel is what the attributes mean. The defaults are not filled in when
// Terraform validates, and after an import.
func (m *model) tunnel() spec.Tunnel {
	return spec.Tunnel{
		Name:      m.Name.ValueString(),
		Token:     m.TokenWO.ValueString(),
		Networks:  lifecycle.Texts(m.Networks),
		Replicas:  serverattr.NumberOr(m.Replicas, 32, spec.DefaultTunnelReplicas),
		Image:     serverattr.OrDefault(m.Image, spec.DefaultTunnelImage),
		Placement: serverattr.SpecPlacement(m.Placement),
		Resources: serverattr.SpecResources(m.Resources),
	}
}
