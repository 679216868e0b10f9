package store

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

// The queries of a batch find its writes. Those of the store do not, until the batch ends.
func TestFindInBatch(t *testing.T) {
	rng := random(t)
	for range 60 {
		c := newStore(t, newSchema(0), 0)
		for range rng.IntN(40) {
			put(c, randomRecord(rng, 0))
		}
		if rng.IntN(2) == 0 {
			ordered(t, c, "number,-text")
		}
		fails := rng.IntN(3) == 0
		before := c.Current().Entries()
		var last []*Entry
		err := c.Batch(func(tx *Tx) error {
			for range 1 + rng.IntN(12) {
				last = entriesOfBatch(tx, 60)
				switch n := rng.IntN(4); {
				case n == 0:
					cond := randomCondition(rng)
					terms := []string{"", "-number", "text,number", "note"}[rng.IntN(4)]
					q := Query{Where: conditions(t, cond.Condition), Terms: parse(terms)}
					if diff := cmp.Diff(selected(last, terms, cond.holds), found(t, tx, q), emptyIsNil); diff != "" {
						t.Errorf("batch: %v by %q (-want +got):\n%s", cond.Condition, terms, diff)
					}
					if diff := cmp.Diff(selected(before, terms, cond.holds), found(t, c, q), emptyIsNil); diff != "" {
						t.Errorf("store during the batch: %v by %q (-want +got):\n%s", cond.Condition, terms, diff)
					}
				case n == 1:
					if diff := cmp.Diff(sorted(last, "text,-number"), ordered(t, tx, "text,-number")); diff != "" {
						t.Errorf("batch without conditions (-want +got):\n%s", diff)
					}
				default:
					writeRandom(rng, tx, 60)
				}
			}
			last = entriesOfBatch(tx, 60)
			if fails {
				return errors.New("refused")
			}
			return nil
		})
		if fails != (err != nil) {
			t.Fatal(err)
		}
		want := last
		if fails {
			want = before
		}
		if diff := cmp.Diff(ids(want), ids(c.Current().Entries())); diff != "" {
			t.Errorf("after the batch (-want +got):\n%s", diff)
		}
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	}
}

// writeRandom inserts, updates or deletes a record with an id of at most n.
func writeRandom(rng *rand.Rand, tx *Tx, n int) {
	ch := Change{Old: tx.Get(1 + rng.IntN(n))}
	if ch.Old == nil || rng.IntN(2) == 0 {
		id := 1 + rng.IntN(n)
		ch = Change{tx.Get(id), &randomRecord(rng, id).Entry}
	}
	tx.Write(ch)
}

// entriesOfBatch returns the entries that tx.Get returns for the ids up to n.
func entriesOfBatch(tx *Tx, n int) (entries []*Entry) {
	for id := range n {
		if e := tx.Get(id + 1); e != nil {
			entries = append(entries, e)
		}
	}
	return entries
}

// After its batch, whether it succeeded or not, a Tx returns ErrTxDone.
func TestFindAfterBatch(t *testing.T) {
	c := newStore(t, newSchema(0), 3)
	for _, end := range []string{"success", "error", "panic"} {
		for _, queried := range []bool{false, true} {
			var saved *Tx
			func() {
				defer func() { recover() }()
				c.Batch(func(tx *Tx) error {
					saved = tx
					if queried {
						found(t, tx, Query{Where: conditions(t, ordering.Equal("number", 1))})
					}
					switch end {
					case "error":
						return errors.New("refused")
					case "panic":
						panic("in f")
					}
					return nil
				})
			}()
			for _, q := range []Query{{}, {Where: conditions(t, ordering.Equal("number", 1))}, {Terms: parse("no_such")}} {
				for method, err := range errorsOf(t, saved, q) {
					if !errors.Is(err, ErrTxDone) {
						t.Errorf("%s after %s: error %v, want %v", method, end, err, ErrTxDone)
					}
				}
			}
		}
	}
}

// A query of a batch whose last record with a member is deleted, or whose first one is
// inserted, knows the fields of the batch.
func TestFindMembersInBatch(t *testing.T) {
	c := newStore(t, newMemberSchema(), 0)
	put(c, &record{number: 1, members: []string{"old"}})
	put(c, &record{number: 2, members: []string{"common"}})
	q := func(field string) Query { return Query{Where: conditions(t, ordering.NotNull(field))} }
	err := c.Batch(func(tx *Tx) error {
		tx.Write(Change{New: &(&record{Entry: Entry{3}, number: 1, members: []string{"new"}}).Entry})
		if diff := cmp.Diff([]int{3}, found(t, tx, q("new"))); diff != "" {
			t.Errorf("a new member (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]int{1}, found(t, tx, q("old"))); diff != "" {
			t.Errorf("a member (-want +got):\n%s", diff)
		}
		tx.Write(Change{Old: tx.Get(1)})
		for method, err := range errorsOf(t, tx, q("old")) {
			if !errors.Is(err, ordering.ErrUnknownField) {
				t.Errorf("%s with a member that no record has any more: error %v", method, err)
			}
		}
		for method, err := range errorsOf(t, c, q("new")) {
			if !errors.Is(err, ordering.ErrUnknownField) {
				t.Errorf("%s of the store with a member of the batch alone: error %v", method, err)
			}
		}
		if diff := cmp.Diff([]int{1}, found(t, c, q("old"))); diff != "" {
			t.Errorf("the store (-want +got):\n%s", diff)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{3}, found(t, c, q("new"))); diff != "" {
		t.Errorf("after the batch (-want +got):\n%s", diff)
	}
}

// The records of a scan are those of the batch when Scan was called, even if the batch
// writes while it is read.
func TestScanInBatch(t *testing.T) {
	c := newStore(t, newSchema(0), 300)
	for _, list := range [][]ordering.Condition{nil, {ordering.Equal("number", 3)}, {ordering.Equal("number", 3), ordering.NotNull("text")}} {
		for _, terms := range []string{"", "-number", "text"} {
			err := c.Batch(func(tx *Tx) error {
				q := Query{Where: conditions(t, list...), Terms: parse(terms)}
				found(t, tx, q)
				for _, e := range entriesOfBatch(tx, 300) { // so that the batch has all nodes of its trees to itself
					again := *recordOf(e)
					tx.Write(Change{e, &again.Entry})
				}
				scan, err := tx.Scan(within(t), q)
				if err != nil {
					return err
				}
				want := selected(entriesOfBatch(tx, 300), terms, func(r *record) bool { return len(list) == 0 || r.number == 3 })
				var got []int
				scan(func(e *Entry) bool {
					got = append(got, e.ID)
					tx.Write(Change{Old: tx.Get(e.ID)})
					return true
				})
				if !slices.Equal(got, want) {
					t.Errorf("%v by %q: scanned %v, want %v", list, terms, got, want)
				}
				if left := found(t, tx, q); len(left) > 0 {
					t.Errorf("%v by %q: %v are left", list, terms, left)
				}
				return errors.New("undo")
			})
			if err == nil || err.Error() != "undo" {
				t.Fatal(err)
			}
		}
	}
}
