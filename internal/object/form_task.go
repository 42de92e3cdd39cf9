package object

import (
	"fmt"
	"slices"

	"github.com/docker/docker/api/types/swarm"
)

// taskForm holds what a task template says besides its container.
type taskForm struct {
	Limits       limitsForm       `json:"limits,omitzero"`
	Reservations reservationsForm `json:"reservations,omitzero"`
	Restart      *restartForm     `json:"restart_policy,omitempty"`
	Placement    placementForm    `json:"placement,omitzero"`
	Logging      driverForm       `json:"logging,omitzero"`
}

func taskFields(t swarm.TaskSpec) taskForm {
	form := taskForm{Restart: restartFields(t.RestartPolicy)}
	if r := t.Resources; r != nil {
		if l := r.Limits; l != nil {
			form.Limits = limitsForm{CPUs: cpus(l.NanoCPUs), Memory: memory(l.MemoryBytes), Pids: l.Pids}
		}
		if l := r.Reservations; l != nil {
			form.Reservations = reservationsForm{
				CPUs:    cpus(l.NanoCPUs),
				Memory:  memory(l.MemoryBytes),
				Generic: genericResources(l.GenericResources),
			}
		}
	}
	if p := t.Placement; p != nil {
		form.Placement = placementForm{
			Constraints: sortedSet(p.Constraints),
			MaxReplicas: p.MaxReplicas,
		}
		for _, preference := range p.Preferences {
			if preference.Spread != nil {
				form.Placement.Preferences = append(form.Placement.Preferences,
					preferenceForm{Spread: preference.Spread.SpreadDescriptor})
			}
		}
	}
	if d := t.LogDriver; d != nil {
		form.Logging = driverForm{Driver: d.Name, Options: filled(d.Options)}
	}
	return form
}

type limitsForm struct {
	CPUs   string `json:"cpus,omitempty"`
	Memory string `json:"memory,omitempty"`
	Pids   int64  `json:"pids,omitempty"`
}

type reservationsForm struct {
	CPUs    string   `json:"cpus,omitempty"`
	Memory  string   `json:"memory,omitempty"`
	Generic []string `json:"generic_resources,omitempty"`
}

// genericResources renders every resource as kind=value, as the Docker CLI
// takes them.
func genericResources(resources []swarm.GenericResource) []string {
	var list []string
	for _, r := range resources {
		switch {
		case r.DiscreteResourceSpec != nil:
			list = append(list, fmt.Sprintf("%s=%d", r.DiscreteResourceSpec.Kind, r.DiscreteResourceSpec.Value))
		case r.NamedResourceSpec != nil:
			list = append(list, r.NamedResourceSpec.Kind+"="+r.NamedResourceSpec.Value)
		}
	}
	// Not a set: two of a kind are asked for by naming it twice.
	slices.Sort(list)
	return list
}

// restartForm is a restart policy. The condition is always shown, because a
// policy of nothing but defaults is something else than none.
type restartForm struct {
	Condition string `json:"condition"`
	// Delay tells 0 (at once) from nil (the engine's 5 s).
	Delay       *string `json:"delay,omitempty"`
	MaxAttempts uint64  `json:"max_attempts,omitempty"`
	Window      string  `json:"window,omitempty"`
}

func restartFields(p *swarm.RestartPolicy) *restartForm {
	if p == nil {
		return nil
	}
	form := &restartForm{
		Condition:   string(p.Condition),
		Delay:       durationSet(p.Delay),
		MaxAttempts: valueOr(p.MaxAttempts, 0),
		Window:      duration(valueOr(p.Window, 0)),
	}
	if form.Condition == "" {
		form.Condition = string(swarm.RestartPolicyConditionAny)
	}
	return form
}

type placementForm struct {
	Constraints []string         `json:"constraints,omitempty"`
	Preferences []preferenceForm `json:"preferences,omitempty"`
	MaxReplicas uint64           `json:"max_replicas_per_node,omitempty"`
}

type preferenceForm struct {
	Spread string `json:"spread"`
}

// driverForm is a driver with its options, of logging and of volumes.
type driverForm struct {
	Driver  string            `json:"driver,omitempty"`
	Options map[string]string `json:"options,omitempty"`
}

// filled returns nil for an empty map, so that a form with it is a zero value.
func filled(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	return m
}
