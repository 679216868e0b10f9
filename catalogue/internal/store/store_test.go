package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Wait returns after any kind of write and when its context is done.
func TestWait(t *testing.T) {
	for reason, write := range map[string]func(c *Store){
		"a write":       func(c *Store) { put(c, &record{}) },
		"a large batch": func(c *Store) { putAll(c, manyRecords()...) },
		"a replacement": func(c *Store) { Replace([]Replacement{{Store: c}}) },
	} {
		c := newStore(t, newSchema(0), 1)
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
	c := newStore(t, newSchema(0), 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Wait(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait(1) = %v, want %v", err, context.Canceled)
	}
}

// A write to a clone, and building and dropping its indexes, leave the original
// unchanged.
func TestClone(t *testing.T) {
	c := newStore(t, newSchema(10), 30)
	for _, terms := range []string{"number", "note,text"} {
		ordered(t, c, terms)
	}
	put(c, &record{})
	want := contentsOf(c.Current())
	clones := Clone(c, New(newSchema(0)))
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
