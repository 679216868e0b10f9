package catalogue

import (
	"encoding/json"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A slowValue is a value whose MarshalJSON, which makes its key, can be paused.
type slowValue struct {
	N     int
	pause *pause
}

// A pause stops the goroutine that reaches it first until resume is closed.
type pause struct {
	reached, resume chan struct{}
	once            sync.Once
	panics          bool // when resumed
}

func (v slowValue) Clone() slowValue { return v }

func (v slowValue) MarshalJSON() ([]byte, error) {
	if p := v.pause; p != nil {
		p.once.Do(func() {
			close(p.reached)
			<-p.resume
			if p.panics {
				panic("MarshalJSON panics")
			}
		})
	}
	return json.Marshal(v.N)
}

type slowRecord struct {
	ID    int       `json:"id"`
	Value slowValue `json:"value"`
	N     int       `json:"n"`
}

// checkAtEnd checks the invariants of a collection or a catalogue when the test ends.
func checkAtEnd(t *testing.T, c interface{ Check() error }) {
	t.Cleanup(func() {
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	})
}

// pauseAtKey makes the next goroutine pause that makes the key of a stored record.
func pauseAtKey(c *Collection[slowRecord], id int, panics bool) *pause {
	p := &pause{reached: make(chan struct{}), resume: make(chan struct{}), panics: panics}
	recordOf[slowRecord](c.store.Get(id)).Value.pause = p
	return p
}

var byValue = []ordering.Term{ordering.Asc("value"), ordering.Desc("n")}

// An old snapshot keeps the indexes that it builds, within bounds.
func TestIndexesOfOldSnapshot(t *testing.T) {
	cat, _ := benchHouse(t, 200)
	events := mustIn(definedEvents, cat)
	old := events.Snapshot()
	if err := events.Delete(1); err != nil {
		t.Fatal(err)
	}
	for _, f := range FieldNames(events) {
		for range 2 {
			if v, err := old.Where().View(pagination.Window{Limit: 1000}, ordering.Asc(f), ordering.Desc("slug")); err != nil || v.Len() != 200 {
				t.Fatalf("View ordered by %s: %d records, %v, want 200", f, v.Len(), err)
			}
		}
	}
	if err := old.typ.checkState(old.state, old.state.Check()); err != nil {
		t.Error(err)
	}
}

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
	cat, _ := benchHouse(t, records)
	events := mustIn(definedEvents, cat)
	all := combinations(FieldNames(events), orderings)
	if len(all) != orderings {
		t.Fatalf("%d combinations, want %d", len(all), orderings)
	}
	window := pagination.Window{Limit: 21, Offset: records / 2}
	read := func(terms ...ordering.Term) time.Duration {
		start := time.Now()
		v, err := events.Where().View(window, terms...)
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
	if err := cat.Check(); err != nil {
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
