package application_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestAccWorkerLost takes a worker away in the middle of a rolling update, while tasks of the new version run on it.
// The apply may count none of them, and ends when all four run elsewhere. At last a release is destroyed whose tasks are
// on a dead node.
func TestAccWorkerLost(t *testing.T) {
	t.Parallel()
	s := acctest.StartNodes(t, 3, "--workers", "--heartbeat", "1s")
	const name, replicas = "shop", 4
	images := []string{acctest.Image("1.0"), acctest.Image("1.1")}
	stack := func(image string) string {
		return application(s.Host(), name, fmt.Sprintf(`
services:
  web:
    image: %s
    stop_grace_period: 1s
    deploy:
      replicas: %d
      update_config: {parallelism: 1, delay: 500ms, monitor: 1s}
      restart_policy: {delay: 100ms}
`, image, replicas))
	}
	w := providertest.NewWorkspace(t, stack(images[0]))
	w.Apply()
	for i, tc := range []struct {
		how         string
		lose, again func()
		state       string
	}{
		{"killed", func() { s.Kill(t, 2) }, func() { s.Restart(t, 2) }, "down"},
		{"cut off", func() { s.Cut(t, 2) }, func() { s.Heal(t, 2) }, "down"},
		{"drained", func() { s.Docker(t, "node", "update", "--availability", "drain", "n2") },
			func() { s.Docker(t, "node", "update", "--availability", "active", "n2") }, "ready"},
	} {
		t.Run(tc.how, func(t *testing.T) {
			w.T = t
			image, lost := images[(i+1)%2], nodeID(t, s, 2)
			w.Write("main.tf", stack(image))
			update := w.Begin()
			acctest.Wait(t, time.Minute, "a task of the new version runs on the worker", func() bool {
				return slices.Contains(runsOn(t, s, image), lost)
			})
			tc.lose()
			update.Succeed()
			awaitNode(t, s, 2, tc.state)
			// The swarm may notice the loss only after the apply has seen everything run; then it is its turn.
			acctest.Wait(t, time.Minute, fmt.Sprintf("the new version runs %d times and not on the lost worker", replicas), func() bool {
				on := runsOn(t, s, image)
				return len(on) == replicas && !slices.Contains(on, lost)
			})
			w.Settled()
			tc.again()
			awaitNode(t, s, 2, "ready")
			onlySoMany(t, s, replicas)
			w.Settled()
		})
	}
	w.T = t
	if on := runsOn(t, s, images[1]); !slices.Contains(on, nodeID(t, s, 3)) {
		t.Fatalf("no task is on node 3: %v", on)
	}
	s.Kill(t, 3)
	awaitNode(t, s, 3, "down")
	began := time.Now()
	w.Expect(0, "destroy", "-auto-approve", "-input=false")
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("a destroy with a dead worker took %s", took)
	}
	if left := s.ReleaseObjects(t, name); len(left) > 0 {
		t.Errorf("after destroy there are %v", left)
	}
}

// TestAccTasksOnWorkers reads what a person is told of tasks that are not on the node that the provider talks to.
func TestAccTasksOnWorkers(t *testing.T) {
	t.Parallel()
	s := acctest.StartNodes(t, 3, "--workers", "--heartbeat", "1s")
	s.Docker(t, "node", "update", "--label-add", "disk=ssd", "n2")
	s.Docker(t, "node", "update", "--label-add", "rack=9", "--availability", "drain", "n3")
	// A folder that the first node's tasks find, and the others' do not: the source is a template.
	mounts := t.TempDir()
	if err := os.Mkdir(filepath.Join(mounts, "n1"), 0o755); err != nil {
		t.Fatal(err)
	}
	image := acctest.Image("1.0")
	for _, tc := range []struct {
		rule, service string
		code          int
		said          []string
	}{
		{"the log of a task on a worker is read", `
    command: [job, -exit-code, "3", -message, "cannot open ledger", -lines, "25"]
    deploy:
      placement: {constraints: [node.role == worker]}` + quick, 1,
			[]string{"did not converge", "web.1 on n2: failed", "exit 3", "cannot open ledger", "line 25"}},
		{"a global service fails on one node", `
    volumes: ["` + mounts + `/{{.Node.Hostname}}:/data"]
    deploy:
      mode: global` + quick, 1,
			[]string{"did not converge", "on n2: rejected", "bind source path does not exist: " + mounts + "/n2", "1 of 2 tasks of the new version run"}},
		{"a drained node is none that a global service must run on", `
    deploy:
      mode: global` + quick, 0, nil},
		{"a global service that no node is eligible for runs nowhere, and that is said", `
    deploy:
      mode: global
      placement: {constraints: [node.labels.disk == tape]}` + quick, 0,
			[]string{"Warning: ", "web runs nowhere", `no node satisfies the constraint "node.labels.disk == tape"`}},
		{"nodes that are drained do not make a global service eligible", `
    deploy:
      mode: global
      placement: {constraints: [node.labels.rack == 9]}` + quick, 0,
			[]string{"Warning: ", "web runs nowhere", "no node that fits takes tasks: n3 is drained"}},
		{"a replicated service finds no node when the only one is drained", `
    deploy:
      placement: {constraints: [node.labels.rack == 9]}` + quick, 1,
			[]string{"no node takes the task for 15s", "no suitable node", "1 node not available for new tasks", "node.labels.rack == 9"}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			name := s.RandomName(t)
			w := providertest.NewWorkspace(t, application(s.Host(), name, "services:\n  web:\n    image: "+image+"\n    stop_grace_period: 1s"+tc.service))
			said := providertest.Flat(w.Expect(tc.code, "apply", "-auto-approve", "-input=false"))
			for _, want := range tc.said {
				if !strings.Contains(said, want) {
					t.Errorf("the output does not say %q:\n%s", want, said)
				}
			}
			if tc.code == 0 {
				w.Settled()
			}
		})
	}
}
