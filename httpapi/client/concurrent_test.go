package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/client"
)

// serveChanging returns a handler that calls change after the n-th response, from 1.
func serveChanging(t testing.TB, house *catalogue.Catalogue, change func(n int, books *catalogue.Collection[schema.Record])) http.Handler {
	t.Helper()
	h := newHandler(t, house)
	books, err := house.Records("books")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := books.Check(); err != nil {
			t.Error(err)
		}
	})
	var served atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		change(int(served.Add(1)), books)
	})
}

// The books 10, 20, …, 100 are read in the pages 10-40, 40-70 and 70-100. They change
// after the first page.
func TestWalkWithConcurrentChange(t *testing.T) {
	insert := func(b *catalogue.Collection[schema.Record], id int) error {
		_, err := b.Insert(schema.Record{ID: id})
		return err
	}
	type collection = *catalogue.Collection[schema.Record]
	for _, c := range []struct {
		name, reason string
		change       func(collection) error
		want         error
		ids          []int
	}{
		{"inserted at the end", "as by POST; the count differs",
			func(b collection) error { return insert(b, 0) }, client.ErrChanged, nil},
		{"inserted before the boundary", "a record moves to the next page; the count differs",
			func(b collection) error { return insert(b, 5) }, client.ErrChanged, nil},
		{"deleted before the boundary", "a record moves to the page already read; the count differs",
			func(b collection) error { return b.Delete(20) }, client.ErrChanged, nil},
		{"deleted after the boundary", "the count differs",
			func(b collection) error { return b.Delete(80) }, client.ErrChanged, nil},
		{"deleted before, inserted after", "50 would be missing with the same count, but 40 has moved",
			func(b collection) error { return errors.Join(b.Delete(20), insert(b, 0)) }, client.ErrGap, nil},
		{"inserted before, deleted after", "40 would appear twice with the same count, but 30 has moved",
			func(b collection) error { return errors.Join(insert(b, 5), b.Delete(80)) }, client.ErrDuplicate, nil},
		{"last record of the page deleted", "50 is in the place of 40",
			func(b collection) error { return errors.Join(b.Delete(40), insert(b, 0)) }, client.ErrGap, nil},

		{"deleted and inserted after", "harmless, since these records have not been read yet",
			func(b collection) error { return errors.Join(b.Delete(80), insert(b, 85)) }, nil, []int{10, 20, 30, 40, 50, 60, 70, 85, 90, 100}},
		{"deleted and inserted before", "harmless, since no record crosses the boundary",
			func(b collection) error { return errors.Join(b.Delete(20), insert(b, 25)) }, nil, []int{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}},
		{"updated", "harmless, since ids do not change", func(b collection) error {
			var failed error
			for _, id := range []int{10, 40, 70, 100} {
				failed = errors.Join(failed, b.Update(id, func(r *schema.Record) (err error) {
					*r, err = r.With("name", "A")
					return err
				}))
			}
			return failed
		}, nil, []int{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			house := catalogue.New()
			load(t, house, "books", books(10, 20, 30, 40, 50, 60, 70, 80, 90, 100))
			service := serve(t, serveChanging(t, house, func(n int, b *catalogue.Collection[schema.Record]) {
				if n == 1 {
					if err := c.change(b); err != nil {
						t.Error(err)
					}
				}
			}), 4)
			got, err := walkIDs(t, service, "books")
			if !errors.Is(err, c.want) {
				t.Fatalf("Walk: error %v, want %v", err, c.want)
			}
			var place *client.PageError
			if errors.As(err, &place) && place.Offset != 4 && place.Offset != 3 {
				t.Errorf("the error is at offset %d, want 3 or 4", place.Offset)
			}
			if diff := cmp.Diff(c.ids, got); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
		})
	}
}

// An update that moves an event in the default order, which is by date, does not affect
// the order by id.
func TestWalkWithUpdatedDates(t *testing.T) {
	house := sampleCatalogue(t)
	h := newHandler(t, house)
	service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		for e := range house.Events().All() { // makes the first event the last
			err := house.Events().Update(e.ID, func(e *schema.Event) error {
				e.StartDate = schema.At(e.StartDate.AddDate(1, 0, 0))
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			break
		}
	}), 10)
	walk, err := service.Walk(t.Context(), "events")
	if err != nil || len(walk.Records) != house.Events().Count() {
		t.Errorf("Walk = %d events, %v, want %d", len(walk.Records), err, house.Events().Count())
	}
	if err := house.Events().Check(); err != nil {
		t.Error(err)
	}
}

