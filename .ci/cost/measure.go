package main

import (
	"encoding/json"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"unsafe"
)

// A group is some rows that use the same records. A process measures one group, row after row.
type group struct {
	name string
	make func() []row
}

// A row is an operation to measure.
type row struct {
	name string

	// run is called with random numbers, the same ones in each process.
	run func(i int)

	// before, if not nil, is called before each run. It is not counted.
	before func(i int)

	// per is the number by which the cost of a run is divided, such as the number of records that
	// it loads. Zero is 1.
	per int

	// runs is the number of runs in a sample, for about 10⁷ instructions.
	runs int
}

// samples is how often a row is measured. The medians are its cost: samples differ by what the
// scheduler does in the meantime, and by trees that grow in one of them. The first ones, which make
// pools and arrays, are not counted.
const (
	first   = 3
	samples = 7
)

// counted is what is counted of a row without callgrind.
type counted struct {
	Row                string
	Runs, Per          int
	Allocations, Bytes []float64 // of each sample
}

// measure measures the rows of a group, if some are selected: a row costs what the rows before it
// make of the records, so that none is left out. Only those selected are instrumented. Callgrind
// writes a file for each sample. The counts are written to standard output as JSON, in the order of
// the files.
func (g group) measure(selected func(name string) bool) {
	log.SetFlags(0)
	debug.SetGCPercent(-1)
	// Memory that is new need not be cleared. All memory that rows use has been used before.
	runtime.KeepAlive(make([]byte, 1<<29))
	runtime.GC()
	encoder := json.NewEncoder(os.Stdout)
	rows := g.make()
	if !slices.ContainsFunc(rows, func(r row) bool { return selected(r.name) }) {
		return
	}
	for _, r := range rows {
		random := rand.New(rand.NewPCG(1, 1))
		numbers := make([]int, r.runs)
		c := counted{Row: r.name, Runs: r.runs, Per: max(r.per, 1)}
		for s := range first + samples {
			for i := range numbers {
				numbers[i] = int(random.Uint32() >> 1)
			}
			if s == first && selected(r.name) { // without it valgrind is faster
				ask(startInstrumentation)
			}
			fillPages()
			runtime.Gosched() // otherwise the scheduler would interrupt the sample sooner
			allocations, bytes := r.sample(numbers)
			if s >= first {
				c.Allocations, c.Bytes = append(c.Allocations, float64(allocations)), append(c.Bytes, float64(bytes))
			}
		}
		ask(stopInstrumentation)
		check(encoder.Encode(c))
	}
}

// fillPages allocates pages until the allocator takes the next ones from an empty run of 64. If a
// single page was left of the run before, each allocation of two pages would take a slower path.
func fillPages() {
	const pageSize = 8192
	for page = nil; page == nil || uintptr(unsafe.Pointer(page))/pageSize%64 != 63; {
		page = new([pageSize]byte)
	}
}

var page *[8192]byte

// sample calls run with each of the numbers. It returns what that allocates. The instructions are
// written to a file.
func (r row) sample(numbers []int) (allocations, bytes uint64) {
	var start, end runtime.MemStats
	if r.before == nil {
		runtime.ReadMemStats(&start)
		ask(zeroStats)
		for _, i := range numbers {
			r.run(i)
		}
		ask(dumpStats)
		runtime.ReadMemStats(&end)
		return end.Mallocs - start.Mallocs, end.TotalAlloc - start.TotalAlloc
	}
	runtime.LockOSThread() // callgrind toggles the thread
	defer runtime.UnlockOSThread()
	ask(toggleCollect)
	ask(zeroStats)
	for _, i := range numbers {
		r.before(i)
		runtime.ReadMemStats(&start)
		ask(toggleCollect)
		r.run(i)
		ask(toggleCollect)
		runtime.ReadMemStats(&end)
		allocations, bytes = allocations+end.Mallocs-start.Mallocs, bytes+end.TotalAlloc-start.TotalAlloc
	}
	ask(dumpStats)
	ask(toggleCollect)
	return allocations, bytes
}

// The client requests of callgrind.h.
const (
	dumpStats = 0x43540000 + iota // writes the instructions since the last dump or zeroStats to a file
	zeroStats
	toggleCollect // of the thread
	_
	startInstrumentation // without it nothing is counted
	stopInstrumentation
)

// ask sends a request to valgrind.
func ask(code uint64) { request(&[6]uint64{code}) }

//go:noescape
func request(args *[6]uint64)

func check(errs ...error) {
	for _, err := range errs {
		if err != nil {
			log.Fatal(fmt.Errorf("cost: %w", err))
		}
	}
}
