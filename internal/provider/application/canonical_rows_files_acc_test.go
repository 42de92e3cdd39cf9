package application_test

import (
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/swarm"
)

// mountRows are the fields of a mount.
var mountRows = []row{
	{rule: "mount source", service: `volumes: ["/b:/t"]`, moved: []string{`mounts["/t"].source`},
		change: bind(func(m *mount.Mount) { m.Source = "/c" })},
	{rule: "mount target", service: `volumes: ["/b:/t"]`, moved: []string{`mounts["/t"].source`, `mounts["/t"].type`, `mounts["/u"].source`, `mounts["/u"].type`},
		change: bind(func(m *mount.Mount) { m.Target = "/u" })},
	{rule: "mount read only", service: `volumes: ["/b:/t"]`, moved: []string{`mounts["/t"].read_only`},
		change: bind(func(m *mount.Mount) { m.ReadOnly = true })},
	{rule: "mount type", service: `volumes: [{type: volume, target: /t}]`, moved: []string{`mounts["/t"].type`},
		change: anonymous(func(m *mount.Mount) { m.Type = mount.TypeTmpfs; m.VolumeOptions = nil })},
	{rule: "bind propagation", service: `volumes: [{type: bind, source: /b, target: /t, bind: {propagation: rshared}}]`, moved: []string{`mounts["/t"].bind.propagation`},
		change: bind(func(m *mount.Mount) { filled(&m.BindOptions).Propagation = mount.PropagationRSlave })},
	{rule: "bind not recursive", moved: []string{`mounts["/t"].bind.non_recursive`},
		change: bind(func(m *mount.Mount) { filled(&m.BindOptions).NonRecursive = true })},
	{rule: "volume without copying", service: `volumes: [{type: volume, target: /t, volume: {nocopy: true}}]`, moved: []string{`mounts["/t"].volume.no_copy`},
		change: anonymous(func(m *mount.Mount) { o := filled(&m.VolumeOptions); o.NoCopy = !o.NoCopy })},
	{rule: "volume sub-path", api: "1.45", service: `volumes: [{type: volume, target: /t, volume: {subpath: s}}]`, moved: []string{`mounts["/t"].volume.subpath`},
		change: anonymous(func(m *mount.Mount) { filled(&m.VolumeOptions).Subpath = "r" })},
	{rule: "volume labels", moved: []string{`mounts["/t"].volume.labels.a`},
		change: anonymous(func(m *mount.Mount) { filled(&m.VolumeOptions).Labels = map[string]string{"a": "1"} })},
	{rule: "volume driver", moved: []string{`mounts["/t"].volume.driver`},
		change: anonymous(func(m *mount.Mount) { filled(&m.VolumeOptions).DriverConfig = &mount.Driver{Name: "local"} })},
	{rule: "volume driver options", moved: []string{`mounts["/t"].volume.options.type`},
		change: anonymous(func(m *mount.Mount) {
			filled(&m.VolumeOptions).DriverConfig = &mount.Driver{Name: "local", Options: map[string]string{"type": "tmpfs"}}
		})},
	{rule: "tmpfs size", service: `volumes: [{type: tmpfs, target: /t, tmpfs: {size: 1048576}}]`, moved: []string{`mounts["/t"].tmpfs.size`},
		change: tmpfs(func(o *mount.TmpfsOptions) { o.SizeBytes = 2 << 20 })},
	{rule: "tmpfs mode", service: `volumes: [{type: tmpfs, target: /t, tmpfs: {size: 1048576}}]`, moved: []string{`mounts["/t"].tmpfs.mode`},
		change: tmpfs(func(o *mount.TmpfsOptions) { o.Mode = 0o1700 })},
	{rule: "tmpfs options", api: "1.46", service: `volumes: [{type: tmpfs, target: /t, tmpfs: {size: 1048576}}]`, moved: []string{`mounts["/t"].tmpfs.options`},
		change: tmpfs(func(o *mount.TmpfsOptions) { o.Options = [][]string{{"noexec"}} })},
}

// bind changes the first mount, a bind where there is none.
func bind(change func(*mount.Mount)) func(*target) {
	return mounted(mount.Mount{Type: mount.TypeBind, Source: "/a", Target: "/t"}, change)
}

// anonymous changes the first mount, an anonymous volume where there is none.
func anonymous(change func(*mount.Mount)) func(*target) {
	return mounted(mount.Mount{Type: mount.TypeVolume, Target: "/t"}, change)
}

