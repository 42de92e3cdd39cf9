// Package swarm is the backend of the reconcile core over the Docker Engine API:
// it reads a swarm as one snapshot, carries out single writes guarded by the
// version that was observed, and tells how far services have come. It is the
// only package that speaks to an engine.
package swarm

import (
	"context"
	"fmt"
	"time"

	"github.com/docker/docker/api/types/versions"
	"github.com/docker/docker/client"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// minAPIVersion is the Engine API of Docker 20.10, the first with jobs, ulimits
// and capabilities of services.
const minAPIVersion = "1.41"

// callTimeout bounds a single call. A healthy manager gives up on its own after
// 20 s without a quorum (swarmRequestTimeout in moby's daemon/cluster), and its
// words are worth waiting for.
const callTimeout = 40 * time.Second

// Backend reads and writes one swarm through one of its managers. It is safe for
// concurrent use, and makes no connection before the first call.
type Backend struct {
	cli         *client.Client
	endpoint    endpoint
	credentials *Credentials
	// auth returns the header with the credential for an image, empty when there
	// is none.
	auth func(image string) string

	negotiation negotiation
	latch       latch
	snapshot    snapshot
	names       nameIndex
}

var _ reconcile.Backend = (*Backend)(nil)

// New resolves where the engine is and prepares a client. It does no network:
// an engine that is away or too old shows at the first call.
//
// The error names the setting at fault. No other error leaves New.
func New(cfg Config) (*Backend, error) {
	ep, err := resolve(cfg)
	if err != nil {
		return nil, err
	}
	cli, err := ep.client()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ep, err)
	}
	credentials := cfg.Credentials
	if credentials == nil {
		credentials = NewCredentials(nil, cfg.Env)
	}
	b := &Backend{cli: cli, endpoint: ep, credentials: credentials, auth: credentials.header}
	b.negotiation.turn = make(chan struct{}, 1)
	b.snapshot.read, b.snapshot.kept = b.read, b.names.learn
	return b, nil
}

// Close drops idle connections.
func (b *Backend) Close() error { return b.cli.Close() }

// Observe implements reconcile.Backend.
func (b *Backend) Observe(ctx context.Context, scope reconcile.Scope) (*reconcile.State, error) {
	return b.snapshot.get(ctx, scope.Fresh)
}

// attempt is one thing that is tried at the engine, for the words of its error.
type attempt struct {
	op   string     // "update service shop_web"
	ref  object.Ref // what it is about, if it is about one object
	verb reconcile.Verb
}

// call carries out f against an engine whose API version is settled, and turns
// whatever goes wrong into a *reconcile.Error.
func (b *Backend) call(ctx context.Context, a attempt, f func(context.Context) error) error {
	if err := b.latch.check(a); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err := b.negotiate(bounded)
	if err == nil {
		err = f(bounded)
	}
	if err == nil {
		b.latch.release()
		return nil
	}
	failure := b.classify(ctx, a, err)
	b.latch.note(failure)
	return failure
}

// negotiation makes sure that the API version is agreed upon once.
type negotiation struct {
	turn chan struct{} // holds one token: whoever has it negotiates
	done bool          // guarded by turn
}

func (b *Backend) negotiate(ctx context.Context) error {
	select {
	case b.negotiation.turn <- struct{}{}:
		defer func() { <-b.negotiation.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if b.negotiation.done {
		return nil
	}
	ping, err := b.cli.Ping(ctx)
	if err != nil {
		return err
	}
	if ping.APIVersion == "" {
		return &versionError{}
	}
	b.cli.NegotiateAPIVersionPing(ping)
	if v := b.cli.ClientVersion(); versions.LessThan(v, minAPIVersion) {
		return &versionError{have: v}
	}
	b.negotiation.done = true
	return nil
}

// versionError says that what answers is no engine that this package can use.
type versionError struct {
	have string // empty when the answer names no version at all
}

func (e *versionError) Error() string {
	if e.have == "" {
		return "the answer names no API version, so it does not come from a Docker Engine"
	}
	return fmt.Sprintf("the engine speaks Docker Engine API %s, and at least %s (Docker 20.10) is needed", e.have, minAPIVersion)
}

// Describe tells which engine is meant and where that was settled, for messages:
// `unix:///var/run/docker.sock (DOCKER_HOST)`.
func (b *Backend) Describe() string { return b.endpoint.String() }

// Warnings lists what is legal in the connection's settings and probably not
// meant, in full sentences.
func (b *Backend) Warnings() []string { return b.endpoint.warnings() }

// Ping asks whether the engine answers and speaks a usable API.
func (b *Backend) Ping(ctx context.Context) error {
	return b.call(ctx, attempt{op: "reach the engine"}, func(ctx context.Context) error {
		_, err := b.cli.Ping(ctx)
		return err
	})
}
