package reconcile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// differences compares a desired object with a live one in canonical form.
func (p *planner) differences(o object.Object, l *Live) ([]object.Difference, error) {
	want, err := o.Form(object.View{Names: p.desiredNames})
	if err != nil {
		return nil, invalidForm(o, err)
	}
	have, err := l.Form(object.View{Names: p.liveNames, Declared: &o})
	if err != nil {
		return nil, invalidForm(l.Object, err)
	}
	return object.Diff(want, have), nil
}

func invalidForm(o object.Object, err error) error {
	return &Error{
		Reason: ReasonInvalid, Op: fmt.Sprintf("compare %s %s", o.Kind, o.Name), Ref: o.Ref(), Err: err,
		Detail: "It cannot be brought to a canonical form, so nothing was written.",
	}
}

// network returns nil for a network that stays, a create, or a create with Live
// set when the network must be removed first. The engine cannot change a
// network; services that refer to one that is replaced go into replaced.
func (p *planner) network(o object.Object, replaced map[string]string) (*Step, error) {
	l := p.state.find(o.Kind, o.Name)
	if l == nil {
		return &Step{Verb: Create}, nil
	}
	diff, err := p.differences(o, l)
	if err != nil {
		return nil, err
	}
	if len(diff) == 0 {
		return nil, nil
	}
	hard := object.ImmutableDifferences(diff)
	if len(hard) == 0 {
		p.out.Warnings = append(p.out.Warnings, fmt.Sprintf(
			"The labels of network %s cannot be changed while it exists, and are not worth replacing it: they stay as they are.", o.Name))
		p.keepLabels(o, l)
		return nil, nil
	}
	if users := p.state.users(o.Name, p.claim); len(users) > 0 {
		return nil, &Error{
			Reason: ReasonInUse, Op: "replace network " + o.Name, Ref: o.Ref(),
			Detail: fmt.Sprintf("%s changes, which needs the network removed and created again, and services outside this release use it: %s. "+
				"Detach them first, or keep the network as it is.", fields(hard), strings.Join(users, ", ")),
		}
	}
	why := fmt.Sprintf("network %s must be replaced (%s)", o.Name, fields(hard))
	for _, s := range p.owned {
		if attached(s.Object, o.Name) {
			replaced[s.Name] = why
		}
	}
	return &Step{Verb: Create, Live: l, Reason: why}, nil
}

// keepLabels goes on with the labels that a network has, so that the revision
// tells what there is, and an apply with nothing else to do writes none.
func (p *planner) keepLabels(o object.Object, l *Live) {
	spec, isNetwork := o.Spec.(*object.NetworkSpec)
	have, isLive := l.Spec.(*object.NetworkSpec)
	if !isNetwork || !isLive {
		return
	}
	kept := *spec
	kept.Options.Labels = maps.Clone(have.Options.Labels)
	maps.DeleteFunc(kept.Options.Labels, func(k, _ string) bool { return strings.HasPrefix(k, object.LabelPrefix) })
	o.Spec = &kept
	for i := range p.desired.Objects {
		if p.desired.Objects[i].Ref() == o.Ref() {
			p.desired.Objects[i] = o
		}
	}
}

// file returns the step for a config or secret, nil when it is as it should be.
func (p *planner) file(o object.Object) (*Step, error) {
	l := p.state.find(o.Kind, o.Name)
	if p.facts.recorded {
		if l == nil {
			return nil, &Error{
				Reason: ReasonNotFound, Op: "restore " + string(o.Kind) + " " + o.Name, Ref: o.Ref(),
				Detail: "The revision to go back to needs it, and its content is not on record.",
			}
		}
		return nil, nil
	}
	if l == nil {
		return &Step{Verb: Create, Object: stamp(o, p.desired.Owner)}, nil
	}
	diff, err := p.differences(o, l)
	if err != nil {
		return nil, err
	}
	reason := ""
	if len(diff) == 0 {
		if l.Owner.Release != "" {
			return nil, nil
		}
		reason = "take ownership"
	}
	return &Step{Verb: Update, Object: stamp(o, p.desired.Owner), Live: l, Differences: diff, Reason: reason}, nil
}

