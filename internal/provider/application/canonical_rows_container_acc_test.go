package application_test

import (
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/swarm"
)

// containerRows are the fields of the container.
var containerRows = []row{
	{rule: "environment", service: `environment: {A: "1", B: "2", C: ""}`, moved: []string{"env.A", "env.B", "env.D"},
		change: func(x *target) { x.c.Env = []string{"D=4", "A=x=y", "C="} }},
	{rule: "container labels", service: `labels: {a.b: "1"}`, moved: []string{`container_labels["a.b"]`},
		change: func(x *target) {
			if x.c.Labels == nil {
				x.c.Labels = map[string]string{}
			}
			x.c.Labels["a.b"] = "2"
		}},
	{rule: "entrypoint", service: `entrypoint: ["/x", "a b"]`, moved: []string{"entrypoint"},
		change: func(x *target) { x.c.Command = []string{"/x", "a", "b"} }},
	{rule: "command", service: `command: ["c", "", "{{.Node.Hostname}}"]`, moved: []string{"command"},
		change: func(x *target) { x.c.Args = []string{"c", "{{.Node.Hostname}}"} }},
	{rule: "user", service: `user: "7:8"`, moved: []string{"user"}, change: func(x *target) { x.c.User = "7" }},
	{rule: "working directory", service: `working_dir: /d`, moved: []string{"working_dir"}, change: func(x *target) { x.c.Dir = "/e" }},
	{rule: "hostname", service: `hostname: h`, moved: []string{"hostname"}, change: func(x *target) { x.c.Hostname = "i" }},
	{rule: "stop signal", service: `stop_signal: SIGINT`, moved: []string{"stop_signal"}, change: func(x *target) { x.c.StopSignal = "SIGQUIT" }},
	{rule: "stop grace period", service: `stop_grace_period: 3s`, moved: []string{"stop_grace_period"},
		change: func(x *target) { x.c.StopGracePeriod = ptr(time.Duration(0)) }},
	{rule: "read only", service: `read_only: true`, moved: []string{"read_only"}, change: func(x *target) { x.c.ReadOnly = !x.c.ReadOnly }},
	{rule: "tty", service: `tty: true`, moved: []string{"tty"}, change: func(x *target) { x.c.TTY = !x.c.TTY }},
	{rule: "stdin", service: `stdin_open: true`, moved: []string{"stdin_open"}, change: func(x *target) { x.c.OpenStdin = !x.c.OpenStdin }},
	{rule: "oom score", api: "1.46", service: `oom_score_adj: 5`, moved: []string{"oom_score_adj"}, change: func(x *target) { x.c.OomScoreAdj = 6 }},
	{rule: "init", service: `init: true`, moved: []string{"init"}, change: func(x *target) { x.c.Init = ptr(false) }},
	{rule: "hosts", service: `extra_hosts: ["a:10.0.0.1", "b:10.0.0.2"]`, moved: []string{"hosts"},
		change: func(x *target) { x.c.Hosts = []string{"10.0.0.3 a"} }},
	{rule: "groups", service: `group_add: ["8", "9"]`, moved: []string{"groups"}, change: func(x *target) { x.c.Groups = []string{"9"} }},
	{rule: "capabilities to add", service: `cap_add: [NET_ADMIN]`, moved: []string{"cap_add"},
		change: func(x *target) { x.c.CapabilityAdd = []string{"CAP_SYS_TIME"} }},
	{rule: "capabilities to drop", service: `cap_drop: [ALL]`, moved: []string{"cap_drop"},
		change: func(x *target) { x.c.CapabilityDrop = []string{"CAP_CHOWN"} }},
	{rule: "dns servers", service: `dns: [10.0.0.2, 10.0.0.1]`, moved: []string{"dns.nameservers"},
		change: func(x *target) { x.dns().Nameservers = []string{"10.0.0.3"} }},
	{rule: "dns search", service: `dns_search: [a.example, b.example]`, moved: []string{"dns.search"},
		change: func(x *target) { x.dns().Search = []string{"c.example"} }},
	{rule: "dns options", service: `dns_opt: ["ndots:2"]`, moved: []string{"dns.options"},
		change: func(x *target) { x.dns().Options = []string{"ndots:3"} }},
	{rule: "sysctls", service: `sysctls: {net.core.somaxconn: 1024}`, moved: []string{`sysctls["net.core.somaxconn"]`},
		change: func(x *target) { x.c.Sysctls = map[string]string{"net.core.somaxconn": "2048"} }},
	{rule: "ulimits", service: `ulimits: {nofile: {soft: 10, hard: 20}}`, moved: []string{"ulimits.nofile"},
		change: func(x *target) { x.c.Ulimits = []*container.Ulimit{{Name: "nofile", Soft: 11, Hard: 20}} }},
	{rule: "isolation", service: `isolation: default`, moved: []string{"isolation"}, always: true,
		change: func(x *target) { x.c.Isolation = container.IsolationProcess }},

	{rule: "health test", service: `healthcheck: {test: ["CMD", "a b", "c"]}`, moved: []string{"healthcheck.test"},
		change: health(func(h *container.HealthConfig) { h.Test = []string{"CMD", "a", "b", "c"} })},
	{rule: "health test switched off", service: `healthcheck: {disable: true}`, moved: []string{"healthcheck.test"},
		change: health(func(h *container.HealthConfig) { h.Test = []string{"CMD", "a"} })},
	{rule: "health interval", service: `healthcheck: {interval: 1s}`, moved: []string{"healthcheck.interval"},
		change: health(func(h *container.HealthConfig) { h.Interval = 2 * time.Second })},
	{rule: "health timeout", service: `healthcheck: {timeout: 1500ms}`, moved: []string{"healthcheck.timeout"},
		change: health(func(h *container.HealthConfig) { h.Timeout = 2 * time.Second })},
	{rule: "health start period", service: `healthcheck: {start_period: 1m}`, moved: []string{"healthcheck.start_period"},
		change: health(func(h *container.HealthConfig) { h.StartPeriod = 2 * time.Minute })},
	{rule: "health start interval", api: "1.44", service: `healthcheck: {start_interval: 3s}`, moved: []string{"healthcheck.start_interval"},
		change: health(func(h *container.HealthConfig) { h.StartInterval = 4 * time.Second })},
	{rule: "health retries", service: `healthcheck: {retries: 2}`, moved: []string{"healthcheck.retries"},
		change: health(func(h *container.HealthConfig) { h.Retries = 3 })},

	{rule: "credential spec", service: `credential_spec: {file: f}`, moved: []string{"privileges.credential_spec.file"},
		change: func(x *target) { x.privileges().CredentialSpec = &swarm.CredentialSpec{File: "g"} }},
	{rule: "selinux", moved: []string{"privileges.selinux.user"},
		change: func(x *target) { x.privileges().SELinuxContext = &swarm.SELinuxContext{User: "u"} }},
	{rule: "selinux disabled", moved: []string{"privileges.selinux.disable"},
		change: func(x *target) { x.privileges().SELinuxContext = &swarm.SELinuxContext{Disable: true} }},
	{rule: "seccomp", api: "1.44", moved: []string{"privileges.seccomp.mode"},
		change: func(x *target) { x.privileges().Seccomp = &swarm.SeccompOpts{Mode: "unconfined"} }},
	{rule: "apparmor", api: "1.44", moved: []string{"privileges.apparmor"},
		change: func(x *target) { x.privileges().AppArmor = &swarm.AppArmorOpts{Mode: "disabled"} }},
	{rule: "no new privileges", api: "1.44", moved: []string{"privileges.no_new_privileges"},
		change: func(x *target) { x.privileges().NoNewPrivileges = true }},
}

func (x *target) dns() *swarm.DNSConfig         { return filled(&x.c.DNSConfig) }
func (x *target) privileges() *swarm.Privileges { return filled(&x.c.Privileges) }

func health(change func(*container.HealthConfig)) func(*target) {
	return func(x *target) { change(filled(&x.c.Healthcheck)) }
}
