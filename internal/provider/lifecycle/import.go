package lifecycle

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/defaults"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// ImportState takes a release, or a stack that something else deployed, by its
// name, or by an identity of name and optionally swarm. The Read that follows
// looks whether it is there.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	identity := Identity{SwarmID: types.StringNull(), Name: types.StringValue(req.ID)}
	if req.ID == "" {
		if resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...); resp.Diagnostics.HasError() {
			return
		}
	}
	if name := identity.Name.ValueString(); spec.CheckReleaseName(name) != nil || len(name) > maxNameLength {
		resp.Diagnostics.AddError("Not an import id", fmt.Sprintf(
			"%q is no name of a stack. The id is the name alone: %s, at most %d characters. For instance: terraform import %s shop",
			name, spec.ReleaseNamePattern, maxNameLength, r.subject("").address()))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), identity.Name)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), identity.Name)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("swarm_id"), identity.SwarmID)...)
	r.importDefaults(ctx, resp)
	if resp.Identity != nil {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identity)...)
	}
}

// importDefaults sets the attributes that have a default to it, so that the plan
// after an import shows only what an apply would do to the swarm.
func (r *Resource) importDefaults(ctx context.Context, resp *resource.ImportStateResponse) {
	attributes := commonAttributes(ctx)
	for name, attribute := range r.kind.Attributes() {
		attributes[name] = attribute
	}
	for name, attribute := range attributes {
		switch a := attribute.(type) {
		case schema.BoolAttribute:
			if a.Default != nil {
				var value defaults.BoolResponse
				a.Default.DefaultBool(ctx, defaults.BoolRequest{Path: path.Root(name)}, &value)
				resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value.PlanValue)...)
			}
		case schema.StringAttribute:
			if a.Default != nil {
				var value defaults.StringResponse
				a.Default.DefaultString(ctx, defaults.StringRequest{Path: path.Root(name)}, &value)
				resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value.PlanValue)...)
			}
		}
	}
}
