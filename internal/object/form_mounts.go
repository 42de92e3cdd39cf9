package object

import (
	"strings"

	"github.com/docker/docker/api/types/mount"
)

// mountForm is one mount, kept under its target. Of the bind options the engine
// keeps only these two, and it has no field for a consistency.
//
// Source: containerToGRPC in daemon/cluster/convert/container.go of docker/docker.
type mountForm struct {
	Type     string `json:"type"`
	Source   string `json:"source,omitempty"`
	ReadOnly bool   `json:"read_only,omitempty"`
	Bind     struct {
		Propagation  string `json:"propagation,omitempty"`
		NonRecursive bool   `json:"non_recursive,omitempty"`
	} `json:"bind,omitzero"`
	Volume volumeOptionsForm `json:"volume,omitzero"`
	Tmpfs  struct {
		Size    string   `json:"size,omitempty"`
		Mode    string   `json:"mode,omitempty"`
		Options []string `json:"options,omitempty"`
	} `json:"tmpfs,omitzero"`
	Image struct {
		Subpath string `json:"subpath,omitempty"`
	} `json:"image,omitzero"`
}

type volumeOptionsForm struct {
	NoCopy  bool   `json:"no_copy,omitempty"`
	Subpath string `json:"subpath,omitempty"`
	driverForm
	Labels map[string]string `json:"labels,omitempty"`
}

func mountFields(mounts []mount.Mount) keyed {
	var forms keyed
	for _, m := range mounts {
		form := mountForm{
			Type:     strings.ToLower(string(m.Type)),
			Source:   m.Source,
			ReadOnly: m.ReadOnly,
		}
		if form.Type == "" {
			form.Type = string(mount.TypeBind)
		}
		if b := m.BindOptions; b != nil {
			form.Bind.NonRecursive = b.NonRecursive
			if p := strings.ToLower(string(b.Propagation)); p != string(mount.PropagationRPrivate) {
				form.Bind.Propagation = p
			}
		}
		if v := m.VolumeOptions; v != nil {
			form.Volume = volumeOptionsForm{NoCopy: v.NoCopy, Subpath: v.Subpath, Labels: shownLabels(v.Labels)}
			if d := v.DriverConfig; d != nil {
				form.Volume.driverForm = driverForm{Driver: d.Name, Options: filled(d.Options)}
			}
		}
		if t := m.TmpfsOptions; t != nil {
			form.Tmpfs.Size = memory(t.SizeBytes)
			if t.Mode != 0 {
				form.Tmpfs.Mode = fileMode(t.Mode)
			}
			for _, option := range t.Options {
				form.Tmpfs.Options = append(form.Tmpfs.Options, strings.Join(option, "="))
			}
		}
		if i := m.ImageOptions; i != nil {
			form.Image.Subpath = i.Subpath
		}
		forms.add(m.Target, form)
	}
	return forms
}
