package application_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
)

func TestMain(m *testing.M) {
	acctest.Main(m, func() {
		if binary.dir != "" {
			_ = os.RemoveAll(binary.dir)
		}
	})
}

// application is the configuration of one swarm_application called "app" at an engine. Settings are further
// attributes, one a line.
func application(host, name, compose string, settings ...string) string {
	return fmt.Sprintf(`
provider "swarm" {
  host = %q
}

resource "swarm_application" "app" {
  name    = %q
  compose = [<<-EOT
%s
  EOT
  ]
  %s
}
`, host, name, strings.TrimRight(compose, "\n"), strings.Join(settings, "\n  "))
}

// binary is the provider as users run it, built once per test binary.
var binary struct {
	sync.Once
	dir string
	err error
}

func providerDir(t testing.TB) string {
	t.Helper()
	binary.Do(func() {
		if binary.dir, binary.err = os.MkdirTemp("", "keelbin"); binary.err != nil {
			return
		}
		_, file, _, _ := runtime.Caller(0)
		cmd := exec.Command("go", "build", "-o", filepath.Join(binary.dir, "terraform-provider-swarm"), ".")
		cmd.Dir = filepath.Join(filepath.Dir(file), "..", "..", "..")
		if out, err := cmd.CombinedOutput(); err != nil {
			binary.err = fmt.Errorf("building the provider: %w\n%s", err, out)
		}
	})
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	return binary.dir
}

// workspace is a folder in which the real Terraform runs the real provider.
type workspace struct {
	t   testing.TB
	dir string
	env []string
}

// newWorkspace makes a folder with one configuration.
func newWorkspace(t testing.TB, config string) *workspace {
	t.Helper()
	w := &workspace{t: t, dir: t.TempDir()}
	w.write("cli.tfrc", fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"swarmkeel/swarm\" = %q\n  }\n  direct {}\n}\n", providerDir(t)))
	w.write("versions.tf", "terraform {\n  required_providers {\n    swarm = { source = \"swarmkeel/swarm\" }\n  }\n}\n")
	w.write("main.tf", config)
	w.env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "TF_") || strings.HasPrefix(v, "DOCKER_")
	}), "TF_CLI_CONFIG_FILE="+filepath.Join(w.dir, "cli.tfrc"), "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1")
	return w
}

func (w *workspace) write(file, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, file), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// command prepares Terraform, or OpenTofu where that is what the tests run on.
func (w *workspace) command(args ...string) *exec.Cmd {
	name := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if name == "" {
		name = "terraform"
	}
	cmd := exec.Command(name, append(args, "-no-color")...)
	cmd.Dir, cmd.Env = w.dir, w.env
	return cmd
}

// terraform runs a command and returns its exit code and everything that it printed.
func (w *workspace) terraform(args ...string) (int, string) {
	w.t.Helper()
	cmd := w.command(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("terraform %s: %v", strings.Join(args, " "), err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// expect is terraform with the exit code that must come.
func (w *workspace) expect(code int, args ...string) string {
	w.t.Helper()
	got, out := w.terraform(args...)
	if got != code {
		w.t.Fatalf("terraform %s: exit code %d, want %d\n%s", strings.Join(args, " "), got, code, out)
	}
	return out
}

// apply must succeed.
func (w *workspace) apply() string {
	w.t.Helper()
	return w.expect(0, "apply", "-auto-approve", "-input=false")
}

// settled requires a plan with nothing to do.
func (w *workspace) settled() {
	w.t.Helper()
	w.expect(0, "plan", "-detailed-exitcode", "-input=false")
}
