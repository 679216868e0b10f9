package store

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

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
		c := newStore(t, newSchema(0), 3)
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
