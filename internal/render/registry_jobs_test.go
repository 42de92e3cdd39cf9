package render

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/swarm"
	"github.com/google/go-cmp/cmp"

	"github.com/swarmkeel/terraform-provider-swarm/internal/spec"
)

// TestRegistryIsAskedWithoutAPassword runs the job's script with a stand-in for
// wget.
func TestRegistryIsAskedWithoutAPassword(t *testing.T) {
	r := mustRegistry(t, images(func(r *spec.Registry) { r.Placement.Constraints = []string{"node.hostname==n1"} }))
	if len(r.After) != 1 {
		t.Fatalf("%d jobs", len(r.After))
	}
	job := r.After[0].Service.Spec.(*swarm.ServiceSpec)
	if got := job.TaskTemplate.ContainerSpec.Args; len(got) != 1 || got[0] != "http://tasks.images_registry:5000/v2/" {
		t.Errorf("it asks %q", got)
	}
	if p := job.TaskTemplate.Placement; p == nil || p.Constraints[0] != "node.hostname==n1" {
		t.Error("it may run where the image is not")
	}
	for rule, c := range map[string]struct {
		wget string
		code int
	}{
		"401 of busybox is as it should be": {"echo 'wget: server returned error: HTTP/1.1 401 Unauthorized' >&2; exit 1", 0},
		"401 of GNU is as it should be":     {"echo 'HTTP request sent, awaiting response... 401 Unauthorized' >&2; exit 6", 0},
		"an answer is a failure":            {"exit 0", exitAnswersAnybody},
		"none is a failure after a while":   {"echo 'connection refused' >&2; exit 1", exitAnswersNobody},
	} {
		t.Run(rule, func(t *testing.T) {
			code, out := runScript(t, job, map[string]string{"wget": c.wget, "sleep": ":", "date": "cat now 2>/dev/null || echo 0; echo 100 >now"})
			if code != c.code {
				t.Errorf("exit code %d, want %d: %s", code, c.code, out)
			}
			if c.code == exitAnswersNobody && !strings.Contains(out, "connection refused") {
				t.Errorf("the last words are not printed: %q", out)
			}
			if text := r.After[0].Exits[c.code]; c.code != 0 && text == "" {
				t.Errorf("exit code %d is not explained", c.code)
			}
		})
	}
}

// runScript runs the command of a job in a folder of its own, with stand-ins for
// some of the programs that it calls.
func runScript(t *testing.T, job *swarm.ServiceSpec, programs map[string]string) (int, string) {
	t.Helper()
	dir := t.TempDir()
	for name, body := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c := job.TaskTemplate.ContainerSpec
	cmd := exec.Command(c.Command[0], append(c.Command[1:len(c.Command):len(c.Command)], c.Args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func TestImagesAreTakenAwayOnEveryNodeThatMayHaveThem(t *testing.T) {
	jobs := EmptyRegistry(images(func(r *spec.Registry) { r.Users = nil; r.Placement.Constraints = []string{"node.labels.disk==ssd"} }))
	if len(jobs) != 1 {
		t.Fatalf("%d jobs", len(jobs))
	}
	job := jobs[0].Service.Spec.(*swarm.ServiceSpec)
	if job.Mode.Global == nil || job.TaskTemplate.Placement.Constraints[0] != "node.labels.disk==ssd" {
		t.Errorf("it runs as %+v at %+v", job.Mode, job.TaskTemplate.Placement)
	}
	live := service(t, mustRegistry(t, images(nil)), "registry").TaskTemplate.ContainerSpec.Mounts
	if diff := cmp.Diff(live, job.TaskTemplate.ContainerSpec.Mounts); diff != "" {
		t.Errorf("the volume is not mounted as the registry does: %s", diff)
	}

	full := t.TempDir()
	for _, name := range []string{".hidden", "..odd", "with space", "dir"} {
		if err := os.MkdirAll(filepath.Join(full, name, "below"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	job.TaskTemplate.ContainerSpec.Args = []string{full}
	if code, out := runScript(t, job, nil); code != 0 {
		t.Errorf("exit code %d: %s", code, out)
	}
	if left, err := os.ReadDir(full); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
	if code, out := runScript(t, job, map[string]string{"rm": ":", "ls": "echo stuck"}); code != exitNotEmpty || !strings.Contains(out, "stuck") {
		t.Errorf("what cannot be removed gives exit code %d: %s", code, out)
	}
}
