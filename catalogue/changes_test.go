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
	"github.com/gobacklist/backlist/resources"
)

// followed is a collection of accounts that keeps so many changes.
func followed(t testing.TB, history int) *catalogue.Collection[account] {
	t.Helper()
	c, err := catalogue.NewCollection[account](catalogue.Options{Name: "accounts", History: history})
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, c)
	return c
}

// told writes changes down: kind, id and amount, "; " behind the last of a
// revision.
func told(changes []catalogue.Change[account]) string {
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

// TestSince: what each kind of write tells, net and by id.
func TestSince(t *testing.T) {
	set := func(amount int) func(*account) error {
		return func(a *account) error { a.Amount = amount; return nil }
	}
	in := func(c *catalogue.Collection[account], f func(tx *catalogue.Tx[account]) error) error {
		return c.Batch(f)
	}
	for _, row := range []struct {
		reason string
		write  func(c *catalogue.Collection[account]) error // of records 1, 2 and 3
		want   string
	}{
		{"nothing", func(c *catalogue.Collection[account]) error { return nil }, ""},
		{"insert", func(c *catalogue.Collection[account]) error { _, err := c.Insert(account{Amount: 7}); return err }, "inserted 4 (7); "},
		{"upsert of a new id", func(c *catalogue.Collection[account]) error {
			_, err := c.Upsert(account{ID: 9, Amount: 7})
			return err
		}, "inserted 9 (7); "},
		{"upsert", func(c *catalogue.Collection[account]) error {
			_, err := c.Upsert(account{ID: 2, Amount: 7})
			return err
		}, "updated 2 (7); "},
		{"modify", func(c *catalogue.Collection[account]) error { return c.Update(3, set(7)) }, "updated 3 (7); "},
		{"a record that stays as it was is written to all the same", func(c *catalogue.Collection[account]) error {
			return c.Update(3, func(*account) error { return nil })
		}, "updated 3 (30); "},
		{"delete", func(c *catalogue.Collection[account]) error { return c.Delete(1) }, "deleted 1; "},
		{"two writes", func(c *catalogue.Collection[account]) error {
			return errors.Join(c.Update(3, set(7)), c.Update(3, set(8)))
		}, "updated 3 (7); updated 3 (8); "},
		{"two writes in one update are one change", func(c *catalogue.Collection[account]) error {
			return in(c, func(tx *catalogue.Tx[account]) error { return errors.Join(tx.Update(3, set(7)), tx.Update(3, set(8))) })
		}, "updated 3 (8); "},
		{"within an update by id", func(c *catalogue.Collection[account]) error {
			return in(c, func(tx *catalogue.Tx[account]) error {
				_, err := tx.Insert(account{Amount: 7})
				return errors.Join(err, tx.Delete(3), tx.Update(1, set(8)))
			})
		}, "updated 1 (8), deleted 3, inserted 4 (7); "},
		{"what comes and goes in an update is none", func(c *catalogue.Collection[account]) error {
			return in(c, func(tx *catalogue.Tx[account]) error {
				id, err := tx.Insert(account{})
				return errors.Join(err, tx.Delete(id))
			})
		}, ""},
		{"what comes and is changed in an update has come", func(c *catalogue.Collection[account]) error {
			return in(c, func(tx *catalogue.Tx[account]) error {
				id, err := tx.Insert(account{})
				return errors.Join(err, tx.Update(id, set(7)))
			})
		}, "inserted 4 (7); "},
		{"what is changed and goes in an update has gone", func(c *catalogue.Collection[account]) error {
			return in(c, func(tx *catalogue.Tx[account]) error { return errors.Join(tx.Update(2, set(7)), tx.Delete(2)) })
		}, "deleted 2; "},
		{"what goes and comes again in an update was changed", func(c *catalogue.Collection[account]) error {
			return in(c, func(tx *catalogue.Tx[account]) error {
				err := tx.Delete(2)
				_, err2 := tx.Insert(account{ID: 2, Amount: 7})
				return errors.Join(err, err2)
			})
		}, "updated 2 (7); "},
		{"an update of more than orders may be behind", func(c *catalogue.Collection[account]) error {
			return in(c, func(tx *catalogue.Tx[account]) error {
				for i := range 12 {
					if err := tx.Update(1+i%3, set(i)); err != nil {
						return err
					}
				}
				return nil
			})
		}, "updated 1 (9), updated 2 (10), updated 3 (11); "},
		{"an update without writes", func(c *catalogue.Collection[account]) error {
			return in(c, func(*catalogue.Tx[account]) error { return nil })
		}, ""},
		{"an update that fails", func(c *catalogue.Collection[account]) error {
			return is(in(c, func(tx *catalogue.Tx[account]) error { return errors.Join(tx.Delete(1), errOwn) }), errOwn)
		}, ""},
		{"an update that panics, and a write behind it", func(c *catalogue.Collection[account]) error {
			err := caught(func() error {
				return in(c, func(tx *catalogue.Tx[account]) error { _ = tx.Delete(1); panic(errOwn) })
			})
			return errors.Join(is(err, panicked{errOwn}), c.Delete(2))
		}, "deleted 2; "},
		{"an insert that is refused", func(c *catalogue.Collection[account]) error {
			_, err := c.Insert(account{ID: 3})
			return is(err, catalogue.ErrExists)
		}, ""},
		{"a write to a clone", func(c *catalogue.Collection[account]) error { return c.Clone().Delete(1) }, ""},
	} {
		c := followed(t, 100)
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
		if diff := cmp.Diff(row.want, told(changes)); diff != "" || err != nil || now != c.Snapshot().Revision() {
			t.Errorf("%s (-want +got):\n%s%v, up to %d of %d", row.reason, diff, err, now, c.Snapshot().Revision())
		}
		for _, ch := range changes {
			if ch.Revision <= before || ch.Revision > now {
				t.Errorf("%s: a change of revision %d, asked for those after %d up to %d", row.reason, ch.Revision, before, now)
			}
		}
	}
}

// TestHistoryIsBounded: the last changes are there, exactly as many as were asked
// for, and who asks for more is told from where on they are.
func TestHistoryIsBounded(t *testing.T) {
	for _, history := range []int{1, 2, 3, 15, 16, 17, 64, 2000} { // around the lengths that memory comes in
		c := followed(t, history)
		writes := 3*history + 40
		for range writes {
			if _, err := c.Insert(account{}); err != nil {
				t.Fatal(err)
			}
		}
		oldest := uint64(writes - history)
		changes, now, err := c.Since(oldest)
		if err != nil || len(changes) != history || now != uint64(writes) {
			t.Errorf("%d kept: %d since %d up to %d, %v", history, len(changes), oldest, now, err)
		}
		for i, ch := range changes {
			if want := int(oldest) + 1 + i; ch.ID != want || ch.Revision != uint64(want) {
				t.Errorf("%d kept: change %d is of id %d, revision %d; want %d", history, i, ch.ID, ch.Revision, want)
			}
		}
		changes, now, err = c.Since(oldest - 1)
		if !errors.Is(err, catalogue.ErrHistoryTrimmed) || changes != nil || now != 0 || !strings.Contains(err.Error(), fmt.Sprintf("from %d on", oldest)) {
			t.Errorf("%d kept: %d since %d, %v; want ErrHistory from %d on", history, len(changes), oldest-1, err, oldest)
		}
		if changes, now, err := c.Since(uint64(writes)); len(changes) != 0 || now != uint64(writes) || err != nil {
			t.Errorf("%d kept: %d since now, up to %d, %v", history, len(changes), now, err)
		}
	}
}

// TestHistoryOfAnyLength: as long as there is memory for what was written.
func TestHistoryOfAnyLength(t *testing.T) {
	c := followed(t, math.MaxInt)
	for range 10_000 { // more than one run
		if _, err := c.Insert(account{}); err != nil {
			t.Fatal(err)
		}
	}
	if changes, _, err := c.Since(0); len(changes) != 10_000 || err != nil {
		t.Errorf("%d changes, %v", len(changes), err)
	}
}

// TestHistoryHasNoHalves: an Update of which the history holds but a part is out
// of reach, and one that is longer than the history is too.
func TestHistoryHasNoHalves(t *testing.T) {
	c := followed(t, 5)
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
		reach  uint64 // the oldest revision that can be asked for
		length int    // of what comes after that
	}{{3, 0, 3}, {2, 0, 5}, {1, 1, 3}, {5, 3, 5}, {6, 5, 0}, {2, 5, 2}, {20, 7, 0}, {1, 7, 1}} {
		now := insert(step.n)
		for r := range now + 1 {
			changes, _, err := c.Since(r)
			if reached := r >= step.reach; reached != (err == nil) || err != nil && !errors.Is(err, catalogue.ErrHistoryTrimmed) {
				t.Errorf("at %d: since %d: %v; want those from %d on", now, r, err, step.reach)
			}
			if r == step.reach && len(changes) != step.length {
				t.Errorf("at %d: %d changes, want %d", now, len(changes), step.length)
			}
			if n := len(changes); n > 0 && !changes[n-1].Last {
				t.Errorf("at %d: since %d ends within a revision", now, r)
			}
		}
	}
}