func tmpfs(change func(*mount.TmpfsOptions)) func(*target) {
	return mounted(mount.Mount{Type: mount.TypeTmpfs, Target: "/t"}, func(m *mount.Mount) { change(filled(&m.TmpfsOptions)) })
}

func mounted(first mount.Mount, change func(*mount.Mount)) func(*target) {
	return func(x *target) {
		if len(x.c.Mounts) == 0 {
			x.c.Mounts = []mount.Mount{first}
		}
		change(&x.c.Mounts[0])
	}
}

// referenceRows are what a service refers to.
var referenceRows = []row{
	{rule: "networks", service: `networks: [other]`, moved: []string{"networks.RELEASE_default.aliases", "networks.RELEASE_other.aliases"},
		change: func(x *target) {
			n := &x.task().Networks[0]
			if n.Target == x.known.other {
				n.Target = x.known.byDefault
			} else {
				n.Target = x.known.other
			}
		}},
	{rule: "network aliases", service: `networks: {other: {aliases: [b, a]}}`, moved: []string{"networks.RELEASE_other.aliases"},
		change: func(x *target) { x.task().Networks[0].Aliases = append(x.task().Networks[0].Aliases, "c") }},
	{rule: "network driver options", service: `networks: {other: {driver_opts: {o: "1"}}}`, moved: []string{"networks.RELEASE_other.driver_opts.o"},
		change: func(x *target) { x.task().Networks[0].DriverOpts = map[string]string{"o": "2"} }},
	{rule: "config", service: `configs: [first]`, moved: []string{"configs.first", "configs.second"},
		change: configured(func(r *swarm.ConfigReference, known names) { r.ConfigID, r.ConfigName = known.config, known.configN })},
	{rule: "config target", service: `configs: [second]`, moved: []string{"configs.second[0].target"},
		change: configured(func(r *swarm.ConfigReference, _ names) { r.File.Name = "/etc/x" })},
	{rule: "config owner", service: `configs: [second]`, moved: []string{"configs.second[0].gid", "configs.second[0].uid"},
		change: configured(func(r *swarm.ConfigReference, _ names) { r.File.UID, r.File.GID = "7", "8" })},
	{rule: "config mode", service: `configs: [{source: second, mode: 0400}]`, moved: []string{"configs.second[0].mode"},
		change: configured(func(r *swarm.ConfigReference, _ names) { r.File.Mode = 0o440 })},
	{rule: "config for the runtime", moved: []string{"configs.second[0].runtime"},
		change: configured(func(r *swarm.ConfigReference, _ names) {
			r.File, r.Runtime = nil, &swarm.ConfigReferenceRuntimeTarget{}
		})},
	{rule: "secret", service: `secrets: [first]`, moved: []string{`secrets.first`, "secrets.second"},
		change: entrusted(func(r *swarm.SecretReference, known names) { r.SecretID, r.SecretName = known.secret, known.secretN })},
	{rule: "secret target", service: `secrets: [second]`, moved: []string{"secrets.second[0].target"},
		change: entrusted(func(r *swarm.SecretReference, _ names) { r.File.Name = "x" })},
	{rule: "secret owner", service: `secrets: [second]`, moved: []string{"secrets.second[0].gid", "secrets.second[0].uid"},
		change: entrusted(func(r *swarm.SecretReference, _ names) { r.File.UID, r.File.GID = "7", "8" })},
	{rule: "secret mode", service: `secrets: [{source: second, mode: 0400}]`, moved: []string{"secrets.second[0].mode"},
		change: entrusted(func(r *swarm.SecretReference, _ names) { r.File.Mode = 0o440 })},
}

// configured changes the first config of a container, "second" where there is none.
func configured(change func(*swarm.ConfigReference, names)) func(*target) {
	return func(x *target) {
		if len(x.c.Configs) == 0 {
			x.c.Configs = []*swarm.ConfigReference{{ConfigID: x.known.config, ConfigName: x.known.configN,
				File: &swarm.ConfigReferenceFileTarget{Name: "second", UID: "0", GID: "0", Mode: 0o444}}}
		}
		change(x.c.Configs[0], x.known)
	}
}

// entrusted changes the first secret of a container, "second" where there is none.
func entrusted(change func(*swarm.SecretReference, names)) func(*target) {
	return func(x *target) {
		if len(x.c.Secrets) == 0 {
			x.c.Secrets = []*swarm.SecretReference{{SecretID: x.known.secret, SecretName: x.known.secretN,
				File: &swarm.SecretReferenceFileTarget{Name: "second", UID: "0", GID: "0", Mode: 0o444}}}
		}
		change(x.c.Secrets[0], x.known)
	}
}
