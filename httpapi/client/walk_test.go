package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

type envelope = pagination.Envelope[json.RawMessage]

// editPages returns a handler that edits the pages of h before sending them. n is the
// number of the page, from 1, in a walk with overlapping pages of four.
func editPages(h http.Handler, edit func(n int, p *envelope)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		h.ServeHTTP(recorder, r)
		var page envelope
		if err := json.Unmarshal(recorder.Body.Bytes(), &page); err != nil {
			panic(err)
		}
		offset, _ := strconv.Atoi(r.FormValue("offset")) // 0 if absent
		edit(1+offset/3, &page)
		body, err := page.MarshalJSON()
		if err != nil {
			panic(err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(body)
	})
}

// books returns records with the given ids.
func books(ids ...int) (records []json.RawMessage) {
	for _, id := range ids {
		records = append(records, fmt.Appendf(nil, `{"id":%d,"name":"Book %d"}`, id, id))
	}
	return records
}

// tenBooks returns a catalogue with ten books.
func tenBooks(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	cat := mustNew()
	load(t, cat, "books", books(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
	return cat
}

func load(t testing.TB, cat *catalogue.Catalogue, key string, records []json.RawMessage) {
	t.Helper()
	data, err := json.Marshal(records)
	if err != nil {
		t.Fatal(err)
	}
	if err := cat.Load(strings.NewReader(`{"`+key+`":`+string(data)+`}`), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
}

// A flaw is the beginning of the text of an ErrInconsistent.
type flaw string

const (
	errGap       flaw = "gap"
	errDuplicate flaw = "duplicate"
	errUnordered flaw = "not ordered by id"
	errChanged   flaw = "changed"
)

func (f flaw) Error() string { return client.ErrInconsistent.Error() + ": " + string(f) }

// is reports whether err wraps want, or if that is a flaw, an ErrInconsistent with its text.
func is(err, want error) bool {
	if f, ok := want.(flaw); ok {
		return errors.Is(err, client.ErrInconsistent) && strings.Contains(err.Error(), f.Error()+": ")
	}
	return errors.Is(err, want)
}

// anyOffset matches any offset.
const anyOffset = -1

// checkWalkFails checks that a walk over the books of a service fails with the given error at
// the given offset, and that an import loads nothing.
func checkWalkFails(t *testing.T, service client.Source, want error, offset int) {
	t.Helper()
	walk, err := service.Walk(t.Context(), "books")
	var place *client.PageError
	switch {
	case !is(err, want):
		t.Fatalf("Walk: error %v, want %v", err, want)
	case !errors.As(err, &place):
		t.Fatalf("Walk: error %v, want a PageError", err)
	case place.Collection != "books" || place.Offset != offset && offset != anyOffset || place.Page == "":
		t.Errorf("Walk: error %v, want one at offset %d", err, offset)
	case walk.Records != nil:
		t.Errorf("Walk returned %d records and an error", len(walk.Records))
	}
	into := mustNew()
	load(t, into, "books", books(77))
	if _, err := client.Import(t.Context(), into, service, "books"); !is(err, want) {
		t.Errorf("Import: error %v, want %v", err, want)
	}
	if n := strings.Count(save(t, into), `{"id":77,`); n != 1 {
		t.Error("Import loaded records")
	}
}

// The correct pages of the ten books are 1-4, 4-7 and 7-10.
func TestInvalidRecords(t *testing.T) {
	on := func(page int, edit func(*envelope)) func(int, *envelope) {
		return func(n int, p *envelope) {
			if n == page {
				edit(p)
			}
		}
	}
	rows := func(ids ...int) func(*envelope) {
		return func(p *envelope) { p.Records = books(ids...) }
	}
	for _, c := range []struct {
		name, reason string
		edit         func(int, *envelope)
		want         error
		offset       int
	}{
		{"duplicate record", "4 appears twice", on(2, rows(4, 4, 5, 6)), errDuplicate, 4},
		{"record moved back", "3 was on the page before", on(2, rows(3, 4, 5, 6)), errDuplicate, 3},
		{"record moved forward", "4 moved, so a record before it was deleted", on(2, rows(5, 6, 7, 8)), errGap, 3},
		{"missing record", "three records on a page of four", on(2, rows(4, 6, 7)), errGap, 6},
		{"missing record on a full page", "8 is the last, but the next page starts with 7", on(2, rows(4, 6, 7, 8)), errDuplicate, 6},
		{"missing record on the first page", "three records on a page of four", on(1, rows(1, 2, 3)), errGap, 3},
		{"missing record on the last page", "three records where four are left", on(3, rows(7, 8, 10)), errGap, 9},
		{"empty page with a next", "following it would not terminate", on(2, rows()), errGap, 4},
		{"empty first page with a next", "following it would not terminate", on(1, rows()), errGap, 0},
		{"wrong order", "5 after 6", on(2, rows(4, 6, 5, 7)), errUnordered, 5},
		{"wrong order on the first page", "the service does not order by id", on(1, rows(9, 2, 3, 1)), errUnordered, 1},
		{"too many records", "five on a page of four", on(2, rows(4, 5, 6, 7, 8)), client.ErrInvalidPage, 4},
		{"count shrinks", "10, then 9", on(2, func(p *envelope) { p.Count-- }), errChanged, 4},
		{"count grows", "10, then 11", on(3, func(p *envelope) { p.Count++ }), errChanged, 7},
		{"count too small on all pages", "more records than the count", func(_ int, p *envelope) { p.Count-- }, errChanged, 9},
		{"count too large on all pages", "fewer records than the count", func(_ int, p *envelope) { p.Count++ }, errGap, 10},
		{"count above MaxRecords", "a million and one", func(_ int, p *envelope) { p.Count = 1_000_001 }, client.ErrTooManyRecords, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			checkWalkFails(t, serve(t, editPages(newHandler(t, tenBooks(t)), c.edit), 4), c.want, c.offset)
		})
	}
}

// Links are verified and never followed.
func TestInvalidLinks(t *testing.T) {
	var requests atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer other.Close()
	self := func(next string) string { return strings.Replace(next, "&offset=7", "&offset=3", 1) }
	for _, c := range []struct {
		name, reason string
		next         func(string) string // of the second page, at offset 3
		want         error
	}{
		{"same page", "a loop", self, client.ErrInvalidLink},
		{"first page", "a cycle", func(next string) string { return strings.Replace(next, "&offset=7", "", 1) }, client.ErrInvalidLink},
		{"a later page", "following it would skip a record", func(next string) string { return strings.Replace(next, "=7", "=8", 1) }, client.ErrInvalidLink},
		{"another host", "it could collect credentials", func(next string) string {
			_, path, _ := strings.Cut(next, "/api/")
			return other.URL + "/api/" + path
		}, client.ErrInvalidLink},
		{"https", "another service", func(next string) string { return "https" + strings.TrimPrefix(next, "http") }, client.ErrInvalidLink},
		{"another collection", "other records", func(next string) string { return strings.Replace(next, "/books/", "/faqs/", 1) }, client.ErrInvalidLink},
		{"another order", "other offsets", func(next string) string { return strings.Replace(next, "=id", "=-id", 1) }, client.ErrInvalidLink},
		{"another page size", "it differs from that of the page", func(next string) string { return strings.Replace(next, "limit=4", "limit=5", 1) }, client.ErrInvalidLink},
		{"semicolon in the query", "net/url drops the parameter, which may be a filter", func(next string) string { return next + "&search=a;b" }, client.ErrInvalidLink},
		{"user in the URL", "credentials in a link", func(next string) string { return strings.Replace(next, "://", "://a:b@", 1) }, client.ErrInvalidLink},
		{"relative URL", "links are absolute", func(string) string { return "?limit=4&offset=7" }, client.ErrInvalidLink},
		{"invalid URL", "it cannot be parsed", func(string) string { return "http://[::1/" }, client.ErrInvalidLink},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			service := serve(t, editPages(newHandler(t, tenBooks(t)), func(_ int, p *envelope) {
				if strings.Contains(p.Next, "&offset=7") {
					p.Next = c.next(p.Next)
				}
			}), 4)
			checkWalkFails(t, service, c.want, 4)
		})
	}
	t.Run("null", func(t *testing.T) {
		service := serve(t, editPages(newHandler(t, tenBooks(t)), func(_ int, p *envelope) { p.Next = "" }), 4)
		checkWalkFails(t, service, errGap, 4)
	})
	t.Run("past the end", func(t *testing.T) {
		service := serve(t, editPages(newHandler(t, tenBooks(t)), func(_ int, p *envelope) {
			if p.Next == "" {
				p.Next = strings.Replace(p.Previous, "offset=2", "offset=10", 1)
			}
		}), 4)
		checkWalkFails(t, service, client.ErrInvalidLink, 7)
	})
	for _, c := range []struct {
		name, reason string
		page         int
		previous     func(string) string
		offset       int
	}{
		{"previous of the first page", "there is no page before it", 1, func(string) string { return other.URL + "/api/books/?limit=4&ordering=id" }, 0},
		{"previous is the same page", "a loop", 3, func(previous string) string { return strings.Replace(previous, "=2", "=6", 1) }, 7},
		{"previous is the first page", "it is two pages before", 3, func(previous string) string { return strings.Replace(previous, "&offset=2", "", 1) }, 7},
		{"previous with a wrong offset", "the page at 3 has its previous at 0", 2, func(previous string) string { return previous + "&offset=1" }, 4},
		{"previous on another host", "it could collect credentials", 2, func(string) string { return other.URL + "/api/books/?limit=4&ordering=id" }, 4},
		{"previous in another collection", "other records", 2, func(previous string) string { return strings.Replace(previous, "/books/", "/faqs/", 1) }, 4},
		{"previous in another order", "other offsets", 3, func(previous string) string { return strings.Replace(previous, "=id", "=-id", 1) }, 7},
		{"previous with another page size", "it differs from that of the page", 2, func(previous string) string { return strings.Replace(previous, "limit=4", "limit=5", 1) }, 4},
		{"previous is null", "there is a page before", 2, func(string) string { return "" }, 4},
		{"previous is relative", "links are absolute", 2, func(string) string { return "?limit=4" }, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			service := serve(t, editPages(newHandler(t, tenBooks(t)), func(n int, p *envelope) {
				if n == c.page {
					p.Previous = c.previous(p.Previous)
				}
			}), 4)
			checkWalkFails(t, service, client.ErrInvalidLink, c.offset)
		})
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("the other host received %d requests, want 0", n)
	}
}

