package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// newNewsHandler returns a handler whose news are a revisionedCollection.
func newNewsHandler(t *testing.T, opts Options, records int) (*Handler, *revisionedCollection) {
	t.Helper()
	news := &revisionedCollection{fake: newCollection(records)}
	return newTestHandler(t, opts, map[string]Collection{"news": news}), news
}

func ifNoneMatch(tags ...string) http.Header { return http.Header{"If-None-Match": tags} }

// tagOf sends a request and returns the tag of the response.
func tagOf(t *testing.T, h http.Handler, c call) string {
	t.Helper()
	got := c.do(h)
	tag := got.Header["Etag"]
	if got.Status != 200 || len(tag) < 3 || tag[0] != '"' || strings.Count(tag, `"`) != 2 || !strings.HasSuffix(tag, `"`) {
		t.Fatalf("%s: %d with tag %s", c.target, got.Status, tag)
	}
	return tag
}

// See RFC 9110, section 13.1.2. T stands for the tag of the page.
func TestIfNoneMatch(t *testing.T) {
	tests := []struct {
		reason string
		list   []string
		want   int
	}{
		{"the tag", []string{"T"}, 304},
		{"weak comparison", []string{"W/T"}, 304},
		{"in a list", []string{`"a", W/"b" ,T`}, 304},
		{"in a list without spaces", []string{`"a",T,"c"`}, 304},
		{"in a second header", []string{`"a"`, `T`}, 304},
		{"empty elements", []string{`,, ,	T,`}, 304},
		{"a comma within a tag", []string{`"a,b", T`}, 304},
		{"star", []string{"*"}, 304},
		{"star with space", []string{" * "}, 304},
		{"other tag", []string{`"x"`}, 200},
		{"the tag within another", []string{`"T"`}, 200},
		{"tag without end", []string{`"1`}, 200},
		{"weak in lower case", []string{"w/T"}, 200},
		{"after a word", []string{"x, T"}, 200},
		{"star in a list", []string{`"x", *`}, 200},
		{"star and a list", []string{"*", `"x"`}, 200},
		{"open quote", []string{`"`}, 200},
		{"empty", []string{""}, 200},
		{"commas", []string{",,"}, 200},
	}
	h, _ := newNewsHandler(t, Options{ETags: true}, 50)
	for _, target := range []string{"/api/news/", "/api/news/?offset=7&ordering=-id&format=api", "/api/"} {
		for _, method := range []string{"GET", "HEAD"} {
			tag := tagOf(t, h, call{method: method, target: target})
			for _, test := range tests {
				header := http.Header{}
				for _, value := range test.list {
					header.Add("If-None-Match", strings.ReplaceAll(value, "T", tag))
				}
				got := call{method: method, target: target, header: header}.do(h)
				if got.Status != test.want || got.Header["Etag"] != tag || got.Header["Cache-Control"] != "no-cache" {
					t.Errorf("%s %s, %s: %d %v, want %d", method, target, test.reason, got.Status, got.Header, test.want)
				}
				if got.Status == 304 && (got.Body != "" || got.Header["Content-Length"] != "" || got.Header["Content-Type"] != "" || got.Header["Vary"] == "") {
					t.Errorf("%s %s, %s: 304 with %v %q", method, target, test.reason, got.Header, got.Body)
				}
			}
		}
	}
}

