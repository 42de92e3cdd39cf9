package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
)

func init() {
	// Some hosts (Azure DevOps) answer only clients that offer multi_ack. go-git
	// takes it off because it cannot negotiate; nothing here has anything to
	// negotiate about.
	transport.UnsupportedCapabilities = []capability.Capability{capability.ThinPack}
	// The URL says where a repository is, not the configuration of the ssh
	// command.
	gitssh.DefaultSSHConfig = nil
}

// session is one conversation with a server.
type session struct {
	transport.UploadPackSession
	advertised *packp.AdvRefs
}

// connect begins a conversation and hears what the server has to offer.
func (c *Client) connect(ctx context.Context, at location) (*session, error) {
	endpoint := &transport.Endpoint{Protocol: at.scheme, User: at.user, Host: at.host, Path: at.path}
	if strings.Contains(at.host, ":") {
		endpoint.Host = "[" + at.host + "]"
	}
	if at.port != "" {
		port, err := strconv.Atoi(at.port)
		if err != nil {
			return nil, &Error{Reason: Invalid, Detail: "The port is not a number.", Err: err}
		}
		endpoint.Port = port
	}
	opened, err := c.dial(ctx, at, endpoint)
	if err != nil {
		return nil, err
	}
	advertised, err := opened.AdvertisedReferencesContext(ctx)
	if err != nil {
		_ = opened.Close()
		return nil, err
	}
	return &session{opened, advertised}, nil
}

func (c *Client) dial(ctx context.Context, at location, endpoint *transport.Endpoint) (transport.UploadPackSession, error) {
	credential := c.credential(at)
	if at.scheme != "ssh" {
		client, err := credential.httpClient(c.limits)
		if err != nil {
			return nil, err
		}
		return githttp.NewClient(client).NewUploadPackSession(endpoint, credential.httpAuth())
	}
	verified := false
	auth, err := credential.sshAuth(at, &verified)
	if err != nil {
		return nil, err
	}
	opened, err := abandonable(ctx, func() (transport.UploadPackSession, error) {
		return gitssh.NewClient(nil).NewUploadPackSession(endpoint, auth)
	}, func(late transport.UploadPackSession) { _ = late.Close() })
	if err != nil && verified && ctx.Err() == nil {
		// What follows the host's proof in a handshake is ours.
		return nil, &Error{Reason: Unauthorized, Err: err, Next: "Check ssh_private_key of the provider's git_auth for this host: its public half has to be known there. The user of the URL counts too, most hosts want git."}
	}
	return opened, err
}

// abandonable makes a call that knows no context end with it. A result that comes
// too late is handed to discard.
func abandonable[T any](ctx context.Context, work func() (T, error), discard func(T)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := work()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.err == nil {
				discard(r.value)
			}
		}()
		var none T
		return none, ctx.Err()
	}
}

func (s *session) supports(capabilities ...capability.Capability) bool {
	return slices.ContainsFunc(capabilities, s.advertised.Capabilities.Supports)
}

// bounded is a transport that hands on no more of an answer than there should
// be. Packs have a limit of their own.
type bounded struct {
	http.RoundTripper
	limits limits
}

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode >= http.StatusBadRequest:
		// The words of an error are shortened anyway.
		resp.Body = readCloser{io.LimitReader(resp.Body, 64<<10), resp.Body}
	case req.Method == http.MethodGet:
		resp.Body = readCloser{&limitedReader{Reader: resp.Body, most: b.limits.advertisement, what: "of references"}, resp.Body}
	}
	return resp, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

// limitedReader fails at a limit, where io.LimitReader ends.
type limitedReader struct {
	io.Reader
	most int64
	what string

	read int64
}

// Read implements io.Reader.
func (r *limitedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.read += int64(n); r.read > r.most {
		return 0, &Error{Reason: TooLarge, Detail: fmt.Sprintf("The server sends more than %d MiB %s.", r.most>>20, r.what)}
	}
	return n, err
}

// refusal tells whether the server has declined what it was asked for, which
// means that another request may do. go-git passes a server's words on as text
// alone, so that this is what remains when nothing else is known to be wrong.
func refusal(err error) bool {
	var ours *Error
	if errors.As(err, &ours) {
		return false
	}
	reason := classify(err).Reason
	return reason == Broken || reason == Refused
}
