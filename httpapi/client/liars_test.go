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

// rewritten serves h with what edit makes of the n-th page of four, from 1, of which
// the next begins with the last record of the one before.
func rewritten(h http.Handler, edit func(n int, p *envelope)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		var page envelope
		if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil {
			panic(err)
		}
		offset, _ := strconv.Atoi(r.FormValue("offset")) // absent: 0
		edit(1+offset/3, &page)
		body, err := page.MarshalJSON()
		if err != nil {
			panic(err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(body)
	})
}

// books are records with these ids.
func books(ids ...int) (records []json.RawMessage) {
	for _, id := range ids {
		records = append(records, fmt.Appendf(nil, `{"id":%d,"name":"Book %d"}`, id, id))
	}
	return records
}

// shelf is a house with ten books.
func shelf(t testing.TB) *catalogue.Catalogue {
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

// anywhere is an offset that is not looked at.
const anywhere = -1

// mustFail walks the books of a service, wants that error at that offset, and that
// nothing of them is loaded.
func mustFail(t *testing.T, service client.Source, want error, offset int) {
	t.Helper()
	walk, err := service.Walk(t.Context(), "books")
	var place *client.PageError
	switch {
	case !errors.Is(err, want):
		t.Fatalf("want %v, got %v", want, err)
	case !errors.As(err, &place):
		t.Fatalf("no place in %v", err)
	case place.Collection != "books" || place.Offset != offset && offset != anywhere || place.Page == "":
		t.Errorf("want it at offset %d, got %v", offset, err)
	case walk.Records != nil:
		t.Errorf("%d records beside the error", len(walk.Records))
	}
	into := catalogue.New()
	load(t, into, "books", books(77))
	if _, err := client.Import(t.Context(), into, service, "books"); !errors.Is(err, want) {
		t.Errorf("Import: want %v, got %v", want, err)
	}
	if n := strings.Count(saved(t, into), `{"id":77,`); n != 1 {
		t.Error("Import has loaded something")
	}
}

// Ten books in pages of four are three: 1-4, 4-7 and 7-10.
func TestLiesAboutRecords(t *testing.T) {
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
		{"last row again", "4 stands twice", on(2, rows(4, 4, 5, 6)), client.ErrDuplicate, 4},
		{"moved back", "3 came before", on(2, rows(3, 4, 5, 6)), client.ErrDuplicate, 3},
		{"moved on", "4 is not where it stood, so something before it has gone", on(2, rows(5, 6, 7, 8)), client.ErrGap, 3},
		{"row missing at the border", "three rows where four must be", on(2, rows(4, 6, 7)), client.ErrGap, 6},
		{"row missing, page filled up", "8 is the last, and 7 begins the next page", on(2, rows(4, 6, 7, 8)), client.ErrDuplicate, 6},
		{"row missing on the first page", "three rows where four must be", on(1, rows(1, 2, 3)), client.ErrGap, 3},
		{"row missing on the last page", "three rows where four must be", on(3, rows(7, 8, 10)), client.ErrGap, 9},
		{"empty page with a next", "it would go on for ever", on(2, rows()), client.ErrGap, 4},
		{"empty first page with a next", "it would go on for ever", on(1, rows()), client.ErrGap, 0},
		{"order", "5 behind 6", on(2, rows(4, 6, 5, 7)), client.ErrUnordered, 5},
		{"order on the first page", "the service does not order by id", on(1, rows(9, 2, 3, 1)), client.ErrUnordered, 1},
		{"a row too many", "five on a page of four", on(2, rows(4, 5, 6, 7, 8)), client.ErrInvalidPage, 4},
		{"count shrinks", "10, then 9", on(2, func(p *envelope) { p.Count-- }), client.ErrChanged, 4},
		{"count grows", "10, then 11", on(3, func(p *envelope) { p.Count++ }), client.ErrChanged, 7},
		{"count always too small", "more came than were counted", func(_ int, p *envelope) { p.Count-- }, client.ErrChanged, 9},
		{"count always too large", "less came than were counted", func(_ int, p *envelope) { p.Count++ }, client.ErrGap, 10},
		{"count without end", "more than may be", func(_ int, p *envelope) { p.Count = 1_000_001 }, client.ErrTooManyRecords, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			mustFail(t, serve(t, rewritten(handler(t, shelf(t)), c.edit), 4), c.want, c.offset)
		})
	}
}

