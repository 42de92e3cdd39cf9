package application_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// ephemeral declares variables that Terraform itself keeps out of plan and state.
func ephemeral(names ...string) string {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "variable %q {\n  type      = string\n  ephemeral = true\n}\n", n)
	}
	return b.String()
}

// secretive is a stack with a sensitive value in every position that takes one.
const secretive = `
    services:
      web:
        image: %s
        command: [serve, -message, "say $${in_command}"]
        environment: {TOKEN: "before-$${in_env}-after"}
        labels: {io.example.container: "$${in_label}"}
        healthcheck: {test: [CMD, /app, healthcheck, -url, "http://127.0.0.1:8080/healthz?key=$${in_healthcheck}"], interval: 300ms}
        deploy:
          labels: {io.example.service: "$${in_service_label}"}
          restart_policy: {delay: 100ms}
          update_config: {monitor: 300ms, delay: 0s}
        configs: [settings]
        secrets: [session]
    configs:
      settings: {content: "key = $${in_config}\n"}
    secrets:
      session: {}`

// held says where in the swarm a value may be read, by the variable that it is in.
var held = map[string][]string{
	"session":          {},
	"in_command":       {"record/", "service/web"},
	"in_env":           {"record/", "service/web"},
	"in_label":         {"record/", "service/web"},
	"in_healthcheck":   {"record/", "service/web"},
	"in_service_label": {"record/", "service/web"},
	"in_config":        {"config/settings"},
}

