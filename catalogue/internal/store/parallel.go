package store

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls f(0) to f(n-1) in at most GOMAXPROCS goroutines and returns when
// all calls have returned. If a call panics, parallel panics with the same value.
func parallel(n int, f func(int)) {
	if n == 1 {
		f(0)
		return
	}
	var (
		next     atomic.Int64
		workers  sync.WaitGroup
		panicked atomic.Pointer[any]
	)
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					panicked.Store(&p)
				}
			}()
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				f(int(i - 1))
			}
		})
	}
	workers.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
}
