package swarm

import (
	"fmt"
	"strings"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// schedulable reports whether a node takes new tasks. A paused node keeps those
// it has and gets none.
func schedulable(n swarm.Node) bool {
	return n.Status.State == swarm.NodeStateReady && n.Spec.Availability == swarm.NodeAvailabilityActive
}

// serving reports whether what runs on a node counts as running: a drained node
// is about to lose it, and of a node that is not Ready nothing is known.
func serving(n swarm.Node) bool {
	return n.Status.State == swarm.NodeStateReady && n.Spec.Availability != swarm.NodeAvailabilityDrain
}

// admits reports whether a node satisfies the constraints and the platforms of a
// placement.
func admits(p *swarm.Placement, n swarm.Node) bool {
	if p == nil {
		return true
	}
	return object.Admits(p.Constraints, place(n)) && offersPlatform(p.Platforms, n)
}

// satisfies evaluates one constraint.
func satisfies(constraint string, n swarm.Node) bool { return object.Satisfies(constraint, place(n)) }

func place(n swarm.Node) object.Place {
	return object.Place{
		ID: n.ID, Hostname: n.Description.Hostname, Role: string(n.Spec.Role), Addr: n.Status.Addr,
		OS: n.Description.Platform.OS, Arch: n.Description.Platform.Architecture,
		Labels: n.Spec.Labels, EngineLabels: n.Description.Engine.Labels,
	}
}

// offersPlatform evaluates the platforms that an image was found to have, as
// swarmkit's PlatformFilter does (manager/scheduler).
func offersPlatform(platforms []swarm.Platform, n swarm.Node) bool {
	if len(platforms) == 0 {
		return true
	}
	have := n.Description.Platform
	for _, p := range platforms {
		if (p.OS == "" || p.OS == have.OS) &&
			(p.Architecture == "" || architecture(p.Architecture) == architecture(have.Architecture)) {
			return true
		}
	}
	return false
}

func architecture(name string) string {
	switch name {
	case "x86_64":
		return "amd64"
	case "aarch64":
		return "arm64"
	}
	return name
}

// blocker says why no node takes a task with this placement: `no node satisfies
// the constraint "node.labels.ssd==true"`, or `no node that fits takes tasks: n3
// is drained`.
func blocker(p *swarm.Placement, nodes []swarm.Node) string {
	var candidates []swarm.Node
	var away []string
	for _, n := range nodes {
		switch {
		case schedulable(n):
			candidates = append(candidates, n)
		case admits(p, n):
			away = append(away, n.Description.Hostname+" is "+absence(n))
		}
	}
	if len(candidates) == 0 {
		return "no node is Ready with availability active"
	}
	if len(away) > 0 {
		return "no node that fits takes tasks: " + strings.Join(away, ", ")
	}
	if p == nil {
		return ""
	}
	for _, c := range p.Constraints {
		if !anyNode(candidates, func(n swarm.Node) bool { return satisfies(c, n) }) {
			return fmt.Sprintf("no node satisfies the constraint %q", c)
		}
	}
	if !anyNode(candidates, func(n swarm.Node) bool { return offersPlatform(p.Platforms, n) }) {
		return "no node has a platform of the image: " + platformNames(p.Platforms)
	}
	if len(p.Platforms) > 0 {
		return fmt.Sprintf("no node satisfies all constraints together: %s; on a platform of the image: %s",
			quoted(p.Constraints), platformNames(p.Platforms))
	}
	return "no node satisfies all constraints together: " + quoted(p.Constraints)
}

// absence says why a node that is not schedulable is not.
func absence(n swarm.Node) string {
	switch {
	case n.Status.State != swarm.NodeStateReady:
		return string(n.Status.State)
	case n.Spec.Availability == swarm.NodeAvailabilityPause:
		return "paused"
	}
	return "drained"
}

func anyNode(nodes []swarm.Node, is func(swarm.Node) bool) bool {
	for _, n := range nodes {
		if is(n) {
			return true
		}
	}
	return false
}

func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(out, ", ")
}

func platformNames(platforms []swarm.Platform) string {
	out := make([]string, len(platforms))
	for i, p := range platforms {
		out[i] = p.OS + "/" + p.Architecture
	}
	return strings.Join(out, ", ")
}
