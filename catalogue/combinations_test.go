package catalogue

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// combinations lists so many different orderings of three terms.
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

// A stranger who asks for ever new orderings gets each for a sort, and does not
// fill the memory: it stays below twice what it is with one of them. With
// BACKLIST_COMBINATIONS=1 it is 1,000 of them over 100,000 records, and what
// they cost is told.
func TestManyCombinations(t *testing.T) {
	records, asked := 2000, 200
	if os.Getenv("BACKLIST_COMBINATIONS") != "" {
		records, asked = 100_000, 1000
	}
	house, _ := benchHouse(t, records)
	events := house.Events()
	all := combinations(events.Fields(), asked)
	if len(all) != asked {
		t.Fatalf("%d combinations", len(all))
	}
	page := pagination.Window{Limit: 21, Offset: records / 2}
	ask := func(terms ...ordering.Term) time.Duration {
		start := time.Now()
		v, err := events.View(page, terms...)
		if err != nil || v.Len() != 21 || v.Count() != records {
			t.Fatal(v.Len(), v.Count(), err)
		}
		return time.Since(start)
	}
	ask(all[0]...)
	one := heapInUse()
	alone := medianOf(1000, func() time.Duration { return ask(ordering.Asc("name")) })

	var sorts []time.Duration
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, terms := range all {
			sorts = append(sorts, ask(terms...))
		}
	}()
	beside := make([]time.Duration, 1000) // of the last pages: all of them would weigh too much
	for i, running := 0, true; running; i++ {
		select {
		case <-done:
			running = false
		default:
			beside[i%len(beside)] = ask(ordering.Asc("name"))
		}
	}
	many := heapInUse()
	slices.Sort(sorts)
	slices.Sort(beside)
	t.Logf("%d records: a new combination takes %v, the slowest of %d %v; heap %.2f times that with one; a page by name %v, beside them %v",
		records, sorts[len(sorts)/2], len(sorts), sorts[len(sorts)-1], float64(many)/float64(one), alone, beside[len(beside)/2])
	if many > 2*one {
		t.Errorf("the heap has grown from %d to %d bytes", one, many)
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

func medianOf(n int, f func() time.Duration) time.Duration {
	all := make([]time.Duration, n)
	for i := range all {
		all[i] = f()
	}
	slices.Sort(all)
	return all[n/2]
}
