package lifecycle_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"
	terraform "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	tf "github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

const addr = "swarm_probe.shop"

func shop(body string) string {
	return "resource \"swarm_probe\" \"shop\" {\n  name = \"shop\"\n" + body + "\n}\n"
}

const (
	run1 = `run = { web = "acme/web:1", api = "acme/api:1" }`
	run2 = `run = { web = "acme/web:2", api = "acme/api:1" }`
)

func attribute(name string) tfjsonpath.Path { return tfjsonpath.New(name) }

func element(ref string) tfjsonpath.Path { return tfjsonpath.New("objects").AtMapKey(ref) }

func contains(text string) knownvalue.Check {
	return knownvalue.StringRegexp(regexp.MustCompile(regexp.QuoteMeta(text)))
}

// change alters a live service behind Terraform's back.
func change(t *testing.T, b *memory.Backend, service string, f func(*swarm.ServiceSpec)) {
	t.Helper()
	l := find(t, b, object.KindService, service)
	o := l.Clone()
	f(o.Spec.(*swarm.ServiceSpec))
	if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Update, Object: o, Live: l}); err != nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, b *memory.Backend, kind object.Kind, name string) *reconcile.Live {
	t.Helper()
	state, err := b.Observe(t.Context(), reconcile.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range state.Live {
		if l := &state.Live[i]; l.Kind == kind && l.Name == name {
			return l
		}
	}
	t.Fatalf("no %s %s", kind, name)
	return nil
}

func wantNothingLeft(t *testing.T, b *memory.Backend) {
	t.Helper()
	for _, kind := range []object.Kind{object.KindService, object.KindNetwork, object.KindConfig, object.KindSecret, object.KindRecord} {
		if names := b.Names(kind); len(names) > 0 {
			t.Errorf("left behind: %s %v", kind, names)
		}
	}
}

func TestLifecycle(t *testing.T) {
	b := memory.New()
	t.Cleanup(func() { wantNothingLeft(t, b) })
	test(t, b,
		terraform.TestStep{ // a create shows every object, and is followed by an empty plan
			Config: shop(run1),
			ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectKnownValue(addr, element("service/web"), contains(`"image":"acme/web:1"`)),
				plancheck.ExpectKnownValue(addr, attribute("status"), knownvalue.StringExact("deployed")),
				plancheck.ExpectUnknownValue(addr, attribute("revision")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(addr, attribute("revision"), knownvalue.StringExact("1")),
				statecheck.ExpectKnownValue(addr, attribute("id"), knownvalue.StringExact("shop")),
				statecheck.ExpectKnownValue(addr, attribute("swarm_id"), knownvalue.StringExact("memory")),
				statecheck.ExpectKnownValue(addr, attribute("services").AtMapKey("web").AtMapKey("ports"), knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(":80/tcp (host)")})),
			},
		},
		terraform.TestStep{ // a change of a setting alone changes nothing else
			Config: shop(run1 + "\nwait = false"),
			ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(addr, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(addr, attribute("revision"), knownvalue.StringExact("1")),
			}},
		},
		terraform.TestStep{ // a change shows in its element and nowhere else
			Config: shop(run2),
			ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(addr, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(addr, element("service/web"), contains(`"image":"acme/web:2"`)),
				plancheck.ExpectUnknownValue(addr, attribute("images").AtMapKey("web")),
				plancheck.ExpectKnownValue(addr, attribute("services").AtMapKey("web").AtMapKey("name"), knownvalue.StringExact("shop_web")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(addr, attribute("images").AtMapKey("web"), knownvalue.StringExact("acme/web:2")),
				statecheck.ExpectKnownValue(addr, attribute("revision"), knownvalue.StringExact("2")),
			},
		},
		terraform.TestStep{ // what moved behind Terraform's back shows by refresh alone
			PreConfig: func() {
				change(t, b, "shop_web", func(s *swarm.ServiceSpec) { *s.Mode.Replicated.Replicas = 5 })
			},
			RefreshState:       true,
			ExpectNonEmptyPlan: true,
			RefreshPlanChecks: terraform.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
				plancheck.ExpectKnownValue(addr, element("service/web"), contains(`"replicas":1`)),
			}},
		},
		terraform.TestStep{ // and an apply heals it
			Config: shop(run2),
			Check: func(*tf.State) error {
				if n := *find(t, b, object.KindService, "shop_web").Spec.(*swarm.ServiceSpec).Mode.Replicated.Replicas; n != 1 {
					t.Errorf("%d replicas after the apply, want 1", n)
				}
				return nil
			},
		},
	)
}

