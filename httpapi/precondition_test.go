package httpapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
)

// See RFC 9110, sections 13.1.1 and 13.2.2. T stands for the current tag.
func TestIfMatchOfReads(t *testing.T) {
	const since = "Sun, 06 Nov 1994 08:49:37 GMT"
	tests := []struct {
		reason      string
		match, none []string
		want        int
	}{
		{"the tag", []string{"T"}, nil, 200},
		{"in a list", []string{`"a", W/"b" ,T`}, nil, 200},
		{"in a second header", []string{`"a"`, "T"}, nil, 200},
		{"star", []string{" * "}, nil, 200},
		{"strong comparison", []string{"W/T"}, nil, 412},
		{"other tag", []string{`"x"`}, nil, 412},
		{"the tag within another", []string{`"T"`}, nil, 412},
		{"star in a list", []string{`"x", *`}, nil, 412},
		{"after a word", []string{"x, T"}, nil, 412},
		{"open quote", []string{`"`}, nil, 412},
		{"empty", []string{""}, nil, 412},
		{"If-None-Match is evaluated second", []string{"T"}, []string{"T"}, 304},
		{"star and the tag", []string{"*"}, []string{"T"}, 304},
		{"If-Match is evaluated first", []string{`"x"`}, []string{"T"}, 412},
		{"If-Match before star", []string{`"x"`}, []string{"*"}, 412},
		{"both true", []string{"T"}, []string{`"x"`}, 200},
	}
	for _, target := range []string{"/api/films/", "/api/films/?status=a", "/api/films/1/", "/api/"} {
		h, _ := newFilmsHandler(t, Options{ETags: true})
		for _, method := range []string{"GET", "HEAD"} {
			tag := tagOf(t, h, call{method: method, target: target})
			for _, test := range tests {
				header := http.Header{"If-Unmodified-Since": {since}, "If-Modified-Since": {since}}
				for _, value := range test.match {
					header.Add("If-Match", strings.ReplaceAll(value, "T", tag))
				}
				for _, value := range test.none {
					header.Add("If-None-Match", strings.ReplaceAll(value, "T", tag))
				}
				got := call{method: method, target: target, header: header}.do(h)
				if got.Status != test.want {
					t.Errorf("%s %s, %s: %d %s, want %d", method, target, test.reason, got.Status, got.Body, test.want)
				}
				if tagged := got.Header["Etag"] != ""; tagged != (test.want != 412) {
					t.Errorf("%s %s, %s: tag %q", method, target, test.reason, got.Header["Etag"])
				}
				if got.Status == 412 && method == "GET" && got.Body != `{"detail":"Precondition failed: no entity tag in If-Match is current."}` {
					t.Errorf("%s, %s: %s", target, test.reason, got.Body)
				}
			}
		}
	}
}

// TestDates checks that conditions with dates are ignored, since no response has a
// Last-Modified (RFC 9110, sections 13.1.3 and 13.1.4).
func TestDates(t *testing.T) {
	for _, method := range []string{"GET", "PATCH", "DELETE"} {
		h := newTaggedFilms(t, Options{ETags: true})
		header := http.Header{"Content-Type": asJSON["Content-Type"]}
		for _, name := range []string{"If-Unmodified-Since", "If-Modified-Since"} {
			header.Set(name, "Sun, 06 Nov 1994 08:49:37 GMT")
		}
		if got := (call{method: method, target: "/api/films/1/", header: header, body: "{}"}).do(h); got.Status >= 300 {
			t.Errorf("%s: %d %s", method, got.Status, got.Body)
		}
	}
}

