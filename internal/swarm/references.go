package swarm

import (
	"context"
	"sync"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// nameIndex knows the ids behind names, and survives the snapshots: an apply
// that writes many services looks up each reference once.
type nameIndex struct {
	mu  sync.Mutex
	ids map[object.Kind]map[string]string // name → id, of networks, configs and secrets
	// predefined holds networks by id that no list contains: the swarm's own
	// entries of host, bridge and the like.
	predefined map[string]string // id → name
}

// learn takes over a whole reading.
func (x *nameIndex) learn(state *reconcile.State) {
	ids := make(map[object.Kind]map[string]string)
	for _, kind := range []object.Kind{object.KindNetwork, object.KindConfig, object.KindSecret} {
		ids[kind] = make(map[string]string)
	}
	for _, l := range state.Live {
		if of, ok := ids[l.Kind]; ok {
			of[l.Name] = l.ID
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ids = ids
}

func (x *nameIndex) put(kind object.Kind, ids map[string]string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ids == nil {
		x.ids = make(map[object.Kind]map[string]string)
	}
	x.ids[kind] = ids
}

// add notes what was created.
func (x *nameIndex) add(kind object.Kind, name, id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if ids := x.ids[kind]; ids != nil {
		ids[name] = id
	}
}

// forget is called when a write failed, whose reason may be an id that leads
// nowhere any more.
func (x *nameIndex) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ids = nil
}

func (x *nameIndex) id(kind object.Kind, name string) (string, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	id, ok := x.ids[kind][name]
	return id, ok
}

func networkIDs(list []network.Summary) map[string]string {
	ids := make(map[string]string, len(list))
	for _, n := range list {
		if clusterWide(n) {
			ids[n.Name] = n.ID
		}
	}
	return ids
}

func configIDs(list []swarm.Config) map[string]string {
	ids := make(map[string]string, len(list))
	for _, c := range list {
		ids[c.Spec.Name] = c.ID
	}
	return ids
}

func secretIDs(list []swarm.Secret) map[string]string {
	ids := make(map[string]string, len(list))
	for _, s := range list {
		ids[s.Spec.Name] = s.ID
	}
	return ids
}

// lookup returns the id behind a name, from a fresh list when the name is not
// known. ok is false when the swarm has no such object.
func (b *Backend) lookup(ctx context.Context, a attempt, kind object.Kind, name string) (id string, ok bool, err error) {
	if id, ok := b.names.id(kind, name); ok {
		return id, true, nil
	}
	if err := b.relist(ctx, a, kind); err != nil {
		return "", false, err
	}
	id, ok = b.names.id(kind, name)
	return id, ok, nil
}

// relist reads the list of one kind afresh. Services are not kept: they are
// found by name at the engine.
func (b *Backend) relist(ctx context.Context, a attempt, kind object.Kind) error {
	return b.call(ctx, attempt{op: a.op, ref: a.ref}, func(ctx context.Context) error {
		ids, err := b.idsOf(ctx, kind)
		if err == nil {
			b.names.put(kind, ids)
		}
		return err
	})
}

func (b *Backend) idsOf(ctx context.Context, kind object.Kind) (map[string]string, error) {
	switch kind {
	case object.KindNetwork:
		list, err := b.cli.NetworkList(ctx, network.ListOptions{})
		return networkIDs(list), err
	case object.KindSecret:
		list, err := b.cli.SecretList(ctx, swarm.SecretListOptions{})
		return secretIDs(list), err
	default:
		list, err := b.cli.ConfigList(ctx, swarm.ConfigListOptions{})
		return configIDs(list), err
	}
}

// predefinedNetwork reports whether every engine has a network of this name. The
// engine turns such a name into an id by itself, and lists none of them.
func predefinedNetwork(name string) bool {
	switch name {
	case network.NetworkBridge, network.NetworkHost, network.NetworkNone, network.NetworkNat, network.NetworkDefault:
		return true
	}
	return false
}

// resolveReferences returns a copy of a spec with the ids that the engine wants
// beside names. A reference that leads nowhere is ReasonInvalid.
func (b *Backend) resolveReferences(ctx context.Context, a attempt, spec swarm.ServiceSpec) (swarm.ServiceSpec, error) {
	networks := append([]swarm.NetworkAttachmentConfig(nil), attachments(spec)...)
	spec.Networks = nil //nolint:staticcheck // Deprecated: what is written is in the task template alone.
	spec.TaskTemplate.Networks = networks
	for i := range networks {
		name := networks[i].Target
		if predefinedNetwork(name) {
			continue
		}
		id, err := b.mustLookup(ctx, a, object.KindNetwork, name)
		if err != nil {
			return spec, err
		}
		networks[i].Target = id
	}
	if spec.TaskTemplate.ContainerSpec == nil {
		return spec, nil
	}
	container := *spec.TaskTemplate.ContainerSpec
	spec.TaskTemplate.ContainerSpec = &container
	container.Configs = append([]*swarm.ConfigReference(nil), container.Configs...)
	for i, ref := range container.Configs {
		id, err := b.mustLookup(ctx, a, object.KindConfig, ref.ConfigName)
		if err != nil {
			return spec, err
		}
		resolved := *ref
		resolved.ConfigID = id
		container.Configs[i] = &resolved
	}
	container.Secrets = append([]*swarm.SecretReference(nil), container.Secrets...)
	for i, ref := range container.Secrets {
		id, err := b.mustLookup(ctx, a, object.KindSecret, ref.SecretName)
		if err != nil {
			return spec, err
		}
		resolved := *ref
		resolved.SecretID = id
		container.Secrets[i] = &resolved
	}
	return spec, nil
}

func (b *Backend) mustLookup(ctx context.Context, a attempt, kind object.Kind, name string) (string, error) {
	id, ok, err := b.lookup(ctx, a, kind, name)
	if err == nil && !ok {
		err = invalid(a, "the swarm has no %s %q that the service refers to", kind, name)
	}
	return id, err
}

// nameAttachments puts names in place of the ids of a live service's networks.
func (b *Backend) nameAttachments(ctx context.Context, spec *swarm.ServiceSpec, names map[string]string) error {
	networks := attachments(*spec)
	spec.Networks = nil //nolint:staticcheck // Deprecated: merged into the task template.
	spec.TaskTemplate.Networks = networks
	for i := range networks {
		id := networks[i].Target
		name, ok := names[id]
		if !ok {
			var err error
			if name, err = b.predefinedName(ctx, id); err != nil {
				return err
			}
			names[id] = name
		}
		networks[i].Target = name
	}
	return nil
}

// predefinedName asks for a network that is in no list, once per id: the swarm's
// entries of host and bridge are such (filterPredefinedNetworks in moby's
// daemon/cluster).
func (b *Backend) predefinedName(ctx context.Context, id string) (string, error) {
	b.names.mu.Lock()
	name, ok := b.names.predefined[id]
	b.names.mu.Unlock()
	if ok {
		return name, nil
	}
	gone := false
	err := b.call(ctx, attempt{op: "read network " + id}, func(ctx context.Context) error {
		n, err := b.cli.NetworkInspect(ctx, id, network.InspectOptions{Scope: "swarm"})
		if gone = errdefs.IsNotFound(err); gone {
			return nil
		}
		name = n.Name
		return err
	})
	if err != nil {
		return "", err
	}
	if gone {
		return "(unresolved " + id + ")", nil
	}
	b.names.mu.Lock()
	defer b.names.mu.Unlock()
	if b.names.predefined == nil {
		b.names.predefined = make(map[string]string)
	}
	b.names.predefined[id] = name
	return name, nil
}
