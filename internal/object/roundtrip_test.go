package object_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"
	"github.com/docker/docker/api/types/versions"
	"github.com/docker/docker/client"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
)

func ptr[T any](v T) *T { return &v }

// roundTrip is a service as it is written, and the API version that has all of
// its fields.
type roundTrip struct {
	rule string
	api  string
	set  func(s *swarm.ServiceSpec, c *swarm.ContainerSpec)
	// lost is set when the engine keeps nothing of what is set, so that the
	// service has to look as if nothing were.
	lost bool
}

// roundTrips sets each row of the canonical table by itself, to something and
// to the spellings of nothing.
func roundTrips() []roundTrip {
	return []roundTrip{
		{rule: "image without a tag", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Image = "never/there" }},
		{rule: "image by its full name", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Image = "docker.io/library/never:2" }},
		{rule: "image by digest", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Image = "never/there@sha256:" + strings.Repeat("a", 64)
		}},
		{rule: "image by tag and digest", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Image = "never/there:1@sha256:" + strings.Repeat("a", 64)
		}},
		{rule: "mode global", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.Mode = swarm.ServiceMode{Global: &swarm.GlobalService{}}
		}},
		{rule: "mode global job", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.Mode = swarm.ServiceMode{GlobalJob: &swarm.GlobalJob{}}
		}},
		{rule: "mode replicated job of nothing", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.Mode = swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{}}
		}},
		{rule: "mode replicated job with concurrency", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.Mode = swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{MaxConcurrent: ptr(uint64(2))}}
		}},
		{rule: "mode replicated job with completions", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.Mode = swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{TotalCompletions: ptr(uint64(3))}}
		}},
		{rule: "limits", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.TaskTemplate.Resources = &swarm.ResourceRequirements{Limits: &swarm.Limit{NanoCPUs: 5e8, MemoryBytes: 64 << 20, Pids: 100}}
		}},
		{rule: "reservations", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.TaskTemplate.Resources = &swarm.ResourceRequirements{Reservations: &swarm.Resources{NanoCPUs: 1e7, MemoryBytes: 5 << 20, GenericResources: []swarm.GenericResource{
				{NamedResourceSpec: &swarm.NamedGenericResource{Kind: "gpu", Value: "a"}}, {DiscreteResourceSpec: &swarm.DiscreteGenericResource{Kind: "fpga", Value: 2}},
			}}}
		}},
		{rule: "resources of nothing", lost: true, set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.TaskTemplate.Resources = &swarm.ResourceRequirements{Limits: &swarm.Limit{}, Reservations: &swarm.Resources{}}
		}},
		{rule: "env", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Env = []string{"B=2", "A=", "BARE", "C=x=y"} }},
		{rule: "labels", set: func(s *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			s.Labels, c.Labels = map[string]string{"a.b": "1", "empty": ""}, map[string]string{"c": "2"}
		}},
		{rule: "ports", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.EndpointSpec = &swarm.EndpointSpec{Ports: []swarm.PortConfig{
				{TargetPort: 81}, {TargetPort: 80, PublishedPort: 18080, Protocol: "udp", PublishMode: "host"}, {TargetPort: 82, PublishedPort: 18082, Name: "named"},
			}}
		}},
		{rule: "endpoint mode dnsrr", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.EndpointSpec = &swarm.EndpointSpec{Mode: swarm.ResolutionModeDNSRR}
		}},
		{rule: "endpoint of nothing", lost: true, set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) { s.EndpointSpec = &swarm.EndpointSpec{} }},
		{rule: "networks of the task", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.TaskTemplate.Networks = []swarm.NetworkAttachmentConfig{{Target: "rt-net", Aliases: []string{"b", "a"}, DriverOpts: map[string]string{"o": "1"}}}
		}},
		{rule: "mounts", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Mounts = []mount.Mount{
				{Type: mount.TypeBind, Source: "/b", Target: "/bind", ReadOnly: true, Consistency: mount.ConsistencyCached, BindOptions: &mount.BindOptions{Propagation: mount.PropagationShared}},
				{Type: mount.TypeBind, Source: "/b", Target: "/non-recursive", BindOptions: &mount.BindOptions{NonRecursive: true}},
				{Source: "/b", Target: "/untyped"},
				{Type: mount.TypeVolume, Target: "/anonymous"},
				{Type: mount.TypeVolume, Source: "v", Target: "/empty-options", VolumeOptions: &mount.VolumeOptions{}},
				{Type: mount.TypeVolume, Source: "w", Target: "/volume", VolumeOptions: &mount.VolumeOptions{NoCopy: true, Labels: map[string]string{"a": "1"}, DriverConfig: &mount.Driver{Name: "local", Options: map[string]string{"type": "tmpfs"}}}},
				{Type: mount.TypeTmpfs, Target: "/tmpfs", TmpfsOptions: &mount.TmpfsOptions{SizeBytes: 1 << 20, Mode: 0o1700}},
				{Type: mount.TypeTmpfs, Target: "/plain-tmpfs"},
			}
		}},
		{rule: "bind options that the engine drops", api: "1.42", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Mounts = []mount.Mount{{Type: mount.TypeBind, Source: "/b", Target: "/bind", BindOptions: &mount.BindOptions{CreateMountpoint: true, ReadOnlyNonRecursive: true}}}
		}},
		{rule: "volume sub-path", api: "1.45", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Mounts = []mount.Mount{{Type: mount.TypeVolume, Source: "v", Target: "/t", VolumeOptions: &mount.VolumeOptions{Subpath: "s"}}}
		}},
		{rule: "tmpfs options", api: "1.46", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Mounts = []mount.Mount{{Type: mount.TypeTmpfs, Target: "/t", TmpfsOptions: &mount.TmpfsOptions{Options: [][]string{{"noexec"}, {"uid", "7"}}}}}
		}},
		{rule: "secrets", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Secrets = []*swarm.SecretReference{
				{SecretName: "rt-secret", File: &swarm.SecretReferenceFileTarget{Name: "b", UID: "0", GID: "0", Mode: 0o444}},
				{SecretName: "rt-secret", File: &swarm.SecretReferenceFileTarget{Name: "/a", UID: "7", GID: "8", Mode: 0o400}},
			}
		}},
		{rule: "configs", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Configs = []*swarm.ConfigReference{
				{ConfigName: "rt-config", File: &swarm.ConfigReferenceFileTarget{Name: "/etc/c", UID: "0", GID: "0", Mode: 0o444}},
				{ConfigName: "rt-config", Runtime: &swarm.ConfigReferenceRuntimeTarget{}},
			}
		}},
		{rule: "healthcheck", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Healthcheck = &container.HealthConfig{Test: []string{"CMD", "a b", "c"}, Interval: time.Second, Timeout: 1500 * time.Millisecond, StartPeriod: time.Minute, Retries: 2}
		}},
		{rule: "healthcheck that is switched off", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Healthcheck = &container.HealthConfig{Test: []string{"NONE"}}
		}},
		{rule: "healthcheck of nothing", lost: true, set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Healthcheck = &container.HealthConfig{} }},
		{rule: "healthcheck start interval", api: "1.44", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Healthcheck = &container.HealthConfig{Test: []string{"CMD", "a"}, StartInterval: 3 * time.Second}
		}},
		{rule: "update and rollback config", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.UpdateConfig = &swarm.UpdateConfig{Parallelism: 2, Delay: 3 * time.Second, FailureAction: "rollback", Monitor: 4 * time.Second, MaxFailureRatio: 0.1, Order: "start-first"}
			s.RollbackConfig = &swarm.UpdateConfig{FailureAction: "continue", MaxFailureRatio: 0.7}
		}},
		{rule: "update config of nothing", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) { s.UpdateConfig = &swarm.UpdateConfig{} }},
		{rule: "restart policy", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.TaskTemplate.RestartPolicy = &swarm.RestartPolicy{Condition: "on-failure", Delay: ptr(2 * time.Second), MaxAttempts: ptr(uint64(3)), Window: ptr(time.Minute)}
		}},
		{rule: "restart policy without a delay", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.TaskTemplate.RestartPolicy = &swarm.RestartPolicy{Condition: "none", Delay: ptr(time.Duration(0))}
		}},
		{rule: "restart policy of nothing", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.TaskTemplate.RestartPolicy = &swarm.RestartPolicy{}
		}},
		{rule: "placement", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.TaskTemplate.Placement.Constraints = append(s.TaskTemplate.Placement.Constraints, "node.role==worker")
			s.TaskTemplate.Placement.MaxReplicas = 2
			s.TaskTemplate.Placement.Preferences = []swarm.PlacementPreference{{Spread: &swarm.SpreadOver{SpreadDescriptor: "node.labels.z"}}, {Spread: &swarm.SpreadOver{SpreadDescriptor: "node.labels.a"}}}
		}},
		{rule: "command and arguments", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Command, c.Args = []string{"/x", "a b"}, []string{"c", "", "{{.Node.Hostname}}"}
		}},
		{rule: "identity of the process", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.User, c.Dir, c.Hostname, c.StopSignal, c.Groups = "7:8", "/d", "h", "SIGINT", []string{"9", "8"}
		}},
		{rule: "read only, tty and stdin", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.ReadOnly, c.TTY, c.OpenStdin = true, true, true }},
		{rule: "oom score", api: "1.46", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.OomScoreAdj = 5 }},
		{rule: "stop grace period of 0", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.StopGracePeriod = ptr(time.Duration(0)) }},
		{rule: "stop grace period of the engine", lost: true, set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.StopGracePeriod = ptr(10 * time.Second) }},
		{rule: "init", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Init = ptr(true) }},
		{rule: "init that is switched off", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Init = ptr(false) }},
		{rule: "hosts and dns", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Hosts = []string{"10.0.0.2 b", "10.0.0.1 a"}
			c.DNSConfig = &swarm.DNSConfig{Nameservers: []string{"10.0.0.2", "10.0.0.1"}, Search: []string{"b", "a"}, Options: []string{"ndots:2"}}
		}},
		{rule: "dns of nothing", lost: true, set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.DNSConfig = &swarm.DNSConfig{} }},
		{rule: "capabilities", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.CapabilityAdd, c.CapabilityDrop = []string{"CAP_NET_ADMIN", "CAP_CHOWN"}, []string{"ALL"}
		}},
		{rule: "sysctls and ulimits", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Sysctls = map[string]string{"net.core.somaxconn": "1024"}
			c.Ulimits = []*container.Ulimit{{Name: "nofile", Soft: 10, Hard: 20}, {Name: "core", Soft: -1, Hard: -1}}
		}},
		{rule: "logging", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.TaskTemplate.LogDriver = &swarm.Driver{Name: "json-file", Options: map[string]string{"max-size": "1m"}}
		}},
		{rule: "logging of nothing", lost: true, set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) { s.TaskTemplate.LogDriver = &swarm.Driver{} }},
		{rule: "privileges of nothing", lost: true, set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Privileges = &swarm.Privileges{} }},
		{rule: "credential spec and selinux", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Privileges = &swarm.Privileges{CredentialSpec: &swarm.CredentialSpec{File: "f"}, SELinuxContext: &swarm.SELinuxContext{User: "u", Role: "r", Type: "t", Level: "l"}}
		}},
		{rule: "seccomp, apparmor and no new privileges", api: "1.44", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Privileges = &swarm.Privileges{Seccomp: &swarm.SeccompOpts{Mode: "custom", Profile: []byte(`{"a":1}`)}, AppArmor: &swarm.AppArmorOpts{Mode: "disabled"}, NoNewPrivileges: true}
		}},
		{rule: "seccomp and apparmor by default", api: "1.44", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Privileges = &swarm.Privileges{Seccomp: &swarm.SeccompOpts{}, AppArmor: &swarm.AppArmorOpts{}}
		}},
		{rule: "isolation", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Isolation = container.IsolationProcess }},
		{rule: "isolation by default", lost: true, set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Isolation = container.IsolationDefault }},
	}
}

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
		if !row.lost && e.has(row.api) && !strings.HasPrefix(row.rule, "mode") {
			row.set(everything, everything.TaskTemplate.ContainerSpec)
		}
	}
	e.roundTrip(t, "everything", everything)
	e.roundTrip(t, "nothing", &swarm.ServiceSpec{TaskTemplate: swarm.TaskSpec{ContainerSpec: &swarm.ContainerSpec{Image: "never/there"}}})

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

