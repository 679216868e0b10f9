package main

import (
	"math"
	"runtime"
	"slices"
	"time"
)

// setup configures the measurements. There are many rounds of short turns, so that
// other programs on the machine disturb few of the turns.
type setup struct {
	sizes  []int         // numbers of records
	rounds int           // in which every task has a turn
	turn   time.Duration // length of a turn
	budget time.Duration // of all turns of a task; limits their number, but not below minRounds
	http   time.Duration // length of a turn over HTTP
}

const minRounds = 3

func settings(quick bool) setup {
	s := setup{
		sizes:  []int{10_000, 100_000},
		rounds: 11,
		turn:   2 * time.Millisecond,
		budget: 100 * time.Millisecond,
		http:   time.Second,
	}
	if quick {
		s = setup{[]int{1100}, 2, time.Millisecond / 4, 10 * time.Millisecond, 200 * time.Millisecond}
	}
	return s
}

// briefly returns a setup with more and shorter turns, for ratios between reads of a few
// microseconds.
func (s setup) briefly() setup {
	s.turn, s.rounds = s.turn/8, s.rounds*8
	return s
}

// lengthy returns a setup with turns that are long enough for concurrent goroutines.
func (s setup) lengthy() setup {
	s.turn, s.rounds, s.budget = s.turn*8, max(s.rounds/2, 1), s.budget*4
	return s
}

// garbage returns a setup with turns that are long enough for garbage collections.
func (s setup) garbage() setup {
	s.turn, s.rounds, s.budget = s.turn*32, max(s.rounds/3, 1), s.budget*4
	return s
}

// fewer returns a setup for measurements without a goal.
func (s setup) fewer() setup {
	s.turn, s.rounds, s.budget = s.turn/4, max(s.rounds/2, 1), s.budget/4
	return s
}

// work performs an operation the given number of times and returns the time that it
// took, not counting preparations and cleaning up.
type work func(times int) time.Duration

// clocked returns work that times f.
func clocked(f func(times int)) work {
	return func(times int) time.Duration {
		start := time.Now()
		f(times)
		return time.Since(start)
	}
}

// reading returns work that reads with each element of a list in turn.
func reading[E any](list []E, read func(E) int) work {
	next, sum := 0, 0
	return clocked(func(times int) {
		for range times {
			sum += read(list[next])
			if next++; next == len(list) {
				next = 0
			}
		}
		runtime.KeepAlive(sum)
	})
}

// loading returns work that fills a new store, after a garbage collection.
func loading[S any](open func() S, load, drop func(S)) work {
	return func(times int) (took time.Duration) {
		for range times {
			s := open()
			runtime.GC()
			start := time.Now()
			load(s)
			took += time.Since(start)
			drop(s)
		}
		return took
	}
}

// onceClean returns work that times f after a garbage collection.
func onceClean(f func()) work {
	return loading(func() struct{} { return struct{}{} }, func(struct{}) { f() }, func(struct{}) {})
}

// each returns the result of f for every store.
func each[S, R any](stores []S, f func(S) R) []R {
	all := make([]R, len(stores))
	for i, s := range stores {
		all[i] = f(s)
	}
	return all
}

// unbounded means that a turn may have any number of operations.
const unbounded = math.MaxInt

// timeRow calls timeRows with one row.
func (s setup) timeRow(row []work, most int) [][]float64 { return s.timeRows([][]work{row}, most)[0] }

// timeRows performs the work of all rows in turns. For each row and column it
// returns the nanoseconds of one operation in each round. No turn has more than most
// operations.
func (s setup) timeRows(rows [][]work, most int) [][][]float64 {
	times := make([][][]float64, len(rows))
	var all []task
	for i, row := range rows {
		times[i] = make([][]float64, len(row))
		for j, w := range row {
			all = append(all, s.plan(w, most, &times[i][j]))
		}
	}
	for round := range s.rounds {
		for i := range all {
			all[(i+round)%len(all)].run(round) // each round starts with another task
		}
	}
	return times
}

type task struct {
	work               work
	rounds, operations int
	times              *[]float64
}

func (t task) run(round int) {
	if round < t.rounds {
		*t.times = append(*t.times, float64(t.work(t.operations))/float64(t.operations))
	}
}

// plan determines how many operations fill a turn, which also warms up caches.
func (s setup) plan(w work, most int, times *[]float64) task {
	n := 1
	took := s.quickest(w, n)
	for took < s.turn/4 && n < most {
		n = min(n*4, most)
		took = s.quickest(w, n)
	}
	each := max(took/time.Duration(n), 1)
	n = min(max(int(s.turn/each), 1), most)
	rounds := int(s.budget / (each * time.Duration(n)))
	return task{w, min(max(rounds, minRounds), s.rounds), n, times}
}

// quickest returns the shortest of three times of some operations, because other programs
// on the machine can interrupt them. Long operations have one time.
func (s setup) quickest(w work, times int) time.Duration {
	took := w(times)
	for i := 0; i < 2 && took < s.budget; i++ {
		took = min(took, w(times))
	}
	return took
}

// figures returns the figures of each store as columns of one round.
func figures[S any](stores []S, f func(S) float64) [][]float64 {
	return each(stores, func(s S) []float64 { return []float64{f(s)} })
}

// ratio returns the median of the ratios of a to b, round by round. Rounds that only
// one of them has are ignored.
func ratio(a, b []float64) float64 {
	all := make([]float64, min(len(a), len(b)))
	for i := range all {
		all[i] = a[i] / b[i]
	}
	return median(all)
}

// median returns the median, or NaN if there are no values.
func median(all []float64) float64 {
	if len(all) == 0 {
		return math.NaN()
	}
	all = slices.Sorted(slices.Values(all))
	mid := len(all) / 2
	if len(all)%2 == 1 {
		return all[mid]
	}
	return (all[mid-1] + all[mid]) / 2
}

// allocated returns the bytes and objects that an operation allocates.
func allocated(w work) (bytes, objects float64) {
	times := 0
	bytes, objects = allocatedOnce(func() {
		for took := time.Duration(0); times < 1000 && took < 100*time.Millisecond; times += 10 {
			took += w(10)
		}
	})
	return bytes / float64(times), objects / float64(times)
}

func allocatedOnce(f func()) (bytes, objects float64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc), float64(after.Mallocs - before.Mallocs)
}

// heapGrowth returns the size of the value that f returns, in bytes of heap.
func heapGrowth(f func() any) int {
	before := heap()
	made := f()
	after := heap()
	runtime.KeepAlive(made)
	return after - before
}

// heap returns the size of the heap after a garbage collection.
func heap() int {
	runtime.GC()
	runtime.GC() // collects the objects that the first has finalized
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
