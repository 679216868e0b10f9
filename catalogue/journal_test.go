package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// logged returns one line for each change of a batch, and one for a commit without changes.
func logged(batch []catalogue.Commit) (lines []string) {
	for _, commit := range batch {
		head := fmt.Sprintf("%s r%d last %d", commit.Collection, commit.Revision, commit.LastID)
		n := len(lines)
		for id, text := range commit.Changes {
			if text == nil {
				text = []byte("deleted")
			}
			lines = append(lines, fmt.Sprintf("%s: %v %s", head, id, text))
		}
		if len(lines) == n {
			lines = append(lines, head)
		}
	}
	return lines
}

// journalTests are writes to a shop, each of which is one batch.
var journalTests = []struct {
	reason string
	write  func(c *catalogue.Catalogue) error
	want   []string
}{
	{"an inserted record", func(c *catalogue.Catalogue) error {
		return second(mustIn(customers, c).Insert(mustRecord(`{"email":"x"}`)))
	}, []string{`customers r2 last 3: 3 {"id":3,"email":"x"}`}},
	{"a replaced record", func(c *catalogue.Catalogue) error {
		return second(mustIn(customers, c).Upsert(mustRecord(`{"id":2}`)))
	}, []string{`customers r2 last 2: 2 {"id":2}`}},
	{"a deleted record", func(c *catalogue.Catalogue) error { return mustIn(orders, c).Delete(1) },
		[]string{`orders r2 last 1: 1 deleted`}},
	{"several writes to one collection", func(c *catalogue.Catalogue) error {
		return mustIn(orders, c).Batch(func(tx *catalogue.Tx[schema.Record]) error {
			tx.Delete(1)
			tx.Insert(mustRecord(`{"n":1}`))
			return second(tx.Upsert(mustRecord(`{"id":2,"n":2}`)))
		})
	}, []string{`orders r2 last 2: 1 deleted`, `orders r2 last 2: 2 {"id":2,"n":2}`}},
	{"an id that was used by a record that the batch deleted", func(c *catalogue.Catalogue) error {
		return mustIn(orders, c).Batch(func(tx *catalogue.Tx[schema.Record]) error {
			id, _ := tx.Insert(mustRecord(`{}`))
			return tx.Delete(id)
		})
	}, []string{`orders r1 last 2`}},
	{"a batch of two collections", func(c *catalogue.Catalogue) error { return c.Batch(placeOrder) },
		[]string{`orders r2 last 2: 2 {"id":2,"customer":3}`, `customers r2 last 3: 3 {"id":3,"email":"e@f"}`}},
	{"a posted record, whose reference changes nothing", func(c *catalogue.Catalogue) error {
		coll, _ := c.Collection("orders")
		return second(coll.Create(context.Background(), []byte(`{"customer":2}`), schema.Record{}))
	}, []string{`orders r2 last 2: 2 {"id":2,"customer":2}`}},
	{"a deletion that removes a reference", func(c *catalogue.Catalogue) error {
		coll, _ := c.Collection("customers")
		return coll.Delete(context.Background(), "2", schema.Filter{}, nil)
	}, []string{`customers r2 last 2: 2 deleted`, `coupons r2 last 1: 1 {"id":1,"customers":[1]}`}},
	{"the records that conditions select", func(c *catalogue.Catalogue) error {
		return second(mustIn(customers, c).Where(ordering.Equal("balance", 0)).Delete())
	}, []string{`customers r2 last 2: 2 deleted`}},
	{"a batch that is too large to be applied in place", func(c *catalogue.Catalogue) error {
		return mustIn(orders, c).Batch(func(tx *catalogue.Tx[schema.Record]) error {
			for range 10 {
				tx.Insert(mustRecord(`{}`))
			}
			for id := 2; id < 11; id++ {
				tx.Delete(id)
			}
			for id := 12; id < 21; id++ {
				tx.Upsert(mustRecord(fmt.Sprintf(`{"id":%d}`, id)))
			}
			return nil
		})
	}, []string{
		`orders r2 last 20: 11 {"id":11}`, `orders r2 last 20: 12 {"id":12}`, `orders r2 last 20: 13 {"id":13}`, `orders r2 last 20: 14 {"id":14}`,
		`orders r2 last 20: 15 {"id":15}`, `orders r2 last 20: 16 {"id":16}`, `orders r2 last 20: 17 {"id":17}`, `orders r2 last 20: 18 {"id":18}`,
		`orders r2 last 20: 19 {"id":19}`, `orders r2 last 20: 20 {"id":20}`,
	}},
	{"all records, and the deletion of those that are not loaded", func(c *catalogue.Catalogue) error {
		return c.Load(strings.NewReader(`{"customers":[{"id":2},{"id":7}],"coupons":[]}`), catalogue.LoadOptions{})
	}, []string{
		`customers r2 last 7: 1 deleted`, `customers r2 last 7: 2 {"id":2}`, `customers r2 last 7: 7 {"id":7}`, `coupons r2 last 1: 1 deleted`,
	}},
	{"a load of one collection", func(c *catalogue.Catalogue) error {
		return mustIn(orders, c).Load(strings.NewReader(`[{"id":4}]`), catalogue.LoadOptions{})
	}, []string{`orders r2 last 4: 1 deleted`, `orders r2 last 4: 4 {"id":4}`}},
	{"replaced records", func(c *catalogue.Catalogue) error {
		return mustIn(orders, c).ReplaceAll(slices.Values([]schema.Record{mustRecord(`{}`)}))
	}, []string{`orders r2 last 2: 1 deleted`, `orders r2 last 2: 2 {"id":2}`}},
}

