package reconcile

import (
	"context"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// Core plans and applies releases over a Backend. It has no state of its own:
// every call starts from what is observed.
type Core struct {
	backend Backend
	// resolver is the backend as far as it reaches registries; nil when it does not.
	resolver Resolver
	now      func() time.Time
	poll     time.Duration
	closing  time.Duration
	// leaseTTL and lockTimeout bound the lease and the wait for it.
	leaseTTL, lockTimeout time.Duration
}

// Option changes how a Core works.
type Option func(*Core)

// PollEvery sets how long a wait rests between two looks at the task list.
func PollEvery(interval time.Duration) Option {
	return func(c *Core) { c.poll = interval }
}

// ClosingTime bounds what is still read and noted after an operation has ended,
// whatever ended it.
func ClosingTime(limit time.Duration) Option {
	return func(c *Core) { c.closing = limit }
}

// LeaseTTL sets how long a lease holds without being renewed.
func LeaseTTL(ttl time.Duration) Option {
	return func(c *Core) { c.leaseTTL = ttl }
}

// LockTimeout sets how long a writer waits for another writer of the release.
func LockTimeout(limit time.Duration) Option {
	return func(c *Core) { c.lockTimeout = limit }
}

// New returns a Core over a backend.
func New(backend Backend, options ...Option) *Core {
	c := &Core{
		backend: backend, now: time.Now, poll: 250 * time.Millisecond, closing: 15 * time.Second,
		leaseTTL: defaultTTL, lockTimeout: DefaultLockTimeout,
	}
	c.resolver, _ = backend.(Resolver)
	for _, o := range options {
		o(c)
	}
	return c
}

// Release is what should be: one application, database, registry or tunnel.
type Release struct {
	// Owner names the release. Instance is empty while a create is planned: Plan
	// fills it in.
	Owner
	Objects []object.Object
	// External objects must exist before the release can run.
	External []object.External
	// Needs are the engine levels that the objects ask for.
	Needs []object.Need
	// Sensitive are the values of sensitive inputs. They are hidden in whatever is
	// quoted of others: the engine's words and the logs of tasks.
	Sensitive []string
	// Resolve says when tags are pinned to digests; empty means never.
	Resolve Resolution
	// Pinned are the images with digests that services are written with, by
	// logical name. Plan fills it in from the newest revision.
	Pinned map[string]string
	// Before run one after the other when the service that they are for is about
	// to be made by a release that was never deployed. If one fails, nothing else
	// is written.
	Before []object.OneShot
	// After prove, once every service has converged, that the release does what it
	// is for. The revision is deployed when all have completed.
	After []object.OneShot
	// Local are the keys of services whose data is in a volume of the node that
	// they run on.
	Local []string
	// Commit is the source's commit, for the record.
	Commit string
	// HistoryLimit is how many revisions are kept; 0 means DefaultHistoryLimit.
	HistoryLimit int
}

// DefaultHistoryLimit is how many revisions are kept when nothing is said.
const DefaultHistoryLimit = 10

// PlanOptions change how a plan treats what it meets.
type PlanOptions struct {
	// Adopt takes over objects of the release's name that are not ours.
	Adopt bool
	// NoPrune keeps objects that are no longer desired and notes them in the
	// record.
	NoPrune bool
	// Fresh asks for a state read after the call began.
	Fresh bool
}

// Plan is every step between what is observed and what is desired.
type Plan struct {
	// Release is the desired release with its instance and the final names of
	// configs and secrets filled in.
	Release Release
	Options PlanOptions
	// Newest is the newest revision on record, nil when there is none.
	Newest *Revision
	// Steps are the writes in order: removals that make place, networks, secrets,
	// configs, services.
	Steps []Step
	// Prune are the deletions that follow convergence.
	Prune []Step
	// Adopted are the live objects that are taken over, in the order of
	// observation. Empty unless this is an adoption.
	Adopted []Live
	// Disruptions name what is removed and created again, and why.
	Disruptions []string
	// Warnings are for the user, in full sentences.
	Warnings []string

	state *State
	// next is what an apply puts on record; revisions are those on record.
	next      Revision
	revisions []*Revision
	// made are the contents that this apply has made itself.
	made []string
}

// Empty reports whether there is nothing to do: nothing differs, nothing is to be
// pruned, and the newest revision is deployed and says the same.
func (p *Plan) Empty() bool {
	return len(p.Prune) == 0 && !p.revises()
}

// revises reports whether an apply writes a new revision, or finishes the newest.
func (p *Plan) revises() bool {
	return len(p.Steps) > 0 || p.Newest == nil || p.Newest.Status != Deployed || !p.Newest.sameContent(p.next) ||
		p.Newest.Owner.Owner != p.next.Owner.Owner
}

// ApplyOptions are the user's wishes for one apply.
type ApplyOptions struct {
	// NoWait returns as soon as everything is written.
	NoWait bool
	// Prior is what `objects` showed when the plan was made, by which the guard
	// tells what has changed since; nil for a create.
	Prior map[string]string
	// RollBack takes the whole release back to its last deployed revision when
	// the apply fails; without it what was written stays.
	RollBack bool
	// Report receives a line every few seconds while services converge.
	Report func(line string)
	// Started is called with the instance when there is something to remember: before
	// the first write, or behind the jobs that look before a release is made.
	Started func(instance string)
}

// Result is the outcome of an apply.
type Result struct {
	Revision int
	Status   Status
	Instance string
	Warnings []string
	// Images are the images with digests that the release is pinned to, by logical
	// name of the service.
	Images map[string]string
}

// Status is the outcome of a revision.
type Status string

// The statuses of a revision.
const (
	Applying   Status = "applying"
	Deployed   Status = "deployed"
	Failed     Status = "failed"
	RolledBack Status = "rolled_back"
)

// Revision is one recorded version of a release.
type Revision struct {
	Number  int
	Status  Status
	Owner   Owner
	Commit  string
	Created time.Time
	Objects []object.Object
	// Images are the images with digests that services were written with, by
	// logical name; a service whose image could not be resolved has none.
	Images   map[string]string
	Adopted  []Adopted
	Retained []Adopted
	// External are objects that the revision refers to and does not own.
	External []Adopted
	// Earlier is set when there were revisions before whose records were lost.
	Earlier bool

	live *Live
}

// Adopted names an object of the engine that belongs to the release although it
// carries no label of ours.
type Adopted struct {
	Kind object.Kind `json:"kind"`
	Name string      `json:"name"`
}

// View is what is there of one release.
type View struct {
	Owner   Owner
	SwarmID string
	// Revision and Status are of the newest record; 0 and "" when there is none.
	Revision int
	Status   Status
	Commit   string
	// Objects are the live objects that count (see Core.Inspect).
	Objects []object.Object
	// Display maps "service/web" to the canonical JSON of the live object, with
	// sensitive leaves redacted.
	Display map[string]string
	// Services maps the logical name of a service to what else is known of it.
	Services map[string]ServiceView
	// Networks maps the logical name of a network to its real name.
	Networks map[string]string
	// Volumes maps the logical name of a named volume to its real name.
	Volumes map[string]string
	// Secrets maps the logical name of a secret to its real name.
	Secrets map[string]string
	// Images maps the logical name of a service to its image as the engine has
	// it, digest included.
	Images map[string]string
}

// ServiceView is a live service without its form.
type ServiceView struct {
	ID, Name, Mode string
	// Ports are as in the spec: "8080:80/tcp (ingress)", or ":80/tcp (host)"
	// when the engine chooses.
	Ports []string
}

// UninstallOptions are the user's wishes for a removal.
type UninstallOptions struct {
	// PurgeVolumes removes the named volumes of the release as well, if it has
	// once been deployed.
	PurgeVolumes bool
	// Protected refuses the removal of a release that has once been deployed.
	Protected bool
	// Empty are jobs that run when the services are gone, to empty volumes on nodes
	// that only a task reaches. Like PurgeVolumes they are left out for a release
	// that was never deployed.
	Empty []object.OneShot
	// Report receives progress lines.
	Report func(line string)
}

// Declare returns what a desired release will show in `objects` once it is
// applied: "service/web" to canonical JSON with sensitive leaves redacted. prior
// is the map of the prior state (nil for a create): a leaf that is redacted
// there and whose value does not change stays redacted. The paths are noted in
// the release's objects. Declare reads nothing but its arguments.
func Declare(desired *Release, prior map[string]string) (map[string]string, error) {
	return declare(desired, prior)
}

// SwarmID returns the id of the cluster that the backend is connected to.
func (c *Core) SwarmID(ctx context.Context) (string, error) {
	state, err := c.backend.Observe(ctx, Scope{})
	if err != nil {
		return "", err
	}
	return state.SwarmID, nil
}
