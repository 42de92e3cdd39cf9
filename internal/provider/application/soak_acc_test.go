package application_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
	"github.com/swarmkeel/terraform-provider-swarm/internal/provider/providertest"
)

// TestSoak disturbs one release in random ways for as long as SOAK_DURATION says (`make soak`). Whatever happened in a
// round, the next undisturbed apply must bring about what is declared: the plan after it is empty, nothing is orphaned,
// everything runs. SOAK_SEED repeats the choices of a run, as far as time lets them happen at the same moments.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("SOAK_DURATION"))
	if err != nil {
		t.Skip("soak test: set SOAK_DURATION, for example to 10m (make soak does)")
	}
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("SOAK_SEED"); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("SOAK_SEED: %v", err)
		}
	}
	t.Logf("SOAK_SEED=%d", seed)
	s := acctest.StartNodes(t, 1)
	k := &soak{t: t, s: s, rng: rand.New(rand.NewPCG(seed, 0)), survived: map[string]int{}}
	k.storm = newStorm(s.NewProxy(t), seed)
	k.w = providertest.NewWorkspace(t, "")
	rounds := 0
	defer func() { k.report(rounds, seed) }()
	for end := time.Now().Add(length); time.Now().Before(end); rounds++ {
		k.round(rounds)
	}
	k.destroy()
}

// soak is one release and what disturbs it.
type soak struct {
	t        *testing.T
	s        *acctest.Swarm
	w        *providertest.Workspace
	rng      *rand.Rand
	storm    *storm
	version  int
	replicas int
	settings []string
	unleased bool           // the lease was removed in this round
	done     []string       // what was done in this round
	survived map[string]int // disturbances by what they are
}

const soaked = "soak"

// config is the release as it is to be: a ledger whose web has several tasks.
func (k *soak) config() string {
	stack := ledger(k.version)
	stack = strings.Replace(stack, "    deploy:\n      restart_policy", fmt.Sprintf("    deploy:\n      replicas: %d\n      restart_policy", k.replicas), 1)
	stack = strings.Replace(stack, acctest.Image("1.0"), acctest.Image(fmt.Sprintf("1.%d", k.version%3)), 1)
	return application(k.storm.proxy.Host(), soaked, stack, append(k.settings,
		fmt.Sprintf(`secrets_wo = { key = "horse %d" }`, k.version/3), `history_limit = "1"`, `timeouts = { create = "90s", update = "90s", delete = "90s" }`)...)
}

// round changes what is declared, disturbs the apply of it, and requires that an undisturbed one mends everything.
func (k *soak) round(n int) {
	k.done, k.unleased = nil, false
	k.version++
	k.replicas = 1 + k.rng.IntN(3)
	k.settings = [][]string{nil, {`on_failure = "keep"`}, {`wait = false`}}[k.rng.IntN(3)]
	k.w.Write("main.tf", k.config())
	k.note("version %d, %d replicas, %v", k.version, k.replicas, k.settings)
	if k.rng.IntN(3) == 0 {
		k.meddle("before")
	}
	command := "apply"
	if k.rng.IntN(8) == 0 {
		command = "destroy"
	}
	k.disturbed(command)
	k.settings = nil // an apply that does not wait proves nothing
	k.w.Write("main.tf", k.config())
	if code, said := k.w.Terraform("apply", "-auto-approve", "-input=false"); code != 0 {
		k.fail(n, "the undisturbed apply failed:\n"+said)
	}
	if code, said := k.w.Terraform("plan", "-detailed-exitcode", "-input=false"); code != 0 {
		k.fail(n, "the plan after the undisturbed apply is not empty:\n"+said)
	}
	have := k.s.ReleaseObjects(k.t, soaked)
	if lease := "config/keel-lease." + soaked; k.unleased && !slices.Contains(have, lease) {
		have = append(have, lease) // an apply that has nothing to do takes none
		slices.Sort(have)
	}
	onlyNeeded(k.t, have, soaked, k.version)
	k.s.WaitRunning(k.t, soaked+"_web", k.replicas)
	if k.t.Failed() {
		k.fail(n, "see above")
	}
}

