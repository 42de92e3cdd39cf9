package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// brief is a problem as "E compose[0]:3 web: summary".
func brief(problems spec.Problems) []string {
	list := []string{}
	for _, p := range problems {
		severity := "E"
		if p.Severity == spec.Warning {
			severity = "w"
		}
		where := p.Position()
		if where == "" {
			where = strings.Join(p.Attribute, ".")
		}
		if p.Service != "" {
			where += " " + p.Service
		}
		list = append(list, fmt.Sprintf("%s %s: %s", severity, where, p.Summary))
	}
	return list
}

func TestProblems(t *testing.T) {
	long := strings.Repeat("x", 60)
	for name, c := range map[string]struct {
		text    string
		changes []func(*spec.Application)
		want    []string
	}{
		"all problems of all kinds are reported at once": {
			text: "services:\n" +
				"  web:\n" +
				"    image: nginx:${TAG}\n" +
				"    enviroment: {A: 1}\n" +
				"    privileged: true\n" +
				"    networks: [nope]\n" +
				"    ports: [\"80:80\", \"eighty\"]\n" +
				"    deploy: {replicas: many, mode: bogus}\n" +
				"  api:\n" +
				"    image: api\n" +
				"    ports: [\"80:8080\"]\n" +
				"    container_name: api\n" +
				"    secrets: [s]\n" +
				"secrets: {s: {}}\n",
			want: []string{
				"E compose[0]:3 web: Variable TAG is not set",
				"E compose[0]:4 web: Unknown key services.web.enviroment",
				"E compose[0]:5 web: services.web.privileged has no effect on Swarm",
				"E compose[0]:6 web: Undefined network \"nope\"",
				"E compose[0]:7 web: Port 80/tcp is published by two services",
				"E compose[0]:7 web: Wrong value of services.web.ports[1]",
				"E compose[0]:8 web: Wrong value of services.web.deploy.replicas",
				"E compose[0]:8 web: Wrong value of services.web.deploy.mode",
				"w compose[0]:12 api: services.api.container_name has no effect on Swarm",
				"E compose[0]:14: Secret s has no content",
			},
		},
		"a key given twice":              {text: "services:\n  web: {image: a}\n  web: {image: b}\n", want: []string{"E compose[0]:3: Key \"web\" is given twice"}},
		"two << keys that disagree":      {text: "x-a: &a {A: 1}\nx-b: &b {A: 2}\n" + web("environment:\n  <<: *a\n  <<: *b"), want: []string{"E compose[0]:8: Two `<<` keys disagree about \"A\""}},
		"an alias to itself":             {text: "services: &a\n  web: *a\n", want: []string{"E compose[0]:2: YAML alias contains itself"}},
		"no YAML":                        {text: "services: [\n", want: []string{"E compose[0]:1: Invalid YAML"}},
		"no mapping":                     {text: "- a\n", want: []string{"E compose[0]:1: YAML text is not a mapping"}},
		"nothing":                        {text: "# only a comment\n", want: []string{"E compose[0]:1: YAML text is empty"}},
		"no service":                     {text: "networks: {a: {}}\n", want: []string{"E compose: No service", "w compose[0]:1: Network a is not used"}},
		"a service without a definition": {text: "services:\n  web:\n", want: []string{"E compose[0]:2 web: Wrong type of services.web"}},
		"version 2":                      {text: "version: '2.1'\n" + web("tty: true"), want: []string{"E compose[0]:1: Compose file version \"2.1\" is not supported"}},
		"another name":                   {text: "name: other\n" + web("tty: true"), want: []string{"E compose[0]:1: The Compose file is for another name"}},
		"include":                        {text: "include: [a.yml]\n" + web("tty: true"), want: []string{"E compose[0]:1: include is not supported"}},
		"extends needs no image to be complained of": {text: "services:\n  web:\n    extends: {service: x}\n", want: []string{"E compose[0]:3 web: services.web.extends is not supported"}},
		"a required variable with a message":         {text: web("user: ${A:?set A to the user}"), want: []string{"E compose[0]:4 web: Interpolation failed"}},
		"every unset variable of one string":         {text: web("user: $A$B${A}"), want: []string{"E compose[0]:4 web: Variable A is not set", "E compose[0]:4 web: Variable B is not set"}},
		"build without an image":                     {text: "services:\n  web:\n    build: .\n", want: []string{"E compose[0]:3 web: Service web has no image"}},
		"build with an image":                        {text: web("build: {context: .}"), want: []string{"w compose[0]:4 web: services.web.build has no effect on Swarm"}},
		"false asks for nothing":                     {text: web("privileged: false\ndevices: []\nattach: false"), want: []string{}},
		"network_mode":                               {text: web("network_mode: host"), want: []string{"E compose[0]:4 web: services.web.network_mode has no effect on Swarm"}},
		"devices":                                    {text: web("devices: [/dev/fuse]"), want: []string{"E compose[0]:4 web: services.web.devices has no effect on Swarm"}},
		"restart is honoured":                        {text: web("restart: unless-stopped"), want: []string{}},
		"restart no is not honoured":                 {text: web("restart: \"no\""), want: []string{"w compose[0]:4 web: services.web.restart has no effect on Swarm"}},
		"restart loses to restart_policy":            {text: web("restart: always\ndeploy: {restart_policy: {condition: none}}"), want: []string{"w compose[0]:4 web: services.web.restart has no effect on Swarm"}},
		"a misspelt restart":                         {text: web("restart: allways"), want: []string{"E compose[0]:4 web: Wrong value of services.web.restart"}},
		"an image that is none":                      {text: "services: {web: {image: \"a//b\"}}\n", want: []string{"E compose[0]:1 web: Invalid image of service web"}},
		"a service name that is too long":            {text: "services:\n  " + long + ": {image: x}\n", want: []string{"E compose[0]:2 " + long + ": Invalid name of service " + long}},
		"a service name with a dot":                  {text: "services:\n  a.b: {image: x}\n", want: []string{"E compose[0]:2 a.b: Invalid name of service a.b"}},
		"a network name that is too long":            {text: web("networks: [n]") + "networks:\n  n: {name: " + long + "abcd}\n", want: []string{"E compose[0]:6: Invalid name of network n"}},
		"a bridge network":                           {text: web("networks: [n]") + "networks:\n  n: {driver: bridge}\n", want: []string{"E compose[0]:6: Network n cannot be used by services"}},
		"two networks of one name":                   {text: web("networks: [a, b]") + "networks:\n  a: {name: x}\n  b: {name: x}\n", want: []string{"E compose[0]:7: Two networks are called \"x\""}},
		"an undefined volume":                        {text: web("volumes: [data:/x]"), want: []string{"E compose[0]:4 web: Undefined volume \"data\""}},
		"an undefined secret":                        {text: web("secrets: [s]"), want: []string{"E compose[0]:4 web: Undefined secret \"s\""}},
		"an undefined config":                        {text: web("configs: [{source: c}]"), want: []string{"E compose[0]:4 web: Undefined config \"c\""}},
		"an undefined service in depends_on":         {text: web("depends_on: [db]"), want: []string{"E compose[0]:4 web: Undefined service \"db\""}},
		"waiting for the end of what does not end":   {text: web("depends_on: {db: {condition: service_completed_successfully}}") + "  db: {image: x}\n", want: []string{"E compose[0]:4 web: Service web waits for the end of db, which does not end"}},
		"a circle of dependencies":                   {text: "services:\n  a: {image: x, depends_on: [b]}\n  b: {image: x, depends_on: [c]}\n  c: {image: x, depends_on: [a]}\n", want: []string{"E compose[0]:2 a: Services depend on each other in a circle"}},
		"a dependency on what is left out":           {text: web("depends_on: [db]") + "  db: {image: x, profiles: [p]}\n", want: []string{"E compose[0]:4 web: Service web depends on db, which is left out", "w compose[0]:5 db: Service db is left out"}},
		"a relative bind source":                     {text: web("volumes: [./data:/x, {type: bind, source: ~/x, target: /y}]"), want: []string{"E compose[0]:4 web: Bind mount of a relative path", "E compose[0]:4 web: Bind mount of a relative path"}},
		"two mounts at one place":                    {text: web("volumes: [/a:/x, /b:/x]"), want: []string{"E compose[0]:4 web: Service web mounts two volumes at one place"}},
		"a file that is not given":                   {text: web("configs: [c]\nenv_file: a.env") + "configs:\n  c: {file: c}\n", want: []string{"E compose[0]:5 web: File \"a.env\" is not given", "E compose[0]:7: File \"c\" is not given"}},
		"a path out of the tree":                     {text: web("env_file: [../a.env, /etc/passwd]"), want: []string{"E compose[0]:4 web: Path \"../a.env\" leaves the application's files", "E compose[0]:4 web: Path \"/etc/passwd\" leaves the application's files"}},
		"a key of files out of the tree":             {text: web("tty: true"), changes: []func(*spec.Application){file("../x", "")}, want: []string{"E files.../x: Path \"../x\" leaves the application's files"}},
		"an env file that is none":                   {text: web("env_file: a.env"), changes: []func(*spec.Application){file("a.env", "A=1\nthe password is x=y\n")}, want: []string{"E compose[0]:4 web: Invalid env file a.env"}},
		"a secret with a file":                       {text: web("secrets: [s]") + "secrets:\n  s: {file: s.txt}\n", want: []string{"E compose[0]:6: Secret s has a file"}},
		"content for a secret that is not declared":  {text: web("tty: true"), changes: []func(*spec.Application){secret("s", "x")}, want: []string{"E secrets_wo.s: Secret s is not declared"}},
		"contents from a variable that is not set":   {text: web("secrets: [s]\nconfigs: [c]") + "secrets:\n  s: {environment: NOPE}\nconfigs:\n  c: {environment: NOPE}\n", want: []string{"E compose[0]:7: Variable NOPE is not set", "E compose[0]:9: Variable NOPE is not set"}},
		"an empty secret":                            {text: web("secrets: [s]") + "secrets:\n  s: {}\n", changes: []func(*spec.Application){secret("s", "")}, want: []string{"E compose[0]:6: Secret s is empty"}},
		"a secret over the limit":                    {text: web("secrets: [s]") + "secrets:\n  s: {}\n", changes: []func(*spec.Application){secret("s", strings.Repeat("x", 500*1024))}, want: []string{"E compose[0]:6: Secret s is too large"}},
		"a secret at the limit":                      {text: web("secrets: [s]") + "secrets:\n  s: {}\n", changes: []func(*spec.Application){secret("s", strings.Repeat("x", 500*1024-1))}, want: []string{}},
		"a config over the limit":                    {text: web("configs: [c]") + "configs:\n  c: {file: c}\n", changes: []func(*spec.Application){file("c", strings.Repeat("x", 1000*1024))}, want: []string{"E compose[0]:6: Config c is too large"}},
		"a config without content":                   {text: web("configs: [c]") + "configs:\n  c: {}\n", want: []string{"E compose[0]:6: Config c has no content"}},
		"a config with two sources":                  {text: web("configs: [c]") + "configs:\n  c: {file: c, content: c}\n", changes: []func(*spec.Application){file("c", "x")}, want: []string{"E compose[0]:6: configs.c has more than one source"}},
		"a config name the engine refuses":           {text: web("configs: [c]") + "configs:\n  c: {content: x, name: \"a b\"}\n", want: []string{"E compose[0]:6: Invalid name of config c"}},
		"two files at one place":                     {text: web("secrets: [{source: a, target: t}, {source: b, target: t}]") + "secrets: {a: {external: true}, b: {external: true}}\n", want: []string{"E compose[0]:4 web: services.web.secrets are mounted over each other"}},
		"content for an external secret":             {text: web("secrets: [s]") + "secrets:\n  s: {external: true}\n", changes: []func(*spec.Application){secret("s", "x")}, want: []string{"E compose[0]:6: Secret s is external and has content"}},
		"a mount at a relative path":                 {text: web("volumes: [\"v:data\"]") + "volumes: {v: }\n", want: []string{"E compose[0]:4 web: Mount at a relative path"}},
		"a mount without a place":                    {text: web("volumes: [{type: tmpfs}]"), want: []string{"E compose[0]:4 web: services.web.volumes[0] lacks \"target\""}},
		"a second document":                          {text: web("tty: true") + "---\n" + web("tty: false"), want: []string{"w compose[0]:5: A second YAML document is not read"}},
		"extensions may stand anywhere":              {text: web("x-a: 1\ndeploy: {x-b: 1, placement: {x-c: 1}}"), want: []string{}},
		"too little memory":                          {text: web("deploy: {resources: {limits: {memory: 1M}}}"), want: []string{"E compose[0]:4 web: Wrong value of services.web.deploy.resources.limits.memory"}},
		"a negative duration":                        {text: web("stop_grace_period: -1s"), want: []string{"E compose[0]:4 web: Wrong value of services.web.stop_grace_period"}},
		"a ratio above one":                          {text: web("deploy: {update_config: {max_failure_ratio: 2}}"), want: []string{"E compose[0]:4 web: Wrong value of services.web.deploy.update_config.max_failure_ratio"}},
		"a number that does not stay as written":     {text: web("environment: {A: 010, B: 1.10, C: 1, D: \"010\"}"), want: []string{"w compose[0]:4 web: services.web.environment.A is read as a number", "w compose[0]:4 web: services.web.environment.B is read as a number"}},
		"a reserved label":                           {text: web("labels: {io.swarmkeel.kind: x}\ndeploy:\n  labels: [io.swarmkeel.key=x]"), want: []string{"E compose[0]:4 web: Label io.swarmkeel.kind is reserved", "E compose[0]:6 web: Label io.swarmkeel.key is reserved"}},
		"a port published twice by one service":      {text: web("ports: [\"80:80\", \"80:81\"]"), want: []string{"E compose[0]:4 web: Port 80/tcp is published twice"}},
		"host ports may repeat between services":     {text: web("ports: [{target: 80, published: 80, mode: host}]") + "  b: {image: x, ports: [{target: 80, published: 80, mode: host}]}\n", want: []string{}},
		"a host port against an ingress port":        {text: web("ports: [\"80:80\"]") + "  a: {image: x, ports: [{target: 80, published: 80, mode: host}]}\n", want: []string{"E compose[0]:4 web: Port 80/tcp is published by two services"}},
		"tcp and udp are two ports":                  {text: web("ports: [\"80:80\", \"80:80/udp\"]"), want: []string{}},
		"a port bound to one address":                {text: web("ports: [\"127.0.0.1:80:80\"]"), want: []string{"E compose[0]:4 web: A port cannot be bound to one address"}},
		"an ingress port without a virtual IP":       {text: web("ports: [\"80:80\"]\ndeploy: {endpoint_mode: dnsrr}"), want: []string{"E compose[0]:4 web: Service web publishes an ingress port with endpoint_mode dnsrr"}},
		"replicas of a global service":               {text: web("deploy:\n  mode: global\n  replicas: 2"), want: []string{"E compose[0]:6 web: Service web is global and has replicas"}},
		"an update_config of a job":                  {text: web("deploy:\n  mode: replicated-job\n  update_config: {order: stop-first}"), want: []string{"E compose[0]:6 web: Job web has an update_config"}},
		"start-first that can never finish":          {text: web("ports: [{target: 80, published: 80, mode: host}]\ndeploy:\n  mode: global\n  update_config: {order: start-first}"), want: []string{"E compose[0]:7 web: An update of web could never finish"}},
		"start-first that needs a free node":         {text: web("ports: [{target: 80, published: 80, mode: host}]\ndeploy:\n  update_config: {order: start-first}"), want: []string{"w compose[0]:6 web: An update of web needs a free node"}},
		"a monitor shorter than the healthcheck":     {text: web("healthcheck: {test: x, interval: 5s, retries: 2, start_period: 10s}\ndeploy:\n  update_config: {monitor: 19s}"), want: []string{"w compose[0]:6 web: The updates of web are watched too briefly"}},
		"a monitor as long as the healthcheck":       {text: web("healthcheck: {test: x, interval: 5s, retries: 2, start_period: 10s}\ndeploy:\n  update_config: {monitor: 20s}"), want: []string{}},
		"a constraint that Swarm cannot read":        {text: web("deploy: {placement: {constraints: [node.role = manager]}}"), want: []string{"E compose[0]:4 web: Wrong value of services.web.deploy.placement.constraints[0]"}},
		"a duration without a unit":                  {text: web("stop_grace_period: 30"), want: []string{"E compose[0]:4 web: Wrong value of services.web.stop_grace_period"}},
		"cpus that are no number":                    {text: web("deploy: {resources: {limits: {cpus: lots}}}"), want: []string{"E compose[0]:4 web: Wrong value of services.web.deploy.resources.limits.cpus"}},
		"a list that repeats an entry":               {text: web("cap_add: [NET_ADMIN, NET_ADMIN]"), want: []string{"E compose[0]:4 web: services.web.cap_add repeats an entry"}},
		"a command without its closing quote":        {text: web("command: sh -c 'x"), want: []string{"E compose[0]:4 web: Wrong value of services.web.command"}},
		"a release name that is none":                {text: web("tty: true"), changes: []func(*spec.Application){func(a *spec.Application) { a.Name = "A" }}, want: []string{"E name: Invalid name \"A\""}},
		"the line of the file that is at fault":      {text: web("tty: true"), changes: []func(*spec.Application){override("services:\n  web:\n    tty: perhaps\n")}, want: []string{"E compose[1]:3 web: Wrong value of services.web.tty"}},
	} {
		t.Run(name, func(t *testing.T) {
			app := shop(c.text, c.changes...)
			rendered, problems := Application(app)
			if diff := cmp.Diff(c.want, brief(problems)); diff != "" {
				t.Errorf("problems (-want +got):\n%s\n%s", diff, problems.Error())
			}
			if (rendered == nil) != problems.HasErrors() {
				t.Errorf("there are objects together with errors, or neither")
			}
			for _, p := range problems {
				if p.Detail == "" || !strings.ContainsAny(p.Detail[len(p.Detail)-1:], ".?") || strings.HasSuffix(p.Summary, ".") {
					t.Errorf("a problem that is not written in sentences: %s", p)
				}
				if p.File != "" && len(p.Attribute) != 2 {
					t.Errorf("a problem without an attribute: %s", p)
				}
			}
		})
	}
}
