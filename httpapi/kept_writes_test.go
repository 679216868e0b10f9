package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// counted is a collection of a catalogue, with its revision, that counts the
// pages it was asked for.
type counted struct {
	catalogue.Encoded
	httpapi.Revisioned
	pages atomic.Int64
}

func (c *counted) Page(ctx context.Context, terms []ordering.Term, w pagination.Window) (int, [][]byte, error) {
	c.pages.Add(1)
	return c.Encoded.Page(ctx, terms, w)
}

// countedHandler serves a house with events that are counted.
func countedHandler(t *testing.T, house *catalogue.Catalogue) (*httpapi.Handler, *counted) {
	t.Helper()
	all := make(map[string]httpapi.Collection)
	for key, c := range house.All() {
		all[key] = c
	}
	encoded, err := house.Encoded("events")
	if err != nil {
		t.Fatal(err)
	}
	events := &counted{Encoded: encoded, Revisioned: encoded.(httpapi.Revisioned)}
	all["events"] = events
	h, err := httpapi.NewHandler(all, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	return h, events
}

// A house's collections tell their revisions; what is made of one does not,
// unless it says so: its pages may depend on anything.
func TestRevisioned(t *testing.T) {
	for key, c := range catalogue.New().All() {
		if _, ok := c.(httpapi.Revisioned); !ok {
			t.Errorf("%s does not tell its revision", key)
		}
		var wrapped any = struct{ catalogue.Encoded }{c}
		if _, ok := wrapped.(httpapi.Revisioned); ok {
			t.Errorf("%s in something else does", key)
		}
	}
}

// list is what is looked at of a page.
type list struct {
	Count   int
	Results []struct {
		ID   int
		Name string
	}
}

func (l list) names() string {
	names := make([]string, len(l.Results))
	for i, r := range l.Results {
		names[i] = r.Name
	}
	return strings.Join(names, " ")
}

func askEvents(t *testing.T, h http.Handler, query string) (page list) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://host.example/api/events/"+query, nil))
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != 200 {
		t.Errorf("%d %s: %v", w.Code, w.Body, err)
	}
	return page
}

// TestEveryWriteIsSeen asks for a page until it is kept, writes, and asks again.
func TestEveryWriteIsSeen(t *testing.T) {
	const rest = `,"slug":"s","startDate":"2026-05-10T18:00:00Z","endDate":"2026-05-10T20:00:00Z"}`
	rename := func(name string) func(*resources.Event) error {
		return func(e *resources.Event) error { e.Name = name; return nil }
	}
	type events = *catalogue.Collection[resources.Event]
	tests := []struct {
		reason string
		write  func(*catalogue.Catalogue, events, http.Handler) error
		want   string // names by id; before it is "a b c"
	}{
		{"POST", func(_ *catalogue.Catalogue, _ events, h http.Handler) error {
			r := httptest.NewRequest("POST", "http://host.example/api/events/", strings.NewReader(`{"name":"post"`+rest))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, r); w.Code != 201 {
				return fmt.Errorf("%d %s", w.Code, w.Body)
			}
			return nil
		}, "a b c post"},
		{"Insert", func(_ *catalogue.Catalogue, c events, _ http.Handler) error {
			_, err := c.Insert(resources.Event{Name: "d"})
			return err
		}, "a b c d"},
		{"Upsert", func(_ *catalogue.Catalogue, c events, _ http.Handler) error {
			_, err := c.Upsert(resources.Event{ID: 2, Name: "u"})
			return err
		}, "a u c"},
		{"Modify", func(_ *catalogue.Catalogue, c events, _ http.Handler) error { return c.Modify(3, rename("m")) }, "a b m"},
		{"Delete", func(_ *catalogue.Catalogue, c events, _ http.Handler) error { return c.Delete(1) }, "b c"},
		{"Update", func(_ *catalogue.Catalogue, c events, _ http.Handler) error {
			return c.Update(func(tx *catalogue.Tx[resources.Event]) error {
				if err := tx.Modify(1, rename("t")); err != nil {
					return err
				}
				return tx.Delete(2)
			})
		}, "t c"},
		{"Load", func(house *catalogue.Catalogue, _ events, _ http.Handler) error {
			return house.Load(strings.NewReader(`{"events":[{"id":9,"name":"l"` + rest + `]}`))
		}, "l"},
		{"LoadCollection", func(house *catalogue.Catalogue, _ events, _ http.Handler) error {
			return house.LoadCollection("events", strings.NewReader(`[]`))
		}, ""},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			parent := catalogue.New()
			for _, name := range []string{"a", "b", "c"} {
				if _, err := parent.Events().Insert(resources.Event{Name: name}); err != nil {
					t.Fatal(err)
				}
			}
			clone := parent.Clone()
			untouched, _ := countedHandler(t, parent)
			h, counts := countedHandler(t, clone)
			const query = "?ordering=id"
			for range 3 {
				askEvents(t, h, query)
				askEvents(t, untouched, query)
			}
			if made := counts.pages.Load(); made != 2 {
				t.Fatalf("%d pages were made: none is kept", made)
			}
			if err := test.write(clone, clone.Events(), h); err != nil {
				t.Fatal(err)
			}
			for range 4 {
				if page := askEvents(t, h, query); page.names() != test.want || page.Count != len(page.Results) {
					t.Errorf("%d events %q, want %q", page.Count, page.names(), test.want)
				}
			}
			if page := askEvents(t, untouched, query); page.names() != "a b c" {
				t.Errorf("a write to the clone is in its parent: %q", page.names())
			}
			for _, house := range []*catalogue.Catalogue{parent, clone} {
				if err := house.Check(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestReadersAmongWriters: whoever begins to read after an insert has returned
// sees it, and nobody sees fewer records than before.
func TestReadersAmongWriters(t *testing.T) {
	const readers, inserts = 3, 300
	house := catalogue.New()
	h, counts := countedHandler(t, house)
	var inserted, reads atomic.Int64
	var over atomic.Bool
	var group sync.WaitGroup
	for i := range readers {
		group.Go(func() {
			query := []string{"?limit=1", "?limit=1&ordering=-id", "?limit=1"}[i]
			for last := 0; !over.Load(); reads.Add(1) {
				atLeast := int(inserted.Load())
				page := askEvents(t, h, query)
				if page.Count < atLeast || page.Count < last {
					t.Errorf("%s: %d events; %d had been inserted, %d seen", query, page.Count, atLeast, last)
				}
				if strings.Contains(query, "-id") && len(page.Results) > 0 && page.Results[0].ID != page.Count {
					t.Errorf("%s: the last of %d events is %d", query, page.Count, page.Results[0].ID)
				}
				last = page.Count
			}
		})
	}
	for k := 1; k <= inserts; k++ {
		if _, err := house.Events().Insert(resources.Event{Name: "e"}); err != nil {
			t.Error(err)
		}
		inserted.Store(int64(k))
		// Every other time until some of them have found a page that is kept.
		for until := reads.Load() + 6*readers; k%2 == 0 && reads.Load() < until; {
			runtime.Gosched()
		}
	}
	over.Store(true)
	group.Wait()
	if made, all := counts.pages.Load(), reads.Load(); made >= all {
		t.Errorf("%d pages were made for %d readers: none was kept", made, all)
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
