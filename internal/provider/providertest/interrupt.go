package providertest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/acctest"
)

// Moment is a point in an apply, told by the calls that the engine gets: the n-th write, or the n-th look at the tasks.
type Moment struct {
	Look bool
	N    int
}

func (m Moment) String() string {
	if m.Look {
		return fmt.Sprintf("look %d at the tasks", m.N)
	}
	return fmt.Sprintf("write %d", m.N)
}

// Moments are the first writes and looks of an apply.
func Moments(writes, looks int) []Moment {
	var out []Moment
	for n := range writes {
		out = append(out, Moment{N: n + 1})
	}
	for n := range looks {
		out = append(out, Moment{Look: true, N: n + 1})
	}
	return out
}

// Trap waits at a proxy for one moment and then does something, once.
type Trap struct {
	mu     sync.Mutex
	at     Moment
	seen   int
	sprung bool
	act    func()
}

// Set lays the trap for the next apply; the zero moment never comes.
func (p *Trap) Set(at Moment, act func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.seen, p.sprung, p.act = at, 0, false, act
}

// Meets acts if a call is the moment.
func (p *Trap) Meets(c acctest.Call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at.N == 0 || p.sprung || (p.at.Look && c.Path != "/tasks") || (!p.at.Look && !c.Writes()) {
		return false
	}
	if p.seen++; p.seen < p.at.N {
		return false
	}
	p.sprung = true
	p.act()
	return true
}

// Sprung tells whether the moment has come.
func (p *Trap) Sprung() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sprung
}

// Interruption is one way to stop an apply.
type Interruption struct {
	Name string
	// Stop acts on a running Terraform.
	Stop func(pid int)
	// Before is set where the call of the moment waits for the interruption to arrive, and the engine does not hear of
	// it when it does. Otherwise the engine acts and nobody is there for its answer.
	Before bool

	words string // what Terraform must say
}

// CtrlC is what a terminal does: it signals everything in the foreground.
func CtrlC() Interruption {
	return Interruption{"ctrl-c", func(pid int) { _ = syscall.Kill(-pid, syscall.SIGINT) }, true, "Interrupt received"}
}

// ProviderKilled takes the provider away from a Terraform that goes on.
func ProviderKilled() Interruption {
	return Interruption{"provider killed", func(pid int) {
		for _, child := range children(pid) {
			_ = syscall.Kill(child, syscall.SIGKILL)
		}
	}, false, "plugin"}
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

// Trapped puts a proxy with a trap before the engine.
func Trapped(t testing.TB, s *acctest.Swarm, how Interruption) (*acctest.Proxy, *Trap) {
	t.Helper()
	proxy, snare := s.NewProxy(t), &Trap{}
	proxy.OnAnswer = func(c *acctest.Call) {
		if !how.Before {
			snare.Meets(*c)
		}
	}
	proxy.SetOnRequest(func(c *acctest.Call) acctest.Fault {
		if how.Before && snare.Meets(*c) {
			return acctest.Fault{Delay: patient}
		}
		return acctest.Fault{}
	})
	return proxy, snare
}

// Interrupt applies and stops it at a moment. It returns what was said, and whether the moment came at all: an apply
// that was stopped must not end as if nothing had been.
func (w *Workspace) Interrupt(snare *Trap, at Moment, how Interruption) (said string, came bool) {
	w.T.Helper()
	cmd := w.Command("apply", "-auto-approve", "-input=false")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	started := make(chan struct{})
	snare.Set(at, func() { <-started; how.Stop(cmd.Process.Pid) })
	if err := cmd.Start(); err != nil {
		w.T.Fatal(err)
	}
	close(started)
	err := cmd.Wait()
	came = snare.Sprung()
	snare.Set(Moment{}, nil)
	said = out.String()
	if came && (err == nil || !strings.Contains(said, how.words)) {
		w.T.Fatalf("an apply that was stopped at %s ended with %v, and does not say %q:\n%s", at, err, how.words, said)
	}
	return said, came
}