// Different responses have different tags.
func TestTags(t *testing.T) {
	h, news := newNewsHandler(t, Options{ETags: true}, 50)
	other, _ := newNewsHandler(t, Options{ETags: true}, 50)
	plain := call{target: "/api/news/"}
	base := tagOf(t, h, plain)
	if again := tagOf(t, h, plain); again != base {
		t.Errorf("second tag is %s, want %s", again, base)
	}
	if head := tagOf(t, h, call{method: "HEAD", target: "/api/news/"}); head != base {
		t.Errorf("tag of HEAD is %s, want %s", head, base)
	}
	seen := map[string]string{base: "the first page"}
	add := func(reason, tag string) {
		if before := seen[tag]; before != "" {
			t.Errorf("%s has the tag of %s", reason, before)
		}
		seen[tag] = reason
	}
	add("an offset", tagOf(t, h, call{target: "/api/news/?offset=21"}))
	add("an ordering", tagOf(t, h, call{target: "/api/news/?ordering=-id"}))
	add("a parameter that is in the links", tagOf(t, h, call{target: "/api/news/?x=1"}))
	add("an indent", tagOf(t, h, call{target: "/api/news/", header: accept("application/json; indent=2")}))
	add("other host", tagOf(t, h, call{target: "/api/news/", host: "other.example"}))
	prefixed := plain.request()
	prefixed.RequestURI = "/shop" + prefixed.RequestURI
	add("a prefix", serve(h, prefixed).Header["Etag"])
	add("a query and a host", tagOf(t, h, call{target: "/api/news/?x=a", host: "b.example"}))
	add("the same bytes in query and host", tagOf(t, h, call{target: "/api/news/?x=ab", host: ".example"}))
	add("other collection", tagOf(t, h, call{target: "/api/"}))
	add("other handler", tagOf(t, other, plain))
	news.revision.Add(1)
	add("a write", tagOf(t, h, plain))
	if got := (call{target: "/api/news/", header: ifNoneMatch(base)}).do(h); got.Status != 200 {
		t.Errorf("tag from before a write: %d, want 200", got.Status)
	}
}

// Handlers with the same key have the same tags, and those with other keys have others.
func TestETagKey(t *testing.T) {
	page := call{target: "/api/news/?offset=21"}
	tag := func(key string, revision uint64) string {
		h, news := newNewsHandler(t, Options{ETags: true, ETagKey: key}, 50)
		news.revision.Store(revision)
		return tagOf(t, h, page)
	}
	for _, test := range []struct {
		reason   string
		key      string
		revision uint64
		equal    bool
	}{
		{"same key and revision", "house", 7, true},
		{"other revision", "house", 8, false},
		{"other key", "housf", 7, false},
		{"no key", "", 7, false},
	} {
		if got, base := tag(test.key, test.revision), tag("house", 7); (got == base) != test.equal {
			t.Errorf("%s: tags %s and %s, want equal: %t", test.reason, got, base, test.equal)
		}
	}
}

// Errors have no tag and never become a 304.
func TestNoTag(t *testing.T) {
	long := strings.Repeat("x", 512)
	tests := []struct {
		reason string
		opts   Options
		call   call
		status int
		tag    bool
	}{
		{"long query", Options{ETags: true}, call{target: "/api/news/?" + long}, 200, true},
		{"tags off", Options{}, call{target: "/api/news/"}, 200, false},
		{"tags off, If-None-Match is *", Options{}, call{target: "/api/news/", header: ifNoneMatch("*")}, 200, false},
		{"no revision", Options{ETags: true}, call{target: "/api/wires/", header: ifNoneMatch("*")}, 200, false},
		{"OPTIONS", Options{ETags: true}, call{method: "OPTIONS", target: "/api/news/", header: ifNoneMatch("*")}, 200, false},
		{"POST", Options{ETags: true, Authorizer: AllowAll}, call{method: "POST", target: "/api/events/", body: "{}", header: http.Header{"If-None-Match": {"*"}, "Content-Type": {"application/json"}}}, 412, false},
		{"unknown format", Options{ETags: true}, call{target: "/api/news/?format=xml", header: ifNoneMatch("*")}, 404, false},
		{"unknown path", Options{ETags: true}, call{target: "/api/nope/", header: ifNoneMatch("*")}, 404, false},
		{"not acceptable", Options{ETags: true}, call{target: "/api/news/", header: http.Header{"If-None-Match": {"*"}, "Accept": {"text/html"}}}, 406, false},
		{"too many terms", Options{ETags: true}, call{target: "/api/news/?ordering=" + sized(",", 100), header: ifNoneMatch("*")}, 400, false},
		{"error of the collection", Options{ETags: true}, call{target: "/api/faqs/"}, 500, false},
	}
	for _, test := range tests {
		h := newTestHandler(t, test.opts, map[string]Collection{
			"news":  &revisionedCollection{fake: newCollection(3)},
			"faqs":  &revisionedCollection{fake: &sliceCollection{err: errors.New("broken")}},
			"wires": newCollection(1),
		})
		got := test.call.do(h)
		if _, tagged := got.Header["Etag"]; got.Status != test.status || tagged != test.tag {
			t.Errorf("%s: %d %v, want %d", test.reason, got.Status, got.Header, test.status)
		}
		if _, controlled := got.Header["Cache-Control"]; controlled != test.tag {
			t.Errorf("%s: Cache-Control is %q", test.reason, got.Header["Cache-Control"])
		}
	}
}

