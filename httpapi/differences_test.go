package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// The deliberate differences from Django REST framework in the package documentation. The
// recorded requests do not cover them.

const (
	event  = `"slug":"s","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00+02:00"`
	link   = `{"title":"T","url":"https://x.example/","type":"instagram","author":2}`
	denied = `{"detail":"Authentication credentials were not provided."}`
)

type difference struct {
	row      string
	opts     httpapi.Options
	method   string
	target   string
	headers  map[string]string
	body     string
	status   int
	contains []string          // parts of the body
	want     map[string]string // headers; "" if absent
}

func TestDifferences(t *testing.T) {
	open := httpapi.Options{Authorizer: httpapi.AllowAll}
	proxied := httpapi.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")}} // the client of httptest
	post := map[string]string{"Content-Type": "application/json"}
	nines := strings.Repeat("9", 4301)
	for _, d := range []difference{
		{row: "largest limit: lowered in links", opts: httpapi.Options{Limits: pagination.Limits{Max: 5}},
			target: "/api/books/?limit=7", status: 200, contains: []string{`/api/books/?limit=5&offset=5"`}},
		{row: "largest limit: default", target: "/api/books/?limit=1001&offset=1", status: 200,
			contains: []string{`"previous":"http://host.example/api/books/?limit=1000"`}},
		{row: "largest limit: turned off", opts: httpapi.Options{Limits: pagination.Limits{Max: -1}},
			target: "/api/books/?limit=5000&offset=1", status: 200, contains: []string{`"previous":"http://host.example/api/books/?limit=5000"`}},

		{row: "limit text: no underscores", target: "/api/books/?limit=1_0", status: 200, contains: []string{"limit=21&offset=21"}},
		{row: "limit text: ASCII digits only", target: "/api/books/?limit=%D9%A3", status: 200, contains: []string{"limit=21&offset=21"}},
		{row: "limit text: sign and white space", target: "/api/books/?limit=%20%2B7%0A", status: 200, contains: []string{"limit=7&offset=7"}},
		{row: "limit text: too large", target: "/api/books/?limit=" + nines, status: 200, contains: []string{`"next":null`}},
		{row: "offset text: too large", target: "/api/books/?offset=99999999999999999999", status: 200,
			contains: []string{`limit=21&offset=9223372036854775786"`}},

		{row: "POST without an authorizer", method: "POST", target: "/api/events/", headers: post, body: `{}`, status: 403, contains: []string{denied}},

		{row: "date-times: offset is kept", opts: open, method: "POST", target: "/api/events/", headers: post, status: 201,
			body:     `{"name":"N","slug":"s","startDate":"2024-05-10T18:00:00Z","endDate":"2024-05-10T18:00:00.5-05:30"}`,
			contains: []string{`"startDate":"2024-05-10T18:00:00Z"`, `"endDate":"2024-05-10T18:00:00.500000-05:30"`}},
		{row: "date-times: without an offset", opts: open, method: "POST", target: "/api/events/", headers: post, status: 400,
			body:     `{"name":"N","slug":"s","startDate":"2024-05-10T18:00:00","endDate":"2024-05-10T20:00:00Z"}`,
			contains: []string{`{"startDate":["`, "offset"}},

		{row: "date-times: end of the year 9999", opts: open, method: "POST", target: "/api/events/", headers: post, status: 201,
			body:     `{"name":"N","slug":"s","startDate":"9999-12-31T23:59:59Z","endDate":"9999-12-31T23:59:59-12:00"}`,
			contains: []string{`"startDate":"9999-12-31T23:59:59Z"`, `"endDate":"9999-12-31T23:59:59-12:00"`}},
		{row: "numbers in text: ids without underscores", opts: open, method: "POST", target: "/api/events/", headers: post, status: 400,
			body: `{"name":"N","labels":["1_0"],` + event + `}`, contains: []string{`{"labels":["`}},
		{row: "numbers in text: dates in ASCII", opts: open, method: "POST", target: "/api/events/", headers: post, status: 400,
			body:     `{"name":"N","slug":"s","startDate":"２０２４-05-10T18:00:00Z","endDate":"2024-05-10T20:00:00Z"}`,
			contains: []string{`{"startDate":["`}},
		{row: "numbers in text: ports in ASCII", opts: open, method: "POST", target: "/api/events/", headers: post, status: 400,
			body: `{"name":"N","poster":"https://x.example:８０/",` + event + `}`, contains: []string{`{"poster":["Enter a valid URL."]}`}},
		{row: "URL: no second check in punycode", opts: open, method: "POST", target: "/api/events/", headers: post, status: 400,
			body: `{"name":"N","poster":"https://😀.example/",` + event + `}`, contains: []string{`{"poster":["Enter a valid URL."]}`}},
		{row: "two spellings of a name: the last counts", opts: open, method: "POST", target: "/api/events/", headers: post, status: 201,
			body:     `{"name":"N",` + event + `,"start_date":"x","startDate":"2024-05-11T18:00:00Z"}`,
			contains: []string{`"startDate":"2024-05-11T18:00:00Z"`}},

		{row: "unknown path: JSON", target: "/api/nope/", status: 404, contains: []string{`{"detail":"Not found."}`},
			want: map[string]string{"Content-Type": "application/json", "Allow": "", "Vary": ""}},
		{row: "missing slash: 301 for GET", target: "/api/events?x=%20a", status: 301, want: map[string]string{"Location": "/api/events/?x=%20a"}},
		{row: "missing slash: 301 for HEAD", method: "HEAD", target: "/api/events", status: 301, want: map[string]string{"Location": "/api/events/"}},
		{row: "missing slash: 308 for POST", method: "POST", target: "/api/events", headers: post, body: "{}", status: 308, want: map[string]string{"Location": "/api/events/"}},
		{row: "missing slash: 308 for OPTIONS", method: "OPTIONS", target: "/api/labels", status: 308, want: map[string]string{"Location": "/api/labels/"}},
		{row: "format suffixes: not served", target: "/api/events.json", status: 404, contains: []string{"Not found."}},
		{row: "Location of a created link", opts: open, method: "POST", target: "/api/social-links/", headers: post, body: link, status: 201,
			contains: []string{`"url":"https://x.example/"`}, want: map[string]string{"Location": ""}},
		{row: "renders", method: "OPTIONS", target: "/api/news/", status: 200, contains: []string{`"renders":["application/json"],`}},
		{row: "JSON syntax error", opts: open, method: "POST", target: "/api/events/", headers: post, body: `{"a":1,}`, status: 400,
			contains: []string{`{"detail":"JSON parse error - `, "line 1"}},
		{row: "NaN: 400", opts: open, method: "POST", target: "/api/events/", headers: post, body: `{"name":NaN,` + event + `}`, status: 400,
			contains: []string{`{"detail":"JSON parse error - `}},
		{row: "Infinity: 400", opts: open, method: "POST", target: "/api/events/", headers: post, body: `{"name":-Infinity,` + event + `}`, status: 400,
			contains: []string{`{"detail":"JSON parse error - `}},

		{row: "preconditions: ignored without tags", opts: open, method: "POST", target: "/api/social-links/", status: 201, body: link,
			headers: map[string]string{"Content-Type": "application/json", "If-Match": `"x"`, "If-None-Match": "*"}},
		{row: "preconditions: evaluated with tags", opts: httpapi.Options{ETags: true}, target: "/api/books/", status: 412,
			headers: map[string]string{"If-Match": `"x"`}, contains: []string{`{"detail":"Precondition failed: `}},
		{row: "Content-Encoding: 415", opts: open, method: "POST", target: "/api/social-links/", status: 415, body: link,
			headers:  map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"},
			contains: []string{`{"detail":"Unsupported content encoding \"gzip\" in request."}`}, want: map[string]string{"Accept-Encoding": "identity"}},

		{row: "Host: invalid", target: "/api/", headers: map[string]string{"Host": "a b"}, status: 400, contains: []string{`{"detail":"`}},
		{row: "Host: ignored with a base URL", opts: httpapi.Options{BaseURL: "https://x.example/shop"}, target: "/api/books/",
			headers: map[string]string{"Host": "a b"}, status: 200, contains: []string{`"https://x.example/shop/api/books/?limit=21&offset=21"`}},
		{row: "forwarded: no trusted proxies", target: "/api/books/", status: 200,
			headers:  map[string]string{"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "Forwarded": "host=evil.example;proto=https"},
			contains: []string{`"http://host.example/api/books/?limit=21&offset=21"`}},

		{row: "forwarded: last value of a trusted proxy", opts: proxied, target: "/api/books/", status: 200,
			headers:  map[string]string{"X-Forwarded-Host": "evil.example, shop.example", "X-Forwarded-Proto": "https"},
			contains: []string{`"https://shop.example/api/books/?limit=21&offset=21"`}},
		{row: "forwarded: no prefix without the option", opts: proxied, target: "/api/books/", status: 200,
			headers: map[string]string{"X-Forwarded-Prefix": "/shop"}, contains: []string{`"http://host.example/api/books/?limit=21&offset=21"`}},
		{row: "forwarded: invalid host", opts: proxied, target: "/api/", headers: map[string]string{"X-Forwarded-Host": "a b"}, status: 400,
			contains: []string{`{"detail":"`, "X-Forwarded-Host"}},
		{row: "forwarded: invalid scheme", opts: proxied, target: "/api/", headers: map[string]string{"X-Forwarded-Proto": "gopher"}, status: 400,
			contains: []string{`{"detail":"`, "X-Forwarded-Proto"}},
		{row: "forwarded: headers that differ", opts: proxied, target: "/api/", status: 400, contains: []string{`{"detail":"`, "differ"},
			headers: map[string]string{"X-Forwarded-Host": "a.example", "Forwarded": "host=b.example"}},

		{row: "pathological: 1,001 parameters", target: "/api/news/?" + strings.Repeat("a=1&", 1000) + "b=1", status: 400, contains: []string{`{"detail":"`, "1000"}},
		{row: "pathological: deep JSON", opts: open, method: "POST", target: "/api/events/", headers: post, body: strings.Repeat("[", 100_000), status: 400,
			contains: []string{`{"detail":"`}},
		{row: "pathological: huge body", opts: open, method: "POST", target: "/api/events/", headers: post, body: strings.Repeat(" ", 1<<20+1), status: 413,
			contains: []string{`{"detail":"`, "1048576"}},

		{row: "ordering: 101 terms", target: "/api/books/?ordering=" + strings.Repeat("name,", 100) + "id", status: 400, contains: []string{`{"detail":"`, "100"}},
		{row: "query: longer than 16 KiB", target: "/api/books/?q=" + strings.Repeat("x", 16<<10), status: 414, contains: []string{`{"detail":"`, "16384"}},
		{row: "path: longer than 2 KiB", target: "/" + strings.Repeat("x", 2<<10), status: 414, contains: []string{`{"detail":"`, "2048"}},
		{row: "failure of the program", opts: httpapi.Options{Authorizer: func(*http.Request, string, schema.Actions) error { panic("oops") }}, method: "POST",
			target: "/api/events/", status: 500, contains: []string{`{"detail":"Internal server error."}`}},

		{row: "number for text: digits as sent", opts: open, method: "POST", target: "/api/events/", headers: post, body: `{"name":1e22,"summary":-0,"location":1.50,` + event + `}`, status: 201,
			contains: []string{`"name":"1e22"`, `"summary":"-0"`, `"location":"1.50"`}},
		{row: "number for text: beyond a float64", opts: open, method: "POST", target: "/api/events/", headers: post, body: `{"name":1e999,` + event + `}`, status: 400,
			contains: []string{`{"name":["Not a valid string."]}`}},

		{row: "method not allowed without credentials: 405", opts: httpapi.Options{Authorizer: httpapi.Bearer("secret")}, method: "PUT", target: "/api/events/", status: 405,
			contains: []string{`Method \"PUT\" not allowed.`}},
		{row: "POST to a read-only collection: 405", opts: httpapi.Options{Authorizer: httpapi.Bearer("secret")}, method: "POST", target: "/api/labels/", status: 405,
			contains: []string{`Method \"POST\" not allowed.`}},
		{row: "wrong credentials on a read: ignored", opts: httpapi.Options{Authorizer: httpapi.Bearer("secret")}, target: "/api/news/",
			headers: map[string]string{"Authorization": "Bearer wrong"}, status: 200, contains: []string{`"count":0`}},
	} {
		t.Run(d.row, func(t *testing.T) { d.run(t) })
	}
}

func (d difference) run(t *testing.T) {
	if d.method == "" {
		d.method = http.MethodGet
	}
	r := httptest.NewRequest(d.method, d.target, strings.NewReader(d.body))
	r.Host = "host.example"
	for name, value := range d.headers {
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	dataset(t, d.opts).ServeHTTP(w, r)
	if w.Code != d.status {
		t.Errorf("status %d, want %d", w.Code, d.status)
	}
	for _, part := range d.contains {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("%s is missing in %.300s", part, w.Body)
		}
	}
	for name, want := range d.want {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// readAll returns all records of a collection, given its path with an ordering.
func readAll(t *testing.T, path string) []map[string]any {
	t.Helper()
	return readAllFrom(t, dataset(t, httpapi.Options{}), path)
}

func readAllFrom(t *testing.T, handler http.Handler, path string) []map[string]any {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "http://host.example"+path+"&limit=1000", nil))
	var page struct{ Results []map[string]any }
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
		t.Fatal(err)
	}
	return page.Results
}

