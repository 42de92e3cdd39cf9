package object

import (
	"fmt"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/swarm"
)

// containerForm holds what a task template says of its container. Entrypoint
// and command are Compose's words for what the engine calls command and args.
type containerForm struct {
	Env             keyed             `json:"env,omitempty"`
	Labels          map[string]string `json:"container_labels,omitempty"`
	Entrypoint      []string          `json:"entrypoint,omitempty"`
	Command         []string          `json:"command,omitempty"`
	User            string            `json:"user,omitempty"`
	WorkingDir      string            `json:"working_dir,omitempty"`
	Hostname        string            `json:"hostname,omitempty"`
	StopSignal      string            `json:"stop_signal,omitempty"`
	StopGracePeriod *string           `json:"stop_grace_period,omitempty"`
	ReadOnly        bool              `json:"read_only,omitempty"`
	TTY             bool              `json:"tty,omitempty"`
	StdinOpen       bool              `json:"stdin_open,omitempty"`
	OomScoreAdj     int64             `json:"oom_score_adj,omitempty"`
	// Init is tri-state: nil leaves it to the node's engine.
	Init        *bool             `json:"init,omitempty"`
	Hosts       []string          `json:"hosts,omitempty"`
	Groups      []string          `json:"groups,omitempty"`
	CapAdd      []string          `json:"cap_add,omitempty"`
	CapDrop     []string          `json:"cap_drop,omitempty"`
	DNS         dnsForm           `json:"dns,omitzero"`
	Sysctls     map[string]string `json:"sysctls,omitempty"`
	Ulimits     keyed             `json:"ulimits,omitempty"`
	Isolation   string            `json:"isolation,omitempty"`
	Healthcheck healthForm        `json:"healthcheck,omitzero"`
	Privileges  privilegesForm    `json:"privileges,omitzero"`
	Mounts      keyed             `json:"mounts,omitempty"`
	Secrets     references        `json:"secrets,omitempty"`
	Configs     references        `json:"configs,omitempty"`
}

func containerFields(c *swarm.ContainerSpec, names Names) *containerForm {
	form := &containerForm{
		Labels:          shownLabels(c.Labels),
		Entrypoint:      c.Command,
		Command:         c.Args,
		User:            c.User,
		WorkingDir:      c.Dir,
		Hostname:        c.Hostname,
		StopSignal:      c.StopSignal,
		StopGracePeriod: stopGracePeriod(c.StopGracePeriod),
		ReadOnly:        c.ReadOnly,
		TTY:             c.TTY,
		StdinOpen:       c.OpenStdin,
		OomScoreAdj:     c.OomScoreAdj,
		Init:            c.Init,
		Hosts:           sortedSet(c.Hosts),
		Groups:          sortedSet(c.Groups),
		CapAdd:          capabilities(c.CapabilityAdd),
		CapDrop:         capabilities(c.CapabilityDrop),
		Sysctls:         c.Sysctls,
		Isolation:       isolation(c.Isolation),
		Healthcheck:     healthFields(c.Healthcheck),
		Privileges:      privilegeFields(c.Privileges, names),
		Mounts:          mountFields(c.Mounts),
		Secrets:         secretReferences(c.Secrets, names),
		Configs:         configReferences(c.Configs, names),
	}
	if d := c.DNSConfig; d != nil {
		form.DNS = dnsForm{Nameservers: sortedSet(d.Nameservers), Search: sortedSet(d.Search), Options: sortedSet(d.Options)}
	}
	for _, e := range c.Env {
		if key, value, ok := strings.Cut(e, "="); ok {
			form.Env.add(key, value)
		} else {
			form.Env.add(key, nil)
		}
	}
	for _, u := range c.Ulimits {
		if u != nil {
			form.Ulimits.add(u.Name, fmt.Sprintf("%d:%d", u.Soft, u.Hard))
		}
	}
	return form
}

// defaultStopGracePeriod is what the engine gives a container to end by itself
// when nothing is said.
const defaultStopGracePeriod = 10 * time.Second

func stopGracePeriod(d *time.Duration) *string {
	if d != nil && *d == defaultStopGracePeriod {
		return nil
	}
	return durationSet(d)
}

