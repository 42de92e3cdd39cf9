package application_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
)

// moment is a point in an apply, told by the calls that the engine gets: the n-th write, or the n-th look at the tasks.
type moment struct {
	look bool
	n    int
}

func (m moment) String() string {
	if m.look {
		return fmt.Sprintf("look %d at the tasks", m.n)
	}
	return fmt.Sprintf("write %d", m.n)
}

// moments are what every interruption is tried at. All of them come in each of the applies below.
func moments() []moment {
	var out []moment
	for n := 1; n <= 8; n++ {
		out = append(out, moment{n: n})
	}
	return append(out, moment{look: true, n: 1}, moment{look: true, n: 2})
}

// trap waits at a proxy for one moment and then does something, once.
type trap struct {
	mu     sync.Mutex
	at     moment
	seen   int
	sprung bool
	act    func()
}

// set lays the trap for the next apply; the zero moment never comes.
func (p *trap) set(at moment, act func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.seen, p.sprung, p.act = at, 0, false, act
}

// meets acts if a call is the moment.
func (p *trap) meets(c acctest.Call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at.n == 0 || p.sprung || (p.at.look && c.Path != "/tasks") || (!p.at.look && !c.Writes()) {
		return false
	}
	if p.seen++; p.seen < p.at.n {
		return false
	}
	p.sprung = true
	p.act()
	return true
}

func (p *trap) hasSprung() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sprung
}

// interruption is one way to stop an apply.
type interruption struct {
	name string
	// stop acts on a running Terraform.
	stop func(pid int)
	// before is set where the call of the moment waits for the interruption to arrive, and the engine does not hear of
	// it when it does. Otherwise the engine acts and nobody is there for its answer.
	before bool
	// words is what Terraform must say.
	words string
}

func interruptions() []interruption {
	return []interruption{
		// As a terminal does it: to everything in the foreground.
		{"ctrl-c", func(pid int) { _ = syscall.Kill(-pid, syscall.SIGINT) }, true, "Interrupt received"},
		{"provider killed", func(pid int) {
			for _, child := range children(pid) {
				_ = syscall.Kill(child, syscall.SIGKILL)
			}
		}, false, "plugin"},
	}
}

// children lists the processes that a process started.
func children(pid int) []int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var out []int
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// The name in parentheses may contain spaces: proc(5).
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			out = append(out, child)
		}
	}
	return out
}

// patient is how long a call waits for an interruption to arrive.
const patient = 3 * time.Second

// trapped puts a proxy with a trap before the engine.
func trapped(t *testing.T, s *acctest.Swarm, how interruption) (*acctest.Proxy, *trap) {
	proxy, snare := s.NewProxy(t), &trap{}
	proxy.OnAnswer = func(c *acctest.Call) {
		if !how.before {
			snare.meets(*c)
		}
	}
	proxy.SetOnRequest(func(c *acctest.Call) acctest.Fault {
		if how.before && snare.meets(*c) {
			return acctest.Fault{Delay: patient}
		}
		return acctest.Fault{}
	})
	return proxy, snare
}

// interrupt applies and stops it at a moment.
func interrupt(t *testing.T, w *workspace, release string, snare *trap, at moment, how interruption) {
	t.Helper()
	cmd := w.command("apply", "-auto-approve", "-input=false")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	started := make(chan struct{})
	snare.set(at, func() { <-started; how.stop(cmd.Process.Pid) })
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	close(started)
	err := cmd.Wait()
	if !snare.hasSprung() {
		t.Fatalf("%s never came:\n%s", at, out.String())
	}
	snare.set(moment{}, nil)
	said := out.String()
	if err == nil || !strings.Contains(said, how.words) {
		t.Fatalf("an apply that was stopped at %s ended with %v, and does not say %q:\n%s", at, err, how.words, said)
	}
	// What concludes an apply is not cut short: it has come too far.
	if how.before && !strings.Contains(said, " complete after ") && !strings.Contains(said, "Application "+release+": interrupted") {
		t.Errorf("an apply that was stopped at %s does not say that it was interrupted:\n%s", at, said)
	}
}

