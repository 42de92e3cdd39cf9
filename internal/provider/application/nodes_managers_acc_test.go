package application_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
)

// answers is how a call at the moment of a trap goes on: the engine acts, and then the trap springs.
var answers = interruption{before: false}

// threeManagers waits until a swarm of three managers is whole again, seen from its first node.
func threeManagers(t *testing.T, s *acctest.Swarm) {
	t.Helper()
	for n := 1; n <= 3; n++ {
		awaitNode(t, s, n, "ready")
	}
}

// state is the text of Terraform's state file.
func (w *workspace) state() string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, "terraform.tfstate"))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// blindly requires that no command that has to read an unreachable swarm succeeds, and that none touches the state. Each
// runs in a copy of the workspace, since each takes as long as the engine does to give up.
func (w *workspace) blindly(config string) {
	w.t.Helper()
	before := w.state()
	var commands sync.WaitGroup
	for _, args := range [][]string{
		{"plan", "-refresh-only", "-detailed-exitcode", "-input=false"},
		{"apply", "-refresh-only", "-auto-approve", "-input=false"},
		{"destroy", "-auto-approve", "-input=false"},
		{"destroy", "-refresh=false", "-auto-approve", "-input=false"},
	} {
		own := newWorkspace(w.t, config)
		own.write("terraform.tfstate", before)
		commands.Go(func() {
			code, said := own.terraform(args...)
			if code != 1 || !strings.Contains(flat(said), "no leader or no quorum now") {
				own.t.Errorf("%s: exit code %d, and it does not say that there is no quorum:\n%s", args, code, said)
			}
			if now := own.state(); now != before {
				own.t.Errorf("%s changed the state:\n%s\nwas\n%s", args, now, before)
			}
		})
	}
	commands.Wait()
}

// goesOnOrSays judges an apply that met a change of the leader: it goes on where the engine allows it, and otherwise says
// what has happened to it.
func goesOnOrSays(t *testing.T, took time.Duration, code int, said string) {
	t.Helper()
	t.Logf("the apply ended with %d after %s", code, took)
	if code != 0 && !strings.Contains(flat(diagnostic(t, said)), "no leader or no quorum now") {
		t.Errorf("the apply does not say that the managers had no leader:\n%s", said)
	}
	if took > 2*time.Minute {
		t.Errorf("it took the apply %s to end", took)
	}
}

// TestAccLeaderCutOff cuts the manager that the provider talks to, the leader, off from the other two in the middle of a
// create and of an update, and heals the link when those have a leader of their own. What the apply left, if it left
// anything, is finished by the next one.
func TestAccLeaderCutOff(t *testing.T) {
	t.Parallel()
	s := acctest.StartNodes(t, 3, "--heartbeat", "1s")
	const name = "shop"
	w := newWorkspace(t, "")
	// parted waits until the managers without the given one have a leader of their own.
	parted := func(t *testing.T, from int) {
		others := s.Through(t, from%3+1)
		acctest.Wait(t, time.Minute, "the other managers have a leader of their own", func() bool { l := leading(others); return l != 0 && l != from })
	}
	for i, at := range []moment{{n: 4}, {look: true, n: 1}} {
		t.Run("at "+at.String(), func(t *testing.T) {
			w.t = t
			leader := leading(s)
			proxy, snare := trapped(t, s.Through(t, leader), answers)
			w.write("main.tf", ledgerConfig(proxy.Host(), name, i+1))
			began := time.Now()
			cut := make(chan struct{})
			snare.set(at, func() { s.Cut(t, leader); close(cut) })
			apply := w.begin()
			select {
			case <-cut:
			case <-time.After(time.Minute):
				t.Fatalf("%s never came:\n%s", at, apply.said.String())
			}
			parted(t, leader)
			s.Heal(t, leader)
			code, said := apply.end()
			goesOnOrSays(t, time.Since(began), code, said)
			snare.set(moment{}, nil)
			threeManagers(t, s)
			w.apply()
			w.settled()
			onlyItsOwn(t, s, name, i+1)
			onlySoMany(t, s, 1)
		})
	}
	w.t = t
	w.write("main.tf", ledgerConfig(s.Host(), name, 2))
	w.expect(0, "destroy", "-auto-approve", "-input=false")
	if left := s.ReleaseObjects(t, name); len(left) > 0 {
		t.Errorf("after destroy there are %v", left)
	}
}