// A service that ignores a parameter is only read if the result can be verified.
func TestIgnoredParameters(t *testing.T) {
	without := func(name string) http.Handler {
		h := newHandler(t, tenBooks(t))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			query := r.URL.Query()
			query.Del(name)
			r.URL.RawQuery = query.Encode()
			h.ServeHTTP(w, r)
		})
	}
	t.Run("offset", func(t *testing.T) {
		checkWalkFails(t, serve(t, without("offset"), 4), errDuplicate, 3) // returns the first page again
	})
	t.Run("ordering", func(t *testing.T) {
		h := newHandler(t, tenBooks(t))
		service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "=id", "=-id", 1)
			h.ServeHTTP(w, r)
		}), 4)
		checkWalkFails(t, service, errUnordered, 1)
	})
	t.Run("limit", func(t *testing.T) {
		checkWalkFails(t, serve(t, without("limit"), 4), client.ErrInvalidPage, 0) // returns ten records instead of four
	})
	t.Run("limit with smaller pages", func(t *testing.T) {
		h := newHandler(t, tenBooks(t))
		service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "limit=100", "limit=3", 1)
			h.ServeHTTP(w, r)
		}), 100)
		got, err := walkIDs(t, service, "books")
		if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, got); diff != "" || err != nil {
			t.Error(diff, err)
		}
	})
	t.Run("limit with pages of one", func(t *testing.T) {
		h := newHandler(t, tenBooks(t))
		service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "limit=4", "limit=1", 1)
			h.ServeHTTP(w, r)
		}), 4)
		checkWalkFails(t, service, errGap, 1) // pages of one cannot overlap
	})
}

