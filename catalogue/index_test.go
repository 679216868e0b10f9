package catalogue

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
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

func slowCollection(t *testing.T, n int) *Collection[slowRecord] {
	t.Helper()
	c, err := NewCollection[slowRecord](Options{Name: "slow"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if _, err := c.Insert(slowRecord{Value: slowValue{N: i % 7}, N: i}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// pauseAtKey makes the next goroutine pause that makes the key of a stored record.
func pauseAtKey(c *Collection[slowRecord], id int, panics bool) *pause {
	p := &pause{reached: make(chan struct{}), resume: make(chan struct{}), panics: panics}
	recordOf[slowRecord](c.store.Get(id)).Value.pause = p
	return p
}

var byValue = []ordering.Term{ordering.Asc("value"), ordering.Desc("n")}

// Building an index blocks neither reads nor writes, and the index contains what was
// written in the meantime.
func TestIndexBuiltDuringWrites(t *testing.T) {
	for _, row := range []struct {
		reason string
		write  func(t *testing.T, c *Collection[slowRecord])
	}{
		{"a few single writes", func(t *testing.T, c *Collection[slowRecord]) { writeSlowRecords(t, c, 5) }},
		{"more writes than one round catches up with", func(t *testing.T, c *Collection[slowRecord]) { writeSlowRecords(t, c, 320) }},
		{"a batch", func(t *testing.T, c *Collection[slowRecord]) {
			err := c.Batch(func(tx *Tx[slowRecord]) error {
				for i := range 100 {
					if _, err := tx.Insert(slowRecord{Value: slowValue{N: i % 5}}); err != nil {
						return err
					}
				}
				return tx.Delete(3)
			})
			if err != nil {
				t.Fatal(err)
			}
		}},
		{"all records replaced", func(t *testing.T, c *Collection[slowRecord]) {
			store.Replace([]store.Replacement{{Store: c.store, Entries: []*store.Entry{newEntry(1000, slowRecord{ID: 1000, Value: slowValue{N: 1}})}}})
		}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := slowCollection(t, 50)
			p := pauseAtKey(c, 1, false)
			pages := make(chan error)
			for range 3 { // the first builds the index, the others wait for it
				go func() {
					v, err := c.Where().View(pagination.Window{Limit: 1 << 20}, byValue...)
					if err == nil && v.Len() != v.Count() {
						err = fmt.Errorf("%d records of %d", v.Len(), v.Count())
					}
					pages <- err
				}()
			}
			<-p.reached
			row.write(t, c)
			if _, err := c.Where().View(pagination.Window{Limit: 5}, ordering.Asc("n")); err != nil {
				t.Error(err)
			}
			close(p.resume)
			for range 3 {
				if err := <-pages; err != nil {
					t.Error(err)
				}
			}
			if err := c.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// writeSlowRecords inserts n records, and updates and deletes some records.
func writeSlowRecords(t *testing.T, c *Collection[slowRecord], n int) {
	t.Helper()
	for i := range n {
		id, err := c.Insert(slowRecord{Value: slowValue{N: i % 3}, N: -i})
		if err == nil && i%2 == 0 {
			err = c.Update(2+i%40, func(r *slowRecord) error { r.Value.N = 99; return nil })
		}
		if err == nil && i%5 == 0 {
			err = c.Delete(id)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A batch that began before an index was built brings it up to date.
func TestIndexBuiltDuringBatch(t *testing.T) {
	c := slowCollection(t, 20)
	err := c.Batch(func(tx *Tx[slowRecord]) error {
		if _, err := tx.Insert(slowRecord{Value: slowValue{N: 3}, N: 7}); err != nil {
			return err
		}
		if v, err := c.Where().View(pagination.Window{Limit: 100}, byValue...); err != nil || v.Len() != 20 {
			return fmt.Errorf("View during a batch: %d records, %v, want 20", v.Len(), err)
		}
		return tx.Delete(1)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

// A panic of MarshalJSON while an index is built reaches only the caller that builds it.
func TestPanicWhileIndexIsBuilt(t *testing.T) {
	c := slowCollection(t, 20)
	p := pauseAtKey(c, 1, true)
	close(p.resume)
	recovered := func() (v any) {
		defer func() { v = recover() }()
		c.Where().View(pagination.Window{Limit: 1}, byValue...)
		return nil
	}()
	if recovered == nil {
		t.Fatal("View does not panic")
	}
	if v, err := c.Where().View(pagination.Window{Limit: 100}, byValue...); err != nil || v.Len() != 20 {
		t.Errorf("View after the panic: %d records, %v, want 20", v.Len(), err)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

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

// Open records are ordered by id while no record has the field of the default ordering.
func TestDefaultOrderingByAbsentField(t *testing.T) {
	c, err := NewCollection[schema.Record](Options{Ordering: []ordering.Term{ordering.Asc("rank")}})
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, c)
	first := func() int {
		t.Helper()
		p, err := c.Page(pagination.Window{Limit: 1})
		if err != nil || len(p.Records) == 0 {
			t.Fatal(p, err)
		}
		for r := range c.All() {
			if r.ID != p.Records[0].ID {
				t.Errorf("first record of All has id %d, of Page id %d", r.ID, p.Records[0].ID)
			}
			break
		}
		return p.Records[0].ID
	}
	insert := func(text string) {
		t.Helper()
		r, err := schema.ParseRecord([]byte(text))
		if err == nil {
			_, err = c.Insert(r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	insert(`{}`)
	insert(`{}`)
	if id := first(); id != 1 {
		t.Errorf("no record has a rank: first id = %d, want 1", id)
	}
	insert(`{"rank":1}`)
	if id := first(); id != 3 {
		t.Errorf("only record 3 has a rank: first id = %d, want 3", id)
	}
	if err := c.Delete(3); err != nil {
		t.Fatal(err)
	}
	if id := first(); id != 1 {
		t.Errorf("record 3 was deleted: first id = %d, want 1", id)
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
