package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

func TestNewHandlerCollections(t *testing.T) {
	films := newFilms()
	renamed, without := newFilms(), newFilms()
	renamed.description.Key, without.description = "movies", schema.Description{Key: "papers"}
	tests := []struct {
		reason      string
		collections []Collection
		names       []string // in the error
	}{
		{"no collections", nil, []string{"no collections"}},
		{"nil collection", []Collection{films, nil}, []string{"nil", "1"}},
		{"zero AnyCollection", []Collection{catalogue.AnyCollection{}}, []string{"nil", "0"}},
		{"invalid description", []Collection{without}, []string{"papers", "segment"}},
		{"a collection twice", []Collection{films, films}, []string{"films"}},
		{"a segment twice", []Collection{films, renamed}, []string{"films", "movies"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			h, err := NewHandler(test.collections, Options{})
			if !errors.Is(err, ErrInvalidConfig) || h != nil {
				t.Fatalf("NewHandler: error %v, want ErrInvalidConfig", err)
			}
			for _, name := range test.names {
				if !strings.Contains(err.Error(), name) {
					t.Errorf("error %q does not name %s", err, name)
				}
			}
		})
	}
}

func TestNewHandlerCopiesSlice(t *testing.T) {
	all := allCollections(nil)
	h, err := NewHandler(all, Options{})
	if err != nil {
		t.Fatal(err)
	}
	clear(all)
	if got := get(h, "/api/books/"); got.Status != 200 {
		t.Errorf("%d after the slice was cleared, want 200", got.Status)
	}
}

func TestNotFound(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	want := answer{404, viewHeader("", "", len(notFound)), notFound}
	delete(want.Header, "Vary")
	delete(want.Header, "Allow")
	for _, target := range []string{
		"/", "/api/nope", "/api/nope/", "/api/events/1/", "/api/events/abc", "/api/events/1",
		"/api//events/", "//api/events/", "/api/events//", "/API/events/", "/api/Events/",
		"/api/itemVariants/", "/api/item-variants/", "/api/events/../labels/", "/api/%FF/",
		"/favicon.ico", "/api/nope/?format=xml", "/api/news.json", "/api/news.json/", "/api/.json",
		"/api/events%00/", "/api/events%20/", "/api%2Fevents%2F%2F", "/apis", "/ap", "//",
	} {
		for _, method := range []string{"GET", "DELETE", "OPTIONS", "POST"} {
			if diff := cmp.Diff(want, call{method: method, target: target, header: accept("text/html")}.do(h)); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", method, target, diff)
			}
		}
	}
	want.Body = ""
	if diff := cmp.Diff(want, call{method: "HEAD", target: "/api/nope/"}.do(h)); diff != "" {
		t.Errorf("HEAD (-want +got):\n%s", diff)
	}
}