// A link is believed in nothing, and nobody is asked that it leads to.
func TestLiesInLinks(t *testing.T) {
	var strangers atomic.Int64
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers.Add(1) }))
	defer stranger.Close()
	self := func(next string) string { return strings.Replace(next, "&offset=7", "&offset=3", 1) }
	for _, c := range []struct {
		name, reason string
		next         func(string) string // of the second page, which begins at 3
		want         error
	}{
		{"itself", "a loop", self, client.ErrInvalidLink},
		{"the first page", "a cycle", func(next string) string { return strings.Replace(next, "&offset=7", "", 1) }, client.ErrInvalidLink},
		{"far ahead", "a gap for who follows", func(next string) string { return strings.Replace(next, "=7", "=8", 1) }, client.ErrInvalidLink},
		{"another host", "it may collect credentials", func(next string) string {
			_, path, _ := strings.Cut(next, "/api/")
			return stranger.URL + "/api/" + path
		}, client.ErrInvalidLink},
		{"https", "another service", func(next string) string { return "https" + strings.TrimPrefix(next, "http") }, client.ErrInvalidLink},
		{"another collection", "other records", func(next string) string { return strings.Replace(next, "/books/", "/faqs/", 1) }, client.ErrInvalidLink},
		{"another order", "other places", func(next string) string { return strings.Replace(next, "=id", "=-id", 1) }, client.ErrInvalidLink},
		{"another page size", "which is not that of the page", func(next string) string { return strings.Replace(next, "limit=4", "limit=5", 1) }, client.ErrInvalidLink},
		{"a search, to some", "net/url drops what has a semicolon", func(next string) string { return next + "&search=a;b" }, client.ErrInvalidLink},
		{"a user", "credentials in a link", func(next string) string { return strings.Replace(next, "://", "://a:b@", 1) }, client.ErrInvalidLink},
		{"relative", "the service's are absolute", func(string) string { return "?limit=4&offset=7" }, client.ErrInvalidLink},
		{"no URL", "cannot be read", func(string) string { return "http://[::1/" }, client.ErrInvalidLink},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			service := serve(t, rewritten(handler(t, shelf(t)), func(_ int, p *envelope) {
				if strings.Contains(p.Next, "&offset=7") {
					p.Next = c.next(p.Next)
				}
			}), 4)
			mustFail(t, service, c.want, 4)
		})
	}
	t.Run("null", func(t *testing.T) {
		service := serve(t, rewritten(handler(t, shelf(t)), func(_ int, p *envelope) { p.Next = "" }), 4)
		mustFail(t, service, client.ErrGap, 4)
	})
	t.Run("behind the end", func(t *testing.T) {
		service := serve(t, rewritten(handler(t, shelf(t)), func(_ int, p *envelope) {
			if p.Next == "" {
				p.Next = strings.Replace(p.Previous, "offset=2", "offset=10", 1)
			}
		}), 4)
		mustFail(t, service, client.ErrInvalidLink, 7)
	})
	for _, c := range []struct {
		name, reason string
		page         int
		previous     func(string) string
		offset       int // records that were seen
	}{
		{"previous of the first page", "nothing is before it", 1, func(string) string { return stranger.URL + "/api/books/?limit=4&ordering=id" }, 0},
		{"previous to itself", "a loop", 3, func(previous string) string { return strings.Replace(previous, "=2", "=6", 1) }, 7},
		{"previous to the first page", "two before", 3, func(previous string) string { return strings.Replace(previous, "&offset=2", "", 1) }, 7},
		{"previous before the first page", "its page begins at 3, so it begins at 0", 2, func(previous string) string { return previous + "&offset=1" }, 4},
		{"previous on another host", "it may collect credentials", 2, func(string) string { return stranger.URL + "/api/books/?limit=4&ordering=id" }, 4},
		{"previous to another collection", "other records", 2, func(previous string) string { return strings.Replace(previous, "/books/", "/faqs/", 1) }, 4},
		{"previous in another order", "other places", 3, func(previous string) string { return strings.Replace(previous, "=id", "=-id", 1) }, 7},
		{"previous of another page size", "which is not that of the page", 2, func(previous string) string { return strings.Replace(previous, "limit=4", "limit=5", 1) }, 4},
		{"previous is null", "there is a page before", 2, func(string) string { return "" }, 4},
		{"previous is relative", "the service's are absolute", 2, func(string) string { return "?limit=4" }, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			service := serve(t, rewritten(handler(t, shelf(t)), func(n int, p *envelope) {
				if n == c.page {
					p.Previous = c.previous(p.Previous)
				}
			}), 4)
			mustFail(t, service, client.ErrInvalidLink, c.offset)
		})
	}
	if n := strangers.Load(); n != 0 {
		t.Errorf("the stranger was asked %d times", n)
	}
}

