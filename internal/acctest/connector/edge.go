package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// edge is the far end of tunnels: it takes requests and sends each down one of the connections that connectors hold.
type edge struct {
	tokens  map[uuid.UUID][]string // secrets of each tunnel; during a rotation there are two
	ingress map[string]*url.URL    // origin of each host name; Cloudflare sends these to the connectors beforehand

	mu    sync.Mutex
	lines []*line
	next  int
}

// line is a connection of a connector that takes requests.
type line struct {
	conn      *http.ClientConn
	connector string
	requests  sync.WaitGroup // under way
}

// newEdge reads the settings: tokens, and HOST=URL, separated by commas.
func newEdge(tokens, ingress string) (*edge, error) {
	e := &edge{tokens: map[uuid.UUID][]string{}, ingress: map[string]*url.URL{}}
	for text := range strings.SplitSeq(tokens, ",") {
		t, err := parseToken(text)
		if err != nil {
			return nil, fmt.Errorf("EDGE_TOKENS: %w", err)
		}
		e.tokens[t.Tunnel] = append(e.tokens[t.Tunnel], string(t.Secret))
	}
	for rule := range strings.SplitSeq(ingress, ",") {
		host, text, _ := strings.Cut(rule, "=")
		origin, err := url.Parse(text)
		if err != nil || origin.Scheme != "http" || origin.Host == "" {
			return nil, fmt.Errorf("EDGE_INGRESS: %q is not HOST=http://SERVICE:PORT", rule)
		}
		e.ingress[host] = origin
	}
	return e, nil
}

func (e *edge) run(ctx context.Context, connectors, requests string) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", connectors)
	if err != nil {
		return err
	}
	server := &http.Server{Addr: requests, Handler: e, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 2)
	go func() { failed <- e.accept(ctx, listener) }()
	go func() { failed <- server.ListenAndServe() }()
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

func (e *edge) accept(ctx context.Context, listener net.Listener) error {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			if err := e.hold(ctx, conn); err != nil {
				log.Printf("connection of %s: %v", conn.RemoteAddr(), err)
			}
		}()
	}
}

// hold registers a connection and uses it until its connector says goodbye or is lost: see protocol.go.
func (e *edge) hold(ctx context.Context, conn net.Conn) error {
	transport := &http.Transport{
		Protocols:   protocols(),
		HTTP2:       pings(),
		DialContext: func(context.Context, string, string) (net.Conn, error) { return conn, nil },
	}
	client, err := transport.NewClientConn(ctx, "http", controlHost+":80")
	if err != nil {
		_ = conn.Close()
		return err
	}
	defer func() { _ = client.Close() }()
	patience := time.AfterFunc(10*time.Second, func() { _ = client.Close() })

	body, verdict := io.Pipe()
	defer func() { _ = verdict.Close() }()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+controlHost, body)
	if err != nil {
		return err
	}
	res, err := client.RoundTrip(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	refused := e.check(res.Header.Get(tokenHeader))
	text := accepted
	if refused != nil {
		text = refused.Error()
	}
	if _, err := io.WriteString(verdict, text); err != nil {
		return err
	}
	_ = verdict.Close()
	if refused != nil {
		_, _ = io.Copy(io.Discard, res.Body) // until the connector has heard it
		return refused
	}
	patience.Stop()

	l := &line{conn: client, connector: res.Header.Get(connectorHeader)}
	log.Printf("connector %s: registered from %s", l.connector, conn.RemoteAddr())
	e.mu.Lock()
	e.lines = append(e.lines, l)
	e.mu.Unlock()
	_, err = io.Copy(io.Discard, res.Body)
	e.mu.Lock()
	for i := range e.lines {
		if e.lines[i] == l {
			e.lines = append(e.lines[:i:i], e.lines[i+1:]...)
			break
		}
	}
	e.mu.Unlock()
	l.requests.Wait()
	if err == nil {
		log.Printf("connector %s: gone", l.connector)
	}
	return err
}

func (e *edge) check(text string) error {
	t, err := parseToken(text)
	if err != nil {
		return err
	}
	secrets, ok := e.tokens[t.Tunnel]
	if !ok {
		return errors.New("Unauthorized: Tunnel not found")
	}
	for _, secret := range secrets {
		if secret == string(t.Secret) {
			return nil
		}
	}
	return errors.New("Unauthorized: Invalid tunnel secret")
}

// take returns the connection for the next request, in turn, or nil. It is held until the request ends.
func (e *edge) take() *line {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.lines) == 0 {
		return nil
	}
	e.next++
	l := e.lines[e.next%len(e.lines)]
	l.requests.Add(1)
	return l
}

func (e *edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	origin, ok := e.ingress[host]
	if !ok {
		http.Error(w, "edge: no ingress for "+host, http.StatusNotFound)
		return
	}
	l := e.take()
	if l == nil {
		http.Error(w, "edge: no connector is registered", http.StatusBadGateway)
		return
	}
	defer l.requests.Done()
	w.Header().Set(connectorHeader, l.connector)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = "http", host, host
			p.Out.Header.Set(originHeader, origin.String())
		},
		Transport:     l.conn,
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, "edge: connector "+l.connector+": "+err.Error(), http.StatusBadGateway)
		},
	}
	proxy.ServeHTTP(w, r)
}
