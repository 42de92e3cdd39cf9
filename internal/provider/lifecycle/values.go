package lifecycle

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// observe writes what is live into the computed attributes.
func (c *Common) observe(view *reconcile.View) {
	c.ID = c.Name
	c.SwarmID = types.StringValue(view.SwarmID)
	c.Instance = textOrNull(view.Owner.Instance)
	c.Revision = revisionValue(view.Revision)
	c.Status = textOrNull(string(view.Status))
	c.Objects = StringMap(view.Display)
	c.observeOutcome(view)
}

func (c *Common) observeOutcome(view *reconcile.View) {
	c.Images = StringMap(view.Images)
	services := make(map[string]attr.Value, len(view.Services))
	for key, s := range view.Services {
		services[key] = types.ObjectValueMust(serviceType.AttrTypes, map[string]attr.Value{
			"id":    types.StringValue(s.ID),
			"name":  types.StringValue(s.Name),
			"mode":  types.StringValue(s.Mode),
			"ports": StringList(s.Ports),
		})
	}
	c.Services = types.MapValueMust(serviceType, services)
}

// unobserved writes into every computed attribute that is still unknown what the
// prior state has, or nothing at all: Terraform takes no unknown from an apply.
func (c *Common) unobserved(prior *Common) {
	if prior == nil {
		prior = &Common{
			Objects: StringMap(nil), Images: StringMap(nil),
			Services: types.MapValueMust(serviceType, map[string]attr.Value{}),
		}
	}
	for _, v := range []struct{ mine, before *types.String }{
		{&c.Instance, &prior.Instance}, {&c.Revision, &prior.Revision}, {&c.Status, &prior.Status},
	} {
		if v.mine.IsUnknown() {
			*v.mine = *v.before
		}
	}
	for _, v := range []struct{ mine, before *types.Map }{
		{&c.Objects, &prior.Objects}, {&c.Images, &prior.Images}, {&c.Services, &prior.Services},
	} {
		if !fullyKnown(*v.mine) {
			*v.mine = *v.before
		}
	}
}

func fullyKnown(m types.Map) bool {
	if m.IsUnknown() {
		return false
	}
	for _, v := range m.Elements() {
		if v.IsUnknown() {
			return false
		}
	}
	return true
}

func textOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

func revisionValue(n int) types.String {
	if n == 0 {
		return types.StringNull()
	}
	return types.StringValue(strconv.Itoa(n))
}

// StringMap is a map of strings as Terraform wants it; never null.
func StringMap(m map[string]string) types.Map {
	elements := make(map[string]attr.Value, len(m))
	for k, v := range m {
		elements[k] = types.StringValue(v)
	}
	return types.MapValueMust(types.StringType, elements)
}

// StringList is a list of strings as Terraform wants it; never null.
func StringList(list []string) types.List {
	elements := make([]attr.Value, len(list))
	for i, v := range list {
		elements[i] = types.StringValue(v)
	}
	return types.ListValueMust(types.StringType, elements)
}

// Texts is the inverse of StringList. Elements that are null or unknown are empty.
func Texts(list types.List) []string {
	var out []string
	for _, v := range list.Elements() {
		if s, ok := v.(types.String); ok {
			out = append(out, s.ValueString())
		}
	}
	return out
}

// Strings is the inverse of StringMap. Elements that are null or unknown are
// left out.
func Strings(m types.Map) map[string]string {
	out := make(map[string]string, len(m.Elements()))
	for k, v := range m.Elements() {
		if s, ok := v.(types.String); ok && !s.IsNull() && !s.IsUnknown() {
			out[k] = s.ValueString()
		}
	}
	return out
}

func setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, c *Common) diag.Diagnostics {
	if identity == nil {
		return nil // a Terraform that knows no identity
	}
	return identity.Set(ctx, Identity{SwarmID: c.SwarmID, Name: c.Name})
}
