package httpapi

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
)

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

// TestETagKey checks that handlers with the same key have the same tags of pages, and that those
// with other keys, or none, have others. The tag of a record is the same in all handlers.
func TestETagKey(t *testing.T) {
	tag := func(target, key string, revision uint64) string {
		films := newStub(50)
		films.revision = revision
		return tagOf(t, newStubHandler(t, Options{ETags: true, ETagKey: key}, films), call{target: target})
	}
	for _, test := range []struct {
		reason, target string
		key            string
		revision       uint64
		equal          bool
	}{
		{"same key and revision", "/api/films/?offset=21", "house", 7, true},
		{"other revision", "/api/films/?offset=21", "house", 8, false},
		{"other key", "/api/films/?offset=21", "housf", 7, false},
		{"no key", "/api/films/?offset=21", "", 7, false},
		{"the root", "/api/", "house", 8, true},
		{"the root, other key", "/api/", "housf", 7, false},
		{"a record", "/api/films/1/", "", 8, true},
	} {
		if got, base := tag(test.target, test.key, test.revision), tag(test.target, "house", 7); (got == base) != test.equal {
			t.Errorf("%s: tags %s and %s, want equal: %t", test.reason, got, base, test.equal)
		}
	}
	if a, b := tag("/api/films/", "", 7), tag("/api/films/", "", 7); a == b {
		t.Errorf("two handlers without a key have the tag %s", a)
	}
}

// A 304 needs no List and few allocations.
func TestNotModified(t *testing.T) {
	lists := 0
	films := newStub(50)
	films.on = func(_ context.Context, method string) error {
		if method == "List" {
			lists++
		}
		return nil
	}
	h := newStubHandler(t, Options{ETags: true}, films)
	c := call{target: "/api/films/?offset=20"}
	c.header = ifNoneMatch(tagOf(t, h, c))
	lists = 0
	r, w := c.request(), newDiscard()
	got := testing.AllocsPerRun(100, func() { clear(w.header); h.ServeHTTP(w, r) })
	if got > 3 || lists > 0 { // two tags and a value
		t.Errorf("%v allocations and %d calls of List, want at most 3 and none", got, lists)
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
		h := mustHandler(t, newSmallCatalogue(t), Options{Authorizer: AllowAll, ETags: true})
		r := call{method: method, target: "/api/genres/1/", body: "{}"}.request()
		r.Header.Set("If-Match", tagOf(t, h, call{target: "/api/genres/1/"}))
		r.ContentLength, r.Body = -1, io.NopCloser(&writingBody{strings.NewReader(`{"name":"mine"}`), func() {
			if status, body := send(h, "PATCH", "/api/genres/1/", `{"name":"theirs"}`); status != 200 {
				t.Error(status, body)
			}
		}})
		if got := serve(h, r); got.Status != 412 {
			t.Errorf("%s after another write: %d %s, want 412", method, got.Status, got.Body)
		}
		if got := get(h, "/api/genres/1/"); !strings.Contains(got.Body, `"theirs"`) {
			t.Errorf("%s: the record is %s, want that of the other write", method, got.Body)
		}
	}
}

// A login has a password, which no response shows.
type login struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Password string `json:"password" backlist:"hidden,blank"`
}

