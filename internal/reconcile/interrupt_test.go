package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile/memory"
)

// scenario is a change from one declaration to another; nil means absent.
type scenario struct {
	name     string
	from, to *build
}

func scenarios() []scenario {
	plain := basic()
	image := plain.with(func(b *build) { b.services["web"] = "acme/web:2" })
	rotated := plain.with(func(b *build) { b.config, b.secret, b.limit = "listen 8080", "other", 1 })
	dropped := plain.with(func(b *build) { delete(b.services, "api") })
	added := plain.with(func(b *build) {
		b.services["worker"] = "acme/worker:1"
		b.depends = map[string][]object.Dependency{"worker": {{Key: "api", Condition: object.Healthy}}}
	})
	job := plain.with(func(b *build) { b.services["job"], b.job = "acme/job:1", "job" })
	replaced := plain.with(func(b *build) { b.internal = true })
	server := plain.with(func(b *build) { b.made, b.jobs = "one", true })
	remade := server.with(func(b *build) { b.made = "two" })
	return []scenario{
		{"create", nil, &plain},
		{"create with jobs and made secrets", nil, &server},
		{"secrets made anew", &server, &remade},
		{"destroy of a server", &server, nil},
		{"create with a job", nil, &job},
		{"update of one service", &plain, &image},
		{"rotation of a config and a secret", &plain, &rotated},
		{"service dropped", &plain, &dropped},
		{"service added behind another", &plain, &added},
		{"network replaced", &plain, &replaced},
		{"destroy", &plain, nil},
	}
}

// run carries out the change once.
func (s scenario) run(ctx context.Context, core *reconcile.Core, instance string) error {
	if s.to == nil {
		_, err := core.Uninstall(ctx, reconcile.Owner{Release: stack, Kind: "application", Owner: "terraform", Instance: instance}, reconcile.UninstallOptions{})
		return err
	}
	_, err := applyWith(ctx, core, s.to.release(), instance, reconcile.PlanOptions{})
	return err
}

// hasty does not wait long for a call that hangs at the very end.
func hasty(b reconcile.Backend) *reconcile.Core {
	return reconcile.New(b, reconcile.PollEvery(time.Microsecond), reconcile.ClosingTime(20*time.Millisecond))
}

// prepare brings a new swarm to the state before the change.
func (s scenario) prepare(t *testing.T) (*memory.Backend, string) {
	t.Helper()
	b := memory.New()
	if s.from == nil {
		return b, ""
	}
	instance := mustApply(t, b, s.from.release(), "").Instance
	b.ResetCalls()
	return b, instance
}

// Interrupted after any k calls, in any way, the same call again converges, the
// next plan is empty, nothing is left that nobody owns, and no task restarts
// that did not have to.
func TestInterruptedAtEveryCallConverges(t *testing.T) {
	ways := map[string]memory.Fault{"refused": memory.Fail, "answer lost": memory.Lose, "cancelled": memory.Hang, "conflict": memory.Conflict}
	for _, s := range scenarios() {
		clean, instance := s.prepare(t)
		if err := s.run(t.Context(), newCore(clean), instance); err != nil {
			t.Fatalf("%s: clean run: %v", s.name, err)
		}
		calls := len(clean.Calls())
		if calls < 3 {
			t.Fatalf("%s: only %d calls: nothing to interrupt", s.name, calls)
		}
		for way, fault := range ways {
			for k := 1; k <= calls; k++ {
				t.Run(fmt.Sprintf("%s/%s at call %d", s.name, way, k), func(t *testing.T) {
					b, instance := s.prepare(t)
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					fired := false
					b.Fault = func(c memory.Call) memory.Fault {
						if fired || c.N != k {
							return memory.None
						}
						fired = true
						if fault == memory.Hang {
							cancel()
						}
						return fault
					}
					core := newCore(b)
					if fault == memory.Hang {
						core = hasty(b)
					}
					err := s.run(ctx, core, instance)
					wantCause(t, fault, err)
					b.Fault = nil
					if err := s.run(t.Context(), newCore(b), instance); err != nil {
						t.Fatalf("second run: %v", err)
					}
					s.wantDone(t, b, clean, instance)
				})
			}
		}
	}
}

// wantCause fails when an error does not tell what ended the run.
func wantCause(t *testing.T, fault memory.Fault, err error) {
	t.Helper()
	if err == nil || fault == memory.Conflict {
		return
	}
	if fault == memory.Hang {
		// The note that is written at the very end is not cancelled: it times out.
		if r := reconcile.ReasonOf(err); r != reconcile.ReasonInterrupted && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a cancelled run ends with %s, want Interrupted: %v", r, err)
		}
		return
	}
	if !errors.Is(err, memory.ErrInjected) {
		t.Errorf("the cause is lost: %v", err)
	}
}

