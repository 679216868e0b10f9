package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
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

// checkWalkFails checks that a walk over the books of a service fails with the given error after
// the given number of records, and that an import loads nothing.
func checkWalkFails(t *testing.T, service *client.Client, want error, offset int) {
	t.Helper()
	_, err := walk(t.Context(), service, "books")
	if !is(err, want) {
		t.Fatalf("All: error %v, want %v", err, want)
	}
	if place := fmt.Sprintf("books: offset %d: ", offset); !strings.HasPrefix(err.Error(), place) || !strings.Contains(err.Error(), "/api/books/?limit=") {
		t.Errorf("All: error %v, want one at offset %d with the URL of the page", err, offset)
	}
	into := mustNew()
	load(t, into, "books", books(77))
	if _, err := importAll(t.Context(), into, service, "books"); !is(err, want) {
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
		{"record moved back", "3 was on the page before", on(2, rows(3, 4, 5, 6)), errDuplicate, 4},
		{"record moved forward", "4 moved, so a record before it was deleted", on(2, rows(5, 6, 7, 8)), errGap, 4},
		{"missing record", "three records on a page of four", on(2, rows(4, 6, 7)), errGap, 4},
		{"missing record on a full page", "8 is the last, but the next page starts with 7", on(2, rows(4, 6, 7, 8)), errDuplicate, 7},
		{"missing record on the first page", "three records on a page of four", on(1, rows(1, 2, 3)), errGap, 0},
		{"missing record on the last page", "three records where four are left", on(3, rows(7, 8, 10)), errGap, 7},
		{"empty page with a next", "following it would not terminate", on(2, rows()), errGap, 4},
		{"empty first page with a next", "following it would not terminate", on(1, rows()), errGap, 0},
		{"wrong order", "5 after 6", on(2, rows(4, 6, 5, 7)), errUnordered, 4},
		{"wrong order on the first page", "the service does not order by id", on(1, rows(9, 2, 3, 1)), errUnordered, 0},
		{"too many records", "five on a page of four", on(2, rows(4, 5, 6, 7, 8)), client.ErrInvalidPage, 4},
		{"count shrinks", "10, then 9", on(2, func(p *envelope) { p.Count-- }), errChanged, 4},
		{"count grows", "10, then 11", on(3, func(p *envelope) { p.Count++ }), errChanged, 7},
		{"count too small on all pages", "more records than the count", func(_ int, p *envelope) { p.Count-- }, errChanged, 7},
		{"count too large on all pages", "fewer records than the count", func(_ int, p *envelope) { p.Count++ }, errGap, 7},
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
	replace := func(old, with string) func(string) string {
		return func(link string) string { return strings.Replace(link, old, with, 1) }
	}
	elsewhere := func(link string) string {
		_, path, _ := strings.Cut(link, "/api/")
		return other.URL + "/api/" + path
	}
	null := func(string) string { return "" }
	for _, c := range []struct {
		name, reason string
		page         int
		next         func(string) string // nil: it is not changed
		previous     func(string) string
		want         error
		offset       int
	}{
		{"next is the same page", "a loop", 2, replace("&offset=7", "&offset=3"), nil, client.ErrInvalidPage, 4},
		{"next is the first page", "a cycle", 2, replace("&offset=7", ""), nil, client.ErrInvalidPage, 4},
		{"next is a later page", "following it would skip a record", 2, replace("=7", "=8"), nil, client.ErrInvalidPage, 4},
		{"next on another host", "it could collect credentials", 2, elsewhere, nil, client.ErrInvalidPage, 4},
		{"next with https", "another service", 2, replace("http", "https"), nil, client.ErrInvalidPage, 4},
		{"next in another collection", "other records", 2, replace("/books/", "/faqs/"), nil, client.ErrInvalidPage, 4},
		{"next in another order", "other offsets", 2, replace("=id", "=-id"), nil, client.ErrInvalidPage, 4},
		{"next with another page size", "it differs from that of the page", 2, replace("limit=4", "limit=5"), nil, client.ErrInvalidPage, 4},
		{"next with a semicolon", "net/url drops the parameter, which may be a filter", 2, replace("?", "?search=a;b&"), nil, client.ErrInvalidPage, 4},
		{"next with a user", "credentials in a link", 2, replace("://", "://a:b@"), nil, client.ErrInvalidPage, 4},
		{"next is relative", "links are absolute", 2, func(string) string { return "?limit=4&offset=7" }, nil, client.ErrInvalidPage, 4},
		{"next is invalid", "it cannot be parsed", 2, func(string) string { return "http://[::1/" }, nil, client.ErrInvalidPage, 4},
		{"next is null", "by its count the first page is not the last", 1, null, nil, errGap, 0},
		{"next past the end", "there is no such page", 3, func(string) string { return other.URL + "/api/books/?limit=4&offset=10&ordering=id" }, nil, client.ErrInvalidPage, 7},

		{"previous of the first page", "there is no page before it", 1, nil, func(string) string { return other.URL + "/api/books/?limit=4&ordering=id" }, client.ErrInvalidPage, 0},
		{"previous is the same page", "a loop", 3, nil, replace("=2", "=6"), client.ErrInvalidPage, 7},
		{"previous is the first page", "it is two pages before", 3, nil, replace("&offset=2", ""), client.ErrInvalidPage, 7},
		{"previous with a wrong offset", "the page at 3 has its previous at 0", 2, nil, func(previous string) string { return previous + "&offset=1" }, client.ErrInvalidPage, 4},
		{"previous on another host", "it could collect credentials", 2, nil, elsewhere, client.ErrInvalidPage, 4},
		{"previous in another collection", "other records", 2, nil, replace("/books/", "/faqs/"), client.ErrInvalidPage, 4},
		{"previous in another order", "other offsets", 3, nil, replace("=id", "=-id"), client.ErrInvalidPage, 7},
		{"previous with another page size", "it differs from that of the page", 2, nil, replace("limit=4", "limit=5"), client.ErrInvalidPage, 4},
		{"previous is null", "there is a page before", 2, nil, null, client.ErrInvalidPage, 4},
		{"previous is relative", "links are absolute", 2, nil, func(string) string { return "?limit=4" }, client.ErrInvalidPage, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			service := serve(t, editPages(newHandler(t, tenBooks(t)), func(n int, p *envelope) {
				if n == c.page && c.next != nil {
					p.Next = c.next(p.Next)
				}
				if n == c.page && c.previous != nil {
					p.Previous = c.previous(p.Previous)
				}
			}), 4)
			checkWalkFails(t, service, c.want, c.offset)
		})
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("the other host received %d requests, want 0", n)
	}
}