func TestMissingSlash(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	tests := []struct {
		reason, method, target string
		status                 int
		location               string
	}{
		{"a collection", "GET", "/api/events", 301, "/api/events/"},
		{"the root", "GET", "/api", 301, "/api/"},
		{"query is kept", "GET", "/api/events?limit=2&x=%20a&y=b%zz", 301, "/api/events/?limit=2&x=%20a&y=b%zz"},
		{"query that needs escapes", "GET", "/api/events?a[0]=\"<é>\\^`{|}#?/", 301, "/api/events/?a[0]=%22%3C%C3%A9%3E%5C%5E%60%7B%7C%7D%23?/"},
		{"empty query", "GET", "/api/events?", 301, "/api/events/"},
		{"head", "HEAD", "/api/events", 301, "/api/events/"},
		{"post", "POST", "/api/events", 308, "/api/events/"},
		{"put", "PUT", "/api/events", 308, "/api/events/"},
		{"delete", "DELETE", "/api/labels", 308, "/api/labels/"},
		{"options", "OPTIONS", "/api/labels", 308, "/api/labels/"},
		{"underscore", "GET", "/api/item_variants", 301, "/api/item_variants/"},
		{"unknown format", "GET", "/api/events?format=xml", 301, "/api/events/?format=xml"},
		{"unnecessary escapes", "GET", "/api/event%73?offset=%E2%80%837", 301, "/api/events/?offset=%E2%80%837"},
		{"more than 1,000 parameters", "GET", "/api?" + strings.Repeat("&", 1000), 301, "/api/?" + strings.Repeat("&", 1000)},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			want := answer{Status: test.status, Header: map[string]string{
				"Content-Type":           "text/html; charset=utf-8",
				"Location":               test.location,
				"Content-Length":         "0",
				"X-Content-Type-Options": "nosniff",
				"Referrer-Policy":        "same-origin",
			}}
			got := call{method: test.method, target: test.target, header: accept("text/html")}.do(h)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEscapedPaths(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	for _, target := range []string{"/api/carts%2F", "/api%2Fcarts/", "/%61pi/carts/", "/api/%63arts/"} {
		if got := get(h, target); got.Status != 200 || got.Body != emptyPage {
			t.Errorf("%s: %d %s, want an empty page", target, got.Status, got.Body)
		}
	}
}

func TestTooManyParameters(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	tests := []struct {
		reason, query string
		status        int
	}{
		{"1,000 parameters", strings.Repeat("a=1&", 999) + "b=1", 200},
		{"1,001 parameters", strings.Repeat("a=1&", 1000) + "b=1", 400},
		{"1,001 empty parameters", strings.Repeat("&", 1000), 400},
		{"1,000 empty parameters", strings.Repeat("&", 999), 200},
		{"1,001 parameters and an unknown format", strings.Repeat("&", 1000) + "format=xml", 400},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := get(h, "/api/news/?"+test.query)
			if got.Status != test.status {
				t.Errorf("%d, want %d", got.Status, test.status)
			}
			if got.Status == 400 && (!strings.Contains(got.Body, "1000") || got.Header["Allow"]+got.Header["Vary"] != "") {
				t.Errorf("%+v does not name the limit, or has Allow or Vary", got)
			}
		})
	}
}

func TestConcurrentRequests(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: Bearer("s")}, map[string]Collection{"news": newCollection(3)})
	want := get(h, "/api/labels/?ordering=id")
	done := make(chan answer)
	for range 8 {
		go func() { done <- get(h, "/api/labels/?ordering=id") }()
		go func() { done <- (call{method: "OPTIONS", target: "/api/labels/"}).do(h) }()
	}
	same := 0
	for range 16 {
		if cmp.Equal(want, <-done) {
			same++
		}
	}
	if same != 8 {
		t.Errorf("%d of 8 responses are as expected", same)
	}
}

func TestInvalidOptions(t *testing.T) {
	tests := []struct {
		reason string
		opts   Options
		want   string
	}{
		{"base URL", Options{BaseURL: "x.example"}, `BaseURL "x.example" is not an absolute http or https URL`},
		{"base URL that cannot be parsed", Options{BaseURL: "http://x example"}, "BaseURL: parse"},
		{"proxy", Options{TrustedProxies: make([]netip.Prefix, 1)}, "TrustedProxies: invalid prefix"},
		{"unknown key", Options{Order: []string{"books", "film"}}, `Order: there is no collection "film"`},
		{"repeated key", Options{Order: []string{"books", "faqs", "books"}}, `Order has "books" twice`},
		{"Cache-Control", Options{CacheControl: "no-cache\r\nX: y"}, `CacheControl "no-cache\r\nX: y"`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			h, err := NewHandler(allCollections(nil), test.opts)
			if !errors.Is(err, ErrInvalidConfig) || h != nil || !strings.HasPrefix(err.Error(), ErrInvalidConfig.Error()+": "+test.want) {
				t.Errorf("NewHandler = %v, %v, want ErrInvalidConfig: %s", h, err, test.want)
			}
		})
	}
}

func TestBaseURL(t *testing.T) {
	h := newTestHandler(t, Options{BaseURL: `HTTPS://x.example/größe/"//`}, nil)
	const want = "https://x.example/gr%C3%B6%C3%9Fe/%22"
	if got := h.Served().BaseURL; got != want {
		t.Errorf("BaseURL = %q, want %q", got, want)
	}
	if got := get(h, "/api").Header["Location"]; got != want+"/api/" {
		t.Errorf("Location = %q, want %q", got, want+"/api/")
	}
}

