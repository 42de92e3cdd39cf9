package application_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
)

// shopWeb is the service that the tests with several nodes look at.
const shopWeb = "shop_web"

// runsOn lists the nodes on which it has tasks of an image that run and are to run.
func runsOn(t *testing.T, s *acctest.Swarm, image string) []string {
	t.Helper()
	var out []string
	for _, task := range s.Tasks(t, shopWeb) {
		if task.Status.State == swarm.TaskStateRunning && task.Spec.ContainerSpec.Image == image {
			out = append(out, task.NodeID)
		}
	}
	return out
}

// nodeID is the id of a node by its number.
func nodeID(t *testing.T, s *acctest.Swarm, n int) string {
	t.Helper()
	return s.Docker(t, "node", "inspect", "n"+strconv.Itoa(n), "--format", "{{.ID}}")
}

// awaitNode waits until the swarm calls a node "ready" or "down". An engine that has lost its leader looks for the next
// one in growing intervals, which may take it minutes.
func awaitNode(t *testing.T, s *acctest.Swarm, n int, state string) {
	t.Helper()
	acctest.Wait(t, 3*time.Minute, fmt.Sprintf("node %d is %s", n, state), func() bool {
		node, _, err := s.Client().NodeInspectWithRaw(context.Background(), "n"+strconv.Itoa(n))
		return err == nil && string(node.Status.State) == state
	})
}

// onlySoMany waits until all nodes together run exactly n containers of it: none twice, none left behind.
func onlySoMany(t *testing.T, s *acctest.Swarm, n int) {
	t.Helper()
	count := -1
	defer func() { t.Logf("%d containers of %s run", count, shopWeb) }()
	acctest.Wait(t, time.Minute, fmt.Sprintf("%d containers of %s run on all nodes together", n, shopWeb), func() bool {
		count = 0
		for node := 1; node <= 3; node++ {
			list, err := s.NodeClient(t, node).ContainerList(context.Background(), container.ListOptions{
				Filters: filters.NewArgs(filters.Arg("label", "com.docker.swarm.service.name="+shopWeb))})
			if err != nil {
				return false
			}
			count += len(list)
		}
		return count == n
	})
}
