package httpapi

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFormat(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	tests := []struct {
		reason, query string
		ok            bool
	}{
		{"json", "?format=json", true},
		{"api", "?format=api", true},
		{"blank", "?format=", true},
		{"without =", "?format", true},
		{"unknown", "?format=xml", false},
		{"html", "?format=html", false},
		{"upper case", "?format=JSON", false},
		{"space", "?format=api%20", false},
		{"list of formats", "?format=json,api", false},
		{"two formats, the last unknown", "?format=json&format=xml", false},
		{"two formats, the last known", "?format=xml&format=api", true},
		{"escaped parameter", "?%66ormat=%6Ason", true},
		{"name in upper case is another parameter", "?FORMAT=xml", true},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			want := answer{200, viewHeader("Accept", readMethods, len(emptyPage)), emptyPage}
			if !test.ok {
				want = answer{404, viewHeader("Accept", readMethods, len(notFound)), notFound}
			}
			got := get(h, "/api/news/"+test.query)
			want.Header["Content-Length"] = fmt.Sprint(len(want.Body))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The rules of Accept are tested in package negotiation.
func TestAccept(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	tests := []struct {
		reason  string
		headers []string
		status  int
		body    string
	}{
		{"no header", nil, 200, emptyPage},
		{"empty header", []string{""}, 406, notAcceptable},
		{"anything", []string{"*/*"}, 200, emptyPage},
		{"JSON", []string{"application/json"}, 200, emptyPage},
		{"another type", []string{"text/html"}, 406, notAcceptable},
		{"header of a browser", []string{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}, 200, emptyPage},
		{"indent", []string{"application/json; indent=2"}, 200, indented(2)},
		{"indent above the maximum", []string{"*/*; indent=9"}, 200, indented(8)},
		{"two headers", []string{"text/html", "application/json;indent=1"}, 200, indented(1)},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			want := answer{test.status, viewHeader("Accept", readMethods, len(test.body)), test.body}
			got := call{target: "/api/news/", header: accept(test.headers...)}.do(h)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Accept %q (-want +got):\n%s", test.headers, diff)
			}
		})
	}
}

// The first check that fails determines the response.
func TestOrderOfChecks(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	tests := []struct {
		reason string
		call   call
		status int
	}{
		{"format before Accept", call{target: "/api/events/?format=xml", header: accept("text/html")}, 404},
		{"format before method", call{method: "PUT", target: "/api/events/?format=xml"}, 404},
		{"format before OPTIONS", call{method: "OPTIONS", target: "/api/events/?format=xml"}, 404},
		{"format before credentials", call{method: "POST", target: "/api/events/?format=xml", body: "{}"}, 404},
		{"format of the root", call{target: "/api/?format=xml"}, 404},
		{"known format does not replace Accept", call{target: "/api/events/?format=api", header: accept("text/html")}, 406},
		{"Accept before method", call{method: "PUT", target: "/api/events/", header: accept("text/html")}, 406},
		{"Accept before OPTIONS", call{method: "OPTIONS", target: "/api/labels/", header: accept("application/xml")}, 406},
		{"Accept before credentials", call{method: "POST", target: "/api/events/", header: accept("text/html"), body: "{}"}, 406},
		{"method before content type", call{method: "POST", target: "/api/labels/", header: http.Header{"Content-Type": {"text/plain"}}, body: "{bad"}, 405},
		{"method without credentials", call{method: "PUT", target: "/api/events/", body: "{}"}, 405},
		{"slash before format", call{target: "/api/events?format=xml"}, 301},
		{"slash before credentials", call{method: "POST", target: "/api/events", body: "{}"}, 308},
		{"path before format", call{method: "POST", target: "/api/nope/?format=xml", header: accept("text/html")}, 404},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			if got := test.call.do(h); got.Status != test.status {
				t.Errorf("%d %s, want %d", got.Status, got.Body, test.status)
			}
		})
	}
}