// Services that do not know a parameter are found out and read nonetheless where
// that can be proven.
func TestServicesThatIgnoreParameters(t *testing.T) {
	without := func(name string) http.Handler {
		h := handler(t, shelf(t))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			query := r.URL.Query()
			query.Del(name)
			r.URL.RawQuery = query.Encode()
			h.ServeHTTP(w, r)
		})
	}
	t.Run("offset", func(t *testing.T) {
		mustFail(t, serve(t, without("offset"), 4), client.ErrDuplicate, 3) // the first page again
	})
	t.Run("ordering", func(t *testing.T) {
		h := handler(t, shelf(t))
		service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "=id", "=-id", 1)
			h.ServeHTTP(w, r)
		}), 4)
		mustFail(t, service, client.ErrUnordered, 1)
	})
	t.Run("limit", func(t *testing.T) {
		mustFail(t, serve(t, without("limit"), 4), client.ErrInvalidPage, 0) // all ten, where four were asked for
	})
	t.Run("limit, with smaller pages", func(t *testing.T) {
		h := handler(t, shelf(t))
		service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "limit=100", "limit=3", 1)
			h.ServeHTTP(w, r)
		}), 100)
		got, err := ids(t, service, "books")
		if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, got); diff != "" || err != nil {
			t.Error(diff, err)
		}
	})
	t.Run("limit, with pages of one", func(t *testing.T) {
		h := handler(t, shelf(t))
		service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "limit=4", "limit=1", 1)
			h.ServeHTTP(w, r)
		}), 4)
		mustFail(t, service, client.ErrGap, 1) // they cannot overlap
	})
}

