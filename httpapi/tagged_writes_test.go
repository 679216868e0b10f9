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
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

// taggedHandler serves a house with entity tags, to anybody.
func taggedHandler(t *testing.T, house *catalogue.Catalogue) *httpapi.Handler {
	t.Helper()
	h, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll, ETags: true})
	if err != nil {
		t.Fatal(err)
	}
	return h
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

// aClient asks for one page of events over and over, and keeps it with its tag.
type aClient struct {
	h     http.Handler
	query string
	tag   string
	page  list
	same  int // answers that were 304
}

// ask returns the page that the client has after it has asked again.
func (c *aClient) ask(t *testing.T) list {
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "http://host.example/api/events/"+c.query, nil)
	if c.tag != "" {
		r.Header.Set("If-None-Match", c.tag)
	}
	c.h.ServeHTTP(w, r)
	if w.Code == http.StatusNotModified {
		c.same++
		return c.page
	}
	c.tag, c.page = w.Header().Get("ETag"), list{}
	if err := json.Unmarshal(w.Body.Bytes(), &c.page); err != nil || w.Code != 200 {
		t.Errorf("%d %s: %v", w.Code, w.Body, err)
	}
	return c.page
}

// TestEveryWriteIsSeen asks for a page that does not change, writes, and asks again.
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
		{"Modify", func(_ *catalogue.Catalogue, c events, _ http.Handler) error { return c.Update(3, rename("m")) }, "a b m"},
		{"Delete", func(_ *catalogue.Catalogue, c events, _ http.Handler) error { return c.Delete(1) }, "b c"},
		{"Update", func(_ *catalogue.Catalogue, c events, _ http.Handler) error {
			return c.Batch(func(tx *catalogue.Tx[resources.Event]) error {
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
				if _, err := parent.Events().Insert(resources.Event{Name: name}); err != nil {
					t.Fatal(err)
				}
			}
			clone := parent.Clone()
			h := taggedHandler(t, clone)
			client := &aClient{h: h, query: "?ordering=id"}
			untouched := &aClient{h: taggedHandler(t, parent), query: "?ordering=id"}
			for range 3 {
				client.ask(t)
				untouched.ask(t)
			}
			if client.same != 2 {
				t.Fatalf("%d of 2 answers were 304", client.same)
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
				t.Errorf("a write to the clone is in its parent: %q; %d answers were 304", page.names(), untouched.same)
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
	h := taggedHandler(t, house)
	var inserted, reads, same atomic.Int64
	var over atomic.Bool
	var group sync.WaitGroup
	for i := range readers {
		group.Go(func() {
			query := []string{"?limit=1", "?limit=1&ordering=-id", "?limit=1"}[i]
			client := &aClient{h: h, query: query}
			defer func() { same.Add(int64(client.same)) }()
			for last := 0; !over.Load(); reads.Add(1) {
				atLeast := int(inserted.Load())
				page := client.ask(t)
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
		// Every other time until some of them have been told that nothing has changed.
		for until := reads.Load() + 6*readers; k%2 == 0 && reads.Load() < until; {
			runtime.Gosched()
		}
	}
	over.Store(true)
	group.Wait()
	if same.Load() == 0 {
		t.Errorf("none of %d answers was 304", reads.Load())
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
