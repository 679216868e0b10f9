package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/pagination"
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
	house := catalogue.New()
	load(t, house, "books", books(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
	return house
}

func load(t testing.TB, house *catalogue.Catalogue, key string, records []json.RawMessage) {
	t.Helper()
	data, err := json.Marshal(records)
	if err != nil {
		t.Fatal(err)
	}
	if err := house.LoadCollection(key, bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
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
	case !errors.Is(err, want):
		t.Fatalf("Walk: error %v, want %v", err, want)
	case !errors.As(err, &place):
		t.Fatalf("Walk: error %v, want a PageError", err)
	case place.Collection != "books" || place.Offset != offset && offset != anyOffset || place.Page == "":
		t.Errorf("Walk: error %v, want one at offset %d", err, offset)
	case walk.Records != nil:
		t.Errorf("Walk returned %d records and an error", len(walk.Records))
	}
	into := catalogue.New()
	load(t, into, "books", books(77))
	if _, err := client.Import(t.Context(), into, service, "books"); !errors.Is(err, want) {
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
		{"duplicate record", "4 appears twice", on(2, rows(4, 4, 5, 6)), client.ErrDuplicate, 4},
		{"record moved back", "3 was on the page before", on(2, rows(3, 4, 5, 6)), client.ErrDuplicate, 3},
		{"record moved forward", "4 moved, so a record before it was deleted", on(2, rows(5, 6, 7, 8)), client.ErrGap, 3},
		{"missing record", "three records on a page of four", on(2, rows(4, 6, 7)), client.ErrGap, 6},
		{"missing record on a full page", "8 is the last, but the next page starts with 7", on(2, rows(4, 6, 7, 8)), client.ErrDuplicate, 6},
		{"missing record on the first page", "three records on a page of four", on(1, rows(1, 2, 3)), client.ErrGap, 3},
		{"missing record on the last page", "three records where four are left", on(3, rows(7, 8, 10)), client.ErrGap, 9},
		{"empty page with a next", "following it would not terminate", on(2, rows()), client.ErrGap, 4},
		{"empty first page with a next", "following it would not terminate", on(1, rows()), client.ErrGap, 0},
		{"wrong order", "5 after 6", on(2, rows(4, 6, 5, 7)), client.ErrUnordered, 5},
		{"wrong order on the first page", "the service does not order by id", on(1, rows(9, 2, 3, 1)), client.ErrUnordered, 1},
		{"too many records", "five on a page of four", on(2, rows(4, 5, 6, 7, 8)), client.ErrInvalidPage, 4},
		{"count shrinks", "10, then 9", on(2, func(p *envelope) { p.Count-- }), client.ErrChanged, 4},
		{"count grows", "10, then 11", on(3, func(p *envelope) { p.Count++ }), client.ErrChanged, 7},
		{"count too small on all pages", "more records than the count", func(_ int, p *envelope) { p.Count-- }, client.ErrChanged, 9},
		{"count too large on all pages", "fewer records than the count", func(_ int, p *envelope) { p.Count++ }, client.ErrGap, 10},
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
		checkWalkFails(t, service, client.ErrGap, 4)
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
		checkWalkFails(t, serve(t, without("offset"), 4), client.ErrDuplicate, 3) // returns the first page again
	})
	t.Run("ordering", func(t *testing.T) {
		h := newHandler(t, tenBooks(t))
		service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "=id", "=-id", 1)
			h.ServeHTTP(w, r)
		}), 4)
		checkWalkFails(t, service, client.ErrUnordered, 1)
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
		checkWalkFails(t, service, client.ErrGap, 1) // pages of one cannot overlap
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
