package lifecycle_test

import (
	"testing"

	terraform "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	tf "github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// An adoption has no prior state that would tell what there is: the swarm does.
func TestAdoptionIsRefusedWhatItCannotBecome(t *testing.T) {
	b := memory.New()
	network := &object.NetworkSpec{Name: "shop_default"}
	network.Options.Driver, network.Options.Labels = "overlay", map[string]string{reconcile.LabelStack: "shop"}
	for _, o := range []object.Object{
		{Kind: object.KindNetwork, Key: "default", Name: "shop_default", Spec: network},
		{Kind: object.KindService, Key: "fixed", Name: "shop_fixed", Spec: serviceSpec("shop", "fixed", "acme/fixed:1", nil)},
	} {
		if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Create, Object: o}); err != nil {
			t.Fatal(err)
		}
	}
	before := find(t, b, object.KindService, "shop_fixed").Version
	test(t, b, terraform.TestStep{
		Config:      shop("run = { fixed = \"acme/fixed:2\" }\nadopt = true"),
		ExpectError: text(`It cannot become that`),
	})
	if now := find(t, b, object.KindService, "shop_fixed").Version; now != before {
		t.Error("it was written all the same")
	}
}

// With create_before_destroy the create of a replacement finds what is to be destroyed afterwards.
func TestAdoptionIsNotDestroyedByItsOwnReplacement(t *testing.T) {
	b := memory.New()
	config := shop("run = { web = \"acme/web:1\" }\nadopt = true\nlifecycle {\n  create_before_destroy = true\n}")
	test(t, b,
		terraform.TestStep{Config: config},
		terraform.TestStep{Config: config, Taint: []string{addr}, Check: func(*tf.State) error {
			find(t, b, object.KindService, "shop_web")
			return nil
		}},
		terraform.TestStep{Config: config, PlanOnly: true},
	)
}
