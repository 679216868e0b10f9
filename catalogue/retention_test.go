package catalogue_test

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A largeRecord refers to a large slice.
type largeRecord struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Data []byte `json:"data"`
}

func newLargeCollection(t *testing.T, opts catalogue.Options) *catalogue.Collection[largeRecord] {
	t.Helper()
	c := mustCollection[largeRecord](t, opts)
	must(t, second(c.Where().View(pagination.Window{}, ordering.Asc("name"))))
	return c
}

// TestRemovedRecordsAreCollected checks that deleted and replaced records are garbage as
// soon as no snapshot, view or history holds them.
func TestRemovedRecordsAreCollected(t *testing.T) {
	const size = 1 << 17
	insert := func(t *testing.T, c *catalogue.Collection[largeRecord], n int) {
		for i := range n {
			must(t, second(c.Insert(largeRecord{Name: strings.Repeat("x", i%9), Data: make([]byte, size)})))
		}
	}
	for _, row := range []struct {
		reason string
		opts   catalogue.Options
		run    func(t *testing.T, c *catalogue.Collection[largeRecord])
		keeps  int // number of records that may be held
	}{
		{"all deleted", catalogue.Options{}, func(t *testing.T, c *catalogue.Collection[largeRecord]) {
			insert(t, c, 60)
			for id := range 60 {
				must(t, c.Delete(id+1))
			}
		}, 0},
		{"all but ten deleted, from several nodes", catalogue.Options{}, func(t *testing.T, c *catalogue.Collection[largeRecord]) {
			insert(t, c, 200)
			for id := range 190 {
				must(t, c.Delete(200-id))
			}
		}, 10 + 10/8 + 1},
		{"each replaced", catalogue.Options{}, func(t *testing.T, c *catalogue.Collection[largeRecord]) {
			insert(t, c, 130)
			for id := range 130 {
				must(t, c.Update(id+1, func(r *largeRecord) error { r.Data = r.Data[:1]; return nil }))
			}
		}, 130/8 + 1},
		{"one replaced repeatedly, history of one change", catalogue.Options{History: 1}, func(t *testing.T, c *catalogue.Collection[largeRecord]) {
			for range 100 {
				must(t, second(c.Upsert(largeRecord{ID: 1, Data: make([]byte, size)})))
			}
		}, 2}, // the stored one and the one before the change
		{"deleted in a batch", catalogue.Options{}, func(t *testing.T, c *catalogue.Collection[largeRecord]) {
			insert(t, c, 60)
			err := c.Batch(func(tx *catalogue.Tx[largeRecord]) error {
				for id := range 60 {
					if err := tx.Delete(id + 1); err != nil {
						return err
					}
				}
				return nil
			})
			must(t, err)
		}, 0},
		{"pages read between deletions", catalogue.Options{}, func(t *testing.T, c *catalogue.Collection[largeRecord]) {
			insert(t, c, 40)
			for id := range 40 {
				for range 200 {
					must(t, second(c.Where().View(pagination.Window{Limit: 21}, ordering.Asc("name"))))
				}
				must(t, c.Delete(id+1))
			}
		}, 0},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := newLargeCollection(t, row.opts)
			before := heap()
			row.run(t, c)
			if kept := (heap() - before + size/2) / size; kept > row.keeps {
				t.Errorf("%d removed records are held, want at most %d", kept, row.keeps)
			}
			runtime.KeepAlive(c)
		})
	}
}

// TestOriginalIsCollected checks that clones, snapshots and views do not hold the store
// that they come from.
func TestOriginalIsCollected(t *testing.T) {
	for reason, keep := range map[string]func(c *catalogue.Collection[largeRecord]) any{
		"a clone":    func(c *catalogue.Collection[largeRecord]) any { return c.Clone() },
		"a snapshot": func(c *catalogue.Collection[largeRecord]) any { return c.Snapshot() },
		"a view": func(c *catalogue.Collection[largeRecord]) any {
			v, err := c.Where().View(pagination.Window{Limit: 1})
			if err != nil {
				t.Error(err)
			}
			return v
		},
	} {
		c := mustHave(catalogue.NewCollection[largeRecord](catalogue.Options{})) // no checkAtEnd, which would hold the collection
		must(t, second(c.Insert(largeRecord{Data: make([]byte, 1000)})))
		kept := keep(c)
		must(t, second(c.Insert(largeRecord{Data: make([]byte, 1000)})))
		original, later := weak.Make(catalogue.StoreOf(c)), weak.Make(catalogue.StoreOf(c).Get(2))
		if original.Value() == nil || later.Value() == nil {
			t.Fatal("the weak pointers are nil too early")
		}
		c = nil
		runtime.GC()
		runtime.GC()
		if original.Value() != nil {
			t.Errorf("%s holds the store", reason)
		}
		if later.Value() != nil {
			t.Errorf("%s holds a record that was inserted later", reason)
		}
		runtime.KeepAlive(kept)
	}
}

