package reconcile

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// homes tells on which node the data of services is that keep it there, by real name
// of the service. The engine is asked only where there is more than one node to be
// on. A task that waits for a node, or that one has refused, is no sign: neither had
// a container, and with it the volume.
func (c *Core) homes(ctx context.Context, state *State, release Release) (map[string]string, error) {
	var services []string
	for _, key := range release.Local {
		if o := release.service(key); o != nil && state.find(object.KindService, o.Name) != nil {
			services = append(services, o.Name)
		}
	}
	if len(state.Nodes) == 1 {
		homes := map[string]string{}
		for _, s := range services {
			homes[s] = state.Nodes[0].ID
		}
		return homes, nil
	}
	if len(services) == 0 {
		return nil, nil
	}
	return c.backend.Homes(ctx, services)
}

// checkLocal refuses to move a service away from its data, and warns of one that
// Swarm may move at any time, since it does not know of the data.
func (p *planner) checkLocal() error {
	for _, key := range p.desired.Local {
		o := p.desired.service(key)
		if o == nil {
			continue
		}
		spec, ok := o.Spec.(*swarm.ServiceSpec)
		if !ok {
			continue
		}
		var constraints []string
		if placement := spec.TaskTemplate.Placement; placement != nil {
			constraints = placement.Constraints
		}
		var eligible []string
		for _, n := range p.state.Nodes {
			if object.Admits(constraints, n.place()) {
				eligible = append(eligible, n.Hostname)
			}
		}
		slices.Sort(eligible)
		home := p.state.node(p.facts.homes[o.Name])
		switch {
		case home != nil && !object.Admits(constraints, home.place()):
			return &Error{
				Reason: ReasonInvalid, Op: "place service " + o.Name, Ref: o.Ref(),
				Detail: fmt.Sprintf("Its data is in a volume of node %s, and the placement (%s) keeps it off that node: it would start with an empty volume elsewhere. Nothing was changed. "+
					"Leave it on %[1]s, or carry the data over into another release that runs where you want it.", home.Hostname, strings.Join(constraints, ", ")),
			}
		case len(eligible) == 0 && len(p.state.Nodes) > 0:
			p.out.Warnings = append(p.out.Warnings, fmt.Sprintf(
				"No node of the swarm satisfies the placement of service %s (%s). The nodes are %s: as long as none of them does, the apply fails.",
				o.Name, strings.Join(constraints, ", "), strings.Join(p.state.hostnames(), ", ")))
		case len(eligible) > 1 && home != nil:
			p.out.Warnings = append(p.out.Warnings, fmt.Sprintf(
				"Service %s has its data in a volume of node %s, and may be moved to %s, where it would start with an empty volume. Pin it: placement = { constraints = [\"node.hostname==%[2]s\"] }.",
				o.Name, home.Hostname, without(eligible, home.Hostname)))
		case len(eligible) > 1:
			p.out.Warnings = append(p.out.Warnings, fmt.Sprintf(
				"Service %s keeps its data in a volume of the node that it runs on, and may run on any of %s; on another one it would start with an empty volume. Pin it: placement = { constraints = [\"node.hostname==%s\"] }.",
				o.Name, strings.Join(eligible, ", "), eligible[0]))
		}
	}
	return nil
}

func without(names []string, name string) string {
	var out []string
	for _, n := range names {
		if n != name {
			out = append(out, n)
		}
	}
	return strings.Join(out, ", ")
}

// service returns the declared service of a logical name, nil when there is none.
func (r Release) service(key string) *object.Object {
	for i := range r.Objects {
		if o := &r.Objects[i]; o.Kind == object.KindService && o.Key == key {
			return o
		}
	}
	return nil
}

// node returns a member of the swarm by its id, nil when it is none.
func (s *State) node(id string) *Node {
	for i := range s.Nodes {
		if s.Nodes[i].ID == id {
			return &s.Nodes[i]
		}
	}
	return nil
}

func (s *State) hostnames() []string {
	names := make([]string, len(s.Nodes))
	for i, n := range s.Nodes {
		names[i] = n.Hostname
	}
	slices.Sort(names)
	return names
}

func (n Node) place() object.Place {
	return object.Place{ID: n.ID, Hostname: n.Hostname, Role: n.Role, OS: n.OS, Arch: n.Arch, Addr: n.Addr, Labels: n.Labels, EngineLabels: n.EngineLabels}
}
