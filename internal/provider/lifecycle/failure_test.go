package lifecycle_test

import (
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/docker/docker/api/types/swarm"
	terraform "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	tf "github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/lifecycle"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// rejecting makes nodes refuse one image.
func rejecting(b *memory.Backend, image string) {
	b.Behave = func(_ string, spec *swarm.ServiceSpec) memory.Outcome {
		if spec.TaskTemplate.ContainerSpec.Image == image {
			return memory.Outcome{Rejected: "No such image: " + image}
		}
		return memory.Outcome{}
	}
}

func text(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?s)` + pattern) }

func TestFailedCreateIsKeptAndReplaced(t *testing.T) {
	b := memory.New()
	rejecting(b, "acme/web:bad")
	test(t, b,
		terraform.TestStep{
			Config:      shop(`run = { web = "acme/web:bad" }`),
			ExpectError: text(`Service shop_web did not converge.*acme/web:bad`),
		},
		terraform.TestStep{
			PreConfig: func() { find(t, b, object.KindService, "shop_web") },
			Config:    shop(run1),
			ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(addr, plancheck.ResourceActionDestroyBeforeCreate),
			}},
		},
	)
}

func TestFailedUpdateIsFinishedByTheNext(t *testing.T) {
	b := memory.New()
	rejecting(b, "acme/web:2")
	test(t, b,
		terraform.TestStep{Config: shop(run1)},
		terraform.TestStep{Config: shop(run2), ExpectError: text(`Service shop_web did not converge`)},
		terraform.TestStep{
			RefreshState: true, ExpectNonEmptyPlan: true,
			RefreshPlanChecks: terraform.RefreshPlanChecks{PostRefresh: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(addr, plancheck.ResourceActionUpdate),
			}},
		},
		terraform.TestStep{
			PreConfig: func() { b.Behave = nil },
			Config:    shop(run2),
			ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(addr, plancheck.ResourceActionUpdate),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(addr, attribute("status"), knownvalue.StringExact("deployed")),
			},
		},
	)
}

func TestUnreachableEngineIsNotAbsence(t *testing.T) {
	b := memory.New()
	var away atomic.Bool
	b.Fault = func(memory.Call) memory.Fault {
		if away.Load() {
			return memory.Fail
		}
		return memory.None
	}
	two := shop(run1) + strings.ReplaceAll(shop(run1), "shop", "store")
	test(t, b,
		terraform.TestStep{Config: two},
		terraform.TestStep{
			PreConfig:   func() { away.Store(true) },
			Config:      two,
			PlanOnly:    true,
			ExpectError: text(`injected fault.*taken for absent.*: the same cause as for Probe shop|: the same cause as for Probe store.*injected fault.*taken for absent`),
		},
		terraform.TestStep{
			PreConfig: func() { away.Store(false) },
			Config:    two,
			PlanOnly:  true, // everything is still in state
		},
	)
}

func TestCreatePlansWithoutAnEngine(t *testing.T) {
	b := memory.New()
	b.Fault = func(memory.Call) memory.Fault { return memory.Fail }
	test(t, b, terraform.TestStep{
		Config: shop(run1), PlanOnly: true, ExpectNonEmptyPlan: true,
	})
}

func TestAnotherSwarmIsNotAbsence(t *testing.T) {
	b := memory.New()
	test(t, b,
		terraform.TestStep{Config: shop(run1)},
		terraform.TestStep{
			PreConfig:   func() { b.SwarmID = "elsewhere" },
			Config:      shop(run1),
			PlanOnly:    true,
			ExpectError: text(`belongs to another swarm.*swarm\s+memory.*swarm\s+elsewhere`),
		},
		terraform.TestStep{
			Config:      shop(run1),
			Destroy:     true,
			ExpectError: text(`belongs to another swarm`),
		},
		terraform.TestStep{PreConfig: func() { b.SwarmID = "memory" }, Config: shop(run1), PlanOnly: true},
	)
}

// foreign deploys a stack as `docker stack deploy` would: with the stack's label
// and no other.
func foreign(t *testing.T, b *memory.Backend) {
	t.Helper()
	o := object.Object{Kind: object.KindService, Key: "web", Name: "shop_web", Spec: serviceSpec("shop", "web", "acme/web:1", nil)}
	network := object.Object{Kind: object.KindNetwork, Key: "default", Name: "shop_default", Spec: &object.NetworkSpec{Name: "shop_default"}}
	network.Spec.(*object.NetworkSpec).Options.Driver = "overlay"
	network.Spec.(*object.NetworkSpec).Options.Labels = map[string]string{reconcile.LabelStack: "shop"}
	for _, o := range []object.Object{network, o} {
		if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Create, Object: o}); err != nil {
			t.Fatal(err)
		}
	}
}

const web = `run = { web = "acme/web:1" }`

func TestForeignStackIsRefused(t *testing.T) {
	b := memory.New()
	foreign(t, b)
	test(t, b,
		terraform.TestStep{
			Config: shop(web), PlanOnly: true,
			ExpectError: text(`name is taken.*terraform import swarm_probe\.<name>\s+shop.*adopt\s+=\s+true`),
		},
		terraform.TestStep{
			Config: shop(web + "\nadopt = true"),
			Check: func(*tf.State) error {
				if n := b.Templates("shop_web"); n != 1 {
					t.Errorf("adopting restarted the tasks: task template %d, want 1", n)
				}
				return nil
			},
		},
	)
}

func TestForeignStackIsImported(t *testing.T) {
	b := memory.New()
	foreign(t, b)
	test(t, b,
		terraform.TestStep{Config: shop(web), ResourceName: addr, ImportState: true, ImportStateId: "shop", ImportStatePersist: true},
		terraform.TestStep{
			Config: shop(web),
			ConfigPlanChecks: terraform.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(addr, plancheck.ResourceActionUpdate),
				plancheck.ExpectKnownValue(addr, attribute("status"), knownvalue.StringExact("deployed")),
			}},
			Check: func(*tf.State) error {
				if n := b.Templates("shop_web"); n != 1 {
					t.Errorf("the import restarted the tasks: task template %d, want 1", n)
				}
				return nil
			},
		},
	)
}

func TestImportGivesTheSameState(t *testing.T) {
	test(t, memory.New(),
		terraform.TestStep{Config: shop(run1)},
		terraform.TestStep{
			ResourceName: addr, ImportState: true, ImportStateId: "shop", ImportStateVerify: true,
			ImportStateVerifyIgnore: []string{"run"}, // what was declared cannot be read back
		},
		terraform.TestStep{
			ResourceName: addr, ImportState: true, ImportStateId: "swarm/shop",
			ExpectError: text(`Not an import id.*terraform import\s+swarm_probe\.<name>\s+shop`),
		},
		terraform.TestStep{
			ResourceName: addr, ImportState: true, ImportStateId: "nothing",
			ExpectError: text(`Cannot import non-existent`),
		},
	)
}

func TestProtectedSecretsAreRefused(t *testing.T) {
	t.Parallel()
	terraform.UnitTest(t, terraform.TestCase{
		ProtoV6ProviderFactories: probing{backend: memory.New(), opts: lifecycle.SessionOptions{ProtectedSecrets: []string{"root_ca"}}}.factories(),
		Steps: []terraform.TestStep{{
			Config: shop(run1 + "\nsecrets_wo = { root_ca = \"pem\" }"), PlanOnly: true,
			ExpectError: text(`Secret root_ca is protected`),
		}},
	})
}

func TestUnknownProviderConfiguration(t *testing.T) {
	b := memory.New()
	p := probing{backend: b}
	unknown := probing{opts: lifecycle.SessionOptions{Unknown: []string{"host"}}}
	t.Parallel()
	terraform.UnitTest(t, terraform.TestCase{Steps: []terraform.TestStep{
		{
			ProtoV6ProviderFactories: unknown.factories(),
			Config:                   shop(run1), PlanOnly: true, ExpectNonEmptyPlan: true,
		},
		{ProtoV6ProviderFactories: p.factories(), Config: shop(run1)},
		{
			ProtoV6ProviderFactories: unknown.factories(),
			Config:                   shop(run1), PlanOnly: true,
			ExpectError: text(`the provider's host will be known only`),
		},
		{ProtoV6ProviderFactories: p.factories(), Config: shop(run1), PlanOnly: true},
	}})
}