// TestSinceRefuses what has not come, and a collection that keeps nothing.
func TestSinceRefuses(t *testing.T) {
	for _, row := range []struct {
		reason  string
		history int
		asked   uint64
		want    error
	}{
		{"the beginning", 10, 0, nil},
		{"now", 10, 2, nil},
		{"the next", 10, 3, catalogue.ErrFutureRevision},
		{"the largest there is", 10, math.MaxUint64, catalogue.ErrFutureRevision},
		{"nothing kept", 0, 2, catalogue.ErrNoHistory},
		{"less than nothing kept", -1, 2, catalogue.ErrNoHistory},
	} {
		c := followed(t, row.history)
		for range 2 {
			if _, err := c.Insert(account{}); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := c.Since(row.asked); !errors.Is(err, row.want) {
			t.Errorf("%s: Since gives %v, want %v", row.reason, err, row.want)
		}
		if row.want == nil {
			continue
		}
		steps := 0
		for ch, err := range c.Changes(context.Background(), row.asked) {
			if steps++; !errors.Is(err, row.want) || ch.ID != 0 || !strings.HasPrefix(err.Error(), "accounts: ") {
				t.Errorf("%s: Changes gives %v, %v; want %v", row.reason, ch, err, row.want)
			}
		}
		if steps != 1 {
			t.Errorf("%s: Changes yields %d times", row.reason, steps)
		}
	}
}

// TestChangeIsItsReceivers: what a change gives can be spoilt, and shows the
// record as it was then.
func TestChangeIsItsReceivers(t *testing.T) {
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
			t.Errorf("record %s, want %s", taskJSON(&record), taskJSON(&stored))
		}
		record.Tags[0] = "spoilt"
		text, err := ch.JSON()
		if want := taskJSON(&stored); string(text) != want || err != nil {
			t.Errorf("%s, %v; want %s", text, err, want)
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
			t.Errorf("%s: %s, %s, %v", reason, taskJSON(&record), text, err)
		}
	}
}

