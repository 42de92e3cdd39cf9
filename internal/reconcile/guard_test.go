package reconcile_test

import (
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// meddle changes the image of a service behind everybody's back.
func meddle(t *testing.T, b *memory.Backend, service, image string) {
	t.Helper()
	state, err := b.Observe(t.Context(), reconcile.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range state.Live {
		if l.Kind == object.KindService && l.Name == service {
			o := l.Object.Clone()
			o.Spec.(*swarm.ServiceSpec).TaskTemplate.ContainerSpec.Image = image
			if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Update, Object: o, Live: &l}); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.ResetCalls()
}

func TestGuard(t *testing.T) {
	cases := []struct {
		name    string
		meddle  func(t *testing.T, b *memory.Backend)
		refused string
	}{
		{"nothing changed since the plan", func(*testing.T, *memory.Backend) {}, ""},
		{"a service that is to change was changed to something else", func(t *testing.T, b *memory.Backend) { meddle(t, b, "shop_web", "acme/web:9") }, "service/web: image was acme/web:1 and is now acme/web:9"},
		{"a service that is to change is already as desired", func(t *testing.T, b *memory.Backend) { meddle(t, b, "shop_web", "acme/web:2") }, ""},
		{"a service that the plan leaves alone was changed", func(t *testing.T, b *memory.Backend) { meddle(t, b, "shop_api", "acme/api:9") }, "service/api: image"},
		{"a service was removed", func(t *testing.T, b *memory.Backend) {
			if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Delete, Object: object.Object{Kind: object.KindService, Name: "shop_web"}}); err != nil {
				t.Fatal(err)
			}
			b.ResetCalls()
		}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := memory.New()
			instance := mustApply(t, b, basic().release(), "").Instance
			core := newCore(b)
			view, err := core.Inspect(t.Context(), stack, instance)
			if err != nil {
				t.Fatal(err)
			}
			next := basic().with(func(b *build) { b.services["web"] = "acme/web:2" }).release()
			next.Instance = instance
			plan, err := core.Plan(t.Context(), next, reconcile.PlanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			c.meddle(t, b)
			_, err = core.Apply(t.Context(), plan, reconcile.ApplyOptions{Prior: view.Display})
			if c.refused == "" {
				if err != nil {
					t.Fatalf("refused: %v", err)
				}
				wantSettled(t, b, next, instance)
				return
			}
			if reconcile.ReasonOf(err) != reconcile.ReasonConflict || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("got %v, want Conflict that says %q", err, c.refused)
			}
			if w := writes(b); len(w) > 0 {
				t.Errorf("written all the same: %v", w)
			}
		})
	}
}
