package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// protectedSecrets refuses a release that declares or mounts a secret which the
// provider's protected_secrets names.
func protectedSecrets(release *reconcile.Release, names []string) diag.Diagnostics {
	var diags diag.Diagnostics
	refuse := func(name, how string) {
		diags.AddError("Secret "+name+" is protected", fmt.Sprintf(
			"Release %s %s the secret %s, which the provider's protected_secrets names: no release may mount or declare it. "+
				"Use another secret, or take the name off protected_secrets.", release.Release, how, name))
	}
	for _, o := range release.Objects {
		if o.Kind != object.KindSecret {
			continue
		}
		for _, name := range []string{o.Name, o.Key} {
			if slices.Contains(names, name) {
				refuse(name, "declares")
				break
			}
		}
	}
	for _, e := range release.External {
		if e.Kind == object.KindSecret && slices.Contains(names, e.Name) {
			refuse(e.Name, "mounts (in "+strings.Join(e.UsedBy, ", ")+")")
		}
	}
	return diags
}

// checkEngine asks the engine what would stand in the way of a release: errors
// and warnings only, nothing of the answer goes into planned values. An engine
// that does not answer is no obstacle to planning.
func (r *Resource) checkEngine(ctx context.Context, release reconcile.Release, prior *Common, planned Model) diag.Diagnostics {
	var diags diag.Diagnostics
	core := r.session.core()
	if core == nil {
		return diags
	}
	who := r.subject(release.Release)

	if prior != nil {
		if _, err := checkSwarm(ctx, core, prior.SwarmID); err != nil {
			if reconcile.ReasonOf(err) == reconcile.ReasonUnreachable && ctx.Err() == nil {
				return diags
			}
			r.session.report(ctx, &diags, err, who)
			return diags
		}
	}
	plan, err := core.Plan(ctx, release, planOptions(prior, planned))
	switch reason := reconcile.ReasonOf(err); {
	case err == nil:
	case reason == reconcile.ReasonUnreachable && ctx.Err() == nil:
		return diags
	case reason == reconcile.ReasonRefused && prior == nil && r.beingReplaced(ctx, core, release.Owner):
		return diags
	default:
		r.session.report(ctx, &diags, err, who)
		return diags
	}

	warn(&diags, "Tasks will be down for a while", plan.Disruptions)
	warn(&diags, "Worth knowing about release "+release.Release, plan.Warnings)
	return diags
}

// beingReplaced reports whether the objects that a create meets are those of the
// resource that the same command destroys first. Terraform plans the second half
// of a replacement as a create and says nothing of the first; so whatever is of
// our own owner and kind, and was in state when this command began, is let pass.
// The create itself refuses if it is still there.
func (r *Resource) beingReplaced(ctx context.Context, core *reconcile.Core, owner reconcile.Owner) bool {
	if !r.session.holds(owner.Release) {
		return false
	}
	view, err := core.Inspect(ctx, owner.Release, "")
	return err == nil && view.Owner.Owner == owner.Owner && view.Owner.Kind == owner.Kind
}

// planOptions are the same when planning and when applying. A state without an
// instance is an import that has not been applied yet: nothing is ours, and the
// user has said that it shall be.
func planOptions(prior *Common, planned Model) reconcile.PlanOptions {
	imported := prior != nil && prior.Instance.ValueString() == ""
	return reconcile.PlanOptions{
		Adopt:   imported || prior == nil && planned.common().Adopt.ValueBool(),
		NoPrune: waitingOf(planned).NoPrune,
	}
}
