package store

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/gobacklist/backlist/ordering"
)

// A task is work for an ordering that several readers may wait for. It runs in its
// own goroutine and should stop early once it is abandoned.
type task struct {
	terms     []ordering.Term
	waiting   int         // guarded by the mutex of the list that the task is in
	abandoned atomic.Bool // no reader waits any more
	done      chan struct{}
	failure   *failure // set before done is closed unless the work returned
}

// start calls work and then end in a new goroutine. It calls end even if work
// panics or calls runtime.Goexit.
func (t *task) start(work, end func()) {
	t.waiting, t.done = 1, make(chan struct{})
	go func() {
		defer close(t.done)
		defer end()
		watch(work, func(f *failure) { t.failure = f })
	}()
}

// ready reports whether the work is done and did not fail.
func (t *task) ready() bool {
	select {
	case <-t.done:
		return t.failure == nil
	default:
		return false
	}
}

// wait waits until the task is done. If the work panicked or called runtime.Goexit, so
// does wait. If ctx is done first, wait returns ctx.Err(); if no other reader
// waits then, it abandons the task and calls leave while it holds mu.
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
		t.failure.repeat()
	}
	return nil
}

// slots limits the number of concurrent sorts of a store, including abandoned ones
// that have not stopped yet. Sorts by one term and sorts by several terms, which
// take longer, have separate slots.
type slots [2]chan struct{}

func newSlots() slots {
	return slots{make(chan struct{}, maxSorts), make(chan struct{}, maxSorts)}
}

// take waits for a slot and returns a function that releases it. It returns
// ctx.Err() if ctx is done first.
func (s slots) take(ctx context.Context, terms []ordering.Term) (release func(), err error) {
	slot := s[min(len(terms), 2)-1]
	select {
	case slot <- struct{}{}:
		return func() { <-slot }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
