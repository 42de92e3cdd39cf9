package memory

import (
	"context"
	"errors"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

var _ reconcile.Resolver = (*Backend)(nil)

// ErrNoImage is the cause of a Resolve of an image that no registry has.
var ErrNoImage = errors.New("manifest unknown")

// Push makes an image's tag stand for a digest from now on.
func (b *Backend) Push(image, digest string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.registry == nil {
		b.registry = map[string]string{}
	}
	b.registry[image] = digest
}

// Resolve implements reconcile.Resolver.
func (b *Backend) Resolve(ctx context.Context, image string) (string, error) {
	if _, err := b.enter(ctx, "Resolve", nil); err != nil {
		return "", err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	digest, ok := b.registry[image]
	if !ok {
		return "", &reconcile.Error{Reason: reconcile.ReasonNotFound, Op: "resolve image " + image, Err: ErrNoImage}
	}
	return digest, nil
}

// CredentialFor implements reconcile.Resolver.
func (b *Backend) CredentialFor(image string) string {
	return "No credential is configured for the registry of " + image + "."
}
