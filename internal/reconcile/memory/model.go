package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// Outcome is how the tasks of a service turn out.
type Outcome struct {
	// Polls is how often Progress is asked before the tasks run.
	Polls int
	// ExitCode, when not nil, makes every task end with it.
	ExitCode *int
	// Rejected, when not empty, makes nodes refuse the tasks with these words.
	Rejected string
	// Pending, when not empty, keeps the tasks without a node, with these words.
	Pending string
	// Update is the state that Swarm gives the update.
	Update reconcile.UpdateStatus
	// Log is what the tasks print.
	Log []string
}

// store puts an object into an entry, as the engine would hold it.
func (b *Backend) store(e *entry, o object.Object) {
	b.version++
	e.Version, e.Updated = b.version, time.Now()
	if spec, ok := o.Spec.(*swarm.SecretSpec); ok {
		if len(spec.Data) > 0 {
			e.secret = spec.Data
		}
		spec.Data = nil
	}
	labels := labels(o)
	e.Owner = reconcile.Owner{
		Release: labels[reconcile.LabelRelease], Kind: labels[reconcile.LabelKind],
		Instance: labels[reconcile.LabelInstance], Owner: labels[reconcile.LabelOwner],
	}
	e.Stack, e.Status = labels[reconcile.LabelStack], labels[reconcile.LabelStatus]
	o.Sensitive, o.DependsOn, o.FixedName, o.Derived = nil, nil, false, nil
	e.Object = o
}

func labels(o object.Object) map[string]string {
	switch spec := o.Spec.(type) {
	case *swarm.ServiceSpec:
		return spec.Labels
	case *swarm.ConfigSpec:
		return spec.Labels
	case *swarm.SecretSpec:
		return spec.Labels
	case *object.NetworkSpec:
		return spec.Options.Labels
	}
	return nil
}

// restarts reports whether an update replaces tasks: labels and scale do not.
func restarts(a, b any) bool {
	x, ok := a.(*swarm.ServiceSpec)
	y, ok2 := b.(*swarm.ServiceSpec)
	if !ok || !ok2 {
		return false
	}
	return text(x.TaskTemplate) != text(y.TaskTemplate) || text(x.EndpointSpec) != text(y.EndpointSpec)
}

func text(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // engine types always encode
	}
	return string(raw)
}

// dangling names a reference of a service that leads nowhere.
func (b *Backend) dangling(o object.Object) string {
	spec, ok := o.Spec.(*swarm.ServiceSpec)
	if !ok {
		return ""
	}
	for _, k := range refersTo(spec) {
		if b.entries[k] == nil {
			return string(k.kind) + " " + k.name
		}
	}
	return ""
}

// user names a service that refers to an object.
func (b *Backend) user(o object.Object) string {
	for _, e := range b.entries {
		spec, ok := e.Spec.(*swarm.ServiceSpec)
		if !ok {
			continue
		}
		for _, k := range refersTo(spec) {
			if k == (key{o.Kind, o.Name}) {
				return e.Name
			}
		}
	}
	return ""
}

func refersTo(spec *swarm.ServiceSpec) []key {
	var out []key
	for _, n := range spec.TaskTemplate.Networks {
		out = append(out, key{object.KindNetwork, n.Target})
	}
	if c := spec.TaskTemplate.ContainerSpec; c != nil {
		for _, r := range c.Configs {
			out = append(out, key{object.KindConfig, r.ConfigName})
		}
		for _, r := range c.Secrets {
			out = append(out, key{object.KindSecret, r.SecretName})
		}
	}
	return out
}

