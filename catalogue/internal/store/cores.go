package store

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gobacklist/backlist/ordering"
)

// Cores limits the processors that sorts and filters of many entries use at the same time. Stores can
// share it. Nil is no limit.
type Cores chan struct{}

// NewCores returns a limit of all processors but one, and of at least one, so that reads and
// writes do not wait for sorts.
func NewCores() Cores { return make(Cores, max(runtime.GOMAXPROCS(0)-1, 1)) }

// take waits until a processor is free, and reports whether it is taken.
func (c Cores) take() bool {
	select {
	case c <- struct{}{}:
		return true
	case <-time.After(maxTurn):
		return false
	}
}

// turns are the turns of one sort to use a processor.
type turns struct {
	cores Cores
	over  atomic.Bool // the sort no longer waits
}

// turns returns the turns of a sort of n entries. A sort of few does not wait.
func (c Cores) turns(n int) *turns {
	t := &turns{cores: c}
	t.over.Store(n <= fewEntries)
	return t
}

// maxTurn is the time after which a sort no longer waits for its turn. The sort that uses the
// processor may then be waiting for this one, because it calls a function of the program that
// queries another collection.
const maxTurn = 5 * time.Second

// use calls f when a processor is free.
func (t *turns) use(f func()) {
	switch {
	case t.cores == nil || t.over.Load():
	case t.cores.take():
		defer func() { <-t.cores }()
	default:
		t.over.Store(true)
	}
	f()
}

// A Turn is that of a query to use a processor while it filters entries. It ends if others wait, and
// the query then waits for its next. The zero Turn is ready to use.
type Turn struct {
	Err error // set by Match to end the query

	cores Cores // nil while it does not filter, or no longer waits
	taken bool
	since time.Time
}

// maxSlice is the time after which a turn ends.
const maxSlice = 20 * time.Millisecond

// begin begins to filter n entries. If they are few, it does not wait. It does nothing if t is nil.
func (t *Turn) begin(cores Cores, n int) (end func()) {
	if t == nil {
		return func() {}
	}
	t.cores, t.since = cores, time.Now()
	if n > fewEntries {
		t.since = time.Time{}
	}
	_ = t.Pause()
	return func() {
		if t.taken {
			<-cores
		}
		t.cores, t.taken = nil, false
	}
}

// Pause ends a turn that has lasted long enough, and waits for the next. It returns Err, or nil if t
// is nil.
func (t *Turn) Pause() error {
	if t == nil {
		return nil
	}
	if t.cores != nil && time.Since(t.since) >= maxSlice {
		if t.taken {
			<-t.cores
		}
		if t.taken, t.since = t.cores.take(), time.Now(); !t.taken {
			t.cores = nil
		}
	}
	return t.Err
}

// fewEntries is the largest number of entries that are sorted without a slot. Their keys
// take at most fewEntries*maxPerRecord bytes.
const fewEntries = 1000

// maxSorts is the largest number of concurrent sorts by one term, and of concurrent sorts by
// several terms.
const maxSorts = 4

// slots limits the number of concurrent sorts of a store. Sorts by one term and sorts by several terms, which
// take longer, have separate slots.
type slots [2]chan struct{}

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

// A task is work for an ordering that several readers may wait for. It runs in its
// own goroutine, and does not end if they no longer wait.
type task struct {
	terms   []ordering.Term
	done    chan struct{}
	failure *failure // set before done is closed unless the work returned
}

// start calls work, once it has a slot, and then end in a new goroutine. It calls end even
// if work panics or calls runtime.Goexit.
func (t *task) start(s slots, work, end func()) {
	t.done = make(chan struct{})
	go func() {
		defer close(t.done)
		defer end()
		release, _ := s.take(context.Background(), t.terms)
		defer release()
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
// does wait. If ctx is done first, wait returns ctx.Err().
func (t *task) wait(ctx context.Context) error {
	if t.ready() {
		return nil
	}
	select {
	case <-t.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if t.failure != nil {
		t.failure.repeat()
	}
	return nil
}

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
