// Package memory is a test double of a swarm: a reconcile.Backend in memory that
// keeps the engine's rules (unique names, versions, references that must exist,
// configs that cannot change) and can be made to fail at any call. It is for
// speed and for faults; what a real engine does is proven on real engines.
package memory

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/docker/docker/api/types/swarm"

	"github.com/swarmkeel/terraform-provider-swarm/internal/object"
	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// Fault is what happens to one call.
type Fault int

// The faults.
const (
	// None lets the call through.
	None Fault = iota
	// Fail answers an error, and nothing was done.
	Fail
	// Lose does what was asked and loses the answer.
	Lose
	// Hang answers when the context ends, and nothing was done.
	Hang
	// Conflict moves the version of the object before the write.
	Conflict
)

// Call is one call of the backend, counted from 1.
type Call struct {
	N      int
	Method string // Observe, Bookkeeping, Do, Progress, Homes, Draining, Logs, Resolve
	// Step is set for Do.
	Step *reconcile.Step
}

// Backend is the double. The zero value is not usable: see New.
type Backend struct {
	mu      sync.Mutex
	entries map[key]*entry
	version uint64
	ids     int
	calls   []Call
	// registry maps an image to the digest that its tag stands for.
	registry map[string]string

	// Fault, when set, decides what happens to a call.
	Fault func(Call) Fault
	// Behave, when set, decides how the tasks of a service turn out.
	Behave func(service string, spec *swarm.ServiceSpec) Outcome
	// APIVersion, SwarmID and Nodes are what Observe reports. Tasks run on the first
	// node.
	APIVersion, SwarmID string
	Nodes               []reconcile.Node
}

type key struct {
	kind object.Kind
	name string
}

type entry struct {
	reconcile.Live
	// secret is the content of a secret, which is never read back.
	secret []byte
	// home is the node that a task of a service has run on.
	home string
	// template counts the changes of a service's task template, restarts the
	// task generations that came of it.
	template int
	polls    int
	failures int
}

var _ reconcile.Backend = (*Backend)(nil)

// New returns an empty swarm of one node.
func New() *Backend {
	return &Backend{entries: map[key]*entry{}, APIVersion: "1.41", SwarmID: "memory", Nodes: []reconcile.Node{
		{ID: "node1", Hostname: "n1", Role: "manager", Availability: "active", Ready: true, State: "ready", Leader: true},
	}}
}

// Calls returns the calls so far.
func (b *Backend) Calls() []Call {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Call(nil), b.calls...)
}

// ResetCalls forgets the calls so far; counting begins at 1 again.
func (b *Backend) ResetCalls() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = nil
}

// Secret returns the content of a secret, which no Backend gives.
func (b *Backend) Secret(name string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[key{object.KindSecret, name}]; e != nil {
		return string(e.secret)
	}
	return ""
}

// Remove takes an object away behind everybody's back, whatever refers to it.
func (b *Backend) Remove(kind object.Kind, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.entries, key{kind, name})
}

// ErrInjected is the cause of every injected fault.
var ErrInjected = errors.New("injected fault")

// enter notes a call and decides its fault.
func (b *Backend) enter(ctx context.Context, method string, step *reconcile.Step) (Fault, error) {
	b.mu.Lock()
	call := Call{N: len(b.calls) + 1, Method: method, Step: step}
	b.calls = append(b.calls, call)
	decide := b.Fault
	b.mu.Unlock()
	if ctx.Err() != nil {
		return None, cut(ctx, method)
	}
	if decide == nil {
		return None, nil
	}
	switch f := decide(call); f {
	case Fail:
		return f, injected(method)
	case Hang:
		<-ctx.Done()
		return f, cut(ctx, method)
	default:
		return f, nil
	}
}

func injected(method string) error {
	return &reconcile.Error{Reason: reconcile.ReasonUnreachable, Op: method, Err: ErrInjected}
}

// cut is what a call gives whose context has ended.
func cut(ctx context.Context, method string) error {
	return &reconcile.Error{Reason: reconcile.ReasonUnreachable, Op: method, Err: context.Cause(ctx)}
}