// service returns the steps for a service: none, a create, an update, or a
// removal and a create when it cannot be changed in place.
func (p *planner) service(o object.Object, replaced map[string]string) ([]Step, error) {
	l := p.state.find(o.Kind, o.Name)
	pinned := pins(p.desired.Pinned)
	create := Step{Verb: Create, Object: pinned.pin(stamp(o, p.desired.Owner)), Restarts: true}
	if l == nil {
		return []Step{create}, nil
	}
	diff, err := p.differences(o, l)
	if err != nil {
		return nil, err
	}
	why := replaced[o.Name]
	if modeOf(o) != modeOf(l.Object) {
		why = fmt.Sprintf("its mode changes from %s to %s", modeOf(l.Object), modeOf(o))
	}
	if why != "" {
		create.Reason, create.Differences = why, diff
		return []Step{{Verb: Delete, Object: l.Object, Live: l, Reason: why}, create}, nil
	}
	reason := ""
	refs := changedReferences(o, l.Object)
	moved := pinned.moved(o, l.Object)
	switch {
	case len(diff) > 0:
	case len(refs) > 0:
		reason = "mounts a new version of " + strings.Join(refs, ", ")
	case moved != "":
		reason = moved
	case p.stuck(l):
		reason = "its last update stopped (" + l.Update.State + ") and is resumed"
	case l.Owner.Release == "" && p.adopting && !isJob(o):
		reason = "take ownership"
	default:
		return nil, nil
	}
	step := Step{Verb: Update, Live: l, Differences: diff, Reason: reason, Restarts: len(refs) > 0 || moved != "" || restarts(diff)}
	step.Object = p.desired.write(o, l, step.Restarts || len(diff) > 0)
	return []Step{step}, nil
}

// restarts reports whether differences give a service a new task template. The
// credential for its registry is kept beside that.
func restarts(diff []object.Difference) bool {
	return slices.ContainsFunc(diff, func(d object.Difference) bool { return d.Path.String() != "registry_credential" })
}

// write returns what is sent to update a service. Without a change it is what is
// live, so that nothing restarts that the canonical form does not see; a digest
// that the live image has and nobody declared is kept, and the counter that
// restarts tasks is carried forward.
func (r Release) write(o object.Object, l *Live, changed bool) object.Object {
	if !changed {
		same := l.Object
		same.Key, same.Sensitive, same.DependsOn = o.Key, o.Sensitive, o.DependsOn
		return stamp(same, r.Owner)
	}
	out := stamp(o, r.Owner)
	want, have := out.Spec.(*swarm.ServiceSpec), l.Spec.(*swarm.ServiceSpec)
	want = object.CarryForceUpdate(want, have)
	if a, b := want.TaskTemplate.ContainerSpec, have.TaskTemplate.ContainerSpec; a != nil && b != nil {
		if cut, _, ok := strings.Cut(b.Image, "@"); ok && cut == a.Image {
			a.Image = b.Image
		}
	}
	out.Spec = want
	return pins(r.Pinned).pin(out)
}

// stuck reports whether an equal service is written once more: this is how Swarm
// resumes an update that it has stopped. Only after an apply that did not end
// well, because the write also re-runs jobs and forgets the rollback target.
func (p *planner) stuck(l *Live) bool {
	if p.newest == nil || p.newest.Status == Deployed {
		return false
	}
	return l.Update.State == "paused" || l.Update.State == "rollback_paused" || p.facts.unfinished[l.Name]
}

func isJob(o object.Object) bool {
	m := modeOf(o)
	return m == "replicated-job" || m == "global-job"
}

func modeOf(o object.Object) string {
	spec, ok := o.Spec.(*swarm.ServiceSpec)
	switch {
	case !ok:
		return ""
	case spec.Mode.Global != nil:
		return "global"
	case spec.Mode.ReplicatedJob != nil:
		return "replicated-job"
	case spec.Mode.GlobalJob != nil:
		return "global-job"
	}
	return "replicated"
}

// references returns the real names of the configs and secrets that a service
// refers to.
func references(o object.Object) map[Adopted]bool {
	out := map[Adopted]bool{}
	spec, ok := o.Spec.(*swarm.ServiceSpec)
	if !ok || spec.TaskTemplate.ContainerSpec == nil {
		return out
	}
	for _, r := range spec.TaskTemplate.ContainerSpec.Configs {
		if r != nil {
			out[Adopted{Kind: object.KindConfig, Name: r.ConfigName}] = true
		}
	}
	for _, r := range spec.TaskTemplate.ContainerSpec.Secrets {
		if r != nil {
			out[Adopted{Kind: object.KindSecret, Name: r.SecretName}] = true
		}
	}
	return out
}

// changedReferences names the desired references that the live service does not
// have yet. It matters when the forms are equal: those show logical names only.
func changedReferences(o, live object.Object) []string {
	have := references(live)
	var out []string
	for _, kind := range []object.Kind{object.KindConfig, object.KindSecret} {
		for r := range references(o) {
			if r.Kind == kind && !have[r] {
				out = append(out, fmt.Sprintf("%s %s", r.Kind, r.Name))
			}
		}
	}
	return out
}

func fields(diff []object.Difference) string {
	out := make([]string, len(diff))
	for i, d := range diff {
		out[i] = d.Path.String()
	}
	return strings.Join(out, ", ")
}
