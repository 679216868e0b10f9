package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

// newAccounts returns an empty collection with a history of the given length.
func newAccounts(t testing.TB, history int) *catalogue.Collection[account] {
	t.Helper()
	c, err := catalogue.NewCollection[account](catalogue.Options{Name: "accounts", History: history})
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, c)
	return c
}

// changesText returns changes as text: kind, id and amount of each, with "; " after the last of
// a revision.
func changesText(changes []catalogue.Change[account]) string {
	var b strings.Builder
	for _, ch := range changes {
		fmt.Fprintf(&b, "%v %d", ch.Kind, ch.ID)
		if ch.Kind != catalogue.Deleted {
			fmt.Fprintf(&b, " (%d)", ch.Record().Amount)
		}
		b.WriteString(map[bool]string{true: "; ", false: ", "}[ch.Last])
	}
	return b.String()
}

// Since returns the net changes of each kind of write, ordered by id.
func TestSince(t *testing.T) {
	set := func(amount int) func(*account) error {
		return func(a *account) error { a.Amount = amount; return nil }
	}
	for _, row := range []struct {
		reason string
		write  func(c *catalogue.Collection[account]) error // c has the records 1, 2 and 3
		want   string
	}{
		{"nothing", func(c *catalogue.Collection[account]) error { return nil }, ""},
		{"insert", func(c *catalogue.Collection[account]) error { _, err := c.Insert(account{Amount: 7}); return err }, "inserted 4 (7); "},
		{"upsert of a new id", func(c *catalogue.Collection[account]) error {
			_, err := c.Upsert(account{ID: 9, Amount: 7})
			return err
		}, "inserted 9 (7); "},
		{"upsert of a stored id", func(c *catalogue.Collection[account]) error {
			_, err := c.Upsert(account{ID: 2, Amount: 7})
			return err
		}, "updated 2 (7); "},
		{"update", func(c *catalogue.Collection[account]) error { return c.Update(3, set(7)) }, "updated 3 (7); "},
		{"an update without a difference", func(c *catalogue.Collection[account]) error {
			return c.Update(3, func(*account) error { return nil })
		}, "updated 3 (30); "},
		{"delete", func(c *catalogue.Collection[account]) error { return c.Delete(1) }, "deleted 1; "},
		{"two updates", func(c *catalogue.Collection[account]) error {
			return errors.Join(c.Update(3, set(7)), c.Update(3, set(8)))
		}, "updated 3 (7); updated 3 (8); "},
		{"two updates in a batch are one change", func(c *catalogue.Collection[account]) error {
			return c.Batch(func(tx *catalogue.Tx[account]) error { return errors.Join(tx.Update(3, set(7)), tx.Update(3, set(8))) })
		}, "updated 3 (8); "},
		{"the changes of a batch are ordered by id", func(c *catalogue.Collection[account]) error {
			return c.Batch(func(tx *catalogue.Tx[account]) error {
				_, err := tx.Insert(account{Amount: 7})
				return errors.Join(err, tx.Delete(3), tx.Update(1, set(8)))
			})
		}, "updated 1 (8), deleted 3, inserted 4 (7); "},
		{"insert and delete in a batch", func(c *catalogue.Collection[account]) error {
			return c.Batch(func(tx *catalogue.Tx[account]) error {
				id, err := tx.Insert(account{})
				return errors.Join(err, tx.Delete(id))
			})
		}, ""},
		{"insert and update in a batch", func(c *catalogue.Collection[account]) error {
			return c.Batch(func(tx *catalogue.Tx[account]) error {
				id, err := tx.Insert(account{})
				return errors.Join(err, tx.Update(id, set(7)))
			})
		}, "inserted 4 (7); "},
		{"update and delete in a batch", func(c *catalogue.Collection[account]) error {
			return c.Batch(func(tx *catalogue.Tx[account]) error { return errors.Join(tx.Update(2, set(7)), tx.Delete(2)) })
		}, "deleted 2; "},
		{"delete and insert in a batch", func(c *catalogue.Collection[account]) error {
			return c.Batch(func(tx *catalogue.Tx[account]) error {
				err := tx.Delete(2)
				_, err2 := tx.Insert(account{ID: 2, Amount: 7})
				return errors.Join(err, err2)
			})
		}, "updated 2 (7); "},
		{"a batch too large to apply in place", func(c *catalogue.Collection[account]) error {
			return c.Batch(func(tx *catalogue.Tx[account]) error {
				for i := range 12 {
					if err := tx.Update(1+i%3, set(i)); err != nil {
						return err
					}
				}
				return nil
			})
		}, "updated 1 (9), updated 2 (10), updated 3 (11); "},
		{"a batch without writes", func(c *catalogue.Collection[account]) error {
			return c.Batch(func(*catalogue.Tx[account]) error { return nil })
		}, ""},
		{"a batch that fails", func(c *catalogue.Collection[account]) error {
			return is(c.Batch(func(tx *catalogue.Tx[account]) error { return errors.Join(tx.Delete(1), errOwn) }), errOwn)
		}, ""},
		{"a batch that panics, and a write after it", func(c *catalogue.Collection[account]) error {
			err := caught(func() error {
				return c.Batch(func(tx *catalogue.Tx[account]) error { _ = tx.Delete(1); panic(errOwn) })
			})
			return errors.Join(is(err, panicked{errOwn}), c.Delete(2))
		}, "deleted 2; "},
		{"an insert of a stored id", func(c *catalogue.Collection[account]) error {
			_, err := c.Insert(account{ID: 3})
			return is(err, catalogue.ErrExists)
		}, ""},
		{"a write to a clone", func(c *catalogue.Collection[account]) error { return c.Clone().Delete(1) }, ""},
	} {
		c := newAccounts(t, 100)
		for i := range 3 {
			if _, err := c.Insert(account{Amount: 10 * (i + 1)}); err != nil {
				t.Fatal(err)
			}
		}
		before := c.Snapshot().Revision()
		if err := row.write(c); err != nil {
			t.Fatalf("%s: %v", row.reason, err)
		}
		changes, now, err := c.Since(before)
		if diff := cmp.Diff(row.want, changesText(changes)); diff != "" || err != nil || now != c.Snapshot().Revision() {
			t.Errorf("%s (-want +got):\n%serror %v, revision %d of %d", row.reason, diff, err, now, c.Snapshot().Revision())
		}
		for _, ch := range changes {
			if ch.Revision <= before || ch.Revision > now {
				t.Errorf("%s: revision of a change = %d, want more than %d and at most %d", row.reason, ch.Revision, before, now)
			}
		}
	}
}

