package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A batch has one event for each record with a net change, and a revision only if
// there is an event.
func TestBatchEvents(t *testing.T) {
	type event struct {
		ID       int
		Text     string // "-" for a deletion
		Inserted bool
	}
	insert := func(tx *Tx, id int, text string) { tx.Write(Change{New: newEntry(id, text)}) }
	update := func(tx *Tx, id int, text string) { tx.Write(Change{tx.Get(id), newEntry(id, text)}) }
	remove := func(tx *Tx, id int) { tx.Write(Change{Old: tx.Get(id)}) }
	for _, row := range []struct {
		reason string
		batch  func(tx *Tx)
		want   []event
	}{
		{"no writes", func(*Tx) {}, nil},
		{"inserted and deleted", func(tx *Tx) { insert(tx, 9, "x"); remove(tx, 9) }, nil},
		{"inserted, updated and deleted", func(tx *Tx) { insert(tx, 9, "x"); update(tx, 9, "y"); remove(tx, 9) }, nil},
		{"inserted and updated", func(tx *Tx) { insert(tx, 9, "x"); update(tx, 9, "y") }, []event{{9, "y", true}}},
		{"updated twice", func(tx *Tx) { update(tx, 1, "x"); update(tx, 1, "y") }, []event{{1, "y", false}}},
		{"updated and deleted", func(tx *Tx) { update(tx, 1, "x"); remove(tx, 1) }, []event{{1, "-", false}}},
		{"deleted and inserted", func(tx *Tx) { remove(tx, 1); insert(tx, 1, "x") }, []event{{1, "x", false}}},
		{"deleted, inserted, deleted", func(tx *Tx) { remove(tx, 1); insert(tx, 1, "x"); remove(tx, 1) }, []event{{1, "-", false}}},
		{"sorted by id", func(tx *Tx) { insert(tx, 9, "x"); remove(tx, 2); update(tx, 1, "y") },
			[]event{{1, "y", false}, {2, "-", false}, {9, "x", true}}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := newStore(t, newSchema(10), 2)
			if err := c.Batch(func(tx *Tx) error { row.batch(tx); return nil }); err != nil {
				t.Fatal(err)
			}
			events, _, now := c.Since(2)
			var got []event
			for i, ev := range events {
				text := "-"
				if ev.New != nil {
					text = recordOf(ev.New).text
				}
				got = append(got, event{ev.ID, text, ev.Inserted})
				if ev.Revision != 3 || ev.Last != (i == len(events)-1) {
					t.Errorf("event %d has revision %d, last %v, want 3, %v", i, ev.Revision, ev.Last, i == len(events)-1)
				}
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if want := 2 + uint64(min(1, len(row.want))); now != want {
				t.Errorf("Since(2) has revision %d, want %d", now, want)
			}
		})
	}
}

// Used ids are remembered, including those of records that were inserted and deleted
// in one batch.
func TestUsedIDs(t *testing.T) {
	insertAndDelete := func(id int) func(c *Store) {
		return func(c *Store) {
			err := c.Batch(func(tx *Tx) error {
				tx.Write(Change{New: newEntry(id, "")})
				tx.Write(Change{Old: tx.Get(id)})
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	load := func(used int, ids ...int) func(c *Store) {
		return func(c *Store) {
			var entries []*Entry
			for _, id := range ids {
				entries = append(entries, newEntry(id, ""))
			}
			Replace([]Replacement{{Store: c, Entries: entries, UsedID: used}})
		}
	}
	for _, row := range []struct {
		reason          string
		writes          []func(c *Store)
		last, used, max int
	}{
		{"no writes", nil, 0, 0, 0},
		{"inserted", []func(c *Store){func(c *Store) { put(c, &record{}); put(c, &record{}) }}, 2, 2, 2},
		{"deleted", []func(c *Store){func(c *Store) { put(c, &record{}); put(c, &record{}); remove(c, 2) }}, 2, 2, 1},
		{"a batch", []func(c *Store){func(c *Store) { putAll(c, manyRecords()...) }}, 9, 9, 9},
		{"inserted and deleted in a batch", []func(c *Store){insertAndDelete(7)}, 7, 7, 0},
		{"inserted and deleted in a batch with another change", []func(c *Store){func(c *Store) {
			if err := c.Batch(func(tx *Tx) error {
				tx.Write(Change{New: newEntry(7, "")})
				tx.Write(Change{New: newEntry(3, "")})
				tx.Write(Change{Old: tx.Get(7)})
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}}, 7, 7, 3},
		{"replaced", []func(c *Store){insertAndDelete(70), load(0, 1, 5)}, 70, 5, 5},
		{"replaced, with a higher used id", []func(c *Store){load(30, 1, 5)}, 30, 30, 5},
		{"replaced, with a lower used id", []func(c *Store){load(3, 1, 5)}, 5, 5, 5},
		{"inserted and deleted in a batch with another change, after a replacement", []func(c *Store){insertAndDelete(70), load(0, 1), func(c *Store) {
			if err := c.Batch(func(tx *Tx) error {
				tx.Write(Change{New: newEntry(50, "")})
				tx.Write(Change{Old: tx.Get(50)})
				tx.Write(Change{New: newEntry(2, "")})
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}}, 70, 50, 2},
		{"replaced by no records", []func(c *Store){load(0, 5), load(0)}, 5, 0, 0},
		{"a used id written after a replacement", []func(c *Store){insertAndDelete(70), load(0, 1), func(c *Store) {
			put(c, &record{Entry: Entry{50}})
			remove(c, 50)
		}}, 70, 50, 1},
		{"a used id inserted and deleted in a batch after a replacement", []func(c *Store){insertAndDelete(70), load(0, 1), insertAndDelete(50)}, 70, 50, 1},
	} {
		c := newStore(t, newSchema(5), 0)
		for _, write := range row.writes {
			write(c)
		}
		for what, s := range map[string]*State{"store": c.Current(), "clone": Clone(c)[0].Current()} {
			got := []int{s.LastID(), s.UsedID(), s.MaxID()}
			if diff := cmp.Diff([]int{row.last, row.used, row.max}, got); diff != "" {
				t.Errorf("%s: LastID, UsedID and MaxID of the %s (-want +got):\n%s", row.reason, what, diff)
			}
		}
	}
}

// A Tx sees its own writes, which others do not see before the batch ends.
func TestTx(t *testing.T) {
	c := newStore(t, newSchema(0), 3)
	var saved *Tx
	err := c.Batch(func(tx *Tx) error {
		saved = tx
		tx.Write(Change{New: newEntry(9, "")})
		tx.Write(Change{Old: tx.Get(9)})
		tx.Write(Change{Old: tx.Get(2)})
		if tx.Done() || tx.Len() != 2 || tx.LastID() != 9 || tx.Get(2) != nil || tx.Get(9) != nil || tx.Get(1) != c.Get(1) {
			t.Errorf("Done() = %v, Len() = %d, LastID() = %d, want false, 2, 9", tx.Done(), tx.Len(), tx.LastID())
		}
		if c.Len() != 3 || c.Get(2) == nil {
			t.Error("the batch is visible before it ends")
		}
		return nil
	})
	if err != nil || !saved.Done() {
		t.Errorf("Batch() = %v, then Done() = %v, want nil, true", err, saved.Done())
	}
	defer func() {
		if recover(); !saved.Done() {
			t.Error("Done() = false after a panic")
		}
	}()
	c.Batch(func(tx *Tx) error { saved = tx; panic("in f") })
}
