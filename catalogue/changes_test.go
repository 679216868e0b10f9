package catalogue_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// newAccounts returns an empty collection with a history of the given length.
func newAccounts(t testing.TB, history int) *catalogue.Collection[account] {
	t.Helper()
	c := mustCollection[account](t, catalogue.Options{Name: "accounts", History: history})
	return c
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
			must(t, second(c.Insert(account{})))
		}
		if _, _, err := c.Since(row.since); !errors.Is(err, row.want) { // Changes would wait for ever
			t.Fatalf("%s: Since(%d): error %v, want %v", row.reason, row.since, err, row.want)
		}
		if row.want == nil {
			continue
		}
		steps := 0
		for ch, err := range c.Changes(context.Background(), row.since) {
			if steps++; !errors.Is(err, row.want) || ch.Identity.ID != 0 || !strings.HasPrefix(err.Error(), "accounts: ") {
				t.Errorf("%s: Changes(%d) yields %v, %v, want %v", row.reason, row.since, ch, err, row.want)
			}
		}
		if steps != 1 {
			t.Errorf("%s: Changes(%d) yields %d times, want once", row.reason, row.since, steps)
		}
	}
}

// changesText returns changes as text: kind, id and amount of each, with "; " after the last of
// a revision.
func changesText(changes []catalogue.Change[account]) string {
	var b strings.Builder
	for _, ch := range changes {
		before, existed := ch.Before()
		after, exists := ch.After()
		switch {
		case !exists:
			fmt.Fprintf(&b, "deleted %d", ch.Identity.ID)
		case existed && before.ID == ch.Identity.ID:
			fmt.Fprintf(&b, "updated %d (%d)", ch.Identity.ID, after.Amount)
		default:
			fmt.Fprintf(&b, "inserted %d (%d)", ch.Identity.ID, after.Amount)
		}
		b.WriteString(map[bool]string{true: "; ", false: ", "}[ch.Last])
	}
	return b.String()
}

// Changes yields the changes so far, then each change when it is made, and ends with the
// context.
func TestChangesWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newAccounts(t, 100)
		must(t, second(c.Insert(account{Amount: 1})))
		ctx, cancel := context.WithCancel(t.Context())
		var got []catalogue.Change[account]
		var end error
		ended := false
		go func() {
			for ch, err := range c.Changes(ctx, 0) {
				if end = err; err == nil {
					got = append(got, ch)
				}
			}
			ended = true
		}()
		expect := func(reason, want string) {
			t.Helper()
			synctest.Wait() // until the iterator waits or has ended
			if changesText(got) != want {
				t.Errorf("%s: Changes yields %q, want %q", reason, changesText(got), want)
			}
			got = nil
		}
		expect("changes before the call", "inserted 1 (1); ")
		must(t, c.Batch(func(tx *catalogue.Tx[account]) error {
			_, err := tx.Insert(account{Amount: 2})
			expect("during a batch", "")
			return errors.Join(err, tx.Delete(1))
		}))
		expect("after a batch", "deleted 1, inserted 2 (2); ")
		must(t, c.Batch(func(*catalogue.Tx[account]) error { return nil }))
		if err := c.Batch(func(*catalogue.Tx[account]) error { return errOwn }); err != errOwn {
			t.Fatal(err)
		}
		expect("batches without effect", "")
		for i := range 3 {
			must(t, second(c.Upsert(account{ID: 2, Amount: 3 + i})))
		}
		expect("three writes", "updated 2 (3); updated 2 (4); updated 2 (5); ")
		if ended {
			t.Error("Changes ended before its context")
		}
		cancel()
		expect("after the context has ended", "")
		if !ended || end != context.Canceled {
			t.Errorf("Changes ended: %v, error %v, want context.Canceled", ended, end)
		}
	}) // synctest.Test fails if a goroutine is left
}