// capabilities are written as the kernel does, CAP_NET_ADMIN. The engine takes
// them without the prefix and in lower case as well.
func capabilities(list []string) []string {
	var full []string
	for _, c := range list {
		c = strings.ToUpper(strings.TrimSpace(c))
		if c != "ALL" && !strings.HasPrefix(c, "CAP_") {
			c = "CAP_" + c
		}
		full = append(full, c)
	}
	return sortedSet(full)
}

// isolation keeps the two values that the engine knows; any other one is its
// default.
func isolation(i container.Isolation) string {
	if i.IsHyperV() || i.IsProcess() {
		return strings.ToLower(string(i))
	}
	return ""
}

type dnsForm struct {
	Nameservers []string `json:"nameservers,omitempty"`
	Search      []string `json:"search,omitempty"`
	Options     []string `json:"options,omitempty"`
}

// healthForm is a healthcheck. Zero values inherit what the image says, so that
// an empty healthcheck is none. The test stays a list: joined by spaces, two
// different ones could look the same.
type healthForm struct {
	Test          []string `json:"test,omitempty"`
	Interval      string   `json:"interval,omitempty"`
	Timeout       string   `json:"timeout,omitempty"`
	StartPeriod   string   `json:"start_period,omitempty"`
	StartInterval string   `json:"start_interval,omitempty"`
	Retries       int      `json:"retries,omitempty"`
}

func healthFields(h *container.HealthConfig) healthForm {
	if h == nil {
		return healthForm{}
	}
	form := healthForm{
		Interval:      duration(h.Interval),
		Timeout:       duration(h.Timeout),
		StartPeriod:   duration(h.StartPeriod),
		StartInterval: duration(h.StartInterval),
		Retries:       h.Retries,
	}
	if len(h.Test) > 0 {
		form.Test = h.Test
	}
	return form
}

type privilegesForm struct {
	CredentialSpec  credentialForm `json:"credential_spec,omitzero"`
	SELinux         selinuxForm    `json:"selinux,omitzero"`
	Seccomp         *seccompForm   `json:"seccomp,omitempty"`
	AppArmor        string         `json:"apparmor,omitempty"`
	NoNewPrivileges bool           `json:"no_new_privileges,omitempty"`
}

type credentialForm struct {
	Config   string `json:"config,omitempty"`
	File     string `json:"file,omitempty"`
	Registry string `json:"registry,omitempty"`
}

type selinuxForm struct {
	Disable bool   `json:"disable,omitempty"`
	User    string `json:"user,omitempty"`
	Role    string `json:"role,omitempty"`
	Type    string `json:"type,omitempty"`
	Level   string `json:"level,omitempty"`
}

type seccompForm struct {
	Mode    string `json:"mode"`
	Profile string `json:"profile,omitempty"`
}

// privilegeFields shows seccomp and apparmor when they are present, if only
// with their defaults; everything else is absent when empty, since Compose
// files always lead to a struct.
func privilegeFields(p *swarm.Privileges, names Names) privilegesForm {
	if p == nil {
		return privilegesForm{}
	}
	form := privilegesForm{NoNewPrivileges: p.NoNewPrivileges}
	if c := p.CredentialSpec; c != nil {
		form.CredentialSpec = credentialForm{File: c.File, Registry: c.Registry}
		if c.Config != "" {
			form.CredentialSpec.Config = names.Show(KindConfig, c.Config)
		}
	}
	if s := p.SELinuxContext; s != nil {
		form.SELinux = selinuxForm{Disable: s.Disable, User: s.User, Role: s.Role, Type: s.Type, Level: s.Level}
	}
	if s := p.Seccomp; s != nil {
		form.Seccomp = &seccompForm{Mode: string(s.Mode)}
		if form.Seccomp.Mode == "" {
			form.Seccomp.Mode = string(swarm.SeccompModeDefault)
		}
		if len(s.Profile) > 0 {
			form.Seccomp.Profile = readable(s.Profile)
		}
	}
	if a := p.AppArmor; a != nil {
		form.AppArmor = string(a.Mode)
		if form.AppArmor == "" {
			form.AppArmor = string(swarm.AppArmorModeDefault)
		}
	}
	return form
}