func TestOrder(t *testing.T) {
	for _, test := range []struct {
		reason string
		order  []string
		want   string // beginning of the listing
	}{
		{"order of the document", nil, `{"attribute-types":`},
		{"two come first", []string{"faqs", "books"}, `{"faqs":"http://host.example/api/faqs/?format=api","books":"http://host.example/api/books/?format=api","attribute-types":`},
	} {
		h := newTestHandler(t, Options{Order: test.order}, nil)
		if got := get(h, "/api/").Body; !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s, want %s…", test.reason, got, test.want)
		}
		if got := strings.Count(get(h, "/api/").Body, "/api/"); got != 39 {
			t.Errorf("%s: %d collections, want 39", test.reason, got)
		}
	}
}

// Served agrees with the responses of the handler.
func TestServed(t *testing.T) {
	h := newTestHandler(t, Options{
		Authorizer: AllowAll, BaseURL: "https://x.example/shop/", Limits: pagination.Limits{Default: 7},
	}, map[string]Collection{"events": newCollection(0)})
	served := h.Served()
	for _, s := range served.Collections {
		if s.Tagged || served.Tagged {
			t.Errorf("%s: Tagged = true without Options.ETags", s.Path)
		}
	}
	tagging := newTestHandler(t, Options{ETags: true, AuthorizeReads: true, Authorizer: AllowAll}, map[string]Collection{"events": &revisionedCollection{fake: newCollection(0)}})
	for _, s := range append(tagging.Served().Collections, ServedCollection{Path: "/api/", Tagged: tagging.Served().Tagged}) {
		if got := get(tagging, s.Path).Header["Etag"]; (got != "") != s.Tagged {
			t.Errorf("%s: ETag %q, Tagged = %v", s.Path, got, s.Tagged)
		}
	}
	var paths, keys []string
	for _, s := range served.Collections {
		paths, keys = append(paths, s.Path), append(keys, s.Description.Key)
		if key := s.Collection.Description().Key; key != s.Description.Key {
			t.Errorf("%s: the Collection is %s", s.Path, key)
		}
		got := call{method: "POST", target: s.Path}.do(h).Status
		if allowed := got != 405; allowed != s.Actions.Has(schema.Create) {
			t.Errorf("POST %s: %d, Actions = %b", s.Path, got, s.Actions)
		}
	}
	var wantPaths, wantKeys []string
	for _, c := range documented() {
		wantPaths, wantKeys = append(wantPaths, "/api/"+c.Segment+"/"), append(wantKeys, c.Key)
	}
	if diff := cmp.Diff(wantPaths, paths) + cmp.Diff(wantKeys, keys); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	served.Collections = nil
	want := Served{Root: "/api/", BaseURL: "https://x.example/shop", Limits: pagination.Limits{Default: 7}}
	if diff := cmp.Diff(want, served); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !tagging.Served().AuthorizesReads {
		t.Error("AuthorizesReads = false with Options.AuthorizeReads")
	}
}

func TestMount(t *testing.T) {
	h := newTestHandler(t, Options{}, map[string]Collection{"books": newCollection(2)})
	for _, prefix := range []string{"", "/shop", "/a/b", "/größe"} {
		mux := http.NewServeMux()
		if err := Mount(mux, prefix, h); err != nil {
			t.Fatalf("%q: %v", prefix, err)
		}
		escaped := (&url.URL{Path: prefix}).EscapedPath()
		if got := get(mux, escaped+"/api"); got.Status != 301 || got.Header["Location"] != escaped+"/api/" {
			t.Errorf("%q: %d to %q, want 301 to the slash", prefix, got.Status, got.Header["Location"])
		}
		if got := (call{method: "POST", target: escaped + "/api?x"}).do(mux); got.Status != 308 || got.Header["Location"] != escaped+"/api/?x" {
			t.Errorf("%q: POST: %d to %q, want 308 to the slash", prefix, got.Status, got.Header["Location"])
		}
		if got := get(mux, escaped+"/api/"); got.Status != 200 || !strings.Contains(got.Body, `"http://host.example`+escaped+`/api/books/?format=api"`) {
			t.Errorf("%q: the root is %d %s", prefix, got.Status, got.Body)
		}
		if got, want := next(get(mux, escaped+"/api/books/?limit=1")), "http://host.example"+escaped+"/api/books/?limit=1&offset=1"; got != want {
			t.Errorf("%q: next %q, want %q", prefix, got, want)
		}
		if got := get(mux, escaped+"/api/nope/"); got.Status != 404 || got.Body != notFound {
			t.Errorf("%q: unknown path: %d %s, want 404", prefix, got.Status, got.Body)
		}
		if got := get(mux, "/elsewhere/"); got.Body == notFound {
			t.Errorf("%q: the handler is registered outside the prefix", prefix)
		}
		// The mux redirects to clean paths itself.
		if got := get(mux, escaped+"//api/books/"); got.Status/100 != 3 {
			t.Errorf("%q: two slashes: %d, want a redirect", prefix, got.Status)
		}
	}
}

