package catalogue

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// combinations returns at most n different orderings of three terms.
func combinations(fields []string, n int) (all [][]ordering.Term) {
	for _, a := range fields {
		for _, b := range fields {
			for _, c := range fields {
				if a == "id" || b == "id" || c == "id" || a == b || b == c || a == c {
					continue
				}
				all = append(all, []ordering.Term{ordering.Asc(a), ordering.Desc(b), ordering.Asc(c)})
				if len(all) == n {
					return all
				}
			}
		}
	}
	return all
}

// Many different orderings take less than twice the memory of one. With
// BACKLIST_COMBINATIONS=1 the test requests 1,000 orderings of 100,000 records; with -v it
// logs what they cost.
func TestManyCombinations(t *testing.T) {
	records, orderings := 2000, 200
	if os.Getenv("BACKLIST_COMBINATIONS") != "" {
		records, orderings = 100_000, 1000
	}
	house, _ := benchHouse(t, records)
	events := house.Events()
	all := combinations(events.Fields(), orderings)
	if len(all) != orderings {
		t.Fatalf("%d combinations, want %d", len(all), orderings)
	}
	window := pagination.Window{Limit: 21, Offset: records / 2}
	read := func(terms ...ordering.Term) time.Duration {
		start := time.Now()
		v, err := events.View(window, terms...)
		if err != nil || v.Len() != 21 || v.Count() != records {
			t.Fatal(v.Len(), v.Count(), err)
		}
		return time.Since(start)
	}
	read(all[0]...)
	one := heapInUse()
	alone := medianOf(1000, func() time.Duration { return read(ordering.Asc("name")) })

	var sorts []time.Duration
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, terms := range all {
			sorts = append(sorts, read(terms...))
		}
	}()
	during := make([]time.Duration, 1000) // the last pages only: all would grow the heap
	for i, running := 0, true; running; i++ {
		select {
		case <-done:
			running = false
		default:
			during[i%len(during)] = read(ordering.Asc("name"))
		}
	}
	many := heapInUse()
	slices.Sort(sorts)
	slices.Sort(during)
	t.Logf("%d records: a new ordering takes %v, the slowest of %d takes %v; the heap is %.2f times that with one ordering; "+
		"a page by name takes %v alone and %v during the test",
		records, sorts[len(sorts)/2], len(sorts), sorts[len(sorts)-1], float64(many)/float64(one), alone, during[len(during)/2])
	if many > 2*one {
		t.Errorf("heap with %d orderings = %d bytes, want at most twice the %d with one", orderings, many, one)
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

// medianOf returns the median of n results of f.
func medianOf(n int, f func() time.Duration) time.Duration {
	all := make([]time.Duration, n)
	for i := range all {
		all[i] = f()
	}
	slices.Sort(all)
	return all[n/2]
}
