package object

import (
	"encoding/json"
	"fmt"

	"github.com/docker/docker/api/types/swarm"
)

// encoded is the JSON of an object in a revision record. The specs are in the
// engine's own JSON.
type encoded struct {
	Kind        Kind            `json:"kind"`
	Key         string          `json:"key"`
	Name        string          `json:"name"`
	Spec        json.RawMessage `json:"spec"`
	Fingerprint string          `json:"fingerprint,omitempty"`
	FixedName   bool            `json:"fixed_name,omitempty"`
	Sensitive   []Path          `json:"sensitive,omitempty"`
	DependsOn   []Dependency    `json:"depends_on,omitempty"`
}

// MarshalJSON writes the object as a revision record holds it: configs and
// secrets without their content, which their name and fingerprint stand for.
func (o Object) MarshalJSON() ([]byte, error) {
	spec, err := json.Marshal(withoutContent(o.Spec))
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", o.Ref(), err)
	}
	return json.Marshal(encoded{
		Kind: o.Kind, Key: o.Key, Name: o.Name, Spec: spec,
		Fingerprint: o.Fingerprint, FixedName: o.FixedName,
		Sensitive: o.Sensitive, DependsOn: o.DependsOn,
	})
}

// UnmarshalJSON is the inverse of MarshalJSON. It refuses an object that could
// not have been written by it.
func (o *Object) UnmarshalJSON(text []byte) error {
	var e encoded
	if err := json.Unmarshal(text, &e); err != nil {
		return fmt.Errorf("read an object: %w", err)
	}
	ref := Ref{Kind: e.Kind, Key: e.Key}
	spec := newSpec(e.Kind)
	switch {
	case spec == nil:
		return fmt.Errorf("read %s: %q is no kind of object", ref, e.Kind)
	case e.Key == "":
		return fmt.Errorf("read an object of kind %s: it has no key", e.Kind)
	case len(e.Spec) == 0 || string(e.Spec) == "null":
		return fmt.Errorf("read %s: it has no spec", ref)
	}
	if err := json.Unmarshal(e.Spec, spec); err != nil {
		return fmt.Errorf("read %s: %w", ref, err)
	}
	*o = Object{
		Kind: e.Kind, Key: e.Key, Name: e.Name, Spec: withoutContent(spec),
		Fingerprint: e.Fingerprint, FixedName: e.FixedName,
		Sensitive: e.Sensitive, DependsOn: e.DependsOn,
	}
	return nil
}

// newSpec returns an empty spec of the type that objects of the kind have, nil
// for what is no kind.
func newSpec(kind Kind) any {
	switch kind {
	case KindService:
		return &swarm.ServiceSpec{}
	case KindNetwork:
		return &NetworkSpec{}
	case KindConfig, KindRecord:
		return &swarm.ConfigSpec{}
	case KindSecret:
		return &swarm.SecretSpec{}
	case KindVolume:
		return &VolumeSpec{}
	}
	return nil
}

// withoutContent returns the spec without the data of a config or secret, and
// any other one as it is.
func withoutContent(spec any) any {
	switch s := spec.(type) {
	case *swarm.ConfigSpec:
		if s != nil && s.Data != nil {
			c := *s
			c.Data = nil
			return &c
		}
	case *swarm.SecretSpec:
		if s != nil && s.Data != nil {
			c := *s
			c.Data = nil
			return &c
		}
	}
	return spec
}
