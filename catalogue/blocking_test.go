package catalogue

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A calling record runs a function of the test while its JSON is made.
type calling struct {
	ID    int    `json:"id"`
	Value called `json:"value"`
}

type called struct {
	N    int
	call *func()
}

func (c called) Clone() called { return c }

func (c called) MarshalJSON() ([]byte, error) {
	if c.call != nil && *c.call != nil {
		(*c.call)()
	}
	return json.Marshal(c.N)
}

// withinLimit fails the test if f does not return. The time is no measure of speed.
func withinLimit(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s does not return", what)
	}
}

// Reads do not wait for a record's own MarshalJSON, which a write runs to check
// the record and to compute its keys; and that method may read the collection.
func TestReadsDoNotWaitForMarshalJSON(t *testing.T) {
	for _, row := range []struct {
		reason string
		write  func(c *Collection[calling], call *func()) error
	}{
		{"insert", func(c *Collection[calling], call *func()) error {
			_, err := c.Insert(calling{Value: called{N: 3, call: call}})
			return err
		}},
		{"update", func(c *Collection[calling], call *func()) error {
			return c.Update(1, func(r *calling) error { r.Value.call = call; return nil })
		}},
		{"batch", func(c *Collection[calling], call *func()) error {
			return c.Batch(func(tx *Tx[calling]) error {
				for range 20 {
					if _, err := tx.Insert(calling{Value: called{N: 3, call: call}}); err != nil {
						return err
					}
				}
				return nil
			})
		}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c, err := NewCollection[calling](Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkAtEnd(t, c)
			for i := range 5 {
				if _, err := c.Insert(calling{Value: called{N: i}}); err != nil {
					t.Fatal(err)
				}
			}
			byValue := ordering.Asc("value")
			if _, err := c.View(pagination.Window{Limit: 5}, byValue); err != nil {
				t.Fatal(err)
			}
			calls := 0
			call := func() {
				calls++
				withinLimit(t, "a read beside MarshalJSON", func() {
					if n := c.Count(); n != 5 {
						t.Errorf("%d records, want 5", n)
					}
					if _, err := c.Get(2); err != nil {
						t.Error(err)
					}
					if v, err := c.View(pagination.Window{Limit: 5}, byValue); err != nil || v.Count() != 5 {
						t.Errorf("a page of %d records, %v", v.Count(), err)
					}
				})
			}
			withinLimit(t, "the write", func() {
				if err := row.write(c, &call); err != nil {
					t.Error(err)
				}
			})
			if calls == 0 {
				t.Error("MarshalJSON did not run")
			}
			call = nil
		})
	}
}

// A page waits for the sort of a new ordering no longer than its context allows,
// and the ordering is there when somebody asks again.
func TestPageWaitsNoLongerThanItsContext(t *testing.T) {
	house, err := NewWith(Define[slowRecord]("books", Options{}))
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, house)
	c, err := Define[slowRecord]("books", Options{}).In(house)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if _, err := c.Insert(slowRecord{Value: slow{N: i % 7}, N: i}); err != nil {
			t.Fatal(err)
		}
	}
	books, err := house.Encoded("books")
	if err != nil {
		t.Fatal(err)
	}
	g := halt(c, 1, false)
	for range 3 { // the second asks for a sort that nobody waits for any more
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, _, err := books.Page(ctx, pagination.Window{Limit: 5}, byValue)
			ended <- err
		}()
		<-g.entered
		cancel()
		withinLimit(t, "a page whose context has ended", func() {
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("%v, want context.Canceled", err)
			}
		})
	}
	if _, err := c.Insert(slowRecord{Value: slow{N: 3}}); err != nil { // a write beside the sort
		t.Error(err)
	}
	close(g.leave)
	count, records, err := books.Page(t.Context(), pagination.Window{Limit: 100}, byValue)
	if count != 21 || len(records) != 21 || err != nil {
		t.Errorf("%d records of %d, %v", len(records), count, err)
	}
	old := c.Snapshot() // its own sorts end with the context, too: see package store
	if _, err := old.View(pagination.Window{Limit: 1}, ordering.Desc("value")); err != nil {
		t.Error(err)
	}
}
