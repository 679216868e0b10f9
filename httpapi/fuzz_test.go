package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// validating returns a Create that validates bodies as the document describes.
func validating(t testing.TB, key string) func(body []byte) ([]byte, error) {
	collection, ok := descriptionOf(key)
	if !ok {
		t.Fatalf("no collection %s", key)
	}
	return func(body []byte) ([]byte, error) {
		record, err := collection.Validate(body, schema.Checks{Exists: func(_ string, id int) bool { return id < 10 }})
		if err != nil {
			return nil, err
		}
		return record.MarshalJSON()
	}
}

// FuzzRequest calls the handler with requests, including those that net/http would reject.
// No response is a 5xx, and every response with type JSON is JSON.
func FuzzRequest(f *testing.F) {
	const event = `{"name":"N","slug":"s","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00Z"}`
	f.Add("GET", "/api/events/", "limit=2&offset=1&ordering=-id", "*/*;indent=2", "", "host.example", "")
	f.Add("POST", "/api/events/", "format=api", "application/json", "application/json;charset=latin-1", "[::1]:80", event)
	f.Add("POST", "/api/social-links/", "", "", "*/*", "h", `{"author":1`)
	f.Add("OPTIONS", "/api/", "format=xml", "text/html", "", "h:1", "")
	f.Add("HEAD", "/api/books", "q=%zz;\xff&&", "", "", "h_", "")
	f.Add("\"<\xff", "/api/item_variants/", strings.Repeat("&", 1000), "*/*", "", "a b", "")
	f.Add("PUT", "/api/books/", "\r\n", "application/*;x=\"\\\"", "", "h", "\x00")
	h := newTestHandler(f, Options{Authorizer: AllowAll, MaxBody: 1000}, map[string]Collection{
		"events":       creatableCollection{newCollection(30), validating(f, "events")},
		"social-links": creatableCollection{newCollection(3), validating(f, "social-links")},
		"books":        newCollection(5),
	})
	f.Fuzz(func(t *testing.T, method, path, query, accepted, contentType, host, body string) {
		r := &http.Request{
			Method:     method,
			URL:        &url.URL{Path: path, RawQuery: query},
			Host:       host,
			RequestURI: path + "?" + query,
			Header:     http.Header{"Accept": {accepted}, "Content-Type": {contentType}},
			Body:       io.NopCloser(strings.NewReader(body)),
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		checkAnswer(t, method, rec)
	})
}

func checkAnswer(t *testing.T, method string, rec *httptest.ResponseRecorder) {
	t.Helper()
	header := rec.Header()
	if rec.Code >= 500 {
		t.Errorf("status %d: %s", rec.Code, rec.Body)
	}
	if method == http.MethodHead {
		if rec.Body.Len() > 0 {
			t.Errorf("body in the response to HEAD: %s", rec.Body)
		}
		return
	}
	if got := header.Get("Content-Length"); got != strconv.Itoa(rec.Body.Len()) {
		t.Errorf("Content-Length %s, body of %d bytes", got, rec.Body.Len())
	}
	if header.Get("Content-Type") == "application/json" && !json.Valid(rec.Body.Bytes()) {
		t.Errorf("not JSON: %q", rec.Body)
	}
	if isError := rec.Code >= 400; isError && rec.Code != 400 && !strings.Contains(rec.Body.String(), `"detail"`) {
		t.Errorf("%d without detail: %s", rec.Code, rec.Body)
	}
}

// initialRecords has labels and authors to refer to, and one record in each collection
// that can be posted to.
const initialRecords = `{"labels":[{"id":1},{"id":4}],"authors":[{"id":1},{"id":2}],
	"events":[{"id":3,"name":"n","slug":"s","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00+02:00"}],
	"social-links":[{"id":3,"title":"t","url":"https://x.example/","type":"x","author":1}]}`

// FuzzCreate posts bodies. A rejected body changes nothing. An accepted one adds one record
// with the posted members, and a GET returns the same record as the POST.
func FuzzCreate(f *testing.F) {
	const event = `"slug":"a-b","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00.5Z"`
	for _, body := range []string{
		`{"name":"N",` + event + `}`, "{\"name\":\"\u2003é\u00a0\"," + event + `}`, `{"name":" <é> \u2028","labels":[4,1],"authors":[2],"published":false,` + event + `}`,
		`{"name":"N","labels":[9],"poster":"x.png",` + event + `}`, `{"name":1.50,"summary":null,"start_date":"x",` + event + `}`,
		`{"title":"T","url":"https://x.example/?a=b","type":"blog","author":2}`, `{"title":"T","url":"x","type":"","author":"2"}`,
		`{}`, `[]`, `null`, ``, `{"a":`, "{\"name\":\"caf\xe9\"," + event + `}`, `{"name":"a","Name":"b",` + event + `}`,
	} {
		f.Add(true, "application/json", []byte(body))
		f.Add(false, "application/json;charset=latin-1", []byte(body))
	}
	f.Add(true, "text/plain", []byte("{}"))
	base := mustNew()
	if err := base.Load(strings.NewReader(initialRecords), catalogue.LoadOptions{}); err != nil {
		f.Fatal(err)
	}
	before := allRecords(f, base)
	f.Fuzz(func(t *testing.T, events bool, contentType string, body []byte) {
		house := base.Clone()
		handler, err := New(house, Options{Authorizer: AllowAll})
		if err != nil {
			t.Fatal(err)
		}
		path, remove := "/api/social-links/", mustIn(resources.SocialLinks, house).Delete
		if events {
			path, remove = "/api/events/", mustIn(resources.Events, house).Delete
		}
		r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
		r.Header["Content-Type"] = []string{contentType}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)

		switch w.Code {
		case http.StatusCreated:
			id := checkCreated(t, handler, path, w.Body.Bytes())
			if strings.EqualFold(contentType, "application/json") {
				comparePosted(t, body, w.Body.Bytes())
			}
			if err := remove(id); err != nil {
				t.Errorf("%s %d: %v", path, id, err)
			}
		case http.StatusBadRequest, http.StatusUnsupportedMediaType:
		default:
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
		if !json.Valid(w.Body.Bytes()) || w.Header().Get("Content-Length") != strconv.Itoa(w.Body.Len()) {
			t.Errorf("Content-Length %s of %q", w.Header().Get("Content-Length"), w.Body)
		}
		if diff := gocmp.Diff(before, allRecords(t, house)); diff != "" {
			t.Errorf("status %d: other records have changed (-want +got):\n%s", w.Code, diff)
		}
		if err := house.Check(); err != nil {
			t.Error(err)
		}
	})
}

// allRecords returns all records of a catalogue as JSON, without the last ids.
func allRecords(t testing.TB, house *catalogue.Catalogue) string {
	t.Helper()
	var b strings.Builder
	if err := house.Save(&b); err != nil {
		t.Fatal(err)
	}
	records, _, _ := strings.Cut(b.String(), `"$lastIds"`)
	return strings.TrimRight(records, "}\n,")
}

// checkCreated checks that the created record is stored after the one with id 3.
func checkCreated(t *testing.T, handler http.Handler, path string, created []byte) (id int) {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path+"?ordering=-id", nil))
	var page struct {
		Count   int
		Results []json.RawMessage
	}
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || page.Count != 2 || len(page.Results) != 2 {
		t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
	}
	if diff := gocmp.Diff(string(created), string(page.Results[0])); diff != "" {
		t.Errorf("GET (-created +got):\n%s", diff)
	}
	var record struct{ ID int }
	if err := json.Unmarshal(created, &record); err != nil || record.ID != 4 {
		t.Errorf("%s has id %d, want 4; %v", created, record.ID, err)
	}
	return record.ID
}

