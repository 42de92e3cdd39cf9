package faulttest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/swarm"
)

// envWriter makes the test binary apply one release instead of running tests: a second process, as another Terraform is.
const envWriter = "KEEL_TEST_WRITER"

// assignment is what a second process is to apply. Contents of configs and secrets are not in it.
type assignment struct {
	Host     string
	Instance string
	Name     string
	Stack    string
	Lock     time.Duration
}

// actAsWriter carries out an assignment, if there is one, and ends the process with 1 when that fails.
func actAsWriter() {
	text := os.Getenv(envWriter)
	if text == "" {
		return
	}
	if err := writeAs(text); err != nil {
		_, _ = fmt.Fprintln(os.Stdout, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func writeAs(text string) error {
	var a assignment
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	backend, err := swarm.New(swarm.Config{Host: a.Host})
	if err != nil {
		return err
	}
	core := reconcile.New(backend, reconcile.LockTimeout(a.Lock))
	desired, err := rendered(a.Name, a.Instance, stack(a.Stack))
	if err != nil {
		return err
	}
	planned, err := core.Plan(ctx, desired, reconcile.PlanOptions{})
	if err != nil {
		return err
	}
	// Two of them start together when both have come this far.
	_, _ = fmt.Fprintln(os.Stdout, "ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	_, err = core.Apply(ctx, planned, reconcile.ApplyOptions{})
	return err
}

// writer is a second process with an assignment.
type writer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startWriter starts a second process and returns when it is about to apply.
func startWriter(t *testing.T, a assignment) *writer {
	t.Helper()
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{cmd: exec.Command(self)}
	w.cmd.Env = append(os.Environ(), envWriter+"="+string(text))
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.cmd.Process.Kill() })
	w.out = bufio.NewReader(out)
	if line, err := w.out.ReadString('\n'); line != "ready\n" {
		t.Fatalf("the second process says %q: %v", line, err)
	}
	return w
}

// apply lets it go on; wait returns what came of it.
func (w *writer) apply() { _, _ = io.WriteString(w.in, "\n") }

func (w *writer) wait() error {
	said, _ := io.ReadAll(w.out) // before Wait, which closes the pipe
	if err := w.cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	return nil
}
