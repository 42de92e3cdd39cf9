package swarm

import (
	"context"
	"sort"

	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/swarm"
)

// Homes implements reconcile.Backend. The engine keeps the last few tasks of a slot,
// whatever became of them.
func (b *Backend) Homes(ctx context.Context, services []string) (map[string]string, error) {
	found, err := b.servicesNamed(ctx, services)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	tasks, err := b.tasksOf(ctx, idsOf(found), filters.NewArgs())
	if err != nil {
		return nil, err
	}
	byService := groupByService(tasks)
	homes := make(map[string]string, len(found))
	for name, s := range found {
		if node := home(byService[s.ID]); node != "" {
			homes[name] = node
		}
	}
	return homes, nil
}

// home is the node of the newest task that had a container, "" when none had.
func home(tasks []swarm.Task) string {
	sort.Slice(tasks, func(i, j int) bool { return tasks[i].CreatedAt.After(tasks[j].CreatedAt) })
	for _, t := range tasks {
		if c := t.Status.ContainerStatus; c != nil && c.ContainerID != "" {
			return t.NodeID
		}
	}
	return ""
}
