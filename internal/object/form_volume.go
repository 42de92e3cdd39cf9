package object

import (
	"maps"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/swarm"
)

type volumeForm struct {
	driverForm
	Labels map[string]string `json:"labels,omitempty"`
}

func volumeFields(spec *VolumeSpec) any {
	form := volumeForm{Labels: shownLabels(spec.Labels)}
	if d := spec.Driver; d != nil {
		form.driverForm = driverForm{Driver: d.Name, Options: filled(d.Options)}
	}
	return form
}

// Volumes derives the volumes of a release from the mounts of its services, one
// object for each, sorted by key. The key is the name without the prefix of the
// stack. Where mounts of one volume differ, the first that names a driver, and
// the first that has labels, describe it: in the order of the services' keys
// and then of the targets.
//
// Declared and live volumes are derived by this same rule, never by asking for
// a list of volumes: a manager sees those of its own node only.
func Volumes(objects []Object, stack string) []Object {
	services := slices.DeleteFunc(slices.Clone(objects), func(o Object) bool { return o.Kind != KindService })
	slices.SortStableFunc(services, func(a, b Object) int { return strings.Compare(a.Key, b.Key) })

	specs := map[string]*VolumeSpec{}
	for _, o := range services {
		for _, m := range namedVolumes(o) {
			spec := specs[m.Source]
			if spec == nil {
				spec = &VolumeSpec{}
				specs[m.Source] = spec
			}
			options := m.VolumeOptions
			if options == nil {
				continue
			}
			if d := options.DriverConfig; spec.Driver == nil && d != nil && (d.Name != "" || len(d.Options) > 0) {
				spec.Driver = &swarm.Driver{Name: d.Name, Options: maps.Clone(d.Options)}
			}
			if spec.Labels == nil && len(options.Labels) > 0 {
				spec.Labels = maps.Clone(options.Labels)
			}
		}
	}

	volumes := make([]Object, 0, len(specs))
	for name, spec := range specs {
		key, ours := strings.CutPrefix(name, stack+"_")
		if key == "" {
			key, ours = name, false
		}
		if _, taken := specs[stack+"_"+name]; !ours && taken {
			// Somebody else's volume "data" beside our own "shop_data".
			key = Names{}.Show(KindVolume, name)
		}
		volumes = append(volumes, Object{Kind: KindVolume, Key: key, Name: name, Spec: spec})
	}
	slices.SortFunc(volumes, func(a, b Object) int { return strings.Compare(a.Key, b.Key) })
	return volumes
}

// namedVolumes returns the mounts of named volumes of a service, by target.
func namedVolumes(o Object) []mount.Mount {
	spec, ok := o.Spec.(*swarm.ServiceSpec)
	if !ok || spec == nil || spec.TaskTemplate.ContainerSpec == nil {
		return nil
	}
	var named []mount.Mount
	for _, m := range spec.TaskTemplate.ContainerSpec.Mounts {
		if m.Type == mount.TypeVolume && m.Source != "" {
			named = append(named, m)
		}
	}
	slices.SortStableFunc(named, func(a, b mount.Mount) int { return strings.Compare(a.Target, b.Target) })
	return named
}