// A collection keeps exactly as many changes as Options.History. The error for older ones
// names the first revision that can be passed to Since.
func TestHistoryLength(t *testing.T) {
	for _, history := range []int{1, 2, 3, 15, 16, 17, 64, 2000} { // around the sizes in which memory is allocated
		c := newAccounts(t, history)
		writes := 3*history + 40
		for range writes {
			if _, err := c.Insert(account{}); err != nil {
				t.Fatal(err)
			}
		}
		oldest := uint64(writes - history)
		changes, now, err := c.Since(oldest)
		if err != nil || len(changes) != history || now != uint64(writes) {
			t.Errorf("history %d: Since(%d): %d changes up to revision %d, %v", history, oldest, len(changes), now, err)
		}
		for i, ch := range changes {
			if want := int(oldest) + 1 + i; ch.ID != want || ch.Revision != uint64(want) {
				t.Errorf("history %d: change %d has id %d and revision %d, want %d", history, i, ch.ID, ch.Revision, want)
			}
		}
		changes, now, err = c.Since(oldest - 1)
		if !errors.Is(err, catalogue.ErrHistoryTrimmed) || changes != nil || now != 0 ||
			!strings.Contains(err.Error(), fmt.Sprintf("those after %d are kept", oldest)) {
			t.Errorf("history %d: Since(%d): %d changes, %v, want ErrHistoryTrimmed naming revision %d", history, oldest-1, len(changes), err, oldest)
		}
		if changes, now, err := c.Since(uint64(writes)); len(changes) != 0 || now != uint64(writes) || err != nil {
			t.Errorf("history %d: Since(%d): %d changes up to revision %d, %v, want none", history, writes, len(changes), now, err)
		}
	}
}

