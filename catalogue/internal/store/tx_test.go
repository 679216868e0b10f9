package store

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
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
			c := newStore(t, newType(10), 2)
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
		c := newStore(t, newType(5), 0)
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
	c := newStore(t, newType(0), 3)
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

// The queries of a batch find its writes. Those of the store do not, until the batch ends.
func TestFindInBatch(t *testing.T) {
	rng := random(t)
	for range 60 {
		c := newStore(t, newType(0), 0)
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
	c := newStore(t, newType(0), 3)
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
	c := newStore(t, newMemberType(), 0)
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
	c := newStore(t, newType(0), 300)
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

// A panic of a key in a query or a write leaves the batch as it was before the call.
// If the batch fails, nothing is published.
func TestPanicInBatch(t *testing.T) {
	slow := Query{Where: conditions(t, ordering.NotNull("slow"))}
	byID := Query{Where: conditions(t, ordering.AtLeast("id", 1))}
	broken := func(id int) *Entry { return &(&record{Entry: Entry{id}, gate: panickingGate()}).Entry }
	panics := func(reason string, f func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s does not panic", reason)
			}
		}()
		f()
	}
	for _, row := range []struct {
		reason string
		batch  func(tx *Tx)
		want   []int // the records of the batch afterwards
	}{
		{"the first query, after a write whose key panics", func(tx *Tx) {
			tx.Write(Change{New: newEntry(4, "")})
			tx.Write(Change{New: broken(5)})
			tx.Write(Change{New: newEntry(6, "")})
			panics("Page", func() { tx.Page(within(t), slow) })
		}, []int{1, 2, 3, 4, 5, 6}},
		{"a write after a query", func(tx *Tx) {
			found(t, tx, slow)
			tx.Write(Change{New: newEntry(4, "")})
			panics("Write", func() { tx.Write(Change{New: broken(5)}) })
		}, []int{1, 2, 3, 4}},
		{"an update after a query", func(tx *Tx) {
			found(t, tx, slow)
			panics("Write", func() { tx.Write(Change{tx.Get(2), broken(2)}) })
		}, []int{1, 2, 3}},
		{"a query of another field", func(tx *Tx) {
			found(t, tx, Query{Where: conditions(t, ordering.NotNull("number"))})
			tx.Write(Change{New: broken(5)})
			panics("Page", func() { tx.Page(within(t), slow) })
		}, []int{1, 2, 3, 5}},
		{"a filter", func(tx *Tx) {
			found(t, tx, slow)
			recordOf(tx.Get(2)).gate = panickingGate()
			panics("First", func() {
				tx.First(within(t), Query{Where: conditions(t, ordering.NotNull("slow"), ordering.Equal("id", 2))})
			})
		}, []int{1, 2, 3}},
	} {
		c := newStore(t, newType(0), 3)
		before, revision := c.Current().Entries(), c.Revision()
		failed := errors.New("failed")
		err := c.Batch(func(tx *Tx) error {
			row.batch(tx)
			for what, q := range map[string]Query{"by id": byID, "by the slow field": slow} {
				if diff := cmp.Diff(row.want, found(t, tx, q)); diff != "" {
					t.Errorf("%s: the batch %s afterwards (-want +got):\n%s", row.reason, what, diff)
				}
			}
			if diff := cmp.Diff(row.want, ids(entriesOfBatch(tx, 10))); diff != "" {
				t.Errorf("%s: Get in the batch afterwards (-want +got):\n%s", row.reason, diff)
			}
			return failed
		})
		if err != failed || !slices.Equal(before, c.Current().Entries()) || c.Revision() != revision {
			t.Errorf("%s: Batch() = %v, revision %d, want %v, %d", row.reason, err, c.Revision(), failed, revision)
		}
		put(c, &record{})
	}
}
