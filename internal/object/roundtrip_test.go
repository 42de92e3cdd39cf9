package object_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"
	"github.com/docker/docker/client"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

// TestCanonicalRoundTrip writes services to a real engine and reads them back:
// what came back means what was written, for every field by itself, for all of
// them at once, and for none. No container runs, no image is pulled.
func TestCanonicalRoundTrip(t *testing.T) {
	e := startEngine(t)
	e.createNetwork(t, "rt-net", network.CreateOptions{Driver: "overlay"})
	e.createFiles(t)

	bare := func() *swarm.ServiceSpec {
		return &swarm.ServiceSpec{
			TaskTemplate: swarm.TaskSpec{
				ContainerSpec: &swarm.ContainerSpec{Image: "never/there:1"},
				Placement:     &swarm.Placement{Constraints: []string{"node.labels.never==true"}},
			},
			Mode: swarm.ServiceMode{Replicated: &swarm.ReplicatedService{Replicas: ptr(uint64(0))}},
		}
	}
	nothing := e.form(t, bare(), object.View{})

	everything := bare()
	for _, row := range roundTrips() {
		if !row.lost && !row.variant && e.has(row.api) {
			row.set(everything, everything.TaskTemplate.ContainerSpec)
		}
	}
	t.Run("everything", func(t *testing.T) { e.roundTrip(t, "everything", everything) })
	t.Run("nothing", func(t *testing.T) {
		e.roundTrip(t, "nothing", &swarm.ServiceSpec{TaskTemplate: swarm.TaskSpec{ContainerSpec: &swarm.ContainerSpec{Image: "never/there"}}})
	})

	for _, row := range roundTrips() {
		t.Run(row.rule, func(t *testing.T) {
			if !e.has(row.api) {
				t.Skipf("needs API %s, and the engine has %s", row.api, e.api)
			}
			s := bare()
			row.set(s, s.TaskTemplate.ContainerSpec)
			live := e.roundTrip(t, row.rule, s)
			if row.lost != live.Equal(nothing) {
				t.Errorf("the live form is that of a service that sets nothing: %v, want %v\n%s", live.Equal(nothing), row.lost, live.JSON())
			}
		})
	}
}

// TestCanonicalRoundTripOfDeprecatedNetworks creates a service as clients of an
// old API do. Current engines take the field from those alone.
func TestCanonicalRoundTripOfDeprecatedNetworks(t *testing.T) {
	e := startEngine(t)
	e.createNetwork(t, "rt-old", network.CreateOptions{Driver: "overlay"})
	old, err := client.NewClientWithOpts(client.WithHost(e.DaemonHost()), client.WithVersion("1.41"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = old.Close() })
	s := &swarm.ServiceSpec{
		TaskTemplate: swarm.TaskSpec{ContainerSpec: &swarm.ContainerSpec{Image: "never/there:1"}},
		Mode:         swarm.ServiceMode{Replicated: &swarm.ReplicatedService{Replicas: ptr(uint64(0))}},
		Networks:     []swarm.NetworkAttachmentConfig{{Target: "rt-old", Aliases: []string{"old"}}}, //nolint:staticcheck // it is what is tested
	}
	for _, api := range []*client.Client{e.Client, old} {
		reader := &engine{Client: api, writer: old, api: "1.41"}
		t.Run("read with API "+api.ClientVersion(), func(t *testing.T) { reader.roundTrip(t, "deprecated networks", s) })
	}
}

