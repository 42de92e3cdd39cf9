package reconcile

import (
	"fmt"
	"slices"
	"testing"
)

func TestNodeConditions(t *testing.T) {
	for rule, c := range map[string]struct {
		node Node
		want []string
	}{
		"a worker":                    {Node{State: "ready", Availability: "active"}, []string{"Ready True Ready", "Schedulable True Active"}},
		"a manager":                   {Node{State: "ready", Availability: "active", Reachability: "reachable"}, []string{"Ready True Ready", "Schedulable True Active", "Reachable True Reachable"}},
		"a drained node is ready":     {Node{State: "ready", Availability: "drain"}, []string{"Ready True Ready", "Schedulable False Drained"}},
		"a paused node is ready":      {Node{State: "ready", Availability: "pause"}, []string{"Ready True Ready", "Schedulable False Paused"}},
		"a dead node takes no task":   {Node{State: "down", Availability: "active"}, []string{"Ready False Down", "Schedulable False Down"}},
		"a dead manager":              {Node{State: "down", Availability: "active", Reachability: "unreachable"}, []string{"Ready False Down", "Schedulable False Down", "Reachable False Unreachable"}},
		"a node that lost the link":   {Node{State: "disconnected", Availability: "active"}, []string{"Ready False Disconnected", "Schedulable False Disconnected"}},
		"not known is not false":      {Node{State: "unknown", Availability: "active", Reachability: "unknown"}, []string{"Ready Unknown Unknown", "Schedulable Unknown Unknown", "Reachable Unknown Unknown"}},
		"drained whether dead or not": {Node{State: "down", Availability: "drain"}, []string{"Ready False Down", "Schedulable False Drained"}},
	} {
		t.Run(rule, func(t *testing.T) {
			var got []string
			for _, x := range c.node.Conditions() {
				got = append(got, fmt.Sprintf("%s %s %s", x.Type, x.Status, x.Reason))
				if x.Message == "" {
					t.Errorf("%s has no message", x.Type)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	if c := (Node{State: "down", Message: "heartbeat failure"}).Conditions()[0]; c.Message != "heartbeat failure" {
		t.Errorf("the engine's words are lost: %q", c.Message)
	}
}