func TestChangeKindString(t *testing.T) {
	got := fmt.Sprint(catalogue.ChangeKind(0), catalogue.Inserted, catalogue.Updated, catalogue.Deleted)
	if want := "ChangeKind(0) inserted updated deleted"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSinceLoad: a load tells what differs by id, or is too much to be told.
func TestSinceLoad(t *testing.T) {
	for _, row := range []struct {
		reason  string
		history int
		load    string
		fails   error
		want    string
		reach   uint64 // 3 is the revision before
	}{
		{"some of each kind", 5, `[{"id":5,"amount":5},{"id":2,"amount":7},{"id":4,"amount":4}]`, nil,
			"deleted 1, updated 2 (7), deleted 3, inserted 4 (4), inserted 5 (5); ", 3},
		{"one too many in all", 4, `[{"id":5,"amount":5},{"id":2,"amount":7},{"id":4,"amount":4}]`, nil, "", 4},
		{"too many that come", 4, `[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5}]`, nil, "", 4},
		{"too many that go", 2, `[]`, nil, "", 4},
		{"all go", 3, `[]`, nil, "deleted 1, deleted 2, deleted 3; ", 3},
		{"what stays as it was", 3, `[{"id":1,"amount":10},{"id":2,"amount":20},{"id":3,"amount":30}]`, nil,
			"updated 1 (10), updated 2 (20), updated 3 (30); ", 3},
		{"one that fails", 3, `[{"id":1},{"id":1}]`, catalogue.ErrInvalidData, "", 0},
	} {
		house, err := catalogue.NewWith(catalogue.Define[account]("books", catalogue.Options{History: row.history}))
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
		if err := house.LoadCollection("books", strings.NewReader(row.load)); !errors.Is(err, row.fails) {
			t.Fatalf("%s: %v", row.reason, err)
		}
		changes, now, err := c.Since(max(row.reach, 3))
		if diff := cmp.Diff(row.want, told(changes)); diff != "" || err != nil || now != c.Snapshot().Revision() {
			t.Errorf("%s (-want +got):\n%s%v, up to %d", row.reason, diff, err, now)
		}
		if row.reach > 3 {
			if _, _, err := c.Since(3); !errors.Is(err, catalogue.ErrHistoryTrimmed) {
				t.Errorf("%s: since before it: %v", row.reason, err)
			}
		}
	}
}

// TestSinceInHouse: each collection that was asked to keeps its changes, those
// with the document's types too, and no other.
func TestSinceInHouse(t *testing.T) {
	house, err := catalogue.NewWith(
		catalogue.Define[resources.Event]("events", catalogue.Options{History: 10}),
		catalogue.Define[resources.Record]("authors", catalogue.Options{History: 10}),
		catalogue.Define[account]("books", catalogue.Options{History: 10}),
	)
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, house)
	events, err := house.Encoded("events")
	if err != nil {
		t.Fatal(err)
	}
	_, err = events.Create(context.Background(),
		[]byte(`{"name":"f","slug":"f","startDate":"2026-05-10T18:00:00Z","endDate":"2026-05-10T20:00:00Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	changes, now, err := house.Events().Since(0)
	if err != nil || len(changes) != 1 || changes[0].Record().Name != "f" || now != revisionOf(t, events) {
		t.Errorf("a posted event: %v, up to %d, %v", changes, now, err)
	}
	authors, err := house.Records("authors")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := authors.Insert(mustRecord(`{"name":"Anna"}`)); err != nil {
		t.Fatal(err)
	}
	open, _, err := authors.Since(0)
	if err != nil || len(open) != 1 {
		t.Fatal(open, err)
	}
	if text, err := open[0].JSON(); string(text) != `{"id":1,"name":"Anna"}` || err != nil {
		t.Errorf("an open record: %s, %v", text, err)
	}
	if _, _, err := house.Labels().Since(0); !errors.Is(err, catalogue.ErrNoHistory) {
		t.Errorf("labels: %v", err)
	}
}

// TestSinceClone: a clone knows what was before it, and goes on alone.
func TestSinceClone(t *testing.T) {
	c := followed(t, 20)
	insert := func(c *catalogue.Collection[account], amount int) {
		if _, err := c.Insert(account{Amount: amount}); err != nil {
			t.Fatal(err)
		}
	}
	insert(c, 1)
	insert(c, 2)
	fork := c.Clone()
	checkAtEnd(t, fork)
	for i := range 3 { // in turns: neither may write to the other's memory
		insert(c, 10+i)
		insert(fork, 20+i)
	}
	second := fork.Clone()
	checkAtEnd(t, second)
	insert(second, 30)
	insert(fork, 23)
	for _, row := range []struct {
		reason string
		c      *catalogue.Collection[account]
		want   string
	}{
		{"the original", c, "inserted 1 (1); inserted 2 (2); inserted 3 (10); inserted 4 (11); inserted 5 (12); "},
		{"the clone", fork, "inserted 1 (1); inserted 2 (2); inserted 3 (20); inserted 4 (21); inserted 5 (22); inserted 6 (23); "},
		{"a clone's clone", second, "inserted 1 (1); inserted 2 (2); inserted 3 (20); inserted 4 (21); inserted 5 (22); inserted 6 (30); "},
	} {
		changes, _, err := row.c.Since(0)
		if diff := cmp.Diff(row.want, told(changes)); diff != "" || err != nil {
			t.Errorf("%s (-want +got):\n%s%v", row.reason, diff, err)
		}
	}
}