func TestCanonicalRoundTripOfNetworks(t *testing.T) {
	e := startEngine(t)
	rows := []struct {
		rule string
		o    network.CreateOptions
		// broken is the API of an engine that never allocates such a network.
		broken string
	}{
		{"nothing", network.CreateOptions{Driver: "overlay"}, ""},
		{"labels and options", network.CreateOptions{Driver: "overlay", Attachable: true, Internal: true, Labels: map[string]string{"a": "1"}, Options: map[string]string{"encrypted": "", "com.docker.network.driver.mtu": "1400"}}, ""},
		{"ipam without pools", network.CreateOptions{Driver: "overlay", IPAM: &network.IPAM{}}, ""},
		{"ipam with the default driver", network.CreateOptions{Driver: "overlay", IPAM: &network.IPAM{Driver: "default"}}, ""},
		{"a subnet", network.CreateOptions{Driver: "overlay", IPAM: &network.IPAM{Config: []network.IPAMConfig{{Subnet: "10.77.1.0/24"}}}}, ""},
		{"two subnets, one with a gateway and a range", network.CreateOptions{Driver: "overlay", IPAM: &network.IPAM{Config: []network.IPAMConfig{
			{Subnet: "10.77.3.0/24", Gateway: "10.77.3.9", IPRange: "10.77.3.0/25"}, {Subnet: "10.77.2.0/24"},
		}}}, ""},
		{"auxiliary addresses", network.CreateOptions{Driver: "overlay", IPAM: &network.IPAM{Config: []network.IPAMConfig{{Subnet: "10.77.4.0/24", AuxAddress: map[string]string{"a": "10.77.4.5"}}}}}, ""},
		{"ipv6", network.CreateOptions{Driver: "overlay", EnableIPv6: ptr(true)}, ""},
		// 2.0.0-beta.24: "cannot find address pool for poolID:fd77::/64/invalid Prefix".
		{"ipv6 with a subnet", network.CreateOptions{Driver: "overlay", EnableIPv6: ptr(true), IPAM: &network.IPAM{Config: []network.IPAMConfig{{Subnet: "fd77::/64"}, {Subnet: "10.77.5.0/24"}}}}, "1.56"},
	}
	for i, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			if row.broken == e.api {
				t.Skipf("an engine of API %s does not allocate this", e.api)
			}
			name := fmt.Sprintf("rt-network-%d", i)
			e.createNetwork(t, name, row.o)
			desired := object.Object{Kind: object.KindNetwork, Key: name, Name: name, Spec: &object.NetworkSpec{Name: name, Options: row.o}}
			live := desired
			live.Spec = &object.NetworkSpec{Name: name, Options: e.network(t, name)}
			same(t, desired, live)
		})
	}
}

func TestCanonicalRoundTripOfFiles(t *testing.T) {
	e := startEngine(t)
	e.createFiles(t)
	ctx := context.Background()
	config, _, err := e.ConfigInspectWithRaw(ctx, "rt-config")
	if err != nil {
		t.Fatal(err)
	}
	same(t, object.Object{Kind: object.KindConfig, Key: "c", Spec: ptr(configSpec())}, object.Object{Kind: object.KindConfig, Key: "c", Spec: &config.Spec})
	if object.ConfigFingerprint(ptr(configSpec())) != object.ConfigFingerprint(&config.Spec) {
		t.Error("the fingerprint of the config changed on the way")
	}
	secret, _, err := e.SecretInspectWithRaw(ctx, "rt-secret")
	if err != nil {
		t.Fatal(err)
	}
	if len(secret.Spec.Data) > 0 {
		t.Error("the engine gives the content of a secret back")
	}
	same(t, object.Object{Kind: object.KindSecret, Key: "s", Fingerprint: "f", Spec: ptr(secretSpec())}, object.Object{Kind: object.KindSecret, Key: "s", Fingerprint: "f", Spec: &secret.Spec})
}

func same(t *testing.T, desired, live object.Object) {
	t.Helper()
	want, err := desired.Form(object.View{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := live.Form(object.View{Declared: &desired})
	if err != nil {
		t.Fatal(err)
	}
	if diff := object.Diff(want, got); len(diff) > 0 {
		t.Errorf("differences nobody made: %v", diff)
	}
}

func configSpec() swarm.ConfigSpec {
	return swarm.ConfigSpec{Annotations: swarm.Annotations{Name: "rt-config", Labels: map[string]string{"a": "1"}}, Data: []byte("text"), Templating: &swarm.Driver{Name: "golang"}}
}

func secretSpec() swarm.SecretSpec {
	return swarm.SecretSpec{Annotations: swarm.Annotations{Name: "rt-secret"}, Data: []byte("hunter2")}
}
