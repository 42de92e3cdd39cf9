package swarm

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"testing"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

var listCalls = []string{"GET /swarm", "GET /services", "GET /networks", "GET /configs", "GET /secrets", "GET /nodes"}

// However many resources a command has, the swarm is read once.
func TestObserversShareOneReading(t *testing.T) {
	d := newDouble(t, "1.41")
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if _, err := d.backend.Observe(context.Background(), reconcile.Scope{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if _, err := d.backend.Observe(context.Background(), reconcile.Scope{}); err != nil {
		t.Fatal(err)
	}
	for _, call := range listCalls {
		if n := d.count(call); n != 1 {
			t.Errorf("%s was called %d times", call, n)
		}
	}
	if n := d.total(); n != len(listCalls)+1 {
		t.Errorf("%d calls in all, want the lists and one ping", n)
	}
}

func TestWriteAndFreshAskAgain(t *testing.T) {
	d := newDouble(t, "1.41")
	ctx := context.Background()
	d.on("POST /secrets/create", reply(http.StatusCreated, map[string]string{"ID": "s1"}))
	for _, step := range []struct {
		what string
		do   func() error
		want int
	}{
		{"first", func() error { _, err := d.backend.Observe(ctx, reconcile.Scope{}); return err }, 1},
		{"cached", func() error { _, err := d.backend.Observe(ctx, reconcile.Scope{}); return err }, 1},
		{"fresh", func() error { _, err := d.backend.Observe(ctx, reconcile.Scope{Fresh: true}); return err }, 2},
		{"write", func() error { _, err := d.backend.Do(ctx, secretStep(reconcile.Create)); return err }, 2},
		{"after the write", func() error { _, err := d.backend.Observe(ctx, reconcile.Scope{}); return err }, 3},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if n := d.count("GET /services"); n != step.want {
			t.Errorf("%s: %d readings, want %d", step.what, n, step.want)
		}
	}
}

func TestFailedReadingIsNotKept(t *testing.T) {
	d := newDouble(t, "1.41")
	d.on("GET /secrets", refuse(500, "disk on fire"))
	if state, err := d.backend.Observe(context.Background(), reconcile.Scope{}); err == nil || state != nil {
		t.Fatalf("a part that could not be read is reported as %v, %v", state, err)
	}
	d.on("GET /secrets", nil)
	if _, err := d.backend.Observe(context.Background(), reconcile.Scope{}); err != nil {
		t.Fatal(err)
	}
}

// reading drives a snapshot by hand: every reading waits to be told its end.
type reading struct {
	snapshot
	begun chan chan error // one channel per reading that began
}

func newReading() *reading {
	r := &reading{begun: make(chan chan error)}
	r.kept = func(*reconcile.State) {}
	r.read = func(ctx context.Context) (*reconcile.State, error) {
		end := make(chan error)
		r.begun <- end
		select {
		case err := <-end:
			return &reconcile.State{}, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return r
}

type result struct {
	state *reconcile.State
	err   error
}

func (r *reading) ask(ctx context.Context, fresh bool) <-chan result {
	out := make(chan result, 1)
	go func() {
		state, err := r.get(ctx, fresh)
		out <- result{state, err}
	}()
	return out
}

// waiting blocks until n callers wait for the queued reading.
func (r *reading) waiting(n int) {
	for {
		r.mu.Lock()
		ok := r.queued != nil && r.queued.waiting == n
		r.mu.Unlock()
		if ok {
			return
		}
		runtime.Gosched()
	}
}

func TestReadingThatAWriteOvertookIsNotShared(t *testing.T) {
	r := newReading()
	before := r.ask(context.Background(), false)
	first := <-r.begun
	r.invalidate()
	after := r.ask(context.Background(), false)
	r.waiting(1)
	first <- nil
	old := <-before
	second := <-r.begun
	second <- nil
	fresh := <-after
	if old.state == fresh.state {
		t.Error("a caller after the write was given the reading from before it")
	}
	if cached, _ := r.get(context.Background(), false); cached != fresh.state {
		t.Error("the reading from before the write was kept")
	}
}

func TestFreshCallersShareAReadingThatBeganLater(t *testing.T) {
	r := newReading()
	running := r.ask(context.Background(), false)
	first := <-r.begun
	a, b := r.ask(context.Background(), true), r.ask(context.Background(), true)
	r.waiting(2)
	first <- nil
	old := <-running
	second := <-r.begun
	second <- nil
	ra, rb := <-a, <-b
	if ra.state != rb.state {
		t.Error("two fresh callers caused two readings")
	}
	if ra.state == old.state {
		t.Error("a fresh caller was given a reading that had begun before")
	}
}

// One caller's end does not fail the others; the last one's ends the reading.
func TestReadingEndsWithItsLastCaller(t *testing.T) {
	r := newReading()
	ctx, cancel := context.WithCancel(context.Background())
	one := r.ask(ctx, false)
	end := <-r.begun
	two := r.ask(context.Background(), false)
	for done := false; !done; {
		r.mu.Lock()
		done = r.running.waiting == 2
		r.mu.Unlock()
		runtime.Gosched()
	}
	cancel()
	if got := <-one; reconcile.ReasonOf(got.err) != reconcile.ReasonInterrupted {
		t.Errorf("the one who left: %v", got.err)
	}
	end <- nil
	if got := <-two; got.err != nil {
		t.Errorf("the one who stayed: %v", got.err)
	}

	r.invalidate()
	ctx, cancel = context.WithCancel(context.Background())
	alone := r.ask(ctx, false)
	<-r.begun
	cancel()
	if got := <-alone; !errors.Is(got.err, context.Canceled) {
		t.Errorf("the last one: %v", got.err)
	}
	next := r.ask(context.Background(), false)
	again := <-r.begun
	again <- nil
	if got := <-next; got.err != nil {
		t.Errorf("a reading that was broken off is shared: %v", got.err)
	}
}
