package object

import (
	"encoding/json"
	"slices"

	"github.com/docker/docker/api/types/swarm"
)

// Clone returns a deep copy, contents included, that shares no memory with o.
func (o Object) Clone() Object {
	c := o
	c.Spec = cloneSpec(o.Spec)
	c.DependsOn = slices.Clone(o.DependsOn)
	c.Sensitive = slices.Clone(o.Sensitive)
	for i, p := range c.Sensitive {
		c.Sensitive[i] = slices.Clone(p)
	}
	return c
}

func cloneSpec(spec any) any {
	switch s := spec.(type) {
	case *swarm.ServiceSpec:
		return clone(s)
	case *NetworkSpec:
		return clone(s)
	case *swarm.ConfigSpec:
		return clone(s)
	case *swarm.SecretSpec:
		return clone(s)
	case *VolumeSpec:
		return clone(s)
	}
	return spec
}

// clone copies an API type by way of its JSON, which is how it reaches the
// engine: what does not survive it would not arrive there either.
func clone[T any](v *T) *T {
	if v == nil {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		// Reached with a max_failure_ratio of NaN alone, which is no API value.
		panic("object: a spec that is no JSON: " + err.Error())
	}
	c := new(T)
	if err := json.Unmarshal(text, c); err != nil {
		panic("object: a spec that cannot be read back: " + err.Error())
	}
	return c
}

// CarryForceUpdate returns a copy of the desired spec with the counter of the
// live one, since another number restarts every task. The counter moves on by
// one when the label of the redeploy trigger differs: both go in one write, so
// that the same apply once more restarts nothing again. Live is nil for a
// service that is to be created.
func CarryForceUpdate(desired, live *swarm.ServiceSpec) *swarm.ServiceSpec {
	c := clone(desired)
	if c == nil || live == nil {
		return c
	}
	c.TaskTemplate.ForceUpdate = live.TaskTemplate.ForceUpdate
	if c.Labels[LabelRedeploy] != live.Labels[LabelRedeploy] {
		c.TaskTemplate.ForceUpdate++
	}
	return c
}

// RenameReferences returns a copy of a service in which every reference to the
// config or secret of one real name leads to another. The id of a changed
// reference is emptied: it belonged to the old one. Other kinds of objects refer
// to nothing and are copied.
func RenameReferences(o Object, kind Kind, from, to string) Object {
	c := o.Clone()
	spec, ok := c.Spec.(*swarm.ServiceSpec)
	if !ok || spec == nil || spec.TaskTemplate.ContainerSpec == nil {
		return c
	}
	container := spec.TaskTemplate.ContainerSpec
	switch kind {
	case KindSecret:
		for _, r := range container.Secrets {
			if r != nil && r.SecretName == from {
				r.SecretName, r.SecretID = to, ""
			}
		}
	case KindConfig:
		for _, r := range container.Configs {
			if r != nil && r.ConfigName == from {
				r.ConfigName, r.ConfigID = to, ""
			}
		}
		if p := container.Privileges; p != nil && p.CredentialSpec != nil && p.CredentialSpec.Config == from {
			p.CredentialSpec.Config = to
		}
	}
	return c
}