func TestNotModifiedMakesNoPage(t *testing.T) {
	h, news := newNewsHandler(t, Options{ETags: true}, 50)
	c := call{target: "/api/news/?ordering=-id"}
	c.header = ifNoneMatch(tagOf(t, h, c))
	before := news.lists.Load()
	for range 3 {
		if got := c.do(h); got.Status != 304 {
			t.Fatalf("%d, want 304", got.Status)
		}
	}
	if pages := news.lists.Load() - before; pages != 0 {
		t.Errorf("%d calls of List, want none", pages)
	}
}

func TestCacheControl(t *testing.T) {
	h, _ := newNewsHandler(t, Options{ETags: true, CacheControl: "public, max-age=60"}, 1)
	tag := tagOf(t, h, call{target: "/api/news/"})
	for _, header := range []http.Header{nil, ifNoneMatch(tag)} {
		if got := (call{target: "/api/news/", header: header}).do(h); got.Header["Cache-Control"] != "public, max-age=60" {
			t.Errorf("%d with %v, want the configured Cache-Control", got.Status, got.Header)
		}
	}
	for _, value := range []string{"a\r\nSet-Cookie: x", "é", "\x00", "\x7f"} {
		_, err := NewHandler(allCollections(nil), Options{CacheControl: value})
		if !errors.Is(err, ErrInvalidConfig) || !strings.Contains(err.Error(), "CacheControl") {
			t.Errorf("CacheControl %q: %v, want ErrInvalidConfig", value, err)
		}
	}
}

func TestNotModifiedAllocations(t *testing.T) {
	h, _ := newNewsHandler(t, Options{ETags: true}, 50)
	r := call{target: "/api/news/?offset=20", header: http.Header{}}.request()
	r.Header["If-None-Match"] = []string{tagOf(t, h, call{target: "/api/news/?offset=20"})}
	w := &discard{http.Header{}}
	got := testing.AllocsPerRun(100, func() { clear(w.header); h.ServeHTTP(w, r) })
	if got > 3 { // two tags and a header value
		t.Errorf("%v allocations, want at most 3", got)
	}
}

// TestFilteredTags checks that a filtered page has a tag, unless other collections
// determine which records are selected.
func TestFilteredTags(t *testing.T) {
	for _, test := range []struct {
		reason, target string
		tagged         bool
	}{
		{"a filter", "/api/films/?minutes__gte=3", true},
		{"a search in another collection", "/api/films/?search=x", false},
		{"a filter by a reference, which must exist", "/api/films/?director=3", false},
	} {
		h, films := newFilmsHandler(t, Options{ETags: true})
		tag := get(h, test.target).Header["Etag"]
		if (tag != "") != test.tagged {
			t.Errorf("%s: tag %q", test.reason, tag)
		}
		if !test.tagged {
			continue
		}
		c := call{target: test.target, header: ifNoneMatch(tag)}
		if got := c.do(h); got.Status != 304 || got.Body != "" {
			t.Errorf("%s: %d %s, want 304", test.reason, got.Status, got.Body)
		}
		films.revision++
		if got := c.do(h); got.Status != 200 || got.Header["Etag"] == tag {
			t.Errorf("%s after a write: %d %s, want another tag", test.reason, got.Status, got.Header["Etag"])
		}
	}
}

