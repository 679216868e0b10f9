package store

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Wait returns after any kind of write and when its context is done.
func TestWait(t *testing.T) {
	for reason, write := range map[string]func(c *Store){
		"a write":       func(c *Store) { put(c, &record{}) },
		"a large batch": func(c *Store) { putAll(c, manyRecords()...) },
		"a replacement": func(c *Store) { Replace([]Replacement{{Store: c}}) },
	} {
		c := newStore(t, newType(0), 1)
		if err := c.Wait(within(t), 0); err != nil {
			t.Errorf("Wait(0) = %v, want nil", err)
		}
		done := make(chan error, 2)
		for range 2 {
			go func() { done <- c.Wait(within(t), 1) }()
		}
		waitFor(t, "calls of Wait", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.next != nil })
		ordered(t, c, "number") // makes no revision
		if err := c.Batch(func(tx *Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-done:
			t.Errorf("%s: Wait(1) = %v before the write", reason, err)
		case <-time.After(time.Millisecond):
		}
		write(c)
		for range 2 {
			if err := <-done; err != nil {
				t.Errorf("%s: Wait(1) = %v, want nil", reason, err)
			}
		}
	}
	c := newStore(t, newType(0), 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Wait(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait(1) = %v, want %v", err, context.Canceled)
	}
}

// A write to a clone, and building and dropping its indexes, leave the original
// unchanged.
func TestClone(t *testing.T) {
	c := newStore(t, newType(10), 30)
	for _, terms := range []string{"number", "note,text"} {
		ordered(t, c, terms)
	}
	put(c, &record{})
	want := contentsOf(c.Current())
	clones := Clone(c, New(newType(0)))
	if diff := cmp.Diff(want, contentsOf(clones[0].Current())); diff != "" {
		t.Errorf("clone (-want +got):\n%s", diff)
	}
	if n := clones[1].Len(); n != 0 {
		t.Errorf("the clone of an empty store has %d records", n)
	}
	clone := clones[0]
	put(clone, &record{number: 5})
	putAll(clone, manyRecords()...)
	for _, terms := range []string{"text,note", "text,-note", "number,text", "number,-text", "number,note", "number,-note", "note,number", "note,-number"} {
		ordered(t, clone, terms)
	}
	if diff := cmp.Diff(want, contentsOf(c.Current())); diff != "" {
		t.Errorf("original (-want +got):\n%s", diff)
	}
	if s := clone.Current(); findTerms(s.indexes, parse("note,text")) >= 0 || s.Revision() != 33 {
		t.Errorf("the clone has indexes %v at revision %d, want no note,text at 33", indexed(clone), s.Revision())
	}
	if err := clone.Check(); err != nil {
		t.Error(err)
	}
}

// contents is everything that can be read from a state.
type contents struct {
	LastID, UsedID int
	Revision, From uint64
	Names          []string
	Orders         map[string][]uintptr // addresses of the entries
	Events         []Event
}

func contentsOf(s *State) contents {
	p := contents{
		LastID: s.lastID, UsedID: s.usedID, Revision: s.revision, From: s.history.from,
		Names: s.Names(), Orders: map[string][]uintptr{},
	}
	list := func(q sequence) (all []uintptr) {
		q.scan(false, func(e *Entry) bool {
			all = append(all, uintptr(unsafe.Pointer(e)))
			return true
		})
		if len(all) != q.len() {
			panic("wrong length")
		}
		return all
	}
	p.Orders[""] = list(s.primary)
	for _, x := range s.indexes {
		p.Orders[ordering.Format(x.terms)] = list(x.index)
	}
	p.Events = slices.Collect(s.history.after(0))
	return p
}

// A state that is frozen or pinned does not change.
func TestReadStatesDoNotChange(t *testing.T) {
	type held struct {
		state  *State
		pin    pin
		before contents
		step   int
	}
	for _, typ := range []*Type{newType(20), newMemberType()} {
		rng := random(t)
		c := newStore(t, typ, 0)
		var all []held
		hold := func(step int, s *State, p pin) { all = append(all, held{s, p, contentsOf(s), step}) }
		terms := []string{"", "number", "text", "number,-text", "note", "-note,text"}
		anyRecord := func() *record {
			r := randomRecord(rng, 1+rng.IntN(200))
			r.members = []string{"number", "text", "note", "other"}[:3+rng.IntN(2)]
			return r
		}
		inPlace := 0
		for step := range 700 {
			before := c.published.Load()
			revision := before.revision
			switch rng.IntN(20) {
			case 0, 1:
				hold(step, c.Current(), nil)
			case 2:
				s, p := c.pin()
				hold(step, s, p)
			case 3:
				hold(step, Freeze(c)[0], nil)
			case 4:
				clone := Clone(c)[0]
				hold(step, clone.Current(), nil)
				putAll(clone, anyRecord(), anyRecord())
				put(clone, anyRecord())
			case 5:
				var records []*record
				for range rng.IntN(60) {
					records = append(records, anyRecord())
				}
				putAll(c, records...)
			case 6:
				if rng.IntN(4) == 0 {
					var records []*record
					for id := range rng.IntN(100) {
						r := anyRecord()
						r.ID = id + 1
						records = append(records, r)
					}
					Replace([]Replacement{{Store: c, Entries: entriesOf(records...)}})
				}
			case 7:
				if err := c.Batch(func(tx *Tx) error { // uses an id
					e := newEntry(1000+step, "")
					tx.Write(Change{New: e})
					tx.Write(Change{Old: e})
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			case 8, 9, 10:
				for range rng.IntN(80) {
					w := pagination.Window{Offset: rng.IntN(100), Limit: rng.IntN(30)}
					if _, _, err := c.Page(t.Context(), Query{Terms: parse(terms[rng.IntN(len(terms))]), Lenient: true, Window: w}); err != nil {
						t.Fatal(err)
					}
				}
			case 11, 12:
				if e := c.Get(1 + rng.IntN(200)); e != nil {
					remove(c, e.ID)
				}
			default:
				put(c, anyRecord())
			}
			if now := c.published.Load(); now == before && now.revision > revision {
				inPlace++
			}
			for i := 0; i < len(all); i++ {
				h := all[i]
				if now := contentsOf(h.state); !reflect.DeepEqual(h.before, now) {
					t.Fatalf("step %d: the state of step %d, pinned %v, has changed (-want +got):\n%s",
						step, h.step, h.pin != nil, cmp.Diff(h.before, now))
				}
				if rng.IntN(4) == 0 {
					unpin(h.pin)
					all = append(all[:i], all[i+1:]...)
				}
			}
		}
		for _, h := range all {
			unpin(h.pin)
		}
		t.Logf("%d writes in place", inPlace)
		if inPlace == 0 {
			t.Error("no write was made in place")
		}
	}
}

// A write changes the published state in place unless a reader may be using it.
func TestWritesInPlace(t *testing.T) {
	pages := func(n int) func(t *testing.T, c *Store) {
		return func(t *testing.T, c *Store) {
			for range n {
				if _, _, err := c.Page(t.Context(), Query{Terms: parse("-text"), Window: pagination.Window{Limit: 3}}); err != nil {
					t.Error(err)
				}
			}
		}
	}
	one := func(c *Store) { put(c, &record{}) }
	for _, row := range []struct {
		reason string
		read   func(t *testing.T, c *Store)
		write  func(c *Store)
		want   bool
	}{
		{"no read", pages(0), one, true},
		{"a page", pages(1), one, true},
		{"as many reads as are pinned", pages(pinnedReads), one, true},
		{"one more read freezes the state", pages(pinnedReads + 1), one, false},
		{"other reads are counted, too", func(t *testing.T, c *Store) {
			for range pinnedReads/4 + 1 {
				c.Len()
				c.Get(1)
				c.Revision()
				c.Since(3)
			}
		}, one, false},
		{"the current state", func(t *testing.T, c *Store) { c.Current() }, one, false},
		{"a frozen state", func(t *testing.T, c *Store) { Freeze(c) }, one, false},
		{"a clone has its own state", func(t *testing.T, c *Store) { Clone(c) }, one, true},
		{"a scan", func(t *testing.T, c *Store) {
			if _, err := c.Scan(t.Context(), Query{}); err != nil {
				t.Error(err)
			}
		}, one, false},
		{"a new index", func(t *testing.T, c *Store) { ordered(t, c, "note") }, one, false},
		{"a read in progress", func(t *testing.T, c *Store) {
			_, p := c.pin()
			t.Cleanup(func() { unpin(p) })
		}, one, false},
		{"a small batch", pages(1), func(c *Store) { putAll(c, manyRecords()[1:]...) }, true},
		{"a large batch", pages(1), func(c *Store) { putAll(c, manyRecords()...) }, false},
		{"a replacement", pages(1), func(c *Store) { Replace([]Replacement{{Store: c}}) }, false},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := newStore(t, newType(10), 20)
			ordered(t, c, "text")
			one(c) // building the index froze the state
			row.read(t, c)
			s, revision := c.published.Load(), c.published.Load().revision
			row.write(c)
			now := c.published.Load()
			if got := now == s; got != row.want || now.revision != revision+1 {
				t.Errorf("written in place: %v, want %v; revision %d after %d", got, row.want, now.revision, revision)
			}
		})
	}
}

// Writes are made in place when there are few reads between them.
func TestWritesStayInPlace(t *testing.T) {
	c := newStore(t, newType(0), 10)
	ordered(t, c, "text")
	put(c, &record{})
	s := c.published.Load()
	for i := range 200 {
		put(c, &record{Entry: Entry{1 + i%10}})
		for range pinnedReads {
			c.Len()
		}
	}
	if c.published.Load() != s {
		t.Error("a write was made in a fork")
	}
}

// After a write that found a pin, reads freeze the state for hotWrites writes.
func TestHotWrites(t *testing.T) {
	c := newStore(t, newType(0), 10)
	put(c, &record{})
	_, p := c.pin()
	hot := 0
	for i := range 3 * hotWrites {
		put(c, &record{})
		if i == 0 {
			unpin(p)
		}
		s := c.published.Load()
		if c.Len(); s.frozen.Load() {
			if hot++; hot != i+1 {
				t.Fatalf("the read after write %d froze the state, that after an earlier write did not", i)
			}
		}
	}
	if hot != hotWrites {
		t.Errorf("reads froze %d states, want %d", hot, hotWrites)
	}
	if !c.pins.idle() {
		t.Error("a pin was not released")
	}
}
