package object

import (
	"cmp"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/swarm"
)

// serviceForm is the canonical form of a service, in Compose's words where
// Compose has one. What is not named here is not compared: the ForceUpdate
// counter (see CarryForceUpdate), and the platforms of a placement, which the
// client derives from the image.
type serviceForm struct {
	modeForm
	Image        string            `json:"image,omitempty"`
	Labels       map[string]string `json:"labels,omitempty"`
	Redeploy     string            `json:"redeploy,omitempty"`
	Credential   string            `json:"registry_credential,omitempty"`
	Ports        []portForm        `json:"ports,omitempty"`
	EndpointMode string            `json:"endpoint_mode,omitempty"`
	Networks     keyed             `json:"networks,omitempty"`
	Update       *updateForm       `json:"update_config,omitempty"`
	Rollback     *updateForm       `json:"rollback_config,omitempty"`
	// Runtime says that the service is of a kind that cannot be compared.
	Runtime string `json:"runtime,omitempty"`
	taskForm
	*containerForm
}

func serviceFields(spec *swarm.ServiceSpec, v View) (any, *FormError) {
	mode, err := modeFields(spec.Mode)
	if err != nil {
		return nil, err
	}
	form := serviceForm{
		modeForm:   mode,
		Labels:     shownLabels(spec.Labels),
		Redeploy:   spec.Labels[LabelRedeploy],
		Credential: spec.Labels[LabelCredential],
		Networks:   networkAttachments(spec),
		Update:     updateFields(spec.UpdateConfig),
		Rollback:   updateFields(spec.RollbackConfig),
		Runtime:    runtimeField(spec.TaskTemplate),
		taskForm:   taskFields(spec.TaskTemplate),
	}
	if e := spec.EndpointSpec; e != nil {
		form.Ports = portFields(e.Ports)
		if e.Mode != swarm.ResolutionModeVIP {
			form.EndpointMode = string(e.Mode)
		}
	}
	if c := spec.TaskTemplate.ContainerSpec; c != nil {
		form.Image = imageField(c.Image, spec.Labels, v)
		form.containerForm = containerFields(c, v.Names)
	}
	return form, nil
}

// imageField brings the declared image to the form in which the client sends it
// and leaves the live one as it is, but for a digest that nobody asked for.
func imageField(image string, labels map[string]string, v View) string {
	if !v.live() {
		return NormalizeImage(image)
	}
	name, pinned := splitDigest(image)
	if !pinned {
		return image
	}
	if declared, ok := declaredImage(v.Declared); ok {
		if _, asked := splitDigest(declared); asked {
			return image
		}
		return name
	}
	// Without a record, the label of `docker stack deploy` tells what was asked
	// for, as long as it still names the image that runs.
	if asked := labels[LabelStackImage]; asked != "" && NormalizeImage(asked) == name {
		return name
	}
	return image
}

func declaredImage(o *Object) (string, bool) {
	if o == nil {
		return "", false
	}
	spec, ok := o.Spec.(*swarm.ServiceSpec)
	if !ok || spec == nil || spec.TaskTemplate.ContainerSpec == nil {
		return "", false
	}
	return spec.TaskTemplate.ContainerSpec.Image, true
}

// runtimeField is empty for containers, the one runtime that can be compared.
func runtimeField(t swarm.TaskSpec) string {
	runtime := t.Runtime
	switch {
	case t.PluginSpec != nil:
		runtime = swarm.RuntimePlugin
	case t.NetworkAttachmentSpec != nil:
		runtime = swarm.RuntimeNetworkAttachment
	case runtime == "" || runtime == swarm.RuntimeContainer:
		return ""
	}
	return "(" + string(runtime) + ": not comparable)"
}

type modeForm struct {
	Mode string `json:"mode"`
	// Replicas is shown for replicated services, the other two for replicated
	// jobs, always.
	Replicas         *uint64 `json:"replicas,omitempty"`
	MaxConcurrent    *uint64 `json:"max_concurrent,omitempty"`
	TotalCompletions *uint64 `json:"total_completions,omitempty"`
}

