package swarm

import (
	"context"
	"fmt"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// Bookkeeping implements reconcile.Backend with one call.
func (b *Backend) Bookkeeping(ctx context.Context, name string) (*reconcile.Live, error) {
	var found *swarm.Config
	err := b.call(ctx, attempt{op: "read config " + name}, func(ctx context.Context) error {
		config, _, err := b.cli.ConfigInspectWithRaw(ctx, name)
		if errdefs.IsNotFound(err) {
			return nil
		}
		found = &config
		return err
	})
	if err != nil || found == nil {
		return nil, err
	}
	// The engine also takes an id or the beginning of one for a name.
	if found.Spec.Name != name {
		return nil, nil
	}
	l := liveConfig(found)
	if l.Kind == object.KindConfig {
		return nil, &reconcile.Error{
			Reason: reconcile.ReasonRefused, Op: "read config " + name,
			Detail: fmt.Sprintf("The name is reserved for the books of release %s, and somebody else's config has it. Remove that config.", strings.TrimPrefix(name, "keel-lease.")),
		}
	}
	return &l, nil
}
