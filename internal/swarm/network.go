package swarm

import (
	"context"
	"fmt"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/network"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// ghostLife bounds the wait for the connected node to drop a network that the
// swarm has removed. It takes the node some seconds after the last task.
const ghostLife = 20 * time.Second

// createNetwork looks the name up first: the swarm refuses a second network of a
// name, but not beside one of the connected node alone, and a service could then
// not tell the two apart. A removed network that the node still holds makes the
// engine refuse the name as well, and is waited for.
func (b *Backend) createNetwork(ctx context.Context, a attempt, spec object.NetworkSpec) (id string, err error) {
	err = b.call(ctx, a, func(ctx context.Context) error {
		giveUp := time.Now().Add(ghostLife)
		for {
			held, err := b.nameTaken(ctx, a, spec.Name)
			if err != nil {
				return err
			}
			if held && time.Now().Before(giveUp) {
				if err := pause(ctx, 200*time.Millisecond); err != nil {
					return err
				}
				continue
			}
			created, err := b.cli.NetworkCreate(ctx, spec.Name, spec.Options)
			if err != nil {
				return err
			}
			id = created.ID
			b.awaitAllocation(ctx, id)
			return nil
		}
	})
	return id, err
}

// allocationTime bounds the wait for a new network's driver and addresses. It
// takes some milliseconds, or does not happen at all (overlapping subnets, a
// plugin that is missing), and then the tasks that wait for it say why.
const allocationTime = 3 * time.Second

// awaitAllocation waits until the swarm has filled a new network in. Until then
// the engine lists it without driver, options and subnets (it takes them from the
// driver's state: BasicNetworkFromGRPC in moby's daemon/cluster/convert), and
// whoever compares it would see a difference that is none.
func (b *Backend) awaitAllocation(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(ctx, allocationTime)
	defer cancel()
	for {
		n, err := b.cli.NetworkInspect(ctx, id, network.InspectOptions{Scope: "swarm"})
		if err != nil || n.Driver != "" || pause(ctx, 20*time.Millisecond) != nil {
			return
		}
	}
}

// nameTaken fails with ReasonExists when there is a network of the name, and
// reports whether there was one that the connected node still holds.
func (b *Backend) nameTaken(ctx context.Context, a attempt, name string) (held bool, err error) {
	list, err := b.cli.NetworkList(ctx, network.ListOptions{})
	if err != nil {
		return false, err
	}
	for _, n := range list {
		switch {
		case n.Name != name:
		case n.Scope == "swarm" && !clusterWide(n):
			held = true
		default:
			return false, &reconcile.Error{
				Reason: reconcile.ReasonExists, Op: a.op, Ref: a.ref,
				Err: fmt.Errorf("a network of this name exists already (%s, scope %s)", n.ID, n.Scope),
			}
		}
	}
	return held, nil
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// removeNetwork looks again after a failure: deleting a network that the engine
// is just collecting answers an unclassified 500, and absence is the better
// witness.
func (b *Backend) removeNetwork(ctx context.Context, id string) error {
	err := b.cli.NetworkRemove(ctx, id)
	if err == nil || !errdefs.IsInternal(err) {
		return err
	}
	list, lookErr := b.cli.NetworkList(ctx, network.ListOptions{})
	if lookErr != nil {
		return err
	}
	for _, n := range list {
		if n.ID == id {
			return err
		}
	}
	// The engine lists the node's own networks alone when the swarm does not
	// answer, so absence counts only while it does.
	if _, lookErr := b.cli.SwarmInspect(ctx); lookErr != nil {
		return err
	}
	return nil
}
