package store

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
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
			Replace([]Replacement{{Store: other, Entries: entriesOf(&record{Entry: Entry{1}})}, {Store: c, Entries: entriesOf(r)}})
			return nil
		}, "no key"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			stores := []*Store{newStore(t, newSchema(50), 20), newStore(t, newSchema(50), 20)}
			var before []contents
			for _, c := range stores {
				for _, terms := range []string{"slow", "number,slow", "text"} {
					ordered(t, c, terms)
				}
				put(c, &record{})
				before = append(before, contentsOf(c.published.Load()))
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
				if now := contentsOf(c.published.Load()); !reflect.DeepEqual(before[i], now) {
					t.Errorf("store %d has changed (-want +got):\n%s", i, cmp.Diff(before[i], now))
				}
				put(c, &record{})
				putAll(c, manyRecords()...)
			}
		})
	}
}

// Batches of all sizes have the effect of single writes.
func TestBatch(t *testing.T) {
	rng := random(t)
	for _, changes := range []int{1, 2, fewChanges, fewChanges + 1, 100, 400, 1000} {
		c := newStore(t, newSchema(0), 0)
		model := map[int]*Entry{}
		terms := []string{"number", "note,-text", "text"}
		for _, terms := range terms {
			ordered(t, c, terms)
		}
		for range 12 {
			err := c.Batch(func(tx *Tx) error {
				for range changes {
					id := 1 + rng.IntN(500)
					if model[id] != nil && rng.IntN(3) == 0 {
						tx.Write(Change{Old: tx.Get(id)})
						delete(model, id)
					} else {
						e := &randomRecord(rng, id).Entry
						tx.Write(Change{tx.Get(id), e})
						model[id] = e
					}
					if tx.Get(id) != model[id] || tx.Len() != len(model) {
						return fmt.Errorf("%d changes: Get(%d) = %v, Len() = %d, want %v, %d", changes, id, tx.Get(id), tx.Len(), model[id], len(model))
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			var all []*Entry
			for id, e := range model {
				if all = append(all, e); c.Get(id) != e {
					t.Fatalf("%d changes: Get(%d) = %v, want %v", changes, id, c.Get(id), e)
				}
			}
			for _, terms := range terms {
				if diff := cmp.Diff(sorted(all, terms), ordered(t, c, terms)); diff != "" && len(all) > 0 {
					t.Fatalf("%d changes, by %s (-want +got):\n%s", changes, terms, diff)
				}
			}
		}
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	}
}

// Readers do not wait for the program's code that a writer runs, and that code may
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
			c := newStore(t, newSchema(10), 20)
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
				if diff := cmp.Diff(sorted(c.Current().Entries(), terms), ordered(t, c, terms)); diff != "" {
					t.Errorf("by %s (-want +got):\n%s", terms, diff)
				}
			}
		})
	}
}