// Answers that are no pages, in the middle of a walk.
func TestBadAnswers(t *testing.T) {
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
		answer       http.HandlerFunc
		want         error
	}{
		{"500", "with a page in it", write(500, "application/json", fmt.Sprintf(page, "[]")), client.ErrInvalidPage},
		{"404", "the collection is gone", write(404, "application/json", `{"detail":"Not found."}`), client.ErrInvalidPage},
		{"204", "success is not enough", write(204, "application/json", ""), client.ErrInvalidPage},
		{"301", "redirects are not followed", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/api/books/", http.StatusMovedPermanently)
		}, client.ErrInvalidPage},
		{"HTML", "the browsable page", write(200, "text/html; charset=utf-8", fmt.Sprintf(page, "[]")), client.ErrInvalidPage},
		{"no type", "is not JSON", write(200, "", fmt.Sprintf(page, "[]")), client.ErrInvalidPage},
		{"half a page", "as long as it says, and cut off", write(200, "application/json", `{"count":10,"next":nu`), client.ErrInvalidPage},
		{"fewer bytes than said", "cut off on the way", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, fmt.Sprintf(page, "[]"))
		}, io.ErrUnexpectedEOF},
		{"no bytes", "an empty body", write(200, "application/json", ""), client.ErrInvalidPage},
		{"null", "encoding/json takes it for an empty page", write(200, "application/json", " null\n"), client.ErrInvalidPage},
		{"an error document", "no count", write(200, "application/json", `{"detail":"Not found."}`), client.ErrInvalidPage},
		{"a list", "no envelope", write(200, "application/json", `[{"id":4}]`), client.ErrInvalidPage},
		{"two pages", "one behind the other", write(200, "application/json", fmt.Sprintf(page+page, "[]", "[]")), client.ErrInvalidPage},
		{"a record without id", "cannot be told from others", rows(`[{"name":"Onda"}]`), client.ErrInvalidPage},
		{"a record that is null", "is none", rows(`[null]`), client.ErrInvalidPage},
		{"an id that is text", "is none", rows(`[{"id":"4"}]`), client.ErrInvalidPage},
		{"a giant", "more than 16 KiB, be it white space", write(200, "application/json", fmt.Sprintf(page, books4to7)+strings.Repeat(" ", 16<<10)), client.ErrInvalidPage},
		{"the connection is cut", "before the head", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, io.EOF},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			h := handler(t, shelf(t))
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.FormValue("offset") == "3" {
					c.answer(w, r)
					return
				}
				h.ServeHTTP(w, r)
			}))
			defer server.Close()
			service := connect(t, client.Options{BaseURL: server.URL + "/", PageSize: 4, Rate: -1, MaxBody: 16 << 10})
			mustFail(t, service, c.want, 4)
		})
	}
}

// The largest numbers are no bounds.
func TestLargestBounds(t *testing.T) {
	service := connect(t, client.Options{BaseURL: "http://catalogue.test", HTTP: &http.Client{Transport: inProcess{handler(t, shelf(t))}},
		Rate: -1, PageSize: math.MaxInt, MaxBody: math.MaxInt64, MaxRecords: math.MaxInt, MaxWait: math.MaxInt64})
	if walk, err := service.Walk(t.Context(), "books"); err != nil || len(walk.Records) != 10 {
		t.Errorf("%d books, %v", len(walk.Records), err)
	}
}

// Links may name the port that goes without saying, and a host in capitals.
func TestLinksOfTheSameHost(t *testing.T) {
	for _, c := range []struct{ base, links string }{
		{"http://catalogue.test", "http://catalogue.test:80"},
		{"http://catalogue.test:80", "http://catalogue.test"},
		{"https://catalogue.test", "https://catalogue.test:443"},
		{"http://Catalogue.test", "http://catalogue.TEST"},
	} {
		h, err := httpapi.New(shelf(t), httpapi.Options{BaseURL: c.links})
		if err != nil {
			t.Fatal(err)
		}
		service := connect(t, client.Options{BaseURL: c.base, PageSize: 4, Rate: -1, HTTP: &http.Client{Transport: inProcess{h}}})
		if walk, err := service.Walk(t.Context(), "books"); err != nil || len(walk.Records) != 10 {
			t.Errorf("%s with links to %s: %v", c.base, c.links, err)
		}
	}
	for _, c := range []struct{ base, links string }{
		{"http://catalogue.test", "http://catalogue.test:443"},
		{"https://catalogue.test", "https://catalogue.test:80"},
		{"http://catalogue.test", "http://catalogue.test.example"},
		{"https://catalogue.test", "http://catalogue.test"},
	} {
		h, err := httpapi.New(shelf(t), httpapi.Options{BaseURL: c.links})
		if err != nil {
			t.Fatal(err)
		}
		mustFail(t, connect(t, client.Options{BaseURL: c.base, PageSize: 4, Rate: -1, HTTP: &http.Client{Transport: inProcess{h}}}), client.ErrInvalidLink, 0)
	}
}
