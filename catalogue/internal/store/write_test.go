package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gobacklist/backlist/ordering"
)

var errFailed = errors.New("failed")

// A write that fails, or that runs code that panics, changes nothing, and the next
// write succeeds.
func TestFailedWrites(t *testing.T) {
	broken := func() *record { return &record{gate: panickingGate()} }
	for _, row := range []struct {
		reason string
		write  func(c, other *Store) error
		want   any // the error or the value of the panic
	}{
		{"prepare fails", func(c, _ *Store) error {
			_, err := c.Write(func(*State) (Change, error) { return Change{New: newEntry(99, "")}, errFailed })
			return err
		}, errFailed},
		{"prepare panics", func(c, _ *Store) error {
			_, err := c.Write(func(*State) (Change, error) { panic("in prepare") })
			return err
		}, "in prepare"},
		{"the key of a written record panics", func(c, _ *Store) error { put(c, broken()); return nil }, "no key"},
		{"a batch fails", func(c, _ *Store) error {
			return c.Batch(func(tx *Tx) error { tx.Write(Change{New: newEntry(99, "")}); return errFailed })
		}, errFailed},
		{"a batch panics", func(c, _ *Store) error {
			return c.Batch(func(tx *Tx) error { tx.Write(Change{Old: tx.Get(1)}); panic("in f") })
		}, "in f"},
		{"a key panics in a small batch", func(c, _ *Store) error { putAll(c, &record{}, broken()); return nil }, "no key"},
		{"a key panics in a large batch", func(c, _ *Store) error { putAll(c, append(manyRecords(), broken())...); return nil }, "no key"},
		{"a key panics in a batch that rebuilds the indexes", func(c, _ *Store) error {
			putAll(c, append(append(append(manyRecords(), manyRecords()...), manyRecords()...), broken())...)
			return nil
		}, "no key"},
		{"a key panics in a replacement of several stores", func(c, other *Store) error {
			r := broken()
			r.ID = 1
			replace(Replacement{Store: other, Entries: entriesOf(&record{Entry: Entry{1}})}, Replacement{Store: c, Entries: entriesOf(r)})
			return nil
		}, "no key"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			stores := []*Store{newStore(t, newType(50), 20), newStore(t, newType(50), 20)}
			var before []*model
			for _, c := range stores {
				for _, terms := range []string{"slow", "number,slow", "text"} {
					ordered(t, c, terms)
				}
				put(c, &record{})
				before = append(before, &model{revision: c.Revision(), last: c.published.Load().LastID(), records: map[int]*record{}})
				for _, e := range c.published.Load().Entries() {
					before[len(before)-1].records[e.ID] = recordOf(e)
				}
			}
			var got any
			func() {
				defer func() {
					if reason := recover(); reason != nil {
						got = reason
					}
				}()
				got = row.write(stores[0], stores[1])
			}()
			if got != row.want {
				t.Errorf("got %v, want %v", got, row.want)
			}
			for i, c := range stores {
				s, want := c.published.Load(), before[i]
				if !slices.Equal(want.entries(), s.Entries()) || s.Revision() != want.revision || s.LastID() != want.last {
					t.Errorf("store %d has changed", i)
				}
				must(t, c.Check())
				put(c, &record{})
				putAll(c, manyRecords()...)
			}
		})
	}
}

// Readers do not wait for the callbacks that a writer runs, and these may
// read itself. An index that is built meanwhile includes the write.
func TestReadsDuringWrites(t *testing.T) {
	for reason, write := range map[string]func(c *Store, wait func(), r *record){
		"a write": func(c *Store, wait func(), r *record) {
			c.Write(func(s *State) (Change, error) {
				r.ID = s.LastID() + 1
				wait()
				return Change{New: &r.Entry}, nil
			})
		},
		"a batch": func(c *Store, wait func(), r *record) {
			c.Batch(func(tx *Tx) error {
				r.ID = tx.LastID() + 1
				tx.Write(Change{New: &r.Entry})
				wait()
				return nil
			})
		},
		"the keys of a write": func(c *Store, wait func(), r *record) {
			r.gate = newGate()
			go func() { <-r.gate.entered; wait(); close(r.gate.leave) }()
			put(c, r)
		},
		"the keys of a batch": func(c *Store, wait func(), r *record) {
			r.gate = newGate()
			go func() { <-r.gate.entered; wait(); close(r.gate.leave) }()
			putAll(c, append(manyRecords(), r)...)
		},
	} {
		t.Run(reason, func(t *testing.T) {
			c := newStore(t, newType(10), 20)
			ordered(t, c, "slow")
			write(c, func() {
				for _, terms := range []string{"", "slow", "number", "text,number"} {
					if n := len(ordered(t, c, terms)); n != 20 {
						t.Errorf("%d records by %q before the write is visible", n, terms)
					}
				}
				c.Since(0)
				Clone(c)
				Freeze(c)
				if c.Len() != 20 || c.Revision() != 20 || c.Get(21) != nil {
					t.Error("the write is visible before it ends")
				}
			}, &record{})
			for _, terms := range []string{"slow", "number", "text,number"} {
				equal(t, fmt.Sprintf("by %s", terms), sorted(c.Current().Entries(), terms), ordered(t, c, terms))
			}
		})
	}
}

