package httpapi

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// vector is a recorded request with the response of the reference server.
type vector struct {
	Tag     string
	Request struct {
		Method, Target string
		Headers        map[string]string
		Body           *recordedBody
	}
	Want struct {
		Status  int
		Headers map[string]string
		Body    *recordedBody
		Page    *recordedPage
	}
}

type recordedBody struct {
	Text   *string
	Base64 []byte
}

func (b *recordedBody) bytes() []byte {
	if b == nil {
		return nil
	}
	if b.Text != nil {
		return []byte(*b.Text)
	}
	return b.Base64
}

type recordedPage struct {
	Count          int
	Next, Previous *string
	IDs            []int
	SHA256         string
}

// unmet lists the lines of vectors that differ, each with the reason from the differences
// in the package documentation.
var unmet = map[int]string{}

const vectorBase = "http://host.example"

// TestVectors replays all recorded requests in order and compares the responses byte by
// byte.
func TestVectors(t *testing.T) {
	handler := dataset(t, Options{Authorizer: AllowAll})
	file, err := os.Open("testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewReader(file)
	replayed := 0
	for line := 1; ; line++ {
		text, err := lines.ReadBytes('\n')
		if err == io.EOF && len(text) == 0 {
			break
		}
		var v vector
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatalf("line %d: %v", line, err)
		}
		diff := ""
		for range times(v) {
			diff += compare(v, replay(handler, v))
		}
		if reason, ok := unmet[line]; ok {
			t.Logf("line %d is not met: %s", line, reason)
			continue
		}
		replayed++
		if diff != "" {
			t.Errorf("line %d, %s: %s %s %v\n%s", line, v.Tag, v.Request.Method, v.Request.Target, v.Request.Headers, diff)
		}
	}
	if replayed+len(unmet) != 1159 {
		t.Errorf("replayed %d of 1159 vectors, %d not met", replayed, len(unmet))
	}
}

// dataset returns a handler of the recorded data set.
func dataset(t *testing.T, opts Options) http.Handler {
	t.Helper()
	data, err := os.ReadFile("testdata/dataset.json")
	if err != nil {
		t.Fatal(err)
	}
	house := mustNew()
	if err := house.Load(bytes.NewReader(data), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := house.Check(); err != nil {
			t.Error(err)
		}
	})
	handler, err := New(house, opts)
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// times returns the number of times that a request is sent. Reads are repeated, since the
// catalogue builds arrays for parts of an index that are read often.
func times(v vector) int {
	if v.Request.Method == http.MethodGet || v.Request.Method == http.MethodHead {
		return 3
	}
	return 1
}