// A service that ignores a parameter is only read if the result can be verified.
func TestIgnoredParameters(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		pageSize     int
		parameter    *regexp.Regexp
		instead      string
		want         error
		offset       int
	}{
		{"offset", "the first page again", 4, regexp.MustCompile("offset=[0-9]+"), "", errDuplicate, 4},
		{"ordering", "descending instead of ascending", 4, regexp.MustCompile("=id"), "=-id", errUnordered, 0},
		{"limit", "ten records instead of four", 4, regexp.MustCompile("limit=4"), "", client.ErrInvalidPage, 0},
		{"limit with smaller pages", "they overlap as well", 100, regexp.MustCompile("limit=100"), "limit=3", nil, 0},
		{"limit with pages of one", "they cannot overlap", 4, regexp.MustCompile("limit=4"), "limit=1", errGap, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			h := newHandler(t, tenBooks(t))
			service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.URL.RawQuery = c.parameter.ReplaceAllString(r.URL.RawQuery, c.instead)
				h.ServeHTTP(w, r)
			}), c.pageSize)
			if c.want != nil {
				checkWalkFails(t, service, c.want, c.offset)
				return
			}
			got, err := walkIDs(t, service, "books")
			if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, got); diff != "" || err != nil {
				t.Error(diff, err)
			}
		})
	}
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
	service := newInProcessClient(t, newHandler(t, tenBooks(t)),
		client.Options{Rate: -1, PageSize: math.MaxInt, MaxBody: math.MaxInt64})
	if records, err := walk(t.Context(), service, "books"); err != nil || len(records) != 10 {
		t.Errorf("%d books, %v, want 10", len(records), err)
	}
}

// Links may contain the default port and a host in another case.
func TestEquivalentHosts(t *testing.T) {
	for _, c := range []struct {
		base, links string
		equivalent  bool
	}{
		{"http://catalogue.test", "http://catalogue.test:80", true},
		{"http://catalogue.test:80", "http://catalogue.test", true},
		{"https://catalogue.test", "https://catalogue.test:443", true},
		{"http://Catalogue.test", "http://catalogue.TEST", true},
		{"http://catalogue.test", "http://catalogue.test:443", false},
		{"https://catalogue.test", "https://catalogue.test:80", false},
		{"http://catalogue.test", "http://catalogue.test.example", false},
		{"https://catalogue.test", "http://catalogue.test", false},
	} {
		h, err := httpapi.New(tenBooks(t), httpapi.Options{BaseURL: c.links})
		if err != nil {
			t.Fatal(err)
		}
		service := newInProcessClient(t, h, client.Options{BaseURL: c.base, PageSize: 4, Rate: -1})
		if !c.equivalent {
			checkWalkFails(t, service, client.ErrInvalidPage, 0)
		} else if records, err := walk(t.Context(), service, "books"); err != nil || len(records) != 10 {
			t.Errorf("Walk of %s with links to %s: %v", c.base, c.links, err)
		}
	}
}
