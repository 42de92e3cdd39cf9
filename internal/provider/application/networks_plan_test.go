package application_test

import (
	"testing"

	terraform "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// TestNetworksNameWhatIsThere goes through Terraform: the name of a network is unknown until it is there, and stays.
func TestNetworksNameWhatIsThere(t *testing.T) {
	const addr = "swarm_application.app"
	networks := tfjsonpath.New("networks")
	config := func(networks string) string {
		return application("unix:///nowhere", "shop", "    services:\n      web:\n        image: acme/web:1\n        networks: ["+networks+"]\n    networks: {front: {}, back: {}}", "wait = false")
	}
	terraform.UnitTest(t, terraform.TestCase{
		ProtoV6ProviderFactories: providertest.Factories(providertest.On(memory.New())),
		Steps: []terraform.TestStep{
			{
				Config: config("front"),
				ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectUnknownValue(addr, networks.AtMapKey("front")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(addr, networks, knownvalue.MapExact(map[string]knownvalue.Check{"front": knownvalue.StringExact("shop_front")})),
				},
			},
			{
				Config: config("front, back"),
				ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectKnownValue(addr, networks.AtMapKey("front"), knownvalue.StringExact("shop_front")),
					plancheck.ExpectUnknownValue(addr, networks.AtMapKey("back")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(addr, networks, knownvalue.MapExact(map[string]knownvalue.Check{
						"front": knownvalue.StringExact("shop_front"), "back": knownvalue.StringExact("shop_back"),
					})),
				},
			},
		},
	})
}