// comparePosted checks that the created record has the posted texts, trimmed, and the
// posted instants. It ignores bodies with escapes and members whose name
// appears twice, in any spelling, which package resources tests.
func comparePosted(t *testing.T, body, created []byte) {
	t.Helper()
	if bytes.ContainsRune(body, '\\') || !utf8.Valid(body) {
		return
	}
	var in, out map[string]any
	if json.Unmarshal(body, &in) != nil || json.Unmarshal(created, &out) != nil {
		t.Errorf("body %q was created as %q", body, created)
		return
	}
	flat := strings.ToLower(strings.ReplaceAll(string(body), "_", ""))
	for name, value := range in {
		posted, isText := value.(string)
		got, present := out[name].(string)
		if !isText || !present || strings.Count(flat, `"`+strings.ToLower(strings.ReplaceAll(name, "_", ""))+`"`) != 1 {
			continue
		}
		if name == "startDate" || name == "endDate" {
			compareInstants(t, name, posted, got)
		} else if want := strings.TrimFunc(posted, isBlank); got != want {
			t.Errorf("%s was posted as %q and created as %q", name, posted, got)
		}
	}
}

// compareInstants checks that two texts denote the same instant, to the microsecond. It
// ignores posted texts that package time cannot parse.
func compareInstants(t *testing.T, name, posted, got string) {
	t.Helper()
	want, err := time.Parse(time.RFC3339, posted)
	if err != nil {
		return
	}
	wire, err := time.Parse(time.RFC3339, got)
	if err != nil || !want.Truncate(time.Microsecond).Equal(wire) {
		t.Errorf("%s was posted as %s and created as %s: %v", name, posted, got, err)
	}
}