// TestAccSecretsAppearNowhere follows write-only values through a whole life: none may be in plan, state, logs or
// output, and in the swarm only where the user has put it. A new value rolls the service without a version to bump.
func TestAccSecretsAppearNowhere(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	variables := slices.Sorted(maps.Keys(held))
	var assignments []string
	for _, v := range variables {
		if v != "session" {
			assignments = append(assignments, fmt.Sprintf("%[1]s = var.%[1]s", v))
		}
	}
	w := providertest.NewWorkspace(t, ephemeral(variables...)+application(s.Host(), name, fmt.Sprintf(secretive, acctest.Image("1.0")),
		"secrets_wo = { session = var.session }", "variables_wo = { "+strings.Join(assignments, ", ")+" }"))
	w.Traced()
	var values []map[string]string
	give := func() {
		now := map[string]string{}
		for _, v := range variables {
			now[v] = providertest.RandomValue(t, v+"-")
			w.Variable(v, now[v])
		}
		values = append(values, now)
	}
	output := providertest.Places{}
	run := func(step string, code int, args ...string) {
		output[step+" printed"] = w.Expect(code, args...)
		if args[0] == "plan" {
			output[step+" as JSON"] = w.Expect(0, "show", "-json", "tfplan")
		}
	}
	check := func(step string) {
		t.Helper()
		everything := w.Evidence()
		maps.Copy(everything, output)
		live := providertest.InSwarm(t, s, name)
		for i, generation := range values {
			for variable, value := range generation {
				if found := everything.Having(value); len(found) > 0 {
					t.Errorf("%s: generation %d of %s is in %v: %s", step, i+1, variable, found, providertest.Around(everything[found[0]], value))
				}
				want := held[variable]
				for _, where := range live.Having(value) {
					if !slices.ContainsFunc(want, func(p string) bool { return strings.HasPrefix(where, p) }) {
						t.Errorf("%s: generation %d of %s is in the swarm in %s", step, i+1, variable, where)
					}
				}
				for _, where := range want {
					if i == len(values)-1 && len(live) > 0 && !slices.ContainsFunc(live.Having(value), func(p string) bool { return strings.HasPrefix(p, where) }) {
						t.Errorf("%s: %s should be in the swarm in %s: nothing was looked at", step, variable, where)
					}
				}
			}
		}
		if len(everything["trace.log"]) < 10000 || !strings.Contains(everything["trace.log"], "provider.terraform-provider-swarm") {
			t.Errorf("%s: there is no trace of Terraform and the provider", step)
		}
		if (step == "create" || step == "rotation") && everything["tfplan/tfplan"] == "" {
			t.Errorf("%s: the plan file was not unpacked", step)
		}
	}

	give()
	run("plan of create", 2, "plan", "-detailed-exitcode", "-input=false", "-out=tfplan")
	run("create", 0, "apply", "-input=false", "tfplan")
	check("create")
	run("plan without changes", 0, "plan", "-detailed-exitcode", "-input=false", "-out=tfplan")
	before := taskIDs(t, s, name+"_web")

	give()
	run("plan of rotation", 2, "plan", "-detailed-exitcode", "-input=false", "-out=tfplan")
	run("rotation", 0, "apply", "-input=false", "tfplan")
	check("rotation")
	if after := taskIDs(t, s, name+"_web"); slices.Equal(before, after) {
		t.Errorf("the service was not rolled: %v", after)
	}
	run("plan after rotation", 0, "plan", "-detailed-exitcode", "-input=false", "-out=tfplan")
	run("refresh after rotation", 0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false", "-out=tfplan")
	run("destroy", 0, "destroy", "-auto-approve", "-input=false")
	check("destroy")
	if left := s.ReleaseObjects(t, name); len(left) > 0 {
		t.Errorf("left in the swarm: %v", left)
	}
	t.Log(output["plan of create printed"], output["plan of rotation printed"])
}

// TestAccSecretsAppearInNoError lets applies fail in ways that tempt to quote a sensitive value.
func TestAccSecretsAppearInNoError(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	stack := func(service string) string {
		return "    services:\n      web:\n        image: " + acctest.Image("1.0") + "\n" + service
	}
	const failing = "\n        deploy: {restart_policy: {delay: 100ms}, update_config: {monitor: 10s}}"
	for _, tc := range []struct {
		rule, compose, host, want string
	}{
		{"a program that writes it to its log and fails",
			stack("        command: [job, -exit-code, \"3\", -message, \"cannot log in with '$${token}'\"]" + failing), "", "cannot log in with '(sensitive)'"},
		{"a program that writes a part of its environment to its log",
			stack("        command: [job, -exit-code, \"3\"]\n        environment: {APP_MESSAGE: \"connecting\\nno host db.$${token}.example\"}" + failing), "", "no host db.(sensitive).example"},
		{"a program that the engine cannot start",
			stack("        entrypoint: [\"/bin/$${token}\"]" + failing), "", "stat /bin/(sensitive)"},
		{"a number that is none", stack("        deploy: {replicas: \"$${token}\"}"), "", "deploy.replicas"},
		{"a duration that is none", stack("        stop_grace_period: $${token}"), "", "stop_grace_period"},
		{"a port that is none", stack("        ports: [\"$${token}\"]"), "", "ports[0]"},
		{"an image that is none", "    services:\n      web: {image: \"$${token}//\"}", "", "image"},
		{"a network that is none", stack("        networks: [\"$${token}\"]"), "", "networks"},
		{"a volume that is none", stack("        volumes: [\"$${token}:/data\"]"), "", "volumes"},
		{"a restart that is none", stack("        restart: $${token}"), "", "restart"},
		{"a constraint that is none", stack("        deploy: {placement: {constraints: [\"$${token}\"]}}"), "", "constraints"},
		{"a name of a config", stack("        configs: [c]") + "\n    configs:\n      c: {name: \"$${token} x\", content: x}", "", "config"},
		{"another application's name", "    name: $${token}\n" + stack("        tty: true"), "", "name"},
		{"an engine that does not answer", stack("        environment: {TOKEN: \"$${token}\"}"), "unix:///var/run/absent/docker.sock", "does not answer"},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			name, host := s.RandomName(t), tc.host
			if host == "" {
				host = s.Host()
			}
			w := providertest.NewWorkspace(t, ephemeral("token", "session")+application(host, name, tc.compose+"\n    secrets:\n      session: {}",
				"variables_wo = { token = var.token }", "secrets_wo = { session = var.session }"))
			w.Traced()
			token, session := providertest.RandomValue(t, "token-"), providertest.RandomValue(t, "session-")
			w.Variable("token", token)
			w.Variable("session", session)
			out := w.Expect(1, "apply", "-auto-approve", "-input=false")
			t.Log(out)
			if !strings.Contains(providertest.Flat(out), tc.want) {
				t.Errorf("the error does not speak of %q", tc.want)
			}
			everything := w.Evidence()
			if strings.Contains(out, "did not converge") {
				w.Write("data.tf", fmt.Sprintf("data \"swarm_application\" \"app\" {\n  name = %q\n}\n", name))
				everything["planned again"] = w.Expect(0, "apply", "-refresh-only", "-auto-approve", "-input=false")
				if text := everything["planned again"]; !strings.Contains(text, "data.swarm_application.app: Read complete") {
					t.Errorf("the data source was not read:\n%s", text)
				}
				maps.Copy(everything, w.Evidence())
				if !strings.Contains(everything["terraform.tfstate"], "replicas_running") {
					t.Error("the data source is not in the state")
				}
			}
			everything["printed"] = out
			for _, value := range []string{token, session} {
				if found := everything.Having(value); len(found) > 0 {
					t.Errorf("the value is in %v: %s", found, providertest.Around(everything[found[0]], value))
				}
			}
			if everything["trace.log"] == "" {
				t.Error("there is no trace")
			}
		})
	}
}

// taskIDs are the ids of a service's running tasks, sorted.
func taskIDs(t *testing.T, s *acctest.Swarm, service string) []string {
	t.Helper()
	var ids []string
	for _, task := range s.Tasks(t, service) {
		ids = append(ids, task.ID)
	}
	slices.Sort(ids)
	return ids
}
