package lifecycle

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// Read writes what is live into the state. Only the certain knowledge that
// nothing of the release is left removes it from state.
func (r *Resource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	model := r.kind.NewModel()
	if resp.Diagnostics.Append(req.State.Get(ctx, model)...); resp.Diagnostics.HasError() {
		return
	}
	c := model.common()
	core, diags := r.session.Core()
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	r.session.hold(c.Name.ValueString())
	who := r.subject(c.Name.ValueString())

	if _, err := checkSwarm(ctx, core, c.SwarmID); err != nil {
		r.session.report(ctx, &resp.Diagnostics, err, who)
		return
	}
	view, err := core.Inspect(ctx, c.Name.ValueString(), c.instance())
	switch {
	case reconcile.ReasonOf(err) == reconcile.ReasonNotFound:
		resp.Diagnostics.Append(r.goneWarning(ctx, core, c)...)
		// An identity is asked for even of what is gone.
		resp.Diagnostics.Append(setIdentity(ctx, resp.Identity, c)...)
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		r.session.report(ctx, &resp.Diagnostics, err, who)
		return
	case view.Owner.Instance != "" && view.Owner.Kind != r.kind.Name():
		resp.Diagnostics.AddError(fmt.Sprintf("Release %s is no %s", c.Name.ValueString(), r.kind.Name()), fmt.Sprintf(
			"In the swarm it is recorded as %[1]s: use the resource swarm_%[1]s for it.", view.Owner.Kind))
		return
	}
	c.observe(view)
	observeComputed(model, view, false)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
	resp.Diagnostics.Append(setIdentity(ctx, resp.Identity, c)...)
}

// goneWarning says so when the release is gone and something else has its name,
// because then creating it anew will be refused.
func (r *Resource) goneWarning(ctx context.Context, core *reconcile.Core, c *Common) diag.Diagnostics {
	var diags diag.Diagnostics
	if c.instance() == "" {
		return diags
	}
	other, err := core.Inspect(ctx, c.Name.ValueString(), "")
	if err != nil {
		return diags // nothing has the name; that the release is gone shows in the plan
	}
	whose := "carry no label of this provider"
	if other.Owner.Instance != "" {
		whose = fmt.Sprintf("belong to instance %s of owner %q", other.Owner.Instance, other.Owner.Owner)
	}
	who := r.subject(c.Name.ValueString())
	diags.AddWarning(who.String()+" is gone, and something else has its name", fmt.Sprintf(
		"Nothing is left of instance %s. What is now called %s has objects that %s, so it is left alone and the resource leaves the state. To take it over: terraform import %s %s",
		c.instance(), who.name, whose, who.address(), who.name))
	return diags
}

// checkSwarm makes sure that the engine belongs to the swarm of the state, so
// that nothing is read as absent only because another swarm was asked, and
// returns the engine's. It costs no call of its own: the answer comes from the
// shared snapshot.
func checkSwarm(ctx context.Context, core *reconcile.Core, inState types.String) (string, error) {
	id, err := core.SwarmID(ctx)
	if err != nil {
		return "", err
	}
	if want := inState.ValueString(); want != "" && id != want {
		return "", &reconcile.Error{
			Reason: reconcile.ReasonOtherSwarm,
			Op:     "check the swarm",
			Detail: fmt.Sprintf("The state belongs to swarm %s, and the engine to swarm %s.", want, id),
		}
	}
	return id, nil
}
