package reconcile

import (
	"context"
	"fmt"
	"sort"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// Inspect returns what is there of a release. instance narrows it to one
// installation; empty takes whatever carries the name, a stack without our
// labels included. The error is an *Error; ReasonNotFound only when the engine
// was read and has neither an object nor a record of it.
//
// What counts as the release's: services and networks with its labels or on its
// record, less those that were dropped and kept on purpose; of each config and
// secret the one generation that is in use; volumes as the services mount them.
func (c *Core) Inspect(ctx context.Context, release, instance string) (*View, error) {
	state, err := c.backend.Observe(ctx, Scope{})
	if err != nil {
		return nil, err
	}
	return inspect(state, release, instance)
}

func inspect(state *State, release, instance string) (*View, error) {
	f, err := locate(state, release, instance)
	if err != nil {
		return nil, err
	}
	v := f.view(state)
	others, err := state.mayStillRun(f.newest)
	if err != nil {
		return nil, err
	}
	v.Display, err = display(f.owner, f.newest, others, v.Objects, namesOfLive(f.owned))
	return v, err
}

// located is what belongs to a release.
type located struct {
	owner  Owner
	newest *Revision // nil when none is on record
	// owned is everything of the release's own, counted what is shown of it.
	owned, counted []*Live
}

// locate finds what Inspect counts. The error is an *Error; ReasonNotFound when
// there is nothing.
func locate(state *State, release, instance string) (*located, error) {
	newest, err := state.newest(release)
	if err != nil {
		return nil, err
	}
	if newest != nil && instance != "" && newest.Owner.Instance != instance {
		newest = nil
	}
	owner, adopting := whoHas(state, newest, release, instance)
	owned := newClaim(owner, newest, adopting).owned(state)
	if len(owned) == 0 && newest == nil {
		return nil, &Error{Reason: ReasonNotFound, Op: "read release " + release, Detail: "Neither an object nor a record of it is in the swarm."}
	}
	return &located{owner: owner, newest: newest, owned: owned, counted: counting(owned, newest)}, nil
}

// view is everything of a View but Display.
func (f *located) view(state *State) *View {
	v := &View{
		Owner: f.owner, SwarmID: state.SwarmID,
		Services: map[string]ServiceView{}, Networks: map[string]string{}, Images: map[string]string{}, Secrets: map[string]string{}, Volumes: map[string]string{},
	}
	if f.newest != nil {
		v.Revision, v.Status, v.Commit = f.newest.Number, f.newest.Status, f.newest.Commit
	}
	for _, l := range f.counted {
		v.Objects = append(v.Objects, l.Object)
		switch l.Kind {
		case object.KindService:
			v.service(l)
		case object.KindNetwork:
			v.Networks[l.Key] = l.Name
		case object.KindSecret:
			v.Secrets[l.Key] = l.Name
		}
	}
	for _, o := range object.Volumes(v.Objects, f.owner.Release) {
		v.Objects = append(v.Objects, o)
		v.Volumes[o.Key] = o.Name
	}
	return v
}

// mayStillRun returns the revisions before the newest that services may still be
// of: none when the newest is deployed, else those down to the last deployed one.
func (s *State) mayStillRun(newest *Revision) ([]*Revision, error) {
	if newest == nil || newest.Status == Deployed {
		return nil, nil
	}
	revisions, err := s.revisions(newest.Owner.Release)
	if err != nil {
		return nil, err
	}
	var out []*Revision
	for i := len(revisions) - 1; i >= 0; i-- {
		rev := revisions[i]
		if rev.Owner.Instance != newest.Owner.Instance || rev.Number >= newest.Number {
			continue
		}
		out = append(out, rev)
		if rev.Status == Deployed {
			break
		}
	}
	return out, nil
}

// whoHas tells whose the objects of a name are: by the record, else by a label,
// else they are a stack of somebody's that can be adopted.
func whoHas(state *State, newest *Revision, release, instance string) (owner Owner, adopting bool) {
	if newest != nil {
		return newest.Owner, false
	}
	for i := range state.Live {
		l := &state.Live[i]
		if l.Owner.Release == release && (instance == "" || l.Owner.Instance == instance) {
			return l.Owner, false
		}
	}
	return Owner{Release: release, Instance: instance, Kind: "application"}, instance == ""
}

// counting picks the objects that are shown.
func counting(owned []*Live, newest *Revision) []*Live {
	retained := map[Adopted]bool{}
	inUse := map[Adopted]bool{}
	recorded := map[Adopted]bool{}
	if newest != nil {
		for _, a := range newest.Retained {
			retained[a] = true
		}
		for _, o := range newest.Objects {
			recorded[Adopted{Kind: o.Kind, Name: o.Name}] = true
		}
	}
	for _, l := range owned {
		for r := range references(l.Object) {
			inUse[r] = true
		}
	}
	chosen := map[object.Ref]*Live{}
	var out []*Live
	for _, l := range owned {
		a := Adopted{Kind: l.Kind, Name: l.Name}
		switch l.Kind {
		case object.KindService, object.KindNetwork:
			if !retained[a] {
				out = append(out, l)
			}
		case object.KindConfig, object.KindSecret:
			if inUse[a] || recorded[a] || newest == nil {
				if better(l, chosen[l.Ref()], inUse, recorded) {
					chosen[l.Ref()] = l
				}
			}
		}
	}
	refs := make([]object.Ref, 0, len(chosen))
	for ref := range chosen {
		refs = append(refs, ref)
	}
	sort.Slice(refs, func(i, j int) bool { return refs[i].String() < refs[j].String() })
	for _, ref := range refs {
		out = append(out, chosen[ref])
	}
	return out
}

// better decides between two generations of a config or secret: what services
// use is what is live, and of several of those the one that is not as recorded
// is the news.
func better(l, other *Live, inUse, recorded map[Adopted]bool) bool {
	if other == nil {
		return true
	}
	rank := func(l *Live) int {
		a := Adopted{Kind: l.Kind, Name: l.Name}
		n := 0
		if inUse[a] {
			n += 2
			if !recorded[a] {
				n++
			}
		} else if recorded[a] {
			n++
		}
		return n
	}
	return rank(l) > rank(other)
}

func (v *View) service(l *Live) {
	spec := l.Spec.(*swarm.ServiceSpec)
	s := ServiceView{ID: l.ID, Name: l.Name, Mode: modeOf(l.Object), Ports: []string{}}
	if spec.EndpointSpec != nil {
		for _, p := range spec.EndpointSpec.Ports {
			s.Ports = append(s.Ports, showPort(p))
		}
	}
	sort.Strings(s.Ports)
	v.Services[l.Key] = s
	if c := spec.TaskTemplate.ContainerSpec; c != nil {
		v.Images[l.Key] = c.Image
	}
}

func showPort(p swarm.PortConfig) string {
	mode, protocol, published := p.PublishMode, p.Protocol, ""
	if mode == "" {
		mode = swarm.PortConfigPublishModeIngress
	}
	if protocol == "" {
		protocol = swarm.PortConfigProtocolTCP
	}
	if p.PublishedPort != 0 {
		published = fmt.Sprint(p.PublishedPort)
	}
	return fmt.Sprintf("%s:%d/%s (%s)", published, p.TargetPort, protocol, mode)
}

// History returns the revisions on record of a release, newest first.
func (c *Core) History(ctx context.Context, release string) ([]Revision, error) {
	state, err := c.backend.Observe(ctx, Scope{})
	if err != nil {
		return nil, err
	}
	revisions, err := state.revisions(release)
	if err != nil {
		return nil, err
	}
	out := make([]Revision, 0, len(revisions))
	for i := len(revisions) - 1; i >= 0; i-- {
		out = append(out, *revisions[i])
	}
	return out, nil
}

// Rollouts tells how far each service of a release is, by real name. Values that
// the records know as sensitive are hidden in the engine's words.
func (c *Core) Rollouts(ctx context.Context, release string) ([]Rollout, error) {
	view, err := c.Inspect(ctx, release, "")
	if err != nil {
		return nil, err
	}
	var services []string
	for _, s := range view.Services {
		services = append(services, s.Name)
	}
	if len(services) == 0 {
		return nil, nil
	}
	sort.Strings(services)
	rollouts, err := c.backend.Progress(ctx, services)
	if err != nil {
		return nil, err
	}
	state, err := c.backend.Observe(ctx, Scope{})
	if err != nil {
		return nil, err
	}
	revisions, err := state.revisions(release)
	if err != nil {
		return nil, err
	}
	return newMasker(Release{}, revisions...).rollouts(rollouts), nil
}
