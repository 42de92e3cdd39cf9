package drift_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"
	terraform "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

func TestMain(m *testing.M) { providertest.Main(m) }

// deploy makes a release of one service.
func deploy(t *testing.T, b *memory.Backend, name string) {
	t.Helper()
	replicas := uint64(2)
	core := reconcile.New(b, reconcile.PollEvery(time.Millisecond))
	plan, err := core.Plan(t.Context(), reconcile.Release{
		Owner: reconcile.Owner{Release: name, Kind: "application", Owner: "terraform"},
		Objects: []object.Object{{Kind: object.KindService, Key: "web", Name: name + "_web", Spec: &swarm.ServiceSpec{
			Annotations:  swarm.Annotations{Name: name + "_web", Labels: map[string]string{}},
			Mode:         swarm.ServiceMode{Replicated: &swarm.ReplicatedService{Replicas: &replicas}},
			TaskTemplate: swarm.TaskSpec{ContainerSpec: &swarm.ContainerSpec{Image: "acme/web:1"}},
		}}},
	}, reconcile.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := core.Apply(t.Context(), plan, reconcile.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
}

// scale changes a service by hand.
func scale(t *testing.T, b *memory.Backend, service string, replicas uint64) {
	t.Helper()
	state, err := b.Observe(t.Context(), reconcile.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range state.Live {
		if l := &state.Live[i]; l.Name == service {
			o := l.Clone()
			o.Spec.(*swarm.ServiceSpec).Mode.Replicated.Replicas = &replicas
			if _, err := b.Do(t.Context(), reconcile.Step{Verb: reconcile.Update, Object: o, Live: l}); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("there is no service %s", service)
}

const plain = `data "swarm_drift" "all" {}`

// known checks an attribute of the data source; steps lead into lists and objects.
func known(value knownvalue.Check, path ...any) statecheck.StateCheck {
	at := tfjsonpath.New(path[0].(string))
	for _, step := range path[1:] {
		switch step := step.(type) {
		case int:
			at = at.AtSliceIndex(step)
		case string:
			at = at.AtMapKey(step)
		}
	}
	return statecheck.ExpectKnownValue("data.swarm_drift.all", at, value)
}

func text(s string) knownvalue.Check { return knownvalue.StringExact(s) }

func TestDriftDataSource(t *testing.T) {
	b := memory.New()
	deploy(t, b, "alpha")
	deploy(t, b, "beta")
	terraform.UnitTest(t, terraform.TestCase{ProtoV6ProviderFactories: providertest.Factories(providertest.On(b)), Steps: []terraform.TestStep{
		{ // nobody touched anything
			Config: plain,
			ConfigStateChecks: []statecheck.StateCheck{
				known(knownvalue.Bool(true), "in_sync"),
				known(knownvalue.StringRegexp(regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`)), "checked_at"),
				known(knownvalue.ListSizeExact(2), "releases"),
				known(text("alpha"), "releases", 0, "name"),
				known(text("application"), "releases", 0, "kind"),
				known(text("1"), "releases", 0, "revision"),
				known(knownvalue.Bool(true), "releases", 0, "in_sync"),
				known(text("InSync"), "releases", 0, "reason"),
				known(knownvalue.ListSizeExact(0), "releases", 0, "differences"),
				known(text("Deployed"), "releases", 0, "conditions", 0, "type"),
				known(text("Converged"), "releases", 0, "conditions", 1, "type"),
				known(text("InSync"), "releases", 0, "conditions", 2, "type"),
				known(text("True"), "releases", 0, "conditions", 2, "status"),
			},
		},
		{ // one of two releases has drifted
			PreConfig: func() { scale(t, b, "beta_web", 5) },
			Config:    plain,
			ConfigStateChecks: []statecheck.StateCheck{
				known(knownvalue.Bool(false), "in_sync"),
				known(knownvalue.Bool(true), "releases", 0, "in_sync"),
				known(knownvalue.Bool(false), "releases", 1, "in_sync"),
				known(text("Drifted"), "releases", 1, "reason"),
				known(knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
					"object": text("service/web"), "path": text("replicas"), "desired": text("2"), "live": text("5"),
				})}), "releases", 1, "differences"),
			},
		},
		{ // named ones alone, and one that is not there
			Config: `data "swarm_drift" "all" { names = ["omega", "alpha"] }`,
			ConfigStateChecks: []statecheck.StateCheck{
				known(knownvalue.Bool(false), "in_sync"),
				known(knownvalue.ListSizeExact(2), "releases"),
				known(text("omega"), "releases", 1, "name"),
				known(text("NotFound"), "releases", 1, "reason"),
				known(text(""), "releases", 1, "revision"),
			},
		},
		{ // the releases of another owner
			Config: "provider \"swarm\" {\n  owner = \"others\"\n}\n" + plain,
			ConfigStateChecks: []statecheck.StateCheck{
				known(knownvalue.Bool(true), "in_sync"),
				known(knownvalue.ListSizeExact(0), "releases"),
			},
		},
		{ // an empty list would be in sync whatever happens
			Config:      `data "swarm_drift" "all" { names = [] }`,
			ExpectError: regexp.MustCompile(`(?s)names.*at least 1`),
		},
		{
			Config:      "data \"swarm_drift\" \"all\" {\n  names = [\"alpha\", \"\"]\n}",
			ExpectError: regexp.MustCompile(`(?s)names.*at least 1`),
		},
		{ // what cannot be read is an error, and not drift
			PreConfig:   func() { b.Fault = func(memory.Call) memory.Fault { return memory.Fail } },
			Config:      plain,
			ExpectError: regexp.MustCompile(`The Docker engine does not answer`),
		},
	}})
}

// The check block warns, and fails neither a plan nor an apply.
func TestDriftIsAWarningOfACheck(t *testing.T) {
	b := memory.New()
	deploy(t, b, "alpha")
	scale(t, b, "alpha_web", 5)
	terraform.UnitTest(t, terraform.TestCase{ProtoV6ProviderFactories: providertest.Factories(providertest.On(b)), Steps: []terraform.TestStep{{
		Config: plain + `
check "drift" {
  assert {
    condition     = data.swarm_drift.all.in_sync
    error_message = join("\n", [for r in data.swarm_drift.all.releases : "${r.name}: ${r.reason}"])
  }
}`,
		ConfigStateChecks: []statecheck.StateCheck{known(knownvalue.Bool(false), "in_sync")},
	}}})
}
