package application_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// inherited is a stack as somebody has deployed it by hand, and as it is then given to Terraform.
func inherited() string {
	return `    version: "3.8"
    services:
      web:
        image: ` + acctest.Image("1.0") + `
        command: [serve, -greeting, /etc/greeting, -secret, /run/secrets/session]
        environment: {LEVEL: debug, UPSTREAM: "http://api:8080"}
        configs: [{source: greeting, target: /etc/greeting}]
        secrets: [session]
        networks: {front: {aliases: [page]}}
        volumes: [data:/data]
        deploy: {replicas: 2, restart_policy: {delay: 100ms}, update_config: {monitor: 300ms}, labels: {io.example.team: web}}
      api:
        image: ` + acctest.Image("1.1") + `
        networks: [front, default]
        deploy: {endpoint_mode: dnsrr, restart_policy: {delay: 100ms}, update_config: {monitor: 300ms}}
      once:
        image: ` + acctest.Image("1.0") + `
        command: [job]
        deploy: {mode: replicated-job}
    configs:
      greeting: {file: ./greeting.txt}
    secrets:
      session: {external: true, name: %s}
    networks:
      front: {driver: overlay, attachable: true}
    volumes:
      data: {}`
}

// TestAccAdoption takes over what `docker stack deploy` has made: refused at first, with the command to do it; after
// an import the plan changes no service, and applying restarts no task.
func TestAccAdoption(t *testing.T) {
	s := acctest.Start(t)
	for _, tc := range []struct {
		rule string
		// imports brings the release into the state, in its own way, and returns what the first plan says.
		imports func(w *providertest.Workspace, name string) *providertest.Plan
		// needs is the minor version of Terraform 1 that this way came with; 0 is any.
		needs int
	}{
		{"by terraform import", func(w *providertest.Workspace, name string) *providertest.Plan {
			w.T.Log(w.Expect(0, "import", "-input=false", "swarm_application.app", name))
			return w.Plan(2)
		}, 0},
		{"by an import block with the id", func(w *providertest.Workspace, name string) *providertest.Plan {
			w.Write("import.tf", fmt.Sprintf("import {\n  to = swarm_application.app\n  id = %q\n}\n", name))
			return w.Plan(2)
		}, 0},
		{"by an import block with the identity", func(w *providertest.Workspace, name string) *providertest.Plan {
			w.Write("import.tf", fmt.Sprintf("import {\n  to = swarm_application.app\n  identity = {\n    name = %q\n  }\n}\n", name))
			return w.Plan(2)
		}, 12},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			if tc.needs > 0 {
				requireTerraform(t, tc.needs)
			}
			name := s.RandomName(t)
			secret := name + "-of-the-house"
			s.DockerInput(t, "content", "secret", "create", secret, "-")
			t.Cleanup(func() { s.Docker(t, "secret", "rm", secret) })
			stack := fmt.Sprintf(inherited(), secret)
			w := providertest.NewWorkspace(t, application(s.Host(), name, stack, `files = { "greeting.txt" = "hello" }`))
			byHand(t, s, name, stack)
			s.WaitRunning(t, name+"_web", 2)
			s.WaitRunning(t, name+"_api", 1)

			refused := w.Expect(1, "apply", "-auto-approve", "-input=false")
			for _, want := range []string{"its name is taken", "service " + name + "_web", "terraform import swarm_application.<name> " + name, "adopt = true", "on main.tf line"} {
				if !strings.Contains(providertest.Flat(refused), want) {
					t.Errorf("the refusal does not say %q:\n%s", want, refused)
				}
			}
			if strings.Contains(strings.Join(s.ReleaseObjects(t, name), " "), "keel") {
				t.Error("the refused apply has written a record or a lease")
			}

			p := tc.imports(w, name)
			t.Log(p.Text)
			change := p.Change(resource)
			if change == nil || slices.Contains([]string{"create", "delete"}, string(change.Actions[0])) {
				t.Fatalf("the plan after the import does not update:\n%s", p.Text)
			}
			d := providertest.Compare(t, change)
			for _, attribute := range []string{"compose", "files", "files/greeting.txt", "status", "revision", "instance", "images", "services", "networks"} {
				d.Take(attribute)
			}
			if len(d.Rest()) > 0 {
				t.Errorf("the plan after the import changes %v:\n%s", d.Rest(), p.Text)
			}

			before, job := append(taskIDs(t, s, name+"_web"), taskIDs(t, s, name+"_api")...), s.Service(t, name+"_once")
			w.Apply()
			w.Settled()
			w.Settled()
			w.Expect(0, "plan", "-refresh-only", "-detailed-exitcode", "-input=false")
			if after := append(taskIDs(t, s, name+"_web"), taskIDs(t, s, name+"_api")...); !slices.Equal(before, after) {
				t.Errorf("tasks %v became %v", before, after)
			}
			if now := s.Service(t, name+"_once"); now.JobStatus.JobIteration != job.JobStatus.JobIteration {
				t.Error("the job was run again")
			}
			if state := w.Evidence()["terraform.tfstate"]; !strings.Contains(state, `"revision": "2"`) {
				t.Error("what was live is not on record as revision 1")
			}
			w.Expect(0, "destroy", "-auto-approve", "-input=false")
			if left := s.ReleaseObjects(t, name); len(left) > 0 {
				t.Errorf("left in the swarm: %v", left)
			}
			if left := s.ReleaseVolumes(t, name); len(left) != 1 {
				t.Errorf("volumes %v, want the one kept", left)
			}
		})
	}
}

