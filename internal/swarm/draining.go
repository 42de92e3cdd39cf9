package swarm

import (
	"context"

	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// Draining implements reconcile.Backend. The tasks of a removed service stay in
// the list until their node has reported their end; a node that is down reports
// nothing.
func (b *Backend) Draining(ctx context.Context, release string, serviceIDs []string) (int, error) {
	// No filter fits: the one by service knows none that was removed, and the
	// desired state "remove" is set only some time after the removal.
	tasks, err := b.listTasks(ctx, filters.NewArgs())
	if err != nil {
		return 0, err
	}
	removed := make(map[string]bool, len(serviceIDs))
	for _, id := range serviceIDs {
		removed[id] = true
	}
	var remaining, ofStack []swarm.Task
	for _, t := range tasks {
		switch {
		case t.NodeID == "" || leftBehind(t):
		case removed[t.ServiceID]:
			remaining = append(remaining, t)
		case t.Spec.ContainerSpec != nil && t.Spec.ContainerSpec.Labels[reconcile.LabelStack] == release:
			ofStack = append(ofStack, t)
		}
	}
	abandoned, err := b.withoutService(ctx, ofStack)
	if err != nil || len(remaining)+len(abandoned) == 0 {
		return 0, err
	}
	nodes, err := b.listNodes(ctx)
	if err != nil {
		return 0, err
	}
	cluster, occupied := indexNodes(nodes), 0
	for _, t := range append(remaining, abandoned...) {
		if n, known := cluster.byID[t.NodeID]; known && n.Status.State != swarm.NodeStateDown {
			occupied++
		}
	}
	return occupied, nil
}

// withoutService picks the tasks whose service is gone: an earlier removal, which
// did not come to its end, has taken it away.
func (b *Backend) withoutService(ctx context.Context, tasks []swarm.Task) ([]swarm.Task, error) {
	if len(tasks) == 0 {
		return nil, nil
	}
	services, err := b.listServices(ctx, filters.NewArgs())
	if err != nil {
		return nil, err
	}
	stands := make(map[string]bool, len(services))
	for _, s := range services {
		stands[s.ID] = true
	}
	var gone []swarm.Task
	for _, t := range tasks {
		if !stands[t.ServiceID] {
			gone = append(gone, t)
		}
	}
	return gone, nil
}

// leftBehind tells tasks of a removed service that have ended and that nobody is
// going to take down: the engine leaves those of a removed job in its list
// (measured on 20.10.24), so to wait for them is to wait for ever. They hold no
// network.
func leftBehind(t swarm.Task) bool {
	switch t.Status.State {
	case swarm.TaskStateComplete, swarm.TaskStateShutdown, swarm.TaskStateFailed, swarm.TaskStateRejected, swarm.TaskStateOrphaned:
		return t.DesiredState != swarm.TaskStateRemove
	}
	return false
}