// Ties are broken by id, in the direction of the leading term.
func TestDifferenceTies(t *testing.T) {
	for path, down := range map[string]bool{"/api/events/?ordering=published": false, "/api/events/?ordering=-published": true} {
		events := readAll(t, path)
		for i := 1; i < len(events); i++ {
			a, b := events[i-1], events[i]
			if a["published"] == b["published"] && (a["id"].(float64) > b["id"].(float64)) != down {
				t.Errorf("%s: id %v before %v", path, a["id"], b["id"])
			}
		}
	}
}

// Ordering by a list of ids compares the lists and returns each record once.
func TestDifferenceLists(t *testing.T) {
	var lists [][]int
	seen := map[float64]bool{}
	for _, e := range readAll(t, "/api/events/?ordering=labels") {
		if id := e["id"].(float64); seen[id] {
			t.Errorf("event %v appears twice", id)
		} else {
			seen[id] = true
		}
		list := []int{}
		for _, id := range e["labels"].([]any) {
			list = append(list, int(id.(float64)))
		}
		lists = append(lists, list)
	}
	if len(lists) != 90 || !slices.IsSortedFunc(lists, slices.Compare) {
		t.Errorf("%d events in the wrong order by labels: %v", len(lists), lists)
	}
}

// Decimals written as text in an open record are ordered by their bytes, unless the
// collection has a key function for them.
func TestDifferenceDecimals(t *testing.T) {
	var prices []string
	for _, b := range readAll(t, "/api/books/?ordering=price") {
		prices = append(prices, b["price"].(string))
	}
	if len(prices) != 60 || !slices.IsSorted(prices) || !slices.Contains(prices, "100.99") || !slices.Contains(prices, "9.90") {
		t.Errorf("%d prices not by their bytes: %v", len(prices), fmt.Sprint(prices))
	}
}

// TestDecimalKeys checks that a key function orders prices by value.
func TestDecimalKeys(t *testing.T) {
	data, err := os.ReadFile("testdata/dataset.json")
	if err != nil {
		t.Fatal(err)
	}
	house, err := catalogue.NewWith(catalogue.Define[schema.Record]("books", catalogue.Options{
		Keys: []ordering.KeyFunc{ordering.FieldKey("price", ordering.Decimal)},
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := house.Load(bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	handler, err := httpapi.New(house, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for path, down := range map[string]bool{"/api/books/?ordering=price": false, "/api/books/?ordering=-price": true} {
		books := readAllFrom(t, handler, path)
		if len(books) != 60 {
			t.Fatalf("%s: %d books", path, len(books))
		}
		for i := 1; i < len(books); i++ {
			a, b := books[i-1], books[i]
			if down {
				a, b = b, a
			}
			pa, _ := strconv.ParseFloat(a["price"].(string), 64)
			pb, _ := strconv.ParseFloat(b["price"].(string), 64)
			if pa > pb || pa == pb && a["id"].(float64) > b["id"].(float64) {
				t.Errorf("%s: id %v with %v and id %v with %v in the wrong order", path, a["id"], pa, b["id"], pb)
			}
		}
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
