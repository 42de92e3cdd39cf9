package canonical

import (
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/swarm"
)

// containerRows are the fields of the container.
var containerRows = []Row{
	{Rule: "environment", Service: `environment: {A: "1", B: "2", C: ""}`, Moved: []string{"env.A", "env.B", "env.D"},
		Change: func(x *Target) { x.Container.Env = []string{"D=4", "A=x=y", "C="} }},
	{Rule: "container labels", Service: `labels: {a.b: "1"}`, Moved: []string{`container_labels["a.b"]`},
		Change: func(x *Target) {
			if x.Container.Labels == nil {
				x.Container.Labels = map[string]string{}
			}
			x.Container.Labels["a.b"] = "2"
		}},
	{Rule: "entrypoint", Service: `entrypoint: ["/x", "a b"]`, Moved: []string{"entrypoint"},
		Change: func(x *Target) { x.Container.Command = []string{"/x", "a", "b"} }},
	{Rule: "command", Service: `command: ["c", "", "{{.Node.Hostname}}"]`, Moved: []string{"command"},
		Change: func(x *Target) { x.Container.Args = []string{"c", "{{.Node.Hostname}}"} }},
	{Rule: "user", Service: `user: "7:8"`, Moved: []string{"user"}, Change: func(x *Target) { x.Container.User = "7" }},
	{Rule: "working directory", Service: `working_dir: /d`, Moved: []string{"working_dir"}, Change: func(x *Target) { x.Container.Dir = "/e" }},
	{Rule: "hostname", Service: `hostname: h`, Moved: []string{"hostname"}, Change: func(x *Target) { x.Container.Hostname = "i" }},
	{Rule: "stop signal", Service: `stop_signal: SIGINT`, Moved: []string{"stop_signal"}, Change: func(x *Target) { x.Container.StopSignal = "SIGQUIT" }},
	{Rule: "stop grace period", Service: `stop_grace_period: 3s`, Moved: []string{"stop_grace_period"},
		Change: func(x *Target) { x.Container.StopGracePeriod = ptr(time.Duration(0)) }},
	{Rule: "read only", Service: `read_only: true`, Moved: []string{"read_only"}, Change: func(x *Target) { x.Container.ReadOnly = !x.Container.ReadOnly }},
	{Rule: "tty", Service: `tty: true`, Moved: []string{"tty"}, Change: func(x *Target) { x.Container.TTY = !x.Container.TTY }},
	{Rule: "stdin", Service: `stdin_open: true`, Moved: []string{"stdin_open"}, Change: func(x *Target) { x.Container.OpenStdin = !x.Container.OpenStdin }},
	{Rule: "oom score", API: "1.46", Service: `oom_score_adj: 5`, Moved: []string{"oom_score_adj"}, Change: func(x *Target) { x.Container.OomScoreAdj = 6 }},
	{Rule: "init", Service: `init: true`, Moved: []string{"init"}, Change: func(x *Target) { x.Container.Init = ptr(false) }},
	{Rule: "hosts", Service: `extra_hosts: ["a:10.0.0.1", "b:10.0.0.2"]`, Moved: []string{"hosts"},
		Change: func(x *Target) { x.Container.Hosts = []string{"10.0.0.3 a"} }},
	{Rule: "groups", Service: `group_add: ["8", "9"]`, Moved: []string{"groups"}, Change: func(x *Target) { x.Container.Groups = []string{"9"} }},
	{Rule: "capabilities to add", Service: `cap_add: [NET_ADMIN]`, Moved: []string{"cap_add"},
		Change: func(x *Target) { x.Container.CapabilityAdd = []string{"CAP_SYS_TIME"} }},
	{Rule: "capabilities to drop", Service: `cap_drop: [ALL]`, Moved: []string{"cap_drop"},
		Change: func(x *Target) { x.Container.CapabilityDrop = []string{"CAP_CHOWN"} }},
	{Rule: "dns servers", Service: `dns: [10.0.0.2, 10.0.0.1]`, Moved: []string{"dns.nameservers"},
		Change: func(x *Target) { x.dns().Nameservers = []string{"10.0.0.3"} }},
	{Rule: "dns search", Service: `dns_search: [a.example, b.example]`, Moved: []string{"dns.search"},
		Change: func(x *Target) { x.dns().Search = []string{"c.example"} }},
	{Rule: "dns options", Service: `dns_opt: ["ndots:2"]`, Moved: []string{"dns.options"},
		Change: func(x *Target) { x.dns().Options = []string{"ndots:3"} }},
	{Rule: "sysctls", Service: `sysctls: {net.core.somaxconn: 1024}`, Moved: []string{`sysctls["net.core.somaxconn"]`},
		Change: func(x *Target) { x.Container.Sysctls = map[string]string{"net.core.somaxconn": "2048"} }},
	{Rule: "ulimits", Service: `ulimits: {nofile: {soft: 10, hard: 20}}`, Moved: []string{"ulimits.nofile"},
		Change: func(x *Target) { x.Container.Ulimits = []*container.Ulimit{{Name: "nofile", Soft: 11, Hard: 20}} }},
	{Rule: "isolation", Service: `isolation: default`, Moved: []string{"isolation"}, Always: true,
		Change: func(x *Target) { x.Container.Isolation = container.IsolationProcess }},

	{Rule: "health test", Service: `healthcheck: {test: ["CMD", "a b", "c"]}`, Moved: []string{"healthcheck.test"},
		Change: health(func(h *container.HealthConfig) { h.Test = []string{"CMD", "a", "b", "c"} })},
	{Rule: "health test switched off", Service: `healthcheck: {disable: true}`, Moved: []string{"healthcheck.test"},
		Change: health(func(h *container.HealthConfig) { h.Test = []string{"CMD", "a"} })},
	{Rule: "health interval", Service: `healthcheck: {interval: 1s}`, Moved: []string{"healthcheck.interval"},
		Change: health(func(h *container.HealthConfig) { h.Interval = 2 * time.Second })},
	{Rule: "health timeout", Service: `healthcheck: {timeout: 1500ms}`, Moved: []string{"healthcheck.timeout"},
		Change: health(func(h *container.HealthConfig) { h.Timeout = 2 * time.Second })},
	{Rule: "health start period", Service: `healthcheck: {start_period: 1m}`, Moved: []string{"healthcheck.start_period"},
		Change: health(func(h *container.HealthConfig) { h.StartPeriod = 2 * time.Minute })},
	{Rule: "health start interval", API: "1.44", Service: `healthcheck: {start_interval: 3s}`, Moved: []string{"healthcheck.start_interval"},
		Change: health(func(h *container.HealthConfig) { h.StartInterval = 4 * time.Second })},
	{Rule: "health retries", Service: `healthcheck: {retries: 2}`, Moved: []string{"healthcheck.retries"},
		Change: health(func(h *container.HealthConfig) { h.Retries = 3 })},

	{Rule: "credential spec", Service: `credential_spec: {file: f}`, Moved: []string{"privileges.credential_spec.file"},
		Change: func(x *Target) { x.privileges().CredentialSpec = &swarm.CredentialSpec{File: "g"} }},
	{Rule: "selinux", Moved: []string{"privileges.selinux.user"},
		Change: func(x *Target) { x.privileges().SELinuxContext = &swarm.SELinuxContext{User: "u"} }},
	{Rule: "selinux disabled", Moved: []string{"privileges.selinux.disable"},
		Change: func(x *Target) { x.privileges().SELinuxContext = &swarm.SELinuxContext{Disable: true} }},
	{Rule: "seccomp", API: "1.44", Moved: []string{"privileges.seccomp.mode"},
		Change: func(x *Target) { x.privileges().Seccomp = &swarm.SeccompOpts{Mode: "unconfined"} }},
	{Rule: "apparmor", API: "1.44", Moved: []string{"privileges.apparmor"},
		Change: func(x *Target) { x.privileges().AppArmor = &swarm.AppArmorOpts{Mode: "disabled"} }},
	{Rule: "no new privileges", API: "1.44", Moved: []string{"privileges.no_new_privileges"},
		Change: func(x *Target) { x.privileges().NoNewPrivileges = true }},
}

func (x *Target) dns() *swarm.DNSConfig         { return filled(&x.Container.DNSConfig) }
func (x *Target) privileges() *swarm.Privileges { return filled(&x.Container.Privileges) }

func health(change func(*container.HealthConfig)) func(*Target) {
	return func(x *Target) { change(filled(&x.Container.Healthcheck)) }
}