func TestMethodNotAllowed(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll}, nil)
	tests := []struct{ reason, method, path, vary, allow string }{
		{"events", "PUT", "/api/events/", authorizedVary, createMethods},
		{"social links", "PATCH", "/api/social-links/", "Accept", createMethods},
		{"delete", "DELETE", "/api/events/", authorizedVary, createMethods},
		{"post to a read-only collection", "POST", "/api/labels/", "Accept", readMethods},
		{"post to the root", "POST", "/api/", "Accept", readMethods},
		{"books", "DELETE", "/api/books/", "Accept", readMethods},
		{"trace", "TRACE", "/api/events/", authorizedVary, createMethods},
		{"unknown method", "FOO", "/api/events/", authorizedVary, createMethods},
		{"connect", "CONNECT", "/api/events/", authorizedVary, createMethods},
		{"lower case", "get", "/api/events/", authorizedVary, createMethods},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			body := `{"detail":"Method \"` + test.method + `\" not allowed."}`
			r := call{target: test.path, body: "{bad"}.request()
			r.Method = test.method
			want := answer{405, viewHeader(test.vary, test.allow, len(body)), body}
			if diff := cmp.Diff(want, serve(h, r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// HEAD returns the status and headers of GET, including the length, and no body.
func TestHead(t *testing.T) {
	h := newTestHandler(t, Options{}, map[string]Collection{"events": newCollection(50)})
	for _, target := range []string{"/api/events/?limit=1", "/api/events/", "/api/events/?format=xml", "/api/nope/",
		"/api/", "/api", "/api/labels/?" + strings.Repeat("&", 1000)} {
		for _, accepted := range []string{"*/*", "text/html", "*/*;indent=3"} {
			want := call{target: target, header: accept(accepted)}.do(h)
			want.Body = ""
			got := call{method: "HEAD", target: target, header: accept(accepted)}.do(h)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s (-GET +HEAD):\n%s", target, accepted, diff)
			}
		}
	}
}

// sized returns part repeated to a number of bytes.
func sized(part string, bytes int) string {
	return strings.Repeat(part, bytes/len(part)+1)[:bytes]
}

func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

// Each limit is tested at its value and one past it: the default, a configured one, and no
// limit. The detail of a rejection names the limit.
func TestBounds(t *testing.T) {
	post := func(body string) call {
		return call{method: "POST", target: "/api/events/", body: body, header: http.Header{"Content-Type": {"application/json"}}}
	}
	orderBy := func(terms int) call {
		return call{target: "/api/books/?ordering=" + strings.TrimSuffix(strings.Repeat("name,", terms), ",")}
	}
	const books = "/api/books/?"
	tests := []struct {
		reason string
		opts   Options
		set    func(*bounds) // may be nil
		call   call
		status int
		limit  string // in the detail, or ""
	}{
		{"default terms", Options{}, nil, orderBy(100), 200, ""},
		{"one term too many", Options{}, nil, orderBy(101), 400, "100"},
		{"only commas", Options{}, nil, call{target: books + "ordering=" + sized(",", 100)}, 400, "100"},
		{"escaped commas", Options{}, nil, call{target: books + "ordering=" + sized("%2C", 300)}, 400, "100"},
		{"unknown names", Options{}, nil, call{target: books + "ordering=" + sized("x,", 200)}, 400, "100"},
		{"only the last ordering counts", Options{}, nil, call{target: books + "ordering=" + sized(",", 100) + "&ordering=name"}, 200, ""},
		{"HEAD with too many terms", Options{}, nil, call{method: "HEAD", target: orderBy(101).target}, 400, ""},
		{"terms at the root are ignored", Options{}, nil, call{target: "/api/?ordering=" + sized(",", 200)}, 200, ""},
		{"terms of OPTIONS are ignored", Options{}, nil, call{method: "OPTIONS", target: orderBy(101).target}, 200, ""},
		{"terms as set", Options{}, func(b *bounds) { b.terms = 1 }, orderBy(1), 200, ""},
		{"a term more than set", Options{}, func(b *bounds) { b.terms = 1 }, orderBy(2), 400, "1"},
		{"no limit of terms", Options{}, func(b *bounds) { b.terms = math.MaxInt; b.query = math.MaxInt }, orderBy(3000), 200, ""},

		{"default parameters", Options{}, nil, call{target: books + sized("a&", 1999)}, 200, ""},
		{"one parameter too many", Options{}, nil, call{target: books + sized("a&", 2000)}, 400, "1000"},
		{"parameters as set", Options{}, func(b *bounds) { b.parameters = 2 }, call{target: books + "a&b"}, 200, ""},
		{"a parameter more than set", Options{}, func(b *bounds) { b.parameters = 2 }, call{target: books + "a&b&c"}, 400, "2"},
		{"one limit and one offset do not count", Options{}, func(b *bounds) { b.parameters = 2 }, call{target: books + "a&limit=1&offset=0&b"}, 200, ""},
		{"a second limit counts", Options{}, func(b *bounds) { b.parameters = 2 }, call{target: books + "a&limit=1&limit=1&b"}, 400, "2"},
		{"no limit of parameters", Options{}, func(b *bounds) { b.parameters = math.MaxInt; b.query = math.MaxInt }, call{target: books + sized("a&", 16000)}, 200, ""},

		{"default query", Options{}, nil, call{target: books + "x=" + sized("x", 16382)}, 200, ""},
		{"one limit and one offset do not count for the query", Options{}, func(b *bounds) { b.query = 5 }, call{target: books + "limit=10&a=123&offset=0000000"}, 200, ""},
		{"a second offset counts for the query", Options{}, func(b *bounds) { b.query = 5 }, call{target: books + "offset=1&offset=2"}, 414, "5"},
		{"query too long when escaped in links", Options{}, func(b *bounds) { b.query = 10 }, call{target: books + "a=%FF"}, 414, "10"},
		{"query at the limit when escaped in links", Options{}, func(b *bounds) { b.query = 11 }, call{target: books + "a=%FF"}, 200, ""},
		{"unescaped byte, too long in links", Options{}, func(b *bounds) { b.query = 7 }, call{target: books + "a=\x80"}, 414, "7"},
		{"unescaped byte, at the limit in links", Options{}, func(b *bounds) { b.query = 8 }, call{target: books + "a=\x80"}, 200, ""},
		{"unescaped byte, short query", Options{}, func(b *bounds) { b.query = 27 }, call{target: books + "a=\x80"}, 200, ""},
		{"one byte too many", Options{}, nil, call{target: books + sized("x", 16385)}, 414, "16384"},
		{"query of a redirect", Options{}, nil, call{target: "/api/books?" + sized("x", 16385)}, 414, "16384"},
		{"query of an unknown path", Options{}, nil, call{target: "/nope?" + sized("x", 16385)}, 414, "16384"},
		{"escapes count as sent", Options{}, func(b *bounds) { b.query = 5 }, call{target: books + "%41%41"}, 414, "5"},
		{"query as set", Options{}, func(b *bounds) { b.query = 5 }, call{target: books + "a=123"}, 200, ""},
		{"no query", Options{}, func(b *bounds) { b.query = 5 }, call{target: "/api/books/"}, 200, ""},
		{"no limit of the query", Options{}, func(b *bounds) { b.query = math.MaxInt }, call{target: books + sized("x", 1<<20)}, 200, ""},

		{"longest path", Options{}, nil, call{target: "/" + sized("x", 2047)}, 404, ""},
		{"path too long", Options{}, nil, call{target: "/" + sized("x", 2048)}, 414, "2048"},
		{"query is not part of the path", Options{}, nil, call{target: books + sized("/", 3000)}, 200, ""},

		{"default body", Options{}, nil, post(sized(" ", 1<<20)), 201, ""},
		{"body too large", Options{}, nil, post(sized(" ", 1<<20+1)), 413, "1048576"},
		{"body as set", Options{MaxBody: 2}, nil, post("{}"), 201, ""},
		{"body larger than set", Options{MaxBody: 2}, nil, post("{} "), 413, "2"},
		{"no limit of the body", Options{MaxBody: -1}, nil, post(sized(" ", 1<<20+1)), 201, ""},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			test.opts.Authorizer = AllowAll
			h := newTestHandler(t, test.opts, map[string]Collection{"books": newCollection(1)})
			if test.set != nil {
				test.set(&h.bounds)
			}
			got := test.call.do(h)
			if got.Status != test.status {
				t.Errorf("%d %.200s, want %d", got.Status, got.Body, test.status)
			}
			words := strings.FieldsFunc(got.Body, func(r rune) bool { return r == ' ' || r == ':' })
			if test.limit != "" && (!strings.HasPrefix(got.Body, `{"detail":"`) || !slices.Contains(words, test.limit)) {
				t.Errorf("%.200s does not name %s", got.Body, test.limit)
			}
		})
	}
}