// TestAccAdoptedSecretIsReplaced: nobody can read what an adopted secret holds, so the one that is given takes its
// place, and the plan says so.
func TestAccAdoptedSecretIsReplaced(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	name := s.RandomName(t)
	stack := "    version: \"3.8\"\n    services:\n      web:\n        image: " + acctest.Image("1.0") +
		"\n        secrets: [session]\n        deploy: {restart_policy: {delay: 100ms}, update_config: {monitor: 300ms}}\n    secrets:\n      session: "
	w := providertest.NewWorkspace(t, application(s.Host(), name, stack+"{}", `secrets_wo = { session = "content" }`, "adopt = true"))
	byHand(t, s, name, stack+"{file: ./greeting.txt}")
	s.WaitRunning(t, name+"_web", 1)
	p := w.Plan(2)
	t.Log(p.Text)
	for _, want := range []string{"service " + name + "_web", "secret " + name + "_session", "become part of release " + name,
		"The content of secret " + name + "_session cannot be read, so it is replaced by secret " + name + "_session-"} {
		if !strings.Contains(providertest.Flat(p.Text), want) {
			t.Errorf("the plan does not say %q", want)
		}
	}
	w.Apply()
	w.Settled()
	if _, secrets := contents(t, s, name); len(secrets) != 2 { // the first revision, what was live, is kept
		t.Errorf("secrets %v, want the adopted one and its successor", secrets)
	}
	w.Expect(0, "destroy", "-auto-approve", "-input=false")
	if left := s.ReleaseObjects(t, name); len(left) > 0 {
		t.Errorf("left in the swarm: %v", left)
	}
}

// byHand runs `docker stack deploy` on a stack whose files are greeting.txt.
func byHand(t *testing.T, s *acctest.Swarm, name, stack string) {
	t.Helper()
	dir := t.TempDir()
	for file, text := range map[string]string{"stack.yml": stack, "greeting.txt": "hello"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.Docker(t, "stack", "deploy", "--detach=true", "--resolve-image=never", "-c", filepath.Join(dir, "stack.yml"), name)
}

// requireTerraform skips a test of what only newer versions of Terraform know, or only OpenTofu does not.
func requireTerraform(t *testing.T, minor int) {
	t.Helper()
	w := &providertest.Workspace{T: t, Dir: t.TempDir(), Env: os.Environ()}
	var have int
	if _, err := fmt.Sscanf(w.Expect(0, "version"), "Terraform v1.%d", &have); err != nil || have < minor {
		t.Skipf("needs Terraform 1.%d", minor)
	}
}
