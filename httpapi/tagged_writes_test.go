package httpapi_test

import (
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
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// taggedHandler returns a handler with entity tags that permits every POST.
func taggedHandler(t *testing.T, house *catalogue.Catalogue) *httpapi.Handler {
	t.Helper()
	h, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll, ETags: true})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Collections of a catalogue are Revisioned.
func TestRevisioned(t *testing.T) {
	for key, c := range catalogue.New().All() {
		if _, ok := c.(httpapi.Revisioned); !ok {
			t.Errorf("%s is not a Revisioned", key)
		}
	}
}

// namedPage is a decoded page.
type namedPage struct {
	Count   int
	Results []struct {
		ID   int
		Name string
	}
}

func (p namedPage) names() string {
	names := make([]string, len(p.Results))
	for i, r := range p.Results {
		names[i] = r.Name
	}
	return strings.Join(names, " ")
}

// cachingClient requests a page of events and keeps it with its tag.
type cachingClient struct {
	h     http.Handler
	query string
	tag   string
	page  namedPage
	same  int // number of responses of 304
}

// ask requests the page again and returns the client's current one.
func (c *cachingClient) ask(t *testing.T) namedPage {
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "http://host.example/api/events/"+c.query, nil)
	if c.tag != "" {
		r.Header.Set("If-None-Match", c.tag)
	}
	c.h.ServeHTTP(w, r)
	if w.Code == http.StatusNotModified {
		c.same++
		return c.page
	}
	c.tag, c.page = w.Header().Get("ETag"), namedPage{}
	if err := json.Unmarshal(w.Body.Bytes(), &c.page); err != nil || w.Code != 200 {
		t.Errorf("%d %s: %v, want a page", w.Code, w.Body, err)
	}
	return c.page
}

// After every kind of write, a client with a tag gets the new page.
func TestWritesChangeTag(t *testing.T) {
	const rest = `,"slug":"s","startDate":"2026-05-10T18:00:00Z","endDate":"2026-05-10T20:00:00Z"}`
	rename := func(name string) func(*schema.Event) error {
		return func(e *schema.Event) error { e.Name = name; return nil }
	}
	type events = *catalogue.Collection[schema.Event]
	tests := []struct {
		reason string
		write  func(*catalogue.Catalogue, events, http.Handler) error
		want   string // names by id, which were "a b c"
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
			_, err := c.Insert(schema.Event{Name: "d"})
			return err
		}, "a b c d"},
		{"Upsert", func(_ *catalogue.Catalogue, c events, _ http.Handler) error {
			_, err := c.Upsert(schema.Event{ID: 2, Name: "u"})
			return err
		}, "a u c"},
		{"Update", func(_ *catalogue.Catalogue, c events, _ http.Handler) error { return c.Update(3, rename("m")) }, "a b m"},
		{"Delete", func(_ *catalogue.Catalogue, c events, _ http.Handler) error { return c.Delete(1) }, "b c"},
		{"Batch", func(_ *catalogue.Catalogue, c events, _ http.Handler) error {
			return c.Batch(func(tx *catalogue.Tx[schema.Event]) error {
				if err := tx.Update(1, rename("t")); err != nil {
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
				if _, err := parent.Events().Insert(schema.Event{Name: name}); err != nil {
					t.Fatal(err)
				}
			}
			clone := parent.Clone()
			h := taggedHandler(t, clone)
			client := &cachingClient{h: h, query: "?ordering=id"}
			untouched := &cachingClient{h: taggedHandler(t, parent), query: "?ordering=id"}
			for range 3 {
				client.ask(t)
				untouched.ask(t)
			}
			if client.same != 2 {
				t.Fatalf("%d responses were 304, want 2", client.same)
			}
			if err := test.write(clone, clone.Events(), h); err != nil {
				t.Fatal(err)
			}
			for range 4 {
				if page := client.ask(t); page.names() != test.want || page.Count != len(page.Results) {
					t.Errorf("%d events %q, want %q", page.Count, page.names(), test.want)
				}
			}
			if page := untouched.ask(t); page.names() != "a b c" || untouched.same != 3 {
				t.Errorf("the parent has %q after a write to the clone; %d responses were 304, want 3", page.names(), untouched.same)
			}
			for _, house := range []*catalogue.Catalogue{parent, clone} {
				if err := house.Check(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A read that begins after an Insert has returned includes its record, and no client gets
// fewer records than before.
func TestConcurrentReadsAndWrites(t *testing.T) {
	const readers, inserts = 3, 300
	house := catalogue.New()
	h := taggedHandler(t, house)
	var inserted, reads, same atomic.Int64
	var done atomic.Bool
	var group sync.WaitGroup
	for i := range readers {
		group.Go(func() {
			query := []string{"?limit=1", "?limit=1&ordering=-id", "?limit=1"}[i]
			client := &cachingClient{h: h, query: query}
			defer func() { same.Add(int64(client.same)) }()
			for last := 0; !done.Load(); reads.Add(1) {
				atLeast := int(inserted.Load())
				page := client.ask(t)
				if page.Count < atLeast || page.Count < last {
					t.Errorf("%s: %d events after %d were inserted and %d were read", query, page.Count, atLeast, last)
				}
				if strings.Contains(query, "-id") && len(page.Results) > 0 && page.Results[0].ID != page.Count {
					t.Errorf("%s: the last of %d events has id %d", query, page.Count, page.Results[0].ID)
				}
				last = page.Count
			}
		})
	}
	for k := 1; k <= inserts; k++ {
		if _, err := house.Events().Insert(schema.Event{Name: "e"}); err != nil {
			t.Error(err)
		}
		inserted.Store(int64(k))
		// Every other time, wait until some clients have read the page again.
		for until := reads.Load() + 6*readers; k%2 == 0 && reads.Load() < until; {
			runtime.Gosched()
		}
	}
	done.Store(true)
	group.Wait()
	if same.Load() == 0 {
		t.Errorf("none of %d responses is a 304", reads.Load())
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