// A history takes memory only for the changes that were made.
func TestHistoryOfMaxInt(t *testing.T) {
	c := newAccounts(t, math.MaxInt)
	for range 10_000 { // more than one block of memory
		if _, err := c.Insert(account{}); err != nil {
			t.Fatal(err)
		}
	}
	if changes, _, err := c.Since(0); len(changes) != 10_000 || err != nil {
		t.Errorf("Since(0): %d changes, %v, want 10,000", len(changes), err)
	}
}

// A batch is kept completely or not at all.
func TestHistoryOfBatches(t *testing.T) {
	c := newAccounts(t, 5)
	insert := func(n int) uint64 {
		err := c.Batch(func(tx *catalogue.Tx[account]) error {
			for range n {
				if _, err := tx.Insert(account{}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return c.Snapshot().Revision()
	}
	for _, step := range []struct {
		n      int
		oldest uint64 // the oldest revision that Since accepts
		length int    // the number of changes since it
	}{{3, 0, 3}, {2, 0, 5}, {1, 1, 3}, {5, 3, 5}, {6, 5, 0}, {2, 5, 2}, {20, 7, 0}, {1, 7, 1}} {
		now := insert(step.n)
		for r := range now + 1 {
			changes, _, err := c.Since(r)
			if kept := r >= step.oldest; kept != (err == nil) || err != nil && !errors.Is(err, catalogue.ErrHistoryTrimmed) {
				t.Errorf("at revision %d: Since(%d): error %v; the oldest kept is %d", now, r, err, step.oldest)
			}
			if r == step.oldest && len(changes) != step.length {
				t.Errorf("at revision %d: Since(%d): %d changes, want %d", now, r, len(changes), step.length)
			}
			if n := len(changes); n > 0 && !changes[n-1].Last {
				t.Errorf("at revision %d: Since(%d) ends within a revision", now, r)
			}
		}
	}
}

// Since and Changes fail for future revisions and, without a history, for past ones.
func TestSinceErrors(t *testing.T) {
	for _, row := range []struct {
		reason  string
		history int
		since   uint64
		want    error
	}{
		{"the first revision", 10, 0, nil},
		{"the current revision", 10, 2, nil},
		{"the next revision", 10, 3, catalogue.ErrHistoryTrimmed},
		{"the largest uint64", 10, math.MaxUint64, catalogue.ErrHistoryTrimmed},
		{"no history", 0, 1, catalogue.ErrHistoryTrimmed},
		{"a negative history", -1, 0, catalogue.ErrHistoryTrimmed},
		{"the current revision without a history", 0, 2, nil},
		{"a future revision without a history", 0, 3, catalogue.ErrHistoryTrimmed},
	} {
		c := newAccounts(t, row.history)
		for range 2 {
			if _, err := c.Insert(account{}); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := c.Since(row.since); !errors.Is(err, row.want) {
			t.Errorf("%s: Since(%d): error %v, want %v", row.reason, row.since, err, row.want)
		}
		if row.want == nil {
			continue
		}
		steps := 0
		for ch, err := range c.Changes(context.Background(), row.since) {
			if steps++; !errors.Is(err, row.want) || ch.ID != 0 || !strings.HasPrefix(err.Error(), "accounts: ") {
				t.Errorf("%s: Changes(%d) yields %v, %v, want %v", row.reason, row.since, ch, err, row.want)
			}
		}
		if steps != 1 {
			t.Errorf("%s: Changes(%d) yields %d times, want once", row.reason, row.since, steps)
		}
	}
}

// Record returns a copy. It and JSON return the record as it was at the revision of the
// change.
func TestChangeRecord(t *testing.T) {
	c, err := catalogue.NewCollection[task](catalogue.Options{History: 10})
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, c)
	stored := task{Mark: "m", Tags: []string{"x"}}
	if _, err := c.Insert(stored); err != nil {
		t.Fatal(err)
	}
	stored.ID = 1
	for range 2 {
		changes, _, err := c.Since(0)
		if err != nil || len(changes) == 0 {
			t.Fatal(changes, err)
		}
		record, ch := changes[0].Record(), changes[0]
		if !sameTask(&record, &stored) {
			t.Errorf("Record() = %s, want %s", taskJSON(&record), taskJSON(&stored))
		}
		record.Tags[0] = "modified"
		text, err := ch.JSON()
		if want := taskJSON(&stored); string(text) != want || err != nil {
			t.Errorf("JSON() = %s, %v, want %s", text, err, want)
		}
		if err := c.Update(1, func(d *task) error { d.Tags = append(d.Tags, "later"); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Delete(1); err != nil {
		t.Fatal(err)
	}
	changes, _, err := c.Since(3)
	if err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	for reason, ch := range map[string]catalogue.Change[task]{"deleted": changes[0], "zero": {}} {
		record := ch.Record()
		text, err := ch.JSON()
		if !sameTask(&record, new(task)) || string(text) != "null" || err != nil {
			t.Errorf("%s: Record() = %s and JSON() = %s, %v, want a zero record and null", reason, taskJSON(&record), text, err)
		}
	}
}

func TestChangeKindString(t *testing.T) {
	got := fmt.Sprint(catalogue.ChangeKind(0), catalogue.Inserted, catalogue.Updated, catalogue.Deleted)
	if want := "ChangeKind(0) inserted updated deleted"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The changes of a load are ordered by id. A load of more changes than the history trims
// all of them.
func TestSinceLoad(t *testing.T) {
	for _, row := range []struct {
		reason  string
		history int
		load    string
		fails   error
		want    string
		oldest  uint64 // the oldest revision that Since accepts; 3 is that before the load
	}{
		{"changes of each kind", 5, `[{"id":5,"amount":5},{"id":2,"amount":7},{"id":4,"amount":4}]`, nil,
			"deleted 1, updated 2 (7), deleted 3, inserted 4 (4), inserted 5 (5); ", 3},
		{"one more change than is kept", 4, `[{"id":5,"amount":5},{"id":2,"amount":7},{"id":4,"amount":4}]`, nil, "", 4},
		{"too many inserted and updated", 4, `[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5}]`, nil, "", 4},
		{"too many deleted", 2, `[]`, nil, "", 4},
		{"all deleted", 3, `[]`, nil, "deleted 1, deleted 2, deleted 3; ", 3},
		{"no record differs", 3, `[{"id":1,"amount":10},{"id":2,"amount":20},{"id":3,"amount":30}]`, nil,
			"updated 1 (10), updated 2 (20), updated 3 (30); ", 3},
		{"a load that fails", 3, `[{"id":1},{"id":1}]`, catalogue.ErrInvalidData, "", 0},
	} {
		house, err := resources.New(catalogue.Define[account]("books", catalogue.Options{History: row.history}))
		if err != nil {
			t.Fatal(err)
		}
		checkAtEnd(t, house)
		c, err := catalogue.Define[account]("books", catalogue.Options{}).In(house)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if _, err := c.Insert(account{Amount: 10 * (i + 1)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := house.Load(strings.NewReader(`{"books":`+row.load+`}`), catalogue.LoadOptions{}); !errors.Is(err, row.fails) {
			t.Fatalf("%s: %v", row.reason, err)
		}
		changes, now, err := c.Since(max(row.oldest, 3))
		if diff := cmp.Diff(row.want, changesText(changes)); diff != "" || err != nil || now != c.Snapshot().Revision() {
			t.Errorf("%s (-want +got):\n%serror %v, revision %d", row.reason, diff, err, now)
		}
		if row.oldest > 3 {
			if _, _, err := c.Since(3); !errors.Is(err, catalogue.ErrHistoryTrimmed) {
				t.Errorf("%s: Since(3): error %v, want ErrHistoryTrimmed", row.reason, err)
			}
		}
	}
}

// In a catalogue, the collections defined with a history keep their changes, also those of
// the documented types.
func TestSinceInCatalogue(t *testing.T) {
	house, err := resources.New(
		catalogue.Define[resources.Event]("events", catalogue.Options{History: 10}),
		catalogue.Define[schema.Record]("authors", catalogue.Options{History: 10}),
		catalogue.Define[account]("books", catalogue.Options{History: 10}),
	)
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, house)
	events, err := house.Collection("events")
	if err != nil {
		t.Fatal(err)
	}
	_, err = events.Create(context.Background(),
		[]byte(`{"name":"f","slug":"f","startDate":"2026-05-10T18:00:00Z","endDate":"2026-05-10T20:00:00Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	changes, now, err := mustIn(resources.Events, house).Since(0)
	if err != nil || len(changes) != 1 || changes[0].Record().Name != "f" || now != revisionOf(t, events) {
		t.Errorf("Since(0) after Create: %v, revision %d, %v", changes, now, err)
	}
	authors, err := resources.Records("authors").In(house)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := authors.Insert(mustRecord(`{"name":"Anna"}`)); err != nil {
		t.Fatal(err)
	}
	inserted, _, err := authors.Since(0)
	if err != nil || len(inserted) != 1 {
		t.Fatal(inserted, err)
	}
	if text, err := inserted[0].JSON(); string(text) != `{"id":1,"name":"Anna"}` || err != nil {
		t.Errorf("JSON of an open record: %s, %v", text, err)
	}
	labels := mustIn(resources.Labels, house) // without a history
	if _, err := labels.Insert(resources.Label{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := labels.Since(0); !errors.Is(err, catalogue.ErrHistoryTrimmed) || !strings.Contains(err.Error(), "Options.History") {
		t.Errorf("labels: error %v, want ErrHistoryTrimmed", err)
	}
}

// A clone keeps the changes before it, and then only its own.
func TestSinceClone(t *testing.T) {
	c := newAccounts(t, 20)
	insert := func(c *catalogue.Collection[account], amount int) {
		if _, err := c.Insert(account{Amount: amount}); err != nil {
			t.Fatal(err)
		}
	}
	insert(c, 1)
	insert(c, 2)
	clone := c.Clone()
	checkAtEnd(t, clone)
	for i := range 3 { // alternating: neither may write to memory of the other
		insert(c, 10+i)
		insert(clone, 20+i)
	}
	second := clone.Clone()
	checkAtEnd(t, second)
	insert(second, 30)
	insert(clone, 23)
	for _, row := range []struct {
		reason string
		c      *catalogue.Collection[account]
		want   string
	}{
		{"the original", c, "inserted 1 (1); inserted 2 (2); inserted 3 (10); inserted 4 (11); inserted 5 (12); "},
		{"the clone", clone, "inserted 1 (1); inserted 2 (2); inserted 3 (20); inserted 4 (21); inserted 5 (22); inserted 6 (23); "},
		{"a clone's clone", second, "inserted 1 (1); inserted 2 (2); inserted 3 (20); inserted 4 (21); inserted 5 (22); inserted 6 (30); "},
	} {
		changes, _, err := row.c.Since(0)
		if diff := cmp.Diff(row.want, changesText(changes)); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%serror %v", row.reason, diff, err)
		}
	}
}