// TestTagOfHiddenFields checks that a change of a hidden field changes the tag of a record, so that
// no update is lost, and that the tag does not depend on the value.
func TestTagOfHiddenFields(t *testing.T) {
	newLogins := func() catalogue.AnyCollection {
		c := mustCatalogue(t, catalogue.Define[login]("logins", catalogue.Options{}))
		logins, err := c.Collection("logins")
		if err == nil {
			err = logins.Load(strings.NewReader(`[{"id":1,"name":"ann","password":"a"},{"id":2,"name":"bob","password":"b"}]`), catalogue.LoadOptions{})
		}
		must(t, err)
		return logins
	}
	opts := Options{Authorizer: AllowAll, ETags: true, ETagKey: "key"}
	const target, patch, mine = "/api/logins/1/", `{"password":"theirs"}`, `{"password":"mine","name":"ann"}`
	for _, test := range []struct {
		reason, between, body string // a PATCH of another client
		method, path          string
		accept                http.Header
		status                int
	}{
		{"nothing changed", "", "", "PATCH", target, nil, 200},
		{"a hidden field changed: PATCH", target, patch, "PATCH", target, nil, 412},
		{"a hidden field changed: PUT", target, patch, "PUT", target, nil, 412},
		{"a hidden field changed: DELETE", target, patch, "DELETE", target, nil, 412},
		{"another record changed: the revision is that of the collection", "/api/logins/2/", patch, "PATCH", target, nil, 412},
		{"the tag of another indentation", "", "", "DELETE", target, accept("application/json; indent=2"), 204},
	} {
		h := newStubHandler(t, opts, newLogins())
		header := http.Header{"If-Match": {tagOf(t, h, call{target: test.path, header: test.accept})}}
		if test.between != "" {
			if status, body := send(h, "PATCH", test.between, test.body); status != 200 {
				t.Fatal(status, body)
			}
		}
		if got := (call{test.method, test.path, header, mine}).do(h); got.Status != test.status {
			t.Errorf("%s: %d %s, want %d", test.reason, got.Status, got.Body, test.status)
		}
	}
	a, b := newStubHandler(t, opts, newLogins()), newStubHandler(t, opts, newLogins())
	for h, password := range map[*Handler]string{a: "x", b: "y"} {
		got := call{"PATCH", target, nil, `{"password":"` + password + `"}`}.do(h)
		if tag := got.Header["Etag"]; got.Status != 200 || tag != "" {
			t.Errorf("PATCH: %d with tag %q, want 200 without one", got.Status, tag)
		}
	}
	if a, b := tagOf(t, a, call{target: target}), tagOf(t, b, call{target: target}); a != b {
		t.Errorf("the tags of records with different passwords are %s and %s, want equal ones", a, b)
	}
	tag := tagOf(t, a, call{target: target})
	if got := (call{target: target, header: ifNoneMatch(tag)}).do(a); got.Status != 304 {
		t.Errorf("If-None-Match with the tag: %d, want 304", got.Status)
	}
	wrapped := newStubHandler(t, opts, struct{ catalogue.AnyCollection }{newLogins()})
	if got := (call{target: target}).do(wrapped); got.Status != 200 || got.Header["Etag"] != "" {
		t.Errorf("without a Revisioner: %d with tag %q, want 200 without one", got.Status, got.Header["Etag"])
	}
	if got := (call{"PATCH", target, http.Header{"If-Match": {tag}}, mine}).do(wrapped); got.Status != 412 {
		t.Errorf("without a Revisioner, If-Match: %d, want 412", got.Status)
	}
}

// TestTagsOfLinks checks that pages have different tags if their links or their forms differ.
func TestTagsOfLinks(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} // of httptest.NewRequest
	h := newStubHandler(t, Options{ETags: true, ETagKey: "k", TrustedProxies: proxies}, newStub(2))
	seen := map[string]string{}
	for reason, change := range map[string]func(*http.Request){
		"plain":           func(*http.Request) {},
		"another host":    func(r *http.Request) { r.Host = "b.example:81" },
		"TLS":             func(r *http.Request) { r.TLS = new(tls.ConnectionState) },
		"a prefix":        func(r *http.Request) { r.RequestURI = "/a" + r.RequestURI },
		"a proxy":         func(r *http.Request) { r.Header.Set("X-Forwarded-Host", "a.example") },
		"another proxy":   func(r *http.Request) { r.Header.Set("X-Forwarded-Host", "c.example") },
		"another query":   func(r *http.Request) { r.URL.RawQuery += "&a=b" },
		"an indented one": func(r *http.Request) { r.Header.Set("Accept", "*/*;indent=1") },
	} {
		r := call{target: "/api/films/?limit=1"}.request()
		change(r)
		got := serve(h, r)
		tag := got.Header["Etag"]
		if other, twice := seen[tag]; got.Status != 200 || tag == "" || twice {
			t.Errorf("%s: %d with the tag %s, as %s", reason, got.Status, tag, other)
		}
		seen[tag] = reason
	}
}
