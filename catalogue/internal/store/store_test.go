package store

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/pagination"
)

// Wait returns after any kind of write and when its context is done.
func TestWait(t *testing.T) {
	for reason, write := range map[string]func(c *Store){
		"a write":       func(c *Store) { put(c, &record{}) },
		"a large batch": func(c *Store) { putAll(c, manyRecords()...) },
		"a replacement": func(c *Store) { replace(Replacement{Store: c}) },
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
		must(t, c.Batch(func(tx *Tx) error { return nil }))
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

// A write changes the published state in place unless a reader may be using it.
func TestWritesInPlace(t *testing.T) {
	pages := func(n int) func(t *testing.T, c *Store) {
		return func(t *testing.T, c *Store) {
			for range n {
				if _, _, err := of(c).Page(t.Context(), Query{Terms: parse("-text"), Window: pagination.Window{Limit: 3}}); err != nil {
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
			for range pinnedReads/3 + 1 {
				c.Len()
				c.Get(1)
				c.Since(3)
			}
		}, one, false},
		{"the revision is read without a pin", func(t *testing.T, c *Store) {
			for range 2 * pinnedReads {
				c.Revision()
			}
		}, one, true},
		{"the current state", func(t *testing.T, c *Store) { c.Current() }, one, false},
		{"a frozen state", func(t *testing.T, c *Store) { Freeze(c) }, one, false},
		{"a clone has its own state", func(t *testing.T, c *Store) { Clone(c) }, one, true},
		{"a scan", func(t *testing.T, c *Store) {
			if _, err := of(c).Scan(t.Context(), Query{}); err != nil {
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
		{"a replacement", pages(1), func(c *Store) { replace(Replacement{Store: c}) }, false},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := newStore(t, newType(10), 20)
			ordered(t, c, "text")
			one(c) // building the index froze the state
			row.read(t, c)
			s, revision := c.published.Load(), c.published.Load().Revision()
			row.write(c)
			now := c.published.Load()
			if got := now == s; got != row.want || now.Revision() != revision+1 {
				t.Errorf("written in place: %v, want %v; revision %d after %d", got, row.want, now.Revision(), revision)
			}
		})
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

func newEntry(id int, text string) *Entry { return &(&record{Entry: Entry{id}, text: text}).Entry }

func TestCheck(t *testing.T) {
	byText := func(s *State) *tree[text] {
		return s.indexes[findTerms(s.indexes, parse("text"))].index.(*tree[text])
	}
	for _, row := range []struct {
		reason string
		damage func(s *State)
		want   string // in the error text; "" means no error
	}{
		{"no damage", func(*State) {}, ""},
		{"an index lacks an entry", func(s *State) { byText(s).items.Delete(byText(s).item(s.Get(2))) }, "2 entries"},
		{"an index has an entry twice", func(s *State) { byText(s).items.Set(item[text]{textOf("zz"), 2, s.Get(2)}) }, "id "},
		{"an index is not sorted", func(s *State) { recordOf(s.Get(2)).text = "zz" }, "out of order"},
		{"an index is sorted but has another key", func(s *State) { recordOf(s.Get(2)).text = "b\x00" }, "by its key"},
		{"an index has a wrong key size", func(s *State) {
			s.indexes[findTerms(s.indexes, parse("note"))].index.(*tree[text]).bytes++
		}, "bytes, counted"},
		{"the index by id lacks an entry", func(s *State) { s.primary.(*tree[struct{}]).items.Delete(item[struct{}]{id: 2}) }, "id 2"},
		{"an id is above the highest id", func(s *State) { s.lastID = 2 }, "highest id is 2"},
		{"an id is zero", func(s *State) { s.primary.(*tree[struct{}]).items.Set(item[struct{}]{id: 0, entry: newEntry(0, "")}) }, "id 0"},
		{"an ordering has two indexes", func(s *State) { s.indexes = append(s.indexes, s.indexes[1]) }, "two indexes"},
		{"the keys are too large", func(s *State) {
			x := s.indexes[findTerms(s.indexes, parse("note"))].index.(*tree[text])
			note := strings.Repeat("x", 3*maxPerRecord)
			r := recordOf(s.Get(3))
			x.remove(x.item(&r.Entry), nil)
			r.note = &note
			x.put(x.item(&r.Entry), nil)
		}, "exceed the limits"},
		{"too many multi-field indexes", func(s *State) {
			for _, a := range []string{"number", "text", "note"} {
				for _, b := range []string{"number", "-number", "text", "-text", "note", "-note"} {
					if strings.TrimPrefix(b, "-") == a {
						continue
					}
					terms := parse(a + "," + b)
					x := newIndex(s.typ.resolve(terms), terms)
					x.fill(s.Entries())
					s.indexes = append(s.indexes, orderingIndex{terms: terms, index: x, usage: new(usage)})
				}
			}
		}, "exceed the limits"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := New(newType(10))
			for _, text := range []string{"a", "b", "c"} {
				put(c, &record{text: text, number: int64(len(text))})
			}
			for _, terms := range []string{"number", "text", "note"} {
				ordered(t, c, terms)
			}
			s := c.Current()
			if err := c.Check(); err != nil {
				t.Fatalf("Check before the damage: %v", err)
			}
			row.damage(s)
			switch err := c.Check(); {
			case row.want == "" && err != nil:
				t.Error(err)
			case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
				t.Errorf("Check() = %v, want an error containing %q", err, row.want)
			}
		})
	}
}
