package main

import (
	"net"
	"net/http"
	"time"
)

// A connector dials the edge, and then they change places: the edge sends HTTP/2 requests down the connection, which the
// connector answers. This is how cloudflared's http2 protocol works too. The first request is the connection's
// control stream:
//
//	edge        POST to controlHost, with a body that is left open
//	connector   200, with its token and its name, and a body that is left open
//	edge        the verdict, which ends its body: accepted, or why not
//	connector   ends its body when it wants no more requests: goodbye
//
// After the goodbye the edge sends nothing more down this connection, and closes it as soon as the last request
// is answered. Until then the connector serves what comes. So neither loses a request when a connector ends.
const (
	controlHost     = "control.invalid"
	accepted        = "accepted"
	tokenHeader     = "Tunnel-Token"
	connectorHeader = "Tunnel-Connector" // tells clients as well which connector answered
	originHeader    = "Tunnel-Origin"    // of every other request: the URL to pass it to
)

// protocols is HTTP/2 without TLS, and nothing else.
func protocols() *http.Protocols {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	return p
}

// pings find out within seconds that the other side is gone without a word, as when its node lost power.
func pings() *http.HTTP2Config {
	return &http.HTTP2Config{SendPingTimeout: 2 * time.Second, PingTimeout: 2 * time.Second}
}

// single is a listener of one connection. Its end is the end of that.
type single struct {
	conn  chan net.Conn
	ended chan struct{}
	addr  net.Addr
}

func newSingle(conn net.Conn) *single {
	s := &single{conn: make(chan net.Conn, 1), ended: make(chan struct{}), addr: conn.LocalAddr()}
	s.conn <- conn
	return s
}

func (s *single) Accept() (net.Conn, error) {
	select {
	case conn := <-s.conn:
		return conn, nil
	case <-s.ended:
		return nil, net.ErrClosed
	}
}

// state is the hook by which the server tells that the connection has ended.
func (s *single) state(_ net.Conn, state http.ConnState) {
	if state == http.StateClosed {
		close(s.ended)
	}
}

func (s *single) Close() error   { return nil }
func (s *single) Addr() net.Addr { return s.addr }
