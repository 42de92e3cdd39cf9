package tunnel_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

func TestMain(m *testing.M) { providertest.Main(m) }

const url = "http://shop.example.com/"

// load is a steady stream of requests down a tunnel, each on its own whatever became of the others.
type load struct {
	client  *http.Client
	began   time.Time
	end     context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	answered int
	through  map[string]int // by connector
	failed   []string
}

// every is the time from one request to the next: 40 a second.
const every = 25 * time.Millisecond

func startLoad(t testing.TB, client *http.Client) *load {
	ctx, cancel := context.WithCancel(t.Context())
	l := &load{client: client, began: time.Now(), end: cancel, through: map[string]int{}}
	l.running.Go(func() {
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				l.running.Go(l.one)
			}
		}
	})
	t.Cleanup(func() { cancel(); l.running.Wait() })
	return l
}

func (l *load) one() {
	connector, err := ask(l.client)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.failed = append(l.failed, fmt.Sprintf("after %s: %v", time.Since(l.began).Round(time.Millisecond), err))
		return
	}
	l.answered++
	l.through[connector]++
}

// ask sends one request and returns the connector that it came through.
func ask(client *http.Client) (string, error) {
	resp, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.200s", resp.Status, text)
	}
	return resp.Header.Get("Tunnel-Connector"), err
}

// stop ends the load, waits for what is under way, and requires that nothing was lost.
func (l *load) stop(t testing.TB) {
	t.Helper()
	l.end()
	took := time.Since(l.began)
	l.running.Wait()
	sent := l.answered + len(l.failed)
	rate := float64(sent) / took.Seconds()
	t.Logf("%d requests in %s, %.0f a second, through %d connectors", sent, took.Round(time.Millisecond), rate, len(l.through))
	if len(l.failed) > 0 {
		t.Errorf("%d of %d requests failed: %v", len(l.failed), sent, l.failed[:min(5, len(l.failed))])
	}
	if rate < 20 {
		t.Errorf("there were only %.0f requests a second", rate)
	}
}

// connectors are those that take requests: the edge takes them in turn.
func connectors(t testing.TB, client *http.Client) []string {
	t.Helper()
	seen := map[string]bool{}
	for range 20 {
		connector, err := ask(client)
		if err != nil {
			t.Error(err)
		}
		seen[connector] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// stack is the application that tunnels lead to, and a tunnel when there are attributes for one.
func stack(s *acctest.Swarm, tunnel string) string {
	config := fmt.Sprintf(`
variable "token" {
  type      = string
  ephemeral = true
  default   = null
}

provider "swarm" {
  host = %q
}

resource "swarm_application" "shop" {
  name    = "shop"
  compose = [<<-EOT
    services:
      web:
        image: %s
        stop_grace_period: 1s
        deploy:
          endpoint_mode: dnsrr
          replicas: 2
          update_config: {monitor: 500ms}
          restart_policy: {delay: 100ms}
  EOT
  ]
}
`, s.Host(), acctest.Image("1.0"))
	if tunnel == "" {
		return config
	}
	return config + fmt.Sprintf(`
resource "swarm_tunnel" "edge" {
  name     = "edge"
  token_wo = var.token
  networks = [swarm_application.shop.networks["default"]]
  %s
}
`, tunnel)
}
