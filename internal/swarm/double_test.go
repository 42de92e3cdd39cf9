package swarm

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/docker/docker/api/types/swarm"
)

// engineDouble stands in for an engine where a real one cannot be made to answer
// as wanted. It speaks HTTP on a unix socket; what is not set answers 200 with
// an empty list.
type engineDouble struct {
	backend *Backend

	mu      sync.Mutex
	calls   []string
	answers map[string]http.HandlerFunc // "GET /services" → answer
}

var versionPrefix = regexp.MustCompile(`^/v1\.[0-9]+`)

// newDouble starts an engine that claims the given API version, and a backend
// that talks to it.
func newDouble(t *testing.T, apiVersion string) *engineDouble {
	t.Helper()
	d := &engineDouble{answers: map[string]http.HandlerFunc{
		"HEAD /_ping": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Api-Version", apiVersion) },
		"GET /swarm":  reply(http.StatusOK, swarm.Swarm{ClusterInfo: swarm.ClusterInfo{ID: "cluster"}}),
	}}
	socket := filepath.Join(t.TempDir(), "engine.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(d)
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	d.backend = connect(t, "unix://"+socket)
	return d
}

func (d *engineDouble) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call := r.Method + " " + versionPrefix.ReplaceAllString(r.URL.Path, "")
	d.mu.Lock()
	d.calls = append(d.calls, call)
	answer := d.answers[call]
	d.mu.Unlock()
	if answer == nil {
		answer = reply(http.StatusOK, []struct{}{})
	}
	// A server notices that its caller left only once the request is read.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer(w, r)
}

func (d *engineDouble) on(call string, answer http.HandlerFunc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answers[call] = answer
}

// count returns how often a call was made since the start.
func (d *engineDouble) count(call string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, c := range d.calls {
		if c == call {
			n++
		}
	}
	return n
}

func (d *engineDouble) total() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.calls)
}

func reply(status int, body any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
}

// refuse answers as the engine does when it fails.
func refuse(status int, message string) http.HandlerFunc {
	return reply(status, map[string]string{"message": message})
}

// connect returns a backend on an address, untouched by the environment.
func connect(t *testing.T, host string) *Backend {
	t.Helper()
	b, err := New(Config{Host: host, Env: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}
