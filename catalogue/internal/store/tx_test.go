package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gobacklist/backlist/ordering"
)

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