// Observe implements reconcile.Backend.
func (b *Backend) Observe(ctx context.Context, _ reconcile.Scope) (*reconcile.State, error) {
	fault, err := b.enter(ctx, "Observe", nil)
	if err != nil {
		return nil, err
	}
	if fault == Lose {
		return nil, injected("Observe")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	state := &reconcile.State{SwarmID: b.SwarmID, APIVersion: b.APIVersion, Nodes: append([]reconcile.Node(nil), b.Nodes...)}
	keys := make([]key, 0, len(b.entries))
	for k := range b.entries {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if keys[i].kind != keys[j].kind {
			return keys[i].kind < keys[j].kind
		}
		return keys[i].name < keys[j].name
	})
	for _, k := range keys {
		l := b.entries[k].Live
		l.Object = l.Clone()
		state.Live = append(state.Live, l)
	}
	return state, nil
}

// Bookkeeping implements reconcile.Backend.
func (b *Backend) Bookkeeping(ctx context.Context, name string) (*reconcile.Live, error) {
	fault, err := b.enter(ctx, "Bookkeeping", nil)
	if err != nil {
		return nil, err
	}
	if fault == Lose {
		return nil, injected("Bookkeeping")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.entries[key{object.KindLease, name}]
	if e == nil {
		e = b.entries[key{object.KindRecord, name}]
	}
	if e == nil {
		return nil, nil
	}
	l := e.Live
	l.Object = l.Clone()
	return &l, nil
}

// Do implements reconcile.Backend.
func (b *Backend) Do(ctx context.Context, step reconcile.Step) (string, error) {
	fault, err := b.enter(ctx, "Do", &step)
	if err != nil {
		return "", err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if fault == Conflict {
		if e := b.entries[key{step.Object.Kind, step.Object.Name}]; e != nil {
			b.version++
			e.Version = b.version
		}
	}
	id, err := b.do(step)
	if err == nil && fault == Lose {
		return "", injected("Do")
	}
	return id, err
}

func (b *Backend) do(step reconcile.Step) (string, error) {
	o := step.Object.Clone()
	k := key{o.Kind, o.Name}
	have := b.entries[k]
	fail := func(reason reconcile.Reason, format string, args ...any) (string, error) {
		return "", &reconcile.Error{
			Reason: reason, Op: fmt.Sprintf("%s %s %s", step.Verb, o.Kind, o.Name), Ref: o.Ref(), Err: fmt.Errorf(format, args...),
		}
	}
	switch step.Verb {
	case reconcile.Create:
		if have != nil {
			return fail(reconcile.ReasonExists, "name conflicts with an existing object")
		}
		if missing := b.dangling(o); missing != "" {
			return fail(reconcile.ReasonInvalid, "%s not found", missing)
		}
		b.ids++
		e := &entry{template: 1}
		e.ID = fmt.Sprintf("id%06d", b.ids)
		e.Created = time.Now()
		b.entries[k] = e
		b.store(e, o)
		return e.ID, nil
	case reconcile.Update:
		switch {
		case have == nil:
			return fail(reconcile.ReasonNotFound, "not found")
		case step.Live == nil || step.Live.Version != have.Version:
			return fail(reconcile.ReasonConflict, "update out of sequence")
		case o.Kind == object.KindNetwork:
			return fail(reconcile.ReasonInvalid, "networks cannot be updated")
		}
		if missing := b.dangling(o); missing != "" {
			return fail(reconcile.ReasonInvalid, "%s not found", missing)
		}
		if restarts(have.Spec, o.Spec) {
			have.template++
			have.polls, have.failures = 0, 0
		}
		have.Update = reconcile.UpdateStatus{}
		b.store(have, o)
		return have.ID, nil
	case reconcile.Delete:
		if have == nil {
			return "", nil
		}
		if user := b.user(o); user != "" {
			return fail(reconcile.ReasonInUse, "in use by service %s", user)
		}
		delete(b.entries, k)
		return have.ID, nil
	}
	return fail(reconcile.ReasonInvalid, "unknown verb")
}
