package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// EverDeployed reports whether a release has once been deployed, so that there may
// be data which somebody wants to keep. Of one whose records are gone nobody knows
// better, and it counts as deployed.
func (c *Core) EverDeployed(ctx context.Context, release, instance string) (bool, error) {
	state, err := c.backend.Observe(ctx, Scope{})
	if err != nil {
		return false, err
	}
	found, err := locate(state, release, instance)
	if ReasonOf(err) == ReasonNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return state.everDeployed(release, instance) || found.newest == nil, nil
}

func (s *State) everDeployed(release, instance string) bool {
	return slices.ContainsFunc(s.records(release), func(l *Live) bool {
		return l.Owner.Instance == instance && (l.Status == string(Deployed) || labelOf(l.Object, LabelEarlier) != "")
	})
}

// removable refuses a removal before its first write: of what is protected, and of
// what would have to leave something behind.
func (h *holdings) removable(opts UninstallOptions) error {
	owner := h.claim.owner
	if opts.Protected && (len(h.records) == 0 && len(h.owned) > 0 || h.state.everDeployed(owner.Release, owner.Instance)) {
		return &Error{Reason: ReasonProtected, Op: "uninstall " + owner.Release, Detail: "It is protected, and was deployed. Nothing was removed."}
	}
	var shared []string
	for _, l := range h.owned {
		var users []string
		switch l.Kind {
		case object.KindNetwork:
			users = h.state.users(l.Name, h.claim)
		case object.KindConfig, object.KindSecret:
			users = h.state.mounters(Adopted{Kind: l.Kind, Name: l.Name}, h.claim)
		}
		if len(users) > 0 {
			shared = append(shared, fmt.Sprintf("%s %s is used by service %s", l.Kind, l.Name, strings.Join(users, ", ")))
		}
	}
	if len(shared) == 0 {
		return nil
	}
	return &Error{
		Reason: ReasonInUse, Op: "uninstall " + owner.Release,
		Detail: strings.Join(shared, "; ") + ". These services do not belong to the release: detach or remove them first. Nothing was removed.",
	}
}

// mounters returns the services outside a release that mount one of its configs or
// secrets.
func (s *State) mounters(file Adopted, ours claim) []string {
	var out []string
	for i := range s.Live {
		if l := &s.Live[i]; l.Kind == object.KindService && !ours.owns(l) && references(l.Object)[file] {
			out = append(out, l.Name)
		}
	}
	return out
}

// losesData reports whether a removal takes the release's data along. Only a
// release that has once been deployed has data worth the name: the replacement of
// a failed create keeps what it finds.
func (h *holdings) losesData() bool {
	return h.state.everDeployed(h.claim.owner.Release, h.claim.owner.Instance)
}

// reachable makes sure, before anything is removed, that the nodes can be reached
// on which volumes are to be emptied.
func (c *Core) reachable(ctx context.Context, h *holdings, opts UninstallOptions) error {
	if len(opts.Empty) == 0 || !h.losesData() {
		return nil
	}
	var services []string
	for _, l := range h.owned {
		if l.Kind == object.KindService && slices.ContainsFunc(opts.Empty, func(job object.OneShot) bool { return job.For == l.Key }) {
			services = append(services, l.Name)
		}
	}
	if len(services) == 0 {
		return nil
	}
	homes, err := c.backend.Homes(ctx, services)
	if err != nil {
		return err
	}
	for _, service := range services {
		n := h.state.node(homes[service])
		if n == nil || n.Ready && n.Availability == "active" {
			continue
		}
		is, so := n.State, "Bring the node back"
		if n.Ready {
			is, so = "set to "+n.Availability+" and takes no job", "Make it active (docker node update --availability active "+n.Hostname+")"
		}
		return &Error{
			Reason: ReasonInvalid, Op: "uninstall " + h.claim.owner.Release,
			Detail: fmt.Sprintf("The data of service %s is to be deleted with it and is on node %s, which is %s. Nothing was removed. %s, or destroy without deleting the data.",
				service, n.Hostname, is, so),
		}
	}
	return nil
}

// empty runs the jobs that empty volumes.
func (c *Core) empty(ctx context.Context, h *holdings, opts UninstallOptions) error {
	if !h.losesData() {
		return nil
	}
	release := Release{Owner: h.claim.owner}
	if h.newest != nil { // for the image that the nodes have
		release.Objects, release.Pinned = h.newest.Objects, h.newest.Images
	}
	p := &Plan{Release: release, state: h.state}
	for _, job := range opts.Empty {
		if err := c.runJob(ctx, p, job, opts.Report); err != nil {
			return err
		}
	}
	return nil
}

// volumesToPurge lists the named volumes that go with the release.
func (h *holdings) volumesToPurge(opts UninstallOptions) []object.Object {
	if !opts.PurgeVolumes || !h.losesData() {
		return nil
	}
	return h.volumes()
}

// keepsData says so when data that was to go along stays.
func (h *holdings) keepsData(opts UninstallOptions) []string {
	if !opts.PurgeVolumes || h.losesData() {
		return nil
	}
	var warnings []string
	for _, v := range h.volumes() {
		warnings = append(warnings, fmt.Sprintf("Volume %s is kept if it is there: no record says that the release was ever deployed, and what it holds may be older. "+
			"To remove it: docker volume rm %[1]s, on its node.", v.Name))
	}
	return warnings
}

// volumes lists the named volumes of the release. The record has those as well
// whose services an interrupted removal has taken away already.
func (h *holdings) volumes() []object.Object {
	objects := make([]object.Object, 0, len(h.owned))
	for _, l := range h.owned {
		objects = append(objects, l.Object)
	}
	if h.newest != nil {
		for _, o := range h.newest.Objects {
			gone := !slices.ContainsFunc(h.owned, func(l *Live) bool { return l.Ref() == o.Ref() })
			if o.Kind == object.KindService && gone {
				objects = append(objects, o)
			}
		}
	}
	release := h.claim.owner.Release
	return slices.DeleteFunc(object.Volumes(objects, release), func(v object.Object) bool { return !strings.HasPrefix(v.Name, release+"_") })
}

// purge removes volumes on the connected node. It never fails the removal: what
// is left is said, and so is what cannot be seen from here in a swarm of several
// nodes.
func (c *Core) purge(ctx context.Context, volumes []object.Object, nodes int, emptied bool) []string {
	var warnings []string
	for _, v := range volumes {
		err := c.doDraining(ctx, Step{Verb: Delete, Object: v})
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("Volume %s was not removed: %v", v.Name, errors.Unwrap(err)))
		}
	}
	switch {
	case len(volumes) == 0 || nodes < 2:
	case emptied:
		warnings = append(warnings, "Volumes are local to their node: on other nodes than the connected one they have been emptied, and are still there.")
	default:
		warnings = append(warnings, "Volumes are local to their node: those of other nodes than the connected one are still there.")
	}
	return warnings
}
