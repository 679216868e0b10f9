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

// slots bound how many sorts of a store run at once, those that nobody waits for
// any more included: of one term, and of several, which take longer.
type slots [2]chan struct{}

func newSlots() slots {
	return slots{make(chan struct{}, maxSorts), make(chan struct{}, maxSorts)}
}

// take waits for a slot and returns the function that gives it back.
func (s slots) take(ctx context.Context, terms []ordering.Term) (release func(), err error) {
	slot := s[min(len(terms), 2)-1]
	select {
	case slot <- struct{}{}:
		return func() { <-slot }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
