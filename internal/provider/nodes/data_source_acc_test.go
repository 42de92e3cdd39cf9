package nodes_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	terraform "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// config reads data sources of an engine.
func config(host string, kinds ...string) string {
	out := fmt.Sprintf("provider \"swarm\" {\n  host = %q\n}\n", host)
	for _, kind := range kinds {
		out += fmt.Sprintf("data %q \"this\" {}\n", kind)
	}
	return out
}

// read runs the data sources through Terraform.
func read(t *testing.T, config string, checks ...statecheck.StateCheck) {
	t.Helper()
	terraform.Test(t, terraform.TestCase{
		ProtoV6ProviderFactories: providertest.Factories(),
		Steps:                    []terraform.TestStep{{Config: config, ConfigStateChecks: checks}},
	})
}

func exactly(s string) knownvalue.Check  { return knownvalue.StringExact(s) }
func matching(s string) knownvalue.Check { return knownvalue.StringRegexp(regexp.MustCompile(s)) }

// node checks attributes of the n-th node; conditions are given as "Ready True Ready".
func node(n int, attributes map[string]knownvalue.Check, conditions ...string) []statecheck.StateCheck {
	at := tfjsonpath.New("nodes").AtSliceIndex(n)
	var out []statecheck.StateCheck
	for name, check := range attributes {
		out = append(out, statecheck.ExpectKnownValue("data.swarm_nodes.this", at.AtMapKey(name), check))
	}
	list := make([]knownvalue.Check, len(conditions))
	for i, c := range conditions {
		words := strings.Fields(c)
		list[i] = knownvalue.ObjectExact(map[string]knownvalue.Check{
			"type": exactly(words[0]), "status": exactly(words[1]), "reason": exactly(words[2]), "message": matching("."),
		})
	}
	return append(out, statecheck.ExpectKnownValue("data.swarm_nodes.this", at.AtMapKey("conditions"), knownvalue.ListExact(list)))
}

func TestAccNodesOfASwarmOfOne(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	read(t, config(s.Host(), "swarm_nodes"), append(node(0, map[string]knownvalue.Check{
		"id":             exactly(s.Docker(t, "node", "inspect", "self", "--format", "{{.ID}}")),
		"hostname":       exactly("n1"),
		"role":           exactly("manager"),
		"availability":   exactly("active"),
		"state":          exactly("ready"),
		"leader":         knownvalue.Bool(true),
		"address":        matching(`^[0-9.]+$`),
		"labels":         knownvalue.MapSizeExact(0),
		"engine_labels":  knownvalue.MapSizeExact(0),
		"engine_version": exactly(s.Docker(t, "version", "--format", "{{.Server.Version}}")),
		"os":             exactly("linux"),
		"architecture":   exactly(s.Docker(t, "info", "--format", "{{.Architecture}}")),
		"cpus":           exactly(s.Docker(t, "info", "--format", "{{.NCPU}}")),
		"memory_bytes":   exactly(s.Docker(t, "info", "--format", "{{.MemTotal}}")),
	}, "Ready True Ready", "Schedulable True Active", "Reachable True Reachable"),
		statecheck.ExpectKnownValue("data.swarm_nodes.this", tfjsonpath.New("nodes"), knownvalue.ListSizeExact(1)))...)
}

// Of three managers one is drained and has a label, and one is killed.
func TestAccNodesThatAreDrainedAndDead(t *testing.T) {
	t.Parallel()
	s := acctest.StartNodes(t, 3, "--heartbeat", "1s")
	s.Docker(t, "node", "update", "--label-add", "disk=ssd", "--label-add", "zone.name=a b", "--availability", "drain", "n2")
	s.Kill(t, 3)
	acctest.Wait(t, time.Minute, "node 3 is down and no manager reaches it", func() bool {
		return s.Docker(t, "node", "inspect", "n3", "--format", "{{.Status.State}} {{.ManagerStatus.Reachability}}") == "down unreachable"
	})
	checks := node(0, map[string]knownvalue.Check{"hostname": exactly("n1"), "leader": knownvalue.Bool(true), "availability": exactly("active")},
		"Ready True Ready", "Schedulable True Active", "Reachable True Reachable")
	checks = append(checks, node(1, map[string]knownvalue.Check{
		"hostname": exactly("n2"), "leader": knownvalue.Bool(false), "availability": exactly("drain"), "state": exactly("ready"),
		"address": exactly(s.Address(t, 2)),
		"labels":  knownvalue.MapExact(map[string]knownvalue.Check{"disk": exactly("ssd"), "zone.name": exactly("a b")}),
	}, "Ready True Ready", "Schedulable False Drained", "Reachable True Reachable")...)
	checks = append(checks, node(2, map[string]knownvalue.Check{
		"hostname": exactly("n3"), "leader": knownvalue.Bool(false), "availability": exactly("active"), "state": exactly("down"),
		"labels": knownvalue.MapSizeExact(0),
	}, "Ready False Down", "Schedulable False Down", "Reachable False Unreachable")...)
	read(t, config(s.Host(), "swarm_nodes"), checks...)
}

// Nodes are read with everything else: one more data source is not one call more.
func TestAccNodesCostNoCallOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	proxy := s.NewProxy(t)
	calls := func(kinds ...string) int {
		proxy.Reset()
		read(t, config(proxy.Host(), kinds...))
		if writes := proxy.Writes(); len(writes) > 0 {
			t.Errorf("reading %v wrote %v", kinds, writes)
		}
		return len(proxy.Calls(nil))
	}
	alone, beside := calls("swarm_drift"), calls("swarm_drift", "swarm_nodes")
	if alone == 0 || alone != beside {
		t.Errorf("%d calls without nodes, %d with them", alone, beside)
	}
}
