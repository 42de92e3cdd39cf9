package swarm

import (
	"context"
	"strings"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// convert brings the lists into the currency of the core. The specs are the
// ones that the client decoded: nobody else holds them, so they are changed in
// place.
func (b *Backend) convert(ctx context.Context, l lists) (*reconcile.State, error) {
	state := &reconcile.State{
		SwarmID:    l.swarmID,
		APIVersion: b.cli.ClientVersion(),
		Live:       make([]reconcile.Live, 0, len(l.services)+len(l.networks)+len(l.configs)+len(l.secrets)),
		Nodes:      convertNodes(l.nodes),
	}
	networkNames := make(map[string]string, len(l.networks))
	for _, n := range l.networks {
		networkNames[n.ID] = n.Name
		if clusterWide(n) && !n.Ingress {
			state.Live = append(state.Live, liveNetwork(n))
		}
	}
	for i := range l.secrets {
		state.Live = append(state.Live, liveSecret(&l.secrets[i]))
	}
	for i := range l.configs {
		state.Live = append(state.Live, liveConfig(&l.configs[i]))
	}
	for i := range l.services {
		if err := b.nameAttachments(ctx, &l.services[i].Spec, networkNames); err != nil {
			return nil, err
		}
		state.Live = append(state.Live, liveService(&l.services[i]))
	}
	return state, nil
}

// live fills in what the labels of an object say.
func live(kind object.Kind, id, name string, labels map[string]string) reconcile.Live {
	l := reconcile.Live{
		Object: object.Object{Kind: kind, Name: name, Key: labels[reconcile.LabelKey]},
		ID:     id,
		Stack:  labels[reconcile.LabelStack],
		Status: labels[reconcile.LabelStatus],
		Owner: reconcile.Owner{
			Release:  labels[reconcile.LabelRelease],
			Kind:     labels[reconcile.LabelKind],
			Instance: labels[reconcile.LabelInstance],
			Owner:    labels[reconcile.LabelOwner],
		},
	}
	if l.Key == "" {
		l.Key = name
		if l.Stack != "" {
			l.Key = strings.TrimPrefix(name, l.Stack+"_")
		}
	}
	return l
}

// stamped adds what the swarm notes of every object but networks.
func stamped(l reconcile.Live, m swarm.Meta) reconcile.Live {
	l.Version, l.Created, l.Updated = m.Version.Index, m.CreatedAt, m.UpdatedAt
	return l
}

func liveSecret(s *swarm.Secret) reconcile.Live {
	l := stamped(live(object.KindSecret, s.ID, s.Spec.Name, s.Spec.Labels), s.Meta)
	l.Spec = &s.Spec
	l.Fingerprint = s.Spec.Labels[reconcile.LabelFingerprint]
	return l
}

func liveConfig(c *swarm.Config) reconcile.Live {
	kind := kindOf(c.Spec)
	l := stamped(live(kind, c.ID, c.Spec.Name, c.Spec.Labels), c.Meta)
	l.Spec = &c.Spec
	if kind == object.KindConfig {
		l.Fingerprint = object.ConfigFingerprint(&c.Spec)
	}
	return l
}

// kindOf tells the provider's books of a release, the revision records
// `keel.<release>.v<N>` and the lease `keel-lease.<release>`, from the configs
// that the release declares.
func kindOf(c swarm.ConfigSpec) object.Kind {
	release := c.Labels[reconcile.LabelRelease]
	switch {
	case release == "":
		return object.KindConfig
	case c.Name == "keel-lease."+release:
		return object.KindLease
	case strings.HasPrefix(c.Name, "keel."+release+".v"):
		return object.KindRecord
	}
	return object.KindConfig
}

func liveNetwork(n network.Summary) reconcile.Live {
	l := live(object.KindNetwork, n.ID, n.Name, n.Labels)
	l.Created = n.Created
	ipv6 := n.EnableIPv6
	options := network.CreateOptions{
		Driver:     n.Driver,
		Scope:      n.Scope,
		EnableIPv6: &ipv6,
		IPAM:       &n.IPAM,
		Internal:   n.Internal,
		Attachable: n.Attachable,
		Ingress:    n.Ingress,
		ConfigOnly: n.ConfigOnly,
		Options:    n.Options,
		Labels:     n.Labels,
	}
	if n.ConfigFrom.Network != "" {
		options.ConfigFrom = &n.ConfigFrom
	}
	l.Spec = &object.NetworkSpec{Name: n.Name, Options: options}
	return l
}

func liveService(s *swarm.Service) reconcile.Live {
	l := stamped(live(object.KindService, s.ID, s.Spec.Name, s.Spec.Labels), s.Meta)
	if c := s.Spec.TaskTemplate.ContainerSpec; c != nil {
		// A reference holds name and id; an object of the core knows names alone.
		for _, ref := range c.Configs {
			ref.ConfigID = ""
		}
		for _, ref := range c.Secrets {
			ref.SecretID = ""
		}
	}
	l.Spec = &s.Spec
	l.Update = updateStatus(s)
	if s.JobStatus != nil {
		l.JobIteration = s.JobStatus.JobIteration.Index
	}
	return l
}

func updateStatus(s *swarm.Service) reconcile.UpdateStatus {
	if s.UpdateStatus == nil {
		return reconcile.UpdateStatus{}
	}
	return reconcile.UpdateStatus{State: string(s.UpdateStatus.State), Message: s.UpdateStatus.Message}
}

// attachments returns the networks of a service. Those of the task template
// win over the deprecated ones of the service, as in the engine (populateNetworkID
// in moby's daemon/cluster).
func attachments(spec swarm.ServiceSpec) []swarm.NetworkAttachmentConfig {
	if len(spec.TaskTemplate.Networks) > 0 {
		return spec.TaskTemplate.Networks
	}
	return spec.Networks //nolint:staticcheck // Deprecated, and still what old services have.
}
