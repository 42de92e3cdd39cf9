package swarm

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"
)

// Roll-backs stay in the engine's memory until the next update: their tasks are read in one call for all services.
func TestProgressOfRollBacksCostsOneCallMore(t *testing.T) {
	for _, n := range []int{2, fewServices + 1} {
		d := newDouble(t, "1.41")
		var services []swarm.Service
		var names []string
		var tasks []swarm.Task
		for i := range n {
			s := swarm.Service{ID: fmt.Sprintf("id%d", i), UpdateStatus: &swarm.UpdateStatus{State: swarm.UpdateStateRollbackCompleted}}
			s.Spec.Name = fmt.Sprintf("web%d", i)
			services, names = append(services, s), append(names, s.Spec.Name)
			tasks = append(tasks, swarm.Task{ID: "failed-of-" + s.ID, ServiceID: s.ID, Slot: 1, Status: swarm.TaskStatus{State: swarm.TaskStateFailed}})
		}
		d.on("GET /services", reply(200, services))
		d.on("GET /tasks", func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Query().Get("filters"), "_up-to-date") {
				reply(200, []swarm.Task{})(w, r)
				return
			}
			reply(200, tasks)(w, r)
		})
		all, err := d.backend.Progress(t.Context(), names)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range all {
			if len(r.Reverted) != 1 || r.Reverted[0].ID != fmt.Sprintf("failed-of-id%d", i) {
				t.Errorf("%s: the tasks of the roll-back are %+v", r.Service, r.Reverted)
			}
		}
		if calls := d.total() - 1; calls != 4 {
			t.Errorf("%d services: %d calls beside the ping", n, calls)
		}
	}
}