// A caller that falls behind does not block writers. It gets the changes that were read
// before they were trimmed, and then ErrHistoryTrimmed.
func TestChangesFallBehind(t *testing.T) {
	c := newAccounts(t, 4)
	insert := func(n int) {
		within(t, "a write while the caller of Changes is paused", func() {
			for range n {
				if _, err := c.Insert(account{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	insert(3)
	next, stop := iter.Pull2(c.Changes(t.Context(), 0))
	defer stop()
	for i := range 3 {
		ch, err, ok := next()
		if !ok || err != nil || ch.Identity.ID != i+1 {
			t.Fatalf("change %d: %v, %v, %v, want id %d", i, ch, err, ok, i+1)
		}
		if i == 0 {
			insert(8) // trims the second and the third, among others
		}
	}
	if ch, err, ok := next(); !ok || !errors.Is(err, catalogue.ErrHistoryTrimmed) || ch.Identity.ID != 0 {
		t.Errorf("after the changes: %v, %v, %v, want ErrHistoryTrimmed", ch, err, ok)
	}
	if _, _, ok := next(); ok {
		t.Error("Changes continues after an error")
	}
}

// A waiting caller gets ErrHistoryTrimmed after a batch of more changes than the history.
func TestChangesTrimmedWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newAccounts(t, 4)
		var end error
		go func() {
			for _, err := range c.Changes(t.Context(), 0) {
				end = err
			}
		}()
		synctest.Wait()
		err := c.Batch(func(tx *catalogue.Tx[account]) error {
			for range 5 {
				if _, err := tx.Insert(account{}); err != nil {
					return err
				}
			}
			return nil
		})
		synctest.Wait()
		if err != nil || !errors.Is(end, catalogue.ErrHistoryTrimmed) {
			t.Errorf("Batch: %v; Changes ended with %v, want ErrHistoryTrimmed", err, end)
		}
	})
}

// Changes ends with the context even if there are more changes.
func TestChangesContext(t *testing.T) {
	c := newAccounts(t, 100)
	for range 10 {
		must(t, second(c.Insert(account{})))
	}
	for _, after := range []int{0, 1, 9, 10} {
		ctx, cancel := context.WithCancel(t.Context())
		if after == 0 {
			cancel()
		}
		seen := 0
		var end error
		for _, err := range c.Changes(ctx, 0) {
			if end = err; err != nil {
				continue
			}
			if seen++; seen == after {
				cancel()
			}
		}
		if seen != after || end != context.Canceled {
			t.Errorf("canceled after %d changes: %d changes, error %v", after, seen, end)
		}
		cancel()
	}
}

// A followed is a collection whose records are written at random, and followed by their identity.
type followed[T any] struct {
	c  *catalogue.Collection[T]
	by string // name of the key, or "" if records have ids
	// record returns the record with one of some identities, spelled in one of two ways.
	record func(identity int, capital bool, n int) T
}

// texts returns the texts of keys with small and with capital letters.
func texts(identity int, capital bool) string {
	text := string(rune('a' + identity))
	if capital {
		text = strings.ToUpper(text)
	}
	return text
}

// TestFollowers follows collections with each kind of identity beside writers. A follower that applies
// Identity and After alone has the records of each snapshot.
func TestFollowers(t *testing.T) {
	type spelled struct {
		Code string `json:"code" backlist:"key,fold"`
		N    int    `json:"n"`
	}
	const length = 1 << 20
	opts := catalogue.Options{History: length}
	open := func(f ...schema.Field) catalogue.Options {
		return catalogue.Options{History: length, Members: f}
	}
	key := schema.Field{Name: "code", Kind: schema.Text, Key: true, Unique: true}
	fold := key
	fold.Fold = true
	member := func(identity int, capital bool, n int) schema.Record {
		r := mustHave(schema.Record{}.With("code", texts(identity, capital)))
		r = mustHave(r.With("n", n))
		return r
	}
	inCatalogue := func(f schema.Field) *catalogue.Collection[schema.Record] {
		d := catalogue.Define[schema.Record]("codes", catalogue.Options{History: length, Description: &schema.Description{Lookup: "code", Fields: []schema.Field{f}}})
		return mustIn(d, mustCatalogue(t, d))
	}
	t.Run("ids", func(t *testing.T) {
		followAll(t, followed[account]{mustCollection[account](t, opts), "", func(i int, _ bool, n int) account { return account{ID: i + 1, Amount: n} }})
	})
	t.Run("open, ids", func(t *testing.T) {
		followAll(t, followed[schema.Record]{mustCollection[schema.Record](t, open()), "", func(i int, capital bool, n int) schema.Record {
			r := member(i, capital, n)
			r.ID = i + 1
			return r
		}})
	})
	t.Run("strings", func(t *testing.T) {
		followAll(t, followed[session]{mustCollection[session](t, opts), "token", func(i int, _ bool, n int) session {
			return session{texts(i, false), fmt.Sprint(i), n}
		}})
	})
	t.Run("fold", func(t *testing.T) {
		followAll(t, followed[spelled]{mustCollection[spelled](t, opts), "code", func(i int, capital bool, n int) spelled { return spelled{texts(i, capital), n} }})
	})
	t.Run("with OrderingKey", func(t *testing.T) {
		followAll(t, followed[user]{mustCollection[user](t, opts), "login", func(i int, capital bool, n int) user { return user{login(texts(i, capital)), n, ""} }})
	})
	t.Run("with MarshalText", func(t *testing.T) {
		followAll(t, followed[maker]{mustCollection[maker](t, opts), "id", func(i int, _ bool, n int) maker { return maker{octets{1, byte(i)}, fmt.Sprint(n)} }})
	})
	t.Run("open, keys", func(t *testing.T) { followAll(t, followed[schema.Record]{inCatalogue(key), "code", member}) })
	t.Run("open, fold", func(t *testing.T) { followAll(t, followed[schema.Record]{inCatalogue(fold), "code", member}) })
}

// followAll writes in several goroutines, follows the changes, and compares with snapshots.
func followAll[T any](t *testing.T, f followed[T]) {
	type records = map[schema.Identity]string
	snapshots, states, now := map[uint64]records{}, map[uint64]records{0: {}}, records{}
	var writers sync.WaitGroup
	for seed := range uint64(3) {
		writers.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 1))
			for range scaled(200) {
				_ = f.write(rng) // of a record that may not exist
			}
		})
	}
	writers.Go(func() {
		for range scaled(100) {
			s := f.c.Snapshot()
			snapshots[s.Revision()] = f.records(s)
		}
	})
	end := f.record(0, false, -1) // no other write has this number
	go func() {
		writers.Wait()
		if _, err := f.c.Upsert(end); err != nil {
			t.Error(err)
		}
	}()
	for ch, err := range f.c.Changes(t.Context(), 0) {
		must(t, err)
		before, existed := ch.Before()
		if text, known := now[ch.Identity]; known != existed || existed && text != wireOf(before) {
			t.Errorf("revision %d: %v was %q, and is %s (%t) before the change", ch.Revision, ch.Identity, text, wireOf(before), existed)
		}
		after, exists := ch.After()
		if exists {
			now[ch.Identity] = wireOf(after)
		} else {
			delete(now, ch.Identity)
		}
		if ch.Last {
			states[ch.Revision] = maps.Clone(now)
		}
		if exists && wireOf(after) == wireOf(end) {
			break
		}
	}
	snapshots[f.c.Revision()] = f.records(f.c)
	for revision, want := range snapshots {
		at := revision
		for states[at] == nil { // a load of no records into an empty collection has no change
			at--
		}
		equal(t, fmt.Sprintf("the records of revision %d", revision), want, states[at])
	}
}

