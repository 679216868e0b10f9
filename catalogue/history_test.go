package catalogue

import (
	"runtime"
	"testing"
	"weak"
)

// What the history has forgotten is nobody's any more, though a follower has
// seen it.
func TestHistoryLetsGo(t *testing.T) {
	type heavy struct {
		ID   int        `json:"id"`
		Mass [1000]byte `json:"mass"`
	}
	for _, history := range []int{5, 64, 2000} {
		c, err := NewCollection[heavy](Options{History: history})
		if err != nil {
			t.Fatal(err)
		}
		id, err := c.Insert(heavy{})
		if err != nil {
			t.Fatal(err)
		}
		record := weak.Make(c.store.Get(id))
		if err := c.Delete(id); err != nil {
			t.Fatal(err)
		}
		if changes, _, err := c.Since(0); len(changes) != 2 || err != nil {
			t.Fatal(len(changes), err)
		}
		if runtime.GC(); record.Value() == nil {
			t.Errorf("%d kept: the record is gone before its change", history)
		}
		for range history {
			if _, err := c.Upsert(heavy{ID: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if runtime.GC(); record.Value() != nil {
			t.Errorf("%d kept: the record is still there", history)
		}
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	}
}
