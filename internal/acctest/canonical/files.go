package canonical

import (
	"slices"

	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/swarm"
)

// mountRows are the fields of a mount.
var mountRows = []Row{
	{Rule: "mount source", Service: `volumes: ["/b:/t"]`, Moved: []string{`mounts["/t"].source`},
		Change: bind(func(m *mount.Mount) { m.Source = "/c" })},
	{Rule: "mount target", Service: `volumes: ["/b:/t"]`, Moved: []string{`mounts["/t"].source`, `mounts["/t"].type`, `mounts["/u"].source`, `mounts["/u"].type`},
		Change: bind(func(m *mount.Mount) { m.Target = "/u" })},
	{Rule: "mount read only", Service: `volumes: ["/b:/t"]`, Moved: []string{`mounts["/t"].read_only`},
		Change: bind(func(m *mount.Mount) { m.ReadOnly = true })},
	{Rule: "mount type", Service: `volumes: [{type: volume, target: /t}]`, Moved: []string{`mounts["/t"].type`},
		Change: anonymous(func(m *mount.Mount) { m.Type, m.Source, m.VolumeOptions = mount.TypeTmpfs, "", nil })},
	{Rule: "bind propagation", Service: `volumes: [{type: bind, source: /b, target: /t, bind: {propagation: rshared}}]`, Moved: []string{`mounts["/t"].bind.propagation`},
		Change: bind(func(m *mount.Mount) { filled(&m.BindOptions).Propagation = mount.PropagationRSlave })},
	{Rule: "bind not recursive", Moved: []string{`mounts["/t"].bind.non_recursive`},
		Change: bind(func(m *mount.Mount) { filled(&m.BindOptions).NonRecursive = true })},
	{Rule: "volume without copying", Service: `volumes: [{type: volume, target: /t, volume: {nocopy: true}}]`, Moved: []string{`mounts["/t"].volume.no_copy`},
		Change: anonymous(func(m *mount.Mount) { o := filled(&m.VolumeOptions); o.NoCopy = !o.NoCopy })},
	{Rule: "volume sub-path", API: "1.45", Service: `volumes: [{type: volume, target: /t, volume: {subpath: s}}]`, Moved: []string{`mounts["/t"].volume.subpath`},
		Change: anonymous(func(m *mount.Mount) { filled(&m.VolumeOptions).Subpath = "r" })},
	{Rule: "volume labels", Moved: []string{`mounts["/t"].volume.labels.a`},
		Change: anonymous(func(m *mount.Mount) { filled(&m.VolumeOptions).Labels = map[string]string{"a": "1"} })},
	{Rule: "volume driver", Moved: []string{`mounts["/t"].volume.driver`},
		Change: anonymous(func(m *mount.Mount) { filled(&m.VolumeOptions).DriverConfig = &mount.Driver{Name: "local"} })},
	{Rule: "volume driver options", Moved: []string{`mounts["/t"].volume.options.type`},
		Change: anonymous(func(m *mount.Mount) {
			filled(&m.VolumeOptions).DriverConfig = &mount.Driver{Name: "local", Options: map[string]string{"type": "tmpfs"}}
		})},
	{Rule: "tmpfs size", Service: `volumes: [{type: tmpfs, target: /t, tmpfs: {size: 1048576}}]`, Moved: []string{`mounts["/t"].tmpfs.size`},
		Change: tmpfs(func(o *mount.TmpfsOptions) { o.SizeBytes = 2 << 20 })},
	{Rule: "tmpfs mode", Service: `volumes: [{type: tmpfs, target: /t, tmpfs: {size: 1048576}}]`, Moved: []string{`mounts["/t"].tmpfs.mode`},
		Change: tmpfs(func(o *mount.TmpfsOptions) { o.Mode = 0o1700 })},
	{Rule: "tmpfs options", API: "1.46", Service: `volumes: [{type: tmpfs, target: /t, tmpfs: {size: 1048576}}]`, Moved: []string{`mounts["/t"].tmpfs.options`},
		Change: tmpfs(func(o *mount.TmpfsOptions) { o.Options = [][]string{{"noexec"}} })},
}

// bind changes the first bind, which it adds where there is none.
func bind(change func(*mount.Mount)) func(*Target) {
	return mounted(mount.Mount{Type: mount.TypeBind, Source: "/a", Target: "/t"}, change)
}

// anonymous changes the first volume, an anonymous one where there is none.
func anonymous(change func(*mount.Mount)) func(*Target) {
	return mounted(mount.Mount{Type: mount.TypeVolume, Target: "/t"}, change)
}

func tmpfs(change func(*mount.TmpfsOptions)) func(*Target) {
	return mounted(mount.Mount{Type: mount.TypeTmpfs, Target: "/t"}, func(m *mount.Mount) { change(filled(&m.TmpfsOptions)) })
}

