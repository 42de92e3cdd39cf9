package lifecycle_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// wire speaks the plugin protocol with the provider, as far as Terraform's own
// test framework has no word for it: stopping in the middle of an apply.
type wire struct {
	t      *testing.T
	server tfprotov6.ProviderServer
	typ    tftypes.Object
}

const probeType = "swarm_probe"

// dial starts a provider process, so to speak.
func dial(t *testing.T, backend reconcile.Backend) *wire {
	t.Helper()
	server, err := providerserver.NewProtocol6WithError(probing{backend: backend})()
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{t: t, server: server}
	schemas, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	w.typ = schemas.ResourceSchemas[probeType].ValueType().(tftypes.Object)
	empty := tftypes.Object{AttributeTypes: map[string]tftypes.Type{}}
	_, err = server.ConfigureProvider(context.Background(), &tfprotov6.ConfigureProviderRequest{Config: w.pack(empty, tftypes.NewValue(empty, map[string]tftypes.Value{}))})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *wire) pack(typ tftypes.Type, v tftypes.Value) *tfprotov6.DynamicValue {
	w.t.Helper()
	d, err := tfprotov6.NewDynamicValue(typ, v)
	if err != nil {
		w.t.Fatal(err)
	}
	return &d
}

func (w *wire) unpack(d *tfprotov6.DynamicValue) tftypes.Value {
	w.t.Helper()
	v, err := d.Unmarshal(w.typ)
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

func (w *wire) null() *tfprotov6.DynamicValue {
	return w.pack(w.typ, tftypes.NewValue(w.typ, nil))
}

// resource is the value of a resource in which these attributes are set.
func (w *wire) resource(base map[string]tftypes.Value, set map[string]tftypes.Value) *tfprotov6.DynamicValue {
	values := map[string]tftypes.Value{}
	for name, typ := range w.typ.AttributeTypes {
		values[name] = tftypes.NewValue(typ, nil)
		if v, ok := base[name]; ok {
			values[name] = v
		}
		if v, ok := set[name]; ok {
			values[name] = v
		}
	}
	return w.pack(w.typ, tftypes.NewValue(w.typ, values))
}

// state is what Terraform keeps of a resource between commands.
type state struct {
	value   *tfprotov6.DynamicValue
	private []byte
	id      *tfprotov6.ResourceIdentityData
}

func (w *wire) attributes(d *tfprotov6.DynamicValue) map[string]tftypes.Value {
	w.t.Helper()
	v := w.unpack(d)
	if v.IsNull() {
		return nil
	}
	var values map[string]tftypes.Value
	if err := v.As(&values); err != nil {
		w.t.Fatal(err)
	}
	return values
}

// apply plans and applies; a zero prior creates. It returns the new state and
// the text of the errors.
func (w *wire) apply(prior state, config map[string]tftypes.Value) (state, string) {
	w.t.Helper()
	if prior.value == nil {
		prior.value = w.null()
	}
	ctx := context.Background()
	cfg := w.resource(nil, config)
	plan, err := w.server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: probeType, PriorState: prior.value, PriorPrivate: prior.private, PriorIdentity: prior.id,
		Config: cfg, ProposedNewState: w.resource(w.attributes(prior.value), config),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	if text := errorText(plan.Diagnostics); text != "" {
		return prior, text
	}
	done, err := w.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: probeType, PriorState: prior.value, Config: cfg,
		PlannedState: plan.PlannedState, PlannedPrivate: plan.PlannedPrivate, PlannedIdentity: plan.PlannedIdentity,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return state{value: done.NewState, private: done.Private, id: done.NewIdentity}, errorText(done.Diagnostics)
}

func (w *wire) destroy(prior state) string {
	w.t.Helper()
	done, err := w.server.ApplyResourceChange(context.Background(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: probeType, PriorState: prior.value, PlannedState: w.null(), Config: w.null(), PlannedPrivate: prior.private, PlannedIdentity: prior.id,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return errorText(done.Diagnostics)
}

func (w *wire) refresh(prior state) (state, string) {
	w.t.Helper()
	done, err := w.server.ReadResource(context.Background(), &tfprotov6.ReadResourceRequest{
		TypeName: probeType, CurrentState: prior.value, Private: prior.private, CurrentIdentity: prior.id,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return state{value: done.NewState, private: done.Private, id: done.NewIdentity}, errorText(done.Diagnostics)
}

// settled reports whether a plan over a state has nothing to do.
func (w *wire) settled(prior state, config map[string]tftypes.Value) bool {
	w.t.Helper()
	plan, err := w.server.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: probeType, PriorState: prior.value, PriorPrivate: prior.private, PriorIdentity: prior.id,
		Config: w.resource(nil, config), ProposedNewState: w.resource(w.attributes(prior.value), config),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return errorText(plan.Diagnostics) == "" && w.unpack(plan.PlannedState).Equal(w.unpack(prior.value))
}

func (w *wire) stop() {
	if _, err := w.server.StopProvider(context.Background(), &tfprotov6.StopProviderRequest{}); err != nil {
		w.t.Error(err)
	}
}

func errorText(diags []*tfprotov6.Diagnostic) string {
	var texts []string
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			texts = append(texts, d.Summary+": "+d.Detail)
		}
	}
	return strings.Join(texts, "\n")
}
