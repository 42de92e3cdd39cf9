package acctest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/swarm"
)

const (
	tunnel  = "6ff42ae2-765d-4adf-8112-31c55c1551ef"
	shopURL = "http://shop.example.com/version"
)

// tunnelled is a network with a web server, and two tokens of one tunnel as secrets.
type tunnelled struct {
	*Swarm
	release, network string
	tokens           []string
}

func startTunnelled(t *testing.T) tunnelled {
	t.Helper()
	s := Start(t)
	Load(t, s, Cloudflared)
	release := s.RandomName(t)
	w := tunnelled{Swarm: s, release: release, network: release + "_net"}
	s.Docker(t, "network", "create", "-d", "overlay", "--label", stackLabel+"="+release, w.network)
	s.Docker(t, "service", "create", "-d", "--name", release+"_web", "--label", stackLabel+"="+release, "--endpoint-mode", "dnsrr",
		"--network", "name="+w.network+",alias=web", Image("1.1"))
	for _, name := range []string{"old", "new"} {
		token := TunnelToken("account", tunnel, name)
		w.tokens = append(w.tokens, token)
		s.DockerInput(t, token, "secret", "create", "--label", stackLabel+"="+release, release+"_"+name, "-")
	}
	return w
}

// token is a reference to one of the two secrets.
func (w tunnelled) token(t *testing.T, name string, mode os.FileMode) []*swarm.SecretReference {
	t.Helper()
	name = w.release + "_" + name
	return []*swarm.SecretReference{{
		SecretID: w.Docker(t, "secret", "inspect", name, "--format", "{{.ID}}"), SecretName: name,
		File: &swarm.SecretReferenceFileTarget{Name: "token", UID: "0", GID: "0", Mode: mode},
	}}
}

// connect starts two connectors, as cloudflared is meant to run in a swarm, and returns their service's name.
func (w tunnelled) connect(t *testing.T, token []*swarm.SecretReference) string {
	t.Helper()
	replicas, delay := uint64(2), 100*time.Millisecond
	name := w.release + "_connector"
	_, err := w.client.ServiceCreate(context.Background(), swarm.ServiceSpec{
		Annotations: swarm.Annotations{Name: name, Labels: map[string]string{stackLabel: w.release}},
		Mode:        swarm.ServiceMode{Replicated: &swarm.ReplicatedService{Replicas: &replicas}},
		TaskTemplate: swarm.TaskSpec{
			ContainerSpec: &swarm.ContainerSpec{
				Image: CloudflaredImage("2025.4.0"),
				Args:  strings.Fields("tunnel --no-autoupdate --metrics 0.0.0.0:2000 run"),
				Env:   []string{"TUNNEL_TOKEN_FILE=/run/secrets/token"},
				Healthcheck: &container.HealthConfig{
					Test:     strings.Fields("CMD cloudflared tunnel --metrics localhost:2000 ready"),
					Interval: 200 * time.Millisecond, Timeout: 5 * time.Second, Retries: 100,
				},
				Secrets: token,
			},
			RestartPolicy: &swarm.RestartPolicy{Delay: &delay},
			Networks:      []swarm.NetworkAttachmentConfig{{Target: w.network}},
		},
		UpdateConfig: &swarm.UpdateConfig{Parallelism: 1, Order: swarm.UpdateOrderStartFirst, Monitor: 100 * time.Millisecond},
		EndpointSpec: &swarm.EndpointSpec{Mode: swarm.ResolutionModeDNSRR},
	}, swarm.ServiceCreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// through gets the shop's page and tells which connector it came through.
func through(e *Edge) (string, error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, shopURL, nil)
	if err != nil {
		return "", err
	}
	res, err := e.Client.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || string(body) != "1.1") {
		err = errors.New(res.Status + ": " + string(body))
	}
	return res.Header.Get("Tunnel-Connector"), err
}

func TestTunnelAnswersWhileItsTokenIsReplaced(t *testing.T) {
	w := startTunnelled(t)
	edge := StartEdge(t, w.Swarm, w.network, map[string]string{"shop.example.com": "http://web:8080"}, w.tokens...)
	if _, err := through(edge); err == nil || !strings.Contains(err.Error(), "502") {
		t.Errorf("an edge without connector answers %v", err)
	}
	name := w.connect(t, w.token(t, "old", 0o444))
	w.WaitRunning(t, name, 2)
	edge.Await(t, shopURL)

	var phase, answered atomic.Int64
	var mu sync.Mutex
	seen := map[int64]map[string]bool{0: {}, 1: {}, 2: {}} // connectors that answered before, during and after the change
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for now := phase.Load(); now < 3; now = phase.Load() {
				connector, err := through(edge)
				if err != nil {
					t.Errorf("request %d failed: %v", answered.Load(), err)
					return
				}
				answered.Add(1)
				mu.Lock()
				seen[now][connector] = true
				mu.Unlock()
			}
		})
	}
	load := func(next int64) { time.Sleep(time.Second); phase.Store(next) }
	load(1)
	old := w.Tasks(t, name)
	w.UpdateService(t, name, func(spec *swarm.ServiceSpec) { spec.TaskTemplate.ContainerSpec.Secrets = w.token(t, "new", 0o444) })
	Wait(t, time.Minute, "the connectors with the new token have replaced the others", func() bool { return w.ended(t, old) })
	phase.Store(2)
	load(3)
	clients.Wait()
	if len(seen[0]) != 2 || len(seen[2]) != 2 {
		t.Errorf("answers came through %d connectors before and %d after, want 2 and 2", len(seen[0]), len(seen[2]))
	}
	for connector := range seen[2] {
		if seen[0][connector] {
			t.Errorf("connector %s answers with the old token still", connector)
		}
	}
	if answered.Load() < 100 {
		t.Errorf("only %d requests were answered, too few to tell", answered.Load())
	}
	for _, task := range old {
		if task, _, err := w.client.TaskInspectWithRaw(context.Background(), task.ID); err != nil || task.Status.ContainerStatus.ExitCode != 0 {
			t.Errorf("connector %s ended with %+v, %v", task.ID, task.Status, err)
		}
	}
}

// ended tells whether the containers of tasks have ended.
func (w tunnelled) ended(t *testing.T, tasks []swarm.Task) bool {
	t.Helper()
	for _, task := range tasks {
		task, _, err := w.client.TaskInspectWithRaw(context.Background(), task.ID)
		if err != nil {
			t.Fatal(err)
		}
		if task.Status.State == swarm.TaskStateRunning || task.DesiredState == swarm.TaskStateRunning {
			return false
		}
	}
	return true
}

func TestConnectorWithoutReadableTokenDoesNotStart(t *testing.T) {
	w := startTunnelled(t)
	name := w.connect(t, w.token(t, "old", 0o400))
	logs := ""
	if !poll(time.Minute, func() bool {
		logs = said(w.Swarm, "service", "logs", "--raw", name)
		return strings.Contains(logs, "cannot be read by user 65532")
	}) {
		t.Errorf("a connector whose token only root may read said %q", logs)
	}
}
