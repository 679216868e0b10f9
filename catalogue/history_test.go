package catalogue

import (
	"runtime"
	"testing"
	"weak"
)

// TestTrimmedHistoryIsCollected checks that a record becomes garbage once its changes
// have left the history, even if they have been read.
func TestTrimmedHistoryIsCollected(t *testing.T) {
	type large struct {
		ID   int        `json:"id"`
		Data [1000]byte `json:"data"`
	}
	for _, history := range []int{5, 64, 2000} {
		c, err := NewCollection[large](Options{History: history})
		if err != nil {
			t.Fatal(err)
		}
		id, err := c.Insert(large{})
		if err != nil {
			t.Fatal(err)
		}
		record := weak.Make(c.store.Get(id))
		if err := c.Delete(id); err != nil {
			t.Fatal(err)
		}
		if changes, _, err := c.Since(0); len(changes) != 2 || err != nil {
			t.Fatalf("Since(0) = %d changes, %v, want 2", len(changes), err)
		}
		if runtime.GC(); record.Value() == nil {
			t.Errorf("history of %d: the record was collected before its change left the history", history)
		}
		for range history {
			if _, err := c.Upsert(large{ID: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if runtime.GC(); record.Value() != nil {
			t.Errorf("history of %d: the record is still reachable", history)
		}
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	}
}