func replay(handler http.Handler, v vector) *httptest.ResponseRecorder {
	r := httptest.NewRequest(v.Request.Method, v.Request.Target, bytes.NewReader(v.Request.Body.bytes()))
	r.Host = strings.TrimPrefix(vectorBase, "http://")
	for name, value := range v.Request.Headers {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// compare returns the differences between a response and the recorded one.
func compare(v vector, w *httptest.ResponseRecorder) string {
	var diffs []string
	add := func(what, diff string) {
		if diff != "" {
			diffs = append(diffs, what+": -want +got\n"+diff)
		}
	}
	body := strings.ReplaceAll(w.Body.String(), vectorBase, "{base}")
	add("status", cmp.Diff(v.Want.Status, w.Code))
	for name, want := range v.Want.Headers {
		got := strings.Join(w.Header().Values(name), ", ")
		if name == "Content-Type" {
			got, _, _ = strings.Cut(got, ";")
		}
		add(name, cmp.Diff(want, got))
	}
	if v.Want.Body != nil {
		add("body", cmp.Diff(string(v.Want.Body.bytes()), body))
	}
	if page := v.Want.Page; page != nil {
		if sum := sha256.Sum256([]byte(body)); hex.EncodeToString(sum[:]) != page.SHA256 {
			add("page", cmp.Diff(page, readPage(body, page.SHA256)))
			add("sha256", page.SHA256+" expected")
		}
	}
	return strings.Join(diffs, "")
}

// readPage returns what a vector records of a page, to show the differences.
func readPage(body, sum string) *recordedPage {
	var page struct {
		Count          int
		Next, Previous *string
		Results        []struct{ ID int }
	}
	if json.Unmarshal([]byte(body), &page) != nil {
		return nil
	}
	got := &recordedPage{Count: page.Count, Next: page.Next, Previous: page.Previous, SHA256: sum}
	for _, r := range page.Results {
		got.IDs = append(got.IDs, r.ID)
	}
	return got
}

// The deliberate differences from Django REST framework in the package documentation. The
// recorded requests do not cover them.

const (
	event  = `"slug":"s","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00+02:00"`
	link   = `{"title":"T","url":"https://x.example/","type":"instagram","author":2}`
	denied = `{"detail":"Authentication credentials were not provided."}`
)

type difference struct {
	row      string
	opts     Options
	method   string
	target   string
	headers  map[string]string
	body     string
	status   int
	contains []string          // parts of the body
	want     map[string]string // headers; "" if absent
}

func TestDifferences(t *testing.T) {
	open := Options{Authorizer: AllowAll}
	proxied := Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")}} // the client of httptest
	post := map[string]string{"Content-Type": "application/json"}
	nines := strings.Repeat("9", 4301)
	for _, d := range []difference{
		{row: "largest limit: lowered in links", opts: Options{Limits: pagination.Limits{Max: 5}},
			target: "/api/books/?limit=7", status: 200, contains: []string{`/api/books/?limit=5&offset=5"`}},
		{row: "largest limit: default", target: "/api/books/?limit=1001&offset=1", status: 200,
			contains: []string{`"previous":"http://host.example/api/books/?limit=1000"`}},
		{row: "largest limit: turned off", opts: Options{Limits: pagination.Limits{Max: -1}},
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
		{row: "preconditions: evaluated with tags", opts: Options{ETags: true}, target: "/api/books/", status: 412,
			headers: map[string]string{"If-Match": `"x"`}, contains: []string{`{"detail":"Precondition failed: `}},
		{row: "Content-Encoding: 415", opts: open, method: "POST", target: "/api/social-links/", status: 415, body: link,
			headers:  map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"},
			contains: []string{`{"detail":"Unsupported content encoding \"gzip\" in request."}`}, want: map[string]string{"Accept-Encoding": "identity"}},

		{row: "Host: invalid", target: "/api/", headers: map[string]string{"Host": "a b"}, status: 400, contains: []string{`{"detail":"`}},
		{row: "Host: ignored with a base URL", opts: Options{BaseURL: "https://x.example/shop"}, target: "/api/books/",
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
		{row: "failure of the program", opts: Options{Authorizer: func(*http.Request, string, schema.Actions) error { panic("oops") }}, method: "POST",
			target: "/api/events/", status: 500, contains: []string{`{"detail":"Internal server error."}`}},

		{row: "number for text: digits as sent", opts: open, method: "POST", target: "/api/events/", headers: post, body: `{"name":1e22,"summary":-0,"location":1.50,` + event + `}`, status: 201,
			contains: []string{`"name":"1e22"`, `"summary":"-0"`, `"location":"1.50"`}},
		{row: "number for text: beyond a float64", opts: open, method: "POST", target: "/api/events/", headers: post, body: `{"name":1e999,` + event + `}`, status: 400,
			contains: []string{`{"name":["Not a valid string."]}`}},

		{row: "method not allowed without credentials: 405", opts: Options{Authorizer: Bearer("secret")}, method: "PUT", target: "/api/events/", status: 405,
			contains: []string{`Method \"PUT\" not allowed.`}},
		{row: "POST to a read-only collection: 405", opts: Options{Authorizer: Bearer("secret")}, method: "POST", target: "/api/labels/", status: 405,
			contains: []string{`Method \"POST\" not allowed.`}},
		{row: "wrong credentials on a read: ignored", opts: Options{Authorizer: Bearer("secret")}, target: "/api/news/",
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
	return readAllFrom(t, dataset(t, Options{}), path)
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
// collection has a key function for them, as the documented collections do.
func TestDifferenceDecimals(t *testing.T) {
	data, err := os.ReadFile("testdata/dataset.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		reason string
		books  catalogue.AnyDefinition
		value  func(price string) string // in the order of its bytes
	}{
		{"by their bytes", catalogue.Define[schema.Record]("books", catalogue.Options{}), func(price string) string { return price }},
		{"by their values", resources.Records("books"), func(price string) string { return fmt.Sprintf("%9s", price) }},
	} {
		house, err := resources.New(row.books)
		if err != nil {
			t.Fatal(err)
		}
		if err := house.Load(bytes.NewReader(data), catalogue.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		handler, err := New(house, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var up, down []float64
		var values []string
		for _, b := range readAllFrom(t, handler, "/api/books/?ordering=price") {
			values, up = append(values, row.value(b["price"].(string))), append(up, b["id"].(float64))
		}
		for _, b := range readAllFrom(t, handler, "/api/books/?ordering=-price") {
			down = append(down, b["id"].(float64))
		}
		slices.Reverse(down)
		if len(values) != 60 || !slices.IsSorted(values) || !slices.Equal(up, down) {
			t.Errorf("%d prices not %s: %q", len(values), row.reason, values)
		}
		if err := house.Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestDifferencesOfRecords checks the deliberate differences from Django REST framework
// in the documentation of records and filters.
func TestDifferencesOfRecords(t *testing.T) {
	const missing = `{"detail":"Not found."}`
	var words strings.Builder
	for i := range 101 {
		fmt.Fprintf(&words, "w%d+", i)
	}
	nan := `{"rating":["A valid number is required."]}`
	tests := []struct {
		row, method, target, body string
		status                    int
		contains                  string
	}{
		{"deleting a director who has films", "DELETE", "/api/directors/4/", "", 409, `{"detail":"The record cannot be deleted: director of films 40 refers to it."}`},
		{"it is still there", "GET", "/api/directors/4/", "", 200, `"id":4,`},
		{"id in a path: underscores", "GET", "/api/films/1_1/", "", 404, missing},
		{"id in a path: other digits", "GET", "/api/films/%D9%A1/", "", 404, missing},
		{"id in a path: NUL", "PATCH", "/api/films/7%00/", "{}", 404, missing},
		{"number in a filter: other digits", "GET", "/api/films/?minutes=%D9%A9%D9%A0", "", 400, `{"minutes":["Enter a number."]}`},
		{"number in a filter: underscores", "GET", "/api/films/?minutes__gte=9_0", "", 400, `{"minutes_Gte":["Enter a number."]}`},
		{"NaN as text", "PATCH", "/api/films/2/", `{"rating":"NaN"}`, 400, nan},
		{"infinity as text", "PATCH", "/api/films/2/", `{"rating":" -inf"}`, 400, nan},
		{"infinity as text", "PATCH", "/api/films/2/", `{"rating":"Infinity"}`, 400, nan},
		{"too large for a float64", "PATCH", "/api/films/2/", `{"rating":1e999}`, 400, nan},
		{"too large for a float64, as text", "PATCH", "/api/films/2/", `{"rating":"1e999"}`, 400, nan},
		{"NaN", "PATCH", "/api/films/2/", `{"rating":NaN}`, 400, `{"detail":"JSON parse error - `},
		{"negative zero", "PATCH", "/api/films/2/", `{"price":"-0"}`, 200, `"price":"0.00"`},
		{"negative zero as a float", "PATCH", "/api/films/2/", `{"rating":-0.0}`, 200, `"rating":0.0,`},
		{"integer: underscores", "PATCH", "/api/films/2/", `{"minutes":"1_0"}`, 400, `{"minutes":["A valid integer is required."]}`},
		{"float: underscores", "PATCH", "/api/films/2/", `{"rating":"1_0.5"}`, 400, nan},
		{"decimal: underscores", "PATCH", "/api/films/2/", `{"price":"1_0"}`, 400, `{"price":["A valid number is required."]}`},
		{"id with an exponent", "PATCH", "/api/films/2/", `{"director":1e5}`, 400, `{"director":["Invalid pk \"1e5\" - object does not exist."]}`},
		{"method in lower case", "patch", "/api/films/2/", "{}", 405, `{"detail":"Method \"patch\" not allowed."}`},
		{"path /", "GET", "/", "", 404, missing},
		{"too many words", "GET", "/api/films/?search=" + words.String(), "", 400, `{"search":["Too many words: at most 100 are allowed."]}`},
		{"reference: underscores", "PATCH", "/api/films/2/", `{"director":"1_2"}`, 400, `{"director":["Incorrect type. Expected pk value, received str."]}`},
		{"date-time: the offset is kept", "PATCH", "/api/films/2/", `{"premiereAt":"2024-05-10T18:00:00+02:00"}`, 200, `"premiereAt":"2024-05-10T18:00:00+02:00"`},
		{"date-time: without an offset", "PATCH", "/api/films/2/", `{"premiereAt":"2024-05-10T18:00:00"}`, 400, `{"premiereAt":["`},
		{"ordering by a list of ids: a record appears once", "GET", "/api/films/?ordering=genres&limit=1", "", 200, `"count":120,`},
		{"path below a record", "GET", "/api/films/2/x/", "", 404, missing},
		{"missing slash", "PUT", "/api/films/2", "{}", 308, ""},
	}
	h := recordedFilms(t)
	for _, test := range tests {
		status, body := send(h, test.method, test.target, test.body)
		if status != test.status || !strings.Contains(body, test.contains) {
			t.Errorf("%s: %s %s %s: %d %.200s, want %d and %s", test.row, test.method, test.target, test.body, status, body, test.status, test.contains)
		}
	}
}

// TestDifferencesOfFields checks the deliberate differences of kinds of fields that films
// do not have.
func TestDifferencesOfFields(t *testing.T) {
	type note struct {
		ID    int      `json:"id"`
		Tags  []string `json:"tags"`
		Count int      `json:"count" backlist:"default=0"`
		Label string   `json:"label" backlist:"unique,blank"`
	}
	house, err := catalogue.New(catalogue.Define[note]("notes", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	h := serveFilms(t, house)
	tests := []struct {
		row, body string
		status    int
		want      string
	}{
		{"list of strings: the messages of the first invalid item", `{"tags":["a",[],{}],"label":"x"}`, 400, `{"tags":["Not a valid string."]}`},
		{"integer without bounds: those of an int64", `{"count":9223372036854775808,"label":"x"}`, 400, `{"count":["Ensure this value is less than or equal to 9223372036854775807."]}`},
		{"an empty value of a unique field", `{"label":""}`, 201, `{"id":1,"tags":[],"count":0,"label":""}`},
		{"an empty value of a unique field: checked", `{"label":" "}`, 400, `{"label":["note with this label already exists."]}`},
		{"the default of a unique field: checked", `{}`, 400, `{"label":["note with this label already exists."]}`},
	}
	for _, test := range tests {
		if status, body := send(h, "POST", "/api/notes/", test.body); status != test.status || body != test.want {
			t.Errorf("%s: %d %s, want %d %s", test.row, status, body, test.status, test.want)
		}
	}
}

// TestDifferencesOfBodies checks how a body is read: the framework ignores one in chunks
// and decodes those of all charsets that Python knows.
func TestDifferencesOfBodies(t *testing.T) {
	h := recordedFilms(t)
	for _, test := range []struct {
		row, contentType string
		chunked          bool
	}{
		{"in chunks", "application/json", true},
		{"another charset", "application/json; charset=utf-16", false},
		{"an unknown charset", "application/json; charset=bogus", false},
	} {
		r := httptest.NewRequest("PATCH", "/api/films/2/", strings.NewReader(`{"title":"é `+test.row+`"}`))
		if test.chunked {
			r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(r.Body), -1, []string{"chunked"}
		}
		r.Header.Set("Content-Type", test.contentType)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if want := `"title":"é ` + test.row + `"`; w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %.200s, want 200 and %s", test.row, w.Code, w.Body, want)
		}
	}
}