// isBlank reports what Python's str.isspace returns for one character.
func isBlank(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// FuzzRecordPath sends requests to any path and with any query below the films. No
// response may be a 5xx, and all bodies are JSON.
func FuzzRecordPath(f *testing.F) {
	for _, target := range []string{
		"2/?status=released", "7%00/", "%201/?minutes__gte=9e1", "1_1/?search=%C3%89,%20x", "?genres=1&genres=", "?released__isnull=TRUE&title__icontains=%25",
		"2/?status=bogus&minutes=x", "?minutes__lt=1e50", "999999999999999999999/", "1.0/", "%2F1/?director=%D9%A1", "?search=%00&search=%FF",
	} {
		f.Add("GET", target)
	}
	f.Add("DELETE", "3/?search=x")
	f.Add("OPTIONS", "3/?status=bogus")
	f.Fuzz(func(t *testing.T, method, tail string) {
		u, err := url.ParseRequestURI("/api/films/" + tail)
		if err != nil {
			t.Skip()
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.Method, r.URL, r.RequestURI = method, u, "/api/films/"+tail
		w := httptest.NewRecorder()
		recordedFilms(t).ServeHTTP(w, r)
		if body := w.Body.Bytes(); w.Code >= 500 || len(body) > 0 && !json.Valid(body) {
			t.Errorf("%s %q: %d %s", method, tail, w.Code, body)
		}
	})
}

// FuzzPartialBody sends any body as a PUT, a PATCH and a POST. After a 200 the record is
// the one in the response. After a 400 it is unchanged.
func FuzzPartialBody(f *testing.F) {
	for _, body := range []string{
		`{}`, ``, `null`, `[]`, `{"title":" U ","minutes":"90.0"}`, `{"price":"1E+6","rating":true}`, `{"genres":{"1":0}}`, `{"released":"2024-5-1","premiere_at":null}`,
		`{"title":"T","slug":"t","minutes":1,"price":"1","director":41}`, `{"rating":1e999}`, `{"rating":-0.0}`, `{"slug":"x","Slug":"y"}`, `{"id":9,"createdAt":null}`, `{"a":`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		h := recordedFilms(t)
		_, before := send(h, "GET", "/api/films/2/", "")
		for _, method := range []string{"PUT", "PATCH"} {
			status, text := send(h, method, "/api/films/2/", body)
			_, after := send(h, "GET", "/api/films/2/", "")
			switch {
			case status == 200 && text == after:
			case status == 400 && json.Valid([]byte(text)) && after == before:
			default:
				t.Errorf("%s %q: %d %s, then %s", method, body, status, text, after)
			}
			before = after
		}
		if status, text := send(h, "POST", "/api/films/", body); status != 201 && status != 400 || !json.Valid([]byte(text)) {
			t.Errorf("POST %q: %d %s", body, status, text)
		}
	})
}

// walkRecord is a record of FuzzWalk.
type walkRecord struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Pages int    `json:"pages"`
}

