// Package canonical is the table of the fields that a service can have (ARCHITECTURE.md), each with a way to move it behind
// Terraform's back.
package canonical

import (
	"strings"

	"github.com/docker/docker/api/types/swarm"
	"github.com/docker/docker/api/types/versions"
)

// Row is one field of the table.
type Row struct {
	Rule string
	// API is the lowest version of the engine API that has the field, empty for all.
	API string
	// Service and Deploy are how Compose declares it, PORT and KEY standing for something of the service's own. Both
	// are empty when Compose has no word for it; the field is then only added.
	Service, Deploy string
	// Change moves the live field, whether it was declared or not.
	Change func(*Target)
	// Moved are the leaves that a plan shows when the declared field has been changed.
	Moved []string
	// Always is set for a field that no service lacks.
	Always bool
}

// Field is the top level of what a plan shows of the row.
func (r Row) Field() string {
	field, _, _ := strings.Cut(r.Moved[0], ".")
	field, _, _ = strings.Cut(field, "[")
	return field
}

// Beside is the attribute beside objects that shows the field as well.
func (r Row) Beside() string {
	return map[string]string{"image": "images", "ports": "services"}[r.Field()]
}

// Suits tells whether an engine of an API version knows the field.
func (r Row) Suits(api string) bool {
	return r.API == "" || versions.GreaterThanOrEqualTo(api, r.API)
}

// Target is a live service that a row changes.
type Target struct {
	*swarm.ServiceSpec
	Container *swarm.ContainerSpec
	Known     Names
}

// On makes a target of a service that runs a container.
func On(spec *swarm.ServiceSpec, known Names) *Target {
	return &Target{ServiceSpec: spec, Container: spec.TaskTemplate.ContainerSpec, Known: known}
}

func (x *Target) task() *swarm.TaskSpec { return &x.TaskTemplate }

// Names are the real ids and names of what a service may be made to refer to.
type Names struct {
	Other, Default       string // ids of networks; a service that is not on Other comes to be on it
	ConfigID, ConfigName string // a config and a secret called "second"
	SecretID, SecretName string
}

// Rows is the whole table.
func Rows() []Row {
	var all []Row
	for _, group := range [][]Row{serviceRows, taskRows, containerRows, mountRows, referenceRows} {
		all = append(all, group...)
	}
	return all
}
