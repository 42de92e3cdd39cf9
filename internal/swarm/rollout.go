package swarm

import (
	"sort"
	"strconv"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// defaultMonitor is the window of a service without update_config.monitor
// (swarmkit's default, and the Docker CLI's).
const defaultMonitor = 5 * time.Second

// rollout computes how far a service has come from its up-to-date tasks. It
// never uses the engine's own counts, which include tasks on nodes that are gone.
func rollout(s swarm.Service, tasks []swarm.Task, nodes []swarm.Node) reconcile.Rollout {
	r := reconcile.Rollout{
		Service: s.Spec.Name,
		Update:  updateStatus(&s),
		Window:  defaultMonitor,
	}
	if c := s.Spec.UpdateConfig; c != nil && c.Monitor > 0 {
		r.Window = c.Monitor
	}
	r.Restart, r.MaxAttempts = restarts(s.Spec.TaskTemplate.RestartPolicy)

	sort.Slice(tasks, func(i, j int) bool {
		if a, b := tasks[i].CreatedAt, tasks[j].CreatedAt; !a.Equal(b) {
			return a.After(b)
		}
		return tasks[i].ID > tasks[j].ID
	})
	cluster := indexNodes(nodes)
	mode := s.Spec.Mode
	once := s.Spec.Labels[object.LabelOneShot] != ""
	switch {
	case once && mode.Global != nil:
		r.Job = true
		r.Want, r.Have = countGlobalJob(s.Spec.TaskTemplate.Placement, tasks, cluster)
	case once:
		r.Job = true
		r.Want, r.Have = replicas(mode.Replicated), countCompleted(tasks)
	case mode.Global != nil:
		r.Want, r.Have = countGlobal(s.Spec.TaskTemplate.Placement, tasks, cluster)
	case mode.GlobalJob != nil:
		r.Job = true
		tasks = ofIteration(s, tasks)
		r.Want, r.Have = countGlobalJob(s.Spec.TaskTemplate.Placement, tasks, cluster)
	case mode.ReplicatedJob != nil:
		r.Job = true
		tasks = ofIteration(s, tasks)
		r.Want, r.Have = completions(mode.ReplicatedJob), countCompleted(tasks)
	default:
		r.Want, r.Have = replicas(mode.Replicated), countReplicated(tasks, cluster)
	}
	if r.Want == 0 && (mode.Global != nil || mode.GlobalJob != nil) {
		r.Blocked = blocker(s.Spec.TaskTemplate.Placement, nodes)
	}
	r.Tasks = make([]reconcile.Task, len(tasks))
	for i, t := range tasks {
		r.Tasks[i] = convertTask(s, t, cluster)
	}
	return r
}

// restarts reads a restart policy; unset means that every task is replaced, as
// often as it takes.
func restarts(p *swarm.RestartPolicy) (condition string, attempts int) {
	condition = string(swarm.RestartPolicyConditionAny)
	if p == nil {
		return condition, 0
	}
	if p.Condition != "" {
		condition = string(p.Condition)
	}
	if p.MaxAttempts != nil {
		attempts = int(*p.MaxAttempts)
	}
	return condition, attempts
}

func replicas(r *swarm.ReplicatedService) int {
	if r == nil || r.Replicas == nil {
		return 1
	}
	return int(*r.Replicas)
}

// completions follows the engine's defaults: MaxConcurrent 1, then
// TotalCompletions as MaxConcurrent.
func completions(j *swarm.ReplicatedJob) int {
	switch {
	case j.TotalCompletions != nil:
		return int(*j.TotalCompletions)
	case j.MaxConcurrent != nil:
		return int(*j.MaxConcurrent)
	}
	return 1
}

type nodeIndex struct {
	list []swarm.Node
	byID map[string]swarm.Node
}

func indexNodes(nodes []swarm.Node) nodeIndex {
	x := nodeIndex{list: nodes, byID: make(map[string]swarm.Node, len(nodes))}
	for _, n := range nodes {
		x.byID[n.ID] = n
	}
	return x
}

// runs reports whether a task runs and is meant to, on a node that keeps it.
// With a healthcheck a task is Running only once it is healthy.
func (x nodeIndex) runs(t swarm.Task) bool {
	n, known := x.byID[t.NodeID]
	return known && serving(n) &&
		t.Status.State == swarm.TaskStateRunning && t.DesiredState == swarm.TaskStateRunning
}

// countReplicated counts the slots whose newest task runs. tasks are sorted,
// newest first.
func countReplicated(tasks []swarm.Task, cluster nodeIndex) (have int) {
	seen := make(map[int]bool)
	for _, t := range tasks {
		if seen[t.Slot] {
			continue
		}
		seen[t.Slot] = true
		if cluster.runs(t) {
			have++
		}
	}
	return have
}

// countGlobal counts the eligible nodes, and those of them whose newest task
// runs. A paused node counts as long as it has a task that is to run.
func countGlobal(p *swarm.Placement, tasks []swarm.Task, cluster nodeIndex) (want, have int) {
	newest := newestByNode(tasks)
	for _, n := range cluster.list {
		t, has := newest[n.ID]
		keeps := has && t.DesiredState == swarm.TaskStateRunning && serving(n)
		if !admits(p, n) || !schedulable(n) && !keeps {
			continue
		}
		want++
		if has && cluster.runs(t) {
			have++
		}
	}
	return want, have
}

// countGlobalJob counts the eligible nodes and those that have completed. A node
// that completed before it went away counts on both sides.
func countGlobalJob(p *swarm.Placement, tasks []swarm.Task, cluster nodeIndex) (want, have int) {
	completed := make(map[string]bool)
	for _, t := range tasks {
		if t.Status.State == swarm.TaskStateComplete {
			completed[t.NodeID] = true
		}
	}
	for _, n := range cluster.list {
		if !completed[n.ID] && admits(p, n) && schedulable(n) {
			want++
		}
	}
	return want + len(completed), len(completed)
}

func newestByNode(tasks []swarm.Task) map[string]swarm.Task {
	newest := make(map[string]swarm.Task)
	for _, t := range tasks {
		if _, ok := newest[t.NodeID]; !ok {
			newest[t.NodeID] = t
		}
	}
	return newest
}

func countCompleted(tasks []swarm.Task) int {
	slots := make(map[int]bool)
	for _, t := range tasks {
		if t.Status.State == swarm.TaskStateComplete {
			slots[t.Slot] = true
		}
	}
	return len(slots)
}

// ofIteration keeps the tasks of the current run of a job.
func ofIteration(s swarm.Service, tasks []swarm.Task) []swarm.Task {
	var current uint64
	if s.JobStatus != nil {
		current = s.JobStatus.JobIteration.Index
	}
	var kept []swarm.Task
	for _, t := range tasks {
		var iteration uint64
		if t.JobIteration != nil {
			iteration = t.JobIteration.Index
		}
		if iteration == current {
			kept = append(kept, t)
		}
	}
	return kept
}

func convertTask(s swarm.Service, t swarm.Task, cluster nodeIndex) reconcile.Task {
	out := reconcile.Task{
		ID:      t.ID,
		Slot:    t.Slot,
		Name:    taskName(s, t),
		NodeID:  t.NodeID,
		Node:    t.NodeID,
		State:   string(t.Status.State),
		Desired: string(t.DesiredState),
		Err:     t.Status.Err,
		Message: t.Status.Message,
		Created: t.CreatedAt,
		Since:   t.Status.Timestamp,
	}
	if n, ok := cluster.byID[t.NodeID]; ok && n.Description.Hostname != "" {
		out.Node = n.Description.Hostname
	}
	if c := t.Spec.ContainerSpec; c != nil {
		out.Image = c.Image
	}
	out.ExitCode = exitCode(t)
	return out
}

// taskName is what `docker service ps` shows, but for jobs, whose slots it leaves
// out when they are 0.
func taskName(s swarm.Service, t swarm.Task) string {
	if s.Spec.Mode.Global != nil || s.Spec.Mode.GlobalJob != nil {
		return s.Spec.Name + "." + t.NodeID
	}
	return s.Spec.Name + "." + strconv.Itoa(t.Slot)
}

// exitCode is the container's, once it ended. A task that failed with code 0
// never had a running container.
func exitCode(t swarm.Task) *int {
	c := t.Status.ContainerStatus
	if c == nil || c.ContainerID == "" {
		return nil
	}
	switch t.Status.State {
	case swarm.TaskStateComplete, swarm.TaskStateShutdown:
	case swarm.TaskStateFailed, swarm.TaskStateRejected:
		if c.ExitCode == 0 {
			return nil
		}
	default:
		return nil
	}
	code := c.ExitCode
	return &code
}

// reverted keeps, of each slot, the newest task that failed and is not current.
func reverted(s swarm.Service, tasks []swarm.Task, current []reconcile.Task, cluster nodeIndex) []reconcile.Task {
	seen := make(map[string]bool)
	isCurrent := make(map[string]bool, len(current))
	for _, t := range current {
		isCurrent[t.ID] = true
	}
	sort.Slice(tasks, func(i, j int) bool { return tasks[i].CreatedAt.After(tasks[j].CreatedAt) })
	var out []reconcile.Task
	for _, t := range tasks {
		failed := t.Status.State == swarm.TaskStateFailed || t.Status.State == swarm.TaskStateRejected
		if task := convertTask(s, t, cluster); failed && !isCurrent[task.ID] && !seen[task.Name] {
			seen[task.Name] = true
			out = append(out, task)
		}
	}
	return out
}