func TestJournal(t *testing.T) {
	for _, test := range journalTests {
		t.Run(test.reason, func(t *testing.T) {
			c := newShop(t)
			before := saved(t, c)
			var got [][]string
			err := c.Journal(func(batch []catalogue.Commit) error {
				got = append(got, logged(batch))
				equal(t, "before the journal has returned", before, saved(t, c))
				return nil
			})
			if err == nil {
				err = test.write(c)
			}
			if diff := cmp.Diff([][]string{test.want}, got); err != nil || diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
			for _, commit := range got[0] {
				key, _, _ := strings.Cut(commit, " ")
				coll, _ := c.Collection(key)
				if now := coll.Revision(); !strings.HasPrefix(commit, fmt.Sprintf("%s r%d ", key, now)) {
					t.Errorf("%s: the revision is %d", commit, now)
				}
			}
		})
	}
}

// TestJournalFails checks that a write changes nothing if the journal does not return nil, and
// that later writes are not disturbed.
func TestJournalFails(t *testing.T) {
	ends := map[string]func() error{
		"stop":           func() error { return errStop },
		"panic: no":      func() error { panic("no") },
		"runtime.Goexit": func() error { runtime.Goexit(); return nil },
	}
	for want, end := range ends {
		for _, test := range journalTests {
			t.Run(want+", "+test.reason, func(t *testing.T) {
				c := newShop(t)
				before := saved(t, c)
				c.Journal(func([]catalogue.Commit) error { return end() })
				if err := ended(func() error { return test.write(c) }); err == nil || err.Error() != want {
					t.Errorf("%v, want %s", err, want)
				}
				equal(t, "the result", before, saved(t, c))
				var got []string
				c.Journal(func(batch []catalogue.Commit) error { got = logged(batch); return nil })
				if err := test.write(c); err != nil { // as if there had been no attempt
					t.Error(err)
				}
				equal(t, "the result", test.want, got)
			})
		}
	}
}

// TestJournalMayKeepCommits hands the commits to another goroutine, as an outbox does. It
// reads them while and after other writes are made.
func TestJournalMayKeepCommits(t *testing.T) {
	for _, test := range journalTests {
		c := newShop(t)
		outbox, kept := make(chan []catalogue.Commit, 100), []catalogue.Commit(nil)
		c.Journal(func(batch []catalogue.Commit) error { outbox <- batch; return nil })
		var reader sync.WaitGroup
		reader.Go(func() {
			kept = <-outbox
			for range outbox {
				equal(t, fmt.Sprintf("%s: beside other writes", test.reason), test.want, logged(kept))
			}
		})
		must(t, test.write(c))
		for id := range 50 {
			mustIn(orders, c).Upsert(mustRecord(fmt.Sprintf(`{"id":%d,"n":"other"}`, id%5+1)))
			mustIn(customers, c).Upsert(mustRecord(fmt.Sprintf(`{"id":%d,"email":"other %[1]d"}`, id+10)))
		}
		close(outbox)
		reader.Wait()
	}
}

// TestJournalsOfOthers checks that copies have no journal, that a write that is refused is
// not recorded, and that nil removes the journal.
func TestJournalsOfOthers(t *testing.T) {
	c := newShop(t)
	calls := 0
	must(t, mustIn(orders, c).Journal(func([]catalogue.Commit) error { calls++; return nil }))
	mustIn(orders, c.Clone()).Delete(1)
	mustIn(orders, c).Clone().Delete(1)
	c.Batch(func(*catalogue.Batch) error { return nil })
	mustIn(customers, c).Insert(mustRecord(`{"email":"a@b"}`))
	if calls != 0 {
		t.Errorf("called %d times for clones, refused and empty writes", calls)
	}
	mustIn(customers, c).Insert(mustRecord(`{"email":"other"}`)) // the journal is that of the catalogue
	if c.Journal(nil); calls != 1 || mustIn(orders, c).Delete(1) != nil || calls != 1 {
		t.Errorf("called %d times, want 1", calls)
	}
	for _, err := range []error{c.Snapshot().Journal(nil), mustIn(orders, c.Snapshot()).Journal(nil)} {
		if !errors.Is(err, catalogue.ErrReadOnly) {
			t.Errorf("of a snapshot: %v, want ErrReadOnly", err)
		}
	}
}

// TestJournalIsCalledOneAtATime writes to two collections, which do not exclude each other.
func TestJournalIsCalledOneAtATime(t *testing.T) {
	c := newShop(t)
	running, calls := 0, 0 // the race detector reports calls at the same time too
	c.Journal(func([]catalogue.Commit) error {
		running++
		calls++
		runtime.Gosched()
		if running != 1 {
			t.Errorf("%d calls at the same time", running)
		}
		running--
		return nil
	})
	var writers sync.WaitGroup
	for _, d := range []catalogue.Definition[schema.Record]{customers, orders, coupons} {
		writers.Go(func() {
			for range 300 {
				mustIn(d, c).Upsert(mustRecord(`{"id":1}`))
			}
		})
	}
	writers.Wait()
	if calls != 900 {
		t.Errorf("%d calls, want 900", calls)
	}
}