func TestMountErrors(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	taken := http.NewServeMux()
	taken.Handle("/api/", h)
	tests := []struct {
		reason  string
		mux     *http.ServeMux
		prefix  string
		handler http.Handler
	}{
		{"nil mux", nil, "", h},
		{"nil handler", http.NewServeMux(), "", nil},
		{"pattern taken", taken, "", h},
		{"no slash", http.NewServeMux(), "shop", h},
		{"only a slash", http.NewServeMux(), "/", h},
		{"slash at the end", http.NewServeMux(), "/shop/", h},
		{"two slashes", http.NewServeMux(), "/a//b", h},
		{"dots", http.NewServeMux(), "/a/../b", h},
		{"host", http.NewServeMux(), "x.example/shop", h},
		{"method", http.NewServeMux(), "GET /shop", h},
		{"wildcard", http.NewServeMux(), "/{shop}", h},
		{"escape", http.NewServeMux(), "/%73hop", h},
		{"space", http.NewServeMux(), "/my shop", h},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			if err := Mount(test.mux, test.prefix, test.handler); !errors.Is(err, ErrInvalidConfig) {
				t.Errorf("Mount returns %v, want ErrInvalidConfig", err)
			}
		})
	}
}

func TestServer(t *testing.T) {
	mux := http.NewServeMux()
	if err := Mount(mux, "/shop", newTestHandler(t, Options{}, map[string]Collection{"books": newCollection(50)})); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mux)
	defer server.Close()
	res, err := http.Head(server.URL + "/shop/api/books")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	want := len(get(http.StripPrefix("/shop", newTestHandler(t, Options{BaseURL: server.URL + "/shop"}, map[string]Collection{"books": newCollection(50)})), "/shop/api/books/").Body)
	if res.StatusCode != 200 || res.ContentLength != int64(want) {
		t.Errorf("HEAD after the redirect: %d with length %d, want 200 with %d", res.StatusCode, res.ContentLength, want)
	}
}

func TestNewErrors(t *testing.T) {
	if _, err := New(nil, Options{}); !errors.Is(err, ErrInvalidConfig) {
		t.Errorf("New(nil) returns %v, want ErrInvalidConfig", err)
	}
	if _, err := New(mustNew(), Options{BaseURL: "shop"}); !errors.Is(err, ErrInvalidConfig) {
		t.Errorf("New with an invalid base URL returns %v, want ErrInvalidConfig", err)
	}
}