// newUniqueStore returns a store of n records whose text is unique and, except null, so
// is their note.
func newUniqueStore(t *testing.T, n int) *Store {
	typ := newType(0)
	typ.Unique = [][]string{{"text"}, {"note"}, {"id"}, {"text"}, {"id", "number"}}
	c := newStore(t, typ, 0)
	for i := range n {
		put(c, &record{text: fmt.Sprint("text ", i+1)})
	}
	return c
}

// A write or a batch that would make a duplicate is refused and changes nothing.
func TestDuplicates(t *testing.T) {
	a, b := "a", "b"
	type rec struct {
		id   int
		text string
		note *string
	}
	for _, row := range []struct {
		reason string
		writes []rec // a record without a text is deleted
		want   *Duplicate
	}{
		{"a new value", []rec{{9, "x", &a}}, nil},
		{"the value of another record", []rec{{9, "text 2", nil}}, &Duplicate{Fields: []string{"text"}, Other: &Entry{ID: 2}}},
		{"its own value", []rec{{2, "text 2", nil}}, nil},
		{"another value", []rec{{2, "text 20", nil}}, nil},
		{"null equals nothing", []rec{{8, "x", nil}, {9, "y", nil}}, nil},
		{"the same value twice in a batch", []rec{{8, "x", &a}, {9, "y", &a}}, &Duplicate{Fields: []string{"note"}, Other: &Entry{ID: 8}}},
		{"the value that another record of the batch keeps", []rec{{2, "text 2", nil}, {9, "text 2", nil}}, &Duplicate{Fields: []string{"text"}, Other: &Entry{ID: 2}}},
		{"different values", []rec{{8, "x", &a}, {9, "y", &b}}, nil},
		{"the value of a record that the batch deletes", []rec{{2, "", nil}, {9, "text 2", nil}}, nil},
		{"the value of a record that the batch changes", []rec{{2, "x", nil}, {9, "text 2", nil}}, nil},
		{"two records exchange their values", []rec{{2, "text 3", nil}, {3, "text 2", nil}}, nil},
		{"three records exchange their values", []rec{{1, "text 3", nil}, {2, "text 1", nil}, {3, "text 2", nil}}, nil},
		{"a value that the batch writes and changes back", []rec{{9, "text 2", nil}, {9, "y", nil}}, nil},
		{"a value that the batch writes and deletes", []rec{{9, "text 2", nil}, {9, "", nil}}, nil},
		{"the last of several records", []rec{{1, "x", nil}, {2, "y", nil}, {3, "z", nil}, {9, "text 4", nil}}, &Duplicate{Fields: []string{"text"}, Other: &Entry{ID: 4}}},
	} {
		for _, queries := range []bool{false, true} {
			c := newUniqueStore(t, 5)
			before, revision := c.Current().Entries(), c.Revision()
			err := c.Batch(func(tx *Tx) error {
				for _, w := range row.writes {
					ch := Change{Old: tx.Get(w.id)}
					if w.text != "" {
						ch.New = &(&record{Entry: Entry{w.id}, text: w.text, note: w.note}).Entry
					}
					tx.Write(ch)
					if queries { // a duplicate is refused at the end of the batch only
						found(t, tx, Query{Where: conditions(t, ordering.NotNull("text"))})
					}
				}
				return nil
			})
			checkDuplicate(t, row.reason, err, row.want)
			if err != nil && (!slices.Equal(before, c.Current().Entries()) || c.Revision() != revision) {
				t.Errorf("%s: the refused batch changed records", row.reason)
			}
			if err := c.Check(); err != nil {
				t.Errorf("%s: %v", row.reason, err)
			}
		}
	}
	c := newUniqueStore(t, 3)
	_, err := c.Write(func(s *State) (Change, error) { return Change{s.Get(1), newEntry(1, "text 3")}, nil })
	checkDuplicate(t, "a single write", err, &Duplicate{Fields: []string{"text"}, Other: &Entry{ID: 3}})
	if n, err := of(c).Count(within(t), Query{Where: conditions(t, ordering.IsNull("note"))}); n != 3 || err != nil {
		t.Errorf("%d records have no note, %v, want all 3", n, err)
	}
}

