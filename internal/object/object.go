// Package object holds the common currency of the provider: a desired or
// observed object of a release, its canonical form, and the difference between
// two of them. Every kind of resource is rendered into a list of objects, and
// everything that is observed comes back as one.
//
// The package does no I/O and knows no release: ownership, ordering and writing
// are the business of package reconcile.
package object

import (
	"fmt"
	"strings"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"
)

// Kind tells what an object is. It is the first half of the keys that users see
// in the map `objects` of a resource ("service/web").
type Kind string

// The kinds of objects a swarm release consists of.
const (
	KindNetwork Kind = "network"
	KindSecret  Kind = "secret"
	KindConfig  Kind = "config"
	KindService Kind = "service"
	// KindVolume objects are never written: a volume comes into being on the
	// node of the task that mounts it. They are derived from the services.
	KindVolume Kind = "volume"
	// KindRecord objects are the revision records of a release. They are Docker
	// configs, and never part of what a user declares.
	KindRecord Kind = "record"
	// KindLease objects say who writes a release at the moment. They are Docker
	// configs as well.
	KindLease Kind = "lease"
)

// Ref names an object within its release: the kind and the logical name, which
// is what the user wrote ("web"), not what the engine calls it ("shop_web").
type Ref struct {
	Kind Kind   `json:"kind"`
	Key  string `json:"key"`
}

// String is the form users see: "service/web".
func (r Ref) String() string { return string(r.Kind) + "/" + r.Key }

// ParseRef is the inverse of Ref.String.
func ParseRef(s string) (Ref, error) {
	kind, key, ok := strings.Cut(s, "/")
	if !ok || kind == "" || key == "" {
		return Ref{}, fmt.Errorf("%q is not of the form <kind>/<name>", s)
	}
	return Ref{Kind: Kind(kind), Key: key}, nil
}

// Object is one desired or observed thing.
//
// Spec is what the engine is given, in the engine's own type, with every
// reference to another object by its real name (ids are filled in by the
// backend at the very last moment, because the object may not exist before):
//
//	service          *swarm.ServiceSpec
//	network          *NetworkSpec
//	config, record   *swarm.ConfigSpec
//	secret           *swarm.SecretSpec (Data only on the desired side)
//	volume           *VolumeSpec
type Object struct {
	Kind Kind
	Key  string
	// Name is the real name at the engine.
	Name string
	Spec any
	// Fingerprint identifies the content of a config or secret, see
	// ConfigFingerprint and SecretFingerprint. Empty when it cannot be known (a
	// secret that somebody else created).
	Fingerprint string
	// FixedName is set for configs and secrets that carry an explicit name, so
	// that a change of content cannot get a new name.
	FixedName bool
	// Sensitive lists places in the canonical form that a sensitive input went
	// into. They are shown as a fingerprint.
	Sensitive []Path
	// DependsOn orders the rollout of services.
	DependsOn []Dependency
	// Derived makes the content of a secret that has none yet; nil when the spec
	// has it.
	Derived *Derived
}

// Ref returns the object's name within its release.
func (o Object) Ref() Ref { return Ref{Kind: o.Kind, Key: o.Key} }

// Condition is what a Dependency waits for, in the words of the Compose
// specification.
type Condition string

// The conditions of `depends_on`.
const (
	Started   Condition = "service_started"
	Healthy   Condition = "service_healthy"
	Completed Condition = "service_completed_successfully"
)

// Dependency says that a service is written only after another one of the same
// release has reached a condition.
type Dependency struct {
	Key       string    `json:"key"`
	Condition Condition `json:"condition"`
}

// NetworkSpec is what a network is created from. The engine has no update call
// for networks, so it is compared, never changed.
type NetworkSpec struct {
	Name    string
	Options network.CreateOptions
}

// VolumeSpec describes a named volume as the mounts of a release's services ask
// for it. What a mount says of its use of the volume (no copy, a sub-path, read
// only) belongs to the service.
type VolumeSpec struct {
	Driver *swarm.Driver
	Labels map[string]string
}

// Path leads to a leaf of a canonical form: map keys and list indexes, outermost
// first. Segments are kept apart because keys contain dots ("traefik.enable").
type Path []string

// String renders the path for people: env.TZ, labels["traefik.enable"], ports[0].
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case isIndex(s):
			b.WriteString("[" + s + "]")
		case strings.ContainsAny(s, ".[]\" /"):
			fmt.Fprintf(&b, "[%q]", s)
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s)
		}
	}
	return b.String()
}

func isIndex(s string) bool {
	if s == "" {
		return false
	}
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return true
}
