package object_test

import (
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/swarm"
)

func ptr[T any](v T) *T { return &v }

// roundTrip is a service as it is written, and the API version that has all of
// its fields.
type roundTrip struct {
	rule string
	api  string
	set  func(s *swarm.ServiceSpec, c *swarm.ContainerSpec)
	// variant is set for another way to set what a row before sets, which cannot
	// go with that in one service.
	variant bool
	// lost is set when the engine keeps nothing of what is set, so that the
	// service has to look as if nothing were.
	lost bool
}

// roundTrips sets each row of the canonical table by itself, to something and
// to the spellings of nothing.
func roundTrips() []roundTrip {
	return []roundTrip{
		{rule: "image without a tag", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Image = "never/there" }},
		{rule: "image by its full name", variant: true, set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Image = "docker.io/library/never:2" }},
		{rule: "image by digest", variant: true, set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Image = "never/there@sha256:" + strings.Repeat("a", 64)
		}},
		{rule: "image by tag and digest", variant: true, set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Image = "never/there:1@sha256:" + strings.Repeat("a", 64)
		}},
		{rule: "mode global", variant: true, set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.Mode = swarm.ServiceMode{Global: &swarm.GlobalService{}}
		}},
		{rule: "mode global job", variant: true, set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.Mode = swarm.ServiceMode{GlobalJob: &swarm.GlobalJob{}}
		}},
		{rule: "mode replicated job of nothing", variant: true, set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.Mode = swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{}}
		}},
		{rule: "mode replicated job with concurrency", variant: true, set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.Mode = swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{MaxConcurrent: ptr(uint64(2))}}
		}},
		{rule: "mode replicated job with completions", variant: true, set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.Mode = swarm.ServiceMode{ReplicatedJob: &swarm.ReplicatedJob{TotalCompletions: ptr(uint64(3))}}
		}},
		{rule: "limits", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.TaskTemplate.Resources = &swarm.ResourceRequirements{Limits: &swarm.Limit{NanoCPUs: 5e8, MemoryBytes: 64 << 20, Pids: 100}}
		}},
		{rule: "reservations", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			if s.TaskTemplate.Resources == nil {
				s.TaskTemplate.Resources = &swarm.ResourceRequirements{}
			}
			s.TaskTemplate.Resources.Reservations = &swarm.Resources{NanoCPUs: 1e7, MemoryBytes: 5 << 20, GenericResources: []swarm.GenericResource{
				{NamedResourceSpec: &swarm.NamedGenericResource{Kind: "gpu", Value: "a"}}, {DiscreteResourceSpec: &swarm.DiscreteGenericResource{Kind: "fpga", Value: 2}},
			}}
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
		{rule: "endpoint mode dnsrr", variant: true, set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
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
			c.Mounts = append(c.Mounts, mount.Mount{Type: mount.TypeBind, Source: "/b", Target: "/dropped", BindOptions: &mount.BindOptions{CreateMountpoint: true, ReadOnlyNonRecursive: true}})
		}},
		{rule: "volume sub-path", api: "1.45", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Mounts = append(c.Mounts, mount.Mount{Type: mount.TypeVolume, Source: "v", Target: "/subpath", VolumeOptions: &mount.VolumeOptions{Subpath: "s"}})
		}},
		{rule: "tmpfs options", api: "1.46", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Mounts = append(c.Mounts, mount.Mount{Type: mount.TypeTmpfs, Target: "/options", TmpfsOptions: &mount.TmpfsOptions{Options: [][]string{{"noexec"}, {"uid", "7"}}}})
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
		{rule: "healthcheck that is switched off", variant: true, set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Healthcheck = &container.HealthConfig{Test: []string{"NONE"}}
		}},
		{rule: "healthcheck of nothing", lost: true, set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Healthcheck = &container.HealthConfig{} }},
		{rule: "healthcheck start interval", api: "1.44", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			if c.Healthcheck == nil {
				c.Healthcheck = &container.HealthConfig{Test: []string{"CMD", "a"}}
			}
			c.Healthcheck.StartInterval = 3 * time.Second
		}},
		{rule: "update and rollback config", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.UpdateConfig = &swarm.UpdateConfig{Parallelism: 2, Delay: 3 * time.Second, FailureAction: "rollback", Monitor: 4 * time.Second, MaxFailureRatio: 0.1, Order: "start-first"}
			s.RollbackConfig = &swarm.UpdateConfig{FailureAction: "continue", MaxFailureRatio: 0.7}
		}},
		{rule: "update config of nothing", variant: true, set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) { s.UpdateConfig = &swarm.UpdateConfig{} }},
		{rule: "restart policy", set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.TaskTemplate.RestartPolicy = &swarm.RestartPolicy{Condition: "on-failure", Delay: ptr(2 * time.Second), MaxAttempts: ptr(uint64(3)), Window: ptr(time.Minute)}
		}},
		{rule: "restart policy without a delay", variant: true, set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
			s.TaskTemplate.RestartPolicy = &swarm.RestartPolicy{Condition: "none", Delay: ptr(time.Duration(0))}
		}},
		{rule: "restart policy of nothing", variant: true, set: func(s *swarm.ServiceSpec, _ *swarm.ContainerSpec) {
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
		{rule: "stop grace period", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.StopGracePeriod = ptr(90 * time.Second) }},
		{rule: "stop grace period of 0", variant: true, set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.StopGracePeriod = ptr(time.Duration(0)) }},
		{rule: "stop grace period of the engine", lost: true, set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.StopGracePeriod = ptr(10 * time.Second) }},
		{rule: "init", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Init = ptr(true) }},
		{rule: "init that is switched off", variant: true, set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Init = ptr(false) }},
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
			if c.Privileges == nil {
				c.Privileges = &swarm.Privileges{}
			}
			c.Privileges.Seccomp = &swarm.SeccompOpts{Mode: "custom", Profile: []byte(`{"a":1}`)}
			c.Privileges.AppArmor = &swarm.AppArmorOpts{Mode: "disabled"}
			c.Privileges.NoNewPrivileges = true
		}},
		{rule: "seccomp and apparmor by default", variant: true, api: "1.44", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) {
			c.Privileges = &swarm.Privileges{Seccomp: &swarm.SeccompOpts{}, AppArmor: &swarm.AppArmorOpts{}}
		}},
		{rule: "isolation", set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Isolation = container.IsolationProcess }},
		{rule: "isolation by default", lost: true, set: func(_ *swarm.ServiceSpec, c *swarm.ContainerSpec) { c.Isolation = container.IsolationDefault }},
	}
}