// No two records have the same values of a unique set, but any of its fields alone may repeat.
func TestDuplicateSets(t *testing.T) {
	a, b := "a", "b"
	number := func(id int, number int64, note *string) *record {
		return &record{Entry: Entry{id}, number: number, note: note}
	}
	for _, row := range []struct {
		reason string
		writes []*record
		want   int // the id of the other record, or 0
	}{
		{"both values of another record", []*record{number(9, 1, &a)}, 1},
		{"a value of one record, and a greater one of another", []*record{number(9, 1, &b)}, 0},
		{"a value of one record, and a smaller one of another", []*record{number(9, 2, &a)}, 0},
		{"one value of another record", []*record{number(9, 5, &a)}, 0},
		{"its own values", []*record{number(1, 1, &a)}, 0},
		{"null equals nothing", []*record{number(9, 3, nil)}, 0},
		{"two records of a batch with null", []*record{number(8, 4, nil), number(9, 4, nil)}, 0},
		{"the same values twice in a batch", []*record{number(8, 4, &a), number(9, 4, &a)}, 8},
		{"the first value twice in a batch", []*record{number(8, 4, &a), number(9, 4, &b)}, 0},
		{"two records exchange a value", []*record{number(1, 2, &b), number(2, 1, &a)}, 0},
		{"two records exchange a value, and a third takes the old one", []*record{number(1, 2, &b), number(2, 1, &a), number(9, 1, &a)}, 2},
	} {
		for _, set := range [][]string{{"number", "note"}, {"note", "number"}} {
			typ := newType(0)
			typ.Unique = [][]string{set}
			c := newStore(t, typ, 0)
			putAll(c, number(1, 1, &a), number(2, 2, &b), number(3, 3, nil))
			err := c.Batch(func(tx *Tx) error {
				for _, r := range row.writes {
					tx.Write(Change{tx.Get(r.ID), &r.Entry})
				}
				return nil
			})
			var want *Duplicate
			if row.want > 0 {
				want = &Duplicate{Fields: set, Other: &Entry{ID: row.want}}
			}
			checkDuplicate(t, row.reason, err, want)
			if err := c.Check(); err != nil {
				t.Errorf("%s: %v", row.reason, err)
			}
		}
	}
}

func checkDuplicate(t *testing.T, reason string, err error, want *Duplicate) {
	t.Helper()
	var got *Duplicate
	switch {
	case want == nil && err != nil:
		t.Errorf("%s: %v", reason, err)
	case want != nil && !errors.As(err, &got):
		t.Errorf("%s: error %v, want a duplicate", reason, err)
	case want != nil && (!slices.Equal(got.Fields, want.Fields) || got.Other.ID != want.Other.ID):
		t.Errorf("%s: the %s of id %d, want the %s of id %d", reason, got.Fields, got.Other.ID, want.Fields, want.Other.ID)
	}
}

