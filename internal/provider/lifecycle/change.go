package lifecycle

import (
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// lastLook bounds the read that follows an apply, whatever became of the apply's
// own time.
const lastLook = 15 * time.Second

// Create applies a release that is not in state yet.
func (r *Resource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	model := r.kind.NewModel()
	if resp.Diagnostics.Append(req.Plan.Get(ctx, model)...); resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := model.common().Timeouts.Create(ctx, changeTimeout)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	written, diags := r.change(ctx, model, nil, req.Plan, req.Config, timeout)
	resp.Diagnostics.Append(diags...)
	if !written {
		return // no state: nothing has been written into the swarm
	}
	resp.Diagnostics.Append(keepState(ctx, &resp.State, model, nil)...)
	resp.Diagnostics.Append(setIdentity(ctx, resp.Identity, model.common())...)
	resp.Diagnostics.Append(model.common().keepPinned(ctx, resp.Private)...)
}

// Update applies a release that is in state.
func (r *Resource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	model := r.kind.NewModel()
	resp.Diagnostics.Append(req.Plan.Get(ctx, model)...)
	prior, diags := r.prior(ctx, req.State)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	timeout, diags := model.common().Timeouts.Update(ctx, changeTimeout)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	written, diags := r.change(ctx, model, prior, req.Plan, req.Config, timeout)
	resp.Diagnostics.Append(diags...)
	if !written {
		// The state stays as it was, and so does the swarm.
		resp.Diagnostics.Append(setIdentity(ctx, resp.Identity, commonOf(prior))...)
		return
	}
	resp.Diagnostics.Append(keepState(ctx, &resp.State, model, &req.State)...)
	resp.Diagnostics.Append(setIdentity(ctx, resp.Identity, model.common())...)
	resp.Diagnostics.Append(model.common().keepPinned(ctx, resp.Private)...)
}

// keepState writes a model into the state with every value known.
func keepState(ctx context.Context, state *tfsdk.State, model Model, prior *tfsdk.State) diag.Diagnostics {
	diags := state.Set(ctx, model)
	var before tftypes.Value
	if prior != nil {
		before = prior.Raw
	}
	if err := withoutUnknown(state, before); err != nil {
		diags.AddError("The state could not be completed", err.Error())
	}
	return diags
}

// change applies the planned model and completes it: afterwards every computed
// attribute is known, on every path. It reports whether the swarm may have been
// written to, that is, whether there is something to keep in state.
func (r *Resource) change(ctx context.Context, model, state Model, plan tfsdk.Plan, config tfsdk.Config, timeout time.Duration) (bool, diag.Diagnostics) {
	planned, prior := model.common(), commonOf(state)
	who := r.subject(planned.Name.ValueString())
	core, diags := r.session.Core()
	if diags.HasError() {
		return false, diags
	}
	release, rendering := r.render(ctx, plan.Raw, config)
	// The plan has shown the warnings.
	if diags.Append(rendering.Errors()...); diags.HasError() {
		return false, diags
	}
	if release == nil {
		diags.AddError("Configuration not known at apply", "A value that the "+r.kind.Name()+" depends on is still unknown. This is a bug of Terraform or of the provider.")
		return false, diags
	}
	release.Instance = prior.instance()
	if state == nil {
		if diags.Append(r.checkAdoption(ctx, model, config)...); diags.HasError() {
			return false, diags
		}
	}

	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	declared, err := reconcile.Declare(release, prior.objects())
	keepLabels(declared, prior.objects()) // the plan has said so
	if err != nil {
		r.session.report(ctx, &diags, err, who)
		return false, diags
	}
	steps, err := r.steps(ctx, core, *release, model, prior)
	if err != nil {
		r.session.report(ctx, &diags, err, who)
		return false, diags
	}

	started := ""
	if prior == nil {
		r.session.tookOver(steps.Release.Instance)
	}
	result, err := core.Apply(ctx, steps, reconcile.ApplyOptions{
		NoWait:   waitingOf(model).NoWait,
		RollBack: planned.OnFailure.ValueString() == rollBack,
		Prior:    prior.objects(),
		Report:   func(line string) { tflog.Info(ctx, line, map[string]any{"release": release.Release}) },
		Started:  func(instance string) { started = instance },
	})
	if err != nil {
		r.session.report(ctx, &diags, err, who)
		if started == "" {
			return false, diags
		}
		r.afterFailure(ctx, core, model, prior, started)
		return true, diags
	}
	warn(&diags, "Worth knowing about release "+release.Release, slices.DeleteFunc(slices.Clone(result.Warnings), func(warning string) bool {
		return slices.Contains(steps.Warnings, warning) // the plan has said so
	}))
	diags.Append(r.afterSuccess(ctx, core, model, prior, declared, result)...)
	return true, diags
}

// steps plans over what is there, and notes which swarm that is.
func (r *Resource) steps(ctx context.Context, core *reconcile.Core, release reconcile.Release, model Model, prior *Common) (*reconcile.Plan, error) {
	planned := model.common()
	id, err := checkSwarm(ctx, core, planned.SwarmID)
	if err != nil {
		return nil, err
	}
	planned.SwarmID = types.StringValue(id)
	return core.Plan(ctx, release, planOptions(prior, model))
}

// afterSuccess completes the planned model with the outcome. What was planned as
// known stays as planned, because Terraform takes nothing else.
func (r *Resource) afterSuccess(ctx context.Context, core *reconcile.Core, model Model, prior *Common, declared map[string]string, result *reconcile.Result) diag.Diagnostics {
	var diags diag.Diagnostics
	planned := model.common()
	planned.Objects = resolve(planned.Objects, declared)
	planned.pinned = result.Images
	if planned.Instance.IsUnknown() {
		planned.Instance = textOrNull(result.Instance)
	}
	outcomeKnown := !planned.Revision.IsUnknown()
	if !outcomeKnown {
		planned.Revision = revisionValue(result.Revision)
	}

	view, err := lookOnce(ctx, core, planned.Name.ValueString(), result.Instance)
	if err != nil {
		diags.AddWarning("Applied, but not read back", "Release "+planned.Name.ValueString()+" has been applied. Reading services, networks and images back failed, "+
			"and they are filled in by the next refresh. The engine said: "+err.Error())
		planned.unobserved(prior)
		return diags
	}
	if !outcomeKnown {
		images, services := planned.Images, planned.Services
		planned.observeOutcome(view)
		planned.Images = asPlanned(images, planned.Images, types.StringNull())
		planned.Services = asPlanned(services, planned.Services, types.ObjectNull(serviceType.AttrTypes))
	}
	observeComputed(model, view, true)
	return diags
}

// afterFailure completes the model with what is there now, so that the next plan
// shows what is left to do. The context of the apply may be over.
func (r *Resource) afterFailure(ctx context.Context, core *reconcile.Core, model Model, prior *Common, instance string) {
	planned := model.common()
	planned.Instance = types.StringValue(instance)
	planned.ID = planned.Name
	view, err := lookOnce(ctx, core, planned.Name.ValueString(), instance)
	if err != nil {
		tflog.Warn(ctx, "the release could not be read after the failed apply", map[string]any{"release": planned.Name.ValueString(), "error": err.Error()})
		planned.Status = types.StringValue(string(reconcile.Applying))
		planned.planUnknown() // what was planned is not what is there
		planned.unobserved(prior)
		return
	}
	planned.observe(view)
	observeComputed(model, view, false)
	planned.Instance = types.StringValue(instance)
}

func lookOnce(ctx context.Context, core *reconcile.Core, name, instance string) (*reconcile.View, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLook)
	defer cancel()
	return core.Inspect(ctx, name, instance)
}

// resolve fills the elements of a planned map that were unknown.
func resolve(planned types.Map, declared map[string]string) types.Map {
	if planned.IsUnknown() {
		return StringMap(declared)
	}
	elements := planned.Elements()
	known := make(map[string]attr.Value, len(elements))
	for ref, v := range elements {
		if v.IsUnknown() {
			v = types.StringValue(declared[ref])
		}
		known[ref] = v
	}
	return types.MapValueMust(types.StringType, known)
}
