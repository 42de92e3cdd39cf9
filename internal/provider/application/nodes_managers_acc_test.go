package application_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// answers is how a call at the moment of a trap goes on: the engine acts, and then the trap springs.
var answers = providertest.Interruption{Before: false}

// threeManagers waits until a swarm of three managers is whole again, seen from its first node.
func threeManagers(t *testing.T, s *acctest.Swarm) {
	t.Helper()
	for n := 1; n <= 3; n++ {
		awaitNode(t, s, n, "ready")
	}
}

// blindly requires that no command that has to read an unreachable swarm succeeds, and that none touches the state. Each
// runs in a copy of the workspace, since each takes as long as the engine does to give up.
func blindly(w *providertest.Workspace, config string) {
	w.T.Helper()
	before := w.State()
	var commands sync.WaitGroup
	for _, args := range [][]string{
		{"plan", "-refresh-only", "-detailed-exitcode", "-input=false"},
		{"apply", "-refresh-only", "-auto-approve", "-input=false"},
		{"destroy", "-auto-approve", "-input=false"},
		{"destroy", "-refresh=false", "-auto-approve", "-input=false"},
	} {
		own := providertest.NewWorkspace(w.T, config)
		own.Write("terraform.tfstate", before)
		commands.Go(func() {
			code, said := own.Terraform(args...)
			if code != 1 || !strings.Contains(providertest.Flat(said), "no leader or no quorum now") {
				own.T.Errorf("%s: exit code %d, and it does not say that there is no quorum:\n%s", args, code, said)
			}
			if now := own.State(); now != before {
				own.T.Errorf("%s changed the state:\n%s\nwas\n%s", args, now, before)
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
	if code != 0 && !strings.Contains(providertest.Flat(diagnostic(t, said)), "no leader or no quorum now") {
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
	w := providertest.NewWorkspace(t, "")
	// parted waits until the managers without the given one have a leader of their own.
	parted := func(t *testing.T, from int) {
		others := s.Through(t, from%3+1)
		acctest.Wait(t, time.Minute, "the other managers have a leader of their own", func() bool { l := leading(others); return l != 0 && l != from })
	}
	for i, at := range []providertest.Moment{{N: 4}, {Look: true, N: 1}} {
		t.Run("at "+at.String(), func(t *testing.T) {
			w.T = t
			leader := leading(s)
			proxy, snare := providertest.Trapped(t, s.Through(t, leader), answers)
			w.Write("main.tf", ledgerConfig(proxy.Host(), name, i+1))
			began := time.Now()
			cut := make(chan struct{})
			snare.Set(at, func() { s.Cut(t, leader); close(cut) })
			apply := w.Begin()
			select {
			case <-cut:
			case <-time.After(time.Minute):
				t.Fatalf("%s never came:\n%s", at, apply.Said())
			}
			parted(t, leader)
			s.Heal(t, leader)
			code, said := apply.End()
			goesOnOrSays(t, time.Since(began), code, said)
			snare.Set(providertest.Moment{}, nil)
			threeManagers(t, s)
			w.Apply()
			w.Settled()
			onlyItsOwn(t, s, name, i+1)
			onlySoMany(t, s, 1)
		})
	}
	w.T = t
	w.Write("main.tf", ledgerConfig(s.Host(), name, 2))
	w.Expect(0, "destroy", "-auto-approve", "-input=false")
	if left := s.ReleaseObjects(t, name); len(left) > 0 {
		t.Errorf("after destroy there are %v", left)
	}
}

// TestAccQuorumLost leaves the manager that the provider talks to alone. As long as it is, nothing is read as gone.
func TestAccQuorumLost(t *testing.T) {
	t.Parallel()
	s := acctest.StartNodes(t, 3, "--heartbeat", "1s")
	config := ledgerConfig(s.Host(), "shop", 1)
	w := providertest.NewWorkspace(t, config)
	w.Apply()
	s.Cut(t, 1)
	acctest.Wait(t, time.Minute, "the manager notices that it is alone", func() bool { return leading(s) == 0 })
	blindly(w, config)
	s.Heal(t, 1)
	threeManagers(t, s)
	w.Settled()
	onlyItsOwn(t, s, "shop", 1)
	onlySoMany(t, s, 1)
}

// TestAccLeaderSwitched kills the leader in the middle of an update that talks to another manager, and demotes the
// manager that an update talks to.
func TestAccLeaderSwitched(t *testing.T) {
	t.Parallel()
	first := acctest.StartNodes(t, 3, "--heartbeat", "1s")
	s := first.Through(t, 2)
	proxy, snare := providertest.Trapped(t, s, answers)
	const name = "shop"
	w := providertest.NewWorkspace(t, ledgerConfig(proxy.Host(), name, 1))
	w.Apply()
	version := 1
	for _, at := range []providertest.Moment{{N: 3}, {Look: true, N: 1}} {
		t.Run("killed at "+at.String(), func(t *testing.T) {
			w.T = t
			version++
			leader := othersLead(t, first)
			w.Write("main.tf", ledgerConfig(proxy.Host(), name, version))
			snare.Set(at, func() { s.Kill(t, leader) })
			began := time.Now()
			code, said := w.Begin().End()
			goesOnOrSays(t, time.Since(began), code, said)
			snare.Set(providertest.Moment{}, nil)
			w.Apply()
			w.Settled()
			onlyItsOwn(t, s, name, version)
			s.Restart(t, leader)
			threeManagers(t, s)
			onlySoMany(t, s, 1)
		})
	}
	t.Run("the manager that is talked to is demoted", func(t *testing.T) {
		w.T = t
		version++
		w.Write("main.tf", ledgerConfig(proxy.Host(), name, version))
		snare.Set(providertest.Moment{Look: true, N: 1}, func() { setRole(t, first, 2, swarm.NodeRoleWorker) })
		said := providertest.Flat(diagnostic(t, w.Expect(1, "apply", "-auto-approve", "-input=false")))
		for _, want := range []string{"is a worker; it knows managers at ", "Name a manager"} {
			if !strings.Contains(said, want) {
				t.Errorf("the apply does not say %q:\n%s", want, said)
			}
		}
		snare.Set(providertest.Moment{}, nil)
		w.Write("main.tf", ledgerConfig(first.Host(), name, version))
		w.Apply()
		w.Settled()
		onlyItsOwn(t, first, name, version)
		onlySoMany(t, first, 1)
		w.Expect(0, "destroy", "-auto-approve", "-input=false")
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
