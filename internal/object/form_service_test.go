package object

import (
	"slices"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/swarm"
)

// spec returns a service spec that sets nothing, changed by the given steps.
func spec(steps ...func(*swarm.ServiceSpec)) *swarm.ServiceSpec {
	s := &swarm.ServiceSpec{TaskTemplate: swarm.TaskSpec{ContainerSpec: &swarm.ContainerSpec{Image: "app:1"}}}
	for _, step := range steps {
		if step != nil {
			step(s)
		}
	}
	return s
}

func service(s *swarm.ServiceSpec) Object {
	return Object{Kind: KindService, Key: "web", Name: "shop_web", Spec: s}
}

func mustForm(t *testing.T, o Object, v View) Form {
	t.Helper()
	f, err := o.Form(v)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func paths(differences []Difference) []string {
	list := []string{}
	for _, d := range differences {
		list = append(list, d.Path.String())
	}
	return list
}

func ptr[T any](v T) *T { return &v }

type change = func(*swarm.ServiceSpec)

// The steps say what part of a spec a row of the table below is about.
func onContainer(step func(*swarm.ContainerSpec)) change {
	return func(s *swarm.ServiceSpec) { step(s.TaskTemplate.ContainerSpec) }
}
func onTask(step func(*swarm.TaskSpec)) change {
	return func(s *swarm.ServiceSpec) { step(&s.TaskTemplate) }
}
func withMounts(mounts ...mount.Mount) change {
	return onContainer(func(c *swarm.ContainerSpec) { c.Mounts = mounts })
}
func withPorts(ports ...swarm.PortConfig) change {
	return func(s *swarm.ServiceSpec) { s.EndpointSpec = &swarm.EndpointSpec{Ports: ports} }
}
func withEnv(env ...string) change {
	return onContainer(func(c *swarm.ContainerSpec) { c.Env = env })
}
func withUpdate(u *swarm.UpdateConfig) change {
	return func(s *swarm.ServiceSpec) { s.UpdateConfig = u }
}
func withRestart(r *swarm.RestartPolicy) change {
	return onTask(func(t *swarm.TaskSpec) { t.RestartPolicy = r })
}
func withPlacement(p *swarm.Placement) change {
	return onTask(func(t *swarm.TaskSpec) { t.Placement = p })
}
func withResources(r *swarm.ResourceRequirements) change {
	return onTask(func(t *swarm.TaskSpec) { t.Resources = r })
}
func withPrivileges(p *swarm.Privileges) change {
	return onContainer(func(c *swarm.ContainerSpec) { c.Privileges = p })
}
func withHealth(h *container.HealthConfig) change {
	return onContainer(func(c *swarm.ContainerSpec) { c.Healthcheck = h })
}
func withNetworks(n ...swarm.NetworkAttachmentConfig) change {
	return onTask(func(t *swarm.TaskSpec) { t.Networks = n })
}
func withOldNetworks(n ...swarm.NetworkAttachmentConfig) change {
	return func(s *swarm.ServiceSpec) { s.Networks = n } //nolint:staticcheck // old clients fill the deprecated field
}
func withLabels(l map[string]string) change {
	return func(s *swarm.ServiceSpec) { s.Labels = l }
}
func withMode(m swarm.ServiceMode) change {
	return func(s *swarm.ServiceSpec) { s.Mode = m }
}

// TestServiceForm has a row for each rule of the table "Canonical form of a
// ServiceSpec" and each default. A and b mean the same when no path is given;
// else these are the leaves that differ.
func TestServiceForm(t *testing.T) {
	seconds := func(n int) *time.Duration { return ptr(time.Duration(n) * time.Second) }
	rows := []struct {
		rule string
		a, b change
		want []string
	}{
		{"mode: unset is replicated with one replica", nil, withMode(swarm.ServiceMode{Replicated: &swarm.ReplicatedService{Replicas: ptr(uint64(1))}}), nil},
		{"mode: replicas unset is 1", withMode(swarm.ServiceMode{Replicated: &swarm.ReplicatedService{}}), withMode(swarm.ServiceMode{Replicated: &swarm.ReplicatedService{Replicas: ptr(uint64(1))}}), nil},
		{"mode: no replicas are not one", nil, withMode(swarm.ServiceMode{Replicated: &swarm.ReplicatedService{Replicas: ptr(uint64(0))}}), []string{"replicas"}},
		{"mode: global is another mode", nil, withMode(swarm.ServiceMode{Global: &swarm.GlobalService{}}), []string{"mode", "replicas"}},
		{"mode: a global job is no global service", withMode(swarm.ServiceMode{Global: &swarm.GlobalService{}}), withMode(swarm.ServiceMode{GlobalJob: &swarm.GlobalJob{}}), []string{"mode"}},
		{"mode: a job runs once, one at a time", withMode(swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{}}), withMode(swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{MaxConcurrent: ptr(uint64(1)), TotalCompletions: ptr(uint64(1))}}), nil},
		{"mode: completions of a job default to its concurrency", withMode(swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{MaxConcurrent: ptr(uint64(3))}}), withMode(swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{MaxConcurrent: ptr(uint64(3)), TotalCompletions: ptr(uint64(3))}}), nil},
		{"mode: concurrency of a job does not default to its completions", withMode(swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{TotalCompletions: ptr(uint64(3))}}), withMode(swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{MaxConcurrent: ptr(uint64(3)), TotalCompletions: ptr(uint64(3))}}), []string{"max_concurrent"}},

		{"image: a bare name has the tag latest", onContainer(func(c *swarm.ContainerSpec) { c.Image = "nginx" }), onContainer(func(c *swarm.ContainerSpec) { c.Image = "nginx:latest" }), nil},
		{"image: a full name is its familiar one", onContainer(func(c *swarm.ContainerSpec) { c.Image = "docker.io/library/nginx:1" }), onContainer(func(c *swarm.ContainerSpec) { c.Image = "nginx:1" }), nil},
		{"image: another tag", nil, onContainer(func(c *swarm.ContainerSpec) { c.Image = "app:2" }), []string{"image"}},

		{"limits: a chain of nil is a chain of zero", nil, withResources(&swarm.ResourceRequirements{Limits: &swarm.Limit{}, Reservations: &swarm.Resources{}}), nil},
		{"limits: cpus, memory and pids", nil, withResources(&swarm.ResourceRequirements{Limits: &swarm.Limit{NanoCPUs: 5e8, MemoryBytes: 64 << 20, Pids: 9}}), []string{"limits.cpus", "limits.memory", "limits.pids"}},
		{"reservations: generic resources have no order", withResources(&swarm.ResourceRequirements{Reservations: &swarm.Resources{GenericResources: []swarm.GenericResource{
			{NamedResourceSpec: &swarm.NamedGenericResource{Kind: "gpu", Value: "a"}}, {DiscreteResourceSpec: &swarm.DiscreteGenericResource{Kind: "fpga", Value: 2}},
		}}}), withResources(&swarm.ResourceRequirements{Reservations: &swarm.Resources{GenericResources: []swarm.GenericResource{
			{DiscreteResourceSpec: &swarm.DiscreteGenericResource{Kind: "fpga", Value: 2}}, {NamedResourceSpec: &swarm.NamedGenericResource{Kind: "gpu", Value: "a"}},
		}}}), nil},
		{"reservations: two of a generic resource are not one", withResources(&swarm.ResourceRequirements{Reservations: &swarm.Resources{GenericResources: []swarm.GenericResource{
			{NamedResourceSpec: &swarm.NamedGenericResource{Kind: "gpu", Value: "a"}},
		}}}), withResources(&swarm.ResourceRequirements{Reservations: &swarm.Resources{GenericResources: []swarm.GenericResource{
			{NamedResourceSpec: &swarm.NamedGenericResource{Kind: "gpu", Value: "a"}}, {NamedResourceSpec: &swarm.NamedGenericResource{Kind: "gpu", Value: "a"}},
		}}}), []string{"reservations.generic_resources"}},

		{"env: has no order", withEnv("A=1", "B=2"), withEnv("B=2", "A=1"), nil},
		{"env: one variable differs", withEnv("A=1", "B=2"), withEnv("A=1", "B=3"), []string{"env.B"}},
		{"env: KEY is not KEY=", withEnv("A"), withEnv("A="), []string{"env.A"}},
		{"env: KEY is not absent", withEnv("A"), nil, []string{"env.A"}},
		{"env: the value is all after the first =", withEnv("A=b=c"), withEnv("A=b"), []string{"env.A"}},
		{"env: a key given twice is not dropped", withEnv("A=1", "A=2"), withEnv("A=2"), []string{"env.A"}},

		{"labels: nil is empty", withLabels(nil), withLabels(map[string]string{}), nil},
		{"labels: our own and those of the stack are not shown", nil, withLabels(map[string]string{LabelPrefix + "instance": "i", LabelStack: "shop", LabelStackImage: "app"}), nil},
		{"labels: one differs", withLabels(map[string]string{"a.b": "1", "c": "2"}), withLabels(map[string]string{"a.b": "1", "c": "3"}), []string{"labels.c"}},
		{"labels: the redeploy trigger is compared", nil, withLabels(map[string]string{LabelRedeploy: "h"}), []string{"redeploy"}},
		{"container labels: those of the stack are not shown", nil, onContainer(func(c *swarm.ContainerSpec) { c.Labels = map[string]string{LabelStack: "shop"} }), nil},
		{"container labels: one differs", nil, onContainer(func(c *swarm.ContainerSpec) { c.Labels = map[string]string{"a": "1"} }), []string{"container_labels.a"}},

		{"ports: a set", withPorts(swarm.PortConfig{TargetPort: 80, PublishedPort: 8080}, swarm.PortConfig{TargetPort: 81}), withPorts(swarm.PortConfig{TargetPort: 81}, swarm.PortConfig{TargetPort: 80, PublishedPort: 8080}, swarm.PortConfig{TargetPort: 81}), nil},
		{"ports: protocol unset is tcp, mode unset is ingress", withPorts(swarm.PortConfig{TargetPort: 80}), withPorts(swarm.PortConfig{TargetPort: 80, Protocol: "tcp", PublishMode: "ingress"}), nil},
		{"ports: another published port", withPorts(swarm.PortConfig{TargetPort: 80, PublishedPort: 8080}), withPorts(swarm.PortConfig{TargetPort: 80, PublishedPort: 8081}), []string{"ports[0].published"}},
		{"ports: one more", withPorts(swarm.PortConfig{TargetPort: 80}), withPorts(swarm.PortConfig{TargetPort: 80}, swarm.PortConfig{TargetPort: 81}), []string{"ports"}},
		{"ports: udp and host mode", withPorts(swarm.PortConfig{TargetPort: 80}), withPorts(swarm.PortConfig{TargetPort: 80, Protocol: "udp", PublishMode: "host"}), []string{"ports[0].mode", "ports[0].protocol"}},
		{"endpoint mode: unset is vip", nil, func(s *swarm.ServiceSpec) { s.EndpointSpec = &swarm.EndpointSpec{Mode: "vip"} }, nil},
		{"endpoint mode: dnsrr", nil, func(s *swarm.ServiceSpec) { s.EndpointSpec = &swarm.EndpointSpec{Mode: "dnsrr"} }, []string{"endpoint_mode"}},

		{"networks: aliases are a set", withNetworks(swarm.NetworkAttachmentConfig{Target: "n", Aliases: []string{"b", "a"}}), withNetworks(swarm.NetworkAttachmentConfig{Target: "n", Aliases: []string{"a", "b", "a"}}), nil},
		{"networks: have no order", withNetworks(swarm.NetworkAttachmentConfig{Target: "n"}, swarm.NetworkAttachmentConfig{Target: "m"}), withNetworks(swarm.NetworkAttachmentConfig{Target: "m"}, swarm.NetworkAttachmentConfig{Target: "n"}), nil},
		{"networks: one without options is seen", nil, withNetworks(swarm.NetworkAttachmentConfig{Target: "n"}), []string{"networks.n"}},
		{"networks: aliases and driver options are compared", withNetworks(swarm.NetworkAttachmentConfig{Target: "n"}), withNetworks(swarm.NetworkAttachmentConfig{Target: "n", Aliases: []string{"a"}, DriverOpts: map[string]string{"o": "1"}}), []string{"networks.n.aliases", "networks.n.driver_opts.o"}},
		{"networks: the deprecated field is understood", withNetworks(swarm.NetworkAttachmentConfig{Target: "n"}), withOldNetworks(swarm.NetworkAttachmentConfig{Target: "n"}), nil},
		{"networks: those of the task go before the deprecated field", withNetworks(swarm.NetworkAttachmentConfig{Target: "n"}), func(s *swarm.ServiceSpec) {
			s.TaskTemplate.Networks = []swarm.NetworkAttachmentConfig{{Target: "n"}}
			withOldNetworks(swarm.NetworkAttachmentConfig{Target: "m"})(s)
		}, nil},

		{"mounts: type unset is bind", withMounts(mount.Mount{Source: "/a", Target: "/t"}), withMounts(mount.Mount{Type: "bind", Source: "/a", Target: "/t"}), nil},
		{"mounts: have no order", withMounts(mount.Mount{Type: "tmpfs", Target: "/a"}, mount.Mount{Type: "tmpfs", Target: "/b"}), withMounts(mount.Mount{Type: "tmpfs", Target: "/b"}, mount.Mount{Type: "tmpfs", Target: "/a"}), nil},
		{"mounts: anonymous is not named", withMounts(mount.Mount{Type: "volume", Target: "/t"}), withMounts(mount.Mount{Type: "volume", Source: "v", Target: "/t"}), []string{`mounts["/t"].source`}},
		{"mounts: read only", withMounts(mount.Mount{Source: "/a", Target: "/t"}), withMounts(mount.Mount{Source: "/a", Target: "/t", ReadOnly: true}), []string{`mounts["/t"].read_only`}},
		{"mounts: the bind options that the engine drops and the consistency are not compared", withMounts(mount.Mount{Source: "/a", Target: "/t"}), withMounts(mount.Mount{Source: "/a", Target: "/t", Consistency: "cached", BindOptions: &mount.BindOptions{CreateMountpoint: true, ReadOnlyNonRecursive: true, ReadOnlyForceRecursive: true}}), nil},
		{"mounts: propagation unset is rprivate", withMounts(mount.Mount{Source: "/a", Target: "/t", BindOptions: &mount.BindOptions{NonRecursive: true}}), withMounts(mount.Mount{Source: "/a", Target: "/t", BindOptions: &mount.BindOptions{NonRecursive: true, Propagation: "rprivate"}}), nil},
		{"mounts: propagation and non-recursive are compared", withMounts(mount.Mount{Source: "/a", Target: "/t"}), withMounts(mount.Mount{Source: "/a", Target: "/t", BindOptions: &mount.BindOptions{NonRecursive: true, Propagation: "shared"}}), []string{`mounts["/t"].bind.non_recursive`, `mounts["/t"].bind.propagation`}},
		{"mounts: volume options nil, empty and an empty driver are the same", withMounts(mount.Mount{Type: "volume", Source: "v", Target: "/t"}), withMounts(mount.Mount{Type: "volume", Source: "v", Target: "/t", VolumeOptions: &mount.VolumeOptions{Labels: map[string]string{LabelStack: "shop"}, DriverConfig: &mount.Driver{Options: map[string]string{}}}}), nil},
		{"mounts: volume options", withMounts(mount.Mount{Type: "volume", Source: "v", Target: "/t"}), withMounts(mount.Mount{Type: "volume", Source: "v", Target: "/t", VolumeOptions: &mount.VolumeOptions{NoCopy: true, Subpath: "s", Labels: map[string]string{"l": "1"}, DriverConfig: &mount.Driver{Name: "nfs", Options: map[string]string{"o": "1"}}}}), []string{
			`mounts["/t"].volume.driver`, `mounts["/t"].volume.labels.l`, `mounts["/t"].volume.no_copy`, `mounts["/t"].volume.options.o`, `mounts["/t"].volume.subpath`,
		}},
		{"mounts: tmpfs options nil is empty", withMounts(mount.Mount{Type: "tmpfs", Target: "/t"}), withMounts(mount.Mount{Type: "tmpfs", Target: "/t", TmpfsOptions: &mount.TmpfsOptions{}}), nil},
		{"mounts: tmpfs size and mode", withMounts(mount.Mount{Type: "tmpfs", Target: "/t"}), withMounts(mount.Mount{Type: "tmpfs", Target: "/t", TmpfsOptions: &mount.TmpfsOptions{SizeBytes: 1 << 20, Mode: 0o700}}), []string{`mounts["/t"].tmpfs.mode`, `mounts["/t"].tmpfs.size`}},

		{"healthcheck: nil is empty", nil, withHealth(&container.HealthConfig{Test: []string{}}), nil},
		{"healthcheck: the test is a list", withHealth(&container.HealthConfig{Test: []string{"CMD", "a b"}}), withHealth(&container.HealthConfig{Test: []string{"CMD", "a", "b"}}), []string{"healthcheck.test"}},
		{"healthcheck: NONE is not nil", nil, withHealth(&container.HealthConfig{Test: []string{"NONE"}}), []string{"healthcheck.test"}},
		{"healthcheck: times and retries", withHealth(&container.HealthConfig{Test: []string{"NONE"}}), withHealth(&container.HealthConfig{Test: []string{"NONE"}, Interval: 1, Timeout: 2, StartPeriod: 3, StartInterval: 4, Retries: 5}), []string{"healthcheck.interval", "healthcheck.retries", "healthcheck.start_interval", "healthcheck.start_period", "healthcheck.timeout"}},

		{"update config: nil is not the defaults", nil, withUpdate(&swarm.UpdateConfig{}), []string{"update_config.parallelism"}},
		{"update config: action unset is pause, order unset is stop-first", withUpdate(&swarm.UpdateConfig{Parallelism: 1}), withUpdate(&swarm.UpdateConfig{Parallelism: 1, FailureAction: "pause", Order: "stop-first"}), nil},
		{"update config: no parallelism is all at once, not one", withUpdate(&swarm.UpdateConfig{}), withUpdate(&swarm.UpdateConfig{Parallelism: 1}), []string{"update_config.parallelism"}},
		{"update config: monitor 0 is not 5s", withUpdate(&swarm.UpdateConfig{}), withUpdate(&swarm.UpdateConfig{Monitor: 5 * time.Second}), []string{"update_config.monitor"}},
		{"update config: everything else", withUpdate(&swarm.UpdateConfig{}), withUpdate(&swarm.UpdateConfig{Delay: 1, FailureAction: "rollback", MaxFailureRatio: 0.1, Order: "start-first"}), []string{"update_config.delay", "update_config.failure_action", "update_config.max_failure_ratio", "update_config.order"}},
		{"rollback config: a policy of its own", withUpdate(&swarm.UpdateConfig{}), func(s *swarm.ServiceSpec) { s.RollbackConfig = &swarm.UpdateConfig{} }, []string{"rollback_config.parallelism", "update_config.parallelism"}},

		{"restart policy: nil is not the defaults", nil, withRestart(&swarm.RestartPolicy{}), []string{"restart_policy.condition"}},
		{"restart policy: condition unset is any", withRestart(&swarm.RestartPolicy{}), withRestart(&swarm.RestartPolicy{Condition: "any"}), nil},
		{"restart policy: attempts unset are 0, a window unset is 0", withRestart(&swarm.RestartPolicy{}), withRestart(&swarm.RestartPolicy{MaxAttempts: ptr(uint64(0)), Window: seconds(0)}), nil},
		{"restart policy: delay unset is not 0", withRestart(&swarm.RestartPolicy{}), withRestart(&swarm.RestartPolicy{Delay: seconds(0)}), []string{"restart_policy.delay"}},
		{"restart policy: everything", withRestart(&swarm.RestartPolicy{Delay: seconds(1)}), withRestart(&swarm.RestartPolicy{Condition: "none", Delay: seconds(2), MaxAttempts: ptr(uint64(3)), Window: seconds(4)}), []string{"restart_policy.condition", "restart_policy.delay", "restart_policy.max_attempts", "restart_policy.window"}},

		{"placement: nil is empty", nil, withPlacement(&swarm.Placement{Constraints: []string{}, Preferences: []swarm.PlacementPreference{}}), nil},
		{"placement: constraints are a set", withPlacement(&swarm.Placement{Constraints: []string{"a==1", "b==2"}}), withPlacement(&swarm.Placement{Constraints: []string{"b==2", "a==1", "a==1"}}), nil},
		{"placement: preferences have an order", withPlacement(&swarm.Placement{Preferences: []swarm.PlacementPreference{{Spread: &swarm.SpreadOver{SpreadDescriptor: "a"}}, {Spread: &swarm.SpreadOver{SpreadDescriptor: "b"}}}}), withPlacement(&swarm.Placement{Preferences: []swarm.PlacementPreference{{Spread: &swarm.SpreadOver{SpreadDescriptor: "b"}}, {Spread: &swarm.SpreadOver{SpreadDescriptor: "a"}}}}), []string{"placement.preferences[0].spread", "placement.preferences[1].spread"}},
		{"placement: platforms are not compared", nil, withPlacement(&swarm.Placement{Platforms: []swarm.Platform{{Architecture: "amd64", OS: "linux"}}}), nil},
		{"placement: replicas a node", nil, withPlacement(&swarm.Placement{MaxReplicas: 2}), []string{"placement.max_replicas_per_node"}},

		{"entrypoint and command are lists with an order", onContainer(func(c *swarm.ContainerSpec) { c.Command, c.Args = []string{"a", "b"}, []string{"c", "d"} }), onContainer(func(c *swarm.ContainerSpec) { c.Command, c.Args = []string{"b", "a"}, []string{"c d"} }), []string{"command", "entrypoint"}},
		{"entrypoint and command: nil is empty", nil, onContainer(func(c *swarm.ContainerSpec) { c.Command, c.Args = []string{}, []string{} }), nil},
		{"user, directory, host name and stop signal are literal", nil, onContainer(func(c *swarm.ContainerSpec) { c.User, c.Dir, c.Hostname, c.StopSignal = "u", "/d", "h", "SIGINT" }), []string{"hostname", "stop_signal", "user", "working_dir"}},
		{"read only, tty, stdin and oom score", nil, onContainer(func(c *swarm.ContainerSpec) { c.ReadOnly, c.TTY, c.OpenStdin, c.OomScoreAdj = true, true, true, 5 }), []string{"oom_score_adj", "read_only", "stdin_open", "tty"}},
		{"stop grace period: unset is the engine's 10s", nil, onContainer(func(c *swarm.ContainerSpec) { c.StopGracePeriod = seconds(10) }), nil},
		{"stop grace period: unset is not 0", nil, onContainer(func(c *swarm.ContainerSpec) { c.StopGracePeriod = seconds(0) }), []string{"stop_grace_period"}},
		{"init: unset is neither false", nil, onContainer(func(c *swarm.ContainerSpec) { c.Init = ptr(false) }), []string{"init"}},
		{"init: nor true", onContainer(func(c *swarm.ContainerSpec) { c.Init = ptr(false) }), onContainer(func(c *swarm.ContainerSpec) { c.Init = ptr(true) }), []string{"init"}},

		{"hosts, groups and dns are sets", onContainer(func(c *swarm.ContainerSpec) {
			c.Hosts, c.Groups = []string{"1 a", "2 b"}, []string{"1", "2"}
			c.DNSConfig = &swarm.DNSConfig{Nameservers: []string{"1", "2"}, Search: []string{"a", "b"}, Options: []string{"c", "d"}}
		}), onContainer(func(c *swarm.ContainerSpec) {
			c.Hosts, c.Groups = []string{"2 b", "1 a"}, []string{"2", "1"}
			c.DNSConfig = &swarm.DNSConfig{Nameservers: []string{"2", "1"}, Search: []string{"b", "a"}, Options: []string{"d", "c"}}
		}), nil},
		{"dns: nil is empty", nil, onContainer(func(c *swarm.ContainerSpec) { c.DNSConfig = &swarm.DNSConfig{} }), nil},
		{"dns: name servers, search and options", nil, onContainer(func(c *swarm.ContainerSpec) {
			c.DNSConfig = &swarm.DNSConfig{Nameservers: []string{"1"}, Search: []string{"a"}, Options: []string{"c"}}
		}), []string{"dns.nameservers", "dns.options", "dns.search"}},
		{"hosts and groups", nil, onContainer(func(c *swarm.ContainerSpec) { c.Hosts, c.Groups = []string{"1 a"}, []string{"1"} }), []string{"groups", "hosts"}},
		{"capabilities are a set of CAP_ names", onContainer(func(c *swarm.ContainerSpec) {
			c.CapabilityAdd, c.CapabilityDrop = []string{"net_admin", "CAP_CHOWN"}, []string{"all"}
		}), onContainer(func(c *swarm.ContainerSpec) {
			c.CapabilityAdd, c.CapabilityDrop = []string{"CAP_CHOWN", "CAP_NET_ADMIN"}, []string{"ALL"}
		}), nil},
		{"capabilities added and dropped", nil, onContainer(func(c *swarm.ContainerSpec) {
			c.CapabilityAdd, c.CapabilityDrop = []string{"CAP_CHOWN"}, []string{"ALL"}
		}), []string{"cap_add", "cap_drop"}},
		{"sysctls and ulimits go by their names", onContainer(func(c *swarm.ContainerSpec) {
			c.Sysctls = map[string]string{"net.a": "1"}
			c.Ulimits = []*container.Ulimit{{Name: "nofile", Soft: 1, Hard: 2}, {Name: "core", Soft: 3, Hard: 3}}
		}), onContainer(func(c *swarm.ContainerSpec) {
			c.Sysctls = map[string]string{"net.a": "2"}
			c.Ulimits = []*container.Ulimit{{Name: "core", Soft: 3, Hard: 3}, {Name: "nofile", Soft: 1, Hard: 3}}
		}), []string{`sysctls["net.a"]`, "ulimits.nofile"}},
		{"sysctls, ulimits and logging: empty is nil", nil, func(s *swarm.ServiceSpec) {
			s.TaskTemplate.LogDriver = &swarm.Driver{Options: map[string]string{}}
			s.TaskTemplate.ContainerSpec.Sysctls = map[string]string{}
			s.TaskTemplate.ContainerSpec.Ulimits = []*container.Ulimit{}
		}, nil},
		{"logging: driver and options", nil, onTask(func(t *swarm.TaskSpec) {
			t.LogDriver = &swarm.Driver{Name: "json-file", Options: map[string]string{"max-size": "1m"}}
		}), []string{"logging.driver", "logging.options.max-size"}},

		{"privileges: empty is nil", nil, withPrivileges(&swarm.Privileges{CredentialSpec: &swarm.CredentialSpec{}, SELinuxContext: &swarm.SELinuxContext{}}), nil},
		{"privileges: seccomp and apparmor are present or not", nil, withPrivileges(&swarm.Privileges{Seccomp: &swarm.SeccompOpts{}, AppArmor: &swarm.AppArmorOpts{}}), []string{"privileges.apparmor", "privileges.seccomp.mode"}},
		{"privileges: modes unset are default", withPrivileges(&swarm.Privileges{Seccomp: &swarm.SeccompOpts{}, AppArmor: &swarm.AppArmorOpts{}}), withPrivileges(&swarm.Privileges{Seccomp: &swarm.SeccompOpts{Mode: "default"}, AppArmor: &swarm.AppArmorOpts{Mode: "default"}}), nil},
		{"privileges: no new privileges", nil, withPrivileges(&swarm.Privileges{NoNewPrivileges: true}), []string{"privileges.no_new_privileges"}},
		{"isolation: unset is default", nil, onContainer(func(c *swarm.ContainerSpec) { c.Isolation = "default" }), nil},
		{"isolation: process", nil, onContainer(func(c *swarm.ContainerSpec) { c.Isolation = "process" }), []string{"isolation"}},

		{"not compared: the ForceUpdate counter", nil, onTask(func(t *swarm.TaskSpec) { t.ForceUpdate = 7 }), nil},
		{"not compared, and said: other runtimes than containers", nil, onTask(func(t *swarm.TaskSpec) { t.Runtime = swarm.RuntimePlugin }), []string{"runtime"}},
		{"runtime: unset is container", nil, onTask(func(t *swarm.TaskSpec) { t.Runtime = swarm.RuntimeContainer }), nil},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			a, b := mustForm(t, service(spec(row.a)), View{}), mustForm(t, service(spec(row.b)), View{})
			got := paths(Diff(a, b))
			if !slices.Equal(got, row.want) {
				t.Errorf("leaves that differ: %q, want %q\na %s\nb %s", got, row.want, a.JSON(), b.JSON())
			}
			if a.Equal(b) != (len(row.want) == 0) {
				t.Errorf("Equal is %v and Diff says %q", a.Equal(b), got)
			}
		})
	}
}

func TestServiceFormRefusesTwoModes(t *testing.T) {
	_, err := service(spec(withMode(swarm.ServiceMode{Global: &swarm.GlobalService{}, GlobalJob: &swarm.GlobalJob{}}))).Form(View{})
	if want := "canonical form of service/web, mode: a service has one mode, and this one has global and global-job"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}
