package acctest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Call is one API request that went through a Proxy.
type Call struct {
	N      int        // 1, 2, ... since the start or the last Reset, in order of arrival
	Method string     // GET, POST, ...
	Path   string     // without the version prefix: /services/create
	Query  url.Values // for example version=17
	Status int        // what the client was answered; 0 when it got no answer
	Fault  FaultKind  // what was done to it
}

// Writes tells whether the call can change something. Logging in and asking a registry for a digest do not.
func (c Call) Writes() bool {
	return c.Method != http.MethodGet && c.Method != http.MethodHead && c.Path != "/auth"
}

func (c Call) String() string {
	s := c.Method + " " + c.Path
	if len(c.Query) > 0 {
		s += "?" + c.Query.Encode()
	}
	return fmt.Sprintf("%d: %s -> %d", c.N, s, c.Status)
}

// Proxy stands in front of an engine's socket: it records every call and can break any of them. Streams (events,
// logs) and upgraded connections (attach, exec) pass through it unchanged.
type Proxy struct {
	// OnRequest, if set, is asked before a call reaches the engine, and says what to do to it. Set it before the
	// first call, or with SetOnRequest. Calls may come in parallel.
	OnRequest func(*Call) Fault
	// OnAnswer, if set, is told of a call after the engine acted on it and before the client hears of that.
	OnAnswer func(*Call)

	socket  string
	forward *httputil.ReverseProxy

	mu    sync.Mutex
	calls []*Call
	n     int
}

// NewProxy puts a proxy in front of the engine that is talked to, for the length of the test.
func (s *Swarm) NewProxy(t testing.TB) *Proxy {
	t.Helper()
	return NewProxy(t, strings.TrimPrefix(s.Host(), "unix://"))
}

// NewProxy puts a proxy in front of any Unix socket that speaks HTTP, for the length of the test.
func NewProxy(t testing.TB, engine string) *Proxy {
	t.Helper()
	dir, err := os.MkdirTemp("", "keelproxy") // not t.TempDir: its path may pass the 108 characters of a socket
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{socket: filepath.Join(dir, "proxy.sock")}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", engine)
		},
		// A connection for each request: on a reused one the transport itself would repeat some requests.
		DisableKeepAlives:  true,
		DisableCompression: true,
	}
	p.forward = &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", "engine" },
		Transport:     transport,
		FlushInterval: -1, // every chunk at once, or events would wait in a buffer
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, fmt.Sprintf(`{"message":%q}`, "proxy: "+err.Error()), http.StatusBadGateway)
		},
	}
	listener, err := net.Listen("unix", p.socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
		transport.CloseIdleConnections()
		_ = os.RemoveAll(dir)
	})
	return p
}

// Host is the proxy's address, as DOCKER_HOST takes it.
func (p *Proxy) Host() string { return "unix://" + p.socket }

// SetOnRequest changes the hook while calls may be under way.
func (p *Proxy) SetOnRequest(hook func(*Call) Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.OnRequest = hook
}

// Reset forgets all calls; the next one is number 1.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls, p.n = nil, 0
}

// Calls returns the calls so far for which keep holds (nil: all), in order of arrival.
func (p *Proxy) Calls(keep func(Call) bool) []Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	var calls []Call
	for _, c := range p.calls {
		if keep == nil || keep(*c) {
			calls = append(calls, *c)
		}
	}
	return calls
}

// Writes returns the calls that can have changed something.
func (p *Proxy) Writes() []Call { return p.Calls(Call.Writes) }

// Reads returns the calls that cannot, without the ping by which a client finds out the API version.
func (p *Proxy) Reads() []Call {
	return p.Calls(func(c Call) bool { return !c.Writes() && c.Path != "/_ping" })
}

// Count counts calls of a method to paths that match a pattern of slices such as "/services/*/update".
func (p *Proxy) Count(method, pattern string) int {
	parts := strings.Split(pattern, "/")
	return len(p.Calls(func(c Call) bool {
		return c.Method == method && slices.EqualFunc(strings.Split(c.Path, "/"), parts, func(have, want string) bool {
			return want == "*" || have == want
		})
	}))
}

var versionPrefix = regexp.MustCompile(`^/v\d+\.\d+`)

// record notes a call and asks the hook about it.
func (p *Proxy) record(r *http.Request) (*Call, Fault) {
	p.mu.Lock()
	p.n++
	c := &Call{N: p.n, Method: r.Method, Path: versionPrefix.ReplaceAllString(r.URL.Path, ""), Query: r.URL.Query()}
	p.calls = append(p.calls, c)
	hook := p.OnRequest
	p.mu.Unlock()
	if hook == nil {
		return c, Fault{}
	}
	seen := *c
	fault := hook(&seen)
	p.mu.Lock()
	c.Fault = fault.Kind
	p.mu.Unlock()
	return c, fault
}

// answered notes what a client was told, and tells the hook.
func (p *Proxy) answered(c *Call, status int) {
	p.mu.Lock()
	c.Status = status
	p.mu.Unlock()
}

// acted tells the hook that the engine did what it was asked to.
func (p *Proxy) acted(c *Call, status int) {
	p.mu.Lock()
	seen := *c
	p.mu.Unlock()
	if p.OnAnswer != nil {
		seen.Status = status
		p.OnAnswer(&seen)
	}
}
