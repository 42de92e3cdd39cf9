package git

import (
	"context"
	"errors"
	"sync"
)

// memo does work once per key and gives everybody the same answer, those who ask
// while it is being done included.
type memo[T any] struct {
	mu    sync.Mutex
	calls map[string]*call[T]
}

type call[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// get returns the answer for a key. A caller that is cancelled leaves no answer
// behind: the next one tries again.
func (m *memo[T]) get(ctx context.Context, key string, work func(context.Context) (T, error)) (T, error) {
	for {
		m.mu.Lock()
		running, ok := m.calls[key]
		if !ok {
			if m.calls == nil {
				m.calls = map[string]*call[T]{}
			}
			mine := &call[T]{done: make(chan struct{})}
			m.calls[key] = mine
			m.mu.Unlock()
			return m.run(ctx, key, mine, work)
		}
		m.mu.Unlock()
		select {
		case <-running.done:
			if !errors.Is(running.err, context.Canceled) {
				return running.value, running.err
			}
		case <-ctx.Done():
			var none T
			return none, ctx.Err()
		}
		if ctx.Err() != nil {
			return running.value, ctx.Err()
		}
	}
}

func (m *memo[T]) run(ctx context.Context, key string, mine *call[T], work func(context.Context) (T, error)) (T, error) {
	mine.value, mine.err = work(ctx)
	if errors.Is(mine.err, context.Canceled) {
		m.mu.Lock()
		delete(m.calls, key)
		m.mu.Unlock()
	}
	close(mine.done)
	return mine.value, mine.err
}
