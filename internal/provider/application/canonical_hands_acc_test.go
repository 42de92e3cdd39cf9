package application_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
)

// hands do by hand, with the Docker client, what somebody may do to the service of one replacement.
type hands struct {
	t            *testing.T
	s            *acctest.Swarm
	ctx          context.Context
	release, key string
}

func (h *hands) name() string { return h.release + "_" + h.key }

func (h *hands) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatalf("%s: %v", h.key, err)
	}
}

// again removes the service, lets something be done, and makes the service again.
func (h *hands) again(between func(*swarm.ServiceSpec)) {
	h.t.Helper()
	spec := h.s.Service(h.t, h.name()).Spec
	h.must(h.s.Client().ServiceRemove(h.ctx, h.name()))
	between(&spec)
	_, err := h.s.Client().ServiceCreate(h.ctx, spec, swarm.ServiceCreateOptions{})
	h.must(err)
}

func service(change func(*swarm.ServiceSpec)) func(*hands) {
	return func(h *hands) { h.again(change) }
}

func replicated(n uint64) swarm.ServiceMode {
	return swarm.ServiceMode{Replicated: &swarm.ReplicatedService{Replicas: &n}}
}

func net(change func(*network.CreateOptions)) func(*hands) {
	return func(h *hands) { h.network(change) }
}

// network replaces the network of the service, which has its name.
func (h *hands) network(change func(*network.CreateOptions)) {
	h.t.Helper()
	h.again(func(spec *swarm.ServiceSpec) {
		options := h.withoutNetwork()
		change(&options)
		created, err := h.s.Client().NetworkCreate(h.ctx, h.name(), options)
		h.must(err)
		spec.TaskTemplate.Networks[0].Target = created.ID
	})
}

// withoutNetwork removes the network and tells what it was.
func (h *hands) withoutNetwork() network.CreateOptions {
	h.t.Helper()
	options := networkOf(h.t, h.s, h.name())
	acctest.Wait(h.t, 20*time.Second, "network "+h.name()+" is removed", func() bool {
		return h.s.Client().NetworkRemove(h.ctx, h.name()) == nil
	})
	return options
}

// networkOf reads a network as it could be created again: without the addresses that the engine chose.
func networkOf(t *testing.T, s *acctest.Swarm, name string) network.CreateOptions {
	t.Helper()
	var n network.Inspect
	acctest.Wait(t, 10*time.Second, "network "+name+" is allocated", func() bool {
		var err error
		n, err = s.Client().NetworkInspect(context.Background(), name, network.InspectOptions{})
		return err == nil && n.Driver != ""
	})
	options := network.CreateOptions{
		Driver: n.Driver, Scope: n.Scope, EnableIPv6: &n.EnableIPv6, Internal: n.Internal, Attachable: n.Attachable,
		Options: n.Options, Labels: n.Labels,
	}
	delete(options.Options, "com.docker.network.driver.overlay.vxlanid_list")
	if strings.HasPrefix(n.IPAM.Config[0].Subnet, "10.88.") {
		options.IPAM = &network.IPAM{Config: []network.IPAMConfig{{Subnet: n.IPAM.Config[0].Subnet}}}
	}
	return options
}

// config is the one that the service mounts.
func (h *hands) config() swarm.Config {
	h.t.Helper()
	name := h.s.Service(h.t, h.name()).Spec.TaskTemplate.ContainerSpec.Configs[0].ConfigName
	c, _, err := h.s.Client().ConfigInspectWithRaw(h.ctx, name)
	h.must(err)
	return c
}

// config replaces the config of the service by another one of the same name.
func config(change func(*swarm.ConfigSpec)) func(*hands) {
	return func(h *hands) {
		c := h.config()
		h.again(func(spec *swarm.ServiceSpec) {
			h.must(h.s.Client().ConfigRemove(h.ctx, c.ID))
			change(&c.Spec)
			created, err := h.s.Client().ConfigCreate(h.ctx, c.Spec)
			h.must(err)
			spec.TaskTemplate.ContainerSpec.Configs[0].ConfigID = created.ID
		})
	}
}

// secret is the one that the service mounts.
func (h *hands) secret() swarm.Secret {
	h.t.Helper()
	name := h.s.Service(h.t, h.name()).Spec.TaskTemplate.ContainerSpec.Secrets[0].SecretName
	c, _, err := h.s.Client().SecretInspectWithRaw(h.ctx, name)
	h.must(err)
	return c
}

// secret replaces the secret of the service by another one of the same name.
func secret(change func(*swarm.SecretSpec)) func(*hands) {
	return func(h *hands) {
		c := h.secret()
		h.again(func(spec *swarm.ServiceSpec) {
			h.must(h.s.Client().SecretRemove(h.ctx, c.ID))
			change(&c.Spec)
			created, err := h.s.Client().SecretCreate(h.ctx, c.Spec)
			h.must(err)
			spec.TaskTemplate.ContainerSpec.Secrets[0].SecretID = created.ID
		})
	}
}

// files is the configuration of an application of several Compose files.
func files(host, name string, compose []string, settings ...string) string {
	var texts []string
	for _, c := range compose {
		texts = append(texts, fmt.Sprintf("<<-EOT\n%s\n  EOT\n", c))
	}
	return fmt.Sprintf("provider \"swarm\" {\n  host = %q\n}\n\nresource \"swarm_application\" \"app\" {\n  name = %q\n  compose = [%s]\n  %s\n}\n",
		host, name, strings.Join(texts, "  , "), strings.Join(settings, "\n  "))
}

// live is everything of a replacement as the engine has it, without ids, and without the names of configs and secrets:
// what cannot be restored in place is made again under another one.
func (r replacement) live(t *testing.T, s *acctest.Swarm, release string, i int) []any {
	t.Helper()
	h := &hands{t: t, s: s, ctx: context.Background(), release: release, key: r.key(i)}
	spec := s.Service(t, h.name()).Spec
	out := []any{&spec}
	container := spec.TaskTemplate.ContainerSpec
	if len(container.Configs) > 0 {
		c := h.config().Spec
		c.Name, container.Configs[0].ConfigID, container.Configs[0].ConfigName = "", "", ""
		out = append(out, c)
	}
	if len(container.Secrets) > 0 {
		c := h.secret().Spec
		c.Name, container.Secrets[0].SecretID, container.Secrets[0].SecretName = "", "", ""
		out = append(out, c)
	}
	if strings.Contains(r.service, "networks:") {
		out = append(out, networkOf(t, s, h.name()))
		spec.TaskTemplate.Networks[0].Target = ""
	}
	return out
}
