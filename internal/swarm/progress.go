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
	list, err := b.listServices(ctx, filter)
	found := make(map[string]swarm.Service, len(names))
	for _, s := range list {
		if wanted[s.Spec.Name] {
			found[s.Spec.Name] = s
		}
	}
	return found, err
}

func (b *Backend) listServices(ctx context.Context, filter filters.Args) (services []swarm.Service, err error) {
	err = b.call(ctx, attempt{op: "read services"}, func(ctx context.Context) (err error) {
		services, err = b.cli.ServiceList(ctx, swarm.ServiceListOptions{Filters: filter})
		return err
	})
	return services, err
}

// currentTasks returns the tasks whose spec is the current one of their service.
// The API's task has no spec version: the engine compares for us, with the
// filter that the Docker CLI uses for its own progress display.
func (b *Backend) currentTasks(ctx context.Context, services map[string]swarm.Service) ([]swarm.Task, error) {
	if len(services) == 0 {
		return nil, nil
	}
	return b.tasksOf(ctx, idsOf(services), filters.NewArgs(filters.Arg("_up-to-date", "true")))
}

func idsOf(services map[string]swarm.Service) []string {
	ids := make([]string, 0, len(services))
	for _, s := range services {
		ids = append(ids, s.ID)
	}
	return ids
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