// TestStarOfInvalidFilter checks that If-None-Match: * does not hide a 400. See RFC 9110,
// section 13.2.1.
func TestStarOfInvalidFilter(t *testing.T) {
	h, _ := newFilmsHandler(t, Options{ETags: true})
	for target, want := range map[string]int{
		"/api/films/?status=bogus":   400,
		"/api/films/1/?status=bogus": 400,
		"/api/films/?status=a":       304,
		"/api/films/1/?status=a":     304,
	} {
		if got := (call{target: target, header: ifNoneMatch("*")}).do(h); got.Status != want {
			t.Errorf("%s: %d %s, want %d", target, got.Status, got.Body, want)
		}
	}
}

// TestRecordTag checks that the tag of a record is that of its JSON: it changes with the
// record and its indentation, and with nothing else.
func TestRecordTag(t *testing.T) {
	one := map[int]string{1: `{"id":1,"minutes":90}`}
	tag := func(opts Options, records map[int]string, c call) string {
		t.Helper()
		opts.ETags = true
		h, err := NewHandler([]Collection{&taggedFilms{filmCollection: newFilms(), records: records}}, opts)
		if err != nil {
			t.Fatal(err)
		}
		return tagOf(t, h, c)
	}
	base := tag(Options{}, one, call{target: "/api/films/1/"})
	for _, test := range []struct {
		reason string
		opts   Options
		record string
		call   call
		equal  bool
	}{
		{"another handler", Options{}, one[1], call{target: "/api/films/1/"}, true},
		{"another key", Options{ETagKey: "x"}, one[1], call{target: "/api/films/1/"}, true},
		{"HEAD", Options{}, one[1], call{method: "HEAD", target: "/api/films/1/"}, true},
		{"a filter, which the record does not contain", Options{}, one[1], call{target: "/api/films/1/?director=3"}, true},
		{"another host, which the record does not contain", Options{}, one[1], call{target: "/api/films/1/", host: "b.example"}, true},
		{"an indentation", Options{}, one[1], call{target: "/api/films/1/", header: accept("application/json; indent=2")}, false},
		{"another value", Options{}, `{"id":1,"minutes":91}`, call{target: "/api/films/1/"}, false},
		{"another spelling", Options{}, `{"id":1,"minutes":90.0}`, call{target: "/api/films/1/"}, false},
	} {
		if got := tag(test.opts, map[int]string{1: test.record}, test.call); (got == base) != test.equal {
			t.Errorf("%s: %s and %s, want equal: %t", test.reason, got, base, test.equal)
		}
	}
}

// TestRecordWithoutTag checks that errors of a record have no tag, nor does a record if tags
// are disabled.
func TestRecordWithoutTag(t *testing.T) {
	for target, opts := range map[string]Options{
		"/api/films/9/":              {ETags: true},
		"/api/films/1/?format=xml":   {ETags: true},
		"/api/films/1/?status=bogus": {ETags: true},
		"/api/films/1/":              {},
	} {
		h, _ := newFilmsHandler(t, opts)
		got := call{target: target, header: ifNoneMatch("*")}.do(h)
		if got.Header["Etag"] != "" || got.Header["Cache-Control"] != "" || got.Status == 304 {
			t.Errorf("%s: %d %v, want no tag", target, got.Status, got.Header)
		}
	}
}

