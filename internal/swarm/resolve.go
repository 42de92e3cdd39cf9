package swarm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/registry"
	"github.com/docker/docker/client"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

var _ reconcile.Resolver = (*Backend)(nil)

// Resolve asks the registry of an image, through the engine and with the
// credential that matches, which digest the reference stands for now:
// "sha256:…". The error is an *reconcile.Error; ReasonCredential when the registry
// refuses the credential that was sent, and ReasonNotFound when it has no such
// image or does not show it to everybody.
func (b *Backend) Resolve(ctx context.Context, image string) (string, error) {
	a := attempt{op: "resolve image " + image}
	var found registry.DistributionInspect
	var refused error // what the registry said; the engine itself is well
	sent := b.auth(image)
	err := b.call(ctx, a, func(ctx context.Context) error {
		bounded, cancel := context.WithTimeout(ctx, registryTimeout)
		defer cancel()
		var err error
		found, err = b.cli.DistributionInspect(bounded, image, sent)
		if err == nil || ctx.Err() != nil || client.IsErrConnectionFailed(err) || isTransport(err) {
			return err
		}
		refused = err
		return nil
	})
	if err != nil {
		return "", err
	}
	if refused != nil {
		return "", b.registryError(a, image, sent != "", refused)
	}
	return found.Descriptor.Digest.String(), nil
}

// registryTimeout bounds how long a registry may take.
const registryTimeout = 20 * time.Second

func (b *Backend) registryError(a attempt, image string, sent bool, err error) *reconcile.Error {
	e := &reconcile.Error{Reason: reconcile.ReasonUnknown, Op: a.op, Err: err, Detail: b.CredentialFor(image)}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		e.Err = fmt.Errorf("the registry gave no answer within %s: %w", registryTimeout, err)
	case errdefs.IsUnauthorized(err) && sent:
		e.Reason = reconcile.ReasonCredential
	case errdefs.IsNotFound(err), errdefs.IsUnauthorized(err), errdefs.IsPermissionDenied(err):
		// An image that nobody has pushed and one that is not for everybody are the
		// same to who asks without the right to it.
		e.Reason = reconcile.ReasonNotFound
	}
	return e
}

// CredentialFor implements reconcile.Resolver.
func (b *Backend) CredentialFor(image string) string {
	if b.credentials == nil {
		return ""
	}
	return b.credentials.describe(image)
}
