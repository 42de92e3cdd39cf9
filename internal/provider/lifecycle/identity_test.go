package lifecycle_test

import (
	"context"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

var identityType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"swarm_id": tftypes.String, "name": tftypes.String}}

func (w *wire) identity(swarmID any, name string) *tfprotov6.ResourceIdentityData {
	return &tfprotov6.ResourceIdentityData{IdentityData: w.pack(identityType, tftypes.NewValue(identityType, map[string]tftypes.Value{
		"swarm_id": tftypes.NewValue(tftypes.String, swarmID), "name": tftypes.NewValue(tftypes.String, name),
	}))}
}

// importing imports by identity and reads, as Terraform 1.12 and later do.
func (w *wire) importing(id *tfprotov6.ResourceIdentityData) (state, string) {
	w.t.Helper()
	done, err := w.server.ImportResourceState(context.Background(), &tfprotov6.ImportResourceStateRequest{TypeName: probeType, Identity: id})
	if err != nil {
		w.t.Fatal(err)
	}
	if text := errorText(done.Diagnostics); text != "" {
		return state{}, text
	}
	got := done.ImportedResources[0]
	return w.refresh(state{value: got.State, private: got.Private, id: got.Identity})
}

func (w *wire) wantIdentity(s state) {
	w.t.Helper()
	if s.id == nil {
		w.t.Fatal("there is no identity")
	}
	v, err := s.id.IdentityData.Unmarshal(identityType)
	if err != nil {
		w.t.Fatal(err)
	}
	want, err := w.identity("memory", "shop").IdentityData.Unmarshal(identityType)
	if err != nil {
		w.t.Fatal(err)
	}
	if !v.Equal(want) {
		w.t.Errorf("identity %s, want %s", v, want)
	}
}

func TestIdentityIsSwarmAndName(t *testing.T) {
	b := memory.New()
	w := dial(t, b)
	s, text := w.apply(state{}, probeConfig("acme/web:1"))
	if text != "" {
		t.Fatal(text)
	}
	w.wantIdentity(s)
	if s, text = w.refresh(s); text != "" {
		t.Fatal(text)
	}
	w.wantIdentity(s)
	if s, text = w.apply(s, probeConfig("acme/web:2")); text != "" {
		t.Fatal(text)
	}
	w.wantIdentity(s)

	s.id = nil // written by a Terraform that knows no identity
	if s, text = w.apply(s, probeConfig("acme/web:1")); text != "" {
		t.Fatal(text)
	}
	w.wantIdentity(s)
}

func TestImportByIdentity(t *testing.T) {
	b := memory.New()
	if _, text := dial(t, b).apply(state{}, probeConfig("acme/web:1")); text != "" {
		t.Fatal(text)
	}
	for _, c := range []struct {
		rule      string
		swarmID   any
		name      string
		wantError string
	}{
		{"the name alone takes the connected swarm", nil, "shop", ""},
		{"the swarm may be named", "memory", "shop", ""},
		{"another swarm is an error that names both", "elsewhere", "shop", "swarm elsewhere, and the engine to swarm memory"},
		{"a bad name is an error that shows a good one", nil, "Shop!", "terraform import swarm_probe.<name> shop"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			w := dial(t, b)
			s, text := w.importing(w.identity(c.swarmID, c.name))
			if c.wantError != "" {
				if !strings.Contains(text, c.wantError) {
					t.Errorf("error %q, want %q in it", text, c.wantError)
				}
				return
			}
			if text != "" {
				t.Fatal(text)
			}
			w.wantIdentity(s)
			if got := w.attributes(s.value)["instance"]; got.IsNull() {
				t.Error("the instance of a release of ours is not read")
			}
		})
	}
}

// What Terraform applies is what its plan has shown, also hours later.
func TestChangeBehindThePlanStopsTheApply(t *testing.T) {
	b := memory.New()
	w := dial(t, b)
	s, text := w.apply(state{}, probeConfig("acme/web:1"))
	if text != "" {
		t.Fatal(text)
	}
	change(t, b, "shop_web", func(spec *swarm.ServiceSpec) { *spec.Mode.Replicated.Replicas = 5 })
	b.ResetCalls()

	after, text := dial(t, b).apply(s, probeConfig("acme/web:2"))
	if !strings.Contains(text, "changed by somebody else") || !strings.Contains(text, "replicas") {
		t.Errorf("the error does not say what changed: %q", text)
	}
	if n := *find(t, b, object.KindService, "shop_web").Spec.(*swarm.ServiceSpec).Mode.Replicated.Replicas; n != 5 {
		t.Errorf("%d replicas: something was written", n)
	}
	if !w.unpack(after.value).Equal(w.unpack(s.value)) {
		t.Error("the state has changed although nothing was written")
	}
}
