package reconcile

import (
	"cmp"
	"context"
	"slices"
)

// The types of conditions of a node.
const (
	// ConditionReady: the node's engine is in touch with the managers.
	ConditionReady ConditionType = "Ready"
	// ConditionSchedulable: the node takes new tasks.
	ConditionSchedulable ConditionType = "Schedulable"
	// ConditionReachable: the other managers reach this manager.
	ConditionReachable ConditionType = "Reachable"
)

// The reasons of conditions of a node.
const (
	BecauseReady        ConditionReason = "Ready"
	BecauseDown         ConditionReason = "Down"
	BecauseDisconnected ConditionReason = "Disconnected"
	BecauseUnknown      ConditionReason = "Unknown"
	BecauseActive       ConditionReason = "Active"
	BecausePausedNode   ConditionReason = "Paused"
	BecauseDrained      ConditionReason = "Drained"
	BecauseReachable    ConditionReason = "Reachable"
	BecauseUnreachable  ConditionReason = "Unreachable"
)

// Nodes returns the members of the swarm, by host name and then id, from the
// snapshot that everybody shares. The error is an *Error.
func (c *Core) Nodes(ctx context.Context) ([]Node, error) {
	state, err := c.backend.Observe(ctx, Scope{})
	if err != nil {
		return nil, err
	}
	nodes := slices.Clone(state.Nodes)
	slices.SortFunc(nodes, func(a, b Node) int { return cmp.Or(cmp.Compare(a.Hostname, b.Hostname), cmp.Compare(a.ID, b.ID)) })
	return nodes, nil
}

// Conditions are Ready and Schedulable and, of a manager, Reachable.
func (n Node) Conditions() []ConditionOf {
	ready := n.ready()
	out := []ConditionOf{ready, n.schedulable(ready)}
	switch n.Reachability {
	case "": // a worker
	case "reachable":
		out = append(out, ConditionOf{ConditionReachable, True, BecauseReachable, "The other managers reach it."})
	case "unreachable":
		out = append(out, ConditionOf{ConditionReachable, False, BecauseUnreachable, "The other managers do not reach it: it does not count towards the majority that a swarm needs."})
	default:
		out = append(out, ConditionOf{ConditionReachable, Unknown, BecauseUnknown, "The managers do not know yet whether they reach it."})
	}
	return out
}

func (n Node) ready() ConditionOf {
	c := ConditionOf{Type: ConditionReady, Message: n.Message}
	var said string
	switch n.State {
	case "ready":
		c.Status, c.Reason, said = True, BecauseReady, "It is in touch with the managers."
	case "down":
		c.Status, c.Reason, said = False, BecauseDown, "It has not been heard of for longer than the swarm waits."
	case "disconnected":
		c.Status, c.Reason, said = False, BecauseDisconnected, "It has lost the connection to the managers."
	default:
		c.Status, c.Reason, said = Unknown, BecauseUnknown, "The managers do not know yet how it is."
	}
	c.Message = cmp.Or(c.Message, said)
	return c
}

// schedulable follows from whether the node is ready and what it is meant for.
func (n Node) schedulable(ready ConditionOf) ConditionOf {
	switch n.Availability {
	case "drain":
		return ConditionOf{ConditionSchedulable, False, BecauseDrained, "It is drained: its tasks run elsewhere."}
	case "pause":
		return ConditionOf{ConditionSchedulable, False, BecausePausedNode, "It is paused: it keeps its tasks and takes no new ones."}
	}
	if ready.Status == True {
		return ConditionOf{ConditionSchedulable, True, BecauseActive, "It takes new tasks."}
	}
	return ConditionOf{ConditionSchedulable, ready.Status, ready.Reason, ready.Message}
}