// If a query is accepted, so are those of its links, although they are longer.
func TestBoundsOfLinks(t *testing.T) {
	for reason, query := range map[string]string{
		"escaped in links":   sized("\xff", 1820),
		"name without value": sized("x", 16383),
		"as many as allowed": sized("a&", 1999),
	} {
		h := newTestHandler(t, Options{}, map[string]Collection{"books": newCollection(60)})
		target := "/api/books/?" + query
		for seen := 0; target != ""; {
			got := call{target: target}.do(h)
			var page struct {
				Next    string
				Results []json.RawMessage
			}
			if err := json.Unmarshal([]byte(got.Body), &page); err != nil || got.Status != 200 {
				t.Fatalf("%s: after %d records: %d %.200s, %v", reason, seen, got.Status, got.Body, err)
			}
			if seen += len(page.Results); page.Next == "" && seen != 60 {
				t.Errorf("%s: %d records, want 60", reason, seen)
			}
			target = strings.TrimPrefix(page.Next, "http://testserver")
		}
	}
}

// Unescaped bytes from 0x80 are interpreted as Latin-1 in links, and escaped unchanged in
// the target of a redirect.
func TestUnescapedBytes(t *testing.T) {
	tests := []struct{ reason, query, link, location string }{
		{"last ASCII byte", "a=\x7f", "a=%7F", "a=%7F"},
		{"first byte that is not ASCII", "a=\x80", "a=%C2%80", "a=%80"},
		{"second byte that is not ASCII", "a=\x81", "a=%C2%81", "a=%81"},
		{"last byte", "a=\xff", "a=%C3%BF", "a=%FF"},
		{"in a name", "\x80=a", "%C2%80=a", "%80=a"},
		{"between others", "a=b\x80c", "a=b%C2%80c", "a=b%80c"},
		{"after an escape", "a=%80\x80", "a=%EF%BF%BD%C2%80", "a=%80%80"},
		{"in UTF-8", "a=\xc2\x80", "a=%C3%82%C2%80", "a=%C2%80"},
	}
	h := newTestHandler(t, Options{}, map[string]Collection{"books": newCollection(2)})
	for _, test := range tests {
		r := call{target: "/api/books/"}.request()
		r.URL.RawQuery = test.query + "&limit=1"
		r.RequestURI += "?" + r.URL.RawQuery
		got := serve(h, r)
		var page struct{ Next string }
		err := json.Unmarshal([]byte(got.Body), &page)
		_, query, _ := strings.Cut(page.Next, "?")
		params := strings.Split(query, "&")
		if got.Status != 200 || err != nil || !slices.Contains(params, test.link) {
			t.Errorf("%s: %d, %v, next is %s, want %s in it", test.reason, got.Status, err, page.Next, test.link)
		}
		r.URL.Path = "/api/books"
		if got, want := serve(h, r).Header["Location"], "/api/books/?"+test.location+"&limit=1"; got != want {
			t.Errorf("%s: redirected to %s, want %s", test.reason, got, want)
		}
	}
}

