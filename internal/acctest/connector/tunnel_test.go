package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// far is an edge with its two addresses.
type far struct {
	connectors string
	url        string
}

// startEdge starts an edge that passes requests for "shop.test" to an origin.
func startEdge(t *testing.T, origin string, tokens ...string) far {
	t.Helper()
	for i := range tokens {
		tokens[i] = encode(tokens[i])
	}
	e, err := newEdge(strings.Join(tokens, ","), "shop.test="+origin)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = e.accept(t.Context(), listener) }()
	server := httptest.NewServer(e)
	t.Cleanup(func() {
		server.Close()
		_ = listener.Close()
	})
	return far{connectors: listener.Addr().String(), url: server.URL}
}

// near is a running connector.
type near struct {
	metrics string
	stop    func() // asks it to end
	ended   chan error
}

func startConnector(t *testing.T, edge far, tokenText string) near {
	t.Helper()
	token, err := parseToken(encode(tokenText))
	if err != nil {
		t.Fatal(err)
	}
	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	n := near{metrics: free.Addr().String(), stop: stop, ended: make(chan error, 1)}
	_ = free.Close()
	go func() { n.ended <- newConnector(edge.connectors, token).run(ctx, n.metrics) }()
	t.Cleanup(stop)
	return n
}

func (n near) awaitReady(t *testing.T) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if err = askReady(t.Context(), n.metrics); err == nil {
			return
		}
	}
	t.Fatalf("the connector is not ready: %v", err)
}

// get asks the edge for a path of shop.test.
func (f far) get(path string, body io.Reader) (status int, text string, err error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, f.url+path, body)
	if err != nil {
		return 0, "", err
	}
	req.Host = "shop.test"
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	return res.StatusCode, string(content), err
}

func startOrigin(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, _ = fmt.Fprintf(w, "%s %s%s %s %s", r.Method, r.Host, r.URL, body, r.Header.Get(originHeader))
}

func TestRequestsReachTheOriginAsTheyCame(t *testing.T) {
	edge := startEdge(t, startOrigin(t, echo), goodToken)
	startConnector(t, edge, goodToken).awaitReady(t)
	status, text, err := edge.get("/a%2Fb?c=d", strings.NewReader("body"))
	if want := "POST shop.test/a%2Fb?c=d body "; err != nil || status != http.StatusOK || text != want {
		t.Errorf("got %d %q, %v; want 200 %q", status, text, err, want)
	}
}

func TestEdgeWithoutConnectorAnswersBadGateway(t *testing.T) {
	edge := startEdge(t, "http://127.0.0.1:1", goodToken)
	if status, text, err := edge.get("/", nil); err != nil || status != http.StatusBadGateway {
		t.Errorf("got %d %q, %v", status, text, err)
	}
}

func TestOriginThatIsNotThereIsABadGateway(t *testing.T) {
	edge := startEdge(t, "http://127.0.0.1:1", goodToken)
	startConnector(t, edge, goodToken).awaitReady(t)
	status, text, err := edge.get("/", nil)
	if err != nil || status != http.StatusBadGateway || !strings.Contains(text, "unable to reach the origin service") {
		t.Errorf("got %d %q, %v", status, text, err)
	}
}

func TestEdgeRefusesASecretThatIsNotTheTunnels(t *testing.T) {
	edge := startEdge(t, startOrigin(t, echo), goodToken)
	connector := startConnector(t, edge, otherToken)
	time.Sleep(500 * time.Millisecond) // for several tries; that nothing happens cannot be awaited
	if err := askReady(t.Context(), connector.metrics); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("a refused connector says of its readiness: %v", err)
	}
	if status, _, err := edge.get("/", nil); err != nil || status != http.StatusBadGateway {
		t.Errorf("the edge answered %d, %v", status, err)
	}
}

func TestConnectorIsReadyOnlyWhileConnected(t *testing.T) {
	connections := make(chan net.Conn, 100)
	edge := startEdge(t, startOrigin(t, echo), goodToken)
	// A relay before the edge, which can lose connections.
	relay, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			in, err := relay.Accept()
			if err != nil {
				return
			}
			out, err := new(net.Dialer).DialContext(t.Context(), "tcp", edge.connectors)
			if err != nil {
				return
			}
			connections <- in
			go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
			go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
		}
	}()
	connector := startConnector(t, far{connectors: relay.Addr().String()}, goodToken)
	connector.awaitReady(t)
	_ = relay.Close()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		select {
		case c := <-connections:
			_ = c.Close()
			continue
		default:
		}
		if err := askReady(t.Context(), connector.metrics); err != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the connector is ready although all its connections were cut")
		}
	}
}

func TestEndingConnectorAnswersWhatIsUnderWay(t *testing.T) {
	arrived, answer := make(chan struct{}), make(chan struct{})
	edge := startEdge(t, startOrigin(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(arrived)
			<-answer
		}
		echo(w, r)
	}), goodToken)
	release := sync.OnceFunc(func() { close(answer) })
	t.Cleanup(release) // or a failed test would wait for its origin
	connector := startConnector(t, edge, goodToken)
	connector.awaitReady(t)
	answered := make(chan error, 1)
	go func() {
		status, text, err := edge.get("/slow", strings.NewReader("body"))
		if err == nil && (status != http.StatusOK || !strings.Contains(text, "body")) {
			err = fmt.Errorf("%d %s", status, text)
		}
		answered <- err
	}()
	<-arrived
	connector.stop()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		status, _, err := edge.get("/", nil)
		if err == nil && status == http.StatusBadGateway {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the edge still gives requests to a connector that ends: %d %v", status, err)
		}
	}
	select {
	case err := <-connector.ended:
		t.Fatalf("the connector ended (%v) before the request was answered", err)
	default:
	}
	release()
	if err := <-answered; err != nil {
		t.Errorf("the request under way was lost: %v", err)
	}
	if err := <-connector.ended; err != nil {
		t.Errorf("the connector ended with %v", err)
	}
}

// Connectors take turns, the second with another secret, while requests are sent all the time.
func TestNoRequestIsLostWhileConnectorsAreReplaced(t *testing.T) {
	edge := startEdge(t, startOrigin(t, echo), goodToken, otherToken)
	current := startConnector(t, edge, goodToken)
	current.awaitReady(t)
	load, stop := context.WithCancel(t.Context())
	var answered atomic.Int64
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for load.Err() == nil {
				status, text, err := edge.get("/", strings.NewReader("body"))
				if err == nil && status != http.StatusOK {
					err = errors.New(text)
				}
				if err != nil {
					t.Errorf("request %d: %v", answered.Load(), err)
					return
				}
				answered.Add(1)
			}
		})
	}
	for i := range 10 {
		token := []string{otherToken, goodToken}[i%2]
		next := startConnector(t, edge, token)
		next.awaitReady(t)
		current.stop()
		if err := <-current.ended; err != nil {
			t.Error(err)
		}
		current = next
	}
	stop()
	clients.Wait()
	if answered.Load() < 100 {
		t.Errorf("only %d requests were answered, too few to tell", answered.Load())
	}
}
