package httpapi

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

// newNewsHandler returns a handler whose news are a revisionedCollection.
func newNewsHandler(t *testing.T, opts Options, records int) (*Handler, *revisionedCollection) {
	t.Helper()
	news := &revisionedCollection{Collection: newCollection(records)}
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
		{"too many terms", Options{ETags: true, Bounds: Bounds{Terms: 1}}, call{target: "/api/news/?ordering=id,id", header: ifNoneMatch("*")}, 400, false},
		{"error of the collection", Options{ETags: true}, call{target: "/api/faqs/"}, 500, false},
	}
	for _, test := range tests {
		h := newTestHandler(t, test.opts, map[string]Collection{
			"news":  &revisionedCollection{Collection: newCollection(3)},
			"faqs":  &revisionedCollection{Collection: &sliceCollection{err: errors.New("broken")}},
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
	before := news.pages.Load()
	for range 3 {
		if got := c.do(h); got.Status != 304 {
			t.Fatalf("%d, want 304", got.Status)
		}
	}
	if pages := news.pages.Load() - before; pages != 0 {
		t.Errorf("%d calls of Page, want none", pages)
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