// A unique field of records that may have different fields is known without a record that
// has it, and its index stays when the last such record is deleted.
func TestUniqueMember(t *testing.T) {
	typ := newMemberType()
	typ.Unique = [][]string{{"rare"}}
	c := newStore(t, typ, 0)
	q := Query{Where: conditions(t, ordering.Equal("rare", 1)), Terms: parse("-rare")}
	check := func(reason string, want ...int) {
		t.Helper()
		equal(t, reason, want, found(t, c, q), emptyIsNil)
		if !slices.Contains(indexed(c), "rare") {
			t.Errorf("%s: no index among %v", reason, indexed(c))
		}
	}
	check("no records")
	put(c, &record{number: 1, members: []string{"common"}})
	put(c, &record{number: 1, members: []string{"common"}}) // null equals nothing
	check("no record with the member")
	put(c, &record{number: 1, members: []string{"rare"}})
	check("a record with the member", 3)
	_, err := c.Write(func(s *State) (Change, error) {
		return Change{New: &(&record{Entry: Entry{4}, number: 1, members: []string{"rare"}}).Entry}, nil
	})
	checkDuplicate(t, "a second record with the value", err, &Duplicate{Fields: []string{"rare"}, Other: &Entry{ID: 3}})
	remove(c, 3)
	check("the last record with the member deleted")
	put(c, &record{number: 1, members: []string{"rare"}})
	check("again", 4)
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
			if !saved.Done() {
				t.Errorf("Done() = false after %s", end)
			}
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

// The records of a scan are those of the batch when Scan was called, even if the batch
// writes while it is read.
func TestScanInBatch(t *testing.T) {
	const n = 1500 // more than a scan reads at once
	c := newStore(t, newType(0), n)
	for _, list := range [][]ordering.Condition{nil, {ordering.Equal("number", 3)}, {ordering.Equal("number", 3), ordering.NotNull("text")}} {
		for _, terms := range []string{"", "-number", "text"} {
			err := c.Batch(func(tx *Tx) error {
				q := Query{Where: conditions(t, list...), Terms: parse(terms)}
				if _, err := of(tx).First(within(t), q); err != nil {
					return err
				}
				for _, e := range entriesOfBatch(tx, n) { // so that the batch has all nodes of its trees to itself
					again := *recordOf(e)
					tx.Write(Change{e, &again.Entry})
				}
				scan, err := of(tx).Scan(within(t), q)
				if err != nil {
					return err
				}
				want := selected(entriesOfBatch(tx, n), terms, func(r *record) bool { return len(list) == 0 || r.number == 3 })
				var got []int
				scan(func(e *Entry) bool {
					got = append(got, e.ID)
					tx.Write(Change{Old: tx.Get(e.ID)})
					return true
				})
				if !slices.Equal(got, want) {
					t.Errorf("%v by %q: scanned %v, want %v", list, terms, got, want)
				}
				if left, err := of(tx).Count(within(t), q); left > 0 || err != nil {
					t.Errorf("%v by %q: %d are left, %v", list, terms, left, err)
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
			panics("Page", func() { of(tx).Page(within(t), slow) })
		}, []int{1, 2, 3, 4, 5, 6}},
		{"a write after a query", func(tx *Tx) {
			tx.Write(Change{New: newEntry(4, "")})
			found(t, tx, slow)
			panics("Write", func() { tx.Write(Change{New: broken(5)}) })
		}, []int{1, 2, 3, 4}},
		{"an update after a query", func(tx *Tx) {
			tx.Write(Change{New: newEntry(4, "")})
			found(t, tx, slow)
			panics("Write", func() { tx.Write(Change{tx.Get(2), broken(2)}) })
		}, []int{1, 2, 3, 4}},
		{"a query of another field", func(tx *Tx) {
			found(t, tx, Query{Where: conditions(t, ordering.NotNull("number"))})
			tx.Write(Change{New: broken(5)})
			panics("Page", func() { of(tx).Page(within(t), slow) })
		}, []int{1, 2, 3, 5}},
		{"a filter", func(tx *Tx) {
			found(t, tx, slow)
			recordOf(tx.Get(2)).gate = panickingGate()
			panics("First", func() {
				of(tx).First(within(t), Query{Where: conditions(t, ordering.NotNull("slow"), ordering.Equal("id", 2))})
			})
		}, []int{1, 2, 3}},
	} {
		c := newStore(t, newType(0), 3)
		before, revision := c.Current().Entries(), c.Revision()
		failed := errors.New("failed")
		err := c.Batch(func(tx *Tx) error {
			row.batch(tx)
			for what, q := range map[string]Query{"by id": byID, "by the slow field": slow} {
				equal(t, fmt.Sprintf("%s: the batch %s afterwards", row.reason, what), row.want, found(t, tx, q))
			}
			equal(t, fmt.Sprintf("%s: Get in the batch afterwards", row.reason), row.want, ids(entriesOfBatch(tx, 10)))
			return failed
		})
		if err != failed || !slices.Equal(before, c.Current().Entries()) || c.Revision() != revision {
			t.Errorf("%s: Batch() = %v, revision %d, want %v, %d", row.reason, err, c.Revision(), failed, revision)
		}
		put(c, &record{})
	}
}