// The invalid response is that to the second of three requests.
func TestInvalidResponses(t *testing.T) {
	write := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	const page = `{"count":10,"next":null,"previous":null,"results":%s}`
	const books4to7 = `[{"id":4},{"id":5},{"id":6},{"id":7}]`
	rows := func(results string) http.HandlerFunc {
		return write(200, "application/json", fmt.Sprintf(page, results))
	}
	for _, c := range []struct {
		name, reason string
		response     http.HandlerFunc
		want         error
	}{
		{"500", "with a page as its body", write(500, "application/json", fmt.Sprintf(page, "[]")), client.ErrInvalidPage},
		{"404", "the collection does not exist", write(404, "application/json", `{"detail":"Not found."}`), client.ErrInvalidPage},
		{"204", "another status of success", write(204, "application/json", ""), client.ErrInvalidPage},
		{"301", "redirects are not followed", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/api/books/", http.StatusMovedPermanently)
		}, client.ErrInvalidPage},
		{"HTML", "the page for browsers", write(200, "text/html; charset=utf-8", fmt.Sprintf(page, "[]")), client.ErrInvalidPage},
		{"no content type", "it may not be JSON", write(200, "", fmt.Sprintf(page, "[]")), client.ErrInvalidPage},
		{"half a page", "the JSON is truncated", write(200, "application/json", `{"count":10,"next":nu`), client.ErrInvalidPage},
		{"body shorter than Content-Length", "the connection was closed", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, fmt.Sprintf(page, "[]"))
		}, io.ErrUnexpectedEOF},
		{"empty body", "not JSON", write(200, "application/json", ""), client.ErrInvalidPage},
		{"null", "encoding/json accepts it as an empty page", write(200, "application/json", " null\n"), client.ErrInvalidPage},
		{"error object", "no count", write(200, "application/json", `{"detail":"Not found."}`), client.ErrInvalidPage},
		{"list", "no envelope", write(200, "application/json", `[{"id":4}]`), client.ErrInvalidPage},
		{"two pages", "one after the other", write(200, "application/json", fmt.Sprintf(page+page, "[]", "[]")), client.ErrInvalidPage},
		{"record without id", "records cannot be distinguished", rows(`[{"name":"Onda"}]`), client.ErrInvalidPage},
		{"null record", "not an object", rows(`[null]`), client.ErrInvalidPage},
		{"string as id", "ids are integers", rows(`[{"id":"4"}]`), client.ErrInvalidPage},
		{"large body", "more than MaxBody, including white space", write(200, "application/json", fmt.Sprintf(page, books4to7)+strings.Repeat(" ", 16<<10)), client.ErrInvalidPage},
		{"closed connection", "before the header", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, io.EOF},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			h := newHandler(t, tenBooks(t))
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.FormValue("offset") == "3" {
					c.response(w, r)
					return
				}
				h.ServeHTTP(w, r)
			}))
			defer server.Close()
			service := newClient(t, client.Options{BaseURL: server.URL + "/", PageSize: 4, Rate: -1, MaxBody: 16 << 10})
			checkWalkFails(t, service, c.want, 4)
		})
	}
}