// TestAccQuorumLost leaves the manager that the provider talks to alone. As long as it is, nothing is read as gone.
func TestAccQuorumLost(t *testing.T) {
	t.Parallel()
	s := acctest.StartNodes(t, 3, "--heartbeat", "1s")
	config := ledgerConfig(s.Host(), "shop", 1)
	w := newWorkspace(t, config)
	w.apply()
	s.Cut(t, 1)
	acctest.Wait(t, time.Minute, "the manager notices that it is alone", func() bool { return leading(s) == 0 })
	w.blindly(config)
	s.Heal(t, 1)
	threeManagers(t, s)
	w.settled()
	onlyItsOwn(t, s, "shop", 1)
	onlySoMany(t, s, 1)
}

// TestAccLeaderSwitched kills the leader in the middle of an update that talks to another manager, and demotes the
// manager that an update talks to.
func TestAccLeaderSwitched(t *testing.T) {
	t.Parallel()
	first := acctest.StartNodes(t, 3, "--heartbeat", "1s")
	s := first.Through(t, 2)
	proxy, snare := trapped(t, s, answers)
	const name = "shop"
	w := newWorkspace(t, ledgerConfig(proxy.Host(), name, 1))
	w.apply()
	version := 1
	for _, at := range []moment{{n: 3}, {look: true, n: 1}} {
		t.Run("killed at "+at.String(), func(t *testing.T) {
			w.t = t
			version++
			leader := othersLead(t, first)
			w.write("main.tf", ledgerConfig(proxy.Host(), name, version))
			snare.set(at, func() { s.Kill(t, leader) })
			began := time.Now()
			code, said := w.begin().end()
			goesOnOrSays(t, time.Since(began), code, said)
			snare.set(moment{}, nil)
			w.apply()
			w.settled()
			onlyItsOwn(t, s, name, version)
			s.Restart(t, leader)
			threeManagers(t, s)
			onlySoMany(t, s, 1)
		})
	}
	t.Run("the manager that is talked to is demoted", func(t *testing.T) {
		w.t = t
		version++
		w.write("main.tf", ledgerConfig(proxy.Host(), name, version))
		snare.set(moment{look: true, n: 1}, func() { setRole(t, first, 2, swarm.NodeRoleWorker) })
		said := flat(diagnostic(t, w.expect(1, "apply", "-auto-approve", "-input=false")))
		for _, want := range []string{"is a worker; it knows managers at ", "Name a manager"} {
			if !strings.Contains(said, want) {
				t.Errorf("the apply does not say %q:\n%s", want, said)
			}
		}
		snare.set(moment{}, nil)
		w.write("main.tf", ledgerConfig(first.Host(), name, version))
		w.apply()
		w.settled()
		onlyItsOwn(t, first, name, version)
		onlySoMany(t, first, 1)
		w.expect(0, "destroy", "-auto-approve", "-input=false")
	})
}

// othersLead makes sure that the second node is a manager and not the leader, and tells who that is.
func othersLead(t *testing.T, s *acctest.Swarm) int {
	t.Helper()
	if leading(s) == 2 {
		setRole(t, s, 2, swarm.NodeRoleWorker)
		acctest.Wait(t, time.Minute, "somebody else leads", func() bool { l := leading(s); return l == 1 || l == 3 })
		setRole(t, s, 2, swarm.NodeRoleManager)
	}
	return leading(s)
}

// setRole promotes or demotes a node, and waits until its engine has heard of it.
func setRole(t *testing.T, s *acctest.Swarm, n int, role swarm.NodeRole) {
	t.Helper()
	ctx := context.Background()
	acctest.Wait(t, time.Minute, fmt.Sprintf("node %d is a %s", n, role), func() bool {
		node, _, err := s.Client().NodeInspectWithRaw(ctx, "n"+strconv.Itoa(n))
		if err != nil {
			return false
		}
		if node.Spec.Role != role {
			node.Spec.Role = role
			_ = s.Client().NodeUpdate(ctx, node.ID, node.Version, node.Spec)
			return false
		}
		_, err = s.NodeClient(t, n).SwarmInspect(ctx)
		return (err == nil) == (role == swarm.NodeRoleManager)
	})
}

// leading is the number of the node that leads; 0 while that is not known.
func leading(s *acctest.Swarm) int {
	nodes, _ := s.Client().NodeList(context.Background(), swarm.NodeListOptions{})
	for _, n := range nodes {
		if n.ManagerStatus != nil && n.ManagerStatus.Leader {
			number, _ := strconv.Atoi(strings.TrimPrefix(n.Description.Hostname, "n"))
			return number
		}
	}
	return 0
}