// ledger is a stack with every kind of object. A version changes the config and the service that mounts it; every
// other version has one more service.
func ledger(version int) string {
	stack := fmt.Sprintf(`
services:
  web:
    image: %[1]s
    environment: {VERSION: "%[2]d"}
    configs: [greeting]
    secrets: [key]
    stop_grace_period: 1s
    deploy:
      restart_policy: {delay: 100ms}
      update_config: {monitor: 500ms, delay: 0s}
  idle:
    image: %[1]s
    deploy: {replicas: 0}
`, acctest.Image("1.0"), version)
	if version%2 == 0 {
		stack += fmt.Sprintf("  extra: {image: %q, deploy: {replicas: 0}}\n", acctest.Image("1.0"))
	}
	return stack + fmt.Sprintf("configs:\n  greeting: {content: hello %d}\nsecrets:\n  key: {}\n", version)
}

func ledgerConfig(host, name string, version int) string {
	return application(host, name, ledger(version), `secrets_wo = { key = "correct horse" }`, `history_limit = "1"`)
}

// onlyItsOwn requires that the swarm holds exactly what a version of the ledger needs.
func onlyItsOwn(t *testing.T, s *acctest.Swarm, name string, version int) {
	t.Helper()
	onlyNeeded(t, s.ReleaseObjects(t, name), name, version)
}

// onlyNeeded requires that objects are exactly what a version of the ledger needs.
func onlyNeeded(t *testing.T, have []string, name string, version int) {
	t.Helper()
	want := []string{`config/keel-lease\.NAME`, `config/keel\.NAME\.v\d+`, `config/NAME_greeting-[0-9a-f]{12}`, `network/NAME_default`, `secret/NAME_key-[0-9a-f]{12}`}
	if version%2 == 0 {
		want = append(want, `service/NAME_extra`)
	}
	want = append(want, `service/NAME_idle`, `service/NAME_web`)
	pattern := strings.ReplaceAll(strings.Join(want, "\n"), "NAME", regexp.QuoteMeta(name))
	if !slices.IsSorted(have) || !regexp.MustCompile("^"+pattern+"$").MatchString(strings.Join(have, "\n")) {
		t.Errorf("there are\n%s\nwant\n%s", strings.Join(have, "\n"), pattern)
	}
}

// TestAccInterruptedCreate stops a create at ten moments in two ways. The same apply again must finish it.
func TestAccInterruptedCreate(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	for _, how := range interruptions() {
		t.Run(how.name, func(t *testing.T) {
			t.Parallel()
			proxy, snare := trapped(t, s, how)
			for _, at := range moments() {
				t.Run(at.String(), func(t *testing.T) {
					name := s.RandomName(t)
					w := newWorkspace(t, ledgerConfig(proxy.Host(), name, 1))
					interrupt(t, w, name, snare, at, how)
					w.apply()
					w.settled()
					onlyItsOwn(t, s, name, 1)
				})
			}
		})
	}
}

// TestAccInterruptedUpdate stops updates at ten moments in two ways, one after the other in one release.
func TestAccInterruptedUpdate(t *testing.T) {
	t.Parallel()
	s := acctest.Start(t)
	for _, how := range interruptions() {
		t.Run(how.name, func(t *testing.T) {
			t.Parallel()
			proxy, snare := trapped(t, s, how)
			name, version := s.RandomName(t), 1
			w := newWorkspace(t, ledgerConfig(proxy.Host(), name, version))
			w.apply()
			for _, at := range moments() {
				version++
				t.Run(at.String(), func(t *testing.T) {
					w.t = t
					w.write("main.tf", ledgerConfig(proxy.Host(), name, version))
					interrupt(t, w, name, snare, at, how)
					w.apply()
					w.settled()
					onlyItsOwn(t, s, name, version)
				})
			}
			w.t = t
			w.expect(0, "destroy", "-auto-approve", "-input=false")
			if left := s.ReleaseObjects(t, name); len(left) > 0 {
				t.Errorf("after destroy there are %v", left)
			}
		})
	}
}