// records returns the records of a collection by their identity.
func (f followed[T]) records(c *catalogue.Collection[T]) map[schema.Identity]string {
	all := map[schema.Identity]string{}
	for r := range c.All() {
		all[f.identity(r)] = wireOf(r)
	}
	return all
}

// identity returns the identity in the JSON of a record.
func (f followed[T]) identity(record T) (id schema.Identity) {
	var members map[string]json.RawMessage
	_ = json.Unmarshal([]byte(wireOf(record)), &members)
	_ = json.Unmarshal(members[cmp.Or(f.by, "id")], &id)
	return id
}

// write makes one of some writes.
func (f followed[T]) write(rng *rand.Rand) error {
	random := func() T { return f.record(rng.IntN(6), rng.IntN(2) == 0, rng.IntN(1000)) }
	r := random()
	switch rng.IntN(10) {
	case 0:
		return f.c.ReplaceAll(func(yield func(T) bool) {
			for i := range rng.IntN(6) {
				if !yield(f.record(i, rng.IntN(2) == 0, rng.IntN(1000))) {
					return
				}
			}
		})
	case 1:
		return f.delete(f.c, r)
	case 2, 3, 4:
		return f.c.Batch(func(tx *catalogue.Tx[T]) error {
			_ = f.delete(tx, r)
			_, err := tx.Upsert(random())
			_ = f.delete(tx, random())
			_, _ = tx.Insert(random())
			_, _ = tx.Insert(r)
			return err
		})
	case 5, 6, 7:
		change := func(to *T) error { *to = r; return nil }
		if id := f.identity(r); f.by != "" {
			return f.c.By(f.by).Update(id.Key, change)
		} else {
			return f.c.Update(id.ID, change)
		}
	}
	return second(f.c.Upsert(r))
}

// delete deletes the record that has the identity of r.
func (f followed[T]) delete(from interface {
	Delete(id int) error
	By(field string) *catalogue.TextIndex[T]
}, r T) error {
	if f.by != "" {
		return from.By(f.by).Delete(f.identity(r).Key)
	}
	return from.Delete(f.identity(r).ID)
}