// modeFields applies the defaults of the engine.
//
// Source: ServiceSpecToGRPC in daemon/cluster/convert/service.go of docker/docker.
func modeFields(m swarm.ServiceMode) (modeForm, *FormError) {
	var set []string
	form := modeForm{}
	if m.Replicated != nil {
		set = append(set, "replicated")
	}
	if m.Global != nil {
		set = append(set, "global")
	}
	if m.ReplicatedJob != nil {
		set = append(set, "replicated-job")
	}
	if m.GlobalJob != nil {
		set = append(set, "global-job")
	}
	switch len(set) {
	case 0:
		form.Mode = "replicated"
	case 1:
		form.Mode = set[0]
	default:
		return form, &FormError{Field: "mode", Detail: "a service has one mode, and this one has " + strings.Join(set, " and ")}
	}
	switch form.Mode {
	case "replicated":
		replicas := uint64(1)
		if m.Replicated != nil {
			replicas = valueOr(m.Replicated.Replicas, 1)
		}
		form.Replicas = &replicas
	case "replicated-job":
		concurrent := valueOr(m.ReplicatedJob.MaxConcurrent, 1)
		total := valueOr(m.ReplicatedJob.TotalCompletions, concurrent)
		form.MaxConcurrent, form.TotalCompletions = &concurrent, &total
	}
	return form, nil
}

// portForm is one published port. A published port of 0 is chosen by the
// engine, and absent here.
type portForm struct {
	Mode      string `json:"mode"`
	Name      string `json:"name,omitempty"`
	Protocol  string `json:"protocol"`
	Published uint32 `json:"published,omitempty"`
	Target    uint32 `json:"target"`
}

func portFields(ports []swarm.PortConfig) []portForm {
	var forms []portForm
	for _, p := range ports {
		forms = append(forms, portForm{
			Mode:      cmp.Or(strings.ToLower(string(p.PublishMode)), string(swarm.PortConfigPublishModeIngress)),
			Name:      p.Name,
			Protocol:  cmp.Or(strings.ToLower(string(p.Protocol)), string(swarm.PortConfigProtocolTCP)),
			Published: p.PublishedPort,
			Target:    p.TargetPort,
		})
	}
	slices.SortFunc(forms, func(a, b portForm) int {
		return cmp.Or(
			cmp.Compare(a.Target, b.Target),
			cmp.Compare(a.Published, b.Published),
			cmp.Compare(a.Protocol, b.Protocol),
			cmp.Compare(a.Mode, b.Mode),
			cmp.Compare(a.Name, b.Name),
		)
	})
	return slices.Compact(forms)
}

type attachmentForm struct {
	Aliases    []string          `json:"aliases,omitempty"`
	DriverOpts map[string]string `json:"driver_opts,omitempty"`
}

// networkAttachments prefers the networks of the task, as the engine does, to
// the deprecated ones of the service.
//
// Source: populateNetworkID in daemon/cluster/networks.go of docker/docker.
func networkAttachments(spec *swarm.ServiceSpec) keyed {
	networks := spec.TaskTemplate.Networks
	if len(networks) == 0 {
		networks = spec.Networks //nolint:staticcheck // services of old clients carry the deprecated field
	}
	var forms keyed
	for _, n := range networks {
		forms.add(n.Target, attachmentForm{Aliases: sortedSet(n.Aliases), DriverOpts: n.DriverOpts})
	}
	return forms
}

// updateForm is an update or rollback policy. Parallelism is always shown: 0 is
// a value of its own (all at once), and a policy of nothing but defaults is
// something else than none.
type updateForm struct {
	Parallelism     uint64  `json:"parallelism"`
	Delay           string  `json:"delay,omitempty"`
	FailureAction   string  `json:"failure_action,omitempty"`
	Monitor         string  `json:"monitor,omitempty"`
	MaxFailureRatio float32 `json:"max_failure_ratio,omitempty"`
	Order           string  `json:"order,omitempty"`
}

func updateFields(u *swarm.UpdateConfig) *updateForm {
	if u == nil {
		return nil
	}
	form := &updateForm{
		Parallelism:     u.Parallelism,
		Delay:           duration(u.Delay),
		Monitor:         duration(u.Monitor),
		MaxFailureRatio: u.MaxFailureRatio,
	}
	if u.FailureAction != swarm.UpdateFailureActionPause {
		form.FailureAction = u.FailureAction
	}
	if u.Order != swarm.UpdateOrderStopFirst {
		form.Order = u.Order
	}
	return form
}
