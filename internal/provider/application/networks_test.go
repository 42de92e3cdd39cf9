package application

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

func TestNamesOfNetworksAreKnownOnceTheyAreThere(t *testing.T) {
	declared := map[string]string{"network/default": "{}", "network/back": "{}", "service/web": "{}"}
	prior := &model{Networks: lifecycle.StringMap(map[string]string{"default": "shop_default", "gone": "shop_gone"})}
	for rule, c := range map[string]struct {
		prior lifecycle.Model
		want  map[string]string
	}{
		"a create knows none":             {nil, map[string]string{}},
		"what is there keeps its own one": {prior, map[string]string{"default": "shop_default"}},
	} {
		t.Run(rule, func(t *testing.T) {
			m := &model{Common: lifecycle.Common{Objects: lifecycle.StringMap(declared)}}
			m.PlanComputed(c.prior, nil)
			if diff := cmp.Diff(c.want, lifecycle.Strings(m.Networks)); diff != "" {
				t.Error(diff)
			}
			m.Observe(&reconcile.View{Networks: map[string]string{"default": "other", "back": "shop_back", "more": "shop_more"}}, true)
			want := map[string]string{"default": "other", "back": "shop_back"}
			for key, name := range c.want {
				want[key] = name
			}
			if diff := cmp.Diff(want, lifecycle.Strings(m.Networks)); diff != "" {
				t.Errorf("after the apply: %s", diff)
			}
		})
	}
}

func TestNamesOfNetworksAreUnknownAsLongAsTheDeclarationIs(t *testing.T) {
	m := &model{Common: lifecycle.Common{Objects: types.MapUnknown(types.StringType)}}
	if m.PlanComputed(nil, nil); !m.Networks.IsUnknown() {
		t.Errorf("planned: %v", m.Networks)
	}
}
