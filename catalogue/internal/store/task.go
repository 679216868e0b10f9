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
	failure   any // the value that the work panicked with, or nil
}

// start calls work and then end in a new goroutine. It calls end even if work
// panics.
func (t *task) start(work, end func()) {
	t.waiting, t.done = 1, make(chan struct{})
	t.failure = "store: sort ended early" // by runtime.Goexit
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

// ready reports whether the work is done and did not panic.
func (t *task) ready() bool {
	select {
	case <-t.done:
		return t.failure == nil
	default:
		return false
	}
}

// wait waits until the task is done. If the work panicked, wait panics with the
// same value. If ctx is done first, wait returns ctx.Err(); if no other reader
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
		panic(t.failure)
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