// TestTagsOfWrites checks that the response to a POST has the tag that a GET of the record
// has, as that to a PATCH has. RFC 9110, section 9.3.4, forbids a tag in the response to a
// PUT whose body is not stored as it is.
func TestTagsOfWrites(t *testing.T) {
	for _, test := range []struct {
		method, target string
		tags           bool
		want           bool
	}{
		{"POST", "/api/films/", true, true},
		{"PATCH", "/api/films/1/", true, true},
		{"PATCH", "/api/films/1/?status=announced", true, false}, // a GET of the same URL can be a 404
		{"PUT", "/api/films/1/", true, false},
		{"DELETE", "/api/films/1/", true, false},
		{"POST", "/api/films/", false, false},
		{"PATCH", "/api/films/1/", false, false},
	} {
		for _, accepts := range []string{"application/json", "application/json; indent=4"} {
			h := newTaggedFilms(t, Options{ETags: test.tags})
			header := http.Header{"Content-Type": {"application/json"}, "Accept": {accepts}}
			got := call{method: test.method, target: test.target, header: header, body: `{"minutes":91}`}.do(h)
			if got.Status >= 300 || got.Header["Cache-Control"] != "" {
				t.Fatalf("%s %s: %d %v", test.method, test.target, got.Status, got.Header)
			}
			want := ""
			if test.want {
				id := map[string]int{"POST": 3, "PATCH": 1}[test.method]
				want = tagOf(t, h, call{target: fmt.Sprintf("/api/films/%d/", id), header: accept(accepts)})
			}
			if got.Header["Etag"] != want {
				t.Errorf("%s %s with tags %t and %s: tag %q, want %q", test.method, test.target, test.tags, accepts, got.Header["Etag"], want)
			}
		}
	}
	h := newTaggedFilms(t, Options{ETags: true})
	if got := (call{method: "PATCH", target: "/api/films/1/", header: asJSON, body: `{"minutes":-1}`}).do(h); got.Status != 400 || got.Header["Etag"] != "" {
		t.Errorf("invalid PATCH: %d %v, want 400 without a tag", got.Status, got.Header)
	}
}

// taggedHandler returns a handler with entity tags that permits every POST.
func taggedHandler(t *testing.T, house *catalogue.Catalogue) *Handler {
	t.Helper()
	h, err := New(house, Options{Authorizer: AllowAll, ETags: true})
	if err != nil {
		t.Fatal(err)
	}
	return h
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
	rename := func(name string) func(*resources.Event) error {
		return func(e *resources.Event) error { e.Name = name; return nil }
	}
	type events = *catalogue.Collection[resources.Event]
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
			_, err := c.Insert(resources.Event{Name: "d"})
			return err
		}, "a b c d"},
		{"Upsert", func(_ *catalogue.Catalogue, c events, _ http.Handler) error {
			_, err := c.Upsert(resources.Event{ID: 2, Name: "u"})
			return err
		}, "a u c"},
		{"Update", func(_ *catalogue.Catalogue, c events, _ http.Handler) error { return c.Update(3, rename("m")) }, "a b m"},
		{"Delete", func(_ *catalogue.Catalogue, c events, _ http.Handler) error { return c.Delete(1) }, "b c"},
		{"Batch", func(_ *catalogue.Catalogue, c events, _ http.Handler) error {
			return c.Batch(func(tx *catalogue.Tx[resources.Event]) error {
				if err := tx.Update(1, rename("t")); err != nil {
					return err
				}
				return tx.Delete(2)
			})
		}, "t c"},
		{"Load", func(house *catalogue.Catalogue, _ events, _ http.Handler) error {
			return house.Load(strings.NewReader(`{"events":[{"id":9,"name":"l"`+rest+`]}`), catalogue.LoadOptions{})
		}, "l"},
		{"Load of nothing", func(house *catalogue.Catalogue, _ events, _ http.Handler) error {
			return house.Load(strings.NewReader(`{"events":[]}`), catalogue.LoadOptions{})
		}, ""},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			parent := mustNew()
			for _, name := range []string{"a", "b", "c"} {
				if _, err := mustIn(resources.Events, parent).Insert(resources.Event{Name: name}); err != nil {
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
			if err := test.write(clone, mustIn(resources.Events, clone), h); err != nil {
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
	house := mustNew()
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
		if _, err := mustIn(resources.Events, house).Insert(resources.Event{Name: "e"}); err != nil {
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
