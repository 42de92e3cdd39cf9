package providertest

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

// Main is acctest.Main for packages that use workspaces.
func Main(m *testing.M) {
	acctest.Main(m, func() {
		if binary.dir != "" {
			_ = os.RemoveAll(binary.dir)
		}
	})
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

// Workspace is a folder in which the real Terraform runs the real provider.
type Workspace struct {
	T   testing.TB // a subtest may take its place
	Dir string
	Env []string // of every command
}

// NewWorkspace makes a folder with one configuration. The test's package calls Main.
func NewWorkspace(t testing.TB, config string) *Workspace {
	t.Helper()
	w := &Workspace{T: t, Dir: t.TempDir()}
	w.Write("cli.tfrc", fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"swarmkeel/swarm\" = %q\n  }\n  direct {}\n}\n", providerDir(t)))
	w.Write("versions.tf", "terraform {\n  required_providers {\n    swarm = { source = \"swarmkeel/swarm\" }\n  }\n}\n")
	w.Write("main.tf", config)
	w.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "TF_") || strings.HasPrefix(v, "DOCKER_")
	}), "TF_CLI_CONFIG_FILE="+filepath.Join(w.Dir, "cli.tfrc"), "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1")
	return w
}

// Write writes a file of the folder.
func (w *Workspace) Write(file, text string) {
	w.T.Helper()
	if err := os.WriteFile(filepath.Join(w.Dir, file), []byte(text), 0o600); err != nil {
		w.T.Fatal(err)
	}
}

// Variable sets an input variable for the commands that follow.
func (w *Workspace) Variable(name, value string) {
	prefix := "TF_VAR_" + name + "="
	w.Env = append(slices.DeleteFunc(w.Env, func(v string) bool { return strings.HasPrefix(v, prefix) }), prefix+value)
}

// Traced makes Terraform and the provider log everything they can into a file that Evidence reads.
func (w *Workspace) Traced() {
	w.Env = append(w.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(w.Dir, "trace.log"))
}

// Command prepares Terraform, or OpenTofu where that is what the tests run on.
func (w *Workspace) Command(args ...string) *exec.Cmd {
	name := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if name == "" {
		name = "terraform"
	}
	cmd := exec.Command(name, append(args, "-no-color")...)
	cmd.Dir, cmd.Env = w.Dir, w.Env
	return cmd
}

// Terraform runs a command and returns its exit code and everything that it printed.
func (w *Workspace) Terraform(args ...string) (int, string) {
	w.T.Helper()
	cmd := w.Command(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.T.Fatalf("terraform %s: %v", strings.Join(args, " "), err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// Expect is Terraform with the exit code that must come.
func (w *Workspace) Expect(code int, args ...string) string {
	w.T.Helper()
	got, out := w.Terraform(args...)
	if got != code {
		w.T.Fatalf("terraform %s: exit code %d, want %d\n%s", strings.Join(args, " "), got, code, out)
	}
	return out
}

// Apply must succeed.
func (w *Workspace) Apply() string {
	w.T.Helper()
	return w.Expect(0, "apply", "-auto-approve", "-input=false")
}

// Settled requires a plan with nothing to do.
func (w *Workspace) Settled() {
	w.T.Helper()
	w.Expect(0, "plan", "-detailed-exitcode", "-input=false")
}

// State is the text of the state file.
func (w *Workspace) State() string {
	w.T.Helper()
	text, err := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate"))
	if err != nil {
		w.T.Fatal(err)
	}
	return string(text)
}

// UnderWay is a Terraform command that runs.
type UnderWay struct {
	w    *Workspace
	cmd  *exec.Cmd
	said bytes.Buffer
}

// Begin starts an apply, and does not wait for it.
func (w *Workspace) Begin() *UnderWay {
	w.T.Helper()
	r := &UnderWay{w: w, cmd: w.Command("apply", "-auto-approve", "-input=false")}
	r.cmd.Stdout, r.cmd.Stderr = &r.said, &r.said
	if err := r.cmd.Start(); err != nil {
		w.T.Fatal(err)
	}
	return r
}

// Said is what the command has printed.
func (r *UnderWay) Said() string { return r.said.String() }

// End waits for the command, and returns its exit code and all that it printed.
func (r *UnderWay) End() (int, string) {
	_ = r.cmd.Wait()
	return r.cmd.ProcessState.ExitCode(), r.Said()
}

// Succeed is End with the exit code 0.
func (r *UnderWay) Succeed() {
	r.w.T.Helper()
	if code, said := r.End(); code != 0 {
		r.w.T.Fatalf("the apply ended with %d:\n%s", code, said)
	}
}