// TestIfMatchIsIgnored lists the requests in which preconditions are ignored: those that
// fail anyway, OPTIONS (RFC 9110, section 13.2.1), and all if tags are disabled.
func TestIfMatchIsIgnored(t *testing.T) {
	tags := Options{ETags: true}
	for _, test := range []struct {
		reason string
		opts   Options
		call   call
		status int
	}{
		{"tags are disabled", Options{}, call{target: "/api/films/1/"}, 200},
		{"tags are disabled, PATCH", Options{}, call{method: "PATCH", target: "/api/films/1/", body: `{"minutes":1}`}, 200},
		{"tags are disabled, POST", Options{}, call{method: "POST", target: "/api/films/", body: `{"minutes":1}`}, 201},
		{"tags are disabled, DELETE", Options{}, call{method: "DELETE", target: "/api/films/1/"}, 204},
		{"OPTIONS", tags, call{method: "OPTIONS", target: "/api/films/1/"}, 200},
		{"no such record", tags, call{method: "PATCH", target: "/api/films/9/", body: "{}"}, 404},
		{"no such record, DELETE", tags, call{method: "DELETE", target: "/api/films/9/"}, 404},
		{"invalid filter", tags, call{target: "/api/films/?status=bogus"}, 400},
		{"invalid filter of a record", tags, call{method: "PATCH", target: "/api/films/1/?status=bogus", body: "{}"}, 400},
		{"method", tags, call{method: "PUT", target: "/api/films/"}, 405},
		{"Accept", tags, call{target: "/api/films/1/?format=xml"}, 404},
		{"redirect", tags, call{target: "/api/films"}, 301},
	} {
		test.call.header = http.Header{"Content-Type": {"application/json"}, "If-Match": {`"x"`}, "If-None-Match": {"*"}}
		if got := test.call.do(newTaggedFilms(t, test.opts)); got.Status != test.status {
			t.Errorf("%s: %d %s, want %d", test.reason, got.Status, got.Body, test.status)
		}
	}
	unauthorized, _ := newFilmsHandler(t, tags)
	if got := (call{method: "DELETE", target: "/api/films/1/", header: http.Header{"If-Match": {`"x"`}}}).do(unauthorized); got.Status != 403 {
		t.Errorf("without authorization: %d, want 403", got.Status)
	}
}

// TestIfMatchWithoutTag checks that no list of tags matches a page without a tag.
func TestIfMatchWithoutTag(t *testing.T) {
	h := newTestHandler(t, Options{ETags: true}, map[string]Collection{"news": newCollection(1)})
	for value, want := range map[string]int{`"x"`: 412, `""`: 412, "*": 200} {
		if got := (call{target: "/api/news/", header: http.Header{"If-Match": {value}}}).do(h); got.Status != want {
			t.Errorf("If-Match %s: %d %s, want %d", value, got.Status, got.Body, want)
		}
	}
}

// TestWriteDuringIfMatch checks that a page is not sent to a request with If-Match if its
// revision is not that of the tag.
func TestWriteDuringIfMatch(t *testing.T) {
	news := &changingRevision{changes: map[string]int{}}
	h := newTestHandler(t, Options{ETags: true}, map[string]Collection{"news": news})
	c := call{target: "/api/news/"}
	c.header = http.Header{"If-Match": {tagOf(t, h, c)}}
	for step, want := range map[string]int{"": 200, "list": 412} {
		news.revision, news.calls, news.changes = 0, 0, map[string]int{step: 1}
		if got := c.do(h); got.Status != want {
			t.Errorf("with a write before step %q: %d %s, want %d", step, got.Status, got.Body, want)
		}
	}
}

// See RFC 9110, section 13.1.2: the path of a collection exists, so "*" is false. Tags of
// a page cannot be compared at the instant of a POST.
func TestPreconditionsOfPost(t *testing.T) {
	const unchecked = `{"detail":"Precondition failed: entity tags cannot be compared in this request."}`
	for _, test := range []struct {
		name, value string
		status      int
		body        string
	}{
		{"If-Match", "*", 201, `{"id":3,"minutes":70}`},
		{"If-None-Match", "*", 412, `{"detail":"Precondition failed: If-None-Match matches what is stored."}`},
		{"If-Match", `"x"`, 412, unchecked},
		{"If-None-Match", `"x"`, 412, unchecked},
	} {
		h := newTaggedFilms(t, Options{ETags: true})
		header := http.Header{"Content-Type": {"application/json"}, test.name: {test.value}}
		got := call{method: "POST", target: "/api/films/", header: header, body: `{"minutes":70}`}.do(h)
		if got.Status != test.status || got.Body != test.body {
			t.Errorf("%s: %s: %d %s, want %d %s", test.name, test.value, got.Status, got.Body, test.status, test.body)
		}
		if status := get(h, "/api/films/3/").Status; (status == 200) != (test.status == 201) {
			t.Errorf("%s: %s: the record then has status %d", test.name, test.value, status)
		}
	}
}

