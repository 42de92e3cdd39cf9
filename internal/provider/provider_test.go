package provider_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	dockerswarm "github.com/docker/docker/api/types/swarm"
	terraform "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
	"github.com/swarmkeel/terraform-provider-swarm/internal/swarm"
)

func text(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?s)` + pattern) }

// app is a swarm_application "shop" of one Compose text and further attributes.
func app(compose, attributes string) string {
	return "resource \"swarm_application\" \"shop\" {\n  name = \"shop\"\n  compose = [<<-EOT\n" + compose + "\n  EOT\n  ]\n" + attributes + "\n}\n"
}

const stack = `services:
  web:
    image: acme/web:$${TAG}
    environment: { GREETING: hello }`

func TestProviderConfiguration(t *testing.T) {
	missing := "unix://" + filepath.Join(t.TempDir(), "docker.sock")
	const lookup = "data \"swarm_application\" \"shop\" {\n  name = \"shop\"\n}\n"
	for _, c := range []struct{ rule, config, want string }{
		{"host and context exclude each other", "provider \"swarm\" {\n  host = \"unix:///x\"\n  context = \"y\"\n}\n", `cannot be specified when`},
		{"a host is an address", `provider "swarm" { host = "localhost" }`, `must be an address`},
		{"a context exists", `provider "swarm" { context = "no-such-context" }`, `no-such-context`},
		{"certificate and key belong together", `provider "swarm" { client_cert = "pem" }`, `client_key`},
		{"certificates are texts or a folder", "provider \"swarm\" {\n  ca_cert = \"pem\"\n  cert_path = \"/certs\"\n}\n", `cannot be specified when`},
		{"a data source that finds no engine names it", "provider \"swarm\" { host = \"" + missing + "\" }\n" + lookup, `does not answer.*docker\.sock`},
		{
			"a data source needs to know the engine",
			"resource \"terraform_data\" \"host\" { input = \"unix:///x\" }\nprovider \"swarm\" { host = terraform_data.host.output }\n" + lookup,
			`provider's\s+host\s+will\s+be\s+known\s+only`,
		},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			config := c.config
			if !strings.Contains(config, lookup) {
				config += "\n" + app(stack, `variables = { TAG = "1" }`)
			}
			terraform.UnitTest(t, terraform.TestCase{
				ProtoV6ProviderFactories: providertest.Factories(),
				Steps:                    []terraform.TestStep{{Config: config, PlanOnly: true, ExpectError: text(c.want)}},
			})
		})
	}
}

func TestProviderTalksToTheConfiguredEngine(t *testing.T) {
	t.Setenv("SWARM_OWNER", "ci")
	b := memory.New()
	var got swarm.Config
	backend := func(cfg swarm.Config) (reconcile.Backend, error) {
		got = cfg
		return b, nil
	}
	config := "provider \"swarm\" { host = \"ssh://ops@manager\" }\n" + app(stack, `variables = { TAG = "1" }`)
	terraform.UnitTest(t, terraform.TestCase{
		ProtoV6ProviderFactories: providertest.Factories(provider.WithBackend(backend)),
		Steps: []terraform.TestStep{
			{Config: config},
			{
				Config: config + "data \"swarm_application\" \"shop\" { name = \"shop\" }\n",
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.swarm_application.shop", tfjsonpath.New("owner"), knownvalue.StringExact("ci")),
				},
			},
		},
	})
	if got.Host != "ssh://ops@manager" {
		t.Errorf("the backend was made for host %q", got.Host)
	}
}

func TestApplicationProblemsAreFoundWithoutAnEngine(t *testing.T) {
	b := memory.New()
	b.Fault = func(memory.Call) memory.Fault { return memory.Fail }
	for _, c := range []struct{ rule, config, want string }{
		{"an unset variable is named with its line", app(stack, ""), `compose\[0\]:3.*TAG`},
		{
			"unknown keys of several services are reported at once",
			app("services:\n  web:\n    image: a\n    imagge: b\n  api:\n    image: c\n    depoy: {}", ""),
			`compose\[0\]:4.*imagge.*compose\[0\]:7.*depoy`,
		},
		{"a secret's content is given by secrets_wo", app("services:\n  web:\n    image: a\n    secrets: [key]\nsecrets:\n  key: {}", ""), `secrets_wo`},
		{"a null in a map is refused", app(stack, `variables = { TAG = null }`), `[Nn]ull`},
		{"there is a Compose text", "resource \"swarm_application\" \"shop\" {\n  name = \"shop\"\n  compose = []\n}\n", `at\s+least\s+1`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			terraform.UnitTest(t, terraform.TestCase{
				ProtoV6ProviderFactories: providertest.Factories(providertest.On(b)),
				Steps:                    []terraform.TestStep{{Config: c.config, PlanOnly: true, ExpectError: text(c.want)}},
			})
		})
	}
}

func TestProtectedSecretIsNotMounted(t *testing.T) {
	b := memory.New()
	o := object.Object{Kind: object.KindSecret, Key: "root_ca", Name: "root_ca"}
	o.Spec = &dockerswarm.SecretSpec{Annotations: dockerswarm.Annotations{Name: o.Name}, Data: []byte("pem")}
	if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Create, Object: o}); err != nil {
		t.Fatal(err)
	}
	mounting := app("services:\n  web:\n    image: a\n    secrets: [root_ca]\nsecrets:\n  root_ca: { external: true }", "")
	terraform.UnitTest(t, terraform.TestCase{
		ProtoV6ProviderFactories: providertest.Factories(providertest.On(b)),
		Steps: []terraform.TestStep{
			{
				Config:      "provider \"swarm\" { protected_secrets = [\"root_ca\"] }\n" + mounting,
				PlanOnly:    true,
				ExpectError: text(`Secret root_ca is protected.*mounts\s+\(in\s+web\)`),
			},
			{Config: mounting},
		},
	})
}

func TestDataSourceTellsHistoryAndTasks(t *testing.T) {
	const data = "data.swarm_application.shop"
	read := "data \"swarm_application\" \"shop\" {\n  name       = \"shop\"\n  depends_on = [swarm_application.shop]\n}\n"
	terraform.UnitTest(t, terraform.TestCase{
		ProtoV6ProviderFactories: providertest.Factories(providertest.On(memory.New())),
		Steps: []terraform.TestStep{
			{Config: app(stack, `variables = { TAG = "1" }`)},
			{
				Config: read + app(stack, `variables = { TAG = "2" }`),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(data, tfjsonpath.New("history").AtSliceIndex(0).AtMapKey("changed"),
						knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("service/web")})),
					statecheck.ExpectKnownValue(data, tfjsonpath.New("services").AtMapKey("web").AtMapKey("replicas_running"), knownvalue.StringExact("1")),
					statecheck.ExpectKnownValue(data, tfjsonpath.New("conditions").AtSliceIndex(1).AtMapKey("status"), knownvalue.StringExact("True")),
				},
			},
			{Config: "data \"swarm_application\" \"nothing\" { name = \"nothing\" }", ExpectError: text(`Application nothing is not there`)},
		},
	})
}
