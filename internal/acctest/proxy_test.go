package acctest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// engineStandIn is a tiny HTTP server on a Unix socket: enough of an engine to see what a proxy does to calls.
type engineStandIn struct {
	socket string
	acted  atomic.Int32 // POSTs done
}

func newStandIn(t *testing.T) *engineStandIn {
	t.Helper()
	dir, err := os.MkdirTemp("", "keelengine")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	e := &engineStandIn{socket: filepath.Join(dir, "s")}
	listener, err := net.Listen("unix", e.socket)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1.41/services/create", func(w http.ResponseWriter, _ *http.Request) {
		e.acted.Add(1)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"ID":"abcdefgh"}`)
	})
	mux.HandleFunc("GET /v1.41/events", func(w http.ResponseWriter, r *http.Request) {
		for i := 0; ; i++ {
			_, _ = fmt.Fprintf(w, "event %d\n", i)
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	mux.HandleFunc("POST /v1.41/containers/c/attach", func(w http.ResponseWriter, _ *http.Request) {
		conn, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
		line, _ := buf.ReadString('\n')
		_, _ = io.WriteString(conn, "echo "+line)
	})
	server := httptest.NewUnstartedServer(mux)
	_ = server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	return e
}

func unixClient(p *Proxy) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", strings.TrimPrefix(p.Host(), "unix://"))
		},
	}}
}

func TestProxyFaults(t *testing.T) {
	for _, tc := range []struct {
		name       string
		fault      Fault
		wantStatus int   // what the client sees, 0 for a broken connection
		wantErr    error // that reading the answer ends in
		wantBody   string
		wantActed  int32
	}{
		{"no fault passes the call and its answer", Fault{}, 201, nil, `{"ID":"abcdefgh"}`, 1},
		{"a call dropped before is never seen by the engine", Fault{Kind: DropBefore}, 0, io.EOF, "", 0},
		{"a call dropped after was done, and its answer lost", Fault{Kind: DropAfter}, 0, io.EOF, "", 1},
		{"an answered call is never seen by the engine", Fault{Kind: Answer, Status: 503, Message: "no leader"}, 503, nil, `{"message":"no leader"}` + "\n", 0},
		{"a call answered after was done", Fault{Kind: AnswerAfter, Status: 500, Message: "lost"}, 500, nil, `{"message":"lost"}` + "\n", 1},
		{"a truncated answer breaks off in its middle", Fault{Kind: Truncate}, 201, io.ErrUnexpectedEOF, `{"ID":"a`, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			engine := newStandIn(t)
			proxy := NewProxy(t, engine.socket)
			proxy.SetOnRequest(func(c *Call) Fault {
				if c.Path != "/services/create" || c.N != 1 {
					t.Errorf("hook was asked about %v", c)
				}
				return tc.fault
			})
			status, body, err := post(unixClient(proxy), "http://x/v1.41/services/create?name=web")
			if status != tc.wantStatus || body != tc.wantBody || !errors.Is(err, tc.wantErr) {
				t.Errorf("client saw %d %q %v, want %d %q %v", status, body, err, tc.wantStatus, tc.wantBody, tc.wantErr)
			}
			if got := engine.acted.Load(); got != tc.wantActed {
				t.Errorf("engine acted %d times, want %d", got, tc.wantActed)
			}
			calls := proxy.Calls(nil)
			if len(calls) != 1 || calls[0].Status != tc.wantStatus || calls[0].Fault != tc.fault.Kind || calls[0].Query.Get("name") != "web" {
				t.Errorf("recorded %+v", calls)
			}
		})
	}
}

func post(c *http.Client, url string) (int, string, error) {
	res, err := c.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	return res.StatusCode, string(body), err
}

func TestProxyDelayEndsWhenTheClientGivesUp(t *testing.T) {
	engine := newStandIn(t)
	proxy := NewProxy(t, engine.socket)
	proxy.OnRequest = func(*Call) Fault { return Fault{Delay: time.Hour} }
	client := unixClient(proxy)
	client.Timeout = 50 * time.Millisecond
	if _, _, err := post(client, "http://x/v1.41/services/create"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the client's own timeout", err)
	}
	if got := engine.acted.Load(); got != 0 {
		t.Errorf("engine acted %d times on a call that was given up", got)
	}
}

func TestProxyPassesStreamsAsTheyCome(t *testing.T) {
	proxy := NewProxy(t, newStandIn(t).socket)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://x/v1.41/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := unixClient(proxy).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	lines := bufio.NewScanner(res.Body)
	for want := range 3 {
		if !lines.Scan() || lines.Text() != fmt.Sprintf("event %d", want) {
			t.Fatalf("line %d of a stream that never ends: %q, %v", want, lines.Text(), lines.Err())
		}
	}
}

func TestProxyPassesUpgradedConnections(t *testing.T) {
	proxy := NewProxy(t, newStandIn(t).socket)
	conn, err := net.Dial("unix", strings.TrimPrefix(proxy.Host(), "unix://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "POST /v1.41/containers/c/attach HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n")
	r := bufio.NewReader(conn)
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("got %v %v, want 101", res, err)
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.WriteString(conn, "hello\n")
	if line, err := r.ReadString('\n'); line != "echo hello\n" {
		t.Errorf("behind the upgrade came %q %v", line, err)
	}
}

func TestProxyCounts(t *testing.T) {
	proxy := NewProxy(t, newStandIn(t).socket)
	client := unixClient(proxy)
	for _, path := range []string{"/_ping", "/v1.41/services", "/v1.45/services/web", "/info"} {
		res, err := client.Get("http://x" + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
	}
	for _, path := range []string{"/v1.41/services/web/update?version=3", "/v1.41/services/create", "/auth"} {
		if _, _, err := post(client, "http://x"+path); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		rule      string
		got, want int
	}{
		{"every call is recorded", len(proxy.Calls(nil)), 7},
		{"a login is no write", len(proxy.Writes()), 2},
		{"a ping is no read", len(proxy.Reads()), 4},
		{"the version prefix does not matter", proxy.Count("GET", "/services/web"), 1},
		{"a star stands for one part of the path", proxy.Count("POST", "/services/*/update"), 1},
		{"a star is not empty", proxy.Count("POST", "/services/*"), 1},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: got %d, want %d: %v", tc.rule, tc.got, tc.want, proxy.Calls(nil))
		}
	}
	proxy.Reset()
	if calls := proxy.Calls(nil); len(calls) != 0 {
		t.Errorf("after Reset there are %v", calls)
	}
}
