package catalogue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// A callbackRecord calls a function of the test from MarshalJSON.
type callbackRecord struct {
	ID    int           `json:"id"`
	Value callbackValue `json:"value"`
}

type callbackValue struct {
	N    int
	call *func() // if nil or pointing to nil, there is none
}

func (v callbackValue) Clone() callbackValue { return v }

func (v callbackValue) MarshalJSON() ([]byte, error) {
	if v.call != nil && *v.call != nil {
		(*v.call)()
	}
	return json.Marshal(v.N)
}

// withinLimit fails the test if f does not return. The limit does not measure speed.
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

// A write calls MarshalJSON to check a record and to make its keys. Reads do not wait for
// it, and it may read the collection itself.
func TestReadsDoNotWaitForMarshalJSON(t *testing.T) {
	for _, row := range []struct {
		reason string
		write  func(c *catalogue.Collection[callbackRecord], call *func()) error
	}{
		{"insert", func(c *catalogue.Collection[callbackRecord], call *func()) error {
			_, err := c.Insert(callbackRecord{Value: callbackValue{N: 3, call: call}})
			return err
		}},
		{"update", func(c *catalogue.Collection[callbackRecord], call *func()) error {
			return c.Update(1, func(r *callbackRecord) error { r.Value.call = call; return nil })
		}},
		{"batch", func(c *catalogue.Collection[callbackRecord], call *func()) error {
			return c.Batch(func(tx *catalogue.Tx[callbackRecord]) error {
				for range 20 {
					if _, err := tx.Insert(callbackRecord{Value: callbackValue{N: 3, call: call}}); err != nil {
						return err
					}
				}
				return nil
			})
		}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := mustCollection[callbackRecord](t, catalogue.Options{})
			for i := range 5 {
				_, err := c.Insert(callbackRecord{Value: callbackValue{N: i}})
				must(t, err)
			}
			byValue := ordering.Asc("value")
			_, err := c.Where().View(pagination.Window{Limit: 5}, byValue)
			must(t, err)
			calls := 0
			call := func() {
				calls++
				withinLimit(t, "a read during MarshalJSON", func() {
					if n := c.Count(); n != 5 {
						t.Errorf("Count() = %d, want 5", n)
					}
					if _, err := c.Get(2); err != nil {
						t.Error(err)
					}
					if v, err := c.Where().View(pagination.Window{Limit: 5}, byValue); err != nil || v.Count() != 5 {
						t.Errorf("View: %d records, %v, want 5", v.Count(), err)
					}
				})
			}
			withinLimit(t, "the write", func() {
				if err := row.write(c, &call); err != nil {
					t.Error(err)
				}
			})
			if calls == 0 {
				t.Error("MarshalJSON was not called")
			}
			call = nil
		})
	}
}

// Waiting for a new index ends with the context. The index is built all the same.
func TestPageReturnsWhenContextEnds(t *testing.T) {
	cat := mustCatalogue(t, catalogue.Define[slowRecord]("books", catalogue.Options{}))
	c := mustIn(catalogue.Define[slowRecord]("books", catalogue.Options{}), cat)
	for i := range 20 {
		_, err := c.Insert(slowRecord{Value: slowValue{N: i % 7}, N: i})
		must(t, err)
	}
	books := collectionOf(t, cat, "books")
	p := pauseAtKey(c, 1, false)
	for range 3 { // after the first, nobody waits for the index that is being built
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, _, err := listed(books.List(ctx, catalogue.Query{Window: pagination.Window{Limit: 5}, Terms: byValue}))
			ended <- err
		}()
		<-p.reached
		cancel()
		withinLimit(t, "Page with a context that has ended", func() {
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("Page: error %v, want context.Canceled", err)
			}
		})
	}
	if _, err := c.Insert(slowRecord{Value: slowValue{N: 3}}); err != nil { // a write during the build
		t.Error(err)
	}
	close(p.resume)
	count, records, err := listed(books.List(t.Context(), catalogue.Query{Window: pagination.Window{Limit: 100}, Terms: byValue}))
	if count != 21 || len(records) != 21 || err != nil {
		t.Errorf("Page: %d records of %d, %v, want 21 of 21", len(records), count, err)
	}
	old := c.Snapshot() // package store tests that its sorts end with the context, too
	_, err = old.Where().View(pagination.Window{Limit: 1}, ordering.Desc("value"))
	must(t, err)
}

// Readers that request new orderings all the time do not starve a writer.
func TestWritesDoNotWaitForNewIndexes(t *testing.T) {
	cat, events := benchHouse(t, 2000)
	c := mustIn(resources.Events, cat)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		fields := catalogue.FieldNames(c)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			a, b := fields[1+i%(len(fields)-1)], fields[1+i/len(fields)%(len(fields)-1)]
			if a != b {
				c.Where().View(pagination.Window{Limit: 1}, ordering.Asc(a), ordering.Desc(b))
			}
		}
	}()
	written := make(chan error)
	go func() {
		for range 5 {
			err := c.Batch(func(tx *catalogue.Tx[resources.Event]) error {
				for i := range events {
					if err := tx.Update(i+1, func(e *resources.Event) error { e.Name += "."; return nil }); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				written <- err
				return
			}
			if err := c.ReplaceAll(c.All()); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
	select {
	case err := <-written:
		must(t, err)
	case <-time.After(60 * time.Second):
		t.Error("writes wait for reads")
	}
	close(stop)
	<-stopped
	must(t, c.Check())
}

// The times of posts ascend with the ids, and Options.Now is not called by two posts at once.
func TestCreatedTimesAscend(t *testing.T) {
	type note struct {
		ID        int             `json:"id"`
		CreatedAt schema.DateTime `json:"createdAt" backlist:"created"`
	}
	calls := 0
	now := func() time.Time {
		calls++
		time.Sleep(time.Millisecond) // for another post to come in between
		return time.Date(2026, 1, 1, 0, 0, calls, 0, time.UTC)
	}
	cat := mustCatalogue(t, catalogue.Define[note]("notes", catalogue.Options{Description: &schema.Description{Actions: schema.AllActions}, Now: now}))
	notes := collectionOf(t, cat, "notes")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := notes.Create(t.Context(), nil, schema.Record{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for id := 1; id <= 8; id++ {
		want := fmt.Sprintf(`{"id":%d,"createdAt":"2026-01-01T00:00:0%dZ"}`, id, id)
		if got, err := notes.Get(t.Context(), fmt.Sprint(id), schema.Filter{}); string(got) != want || err != nil {
			t.Errorf("note %d is %s, %v, want %s", id, got, err, want)
		}
	}
}
