package swarm

import (
	"context"
	"fmt"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/swarm"
)

// labelServiceID is what an engine writes on the container of a task.
const labelServiceID = "com.docker.swarm.service.id"

// removeVolume deletes a volume of the connected node. Engine 20.10 takes no notice
// when a job's service is removed: the containers of its tasks stay, ended, and
// would keep the volume in use for good.
func (b *Backend) removeVolume(ctx context.Context, name string) error {
	inUse := b.cli.VolumeRemove(ctx, name, false)
	if !errdefs.IsConflict(inUse) {
		return inUse
	}
	if err := b.removeOrphans(ctx, name); err != nil {
		return fmt.Errorf("%w; and what an ended job left could not be removed: %w", inUse, err)
	}
	return b.cli.VolumeRemove(ctx, name, false)
}

// removeOrphans removes the ended containers with a volume whose service is gone.
func (b *Backend) removeOrphans(ctx context.Context, volume string) error {
	list, err := b.cli.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(
		filters.Arg("volume", volume), filters.Arg("label", labelServiceID),
		filters.Arg("status", "exited"), filters.Arg("status", "dead"))})
	if err != nil {
		return err
	}
	for _, c := range list {
		_, _, err := b.cli.ServiceInspectWithRaw(ctx, c.Labels[labelServiceID], swarm.ServiceInspectOptions{})
		if err == nil {
			continue
		}
		if !errdefs.IsNotFound(err) {
			return err
		}
		if err := b.cli.ContainerRemove(ctx, c.ID, container.RemoveOptions{}); err != nil && !errdefs.IsNotFound(err) && !errdefs.IsConflict(err) {
			return err
		}
	}
	return nil
}
