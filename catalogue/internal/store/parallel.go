package store

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// parallel calls f(0) to f(n-1) in at most GOMAXPROCS goroutines and returns when
// all calls have returned. If a call panics or calls runtime.Goexit, so does parallel.
func parallel(n int, f func(int)) {
	if n == 1 {
		f(0)
		return
	}
	var (
		next    atomic.Int64
		workers sync.WaitGroup
		failed  atomic.Pointer[failure]
	)
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			watch(func() {
				for i := next.Add(1); i <= int64(n); i = next.Add(1) {
					f(int(i - 1))
				}
			}, failed.Store)
		})
	}
	workers.Wait()
	if f := failed.Load(); f != nil {
		f.repeat()
	}
}

// A failure describes the end of a call that did not return.
type failure struct {
	reason any    // the value that the call panicked with, or nil if it called runtime.Goexit
	stack  []byte // at that time
}

// watch calls f. If f panics or calls runtime.Goexit, watch passes a failure to failed.
// After runtime.Goexit, it does not return.
func watch(f func(), failed func(*failure)) {
	returned := false
	defer func() {
		if !returned {
			reason := recover()
			failed(&failure{reason, debug.Stack()})
		}
	}()
	f()
	returned = true
}

// repeat panics or calls runtime.Goexit, as the failed call did, in the calling goroutine.
// The program can recover the same value. If it does not, the report of the crash has the
// stack of the failed call too, because that is the value of an earlier panic.
func (f *failure) repeat() {
	if f.reason == nil {
		runtime.Goexit()
	}
	defer panic(f.reason)
	panic(string(f.stack))
}