// walkOrders are orderings with equivalent comparisons.
var walkOrders = [...]struct {
	ordering string
	compare  func(a, b walkRecord) int
}{
	{"id", func(a, b walkRecord) int { return a.ID - b.ID }},
	{"-id", func(a, b walkRecord) int { return b.ID - a.ID }},
	{"pages", func(a, b walkRecord) int { return cmp.Or(a.Pages-b.Pages, a.ID-b.ID) }},
	{"-name", func(a, b walkRecord) int { return cmp.Or(cmp.Compare(b.Name, a.Name), b.ID-a.ID) }},
	{"name,-pages", func(a, b walkRecord) int { return cmp.Or(cmp.Compare(a.Name, b.Name), b.Pages-a.Pages, a.ID-b.ID) }},
	{"bogus,-pages,,name", func(a, b walkRecord) int { return cmp.Or(b.Pages-a.Pages, cmp.Compare(a.Name, b.Name), b.ID-a.ID) }},
}

// FuzzWalk requests books with a query and follows the next links. The pages contain every
// record from the first offset on once, in order.
func FuzzWalk(f *testing.F) {
	for i, query := range []string{
		"", "limit=1", "limit=4&offset=6", "offset=14&limit=3&limit=2", "limit=99999999999999999999&offset=-1", "offset=20", "%6Cimit=5&x=%zz;",
		"&&q=a%20b+c&=5&limit= 3 ", "ordering=name&\xff=\xe9%C3", "format=json", "format=xml", "offset=%EF%BC%93&limit=0",
		strings.Repeat("\xff", 1815), strings.Repeat("\xff", 2000), strings.Repeat("a&", 998),
	} {
		f.Add(query, uint8(i))
	}
	var records []walkRecord
	for id := 1; id <= 13; id++ {
		records = append(records, walkRecord{id, []string{"b", "a&b", "é", "B"}[id%4], id * 7 % 5})
	}
	house := mustNew()
	if list, err := json.Marshal(records); err != nil {
		f.Fatal(err)
	} else if err := house.Load(strings.NewReader(`{"books":`+string(list)+`}`), catalogue.LoadOptions{}); err != nil {
		f.Fatal(err)
	}
	handler, err := New(house, Options{Limits: pagination.Limits{Default: 5}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string, order uint8) {
		by := walkOrders[int(order)%len(walkOrders)]
		want := slices.Clone(records)
		slices.SortFunc(want, by.compare)

		u := &url.URL{Scheme: "http", Host: "host.example", Path: "/api/books/", RawQuery: query + "&ordering=" + by.ordering}
		seen := []walkRecord{}
		for pages := 0; u != nil; pages++ {
			page := askPage(t, handler, u)
			if page == nil && pages == 0 {
				return
			}
			if page == nil || page.Count != len(records) || pages > len(records) {
				t.Fatalf("%q, page %d, %s: %+v", query, pages, u, page)
			}
			seen = append(seen, page.Results...)
			u = page.next(t)
		}
		start := len(want) - min(len(seen), len(want))
		if diff := gocmp.Diff(want[start:], seen); diff != "" {
			t.Errorf("%q by %s (-want +got):\n%s", query, by.ordering, diff)
		}
		if offset, ok := plainOffset(query); ok && start != min(offset, len(want)) {
			t.Errorf("%q by %s starts at %d, want %d", query, by.ordering, start, offset)
		}
	})
}

// plainOffset returns the offset of a query and reports whether it is a plain number.
func plainOffset(query string) (offset int, ok bool) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return 0, false
	}
	list := values["offset"]
	if len(list) == 0 {
		return 0, true
	}
	n, err := strconv.ParseUint(list[len(list)-1], 10, 16)
	return int(n), err == nil
}

// walkPage is a decoded page.
type walkPage struct {
	Count   int
	Next    *string
	Results []walkRecord
}

