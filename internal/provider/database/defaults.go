package database

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/render"
)

// unconfigured plans an attribute that is not configured from others that are. A
// plain default cannot look at others, and without one Terraform would plan what
// is live for it.
type unconfigured struct {
	value func(ctx context.Context, plan tfsdk.Plan) types.String
}

// Description implements planmodifier.String.
func (unconfigured) Description(context.Context) string {
	return "follows from other attributes unless it is configured"
}

// MarkdownDescription implements planmodifier.String.
func (u unconfigured) MarkdownDescription(ctx context.Context) string { return u.Description(ctx) }

// PlanModifyString implements planmodifier.String.
func (u unconfigured) PlanModifyString(ctx context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if req.ConfigValue.IsNull() {
		resp.PlanValue = u.value(ctx, req.Plan)
	}
}

// planned reads an attribute; what cannot be read is unknown, and reported by
// others.
func planned(ctx context.Context, plan tfsdk.Plan, name string) types.String {
	value := types.StringUnknown()
	if diags := plan.GetAttribute(ctx, path.Root(name), &value); diags.HasError() {
		return types.StringUnknown()
	}
	return value
}

// officialImage is the default of `image`.
func officialImage(ctx context.Context, plan tfsdk.Plan) types.String {
	engine, version := planned(ctx, plan, "engine"), planned(ctx, plan, "version")
	if engine.IsUnknown() || version.IsUnknown() {
		return types.StringUnknown()
	}
	return types.StringValue(render.DatabaseImage(engine.ValueString(), version.ValueString()))
}

// releaseName is the default of `username` and `database`, for engines that have
// them.
func releaseName(ctx context.Context, plan tfsdk.Plan) types.String {
	engine := planned(ctx, plan, "engine")
	switch {
	case engine.IsUnknown():
		return types.StringUnknown()
	case !render.DatabaseTakesNames(engine.ValueString()):
		return types.StringNull()
	}
	return planned(ctx, plan, "name")
}
