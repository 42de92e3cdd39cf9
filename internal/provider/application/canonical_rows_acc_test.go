package application_test

import (
	"context"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest/canonical"
)

func ptr[T any](v T) *T { return &v }

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
func liveNames(t *testing.T, s *acctest.Swarm, release string) canonical.Names {
	t.Helper()
	user := s.Service(t, release+"_user-of-all").Spec.TaskTemplate
	known := canonical.Names{Other: user.Networks[0].Target, Default: s.Service(t, release+"_bare").Spec.TaskTemplate.Networks[0].Target}
	container := user.ContainerSpec
	for _, c := range container.Configs {
		if c.File.Name == "second" {
			known.ConfigID, known.ConfigName = c.ConfigID, c.ConfigName
		}
	}
	for _, c := range container.Secrets {
		if c.File.Name == "second" {
			known.SecretID, known.SecretName = c.SecretID, c.SecretName
		}
	}
	return known
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