// disturbed runs a command while one thing, or several, go wrong. How it ends does not matter.
func (k *soak) disturbed(command string) {
	cmd := k.w.Command(command, "-auto-approve", "-input=false")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	started, restarted := make(chan struct{}), make(chan struct{})
	close(restarted)
	at := providertest.Moment{N: 1 + k.rng.IntN(8)}
	if k.rng.IntN(3) == 0 {
		at = providertest.Moment{Look: true, N: 1 + k.rng.IntN(4)}
	}
	what, act := "", func() {}
	switch k.rng.IntN(6) {
	case 0:
		what, act = "provider killed", func() { <-started; providertest.ProviderKilled().Stop(cmd.Process.Pid) }
	case 1:
		what, act = "interrupt", func() { <-started; providertest.CtrlC().Stop(cmd.Process.Pid) }
	case 2:
		restarted = make(chan struct{})
		what, act = "engine killed and restarted", func() {
			go func() {
				defer close(restarted)
				k.s.Kill(k.t, 1)
				k.s.Restart(k.t, 1)
			}()
		}
	case 3:
		what, act = "", func() { k.meddle("at " + at.String()) }
	}
	rate := []float64{0, 0, 0.02, 0.1, 0.3}[k.rng.IntN(5)]
	k.note("%s with faults in %.0f %% of the calls; at %s: %s", command, 100*rate, at, what)
	k.storm.begin(rate, at, act)
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	close(started)
	_ = cmd.Wait()
	sprung, faults := k.storm.end()
	if sprung {
		<-restarted
		if what != "" {
			k.survived[what]++
		}
	}
	for kind, n := range faults {
		k.survived[kind] += n
	}
	k.note("exit code %d, the moment came: %t, faults: %v\n%s", cmd.ProcessState.ExitCode(), sprung, faults, out.String())
}

// meddle does something to the release behind its back.
func (k *soak) meddle(when string) {
	web := soaked + "_web"
	ways := [][]string{
		{"service", "update", "-d", "--env-add", "MEDDLED=" + strconv.Itoa(k.rng.IntN(100)), web},
		{"service", "update", "-d", "--image", acctest.Image("2.0"), web},
		{"service", "update", "-d", "--force", web},
		{"service", "scale", "-d", fmt.Sprintf("%s=%d", web, k.rng.IntN(5))},
		{"service", "scale", "-d", soaked + "_idle=1"},
		{"service", "rm", web},
		{"service", "rm", soaked + "_idle"},
		{"config", "rm", "keel-lease." + soaked},
	}
	args := ways[k.rng.IntN(len(ways))]
	out, err := exec.Command("docker", append([]string{"-H", k.s.Host()}, args...)...).CombinedOutput()
	k.note("%s: docker %s: %v %s", when, strings.Join(args, " "), err, bytes.TrimSpace(out))
	if err == nil {
		k.unleased = k.unleased || args[0] == "config"
		k.survived["docker "+args[0]+" "+args[1]]++
	}
}

// destroy ends the soak: nothing is left.
func (k *soak) destroy() {
	k.w.Expect(0, "destroy", "-auto-approve", "-input=false")
	if left := k.s.ReleaseObjects(k.t, soaked); len(left) > 0 {
		k.t.Errorf("after destroy there are %v", left)
	}
}

func (k *soak) note(format string, args ...any) {
	k.done = append(k.done, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

func (k *soak) fail(round int, what string) {
	k.t.Helper()
	k.t.Fatalf("round %d: %s\nBefore it:\n%s", round, what, strings.Join(k.done, "\n"))
}

// report prints what was survived.
func (k *soak) report(rounds int, seed uint64) {
	total := 0
	var lines strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(k.survived)) {
		total += k.survived[kind]
		fmt.Fprintf(&lines, "  %5d  %s\n", k.survived[kind], kind)
	}
	k.t.Logf("%d rounds, %d faults survived, SOAK_SEED=%d\n%s", rounds, total, seed, lines.String())
}