// When the largest id is in use, a POST results in 409 and stores nothing, even if the
// collection wraps that of a catalogue.
func TestLargestID(t *testing.T) {
	const event = `{"name":"N","slug":"s","startDate":"2026-05-10T18:00:00Z","endDate":"2026-05-10T20:00:00Z"}`
	type wrapped struct{ catalogue.AnyCollection }
	for _, wrap := range []bool{false, true} {
		for _, last := range []int{math.MaxInt - 1, math.MaxInt} {
			house := mustNew()
			if _, err := mustIn(resources.Events, house).Insert(resources.Event{ID: last}); err != nil {
				t.Fatal(err)
			}
			var all []Collection
			for _, c := range house.All() {
				if wrap {
					all = append(all, wrapped{c})
				} else {
					all = append(all, c)
				}
			}
			var reported []error
			h, err := NewHandler(all, Options{
				Authorizer: AllowAll,
				OnError:    func(_ *http.Request, err error) { reported = append(reported, err) },
			})
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				r := httptest.NewRequest("POST", "/api/events/", strings.NewReader(event))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				reported = nil
				if h.ServeHTTP(w, r); last < math.MaxInt {
					if w.Code != 201 || len(reported) > 0 {
						t.Errorf("largest id %d: %d %s and errors %v, want 201 and none", last, w.Code, w.Body, reported)
					}
					last = math.MaxInt // the id just assigned
					continue
				}
				if want := fmt.Sprintf(`{"detail":"No id is left above %d."}`, math.MaxInt); w.Code != 409 || w.Body.String() != want {
					t.Errorf("%d %s, want 409 %s", w.Code, w.Body, want)
				}
				if len(reported) != 1 || !errors.Is(reported[0], catalogue.ErrInvalidID) {
					t.Errorf("OnError was called with %v, want ErrInvalidID", reported)
				}
			}
			if n := mustIn(resources.Events, house).Count(); n > 2 {
				t.Errorf("%d events, want at most 2", n)
			}
		}
	}
}

// TestKeysInURLs checks that keys and segments that are not plain ASCII are escaped in the
// root listing and in links, and that the links lead back.
func TestKeysInURLs(t *testing.T) {
	type film struct {
		ID int `json:"id"`
	}
	for _, test := range []struct{ reason, key, path string }{
		{"ASCII", "films", "/api/films/"},
		{"letters of other scripts", "películas-映画", "/api/pel%C3%ADculas-%E6%98%A0%E7%94%BB/"},
		{"quote", `a"b`, "/api/a%22b/"},
		{"backslash", `a\b`, "/api/a%5Cb/"},
		{"braces", `{a}`, "/api/%7Ba%7D/"},
		{"no character that Go prints", "a\U000e0001", "/api/a%F3%A0%80%81/"},
	} {
		films := catalogue.Define[film](test.key, catalogue.Options{})
		house, err := catalogue.New(films)
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		if err := house.Load(strings.NewReader(`{`+quotedText(test.key)+`:[{"id":1},{"id":2}]}`), catalogue.LoadOptions{}); err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		h, err := New(house, Options{Authorizer: AllowAll})
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		want := `{` + quotedText(test.key) + `:"http://host.example` + test.path + `"}`
		if _, body := send(h, "GET", "/api/", ""); body != want {
			t.Errorf("%s: the root is %s, want %s", test.reason, body, want)
		}
		var page struct{ Next string }
		_, body := send(h, "GET", test.path+"?limit=1", "")
		if err := json.Unmarshal([]byte(body), &page); err != nil || page.Next != "http://host.example"+test.path+"?limit=1&offset=1" {
			t.Errorf("%s: %v, next is %q", test.reason, err, page.Next)
		}
		next, err := url.Parse(page.Next)
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		if status, body := send(h, "GET", next.RequestURI(), ""); status != 200 || !strings.Contains(body, `{"id":2}`) {
			t.Errorf("%s: %s is %d %s", test.reason, next, status, body)
		}
	}
}

func quotedText(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// bare is a collection whose description has no Vary.
type bare struct{ Collection }

func (b bare) Description() schema.Description {
	d := b.Collection.Description()
	d.Vary = ""
	return d
}

// TestNoVary checks that an empty Vary is no header, and that one of middleware is kept.
func TestNoVary(t *testing.T) {
	house := newFilmHouse(t)
	films, err := house.Collection("films")
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewHandler([]Collection{bare{films}}, Options{ETags: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"GET", "OPTIONS", "DELETE"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "/api/films/", nil))
		if vary, ok := w.Header()["Vary"]; ok {
			t.Errorf("%s: Vary is %q", method, vary)
		}
	}
	w := httptest.NewRecorder()
	w.Header().Set("Vary", "Cookie")
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/films/", nil))
	if got := w.Header()["Vary"]; len(got) != 1 || got[0] != "Cookie" {
		t.Errorf("after middleware: Vary is %q", got)
	}
}
