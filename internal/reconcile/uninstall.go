package reconcile

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// Uninstall removes everything of a release: services first, then, when their
// tasks are gone, what those held on to, then the records, because they are the
// only way to find the rest again, and the lease last. Absent is success. A
// network or secret that somebody else's service uses stops the removal before
// its first write, and so does protection.
func (c *Core) Uninstall(ctx context.Context, owner Owner, opts UninstallOptions) (*Result, error) {
	op := "uninstall " + owner.Release
	result := &Result{Instance: owner.Instance}
	what, err := c.holdings(ctx, owner)
	if err != nil {
		return nil, ended(ctx, op, err)
	}
	if len(what.owned)+len(what.records) == 0 && what.lease == nil {
		return result, nil
	}
	if err := what.removable(opts); err != nil {
		return nil, err
	}
	if err := c.reachable(ctx, what, opts); err != nil {
		return nil, ended(ctx, op, err)
	}
	l, err := c.acquire(ctx, owner, c.lockTimeout, opts.Report)
	if err != nil {
		return nil, ended(ctx, op, err)
	}
	covered := c.under(l)
	warnings, err := covered.removeRelease(ctx, owner, opts)
	result.Warnings = warnings
	if err != nil {
		l.release(ctx)
		return result, ended(ctx, op, err)
	}
	return result, ended(ctx, op, l.remove(ctx))
}

// holdings are what an uninstall removes.
type holdings struct {
	state   *State
	claim   claim
	newest  *Revision
	owned   []*Live
	records []*Live
	lease   *Live
}

func (c *Core) holdings(ctx context.Context, owner Owner) (*holdings, error) {
	state, err := c.backend.Observe(ctx, Scope{Fresh: true})
	if err != nil {
		return nil, err
	}
	newest, err := state.newest(owner.Release)
	if err != nil {
		return nil, err
	}
	if newest != nil && owner.Instance != "" && newest.Owner.Instance != owner.Instance {
		newest = nil
	}
	if err := state.ofOthers("uninstall "+owner.Release, owner, newest); err != nil {
		return nil, err
	}
	h := &holdings{state: state, newest: newest, claim: newClaim(owner, newest, owner.Instance == "")}
	h.owned = h.claim.owned(state)
	for _, l := range state.records(owner.Release) {
		if l.Owner.Instance == owner.Instance || owner.Instance == "" {
			h.records = append(h.records, l)
		}
	}
	if l := state.find(object.KindLease, leasePrefix+owner.Release); l != nil && (l.Owner.Instance == owner.Instance || owner.Instance == "") {
		h.lease = l
	}
	return h, nil
}

// removeRelease removes all but the lease.
func (c *Core) removeRelease(ctx context.Context, owner Owner, opts UninstallOptions) ([]string, error) {
	h, err := c.holdings(ctx, owner)
	if err != nil {
		return nil, err
	}
	if err := h.removable(opts); err != nil {
		return nil, err
	}
	if opts.Report != nil {
		opts.Report(fmt.Sprintf("%s: removing %d objects", owner.Release, len(h.owned)))
	}
	volumes := h.volumesToPurge(opts)
	if err := c.removeServices(ctx, owner.Release, h.owned,
		"Networks, configs, secrets and records of the release are still there. Destroying again goes on from here."); err != nil {
		return nil, err
	}
	if err := c.empty(ctx, h, opts); err != nil {
		return nil, err
	}
	for _, kind := range []object.Kind{object.KindConfig, object.KindSecret, object.KindNetwork} {
		if err := c.removeAll(ctx, h.owned, kind); err != nil {
			return nil, err
		}
	}
	warnings := c.purge(ctx, volumes, len(h.state.Nodes), len(opts.Empty) > 0)
	warnings = append(warnings, h.keepsData(opts)...)
	return warnings, c.removeAll(ctx, h.records, object.KindRecord)
}

// removeServices removes the services among the objects and waits until their tasks
// are gone, and with the name of the release those of services that an interrupted
// removal has taken away. onward says, when that takes too long, what is there and
// how it goes on.
func (c *Core) removeServices(ctx context.Context, release string, owned []*Live, onward string) error {
	if err := c.removeAll(ctx, owned, object.KindService); err != nil {
		return err
	}
	var ids []string
	for _, l := range owned {
		if l.Kind == object.KindService {
			ids = append(ids, l.ID)
		}
	}
	return c.drained(ctx, release, ids, onward)
}

// drained waits until no task of removed services, by id, occupies a node; of the
// release's too, if it is named.
func (c *Core) drained(ctx context.Context, release string, ids []string, onward string) error {
	for len(ids) > 0 || release != "" {
		n, err := patiently(ctx, c, func() (int, error) { return c.backend.Draining(ctx, release, ids) })
		if err != nil || n == 0 {
			return err
		}
		if err := c.pause(ctx); err != nil {
			return &Error{Reason: ReasonTimeout, Op: "wait until the tasks of removed services are gone", Err: err, Detail: fmt.Sprintf(
				"The services are removed, and %d of their tasks still occupy a node: containers that take their time to stop, or a job, which some engines let run to its end. %s", n, onward)}
		}
	}
	return nil
}

func (c *Core) removeAll(ctx context.Context, objects []*Live, kind object.Kind) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for _, l := range objects {
		if l.Kind == kind {
			g.Go(func() error { return c.doDraining(gctx, Step{Verb: Delete, Object: l.Object, Live: l}) })
		}
	}
	return g.Wait()
}