// A router may let the client choose the prefix, which every link contains.
func TestLongPrefix(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	anywhere := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := strings.Index(r.URL.Path, "/api/")
		http.StripPrefix(r.URL.Path[:i], h).ServeHTTP(w, r)
	})
	tests := []struct {
		reason string
		part   string
		length int // of the prefix
		status int
	}{
		{"longest prefix", "/a", 2048 - len("/api/"), 200},
		{"one byte more", "/a", 2048 - len("/api/") + 1, 414},
		{"very long prefix", "/\"", 1 << 20, 414},
		{"longest prefix that needs escapes", "\"", (2048 - len("//api/")) / 3, 200},
		{"one byte more that needs escapes", "\"", (2048-len("//api/"))/3 + 1, 414},
	}
	for _, test := range tests {
		prefix := sized(test.part, test.length)
		if test.part == "\"" {
			prefix = "/" + prefix
		}
		r := call{target: "/"}.request()
		r.URL.Path, r.RequestURI = prefix+"/api/", prefix+"/api/"
		got := serve(anywhere, r)
		if got.Status != test.status || len(got.Body) > 1<<18 {
			t.Errorf("%s: %d with %d bytes, want %d", test.reason, got.Status, len(got.Body), test.status)
		}
		if test.status == 414 && !strings.Contains(got.Body, " 2048 ") {
			t.Errorf("%s: %s does not name the limit", test.reason, got.Body)
		}
	}
}