// genreHandler returns a handler, with tags, of a catalogue with genres 1 and 2.
func genreHandler(t *testing.T) (http.Handler, *catalogue.Catalogue) {
	t.Helper()
	house := newFilmHouse(t)
	if err := house.Load(strings.NewReader(`{"genres":[{"id":1,"name":"drama","position":1},{"id":2,"name":"comedy","position":2}]}`), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	return taggedHandler(t, house), house
}

// sendWith sends a request with a JSON body and more headers, each as name and value.
func sendWith(h http.Handler, method, target string, body io.Reader, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, body)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func genreTag(h http.Handler) string {
	return sendWith(h, "GET", "/api/genres/1/", nil).Header().Get("ETag")
}

// See RFC 9110, section 13. T stands for the current tag of genre 1, S and X for the tag and
// other text within the quotes, and I for the tag of its
// indented representation.
func TestPreconditionsOfWrites(t *testing.T) {
	const valid, invalid = `{"name":"crime","position":7}`, `{"position":"x"}`
	for _, test := range []struct {
		reason, match, none string
		body                string
		update, delete      int
	}{
		{"the tag", "T", "", valid, 200, 204},
		{"in a list", `"a", W/"b",T`, "", valid, 200, 204},
		{"the tag of an indented representation", "I", "", valid, 200, 204},
		{"the tag with a suffix of middleware", "S", "", valid, 200, 204},
		{"the tag and other text", "X", "", valid, 412, 412},
		{"star", "*", "", valid, 200, 204},
		{"no precondition", "", "", valid, 200, 204},
		{"strong comparison", "W/T", "", valid, 412, 412},
		{"other tag", `"x"`, "", valid, 412, 412},
		{"empty tag", `""`, "", valid, 412, 412},
		{"the tag and then something else", "T2", "", valid, 200, 204},
		{"no tag", "x", "", valid, 412, 412},
		{"If-None-Match with the tag", "", "T", valid, 412, 412},
		{"If-None-Match by weak comparison", "", "W/T", valid, 412, 412},
		{"If-None-Match with star", "", "*", valid, 412, 412},
		{"If-None-Match with another tag", "", `"x"`, valid, 200, 204},
		{"both", "T", `"x"`, valid, 200, 204},
		{"both, the second false", "T", "T", valid, 412, 412},
		{"star and the tag", "*", "T", valid, 412, 412},
		{"false before an invalid body", `"x"`, "", invalid, 412, 412},
		{"true before an invalid body", "T", "", invalid, 400, 204},
	} {
		for _, method := range []string{"PUT", "PATCH", "DELETE"} {
			h, _ := genreHandler(t)
			tag := genreTag(h)
			tags := strings.NewReplacer("T", tag, "S", tag[:len(tag)-1]+`-gzip"`, "X", tag[:len(tag)-1]+`x"`,
				"I", sendWith(h, "GET", "/api/genres/1/", nil, "Accept", "application/json; indent=2").Header().Get("ETag"))
			var headers []string
			if test.match != "" {
				headers = append(headers, "If-Match", tags.Replace(test.match))
			}
			if test.none != "" {
				headers = append(headers, "If-None-Match", tags.Replace(test.none))
			}
			want := test.update
			if method == "DELETE" {
				want = test.delete
			}
			before := sendWith(h, "GET", "/api/genres/1/", nil).Body.String()
			got := sendWith(h, method, "/api/genres/1/", strings.NewReader(test.body), headers...)
			if got.Code != want || want == 412 && !strings.HasPrefix(got.Body.String(), `{"detail":"Precondition failed: `) {
				t.Errorf("%s, %s: %d %s, want %d", test.reason, method, got.Code, got.Body, want)
			}
			after := sendWith(h, "GET", "/api/genres/1/", nil)
			if changed := after.Body.String() != before; changed != (got.Code < 300) {
				t.Errorf("%s, %s: %d, and then the record is %s", test.reason, method, got.Code, after.Body)
			}
		}
	}
}

// TestWritesOfOthers checks that a write to another record does not make If-Match false.
func TestWritesOfOthers(t *testing.T) {
	h, _ := genreHandler(t)
	tag := genreTag(h)
	if got := sendWith(h, "PATCH", "/api/genres/2/", strings.NewReader(`{"position":9}`)); got.Code != 200 {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	if got := sendWith(h, "PATCH", "/api/genres/1/", strings.NewReader(`{"position":8}`), "If-Match", tag); got.Code != 200 {
		t.Errorf("%d %s, want 200", got.Code, got.Body)
	}
}

// writingBody is a JSON body that performs another write before it is read.
type writingBody struct {
	io.Reader
	write func()
}

func (b *writingBody) Read(p []byte) (int, error) {
	if b.write != nil {
		b.write()
		b.write = nil
	}
	return b.Reader.Read(p)
}

// TestNoLostUpdate changes the record after the request was checked for the first time,
// while its body is read. Only a comparison at the instant of the write detects that.
func TestNoLostUpdate(t *testing.T) {
	for _, method := range []string{"PUT", "PATCH"} {
		h, house := genreHandler(t)
		body := &writingBody{strings.NewReader(`{"name":"mine"}`), func() {
			if got := sendWith(h, "PATCH", "/api/genres/1/", strings.NewReader(`{"name":"theirs"}`)); got.Code != 200 {
				t.Fatalf("%d %s", got.Code, got.Body)
			}
		}}
		if got := sendWith(h, method, "/api/genres/1/", body, "If-Match", genreTag(h)); got.Code != 412 {
			t.Errorf("%s after another write: %d %s, want 412", method, got.Code, got.Body)
		}
		genres, err := house.Collection("genres")
		if err != nil {
			t.Fatal(err)
		}
		if record, err := genres.Get(t.Context(), "1", nil); err != nil || !strings.Contains(string(record), `"theirs"`) {
			t.Errorf("%s: the record is %s (%v), want that of the other write", method, record, err)
		}
	}
}

// TestConcurrentIncrements increments a number with GET and PATCH from several goroutines.
// Each repeats its request after a 412. No increment is lost.
func TestConcurrentIncrements(t *testing.T) {
	const writers, increments = 4, 25
	h, _ := genreHandler(t)
	increment := func() (status int) {
		got := sendWith(h, "GET", "/api/genres/1/", nil)
		var genre struct{ Position int }
		if err := json.Unmarshal(got.Body.Bytes(), &genre); err != nil {
			t.Error(err)
		}
		body := fmt.Sprintf(`{"position":%d}`, genre.Position+1)
		return sendWith(h, "PATCH", "/api/genres/1/", strings.NewReader(body), "If-Match", got.Header().Get("ETag")).Code
	}
	var running sync.WaitGroup
	for range writers {
		running.Go(func() {
			for done := 0; done < increments && !t.Failed(); {
				switch status := increment(); status {
				case 200:
					done++
				case 412:
				default:
					t.Errorf("%d, want 200 or 412", status)
				}
			}
		})
	}
	running.Wait()
	want := fmt.Sprintf(`"position":%d}`, 1+writers*increments)
	if got := sendWith(h, "GET", "/api/genres/1/", nil).Body.String(); !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestPreconditionsOfNoRecord checks that a write to no record is a 404, whatever its
// preconditions are.
func TestPreconditionsOfNoRecord(t *testing.T) {
	h, _ := genreHandler(t)
	for _, name := range []string{"If-Match", "If-None-Match"} {
		for _, value := range []string{genreTag(h), `"x"`, "*"} {
			for _, method := range []string{"PUT", "PATCH", "DELETE"} {
				if got := sendWith(h, method, "/api/genres/9/", strings.NewReader(`{"name":"x"}`), name, value); got.Code != 404 {
					t.Errorf("%s with %s: %s: %d, want 404", method, name, value, got.Code)
				}
			}
		}
	}
}