// TestHistoryMemoryWithClones limits the memory of a change when clones and writes
// alternate.
func TestHistoryMemoryWithClones(t *testing.T) {
	type small struct {
		ID int `json:"id"`
		N  int `json:"n"`
	}
	const kept = 5000
	c := mustCollection[small](t, catalogue.Options{History: kept})
	for range 10 {
		must(t, second(c.Insert(small{})))
	}
	before := heap()
	var clone *catalogue.Collection[small]
	for i := range kept {
		clone = c.Clone()
		must(t, c.Update(1+i%10, func(r *small) error { r.N = i; return nil }))
	}
	changes, _, err := c.Since(c.Snapshot().Revision() - kept)
	if err != nil || len(changes) != kept {
		t.Fatalf("Since returned %d changes, %v, want %d", len(changes), err, kept)
	}
	changes = nil
	const record = 48 // size of the stored record; the one before is that of another change
	perChange := (heap() - before) / kept
	t.Logf("%d bytes for each change and its record", perChange)
	if perChange > 100+record {
		t.Errorf("%d bytes for each change, want at most %d", perChange, 100+record)
	}
	must(t, c.Check())
	must(t, clone.Check())
}

// TestKeyMemory limits what a UUID as the key takes more than an id and the text itself, in a
// collection that is filled record by record in random order, and in one that is loaded.
func TestKeyMemory(t *testing.T) {
	const n, text = 50_000, 48 // the 36 bytes of a UUID in memory
	perRecord := func(reason string, fill func() any) int {
		before := heap()
		c := fill()
		used := (heap() - before) / n
		runtime.KeepAlive(c)
		t.Logf("%s: %d bytes", reason, used)
		return used
	}
	ids := func() *catalogue.Collection[film] { return uncheckedCollection[film](t) }
	keys := func() *catalogue.Collection[ticket] { return uncheckedCollection[ticket](t) }
	for _, row := range []struct {
		reason     string
		byID, uuid func() any
	}{
		{"inserted", func() any { return filled(t, ids(), n, func() film { return film{} }) },
			func() any { return filled(t, keys(), n, func() ticket { return ticket{ID: layout.NewUUID()} }) }},
		{"loaded", func() any { return loadedInto(t, filled(t, ids(), n, func() film { return film{} }), ids()) },
			func() any {
				return loadedInto(t, filled(t, keys(), n, func() ticket { return ticket{ID: layout.NewUUID()} }), keys())
			}},
	} {
		more := perRecord(row.reason+" with a UUID", row.uuid) - perRecord(row.reason+" with an id", row.byID)
		if more > text+60 {
			t.Errorf("%s: a UUID takes %d bytes more than an id, want at most %d", row.reason, more, text+60)
		}
	}
}

// uncheckedCollection returns a collection that no check at the end of the test holds.
func uncheckedCollection[T any](t *testing.T) *catalogue.Collection[T] {
	t.Helper()
	return mustHave(catalogue.NewCollection[T](catalogue.Options{}))
}

// filled inserts n records into a collection and returns it.
func filled[T any](t *testing.T, c *catalogue.Collection[T], n int, record func() T) *catalogue.Collection[T] {
	t.Helper()
	for range n {
		must(t, second(c.Insert(record())))
	}
	return c
}

// loadedInto loads what a collection saves into another one and returns that.
func loadedInto[T any](t *testing.T, from, to *catalogue.Collection[T]) *catalogue.Collection[T] {
	t.Helper()
	var saved bytes.Buffer
	must(t, errors.Join(from.Save(&saved), to.Load(&saved, catalogue.LoadOptions{})))
	return to
}

// TestTrimmedHistoryIsCollected checks that a record becomes garbage once its changes
// have left the history, even if they have been read.
func TestTrimmedHistoryIsCollected(t *testing.T) {
	type large struct {
		ID   int        `json:"id"`
		Data [1000]byte `json:"data"`
	}
	for _, history := range []int{5, 64, 2000} {
		c := mustCollection[large](t, catalogue.Options{History: history})
		id := mustHave(c.Insert(large{}))
		record := weak.Make(catalogue.StoreOf(c).Get(id))
		must(t, c.Delete(id))
		if changes, _, err := c.Since(0); len(changes) != 2 || err != nil {
			t.Fatalf("Since(0) = %d changes, %v, want 2", len(changes), err)
		}
		if runtime.GC(); record.Value() == nil {
			t.Errorf("history of %d: the record was collected before its change left the history", history)
		}
		for range history {
			must(t, second(c.Upsert(large{ID: 1})))
		}
		if runtime.GC(); record.Value() != nil {
			t.Errorf("history of %d: the record is still reachable", history)
		}
	}
}
