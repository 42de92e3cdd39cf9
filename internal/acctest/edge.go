package acctest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"
)

// Edge is the stand-in for the far end of Cloudflare's tunnels, as a service on the swarm's first node: see
// internal/acctest/connector. Connectors, stand-ins for cloudflared, find it on the network they share.
type Edge struct {
	// Client sends its requests to the edge, whatever host they name: Client.Get("http://shop.example.com/").
	// An answer's header Tunnel-Connector names the connector that it came through.
	Client *http.Client
	// Service is the name of the edge's own service.
	Service string
}

// TunnelToken returns a tunnel's token as Cloudflare's dashboard shows it. The tunnel is a UUID.
func TunnelToken(account, tunnel, secret string) string {
	content, _ := json.Marshal(map[string]any{"a": account, "t": tunnel, "s": []byte(secret)}) // cannot fail
	return base64.StdEncoding.EncodeToString(content)
}

// StartEdge starts an edge on an attachable or swarm-scoped overlay network, for the length of the test. It takes connectors
// with one of the tokens (several, as while one replaces the other) and sends requests for a host name to the origin that
// ingress names for it ("shop.example.com": "http://web:8080"). While no connector is registered it answers 502.
func StartEdge(t testing.TB, s *Swarm, network string, ingress map[string]string, tokens ...string) *Edge {
	t.Helper()
	Load(t, s, Cloudflared)
	rules := []string{}
	for host, origin := range ingress {
		rules = append(rules, host+"="+origin)
	}
	slices.Sort(rules)
	release := s.RandomName(t)
	e := &Edge{Service: release + "_edge"}
	s.Docker(t, "service", "create", "-d", "--name", e.Service, "--label", stackLabel+"="+release, "--constraint", "node.hostname==n1",
		"--network", "name="+network+",alias=edge", "--endpoint-mode", "dnsrr", "--publish", "mode=host,target=8080",
		"--env", "EDGE_TOKENS="+strings.Join(tokens, ","), "--env", "EDGE_INGRESS="+strings.Join(rules, ","),
		"--restart-delay", "100ms", "swarmkeel/test-edge:1")
	port := ""
	Wait(t, time.Minute, "the edge runs", func() bool {
		for _, task := range s.Tasks(t, e.Service) {
			if task.Status.State == swarm.TaskStateRunning && len(task.Status.PortStatus.Ports) > 0 {
				port = strconv.Itoa(int(task.Status.PortStatus.Ports[0].PublishedPort))
			}
		}
		return port != ""
	})
	address := net.JoinHostPort(s.Address(t, 1), port)
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", address)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	e.Client = &http.Client{Transport: transport, Timeout: 30 * time.Second}
	return e
}

// Await waits until a connector answers for a URL, and an answer from its origin comes back.
func (e *Edge) Await(t testing.TB, url string) {
	t.Helper()
	Wait(t, time.Minute, "the tunnel answers for "+url, func() bool {
		res, err := e.Client.Get(url)
		if err != nil {
			return false
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
}