// A query that is too long is rejected before it is parsed.
func TestRefusedQueryAllocations(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	for reason, query := range map[string]string{
		"length":     sized("%FF&", 1<<20),
		"parameters": sized("&", 16000),
	} {
		r := call{target: "/api/books/"}.request()
		r.URL.RawQuery = query
		w := &discard{http.Header{}}
		if allocs := testing.AllocsPerRun(10, func() { h.ServeHTTP(w, r) }); allocs > 10 {
			t.Errorf("%s: %v allocations, want at most 10", reason, allocs)
		}
	}
}

const (
	common        = `"renders":["application/json"],"parses":["application/json"]`
	eventsOptions = `{"name":"Event List","description":"",` + common
	eventsActions = `,"actions":{"POST":{"id":{"type":"integer","required":false,"readOnly":true,"label":"ID"},"name":{"type":"string","required":true,"readOnly":false,"label":"Name"},"slug":{"type":"slug","required":true,"readOnly":false,"label":"Slug"},"summary":{"type":"string","required":false,"readOnly":false,"label":"Summary"},"description":{"type":"string","required":false,"readOnly":false,"label":"Description"},"location":{"type":"string","required":false,"readOnly":false,"label":"Location"},"startDate":{"type":"datetime","required":true,"readOnly":false,"label":"Start date"},"endDate":{"type":"datetime","required":true,"readOnly":false,"label":"End date"},"published":{"type":"boolean","required":false,"readOnly":false,"label":"Published"},"poster":{"type":"url","required":false,"readOnly":false,"label":"Poster"},"posterWebp":{"type":"url","required":false,"readOnly":false,"label":"Poster webp"},"labels":{"type":"field","required":false,"readOnly":false,"label":"Labels"},"authors":{"type":"field","required":false,"readOnly":false,"label":"Authors"}}}`
	linksOptions  = `{"name":"Social Link List","description":"",` + common
	linksActions  = `,"actions":{"POST":{"id":{"type":"integer","required":false,"readOnly":true,"label":"ID"},"title":{"type":"string","required":true,"readOnly":false,"label":"Title"},"url":{"type":"url","required":true,"readOnly":false,"label":"Url"},"logo":{"type":"url","required":false,"readOnly":false,"label":"Logo"},"type":{"type":"string","required":true,"readOnly":false,"label":"Type"},"author":{"type":"field","required":true,"readOnly":false,"label":"Author"}}}`
)

func TestOptions(t *testing.T) {
	denied := newTestHandler(t, Options{}, nil)
	allowed := newTestHandler(t, Options{Authorizer: AllowAll}, nil)
	token := newTestHandler(t, Options{Authorizer: Bearer("secret")}, nil)
	readOnly := newTestHandler(t, Options{Authorizer: AllowAll}, map[string]Collection{"events": newCollection(0)})
	tests := []struct {
		reason      string
		handler     http.Handler
		target      string
		credentials string
		vary, allow string
		body        string
	}{
		{"events, all may post", allowed, "/api/events/", "", authorizedVary, createMethods, eventsOptions + eventsActions + "}"},
		{"events, none may post", denied, "/api/events/", "", authorizedVary, createMethods, eventsOptions + "}"},
		{"events, without the token", token, "/api/events/", "", authorizedVary, createMethods, eventsOptions + "}"},
		{"events, with a wrong token", token, "/api/events/", "Bearer x", authorizedVary, createMethods, eventsOptions + "}"},
		{"events, with the token", token, "/api/events/", "Bearer secret", authorizedVary, createMethods, eventsOptions + eventsActions + "}"},
		{"events that are read-only", readOnly, "/api/events/", "", authorizedVary, readMethods, eventsOptions + "}"},
		{"social links", allowed, "/api/social-links/?format=api", "", "Accept", createMethods, linksOptions + linksActions + "}"},
		{"labels", allowed, "/api/labels/?limit=5&ordering=x&zzz", "", "Accept", readMethods, `{"name":"Label List","description":"",` + common + "}"},
		{"item variants", allowed, "/api/item_variants/", "", "Accept", readMethods, `{"name":"Item Variant List","description":"",` + common + "}"},
		{"root", allowed, "/api/", "", "Accept", readMethods, `{"name":"Api Root","description":"The default basic root view for DefaultRouter",` + common + "}"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			c := call{method: "OPTIONS", target: test.target}
			if test.credentials != "" {
				c.header = http.Header{"Authorization": {test.credentials}}
			}
			want := answer{200, viewHeader(test.vary, test.allow, len(test.body)), test.body}
			if diff := cmp.Diff(want, c.do(test.handler)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
