package registry

import (
	"context"
	"strconv"

	"github.com/docker/docker/api/types/swarm"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/serverattr"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/render"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

type model struct {
	lifecycle.Common

	Image       types.String `tfsdk:"image"`
	Port        types.String `tfsdk:"port"`
	PublishMode types.String `tfsdk:"publish_mode"`
	Hostname    types.String `tfsdk:"hostname"`
	UsersWO     types.Map    `tfsdk:"users_wo"`
	Placement   types.Object `tfsdk:"placement"`
	Resources   types.Object `tfsdk:"resources"`
	DeleteData  types.Bool   `tfsdk:"delete_data"`
	Address     types.String `tfsdk:"address"`
	Volume      types.String `tfsdk:"volume"`
}

var (
	_ lifecycle.Remover  = (*model)(nil)
	_ lifecycle.Computed = (*model)(nil)
)

var defaultPort = strconv.Itoa(spec.DefaultRegistryPort)

// Render implements lifecycle.Model.
func (m *model) Render(context.Context, *lifecycle.Session) (*reconcile.Release, spec.Problems) {
	rendered, problems := render.Registry(m.registry())
	return lifecycle.Release(rendered), problems
}

// registry is what the attributes mean. The defaults are not filled in when
// Terraform validates, and after an import.
func (m *model) registry() spec.Registry {
	return spec.Registry{
		Name:        m.Name.ValueString(),
		Image:       serverattr.OrDefault(m.Image, spec.DefaultRegistryImage),
		Port:        uint32(serverattr.NumberOr(m.Port, 16, spec.DefaultRegistryPort)), //nolint:gosec // has 16 bits
		PublishMode: serverattr.OrDefault(m.PublishMode, spec.PublishIngress),
		Hostname:    m.Hostname.ValueString(),
		Users:       lifecycle.Strings(m.UsersWO),
		Placement:   serverattr.SpecPlacement(m.Placement),
		Resources:   serverattr.SpecResources(m.Resources),
	}
}

// Removal implements lifecycle.Remover.
func (m *model) Removal() lifecycle.Removal {
	if !m.DeleteData.ValueBool() {
		return lifecycle.Removal{}
	}
	return lifecycle.Removal{PurgeVolumes: true, Empty: render.EmptyRegistry(m.registry())}
}

// PlanComputed implements lifecycle.Computed.
func (m *model) PlanComputed(lifecycle.Model, func(ref string) bool) {
	m.Volume, m.Address = types.StringUnknown(), types.StringUnknown()
	if !m.Name.IsUnknown() {
		m.Volume = types.StringValue(render.DataVolume(m.Name.ValueString()))
	}
	if !m.Hostname.IsUnknown() && !m.Port.IsUnknown() && !m.PublishMode.IsUnknown() {
		m.Address = types.StringValue(m.registry().Address())
	}
}

// Observe implements lifecycle.Computed. What is reached at the address follows
// from the port that is live.
func (m *model) Observe(view *reconcile.View, unknownOnly bool) {
	address := ""
	for _, o := range view.Objects {
		service, ok := o.Spec.(*swarm.ServiceSpec)
		if ok && service.EndpointSpec != nil && len(service.EndpointSpec.Ports) == 1 {
			port, live := service.EndpointSpec.Ports[0], m.registry()
			live.Port, live.PublishMode = port.PublishedPort, string(port.PublishMode)
			address = live.Address()
		}
	}
	lifecycle.Observed(&m.Address, address, unknownOnly)
	lifecycle.Observed(&m.Volume, view.Volumes[render.DataKey], unknownOnly)
}
