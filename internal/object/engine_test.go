package object_test

import (
	"context"
	"os"
	"testing"

	"github.com/docker/docker/client"
)

func startEngine(t *testing.T) *engine {
	t.Helper()
	if os.Getenv("TF_ACC") == "" || os.Getenv("SWARM_TEST_HOST") == "" {
		t.Skip("needs an engine")
	}
	c, err := client.NewClientWithOpts(client.WithHost(os.Getenv("SWARM_TEST_HOST")), client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.ServerVersion(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return &engine{Client: c, api: v.APIVersion}
}