func TestMaximumOptions(t *testing.T) {
	service := newClient(t, client.Options{BaseURL: "http://catalogue.test", HTTP: &http.Client{Transport: inProcess{newHandler(t, tenBooks(t))}},
		Rate: -1, PageSize: math.MaxInt, MaxBody: math.MaxInt64, MaxRecords: math.MaxInt, MaxWait: math.MaxInt64})
	if walk, err := service.Walk(t.Context(), "books"); err != nil || len(walk.Records) != 10 {
		t.Errorf("Walk = %d books, %v, want 10", len(walk.Records), err)
	}
}

// Links may contain the default port and a host in another case.
func TestEquivalentHosts(t *testing.T) {
	for _, c := range []struct{ base, links string }{
		{"http://catalogue.test", "http://catalogue.test:80"},
		{"http://catalogue.test:80", "http://catalogue.test"},
		{"https://catalogue.test", "https://catalogue.test:443"},
		{"http://Catalogue.test", "http://catalogue.TEST"},
	} {
		h, err := httpapi.New(tenBooks(t), httpapi.Options{BaseURL: c.links})
		if err != nil {
			t.Fatal(err)
		}
		service := newClient(t, client.Options{BaseURL: c.base, PageSize: 4, Rate: -1, HTTP: &http.Client{Transport: inProcess{h}}})
		if walk, err := service.Walk(t.Context(), "books"); err != nil || len(walk.Records) != 10 {
			t.Errorf("Walk of %s with links to %s: %v", c.base, c.links, err)
		}
	}
	for _, c := range []struct{ base, links string }{
		{"http://catalogue.test", "http://catalogue.test:443"},
		{"https://catalogue.test", "https://catalogue.test:80"},
		{"http://catalogue.test", "http://catalogue.test.example"},
		{"https://catalogue.test", "http://catalogue.test"},
	} {
		h, err := httpapi.New(tenBooks(t), httpapi.Options{BaseURL: c.links})
		if err != nil {
			t.Fatal(err)
		}
		checkWalkFails(t, newClient(t, client.Options{BaseURL: c.base, PageSize: 4, Rate: -1, HTTP: &http.Client{Transport: inProcess{h}}}), client.ErrInvalidLink, 0)
	}
}