// A walk that succeeds has every record that existed throughout exactly once, and no
// record that never existed.
func TestWalkWithRandomWrites(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	succeeded, failed := 0, 0
	for range 200 {
		house := catalogue.New()
		var all []int
		for id := 1; id <= 60; id += 1 + random.IntN(3) {
			all = append(all, id)
		}
		load(t, house, "books", books(all...))
		throughout, ever := map[int]bool{}, map[int]bool{}
		for _, id := range all {
			throughout[id], ever[id] = true, true
		}
		h := serveChanging(t, house, func(_ int, b *catalogue.Collection[schema.Record]) {
			if random.IntN(2) == 0 {
				return
			}
			list := slices.Collect(b.All())
			deleted := list[random.IntN(len(list))].ID
			delete(throughout, deleted)
			if err := b.Delete(deleted); err != nil {
				t.Error(err)
			}
			for random.IntN(8) > 0 { // usually insert another, so that the count stays the same
				id := 1 + random.IntN(70)
				if _, err := b.Insert(schema.Record{ID: id}); err == nil {
					ever[id] = true
					return
				} else if !errors.Is(err, catalogue.ErrExists) {
					t.Error(err)
				}
			}
		})
		service := newClient(t, client.Options{BaseURL: "http://catalogue.test", HTTP: &http.Client{Transport: inProcess{h}}, PageSize: 2 + random.IntN(9), Rate: -1})
		got, err := walkIDs(t, service, "books")
		if err != nil {
			failed++
			continue
		}
		succeeded++
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("ids are not distinct and ordered: %v", got)
		}
		for id := range throughout {
			if !slices.Contains(got, id) {
				t.Errorf("record %d existed throughout but is not in %v", id, got)
			}
		}
		for _, id := range got {
			if !ever[id] {
				t.Errorf("record %d never existed", id)
			}
		}
	}
	if succeeded < 10 || failed < 10 {
		t.Errorf("%d walks succeeded and %d failed, want at least 10 each", succeeded, failed)
	}
}

// Each of several concurrent imports fails or loads a whole collection.
func TestConcurrentImports(t *testing.T) {
	house, into := tenBooks(t), catalogue.New()
	original, err := house.Records("books")
	if err != nil {
		t.Fatal(err)
	}
	copied, err := into.Records("books")
	if err != nil {
		t.Fatal(err)
	}
	service := serve(t, newHandler(t, house), 3)
	done := make(chan struct{})
	var imports, writer sync.WaitGroup
	writer.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			id, err := original.Insert(schema.Record{})
			if err = errors.Join(err, original.Delete(id)); err != nil {
				t.Error(err)
			}
		}
	})
	for range 4 {
		imports.Go(func() {
			for range 10 {
				_, err := client.Import(t.Context(), into, service, "books")
				if err != nil && !errors.Is(err, client.ErrChanged) {
					t.Error(err)
				}
				if n := copied.Count(); n != 0 && n != 10 && n != 11 {
					t.Errorf("Count() = %d, want 0, 10 or 11", n)
				}
			}
		})
	}
	imports.Wait()
	close(done)
	writer.Wait()
	for _, c := range []*catalogue.Catalogue{house, into} {
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	}
}

// A walk terminates even if every page has a next.
func TestEndlessPages(t *testing.T) {
	requests := 0
	service := newClient(t, client.Options{BaseURL: "http://catalogue.test", Rate: -1, PageSize: 2, MaxRecords: 50,
		HTTP: &http.Client{Transport: inProcess{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests++
			id := requests
			next := fmt.Sprintf("http://catalogue.test/api/books/?limit=2&offset=%d&ordering=id", id+1)
			var previous string
			if id > 1 { // this page starts at id-1
				previous = fmt.Sprintf("http://catalogue.test/api/books/?limit=2&offset=%d&ordering=id", max(id-3, 0))
			}
			body, err := envelope{Count: 50, Next: next, Previous: previous, Records: []json.RawMessage{books(id)[0], books(id + 1)[0]}}.MarshalJSON()
			if err != nil {
				t.Error(err)
			}
			w.Header().Set("Content-Type", "application/json")
			w.Write(body)
		})}}})
	_, err := service.Walk(t.Context(), "books")
	if !errors.Is(err, client.ErrInvalidLink) || !strings.Contains(err.Error(), "offset=48&") {
		t.Errorf("Walk: error %v, want ErrInvalidLink at offset 48", err)
	}
	if requests != 49 { // each page but the first has one new record
		t.Errorf("%d requests, want 49", requests)
	}
}
