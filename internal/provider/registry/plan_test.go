package registry_test

import (
	"strings"
	"testing"

	terraform "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

const addr = "swarm_registry.images"

// images is a registry "images" with attributes, one a line.
func images(attributes ...string) string {
	return "resource \"swarm_registry\" \"images\" {\n  name = \"images\"\n  " + strings.Join(attributes, "\n  ") + "\n}\n"
}

const somebody = `users_wo = { rita = "first-password" }`

func TestRegistryIsCheckedWhenPlanning(t *testing.T) {
	for rule, c := range map[string]struct {
		config string
		want   []string
	}{
		"every fault is reported at its attribute": {
			images(`publish_mode = "host"`, `image = "Registry"`, `users_wo = { "a:b" = "x", c = "" }`, `resources = { memory = "lots" }`),
			[]string{
				"The registry has no address", `Invalid image "Registry"`, `: image = "Registry"`, `Invalid user "a:b"`, `The password of user "c" is empty`,
				`: users_wo = {`, `Wrong size of memory "lots"`, `: resources = {`,
			},
		},
		"a port is a number in range":       {images(somebody, `port = "65536"`), []string{"must be a whole number from 1 to 65535"}},
		"a port is published in known ways": {images(somebody, `publish_mode = "global"`), []string{`publish_mode value must be one of`}},
		"there is a user":                   {images(`users_wo = {}`), []string{"No user"}},
		"users have passwords":              {images(`users_wo = { rita = null }`), []string{"Null"}},
		"users are asked for":               {images(), []string{`The argument "users_wo" is required`}},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			providertest.Refused(t, c.config, c.want...)
		})
	}
}

func TestRegistrySaysWhereItIsWhenPlanning(t *testing.T) {
	known := func(address string) []plancheck.PlanCheck {
		return []plancheck.PlanCheck{
			plancheck.ExpectKnownValue(addr, tfjsonpath.New("address"), knownvalue.StringExact(address)),
			plancheck.ExpectKnownValue(addr, tfjsonpath.New("volume"), knownvalue.StringExact("images_data")),
		}
	}
	terraform.UnitTest(t, terraform.TestCase{
		ProtoV6ProviderFactories: providertest.Factories(providertest.On(memory.New())),
		Steps: []terraform.TestStep{
			{ // with nothing said
				Config:           images(somebody),
				ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: known("127.0.0.1:5000")},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(addr, tfjsonpath.New("image"), knownvalue.StringExact("registry:3")),
					statecheck.ExpectKnownValue(addr, tfjsonpath.New("users_wo"), knownvalue.Null()),
				},
			},
			{ // somewhere else
				Config:           images(somebody, `publish_mode = "host"`, `hostname = "images.example.com"`, `port = "443"`),
				ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: known("images.example.com:443")},
			},
			{ // with a name that is known only after something else
				Config: "resource \"terraform_data\" \"name\" {\n  input = \"10.0.0.5\"\n}\n" + images(somebody, `hostname = terraform_data.name.output`),
				ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectUnknownValue(addr, tfjsonpath.New("address")),
					plancheck.ExpectUnknownValue(addr, tfjsonpath.New("objects")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(addr, tfjsonpath.New("address"), knownvalue.StringExact("10.0.0.5:5000")),
				},
			},
		},
	})
}

func TestImportGivesTheSameRegistry(t *testing.T) {
	terraform.UnitTest(t, terraform.TestCase{
		ProtoV6ProviderFactories: providertest.Factories(providertest.On(memory.New())),
		Steps: []terraform.TestStep{
			{Config: images(somebody)},
			{ResourceName: addr, ImportState: true, ImportStateId: "images", ImportStateVerify: true},
		},
	})
}