func TestCanonicalRoundTripOfDeprecatedNetworks(t *testing.T) {
	e := startEngine(t)
	e.createNetwork(t, "rt-old", network.CreateOptions{Driver: "overlay"})
	s := &swarm.ServiceSpec{
		Annotations:  swarm.Annotations{Name: "rt-deprecated-networks"},
		TaskTemplate: swarm.TaskSpec{ContainerSpec: &swarm.ContainerSpec{Image: "never/there:1"}},
		Mode:         swarm.ServiceMode{Replicated: &swarm.ReplicatedService{Replicas: ptr(uint64(0))}},
		Networks:     []swarm.NetworkAttachmentConfig{{Target: "rt-old", Aliases: []string{"old"}}}, //nolint:staticcheck // it is what is tested
	}
	e.roundTrip(t, "deprecated networks", s)
}

func TestCanonicalRoundTripOfNetworks(t *testing.T) {
	e := startEngine(t)
	rows := []struct {
		rule string
		o    network.CreateOptions
	}{
		{"nothing", network.CreateOptions{Driver: "overlay"}},
		{"labels and options", network.CreateOptions{Driver: "overlay", Attachable: true, Internal: true, Labels: map[string]string{"a": "1"}, Options: map[string]string{"encrypted": "", "com.docker.network.driver.mtu": "1400"}}},
		{"ipam without pools", network.CreateOptions{Driver: "overlay", IPAM: &network.IPAM{}}},
		{"ipam with the default driver", network.CreateOptions{Driver: "overlay", IPAM: &network.IPAM{Driver: "default"}}},
		{"a subnet", network.CreateOptions{Driver: "overlay", IPAM: &network.IPAM{Config: []network.IPAMConfig{{Subnet: "10.77.1.0/24"}}}}},
		{"two subnets, one with a gateway and a range", network.CreateOptions{Driver: "overlay", IPAM: &network.IPAM{Config: []network.IPAMConfig{
			{Subnet: "10.77.3.0/24", Gateway: "10.77.3.9", IPRange: "10.77.3.0/25"}, {Subnet: "10.77.2.0/24"},
		}}}},
		{"auxiliary addresses", network.CreateOptions{Driver: "overlay", IPAM: &network.IPAM{Config: []network.IPAMConfig{{Subnet: "10.77.4.0/24", AuxAddress: map[string]string{"a": "10.77.4.5"}}}}}},
		{"ipv6", network.CreateOptions{Driver: "overlay", EnableIPv6: ptr(true), IPAM: &network.IPAM{Config: []network.IPAMConfig{{Subnet: "fd77::/64"}, {Subnet: "10.77.5.0/24"}}}}},
	}
	for i, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
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

// engine is a throwaway engine.
type engine struct {
	*client.Client
	api string
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
	created, err := e.ServiceCreate(ctx, *e.withIDs(t, declared), swarm.ServiceCreateOptions{})
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
	t.Run("came back the same: "+rule, func(t *testing.T) { same(t, declared, live) })
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
	n, err := e.NetworkInspect(context.Background(), name, network.InspectOptions{})
	for deadline := time.Now().Add(10 * time.Second); err == nil && n.Driver == "" && time.Now().Before(deadline); {
		// The engine answers a create before it has allocated the network, and
		// shows neither driver nor options nor pools until it has.
		n, err = e.NetworkInspect(context.Background(), name, network.InspectOptions{})
	}
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