// Progress implements reconcile.Backend.
func (b *Backend) Progress(ctx context.Context, services []string) ([]reconcile.Rollout, error) {
	fault, err := b.enter(ctx, "Progress", nil)
	if err != nil {
		return nil, err
	}
	if fault == Lose {
		return nil, injected("Progress")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []reconcile.Rollout
	for _, name := range services {
		e := b.entries[key{object.KindService, name}]
		if e == nil {
			out = append(out, reconcile.Rollout{Service: name, Gone: true})
			continue
		}
		out = append(out, b.roll(e))
	}
	return out, nil
}

// roll moves a service on by one poll.
func (b *Backend) roll(e *entry) reconcile.Rollout {
	spec := e.Spec.(*swarm.ServiceSpec)
	var o Outcome
	if b.Behave != nil {
		o = b.Behave(e.Name, spec)
	}
	e.polls++
	r := reconcile.Rollout{Service: e.Name, Want: want(spec), Restart: "any", Update: o.Update, Window: time.Nanosecond}
	r.Job = spec.Mode.ReplicatedJob != nil || spec.Mode.GlobalJob != nil || spec.Labels[object.LabelOneShot] != ""
	if p := spec.TaskTemplate.RestartPolicy; p != nil {
		r.Restart = string(p.Condition)
		if p.MaxAttempts != nil {
			r.MaxAttempts = int(*p.MaxAttempts)
		}
	}
	if o.Pending == "" && o.Rejected == "" {
		e.home = b.Nodes[0].ID
	}
	task := reconcile.Task{
		ID: fmt.Sprintf("%s-%d-%d", e.ID, e.template, e.polls), Slot: 1, Name: e.Name + ".1", Node: b.Nodes[0].Hostname, NodeID: b.Nodes[0].ID, Desired: "running", State: "running",
	}
	switch {
	case o.Pending != "":
		task.ID = fmt.Sprintf("%s-%d", e.ID, e.template)
		task.State, task.Node, task.NodeID, task.Err = "pending", "", "", o.Pending
		r.Tasks = []reconcile.Task{task}
	case o.Rejected != "" || o.ExitCode != nil:
		e.failures++
		for i := range e.failures {
			t := task
			t.ID = fmt.Sprintf("%s-%d-%d", e.ID, e.template, i)
			t.State, t.Err, t.ExitCode, t.Desired = "failed", o.Rejected, o.ExitCode, "shutdown"
			if o.Rejected != "" {
				t.State = "rejected"
			}
			r.Tasks = append(r.Tasks, t)
		}
	case e.polls > o.Polls:
		r.Have = r.Want
		r.Tasks = []reconcile.Task{task}
	default:
		task.State = "preparing"
		r.Tasks = []reconcile.Task{task}
	}
	return r
}

func want(spec *swarm.ServiceSpec) int {
	switch {
	case spec.Mode.Replicated != nil && spec.Mode.Replicated.Replicas != nil:
		return int(*spec.Mode.Replicated.Replicas)
	case spec.Mode.ReplicatedJob != nil && spec.Mode.ReplicatedJob.TotalCompletions != nil:
		return int(*spec.Mode.ReplicatedJob.TotalCompletions)
	}
	return 1
}

// Homes implements reconcile.Backend.
func (b *Backend) Homes(ctx context.Context, services []string) (map[string]string, error) {
	fault, err := b.enter(ctx, "Homes", nil)
	if err != nil {
		return nil, err
	}
	if fault == Lose {
		return nil, injected("Homes")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	homes := map[string]string{}
	for _, name := range services {
		if e := b.entries[key{object.KindService, name}]; e != nil && e.home != "" {
			homes[name] = e.home
		}
	}
	return homes, nil
}

// Draining implements reconcile.Backend.
func (b *Backend) Draining(ctx context.Context, _ string, _ []string) (int, error) {
	fault, err := b.enter(ctx, "Draining", nil)
	if err == nil && fault == Lose {
		err = injected("Draining")
	}
	return 0, err
}

// Logs implements reconcile.Backend.
func (b *Backend) Logs(ctx context.Context, taskID string, _ int) ([]string, error) {
	fault, err := b.enter(ctx, "Logs", nil)
	if err != nil || fault == Lose {
		return nil, injected("Logs")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.entries {
		if spec, ok := e.Spec.(*swarm.ServiceSpec); ok && b.Behave != nil && len(taskID) >= len(e.ID) && taskID[:len(e.ID)] == e.ID {
			return b.Behave(e.Name, spec).Log, nil
		}
	}
	return nil, nil
}

// Templates returns how often the task template of a service changed: what
// restarts its tasks. 0 when there is no such service.
func (b *Backend) Templates(service string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[key{object.KindService, service}]; e != nil {
		return e.template
	}
	return 0
}

// Names returns the real names of everything of a kind, sorted by no order.
func (b *Backend) Names(kind object.Kind) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for k := range b.entries {
		if k.kind == kind {
			out = append(out, k.name)
		}
	}
	return out
}
