// Package reconcile is the core of the provider: it compares what a release
// should be with what runs, orders the steps between the two, carries them out,
// waits until the tasks of the new version really run, and keeps the revisions.
//
// It reaches the world through Backend alone and knows neither Terraform nor the
// kinds of resources: an application and a database are both a Release.
package reconcile

import (
	"context"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// Backend is what the core needs of the world. The adapter over the Docker
// Engine API is package swarm, the in-memory double for fault injection is
// package memory.
type Backend interface {
	// Observe returns everything that is there, from one snapshot shared by all
	// callers until something is written through this backend; scope.Fresh asks
	// for a new one. Callers must not change what they are given.
	//
	// A State is whole or it is an error: what could not be read is never
	// reported as absent.
	Observe(ctx context.Context, scope Scope) (*State, error)

	// Bookkeeping reads one record or lease by its real name, past the snapshot;
	// nil when the engine says that there is none.
	Bookkeeping(ctx context.Context, name string) (*Live, error)

	// Do carries out one create, update or delete, compare-and-swap on the
	// observed version, and returns the id of the object. Deleting what is gone
	// is success. The error is an *Error; after any other outcome than success
	// or ReasonInvalid the step may or may not have been done.
	Do(ctx context.Context, step Step) (string, error)

	// Progress tells how far services have come, with one read of the task list
	// for all of them.
	Progress(ctx context.Context, services []string) ([]Rollout, error)

	// Homes tells on which nodes services have been, by id of the node and real name
	// of the service: where the newest of their tasks, of whatever version, was that
	// ever had a container. Services without such a task are left out.
	Homes(ctx context.Context, services []string) (map[string]string, error)

	// Draining counts the tasks that still occupy a node which is not down although
	// their service was removed: the services of these ids, and whatever an earlier
	// removal of the release has not waited for to its end.
	Draining(ctx context.Context, release string, serviceIDs []string) (int, error)

	// Logs returns the last lines that a task wrote, oldest first, from any node.
	Logs(ctx context.Context, taskID string, lines int) ([]string, error)
}

// Scope narrows an observation.
type Scope struct {
	// Fresh asks for a state read after the call began.
	Fresh bool
}

// State is one consistent-enough picture of a swarm: the lists were read right
// after each other, and every write is guarded by the version read here.
type State struct {
	// SwarmID identifies the cluster.
	SwarmID string
	// APIVersion is the negotiated version of the Engine API, "1.41".
	APIVersion string
	// Live holds every service, network, config and secret of the swarm,
	// records included.
	Live []Live
	// Nodes are the members of the swarm.
	Nodes []Node
}

// Live is an observed object.
type Live struct {
	// Object is in the same shape as a desired one: references by real name
	// ("(unresolved <id>)" when the id leads nowhere). For an object with our
	// labels Key is the logical name of the label; for any other object of a
	// stack it is the real name without the stack's prefix.
	object.Object
	ID      string
	Version uint64
	// Owner is read from the object's labels; zero when it has none of ours.
	Owner Owner
	// Stack is the value of com.docker.stack.namespace.
	Stack string
	// Status is the value of the label io.swarmkeel.status (records only).
	Status string
	// Update is the state of the last update of a service.
	Update UpdateStatus
	// JobIteration counts the runs of a job.
	JobIteration uint64
	// Created and Updated are the engine's times.
	Created, Updated time.Time
}

// Owner tells whose an object is. It is written into the labels of every object
// that can carry labels.
type Owner struct {
	Release  string `json:"release"`
	Kind     string `json:"kind"`     // application, database, registry, tunnel
	Instance string `json:"instance"` // UUID, made at create
	Owner    string `json:"owner"`    // the provider's owner
}

// The labels that carry ownership. Input with LabelPrefix is refused.
const (
	LabelPrefix   = object.LabelPrefix
	LabelRelease  = LabelPrefix + "release"
	LabelKind     = LabelPrefix + "kind"
	LabelInstance = LabelPrefix + "instance"
	LabelOwner    = LabelPrefix + "owner"
	LabelKey      = LabelPrefix + "key"
	// LabelStatus is the status of a revision, on its record.
	LabelStatus = LabelPrefix + "status"
	// LabelEarlier is on the first record of a release whose records were lost: what
	// became of earlier revisions nobody knows.
	LabelEarlier = LabelPrefix + "earlier"
	// LabelFingerprint is the fingerprint of a secret's content.
	LabelFingerprint = LabelPrefix + "fingerprint"
	// LabelRedeploy is the hash of redeploy_trigger, on a service.
	LabelRedeploy = object.LabelRedeploy
	// LabelStack is Docker's own label of a stack's objects.
	LabelStack = object.LabelStack
)

// UpdateStatus is the engine's account of the last update of a service.
type UpdateStatus struct {
	// State is one of the engine's words: updating, paused, completed,
	// rollback_started, rollback_paused, rollback_completed; empty when there was
	// no update.
	State   string
	Message string
}

// Node is a member of the swarm.
type Node struct {
	ID, Hostname  string
	Role          string // manager, worker
	Availability  string // active, pause, drain
	Ready         bool
	State         string // ready, down, unknown, disconnected
	Message       string // the engine's words on the state
	Labels        map[string]string
	EngineLabels  map[string]string
	EngineVersion string
	Leader        bool
	// Reachability of a manager by the others: reachable, unreachable, unknown;
	// empty for a worker.
	Reachability string
	NanoCPUs     int64
	MemoryBytes  int64
	OS, Arch     string
	Addr         string
}

// Verb is what a Step does.
type Verb string

// The verbs.
const (
	Create Verb = "create"
	Update Verb = "update"
	Delete Verb = "delete"
)

// Step is one write.
type Step struct {
	Verb Verb
	// Object is what to write, labels included; for a delete, what was observed.
	Object object.Object
	// Live is what was observed of the object; nil for a create. Its version
	// guards the write.
	Live *Live
	// Differences says why, field by field (updates only).
	Differences []object.Difference
	// Reason says in words why an update is needed although no field differs.
	Reason string
	// Restarts is set when the write gives a service a new task template.
	Restarts bool
}

// Rollout is how far one service has come.
type Rollout struct {
	// Service is the real name.
	Service string
	// Gone is set when the service no longer exists.
	Gone bool
	// Job is set for replicated and global jobs, whose tasks are to complete.
	Job bool
	// Want is the number of slots that must run: replicas, eligible nodes of a
	// global service, completions of a job.
	Want int
	// Have counts the slots that do: up-to-date tasks Running on a Ready node
	// that is not drained, or completed tasks of the current iteration of a job.
	Have int
	// Update is the engine's account of the update.
	Update UpdateStatus
	// Tasks are the up-to-date tasks, failed ones included, newest first.
	Tasks []Task
	// Reverted are the tasks for which Swarm rolled an update back: of each slot
	// the newest that failed and is of another version. Empty unless Update says
	// that there was a roll-back.
	Reverted []Task
	// Blocked names what keeps a global service off every node; empty otherwise.
	Blocked string
	// Window is how long the state must hold: update_config.monitor, 5 s when
	// that is unset.
	Window time.Duration
	// Restart is the restart condition: any, on-failure or none. MaxAttempts is
	// how often a task is replaced per slot, 0 = without limit.
	Restart     string
	MaxAttempts int
}

// Task is one task of a service.
type Task struct {
	ID   string
	Slot int
	// Name is what the engine's tools show: shop_web.3, or shop_web.<node> for
	// a task of a global service.
	Name string
	// Node is the host name, empty while the task has none.
	Node    string
	NodeID  string
	Image   string
	State   string // the engine's word: pending, preparing, running, failed, rejected …
	Desired string // running, ready, shutdown, complete …
	// Err and Message are the engine's words on the state.
	Err, Message string
	// ExitCode is set when a container ended.
	ExitCode *int
	// Created and Since are the engine's times of the task and of its state.
	Created, Since time.Time
}