func (s scenario) wantDone(t *testing.T, b, clean *memory.Backend, instance string) {
	t.Helper()
	if s.to == nil {
		for _, kind := range []object.Kind{object.KindService, object.KindNetwork, object.KindConfig, object.KindSecret, object.KindRecord} {
			if left := b.Names(kind); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		}
		return
	}
	if instance == "" {
		view, err := newCore(b).Inspect(t.Context(), stack, "")
		if err != nil {
			t.Fatal(err)
		}
		instance = view.Owner.Instance
	}
	wantSettled(t, b, s.to.release(), instance)
	for _, kind := range []object.Kind{object.KindConfig, object.KindSecret} {
		if got, want := len(b.Names(kind)), len(clean.Names(kind)); got != want {
			t.Errorf("%d of kind %s exist, a clean run leaves %d: %v", got, kind, want, b.Names(kind))
		}
	}
	for key := range s.to.services {
		if got, want := b.Templates(stack+"_"+key), clean.Templates(stack+"_"+key); got != want {
			t.Errorf("service %s got %d task templates, a clean run needs %d", key, got, want)
		}
	}
}

// An engine that is out of sight for a moment, with or without having done what
// was asked, does not end an apply: the write is looked up, as soon as there is
// something to see again, and only then tried again.
func TestWriteWithoutAnAnswerIsLookedUpAndTriedAgain(t *testing.T) {
	var mu sync.Mutex
	for way, fault := range map[string]memory.Fault{"refused": memory.Fail, "answer lost": memory.Lose} {
		for _, s := range scenarios() {
			t.Run(s.name+"/"+way, func(t *testing.T) {
				clean, instance := s.prepare(t)
				if err := s.run(t.Context(), newCore(clean), instance); err != nil {
					t.Fatal(err)
				}
				b, instance := s.prepare(t)
				hit, unseen := map[string]bool{}, 0
				b.Fault = func(c memory.Call) memory.Fault {
					mu.Lock()
					defer mu.Unlock()
					switch {
					case c.Step == nil && unseen > 0:
						unseen--
						return memory.Fail
					case c.Step == nil || c.Step.Object.Kind == object.KindLease:
						return memory.None
					}
					if id := string(c.Step.Verb) + c.Step.Object.Name; !hit[id] {
						hit[id], unseen = true, 2
						return fault
					}
					return memory.None
				}
				if err := s.run(t.Context(), newCore(b), instance); err != nil {
					t.Fatalf("the run ended with %v", err)
				}
				b.Fault = nil
				s.wantDone(t, b, clean, instance)
			})
		}
	}
}

// late is an engine that answers nothing to the first create of each object, and carries it out when asked again.
type late struct {
	reconcile.Backend
	mu    sync.Mutex
	asked map[string]bool
}

func (l *late) Do(ctx context.Context, step reconcile.Step) (string, error) {
	if step.Verb != reconcile.Create || step.Object.Kind == object.KindLease {
		return l.Backend.Do(ctx, step)
	}
	l.mu.Lock()
	again := l.asked[step.Object.Name]
	l.asked[step.Object.Name] = true
	l.mu.Unlock()
	if !again {
		return "", &reconcile.Error{Reason: reconcile.ReasonUnreachable, Op: "create " + step.Object.Name, Err: memory.ErrInjected}
	}
	if _, err := l.Backend.Do(ctx, step); err != nil {
		return "", err
	}
	return l.Backend.Do(ctx, step)
}

// A manager that loses its leader may pass a write on after it has answered an error: the repetition then meets its
// own object.
func TestWriteThatIsDoneAfterItWasLookedUpIsNoConflict(t *testing.T) {
	b := &late{Backend: memory.New(), asked: map[string]bool{}}
	if _, err := applyWith(t.Context(), newCore(b), basic().release(), "", reconcile.PlanOptions{}); err != nil {
		t.Errorf("got %v, want success", err)
	}
}

// slow is an engine that takes its time for a write, and notes when it was cut
// off in the middle of one.
type slow struct {
	reconcile.Backend
	begun func()
	cut   atomic.Bool
}

func (s *slow) Do(ctx context.Context, step reconcile.Step) (string, error) {
	if step.Object.Kind != object.KindLease {
		s.begun()
		select {
		case <-ctx.Done():
			s.cut.Store(true)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return s.Backend.Do(ctx, step)
}

// An engine goes on with a write whose caller has left, and may come to it after
// everybody has looked: so the caller stays until the answer is there.
func TestCancelDoesNotCutAWriteInTheMiddle(t *testing.T) {
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			b, instance := s.prepare(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			engine := &slow{Backend: b, begun: cancel}
			if err := s.run(ctx, newCore(engine), instance); reconcile.ReasonOf(err) != reconcile.ReasonInterrupted {
				t.Errorf("got %v, want Interrupted", err)
			}
			if engine.cut.Load() {
				t.Error("a write was cut off")
			}
		})
	}
}
