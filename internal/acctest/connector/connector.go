package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

const (
	connections = 4                // to the edge, as cloudflared has
	grace       = 30 * time.Second // for requests under way at the end, as cloudflared's
)

// connector keeps connections to the edge, and passes the requests that come down them to their origins.
type connector struct {
	edge  string
	token token
	name  string
	proxy http.Handler

	ending     context.Context // done when no more requests are wanted
	registered atomic.Int32    // connections that the edge has accepted and that it still uses
}

func newConnector(edge string, t token) *connector {
	return &connector{edge: edge, token: t, name: uuid.NewString(), proxy: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			origin, err := url.Parse(r.In.Header.Get(originHeader))
			if err != nil {
				origin = &url.URL{}
			}
			r.SetURL(origin)
			r.Out.Host = r.In.Host
			r.Out.Header.Del(originHeader)
		},
		Transport:     &http.Transport{MaxIdleConnsPerHost: 64},
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			log.Printf("ERR unable to reach the origin service %s: %v", r.Header.Get(originHeader), err)
			http.Error(w, "connector: unable to reach the origin service: "+err.Error(), http.StatusBadGateway)
		},
	}}
}

// run works until the context is done, then says goodbye to the edge, answers what is under way and returns.
func (c *connector) run(ctx context.Context, metrics string) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", metrics)
	if err != nil {
		return fmt.Errorf("--metrics: %w", err)
	}
	server := &http.Server{Handler: http.HandlerFunc(c.ready), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()

	c.ending = ctx
	var all sync.WaitGroup
	for range connections {
		all.Go(func() { c.keep(ctx) })
	}
	<-ctx.Done()
	log.Print("INF initiating graceful shutdown")
	ended := make(chan struct{})
	go func() {
		all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(grace):
		log.Printf("ERR not all requests ended within %s", grace)
	}
	return nil
}

// keep holds one connection, and makes it anew when it is lost or refused.
func (c *connector) keep(ctx context.Context) {
	const longest = 5 * time.Second
	pause := longest / 50
	for ctx.Err() == nil {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", c.edge)
		if err == nil {
			err = c.serve(conn)
		}
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			pause, err = longest/50, errors.New("lost")
		}
		log.Printf("ERR no connection to the edge, next try in %s: %v", pause, err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, longest)
	}
}

// serve answers what the edge sends down a connection until that ends. The error is why it was not registered.
func (c *connector) serve(conn net.Conn) error {
	verdict := make(chan error, 1)
	listener := newSingle(conn)
	server := &http.Server{
		Protocols: protocols(),
		HTTP2:     pings(),
		ConnState: listener.state,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Host == controlHost {
				select {
				case verdict <- c.control(w, r):
				default: // the edge asks once
				}
				return
			}
			c.proxy.ServeHTTP(w, r)
		}),
	}
	_ = server.Serve(listener) // always net.ErrClosed
	select {
	case err := <-verdict:
		return err
	case <-time.After(time.Second):
		return errors.New("the edge did not register it")
	}
}

// control answers the control stream: see protocol.go.
func (c *connector) control(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set(tokenHeader, c.token.text)
	w.Header().Set(connectorHeader, c.name)
	w.WriteHeader(http.StatusOK)
	if err := http.NewResponseController(w).Flush(); err != nil {
		return err
	}
	verdict, err := io.ReadAll(io.LimitReader(r.Body, 1<<10))
	if err != nil {
		return err
	}
	if string(verdict) != accepted {
		return fmt.Errorf("the edge refused it: %s", verdict)
	}
	log.Printf("INF registered tunnel connection tunnel=%s connector=%s", c.token.Tunnel, c.name)
	c.registered.Add(1)
	defer c.registered.Add(-1)
	select {
	case <-c.ending.Done():
	case <-r.Context().Done():
	}
	return nil
}

// ready answers /ready on the metrics address.
func (c *connector) ready(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/ready" {
		http.NotFound(w, r)
		return
	}
	status, n := http.StatusOK, c.registered.Load()
	if n == 0 || c.ending.Err() != nil {
		status = http.StatusServiceUnavailable
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"status": status, "readyConnections": n, "connectorId": c.name})
}

// askReady is the probe of a healthcheck.
func askReady(ctx context.Context, metrics string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+metrics+"/ready", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
		return fmt.Errorf("%s answered %s: %s", req.URL, res.Status, body)
	}
	return nil
}
