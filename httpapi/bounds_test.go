package httpapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

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
		call   call
		status int
		limit  string // in the detail, or ""
	}{
		{"default terms", Options{}, orderBy(100), 200, ""},
		{"one term too many", Options{}, orderBy(101), 400, "100"},
		{"only commas", Options{}, call{target: books + "ordering=" + sized(",", 100)}, 400, "100"},
		{"escaped commas", Options{}, call{target: books + "ordering=" + sized("%2C", 300)}, 400, "100"},
		{"unknown names", Options{}, call{target: books + "ordering=" + sized("x,", 200)}, 400, "100"},
		{"only the last ordering counts", Options{}, call{target: books + "ordering=" + sized(",", 100) + "&ordering=name"}, 200, ""},
		{"HEAD with too many terms", Options{}, call{method: "HEAD", target: orderBy(101).target}, 400, ""},
		{"terms at the root are ignored", Options{}, call{target: "/api/?ordering=" + sized(",", 200)}, 200, ""},
		{"terms of OPTIONS are ignored", Options{}, call{method: "OPTIONS", target: orderBy(101).target}, 200, ""},
		{"terms as set", Options{Bounds: Bounds{Terms: 1}}, orderBy(1), 200, ""},
		{"a term more than set", Options{Bounds: Bounds{Terms: 1}}, orderBy(2), 400, "1"},
		{"no limit of terms", Options{Bounds: Bounds{Terms: -1, Query: -1}}, orderBy(3000), 200, ""},

		{"default parameters", Options{}, call{target: books + sized("a&", 1999)}, 200, ""},
		{"one parameter too many", Options{}, call{target: books + sized("a&", 2000)}, 400, "1000"},
		{"parameters as set", Options{Bounds: Bounds{Parameters: 2}}, call{target: books + "a&b"}, 200, ""},
		{"a parameter more than set", Options{Bounds: Bounds{Parameters: 2}}, call{target: books + "a&b&c"}, 400, "2"},
		{"one limit and one offset do not count", Options{Bounds: Bounds{Parameters: 2}}, call{target: books + "a&limit=1&offset=0&b"}, 200, ""},
		{"a second limit counts", Options{Bounds: Bounds{Parameters: 2}}, call{target: books + "a&limit=1&limit=1&b"}, 400, "2"},
		{"no limit of parameters", Options{Bounds: Bounds{Parameters: -1, Query: -1}}, call{target: books + sized("a&", 16000)}, 200, ""},

		{"default query", Options{}, call{target: books + "x=" + sized("x", 16382)}, 200, ""},
		{"one limit and one offset do not count for the query", Options{Bounds: Bounds{Query: 5}}, call{target: books + "limit=10&a=123&offset=0000000"}, 200, ""},
		{"a second offset counts for the query", Options{Bounds: Bounds{Query: 5}}, call{target: books + "offset=1&offset=2"}, 414, "5"},
		{"query too long when escaped in links", Options{Bounds: Bounds{Query: 10}}, call{target: books + "a=%FF"}, 414, "10"},
		{"query at the limit when escaped in links", Options{Bounds: Bounds{Query: 11}}, call{target: books + "a=%FF"}, 200, ""},
		{"unescaped byte, too long in links", Options{Bounds: Bounds{Query: 7}}, call{target: books + "a=\x80"}, 414, "7"},
		{"unescaped byte, at the limit in links", Options{Bounds: Bounds{Query: 8}}, call{target: books + "a=\x80"}, 200, ""},
		{"unescaped byte, short query", Options{Bounds: Bounds{Query: 27}}, call{target: books + "a=\x80"}, 200, ""},
		{"one byte too many", Options{}, call{target: books + sized("x", 16385)}, 414, "16384"},
		{"query of a redirect", Options{}, call{target: "/api/books?" + sized("x", 16385)}, 414, "16384"},
		{"query of an unknown path", Options{}, call{target: "/nope?" + sized("x", 16385)}, 414, "16384"},
		{"escapes count as sent", Options{Bounds: Bounds{Query: 5}}, call{target: books + "%41%41"}, 414, "5"},
		{"query as set", Options{Bounds: Bounds{Query: 5}}, call{target: books + "a=123"}, 200, ""},
		{"no query", Options{Bounds: Bounds{Query: 5}}, call{target: "/api/books/"}, 200, ""},
		{"no limit of the query", Options{Bounds: Bounds{Query: -1}}, call{target: books + sized("x", 1<<20)}, 200, ""},

		{"longest path", Options{}, call{target: "/" + sized("x", 2047)}, 404, ""},
		{"path too long", Options{}, call{target: "/" + sized("x", 2048)}, 414, "2048"},
		{"query is not part of the path", Options{}, call{target: books + sized("/", 3000)}, 200, ""},

		{"default body", Options{}, post(sized(" ", 1<<20)), 201, ""},
		{"body too large", Options{}, post(sized(" ", 1<<20+1)), 413, "1048576"},
		{"body as set", Options{Bounds: Bounds{Body: 2}}, post("{}"), 201, ""},
		{"body larger than set", Options{Bounds: Bounds{Body: 2}}, post("{} "), 413, "2"},
		{"no limit of the body", Options{Bounds: Bounds{Body: -1}}, post(sized(" ", 1<<20+1)), 201, ""},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			test.opts.Authorizer = AllowAll
			h := newTestHandler(t, test.opts, map[string]Collection{"books": newCollection(1)})
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
