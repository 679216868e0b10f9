package httpapi

import (
	"fmt"
	"net/http"
	"testing"
)

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
		h, err := NewHandler(map[string]Collection{"films": &taggedFilms{filmCollection: newFilms(), records: records}}, opts)
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