// next returns the URL of the next page, or nil.
func (p *walkPage) next(t *testing.T) *url.URL {
	t.Helper()
	if p.Next == nil {
		return nil
	}
	u, err := url.Parse(*p.Next)
	if err != nil || u.Host != "host.example" || u.Path != "/api/books/" {
		t.Fatalf("next is %q, %v", *p.Next, err)
	}
	return u
}

// askPage returns a page, or nil if the response is a 4xx.
func askPage(t *testing.T, handler http.Handler, u *url.URL) *walkPage {
	t.Helper()
	r := &http.Request{Method: http.MethodGet, URL: u, Host: u.Host, RequestURI: u.RequestURI(), Header: http.Header{}}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	switch w.Code {
	case http.StatusOK:
	case http.StatusBadRequest, http.StatusNotFound, http.StatusRequestURITooLong:
		return nil
	default:
		t.Fatalf("%s: status %d: %s", u, w.Code, w.Body)
	}
	page := new(walkPage)
	if err := json.Unmarshal(w.Body.Bytes(), page); err != nil {
		t.Fatal(fmt.Errorf("%s: %w: %s", u, err, w.Body))
	}
	return page
}

// Unusual JSON is rejected with a detail or accepted as in the framework. Pages then
// contain the record in the response.
func TestHostileJSON(t *testing.T) {
	with := func(member string) string { return strings.TrimSuffix(postableEvent, "}") + "," + member + "}" }
	link := func(member string) string {
		return `{"title":"T","url":"https://x.example/","type":"x","author":1,` + member + "}"
	}
	long := strings.Repeat("x", 500_000)
	members := func(n int, name string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"%s%d":%d,`, name, i, i)
		}
		return b.String() + `"z":0`
	}
	tests := []struct {
		reason, body string
		status       int
		part         string
	}{
		{"a name twice", with(`"summary":"a","summary":"b"`), 201, `"summary":"b"`},
		{"a name twice, the last invalid", with(`"summary":"a","summary":null`), 400, `{"summary":["This field may not be null."]}`},
		{"a name twice, the first invalid", with(`"summary":null,"summary":"b"`), 201, `"summary":"b"`},
		{"a name twice, escaped", with(`"summary":"a","\u0073ummary":"b"`), 201, `"summary":"b"`},
		{"a name in two spellings", with(`"poster_webp":"https://x.example/a","posterWebp":""`), 201, `"posterWebp":""`},
		{"a second object", postableEvent + postableEvent, 400, "JSON parse error - "},
		{"text after the object", postableEvent + "x", 400, "JSON parse error - "},
		{"NUL after the object", postableEvent + "\x00", 400, "JSON parse error - "},
		{"two lines of JSON", postableEvent + "\n" + postableEvent, 400, "JSON parse error - "},
		{"white space after the object", postableEvent + " \r\n\t", 201, `"name":"N"`},
		{"a comment", postableEvent + "// x", 400, "JSON parse error - "},
		{"invalid UTF-8 in a value", with("\"summary\":\"\xff\""), 400, "invalid UTF-8, byte 0xff"},
		{"invalid UTF-8 in a name", with("\"\xff\":1"), 400, "invalid UTF-8"},
		{"invalid UTF-8 in an unknown member", with("\"x\":\"\xc3\""), 400, "invalid UTF-8"},
		{"invalid UTF-8 after the object", postableEvent + "\xa0", 400, "invalid UTF-8"},
		{"overlong UTF-8", with("\"summary\":\"\xc0\x80\""), 400, "invalid UTF-8"},
		{"a surrogate in UTF-8", with("\"summary\":\"\xed\xa0\x80\""), 400, "invalid UTF-8"},
		{"a byte order mark", "\ufeff" + postableEvent, 400, "byte order mark"},
		{"UTF-16", "{\x00}\x00", 400, "JSON parse error - "},
		{"a high surrogate", with(`"summary":"a\ud800b"`), 400, `{"summary":["Surrogate characters are not allowed: U+D800."]}`},
		{"a low surrogate", with(`"summary":"\udc00"`), 400, `{"summary":["Surrogate characters are not allowed: U+DC00."]}`},
		{"surrogates in the wrong order", with(`"summary":"\udc00\ud800"`), 400, `Surrogate`},
		{"a surrogate pair", with(`"summary":"\ud83d\udcda"`), 201, `"summary":"📚"`},
		{"a surrogate in a URL", with(`"poster":"https://x.example/\ud800"`), 400, `Surrogate`},
		{"a surrogate in an unknown member", with(`"x":"\ud800"`), 201, `"name":"N"`},
		{"U+FFFD", with(`"summary":"\ufffd"`), 201, `"summary":"` + "\ufffd" + `"`},
		{"escaped NUL", with(`"summary":"a\u0000b"`), 400, `{"summary":["Null characters are not allowed."]}`},
		{"NUL", with("\"summary\":\"a\x00b\""), 400, "JSON parse error - "},
		{"NUL in a slug", `{"slug":"a\u0000"}`, 400, `Null characters are not allowed.`},
		{"only line separators", with(`"name":"\u2028\u2029"`), 400, `{"name":["This field may not be blank."]}`},
		{"line separators in text", with(`"summary":"a\u2028b"`), 201, `"summary":"a\u2028b"`},
		{"the end of a script", with(`"summary":"</script>"`), 201, `"summary":"</script>"`},

		{"a number beyond int64 as text", with(`"summary":9223372036854775808`), 201, `"summary":"9223372036854775808"`},
		{"a number of many digits as text", with(`"summary":1.` + strings.Repeat("1", 400)), 201, `"summary":"1.` + strings.Repeat("1", 400) + `"`},
		{"a number beyond a float as text", with(`"summary":1e999`), 400, `{"summary":["Not a valid string."]}`},
		{"a negative number beyond a float as text", with(`"summary":-1e999`), 400, `{"summary":["Not a valid string."]}`},
		{"minus zero as text", with(`"summary":-0`), 201, `"summary":"-0"`},
		{"minus zero as a boolean", with(`"published":-0`), 201, `"published":false`},
		{"a number beyond a float as a boolean", with(`"published":1e999`), 400, `{"published":["Must be a valid boolean."]}`},
		{"the number 1 with an exponent", with(`"published":10e-1`), 201, `"published":true`},
		{"an id beyond int64", link(`"author":9223372036854775808`), 400, `{"author":["Invalid pk \"9223372036854775808\" - object does not exist."]}`},
		{"an id beyond uint64", link(`"author":18446744073709551617`), 400, `{"author":["Invalid pk \"18446744073709551617\" - object does not exist."]}`},
		{"an id beyond a float", link(`"author":1e999`), 400, `object does not exist.`},
		{"an id of minus zero", link(`"author":-0`), 400, `{"author":["Invalid pk \"`},
		{"a negative id", link(`"author":-1`), 400, `{"author":["Invalid pk \"-1\" - object does not exist."]}`},
		{"ids beyond int64", with(`"authors":[1,9223372036854775808]`), 400, `Invalid pk \"9223372036854775808\"`},
		{"a hexadecimal number", with(`"summary":0x10`), 400, "JSON parse error - "},
		{"NaN", with(`"summary":NaN`), 400, "JSON parse error - "},
		{"a number beyond a float in an unknown member", with(`"x":1e999`), 201, `"name":"N"`},
		{"a member id", with(`"id":999`), 201, `{"id":`},
		{"a member id that is an object", with(`"id":{"a":[]}`), 201, `{"id":`},

		{"10,000 members", with(members(10_000, "x")), 201, `"name":"N"`},
		{"10,000 times one name", with(strings.Repeat(`"summary":"a",`, 10_000) + `"summary":"b"`), 201, `"summary":"b"`},
		{"10,000 times another spelling of one name", with(strings.Repeat(`"_summary":"a",`, 10_000) + `"summary":"b"`), 201, `"summary":"b"`},
		{"names of JavaScript", with(`"__proto__":{"a":1},"constructor":1`), 201, `"name":"N"`},
		{"a long name", with(`"` + long + `":1`), 201, `"name":"N"`},
		{"a long name of words", with(`"` + strings.Repeat("aB1", 200_000) + `":1`), 201, `"name":"N"`},
		{"a long text", with(`"description":"` + long + `"`), 201, long},
		{"a long slug", with(`"slug":"` + long + `"`), 201, long},
		{"a long URL", with(`"poster":"https://x.example/` + long + `"`), 400, `{"poster":["Enter a valid URL."]}`},
		{"a long URL with many labels", with(`"poster":"https://` + strings.Repeat("a.", 300_000) + `"`), 400, `{"poster":["Enter a valid URL."]}`},
		{"a long number", with(`"summary":` + strings.Repeat("9", 500_000)), 400, `{"summary":["Not a valid string."]}`},
		{"a long id", link(`"author":` + strings.Repeat("9", 500_000)), 400, `does not exist.`},
		{"a long date", with(`"startDate":"` + strings.Repeat("2024-", 100_000) + `"`), 400, `{"startDate":["Datetime has wrong format.`},
		{"300,000 ids", with(`"authors":[` + strings.Repeat("1,", 300_000) + `1]`), 201, `"authors":[1]`},
		{"300,000 unknown ids", with(`"authors":[` + strings.Repeat("2,", 300_000) + `2]`), 400, `Invalid pk \"2\"`},
		{"deep", with(`"x":` + nested(199)), 201, `"name":"N"`},
		{"too deep", with(`"x":` + nested(200)), 400, " 200: line 1 column "},
		{"deep ids", with(`"authors":` + nested(100)), 400, `received list.`},
		{"a million brackets", strings.Repeat("[", 1_000_000), 400, " 200: line 1 column 201"},
		{"a million quotes", strings.Repeat(`"`, 1_000_000), 400, "JSON parse error - "},
		{"a million backslashes", `"` + strings.Repeat(`\`, 1_000_000), 400, "JSON parse error - "},
		{"a million blanks", strings.Repeat(" ", 1_000_000), 400, "JSON parse error - "},
		{"a million commas", "[" + strings.Repeat(",", 1_000_000), 400, "JSON parse error - "},
		{"half a word", "tru", 400, "JSON parse error - "},
		{"half an escape", `"\u00`, 400, "JSON parse error - "},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			house, h := newWritable(t, Options{})
			addAuthor(t, house)
			c := call{method: "POST", target: "/api/events/", body: test.body, header: http.Header{
				"Authorization": {"Bearer s"}, "Content-Type": {"application/json"},
			}}
			if strings.Contains(test.body, `"author"`) {
				c.target = "/api/social-links/"
			}
			got := c.do(h)
			if got.Status != test.status || !strings.Contains(got.Body, test.part) {
				t.Errorf("%d %.300s, want %d %.300s", got.Status, got.Body, test.status, test.part)
			}
			stored := mustIn(resources.Events, house).Count() + mustIn(resources.SocialLinks, house).Count()
			if want := map[int]int{201: 1}[test.status]; stored != want {
				t.Errorf("%d records stored, want %d", stored, want)
			}
			if test.status == 201 {
				page := get(h, c.target)
				if want := `"results":[` + got.Body + `]}`; !strings.HasSuffix(page.Body, want) {
					t.Errorf("the page does not have the record in the response: %.300s", page.Body)
				}
			}
		})
	}
}

// addAuthor stores an author with id 1.
func addAuthor(t *testing.T, house *catalogue.Catalogue) {
	t.Helper()
	authors, err := catalogue.Define[schema.Record]("authors", catalogue.Options{}).In(house)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := authors.Insert(schema.Record{ID: 1}); err != nil {
		t.Fatal(err)
	}
}

// descriptions returns the descriptions of the documented collections.
func descriptions() (list []schema.Description) {
	c, err := resources.New()
	if err != nil {
		panic(err) // without other definitions there is no error
	}
	for _, collection := range c.All() {
		list = append(list, collection.Description())
	}
	return list
}

// descriptionOf returns the description of a documented collection and reports whether
// there is one.
func descriptionOf(key string) (schema.Description, bool) {
	for _, d := range descriptions() {
		if d.Key == key {
			return d, true
		}
	}
	return schema.Description{}, false
}
