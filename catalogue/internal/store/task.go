package store

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/gobacklist/backlist/ordering"
)

// A task is work for an ordering that several readers wait for. It runs in a
// goroutine of its own and stops early when nobody waits any more.
type task struct {
	terms     []ordering.Term
	waiting   int         // guarded by the mutex of the list that the task is in
	abandoned atomic.Bool // nobody waits
	done      chan struct{}
	failure   any // what the work panicked with
}

// start runs the work and then end, also if the work panics.
func (t *task) start(work, end func()) {
	t.waiting, t.done = 1, make(chan struct{})
	t.failure = "store: the sort has ended early"
	go func() {
		defer close(t.done)
		defer end()
		defer func() {
			if reason := recover(); reason != nil {
				t.failure = reason
			}
		}()
		work()
		t.failure = nil
	}()
}

// ready reports whether the work has ended well.
func (t *task) ready() bool {
	select {
	case <-t.done:
		return t.failure == nil
	default:
		return false
	}
}

// wait returns when the task is done or with ctx's error. If it is the last to
// leave a task that is not done, it calls leave with mu held. A panic of the work
// becomes the caller's.
func (t *task) wait(ctx context.Context, mu *sync.Mutex, leave func()) error {
	if t.ready() {
		return nil
	}
	select {
	case <-t.done:
	case <-ctx.Done():
		mu.Lock()
		defer mu.Unlock()
		if t.waiting--; t.waiting == 0 {
			t.abandoned.Store(true)
			leave()
		}
		return ctx.Err()
	}
	if t.failure != nil {
		panic(t.failure)
	}
	return nil
}

// slot takes one of a few slots for sorting several terms and returns the
// function that gives it back. A single term needs none.
func slot(ctx context.Context, slots chan struct{}, terms []ordering.Term) (release func(), err error) {
	if len(terms) == 1 {
		return func() {}, nil
	}
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
