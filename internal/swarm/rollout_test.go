package swarm

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// at makes a task that was created at a second of its own.
func at(second, slot int, node string, state, desired swarm.TaskState) swarm.Task {
	t := swarm.Task{ID: fmt.Sprintf("task%02d", second), Slot: slot, NodeID: node, DesiredState: desired}
	t.CreatedAt = time.Unix(int64(second), 0)
	t.Status.State = state
	return t
}

func inIteration(t swarm.Task, n uint64) swarm.Task {
	t.JobIteration = &swarm.Version{Index: n}
	return t
}

const (
	running  = swarm.TaskStateRunning
	starting = swarm.TaskStateStarting
	failed   = swarm.TaskStateFailed
	shutdown = swarm.TaskStateShutdown
	complete = swarm.TaskStateComplete
	removed  = swarm.TaskStateRemove
)

func TestRolloutCounts(t *testing.T) {
	node := func(id string, state swarm.NodeState, availability swarm.NodeAvailability) swarm.Node {
		n := testNode()
		n.ID, n.Status.State, n.Spec.Availability = id, state, availability
		return n
	}
	nodes := []swarm.Node{
		node("ready", swarm.NodeStateReady, swarm.NodeAvailabilityActive),
		node("ready2", swarm.NodeStateReady, swarm.NodeAvailabilityActive),
		node("paused", swarm.NodeStateReady, swarm.NodeAvailabilityPause),
		node("drained", swarm.NodeStateReady, swarm.NodeAvailabilityDrain),
		node("down", swarm.NodeStateDown, swarm.NodeAvailabilityActive),
	}
	replicated := func(n uint64) swarm.ServiceMode {
		return swarm.ServiceMode{Replicated: &swarm.ReplicatedService{Replicas: &n}}
	}
	global := swarm.ServiceMode{Global: &swarm.GlobalService{}}
	globalJob := swarm.ServiceMode{GlobalJob: &swarm.GlobalJob{}}

	for name, tt := range map[string]struct {
		mode       swarm.ServiceMode
		once       bool
		placement  *swarm.Placement
		tasks      []swarm.Task
		want, have int
		listed     int // tasks that are reported; 0: all
	}{
		"a slot counts when its task runs": {
			mode: replicated(2), want: 2, have: 1,
			tasks: []swarm.Task{at(1, 1, "ready", running, running), at(2, 2, "ready", starting, running)},
		},
		"unset replicas are one": {mode: swarm.ServiceMode{}, want: 1, have: 0},
		"the newest task of a slot decides, in any order of the list": {
			mode: replicated(1), want: 1, have: 0,
			tasks: []swarm.Task{at(1, 1, "ready", running, running), at(2, 1, "ready", starting, running)},
		},
		"an old failure of a slot does not matter": {
			mode: replicated(1), want: 1, have: 1,
			tasks: []swarm.Task{at(1, 1, "ready", failed, shutdown), at(2, 1, "ready", running, running)},
		},
		"a task that is to stop does not count": {
			mode: replicated(1), want: 1, have: 0,
			tasks: []swarm.Task{at(1, 1, "ready", running, shutdown)},
		},
		"a slot that is scaled away does not count": {
			mode: replicated(1), want: 1, have: 1,
			tasks: []swarm.Task{at(1, 1, "ready", running, running), at(2, 2, "ready", running, removed)},
		},
		"tasks on nodes that are down, drained or unknown do not count": {
			mode: replicated(4), want: 4, have: 1,
			tasks: []swarm.Task{
				at(1, 1, "down", running, running), at(2, 2, "drained", running, running),
				at(3, 3, "gone", running, running), at(4, 4, "paused", running, running),
			},
		},
		"a global service wants the nodes that take tasks": {
			mode: global, want: 2, have: 1,
			tasks: []swarm.Task{at(1, 0, "ready", running, running), at(2, 0, "down", running, running)},
		},
		"a paused node counts once it has a task": {
			mode: global, want: 3, have: 3,
			tasks: []swarm.Task{at(1, 0, "ready", running, running), at(2, 0, "ready2", running, running), at(3, 0, "paused", running, running)},
		},
		"a node that a constraint excludes does not count": {
			mode: global, placement: &swarm.Placement{Constraints: []string{"node.id!=ready2"}}, want: 1, have: 1,
			tasks: []swarm.Task{at(1, 0, "ready", running, running), at(2, 0, "ready2", running, running)},
		},
		"a job counts completed slots of its iteration": {
			mode: swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{TotalCompletions: count(3)}}, want: 3, have: 2, listed: 3,
			tasks: []swarm.Task{
				inIteration(at(1, 0, "ready", complete, complete), 7), inIteration(at(2, 1, "down", complete, complete), 7),
				inIteration(at(3, 2, "ready", running, complete), 7), inIteration(at(4, 2, "ready", complete, complete), 6),
			},
		},
		"completions default to the concurrency": {mode: swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{MaxConcurrent: count(4)}}, want: 4},
		"and the concurrency to one":             {mode: swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{}}, want: 1},
		"a global job wants eligible nodes and keeps what completed elsewhere": {
			mode: globalJob, want: 3, have: 2, listed: 2,
			tasks: []swarm.Task{
				inIteration(at(1, 0, "ready", complete, complete), 7), inIteration(at(2, 0, "down", complete, complete), 7),
			},
		},
		"a one-shot counts what has completed": {
			mode: replicated(2), once: true, want: 2, have: 1,
			tasks: []swarm.Task{at(1, 1, "ready", complete, shutdown), at(2, 2, "ready", running, running)},
		},
		"a global one-shot wants eligible nodes and keeps what completed elsewhere": {
			mode: global, once: true, want: 3, have: 2,
			tasks: []swarm.Task{at(1, 0, "ready", complete, shutdown), at(2, 0, "down", complete, shutdown), at(3, 0, "ready2", running, running)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := swarm.Service{Spec: swarm.ServiceSpec{Mode: tt.mode, Annotations: swarm.Annotations{Name: "web"}}}
			if tt.once {
				s.Spec.Labels = map[string]string{object.LabelOneShot: "true"}
			}
			s.Spec.TaskTemplate.Placement = tt.placement
			s.JobStatus = &swarm.JobStatus{JobIteration: swarm.Version{Index: 7}}
			r := rollout(s, tt.tasks, nodes)
			if r.Want != tt.want || r.Have != tt.have {
				t.Errorf("%d of %d, want %d of %d", r.Have, r.Want, tt.have, tt.want)
			}
			if tt.once && !r.Job {
				t.Error("its tasks are to run on")
			}
			if tt.listed == 0 {
				tt.listed = len(tt.tasks)
			}
			if len(r.Tasks) != tt.listed {
				t.Errorf("%d tasks are listed, want %d", len(r.Tasks), tt.listed)
			}
			for i := 1; i < len(r.Tasks); i++ {
				if r.Tasks[i].Created.After(r.Tasks[i-1].Created) {
					t.Error("the tasks are not newest first")
				}
			}
		})
	}
}

