package lifecycle

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// ModifyPlan writes what is desired into the plan, where Read has written what
// is live, so that Terraform's own diff shows the difference. Its values follow
// from configuration and state alone: Terraform asks again at apply and rejects
// another answer.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	state, diags := r.prior(ctx, req.State)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	if req.Plan.Raw.IsNull() {
		if state != nil {
			resp.Diagnostics.Append(r.checkRemoval(ctx, state)...)
		}
		return
	}
	model := r.kind.NewModel()
	if resp.Diagnostics.Append(req.Plan.Get(ctx, model)...); resp.Diagnostics.HasError() {
		return
	}
	planned, prior := model.common(), commonOf(state)

	if prior != nil && !prior.Name.Equal(planned.Name) {
		// The first half of a replacement. Terraform asks again for the create, and
		// everything else there is to say is said then.
		resp.Diagnostics.Append(r.checkRemoval(ctx, state)...)
		planned.planIdentity(nil)
		planned.planUnknown()
		planComputed(model, nil, nil)
		resp.Diagnostics.Append(resp.Plan.Set(ctx, model)...)
		return
	}
	resp.Diagnostics.Append(checkChange(model, state, req.Config)...)
	if state == nil && r.session != nil && !r.session.holds(planned.Name.ValueString()) { // else it is destroyed first
		resp.Diagnostics.Append(r.checkAdoption(ctx, model, req.Config)...)
	}

	release, diags := r.render(ctx, req.Plan.Raw, req.Config)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	planned.planIdentity(prior)
	changed := true
	if release == nil {
		planned.planUnknown()
		planComputed(model, state, nil)
	} else {
		declared, err := reconcile.Declare(release, prior.objects())
		if err != nil {
			r.session.report(ctx, &resp.Diagnostics, err, r.subject(planned.Name.ValueString()))
			return
		}
		kept := keepLabels(declared, prior.objects())
		if changed = planned.planObjects(declared, prior); !changed {
			// Else the core has the say, which knows the network.
			warn(&resp.Diagnostics, "Worth knowing about release "+release.Release, kept)
		}
		pinned, diags := readPinned(ctx, req.Private)
		resp.Diagnostics.Append(diags...)
		if moved := movedImages(release, pinned, prior); len(moved) > 0 {
			planned.planMoved(moved, changed, declared, prior)
			changed = true
			warn(&resp.Diagnostics, "Another build runs under the declared name", sentences(moved))
		}
		planComputed(model, state, declared)
	}
	if resp.Diagnostics.Append(resp.Plan.Set(ctx, model)...); resp.Diagnostics.HasError() {
		return
	}
	if release != nil && changed {
		release.Instance = prior.instance()
		resp.Diagnostics.Append(r.checkEngine(ctx, *release, prior, model)...)
	}
}

// prior reads a state; nil when there is none.
func (r *Resource) prior(ctx context.Context, state tfsdk.State) (Model, diag.Diagnostics) {
	if state.Raw.IsNull() {
		return nil, nil
	}
	model := r.kind.NewModel()
	diags := state.Get(ctx, model)
	if !diags.HasError() && r.session != nil {
		r.session.hold(model.common().Name.ValueString())
	}
	return model, diags
}

// keepLabels plans networks as they are whose labels alone differ from what is
// declared: they cannot be changed while the network exists, and planning what
// will not be done would leave a plan that is never empty. It says so of each.
func keepLabels(declared, live map[string]string) []string {
	var kept []string
	for _, ref := range slices.Sorted(maps.Keys(declared)) {
		parsed, err := object.ParseRef(ref)
		if err != nil || parsed.Kind != object.KindNetwork || live[ref] == "" || live[ref] == declared[ref] {
			continue
		}
		want, err := object.ParseForm(declared[ref])
		if err != nil {
			continue
		}
		have, err := object.ParseForm(live[ref])
		if err != nil || len(object.ImmutableDifferences(object.Diff(want, have))) > 0 {
			continue
		}
		declared[ref] = live[ref]
		kept = append(kept, "The labels of "+ref+" are not the declared ones. They cannot be changed while the network exists, and are not worth replacing it: they stay as they are.")
	}
	return kept
}

// planIdentity plans what follows from the name and from earlier applies.
func (c *Common) planIdentity(prior *Common) {
	c.ID = c.Name
	c.SwarmID, c.Instance = types.StringUnknown(), types.StringUnknown()
	if prior != nil && prior.SwarmID.ValueString() != "" {
		c.SwarmID = prior.SwarmID
	}
	if prior.instance() != "" {
		c.Instance = prior.Instance
	}
	c.Status = types.StringValue(string(reconcile.Deployed))
}

// planUnknown plans for inputs that are not known yet.
func (c *Common) planUnknown() {
	c.Objects = types.MapUnknown(types.StringType)
	c.Revision = types.StringUnknown()
	c.Images = types.MapUnknown(types.StringType)
	c.Services = types.MapUnknown(serviceType)
}

// planObjects plans what is declared and reports whether an apply has anything
// to do.
func (c *Common) planObjects(declared map[string]string, prior *Common) bool {
	live := prior.objects()
	elements := make(map[string]attr.Value, len(declared))
	for ref, form := range declared {
		elements[ref] = types.StringValue(form)
		if isSecret(ref) && fingerprintOf(form) != fingerprintOf(live[ref]) {
			// The value may be another one at apply, and that shall be no
			// inconsistency.
			elements[ref] = types.StringUnknown()
		}
	}
	c.Objects = types.MapValueMust(types.StringType, elements)

	if prior != nil && maps.Equal(declared, live) && prior.Status.Equal(c.Status) {
		c.Revision, c.Images, c.Services = prior.Revision, prior.Images, prior.Services
		return false
	}
	c.planOutcome(declared, prior)
	return true
}

// instance is the instance in state, empty when there is none yet.
func (c *Common) instance() string {
	if c == nil {
		return ""
	}
	return c.Instance.ValueString()
}

// objects is the map of the same name in state.
func (c *Common) objects() map[string]string {
	if c == nil {
		return nil
	}
	return Strings(c.Objects)
}

func isSecret(ref string) bool {
	parsed, err := object.ParseRef(ref)
	return err == nil && parsed.Kind == object.KindSecret
}

// fingerprintOf reads the fingerprint out of the canonical JSON of a secret;
// empty for anything that has none.
func fingerprintOf(form string) string {
	parsed, err := object.ParseForm(form)
	if err != nil {
		return ""
	}
	fingerprint, _ := parsed["fingerprint"].(string)
	return fingerprint
}
