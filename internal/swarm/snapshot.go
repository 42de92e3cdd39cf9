package swarm

import (
	"context"
	"sync"

	"github.com/swarmkeel/terraform-provider-swarm/internal/reconcile"
)

// snapshot shares one reading of the swarm among all who ask, until something is
// written. At most one reading is under way and one waits for its end: those who
// must not be given a reading that began before they asked share the second.
type snapshot struct {
	read func(context.Context) (*reconcile.State, error)
	kept func(*reconcile.State) // is told of every reading that no write overtook

	mu      sync.Mutex
	writes  uint64           // counts invalidations
	cached  *reconcile.State // nil when nothing valid is at hand
	running *flight
	queued  *flight
}

// flight is one reading and those who wait for it.
type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	ctx     context.Context
	waiting int    // 0: broken off
	writes  uint64 // what snapshot.writes was when the reading began
	state   *reconcile.State
	err     error
}

// get returns the shared state, or one whose reading began after the call.
func (s *snapshot) get(ctx context.Context, fresh bool) (*reconcile.State, error) {
	s.mu.Lock()
	if s.cached != nil && !fresh {
		defer s.mu.Unlock()
		return s.cached, nil
	}
	f := s.board(ctx, fresh)
	s.mu.Unlock()

	select {
	case <-f.done:
		return f.state, f.err
	case <-ctx.Done():
		s.leave(f)
		return nil, interrupted(ctx, attempt{op: observeOp})
	}
}

// board finds or makes the flight that suits the caller. s.mu is held.
func (s *snapshot) board(ctx context.Context, fresh bool) *flight {
	if f := s.running; f != nil && !fresh && f.waiting > 0 && f.writes == s.writes {
		f.waiting++
		return f
	}
	if f := s.queued; f != nil {
		f.waiting++
		return f
	}
	// The reading outlives its first caller when others wait for it as well.
	f := &flight{done: make(chan struct{}), waiting: 1}
	f.ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if s.running == nil {
		s.start(f)
	} else {
		s.queued = f
	}
	return f
}

// start begins the reading. s.mu is held.
func (s *snapshot) start(f *flight) {
	s.running, f.writes = f, s.writes
	go func() {
		f.state, f.err = s.read(f.ctx)
		f.cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		// A reading that a write overtook may lack it: those who asked before may
		// have it, nobody after.
		if f.err == nil && f.writes == s.writes {
			s.cached = f.state
			s.kept(f.state)
		}
		close(f.done)
		s.running = nil
		if next := s.queued; next != nil {
			s.queued = nil
			s.start(next)
		}
	}()
}

// leave gives up waiting; a reading that nobody waits for is broken off.
func (s *snapshot) leave(f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.waiting--
	if f.waiting == 0 {
		f.cancel()
		if s.queued == f {
			s.queued = nil
		}
	}
}

// invalidate forgets what was read. It is to be called after every write that
// was tried, whatever came of it.
func (s *snapshot) invalidate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	s.cached = nil
}
