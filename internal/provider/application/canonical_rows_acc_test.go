package application_test

import (
	"context"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"
	"github.com/docker/docker/api/types/versions"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
)

// row is one field of the canonical table (ARCHITECTURE.md).
type row struct {
	rule string
	// api is the lowest version of the engine API that has the field, empty for all.
	api string
	// service and deploy are how Compose declares it, PORT and KEY standing for something of the service's own. Both
	// are empty when Compose has no word for it; the field is then only added.
	service, deploy string
	// change moves the live field, whether it was declared or not.
	change func(*target)
	// moved are the leaves that a plan shows when the declared field has been changed.
	moved []string
	// always is set for a field that no service lacks.
	always bool
}

// field is the top level of what a plan shows of the row.
func (r row) field() string {
	field, _, _ := strings.Cut(r.moved[0], ".")
	field, _, _ = strings.Cut(field, "[")
	return field
}

// beside is the attribute beside objects that shows the field as well.
func (r row) beside() string {
	return map[string]string{"image": "images", "ports": "services"}[r.field()]
}

func (r row) suits(api string) bool {
	return r.api == "" || versions.GreaterThanOrEqualTo(api, r.api)
}

// target is a live service that a row changes.
type target struct {
	*swarm.ServiceSpec
	c     *swarm.ContainerSpec
	known names
}

func (x *target) task() *swarm.TaskSpec { return &x.TaskTemplate }

// names are the real ids and names of what services refer to.
type names struct {
	other, byDefault string // ids of networks
	config, secret   string // ids of "second"
	configN, secretN string // and their real names
}

// rowsHeader declares what the services of the rows refer to, and one that declares nothing.
const rowsHeader = `
networks:
  other: {}
configs:
  first: {content: first}
  second: {content: second}
secrets:
  first: {}
  second: {}
services:
  bare:
    image: never/there:1
    deploy: {replicas: 0}
  user-of-all:
    image: never/there:1
    networks: [other]
    configs: [first, second]
    secrets: [first, second]
    deploy: {replicas: 0}
`

// liveNames looks up what rowsHeader has become.
func liveNames(t *testing.T, s *acctest.Swarm, release string) names {
	t.Helper()
	user := s.Service(t, release+"_user-of-all").Spec.TaskTemplate
	known := names{other: user.Networks[0].Target, byDefault: s.Service(t, release+"_bare").Spec.TaskTemplate.Networks[0].Target}
	container := user.ContainerSpec
	for _, c := range container.Configs {
		if c.File.Name == "second" {
			known.config, known.configN = c.ConfigID, c.ConfigName
		}
	}
	for _, c := range container.Secrets {
		if c.File.Name == "second" {
			known.secret, known.secretN = c.SecretID, c.SecretName
		}
	}
	return known
}

// rows is the canonical table.
func rows() []row {
	var all []row
	for _, group := range [][]row{serviceRows, taskRows, containerRows, mountRows, referenceRows} {
		all = append(all, group...)
	}
	return all
}

// apiVersion is the newest API that both the engine and the client know.
func apiVersion(t *testing.T, s *acctest.Swarm) string {
	t.Helper()
	v, err := s.Client().ServerVersion(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return v.APIVersion
}
