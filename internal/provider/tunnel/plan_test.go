package tunnel_test

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	dockernetwork "github.com/docker/docker/api/types/network"
	terraform "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

const addr = "swarm_tunnel.edge"

// edge is a tunnel "edge" with attributes, one a line.
func edge(attributes ...string) string {
	return "resource \"swarm_tunnel\" \"edge\" {\n  name = \"edge\"\n  " + strings.Join(attributes, "\n  ") + "\n}\n"
}

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

const (
	shop     = `networks = ["shop_default"]`
	tunnelID = "0f6d3b52-4b1e-4c0e-9d2a-5f0a6c1b7e11"
)

// given is the attribute of a sound token with a secret.
func given(secret string) string {
	return `token_wo = "` + encoded(`{"a":"acme","t":"`+tunnelID+`","s":"`+encoded(secret)+`"}`) + `"`
}

func TestTunnelIsCheckedWhenPlanning(t *testing.T) {
	for rule, c := range map[string]struct {
		config string
		want   []string
	}{
		"a token is what Cloudflare gives": {edge(shop, `token_wo = "swordfish"`), []string{"Invalid tunnel token", "It is not base64", "with swarm_tunnel.edge"}},
		"a token is whole":                 {edge(shop, `token_wo = "`+encoded(`{"a":"acme","t":"`+tunnelID+`"}`)+`"`), []string{"It has no secret (s)."}},
		"a token is asked for":             {edge(shop), []string{`The argument "token_wo" is required`}},
		"a tunnel leads somewhere":         {edge(given("s"), `networks = []`), []string{"The tunnel leads nowhere", ": networks = []"}},
		"a connector reads files":          {edge(shop, given("s"), `image = "cloudflare/cloudflared:2025.2.1"`), []string{"cloudflared 2025.2.1 is too old", ": image ="}},
		"there is a connector":             {edge(shop, given("s"), `replicas = "0"`), []string{"must be a whole number from 1 to 25"}},
		"every fault is reported": {
			edge(`token_wo = ""`, `networks = ["a b"]`, `image = "Cloudflared"`, `placement = { constraints = ["here"] }`),
			[]string{"It is empty.", `Invalid network "a b"`, `Invalid image "Cloudflared"`, `Wrong constraint "here"`},
		},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			providertest.Refused(t, c.config, c.want...)
		})
	}
}

// withNetwork is an engine with a network of somebody's.
func withNetwork(t *testing.T, name string) *memory.Backend {
	t.Helper()
	b := memory.New()
	o := object.Object{Kind: object.KindNetwork, Key: name, Name: name, Spec: &object.NetworkSpec{
		Name: name, Options: dockernetwork.CreateOptions{Driver: "overlay"}}}
	if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Create, Object: o}); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTunnelIsPlannedAndImported(t *testing.T) {
	element := func(ref string) tfjsonpath.Path { return tfjsonpath.New("objects").AtMapKey(ref) }
	terraform.UnitTest(t, terraform.TestCase{
		ProtoV6ProviderFactories: providertest.Factories(providertest.On(withNetwork(t, "shop_default"))),
		Steps: []terraform.TestStep{
			{
				Config: edge(shop, given("one")),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(addr, tfjsonpath.New("image"), knownvalue.StringExact(spec.DefaultTunnelImage)),
					statecheck.ExpectKnownValue(addr, tfjsonpath.New("replicas"), knownvalue.StringExact("2")),
					statecheck.ExpectKnownValue(addr, tfjsonpath.New("token_wo"), knownvalue.Null()),
				},
			},
			{ // another token is another secret, and no other change of the service
				Config: edge(shop, given("two")),
				ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(addr, plancheck.ResourceActionUpdate),
					plancheck.ExpectUnknownValue(addr, element("secret/token")),
					plancheck.ExpectKnownValue(addr, element("service/connector"), knownvalue.NotNull()),
				}},
			},
			{
				ResourceName: addr, ImportState: true, ImportStateId: "edge", ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"networks"}, // what was declared cannot be read back
			},
		},
	})
}

func TestTunnelToANetworkThatIsNotThereIsRefused(t *testing.T) {
	terraform.UnitTest(t, terraform.TestCase{
		ProtoV6ProviderFactories: providertest.Factories(providertest.On(withNetwork(t, "other_default"))),
		Steps: []terraform.TestStep{{
			Config: edge(shop, given("one")), PlanOnly: true, ExpectError: regexp.MustCompile(`(?s)shop_default.*connector`),
		}},
	})
}
