package lifecycle

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// Delete removes the release from the swarm. What is gone already is no error.
func (r *Resource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state, diags := r.prior(ctx, req.State)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	prior, removal := state.common(), removalOf(state)
	timeout, diags := prior.Timeouts.Delete(ctx, deleteTimeout)
	resp.Diagnostics.Append(diags...)
	core, diags := r.session.Core()
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	name := prior.Name.ValueString()
	who := r.subject(name)

	if r.session.hasTaken(prior.instance()) {
		// create_before_destroy: the other half of the replacement has it by now.
		resp.Diagnostics.AddWarning(who.String()+" was taken over and not destroyed", "The create of the replacement came first and took over what it found under the name, as it is to (adopt = true, or a create that had failed). "+
			"So there is nothing left to destroy. Without create_before_destroy a replacement destroys first and then creates.")
		return
	}
	if _, err := checkSwarm(ctx, core, prior.SwarmID); err != nil {
		r.session.report(ctx, &resp.Diagnostics, err, who)
		return
	}
	result, err := core.Uninstall(ctx, reconcile.Owner{
		Release:  name,
		Kind:     r.kind.Name(),
		Instance: prior.instance(),
		Owner:    r.session.opts.Owner,
	}, reconcile.UninstallOptions{
		Protected:    removal.Protected != "",
		PurgeVolumes: removal.PurgeVolumes,
		Empty:        removal.Empty,
		Report:       func(line string) { tflog.Info(ctx, line, map[string]any{"release": name}) },
	})
	switch {
	case reconcile.ReasonOf(err) == reconcile.ReasonNotFound:
	case reconcile.ReasonOf(err) == reconcile.ReasonProtected:
		resp.Diagnostics.AddAttributeError(path.Root(removal.Protected), who.String()+" is protected", protection(who, removal.Protected))
	case err != nil:
		r.session.report(ctx, &resp.Diagnostics, err, who)
	case result != nil:
		warn(&resp.Diagnostics, "Worth knowing about release "+name, result.Warnings)
	}
}
