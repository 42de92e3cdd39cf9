package swarm

import (
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"
	"github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/constraint"
)

func testNode() swarm.Node {
	n := swarm.Node{ID: "36n0ab3pjcmls8dzzb1ts18hd"}
	n.Spec.Role = swarm.NodeRoleManager
	n.Spec.Availability = swarm.NodeAvailabilityActive
	n.Spec.Labels = map[string]string{"disk": "SSD", "Zone": "a"}
	n.Description.Hostname = "Node-1"
	n.Description.Platform = swarm.Platform{OS: "linux", Architecture: "x86_64"}
	n.Description.Engine.Labels = map[string]string{"gpu": "yes"}
	n.Status.State = swarm.NodeStateReady
	n.Status.Addr = "10.1.2.3"
	return n
}

// swarmkitNode is the same node in swarmkit's own type.
func swarmkitNode(n swarm.Node) *api.Node {
	return &api.Node{
		ID:   n.ID,
		Role: api.NodeRoleManager,
		Spec: api.NodeSpec{Annotations: api.Annotations{Labels: n.Spec.Labels}},
		Description: &api.NodeDescription{
			Hostname: n.Description.Hostname,
			Platform: &api.Platform{OS: n.Description.Platform.OS, Architecture: n.Description.Platform.Architecture},
			Engine:   &api.EngineDescription{Labels: n.Description.Engine.Labels},
		},
		Status: api.NodeStatus{Addr: n.Status.Addr},
	}
}

// Constraints mean what swarmkit's own scheduler makes of them, which is asked
// here.
func TestConstraintsAsTheSchedulerSeesThem(t *testing.T) {
	n := testNode()
	for name, rows := range map[string][]string{
		"role":                               {"node.role==manager", "node.role==worker", "node.role!=worker", "node.role != manager"},
		"role without regard to case":        {"node.role==MANAGER", "NODE.ROLE == manager"},
		"hostname without regard to case":    {"node.hostname==node-1", "node.hostname==node-2", "node.hostname!=node-2"},
		"id":                                 {"node.id==36n0ab3pjcmls8dzzb1ts18hd", "node.id==other", "node.id!=other"},
		"label value without regard to case": {"node.labels.disk==ssd", "node.labels.disk!=ssd"},
		"label name with regard to case":     {"node.labels.zone==a", "node.labels.Zone==a", "node.labels.zone!=a"},
		"label that the node lacks":          {"node.labels.none==a", "node.labels.none!=a"},
		"engine label":                       {"engine.labels.gpu==yes", "engine.labels.gpu==no", "engine.labels.none!=x"},
		"platform":                           {"node.platform.os==linux", "node.platform.os==windows", "node.platform.arch==x86_64", "node.platform.arch==amd64"},
		"address":                            {"node.ip==10.1.2.3", "node.ip!=10.1.2.3", "node.ip==10.1.0.0/16", "node.ip!=10.1.0.0/16", "node.ip==10.2.0.0/16"},
		"keys that do not exist":             {"node.color==red", "node.labels.==x"},
		"both operators in one":              {"node.labels.disk!=a==b"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, row := range rows {
				parsed, err := constraint.Parse([]string{row})
				want := err == nil && constraint.NodeMatches(parsed, swarmkitNode(n))
				if got := satisfies(row, n); got != want && err == nil {
					t.Errorf("%s: %v, swarmkit says %v", row, got, want)
				}
			}
		})
	}
	if satisfies("node.role", n) {
		t.Error("a constraint without an operator is satisfied")
	}
}

func TestPlatformsAsTheSchedulerSeesThem(t *testing.T) {
	n := testNode()
	for name, tt := range map[string]struct {
		platforms []swarm.Platform
		want      bool
	}{
		"none asked for":           {want: true},
		"amd64 is x86_64":          {platforms: []swarm.Platform{{OS: "linux", Architecture: "amd64"}}, want: true},
		"one of several":           {platforms: []swarm.Platform{{OS: "linux", Architecture: "arm64"}, {OS: "linux", Architecture: "amd64"}}, want: true},
		"any architecture":         {platforms: []swarm.Platform{{OS: "linux"}}, want: true},
		"another architecture":     {platforms: []swarm.Platform{{OS: "linux", Architecture: "aarch64"}}},
		"another operating system": {platforms: []swarm.Platform{{OS: "windows", Architecture: "amd64"}}},
	} {
		if got := offersPlatform(tt.platforms, n); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestBlockerNamesWhatIsInTheWay(t *testing.T) {
	down, drained, other := testNode(), testNode(), testNode()
	down.Status.State = swarm.NodeStateDown
	drained.Spec.Availability = swarm.NodeAvailabilityDrain
	other.Spec.Labels = map[string]string{"disk": "hdd", "Zone": "b"}
	for name, tt := range map[string]struct {
		placement *swarm.Placement
		nodes     []swarm.Node
		want      string
	}{
		"no node at all":                    {nodes: []swarm.Node{down, drained}, want: "no node is Ready with availability active"},
		"the one constraint":                {placement: &swarm.Placement{Constraints: []string{"node.role==manager", "node.labels.disk==nvme"}}, nodes: []swarm.Node{testNode(), other}, want: `constraint "node.labels.disk==nvme"`},
		"constraints in company":            {placement: &swarm.Placement{Constraints: []string{"node.labels.disk==ssd", "node.labels.Zone==b"}}, nodes: []swarm.Node{testNode(), other}, want: `together: "node.labels.disk==ssd", "node.labels.Zone==b"`},
		"the platform of an image":          {placement: &swarm.Placement{Platforms: []swarm.Platform{{OS: "linux", Architecture: "arm64"}}}, nodes: []swarm.Node{testNode()}, want: "linux/arm64"},
		"nodes that would fit and are away": {placement: &swarm.Placement{Constraints: []string{"node.labels.disk==ssd"}}, nodes: []swarm.Node{down, other}, want: "no node that fits takes tasks: " + down.Description.Hostname + " is down"},
	} {
		if got := blocker(tt.placement, tt.nodes); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