// mounted changes the first mount of a type, and adds one where there is none.
func mounted(first mount.Mount, change func(*mount.Mount)) func(*Target) {
	return func(x *Target) {
		i := slices.IndexFunc(x.Container.Mounts, func(m mount.Mount) bool { return m.Type == first.Type })
		if i < 0 {
			i = len(x.Container.Mounts)
			x.Container.Mounts = append(x.Container.Mounts, first)
		}
		change(&x.Container.Mounts[i])
	}
}

// referenceRows are what a service refers to.
var referenceRows = []Row{
	{Rule: "networks", Service: `networks: [other]`, Moved: []string{"networks.RELEASE_default.aliases", "networks.RELEASE_other.aliases"},
		Change: func(x *Target) {
			n := &x.task().Networks[0]
			if n.Target == x.Known.Other {
				n.Target = x.Known.Default
			} else {
				n.Target = x.Known.Other
			}
		}},
	{Rule: "network aliases", Service: `networks: {other: {aliases: [b, a]}}`, Moved: []string{"networks.RELEASE_other.aliases"},
		Change: func(x *Target) { x.task().Networks[0].Aliases = append(x.task().Networks[0].Aliases, "c") }},
	{Rule: "network driver options", Service: `networks: {other: {driver_opts: {o: "1"}}}`, Moved: []string{"networks.RELEASE_other.driver_opts.o"},
		Change: func(x *Target) { x.task().Networks[0].DriverOpts = map[string]string{"o": "2"} }},
	{Rule: "config", Service: `configs: [first]`, Moved: []string{"configs.first", "configs.second"},
		Change: configured(func(r *swarm.ConfigReference, known Names) {
			r.ConfigID, r.ConfigName = known.ConfigID, known.ConfigName
		})},
	{Rule: "config target", Service: `configs: [second]`, Moved: []string{"configs.second[0].target"},
		Change: configured(func(r *swarm.ConfigReference, _ Names) { r.File.Name = "/etc/x" })},
	{Rule: "config owner", Service: `configs: [second]`, Moved: []string{"configs.second[0].gid", "configs.second[0].uid"},
		Change: configured(func(r *swarm.ConfigReference, _ Names) { r.File.UID, r.File.GID = "7", "8" })},
	{Rule: "config mode", Service: `configs: [{source: second, mode: 0400}]`, Moved: []string{"configs.second[0].mode"},
		Change: configured(func(r *swarm.ConfigReference, _ Names) { r.File.Mode = 0o440 })},
	{Rule: "config for the runtime", Moved: []string{"configs.second[0].runtime"},
		Change: configured(func(r *swarm.ConfigReference, _ Names) {
			r.File, r.Runtime = nil, &swarm.ConfigReferenceRuntimeTarget{}
		})},
	{Rule: "secret", Service: `secrets: [first]`, Moved: []string{`secrets.first`, "secrets.second"},
		Change: entrusted(func(r *swarm.SecretReference, known Names) {
			r.SecretID, r.SecretName = known.SecretID, known.SecretName
		})},
	{Rule: "secret target", Service: `secrets: [second]`, Moved: []string{"secrets.second[0].target"},
		Change: entrusted(func(r *swarm.SecretReference, _ Names) { r.File.Name = "x" })},
	{Rule: "secret owner", Service: `secrets: [second]`, Moved: []string{"secrets.second[0].gid", "secrets.second[0].uid"},
		Change: entrusted(func(r *swarm.SecretReference, _ Names) { r.File.UID, r.File.GID = "7", "8" })},
	{Rule: "secret mode", Service: `secrets: [{source: second, mode: 0400}]`, Moved: []string{"secrets.second[0].mode"},
		Change: entrusted(func(r *swarm.SecretReference, _ Names) { r.File.Mode = 0o440 })},
}

// configured changes the first config of a container, "second" where there is none.
func configured(change func(*swarm.ConfigReference, Names)) func(*Target) {
	return func(x *Target) {
		if len(x.Container.Configs) == 0 {
			x.Container.Configs = []*swarm.ConfigReference{{ConfigID: x.Known.ConfigID, ConfigName: x.Known.ConfigName,
				File: &swarm.ConfigReferenceFileTarget{Name: "second", UID: "0", GID: "0", Mode: 0o444}}}
		}
		change(x.Container.Configs[0], x.Known)
	}
}

// entrusted changes the first secret of a container, "second" where there is none.
func entrusted(change func(*swarm.SecretReference, Names)) func(*Target) {
	return func(x *Target) {
		if len(x.Container.Secrets) == 0 {
			x.Container.Secrets = []*swarm.SecretReference{{SecretID: x.Known.SecretID, SecretName: x.Known.SecretName,
				File: &swarm.SecretReferenceFileTarget{Name: "second", UID: "0", GID: "0", Mode: 0o444}}}
		}
		change(x.Container.Secrets[0], x.Known)
	}
}
