package swarm

import (
	"context"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

const observeOp = "read the swarm"

// lists is what the engine says, unconverted.
type lists struct {
	swarmID  string
	services []swarm.Service
	networks []network.Summary
	configs  []swarm.Config
	secrets  []swarm.Secret
	nodes    []swarm.Node
}

// read takes one snapshot: six calls, whatever the size of the swarm, one after
// the other so that an ssh connection is used again. Services come first: what
// they refer to existed then, and cannot be deleted while they do.
func (b *Backend) read(ctx context.Context) (*reconcile.State, error) {
	for again := false; ; again = true {
		l, err := b.readLists(ctx)
		if err != nil {
			return nil, err
		}
		if stale := l.missingNetwork(); stale != "" && again {
			return nil, &reconcile.Error{
				Reason: reconcile.ReasonUnreachable, Op: observeOp,
				Detail: "Services refer to the network " + stale + ", which the engine left out of its list. " + noQuorum,
			}
		} else if stale != "" {
			continue
		}
		return b.convert(ctx, l)
	}
}

func (b *Backend) readLists(ctx context.Context) (lists, error) {
	var l lists
	for _, one := range []struct {
		what string
		read func(context.Context) error
	}{
		{"the swarm", func(ctx context.Context) error {
			cluster, err := b.cli.SwarmInspect(ctx)
			l.swarmID = cluster.ID
			return err
		}},
		// Without status: the counts include tasks on nodes that are gone.
		{"services", func(ctx context.Context) (err error) {
			l.services, err = b.cli.ServiceList(ctx, swarm.ServiceListOptions{})
			return err
		}},
		{"networks", func(ctx context.Context) (err error) {
			l.networks, err = b.cli.NetworkList(ctx, network.ListOptions{})
			return err
		}},
		{"configs", func(ctx context.Context) (err error) {
			l.configs, err = b.cli.ConfigList(ctx, swarm.ConfigListOptions{})
			return err
		}},
		{"secrets", func(ctx context.Context) (err error) {
			l.secrets, err = b.cli.SecretList(ctx, swarm.SecretListOptions{})
			return err
		}},
		{"nodes", func(ctx context.Context) (err error) {
			l.nodes, err = b.cli.NodeList(ctx, swarm.NodeListOptions{})
			return err
		}},
	} {
		if err := b.call(ctx, attempt{op: "read " + one.what}, one.read); err != nil {
			return lists{}, err
		}
	}
	return l, nil
}

// clusterWide reports whether the swarm itself, and not merely the connected
// node, told of a network. GET /networks adds the node's own view to the
// swarm's, and answers with the former alone when the swarm's cannot be had
// (getNetworksList in moby's api/server/router/network): a removed network stays
// in the node's view until its last task is gone. The node's entries have a map
// of containers, the swarm's have none.
func clusterWide(n network.Summary) bool { return n.Scope == "swarm" && n.Containers == nil }

// missingNetwork returns a network of the node's own view that a service refers
// to and the swarm did not tell of. A network in use cannot be deleted, so the
// swarm's part of the list is missing, which the engine does not say.
func (l lists) missingNetwork() string {
	ghosts := make(map[string]string)
	for _, n := range l.networks {
		if n.Scope == "swarm" && !clusterWide(n) {
			ghosts[n.ID] = n.Name
		}
	}
	if len(ghosts) == 0 {
		return ""
	}
	for _, s := range l.services {
		for _, attached := range attachments(s.Spec) {
			if name, ok := ghosts[attached.Target]; ok {
				return name
			}
		}
	}
	return ""
}

func convertNodes(nodes []swarm.Node) []reconcile.Node {
	out := make([]reconcile.Node, len(nodes))
	for i, n := range nodes {
		out[i] = reconcile.Node{
			ID:            n.ID,
			Hostname:      n.Description.Hostname,
			Role:          string(n.Spec.Role),
			Availability:  string(n.Spec.Availability),
			Ready:         n.Status.State == swarm.NodeStateReady,
			State:         string(n.Status.State),
			Message:       n.Status.Message,
			Labels:        n.Spec.Labels,
			EngineVersion: n.Description.Engine.EngineVersion,
			EngineLabels:  n.Description.Engine.Labels,
			NanoCPUs:      n.Description.Resources.NanoCPUs,
			MemoryBytes:   n.Description.Resources.MemoryBytes,
			OS:            n.Description.Platform.OS,
			Arch:          n.Description.Platform.Architecture,
			Addr:          n.Status.Addr,
		}
		if m := n.ManagerStatus; m != nil {
			out[i].Leader, out[i].Reachability = m.Leader, string(m.Reachability)
		}
	}
	return out
}
