package lifecycle

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// waitingOf asks a model what an apply leaves out.
func waitingOf(m Model) Waiting {
	if w, ok := m.(Waiter); ok {
		return w.Waiting()
	}
	return Waiting{}
}

// removalOf asks a model what destroying does.
func removalOf(m Model) Removal {
	if r, ok := m.(Remover); ok {
		return r.Removal()
	}
	return Removal{}
}

// planComputed plans the attributes that only this kind has. declared is nil while
// it is not known what is declared.
func planComputed(m, prior Model, declared map[string]string) {
	computed, ok := m.(Computed)
	if !ok {
		return
	}
	before := commonOf(prior)
	live := before.objects()
	// After an apply that did not end well several generations of an object may be
	// there, and which of them stays is seen when it is applied.
	settled := before != nil && before.Status.ValueString() == string(reconcile.Deployed)
	computed.PlanComputed(prior, func(ref string) bool {
		form, is := declared[ref]
		return settled && is && form == live[ref]
	})
}

// observeComputed fills in what an apply has settled (unknownOnly), or what is live.
func observeComputed(m Model, view *reconcile.View, unknownOnly bool) {
	if computed, ok := m.(Computed); ok {
		computed.Observe(view, unknownOnly)
	}
}

// Observed writes what is live into a computed attribute; with unknownOnly a value
// that was planned stays.
func Observed(attribute *types.String, live string, unknownOnly bool) {
	if !unknownOnly || attribute.IsUnknown() {
		*attribute = textOrNull(live)
	}
}

// ObservedMap is Observed for a map, element by element.
func ObservedMap(attribute *types.Map, live map[string]string, unknownOnly bool) {
	observed := StringMap(live)
	if unknownOnly {
		observed = asPlanned(*attribute, observed, types.StringNull())
	}
	*attribute = observed
}

// checkChange refuses a plan that cannot be made of what there is.
func checkChange(m, prior Model, config tfsdk.Config) diag.Diagnostics {
	if changer, ok := m.(Changer); ok && prior != nil {
		return problemDiagnostics(changer.CheckChange(prior), config)
	}
	return nil
}

// checkAdoption refuses to make something of what an adoption finds that it cannot
// become: a create has no prior state that would tell, so the engine is asked. One
// that does not answer is no obstacle to planning; the apply asks again.
func (r *Resource) checkAdoption(ctx context.Context, model Model, config tfsdk.Config) diag.Diagnostics {
	name := model.common().Name.ValueString()
	core := r.session.core()
	if _, is := model.(Changer); !is || !model.common().Adopt.ValueBool() || core == nil {
		return nil
	}
	view, err := core.Inspect(ctx, name, "")
	if err != nil {
		return nil // there is nothing, or the create fails for the same reason
	}
	found := r.kind.NewModel()
	found.common().Name = model.common().Name
	found.common().observe(view)
	observeComputed(found, view, false)
	return checkChange(model, found, config)
}

// checkRemoval refuses, before anything is done, to plan the end of a release that
// is protected. Whether it was ever deployed only the engine knows: one that does
// not answer is no obstacle, since the removal itself asks again.
func (r *Resource) checkRemoval(ctx context.Context, prior Model) diag.Diagnostics {
	var diags diag.Diagnostics
	removal, core := removalOf(prior), r.session.core()
	if removal.Protected == "" || core == nil {
		return diags
	}
	c := prior.common()
	deployed, err := core.EverDeployed(ctx, c.Name.ValueString(), c.instance())
	if err == nil && deployed {
		who := r.subject(c.Name.ValueString())
		diags.AddAttributeError(path.Root(removal.Protected), who.String()+" is protected", protection(who, removal.Protected))
	}
	return diags
}

func protection(who subject, attribute string) string {
	return "This plan would destroy " + who.String() + ", which has been deployed and whose " + attribute + " is true. Nothing was changed.\n\n" +
		"If it is to go, set " + attribute + " = false, apply that, and destroy it then. If it is not, see what in the configuration takes it away: " +
		"the resource is no longer declared, or its name, which replaces it, is another one."
}

// withoutUnknown fills what an apply left unknown: Terraform takes no unknown from
// it, whatever became of it. What was there before is the best guess, and the next
// refresh tells.
func withoutUnknown(state *tfsdk.State, prior tftypes.Value) error {
	known, err := tftypes.Transform(state.Raw, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if v.IsKnown() {
			return v, nil
		}
		if !prior.IsNull() {
			if found, _, err := tftypes.WalkAttributePath(prior, at); err == nil {
				if was, ok := found.(tftypes.Value); ok && was.IsFullyKnown() {
					return was, nil
				}
			}
		}
		return tftypes.NewValue(v.Type(), nil), nil
	})
	if err == nil {
		state.Raw = known
	}
	return err
}

func commonOf(m Model) *Common {
	if m == nil {
		return nil
	}
	return m.common()
}
