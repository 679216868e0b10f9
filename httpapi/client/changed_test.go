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
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/resources"
)

// changing serves a house and calls change after the n-th answer, from 1.
func changing(t testing.TB, house *catalogue.Catalogue, change func(n int, books *catalogue.Collection[resources.Record])) http.Handler {
	t.Helper()
	h := handler(t, house)
	books, err := house.Records("books")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := books.Check(); err != nil {
			t.Error(err)
		}
	})
	var answered atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		change(int(answered.Add(1)), books)
	})
}

// A house of the books 10, 20 … 100, which is read in the pages 10-40, 40-70 and
// 70-100, changes after the first of them.
func TestWalkOverWhatChanges(t *testing.T) {
	insert := func(b *catalogue.Collection[resources.Record], id int) error {
		_, err := b.Insert(resources.Record{ID: id})
		return err
	}
	type shelf = *catalogue.Collection[resources.Record]
	for _, c := range []struct {
		name, reason string
		change       func(shelf) error
		want         error
		ids          []int
	}{
		{"inserted behind all", "as the service does: the count tells",
			func(b shelf) error { return insert(b, 0) }, client.ErrChanged, nil},
		{"inserted before", "it moves a record onto the next page; the count tells",
			func(b shelf) error { return insert(b, 5) }, client.ErrChanged, nil},
		{"deleted before", "it moves a record onto the page that was read; the count tells",
			func(b shelf) error { return b.Delete(20) }, client.ErrChanged, nil},
		{"deleted behind", "the count tells",
			func(b shelf) error { return b.Delete(80) }, client.ErrChanged, nil},
		{"deleted before, inserted behind", "50 would be missing, and the count is the same: 40 has moved",
			func(b shelf) error { return errors.Join(b.Delete(20), insert(b, 0)) }, client.ErrGap, nil},
		{"inserted before, deleted behind", "40 would come twice, and the count is the same: 30 has moved",
			func(b shelf) error { return errors.Join(insert(b, 5), b.Delete(80)) }, client.ErrDuplicate, nil},
		{"the last of the page is replaced", "40 has gone, 50 is in its place",
			func(b shelf) error { return errors.Join(b.Delete(40), insert(b, 0)) }, client.ErrGap, nil},

		{"deleted and inserted behind", "harmless: all that was there throughout is yet to come",
			func(b shelf) error { return errors.Join(b.Delete(80), insert(b, 85)) }, nil, []int{10, 20, 30, 40, 50, 60, 70, 85, 90, 100}},
		{"deleted and inserted before", "harmless: nothing moves over the border; 20 was there when it was read",
			func(b shelf) error { return errors.Join(b.Delete(20), insert(b, 25)) }, nil, []int{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}},
		{"updated", "harmless: its id stays, and so does its place", func(b shelf) error {
			var failed error
			for _, id := range []int{10, 40, 70, 100} {
				failed = errors.Join(failed, b.Update(id, func(r *resources.Record) (err error) {
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
			service := serve(t, changing(t, house, func(n int, b *catalogue.Collection[resources.Record]) {
				if n == 1 {
					if err := c.change(b); err != nil {
						t.Error(err)
					}
				}
			}), 4)
			got, err := ids(t, service, "books")
			if !errors.Is(err, c.want) {
				t.Fatalf("want %v, got %v", c.want, err)
			}
			var place *client.PageError
			if errors.As(err, &place) && place.Offset != 4 && place.Offset != 3 {
				t.Errorf("it is behind the first page, and not at offset %d", place.Offset)
			}
			if diff := cmp.Diff(c.ids, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An update that moves an event in the default order, which is by date, moves
// nothing in the order of the walk.
func TestWalkOverEventsThatMove(t *testing.T) {
	house := sampled(t)
	h := handler(t, house)
	service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		for e := range house.Events().All() { // the first becomes the last
			err := house.Events().Update(e.ID, func(e *resources.Event) error {
				e.StartDate = resources.At(e.StartDate.AddDate(1, 0, 0))
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
		t.Errorf("%d of %d events, %v", len(walk.Records), house.Events().Count(), err)
	}
	if err := house.Events().Check(); err != nil {
		t.Error(err)
	}
}

// Whatever is written between the pages: a walk that succeeds has every record that
// was there all the time, none twice, and none that never was.
func TestWalkBesideRandomWrites(t *testing.T) {
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
		h := changing(t, house, func(_ int, b *catalogue.Collection[resources.Record]) {
			if random.IntN(2) == 0 {
				return
			}
			list := slices.Collect(b.All())
			gone := list[random.IntN(len(list))].ID
			delete(throughout, gone)
			if err := b.Delete(gone); err != nil {
				t.Error(err)
			}
			for random.IntN(8) > 0 { // mostly one comes for the one that goes: the count stays
				id := 1 + random.IntN(70)
				if _, err := b.Insert(resources.Record{ID: id}); err == nil {
					ever[id] = true
					return
				} else if !errors.Is(err, catalogue.ErrExists) {
					t.Error(err)
				}
			}
		})
		service := connect(t, client.Options{BaseURL: "http://catalogue.test", HTTP: &http.Client{Transport: inProcess{h}}, PageSize: 2 + random.IntN(9), Rate: -1})
		got, err := ids(t, service, "books")
		if err != nil {
			failed++
			continue
		}
		succeeded++
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("twice, or not in order: %v", got)
		}
		for id := range throughout {
			if !slices.Contains(got, id) {
				t.Errorf("%d was there all the time and is not in %v", id, got)
			}
		}
		for _, id := range got {
			if !ever[id] {
				t.Errorf("%d was never there", id)
			}
		}
	}
	if succeeded < 10 || failed < 10 {
		t.Errorf("%d walks succeeded and %d failed, which tests too little", succeeded, failed)
	}
}

// Several imports into one catalogue, by one client, of a service that others write
// to: each fails, or leaves a whole collection.
func TestImportsBesideWriters(t *testing.T) {
	house, into := shelf(t), catalogue.New()
	original, err := house.Records("books")
	if err != nil {
		t.Fatal(err)
	}
	copied, err := into.Records("books")
	if err != nil {
		t.Fatal(err)
	}
	service := serve(t, handler(t, house), 3)
	done := make(chan struct{})
	var imports, writer sync.WaitGroup
	writer.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			id, err := original.Insert(resources.Record{})
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
					t.Errorf("%d books", n)
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

// A collection that is never finished, with a page for every request.
func TestWalkWithoutEnd(t *testing.T) {
	requests := 0
	service := connect(t, client.Options{BaseURL: "http://catalogue.test", Rate: -1, PageSize: 2, MaxRecords: 50,
		HTTP: &http.Client{Transport: inProcess{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests++
			id := requests
			next := fmt.Sprintf("http://catalogue.test/api/books/?limit=2&offset=%d&ordering=id", id+1)
			var previous string
			if id > 1 { // this page begins at id-1
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
		t.Errorf("error %v", err)
	}
	if requests != 49 {
		t.Errorf("%d requests for 50 records in pages that have one new each, but for the first", requests)
	}
}
