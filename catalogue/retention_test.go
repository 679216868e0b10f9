package catalogue

import (
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// heapInUse returns the bytes that the garbage collector leaves.
func heapInUse() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A weighty record refers to much memory.
type weighty struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Mass []byte `json:"mass"`
}

func weightyCollection(t *testing.T, opts Options) *Collection[weighty] {
	t.Helper()
	c, err := NewCollection[weighty](opts)
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, c)
	if _, err := c.View(pagination.Window{}, ordering.Asc("name")); err != nil {
		t.Fatal(err)
	}
	return c
}

// Records that were deleted or replaced are garbage at once if no snapshot, view
// or history holds them.
func TestRemovedRecordsAreGarbage(t *testing.T) {
	const mass = 1 << 20
	insert := func(t *testing.T, c *Collection[weighty], n int) {
		for i := range n {
			if _, err := c.Insert(weighty{Name: strings.Repeat("x", i%9), Mass: make([]byte, mass)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, row := range []struct {
		reason string
		opts   Options
		run    func(t *testing.T, c *Collection[weighty])
		keeps  int // records
	}{
		{"all deleted", Options{}, func(t *testing.T, c *Collection[weighty]) {
			insert(t, c, 60)
			for id := range 60 {
				if err := c.Delete(id + 1); err != nil {
					t.Fatal(err)
				}
			}
		}, 0},
		{"more than fit in a node, all but ten deleted", Options{}, func(t *testing.T, c *Collection[weighty]) {
			insert(t, c, 200)
			for id := range 190 {
				if err := c.Delete(200 - id); err != nil {
					t.Fatal(err)
				}
			}
		}, 10 + 10/8 + 1},
		{"each replaced", Options{}, func(t *testing.T, c *Collection[weighty]) {
			insert(t, c, 130)
			for id := range 130 {
				if err := c.Update(id+1, func(r *weighty) error { r.Mass = r.Mass[:1]; return nil }); err != nil {
					t.Fatal(err)
				}
			}
		}, 130/8 + 1},
		{"one replaced over and over, one change kept", Options{History: 1}, func(t *testing.T, c *Collection[weighty]) {
			for range 100 {
				if _, err := c.Upsert(weighty{ID: 1, Mass: make([]byte, mass)}); err != nil {
					t.Fatal(err)
				}
			}
		}, 1},
		{"deleted in a batch", Options{}, func(t *testing.T, c *Collection[weighty]) {
			insert(t, c, 60)
			err := c.Batch(func(tx *Tx[weighty]) error {
				for id := range 60 {
					if err := tx.Delete(id + 1); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}, 0},
		{"pages read between the writes", Options{}, func(t *testing.T, c *Collection[weighty]) {
			insert(t, c, 40)
			for id := range 40 {
				for range 200 {
					if _, err := c.View(pagination.Window{Limit: 21}, ordering.Asc("name")); err != nil {
						t.Fatal(err)
					}
				}
				if err := c.Delete(id + 1); err != nil {
					t.Fatal(err)
				}
			}
		}, 0},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := weightyCollection(t, row.opts)
			before := heapInUse()
			row.run(t, c)
			if kept := (heapInUse() - before + mass/2) / mass; kept > row.keeps {
				t.Errorf("%d records are held, want at most %d", kept, row.keeps)
			}
			runtime.KeepAlive(c)
		})
	}
}

// A clone does not hold the store of its original, nor a snapshot the live one.
func TestCopiesDoNotHoldTheOriginal(t *testing.T) {
	for reason, keep := range map[string]func(c *Collection[weighty]) any{
		"a clone":    func(c *Collection[weighty]) any { return c.Clone() },
		"a snapshot": func(c *Collection[weighty]) any { return c.Snapshot() },
		"a view": func(c *Collection[weighty]) any {
			v, err := c.View(pagination.Window{Limit: 1})
			if err != nil {
				t.Error(err)
			}
			return v
		},
	} {
		c, err := NewCollection[weighty](Options{}) // without a cleanup, which would hold it
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Insert(weighty{Mass: make([]byte, 1000)}); err != nil {
			t.Fatal(err)
		}
		kept := keep(c)
		if _, err := c.Insert(weighty{Mass: make([]byte, 1000)}); err != nil {
			t.Fatal(err)
		}
		original, later := weak.Make(c.store), weak.Make(c.store.Get(2))
		if original.Value() == nil || later.Value() == nil {
			t.Fatal("the weak pointers are empty")
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

// A change that is kept takes little memory, also where clones and writes alternate.
func TestHistoryIsSmallBesideClones(t *testing.T) {
	type small struct {
		ID int `json:"id"`
		N  int `json:"n"`
	}
	const kept = 5000
	c, err := NewCollection[small](Options{History: kept})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if _, err := c.Insert(small{}); err != nil {
			t.Fatal(err)
		}
	}
	before := heapInUse()
	var clone *Collection[small]
	for i := range kept {
		clone = c.Clone()
		if err := c.Update(1+i%10, func(r *small) error { r.N = i; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	changes, _, err := c.Since(c.Snapshot().Revision() - kept)
	if err != nil || len(changes) != kept {
		t.Fatal(len(changes), err)
	}
	changes = nil
	record := 48 // the stored record that a change refers to
	perChange := (heapInUse() - before) / kept
	t.Logf("%d bytes for each change, its record included", perChange)
	if perChange > 75+record {
		t.Errorf("%d bytes for each change, want at most %d", perChange, 75+record)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	if err := clone.Check(); err != nil {
		t.Error(err)
	}
}
