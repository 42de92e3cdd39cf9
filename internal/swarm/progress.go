package swarm

import (
	"context"
	"slices"

	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// fewServices is up to how many services the engine is asked for those alone,
// and beyond which the whole list is cheaper.
const fewServices = 24

// Progress implements reconcile.Backend with three calls, whatever the number of
// services, and one more where Swarm rolled any of them back. The rollouts are in
// the order of the names.
func (b *Backend) Progress(ctx context.Context, services []string) ([]reconcile.Rollout, error) {
	if len(services) == 0 {
		return nil, nil
	}
	found, err := b.servicesNamed(ctx, services)
	if err != nil {
		return nil, err
	}
	tasks, err := b.currentTasks(ctx, found)
	if err != nil {
		return nil, err
	}
	nodes, err := b.listNodes(ctx)
	if err != nil {
		return nil, err
	}
	byService := groupByService(tasks)
	out := make([]reconcile.Rollout, len(services))
	for i, name := range services {
		s, ok := found[name]
		if !ok {
			out[i] = reconcile.Rollout{Service: name, Gone: true}
			continue
		}
		out[i] = rollout(s, byService[s.ID], nodes)
	}
	return out, b.addReverted(ctx, out, found, nodes)
}

// addReverted finds the tasks for which Swarm rolled services back: they are of
// another version than the current one.
func (b *Backend) addReverted(ctx context.Context, rollouts []reconcile.Rollout, services map[string]swarm.Service, nodes []swarm.Node) error {
	var ids []string
	for _, r := range rollouts {
		switch swarm.UpdateState(r.Update.State) {
		case swarm.UpdateStateRollbackStarted, swarm.UpdateStateRollbackPaused, swarm.UpdateStateRollbackCompleted:
			ids = append(ids, services[r.Service].ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	tasks, err := b.tasksOf(ctx, ids, filters.NewArgs())
	if err != nil {
		return err
	}
	byService := groupByService(tasks)
	for i := range rollouts {
		r := &rollouts[i]
		if s := services[r.Service]; slices.Contains(ids, s.ID) {
			r.Reverted = reverted(s, byService[s.ID], r.Tasks, indexNodes(nodes))
		}
	}
	return nil
}

// servicesNamed returns the services that exist, by name.
func (b *Backend) servicesNamed(ctx context.Context, names []string) (map[string]swarm.Service, error) {
	wanted := make(map[string]bool, len(names))
	filter := filters.NewArgs()
	for _, name := range names {
		wanted[name] = true
		if len(names) <= fewServices {
			filter.Add("name", name) // matches by prefix
		}
	}
	found := make(map[string]swarm.Service, len(names))
	err := b.call(ctx, attempt{op: "read services"}, func(ctx context.Context) error {
		list, err := b.cli.ServiceList(ctx, swarm.ServiceListOptions{Filters: filter})
		for _, s := range list {
			if wanted[s.Spec.Name] {
				found[s.Spec.Name] = s
			}
		}
		return err
	})
	return found, err
}

// currentTasks returns the tasks whose spec is the current one of their service.
// The API's task has no spec version: the engine compares for us, with the
// filter that the Docker CLI uses for its own progress display.
func (b *Backend) currentTasks(ctx context.Context, services map[string]swarm.Service) ([]swarm.Task, error) {
	if len(services) == 0 {
		return nil, nil
	}
	ids := make([]string, 0, len(services))
	for _, s := range services {
		ids = append(ids, s.ID)
	}
	return b.tasksOf(ctx, ids, filters.NewArgs(filters.Arg("_up-to-date", "true")))
}

// tasksOf returns the tasks of services, and of others where that is cheaper.
func (b *Backend) tasksOf(ctx context.Context, ids []string, filter filters.Args) ([]swarm.Task, error) {
	narrow := filter.Clone()
	if len(ids) <= fewServices {
		for _, id := range ids {
			narrow.Add("service", id)
		}
	}
	tasks, err := b.listTasks(ctx, narrow)
	if reconcile.ReasonOf(err) == reconcile.ReasonNotFound {
		// One of the services was deleted since; the engine then refuses the filter.
		return b.listTasks(ctx, filter)
	}
	return tasks, err
}

func groupByService(tasks []swarm.Task) map[string][]swarm.Task {
	out := map[string][]swarm.Task{}
	for _, t := range tasks {
		out[t.ServiceID] = append(out[t.ServiceID], t)
	}
	return out
}

func (b *Backend) listTasks(ctx context.Context, filter filters.Args) (tasks []swarm.Task, err error) {
	err = b.call(ctx, attempt{op: "read tasks"}, func(ctx context.Context) (err error) {
		tasks, err = b.cli.TaskList(ctx, swarm.TaskListOptions{Filters: filter})
		return err
	})
	return tasks, err
}

func (b *Backend) listNodes(ctx context.Context) (nodes []swarm.Node, err error) {
	err = b.call(ctx, attempt{op: "read nodes"}, func(ctx context.Context) (err error) {
		nodes, err = b.cli.NodeList(ctx, swarm.NodeListOptions{})
		return err
	})
	return nodes, err
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

// Draining implements reconcile.Backend. The tasks of a removed service stay in
// the list until their node has reported their end; a node that is down reports
// nothing.
func (b *Backend) Draining(ctx context.Context, serviceIDs []string) (int, error) {
	if len(serviceIDs) == 0 {
		return 0, nil
	}
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
	var remaining []swarm.Task
	for _, t := range tasks {
		if removed[t.ServiceID] && t.NodeID != "" && !leftBehind(t) {
			remaining = append(remaining, t)
		}
	}
	if len(remaining) == 0 {
		return 0, nil
	}
	nodes, err := b.listNodes(ctx)
	if err != nil {
		return 0, err
	}
	cluster, occupied := indexNodes(nodes), 0
	for _, t := range remaining {
		if n, known := cluster.byID[t.NodeID]; known && n.Status.State != swarm.NodeStateDown {
			occupied++
		}
	}
	return occupied, nil
}
