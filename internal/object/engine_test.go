package object_test

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"
	"github.com/docker/docker/api/types/versions"
	"github.com/docker/docker/client"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// engine is a throwaway engine.
type engine struct {
	*client.Client
	// writer creates services.
	writer *client.Client
	api    string
}

func (e *engine) has(api string) bool {
	return api == "" || versions.GreaterThanOrEqualTo(e.api, api)
}

func (e *engine) form(t *testing.T, s *swarm.ServiceSpec, v object.View) object.Form {
	t.Helper()
	f, err := object.Object{Kind: object.KindService, Key: s.Name, Spec: s}.Form(v)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// roundTrip creates the service, reads it back, compares the two and returns
// the form of what came back.
func (e *engine) roundTrip(t *testing.T, rule string, desired *swarm.ServiceSpec) object.Form {
	t.Helper()
	ctx := context.Background()
	desired.Name = "rt-" + strings.ReplaceAll(strings.Map(func(r rune) rune {
		if r == ',' {
			return -1
		}
		return r
	}, rule), " ", "-")
	declared := object.Object{Kind: object.KindService, Key: rule, Spec: desired}
	created, err := e.writer.ServiceCreate(ctx, *e.withIDs(t, declared), swarm.ServiceCreateOptions{})
	if err != nil {
		t.Fatalf("%s: %v", rule, err)
	}
	t.Cleanup(func() {
		if err := e.ServiceRemove(ctx, created.ID); err != nil {
			t.Errorf("remove service %s: %v", desired.Name, err)
		}
	})
	got, _, err := e.ServiceInspectWithRaw(ctx, created.ID, swarm.ServiceInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e.namesForIDs(t, &got.Spec)
	live := object.Object{Kind: object.KindService, Key: rule, Spec: &got.Spec}
	same(t, declared, live)
	return e.form(t, &got.Spec, object.View{Declared: &declared})
}

// withIDs returns a copy of the spec with the ids of its secrets and configs;
// the engine itself finds networks by name.
func (e *engine) withIDs(t *testing.T, o object.Object) *swarm.ServiceSpec {
	t.Helper()
	s := o.Clone().Spec.(*swarm.ServiceSpec)
	for _, r := range s.TaskTemplate.ContainerSpec.Secrets {
		secret, _, err := e.SecretInspectWithRaw(context.Background(), r.SecretName)
		if err != nil {
			t.Fatal(err)
		}
		r.SecretID = secret.ID
	}
	for _, r := range s.TaskTemplate.ContainerSpec.Configs {
		config, _, err := e.ConfigInspectWithRaw(context.Background(), r.ConfigName)
		if err != nil {
			t.Fatal(err)
		}
		r.ConfigID = config.ID
	}
	return s
}

func (e *engine) namesForIDs(t *testing.T, s *swarm.ServiceSpec) {
	t.Helper()
	for _, list := range [][]swarm.NetworkAttachmentConfig{s.TaskTemplate.Networks, s.Networks} { //nolint:staticcheck // old clients fill the deprecated field
		for i := range list {
			n, err := e.NetworkInspect(context.Background(), list[i].Target, network.InspectOptions{})
			if err != nil {
				t.Fatal(err)
			}
			list[i].Target = n.Name
		}
	}
}

func (e *engine) createNetwork(t *testing.T, name string, o network.CreateOptions) {
	t.Helper()
	created, err := e.NetworkCreate(context.Background(), name, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.NetworkRemove(context.Background(), created.ID); err != nil {
			t.Errorf("remove network %s: %v", name, err)
		}
	})
}

func (e *engine) network(t *testing.T, name string) network.CreateOptions {
	t.Helper()
	var n network.Inspect
	var err error
	// The engine answers a create before it has allocated the network, and shows
	// neither driver nor options nor pools until it has.
	acctest.Wait(t, 10*time.Second, "network "+name+" is allocated", func() bool {
		n, err = e.NetworkInspect(context.Background(), name, network.InspectOptions{})
		return err != nil || n.Driver != ""
	})
	if err != nil {
		t.Fatal(err)
	}
	return network.CreateOptions{
		Driver: n.Driver, Scope: n.Scope, EnableIPv4: &n.EnableIPv4, EnableIPv6: &n.EnableIPv6, IPAM: &n.IPAM,
		Internal: n.Internal, Attachable: n.Attachable, Ingress: n.Ingress, ConfigOnly: n.ConfigOnly,
		ConfigFrom: &n.ConfigFrom, Options: maps.Clone(n.Options), Labels: n.Labels,
	}
}

func (e *engine) createFiles(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	config, err := e.ConfigCreate(ctx, configSpec())
	if err != nil {
		t.Fatal(err)
	}
	secret, err := e.SecretCreate(ctx, secretSpec())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, err := range []error{e.ConfigRemove(ctx, config.ID), e.SecretRemove(ctx, secret.ID)} {
			if err != nil {
				t.Error(err)
			}
		}
	})
}

func TestMain(m *testing.M) { acctest.Main(m) }

func startEngine(t *testing.T) *engine {
	t.Helper()
	c := acctest.Start(t).Client()
	v, err := c.ServerVersion(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return &engine{Client: c, writer: c, api: v.APIVersion}
}