func TestWindowIsTheMonitorOrFiveSeconds(t *testing.T) {
	for _, tt := range []struct {
		config *swarm.UpdateConfig
		want   time.Duration
	}{{nil, 5 * time.Second}, {&swarm.UpdateConfig{}, 5 * time.Second}, {&swarm.UpdateConfig{Monitor: time.Minute}, time.Minute}} {
		r := rollout(swarm.Service{Spec: swarm.ServiceSpec{UpdateConfig: tt.config}}, nil, nil)
		if r.Window != tt.want {
			t.Errorf("%+v: %s", tt.config, r.Window)
		}
	}
}

func TestExitCodeIsOfAContainerThatEnded(t *testing.T) {
	for name, tt := range map[string]struct {
		state     swarm.TaskState
		container *swarm.ContainerStatus
		want      *int
	}{
		"it failed":                      {state: failed, container: &swarm.ContainerStatus{ContainerID: "c", ExitCode: 3}, want: ptr(3)},
		"it completed":                   {state: complete, container: &swarm.ContainerStatus{ContainerID: "c"}, want: ptr(0)},
		"it was stopped":                 {state: shutdown, container: &swarm.ContainerStatus{ContainerID: "c", ExitCode: 137}, want: ptr(137)},
		"it still runs":                  {state: running, container: &swarm.ContainerStatus{ContainerID: "c"}},
		"it never ran, though it failed": {state: failed, container: &swarm.ContainerStatus{ContainerID: "c"}},
		"there is none":                  {state: swarm.TaskStateRejected, container: &swarm.ContainerStatus{}},
		"nothing is known":               {state: failed},
	} {
		got := exitCode(swarm.Task{Status: swarm.TaskStatus{State: tt.state, ContainerStatus: tt.container}})
		if (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// What a service needs to be polled costs the same for one and for many.
func TestProgressCostsThreeCalls(t *testing.T) {
	for _, n := range []int{1, fewServices, 300} {
		d := newDouble(t, "1.41")
		var services []swarm.Service
		var names []string
		for i := range n {
			s := swarm.Service{ID: fmt.Sprintf("id%d", i)}
			s.Spec.Name = fmt.Sprintf("web%d", i)
			services, names = append(services, s), append(names, s.Spec.Name)
		}
		d.on("GET /services", reply(200, services))
		all, err := d.backend.Progress(t.Context(), names)
		if err != nil || len(all) != n || all[n-1].Service != names[n-1] || all[n-1].Gone {
			t.Fatalf("%d rollouts of %d, %v", len(all), n, err)
		}
		if calls := d.total() - 1; calls != 3 {
			t.Errorf("%d services: %d calls beside the ping", n, calls)
		}
	}
}

// A service that is deleted between two of the calls does not fail the others.
func TestProgressOutlivesADeletion(t *testing.T) {
	d := newDouble(t, "1.41")
	s := swarm.Service{ID: "id1"}
	s.Spec.Name = "web"
	d.on("GET /services", reply(200, []swarm.Service{s}))
	d.on("GET /tasks", func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Query().Get("filters"), "id1") {
			refuse(404, "service id1 not found")(w, r)
			return
		}
		reply(200, []swarm.Task{})(w, r)
	})
	all, err := d.backend.Progress(t.Context(), []string{"web"})
	if err != nil || len(all) != 1 || reconcile.ReasonOf(err) != "" {
		t.Errorf("%+v, %v", all, err)
	}
}