func TestSecretRotatesWithoutVersion(t *testing.T) {
	const first, second = "correct horse", "battery staple"
	b := memory.New()
	secret := func(value string) string { return run1 + "\nsecrets_wo = { key = \"" + value + "\" }" }
	var before string
	test(t, b,
		terraform.TestStep{
			Config: shop(secret(first)),
			ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectUnknownValue(addr, element("secret/key")),
			}},
			Check: func(s *tf.State) error {
				before = s.RootModule().Resources[addr].Primary.Attributes["objects.secret/key"]
				if !strings.Contains(before, "fingerprint") {
					t.Errorf("secret/key is %q after the apply, want its fingerprint", before)
				}
				return nil
			},
		},
		terraform.TestStep{ // another value of equal shape is a change of the secret's element
			Config: shop(secret(second)),
			ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(addr, plancheck.ResourceActionUpdate),
				plancheck.ExpectUnknownValue(addr, element("secret/key")),
				plancheck.ExpectKnownValue(addr, element("service/web"), contains(`acme/web:1`)),
			}},
			Check: func(s *tf.State) error {
				for name, value := range s.RootModule().Resources[addr].Primary.Attributes {
					if strings.Contains(value, first) || strings.Contains(value, second) {
						t.Errorf("%s holds the secret: %s", name, value)
					}
					if name == "objects.secret/key" && value == before {
						t.Errorf("the fingerprint has not changed")
					}
				}
				return nil
			},
		},
		terraform.TestStep{Config: shop(secret(second)), PlanOnly: true},
	)
}

func TestUnknownInputsLeaveTheOutcomeOpen(t *testing.T) {
	test(t, memory.New(), terraform.TestStep{
		Config: "resource \"terraform_data\" \"image\" {\n  input = \"acme/web:1\"\n}\n" +
			shop(`run = { web = terraform_data.image.output }`),
		ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectUnknownValue(addr, attribute("objects")),
			plancheck.ExpectUnknownValue(addr, attribute("services")),
			plancheck.ExpectKnownValue(addr, attribute("status"), knownvalue.StringExact("deployed")),
		}},
	})
}

func TestAnotherNameReplaces(t *testing.T) {
	b := memory.New()
	test(t, b,
		terraform.TestStep{Config: shop(run1)},
		terraform.TestStep{
			Config: strings.Replace(shop(run1), `name = "shop"`, `name = "store"`, 1),
			ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(addr, plancheck.ResourceActionDestroyBeforeCreate),
			}},
			Check: func(*tf.State) error {
				for _, name := range b.Names(object.KindService) {
					if !strings.HasPrefix(name, "store_") {
						t.Errorf("service %s is left", name)
					}
				}
				return nil
			},
		},
	)
}

func TestReplacingInPlaceIsNoTakeover(t *testing.T) {
	b := memory.New()
	test(t, b,
		terraform.TestStep{Config: shop(run1)},
		terraform.TestStep{
			Taint:  []string{addr},
			Config: shop(run1),
			ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(addr, plancheck.ResourceActionDestroyBeforeCreate),
			}},
		},
	)
}

func TestGoneIsPlannedAnew(t *testing.T) {
	b := memory.New()
	test(t, b,
		terraform.TestStep{Config: shop(run1)},
		terraform.TestStep{
			PreConfig: func() {
				for _, kind := range []object.Kind{object.KindService, object.KindNetwork, object.KindRecord} {
					for _, name := range b.Names(kind) {
						l := find(t, b, kind, name)
						if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Delete, Object: l.Object, Live: l}); err != nil {
							t.Fatal(err)
						}
					}
				}
			},
			Config: shop(run1),
			ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(addr, plancheck.ResourceActionCreate),
			}},
		},
	)
}

func TestConfigurationIsCheckedAllAtOnce(t *testing.T) {
	for _, c := range []struct{ rule, config, want string }{
		{"every problem is reported with file, line and service", shop(`wrong = ["first", "second"]`),
			`(?s)stack\.yml:1, service web:\s+first.*stack\.yml:2, service web:\s+second`},
		{"a name begins with a letter or digit", strings.Replace(shop(run1), `"shop"`+"\n", `"-shop"`+"\n", 1), `(?s)Invalid name "-shop".*starts with a small letter`},
		{"a name has at most 40 characters", strings.Replace(shop(run1), `"shop"`+"\n", `"`+strings.Repeat("s", 41)+`"`+"\n", 1), `at most 40`},
		{"a history limit is a whole number", shop(run1 + "\nhistory_limit = \"ten\""), `whole number`},
		{"a history limit is at least 1", shop(run1 + "\nhistory_limit = 0"), `whole number`},
		{"a timeout is a duration", shop(run1 + "\ntimeouts = { create = \"soon\" }"), `Time Duration`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			test(t, memory.New(), terraform.TestStep{Config: c.config, PlanOnly: true, ExpectError: regexp.MustCompile(c.want)})
		})
	}
}
