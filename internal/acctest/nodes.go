package acctest

import (
	"context"
	"strconv"
	"testing"

	"github.com/docker/docker/client"
)

// NodeClient talks to the engine of node n (1 is the first).
func (s *Swarm) NodeClient(t testing.TB, n int) *client.Client {
	t.Helper()
	c, err := client.NewClientWithOpts(client.WithHost(s.host(n)), client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Through is the same swarm, talked to through node n.
func (s *Swarm) Through(t testing.TB, n int) *Swarm {
	t.Helper()
	return &Swarm{dir: s.dir, via: n, client: s.NodeClient(t, n)}
}

// NodeHost is the address of node n's engine, as DOCKER_HOST takes it.
func (s *Swarm) NodeHost(n int) string { return s.host(n) }

// Address is the IP address at which host-mode ports of node n answer.
func (s *Swarm) Address(t testing.TB, n int) string {
	t.Helper()
	return s.node(t, "address", n)
}

// Kill ends node n as a power cut would: engine and containers at once, nothing said to anybody.
func (s *Swarm) Kill(t testing.TB, n int) { t.Helper(); s.node(t, "kill", n) }

// Restart starts node n again after Kill.
func (s *Swarm) Restart(t testing.TB, n int) { t.Helper(); s.node(t, "restart", n) }

// Cut unplugs node n's network link; its engine goes on and answers on its own socket.
func (s *Swarm) Cut(t testing.TB, n int) { t.Helper(); s.node(t, "cut", n) }

// Heal plugs the link of node n in again.
func (s *Swarm) Heal(t testing.TB, n int) { t.Helper(); s.node(t, "heal", n) }

func (s *Swarm) node(t testing.TB, verb string, n int) string {
	t.Helper()
	out, err := script(verb, s.dir, strconv.Itoa(n))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// SwarmID is the id of the swarm that the first node belongs to.
func (s *Swarm) SwarmID(t testing.TB) string {
	t.Helper()
	info, err := s.client.Info(context.Background())
	if err != nil || info.Swarm.Cluster == nil {
		t.Fatalf("the swarm of %s: %v", s.Host(), err)
	}
	return info.Swarm.Cluster.ID
}