// serveChanging returns a handler that calls change after the n-th response, from 1.
func serveChanging(t testing.TB, cat *catalogue.Catalogue, change func(n int, books *catalogue.Collection[schema.Record])) http.Handler {
	t.Helper()
	h := newHandler(t, cat)
	books, err := resources.Records("books").In(cat)
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
			func(b collection) error { return insert(b, 0) }, errChanged, nil},
		{"inserted before the boundary", "a record moves to the next page; the count differs",
			func(b collection) error { return insert(b, 5) }, errChanged, nil},
		{"deleted before the boundary", "a record moves to the page already read; the count differs",
			func(b collection) error { return b.Delete(20) }, errChanged, nil},
		{"deleted after the boundary", "the count differs",
			func(b collection) error { return b.Delete(80) }, errChanged, nil},
		{"deleted before, inserted after", "50 would be missing with the same count, but 40 has moved",
			func(b collection) error { return errors.Join(b.Delete(20), insert(b, 0)) }, errGap, nil},
		{"inserted before, deleted after", "40 would appear twice with the same count, but 30 has moved",
			func(b collection) error { return errors.Join(insert(b, 5), b.Delete(80)) }, errDuplicate, nil},
		{"last record of the page deleted", "50 is in the place of 40",
			func(b collection) error { return errors.Join(b.Delete(40), insert(b, 0)) }, errGap, nil},

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
			cat := mustNew()
			load(t, cat, "books", books(10, 20, 30, 40, 50, 60, 70, 80, 90, 100))
			service := serve(t, serveChanging(t, cat, func(n int, b *catalogue.Collection[schema.Record]) {
				if n == 1 {
					if err := c.change(b); err != nil {
						t.Error(err)
					}
				}
			}), 4)
			got, err := walkIDs(t, service, "books")
			if !is(err, c.want) {
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
	cat := sampleCatalogue(t)
	h := newHandler(t, cat)
	service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		for e := range mustIn(resources.Events, cat).All() { // makes the first event the last
			err := mustIn(resources.Events, cat).Update(e.ID, func(e *resources.Event) error {
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
	if err != nil || len(walk.Records) != mustIn(resources.Events, cat).Count() {
		t.Errorf("Walk = %d events, %v, want %d", len(walk.Records), err, mustIn(resources.Events, cat).Count())
	}
	if err := mustIn(resources.Events, cat).Check(); err != nil {
		t.Error(err)
	}
}

// A walk that succeeds has every record that existed throughout exactly once, and no
// record that never existed.
func TestWalkWithRandomWrites(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	succeeded, failed := 0, 0
	for range 200 {
		cat := mustNew()
		var all []int
		for id := 1; id <= 60; id += 1 + random.IntN(3) {
			all = append(all, id)
		}
		load(t, cat, "books", books(all...))
		throughout, ever := map[int]bool{}, map[int]bool{}
		for _, id := range all {
			throughout[id], ever[id] = true, true
		}
		h := serveChanging(t, cat, func(_ int, b *catalogue.Collection[schema.Record]) {
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
	cat, into := tenBooks(t), mustNew()
	original, err := resources.Records("books").In(cat)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := resources.Records("books").In(into)
	if err != nil {
		t.Fatal(err)
	}
	service := serve(t, newHandler(t, cat), 3)
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
				if err != nil && !is(err, errChanged) {
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
	for _, c := range []*catalogue.Catalogue{cat, into} {
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
