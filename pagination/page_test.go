package pagination_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/pagination"
)

func TestPage(t *testing.T) {
	type envelope = pagination.Envelope[string]
	abc := []string{"a", "b", "c"}
	for _, tt := range []struct {
		reason string
		items  []string
		url    *url.URL
		limits pagination.Limits
		want   envelope
	}{
		{"middle of the list", abc, parseURL(t, "https://h.example/b/?limit=1&offset=1&x=y"), pagination.Limits{},
			envelope{3, "https://h.example/b/?limit=1&offset=2&x=y", "https://h.example/b/?limit=1&x=y", []string{"b"}}},
		{"relative URL", abc, parseURL(t, "/b/?limit=2"), pagination.Limits{},
			envelope{3, "/b/?limit=2&offset=2", "", []string{"a", "b"}}},
		{"fragment and user information", abc, parseURL(t, "http://me:secret@h.example:8080/b?limit=2#f%20g"), pagination.Limits{},
			envelope{3, "http://h.example:8080/b?limit=2&offset=2", "", []string{"a", "b"}}},
		{"escaped path", abc, parseURL(t, "/a%2Fb/%C3%A9/?limit=2"), pagination.Limits{},
			envelope{3, "/a%2Fb/%C3%A9/?limit=2&offset=2", "", []string{"a", "b"}}},
		{"host without scheme", abc, parseURL(t, "//h.example/b?limit=2"), pagination.Limits{},
			envelope{3, "//h.example/b?limit=2&offset=2", "", []string{"a", "b"}}},
		{"path that begins with two slashes", abc, parseURL(t, "https://h.example//b?limit=2"), pagination.Limits{},
			envelope{3, "https://h.example//b?limit=2&offset=2", "", []string{"a", "b"}}},
		{"empty query", abc, parseURL(t, "/b?"), pagination.Limits{Default: 2},
			envelope{3, "/b?limit=2&offset=2", "", []string{"a", "b"}}},
		{"Max", abc, parseURL(t, "/b?limit=3"), pagination.Limits{Max: 1},
			envelope{3, "/b?limit=1&offset=1", "", []string{"a"}}},
		{"nil URL", abc, nil, pagination.Limits{Default: 2},
			envelope{3, "?limit=2&offset=2", "", []string{"a", "b"}}},
		{"nil items", nil, parseURL(t, "/b"), pagination.Limits{}, envelope{}},
		{"past the end", abc, parseURL(t, "/b?limit=2&offset=9"), pagination.Limits{},
			envelope{3, "", "/b?limit=2&offset=7", []string{}}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			var before url.URL
			if tt.url != nil {
				before = *tt.url
			}
			got := pagination.Page(tt.items, tt.url, tt.limits)
			equal(t, "the result", tt.want, got)
			if tt.url != nil && *tt.url != before {
				t.Errorf("Page modified the URL to %v", tt.url)
			}
		})
	}
}

func TestRecordsHaveNoSpareCapacity(t *testing.T) {
	items := []int{0, 1, 2, 3}
	page := pagination.Page(items, parseURL(t, "/b?limit=2&offset=1"), pagination.Limits{})
	page.Records[0] = 10
	_ = append(page.Records, 30)
	equal(t, "items", []int{0, 10, 2, 3}, items)
}

// TestPageOfPathLikeHost checks that links never lead to another host and have the path
// of the request.
func TestPageOfPathLikeHost(t *testing.T) {
	for _, tt := range []struct{ reason, target, want string }{
		{"two slashes", "//evil.example/books", "/%2Fevil.example/books"},
		{"three slashes", "///evil.example", "/%2F/evil.example"},
		{"two slashes only", "//", "/%2F"},
		{"user and port", "//me@evil.example:80/", "/%2Fme@evil.example:80/"},
		{"escape in the path", "//evil.example/a%2Fb", "/%2Fevil.example/a%2Fb"},
		{"escaped second slash", "/%2Fevil.example", "/%2Fevil.example"},
		{"backslash", `/\evil.example`, "/%5Cevil.example"},
		{"one slash", "/evil.example//books", "/evil.example//books"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			u, err := url.ParseRequestURI(tt.target + "?limit=1&offset=1") // as net/http does
			if err != nil {
				t.Fatal(err)
			}
			got := pagination.Page([]string{"a", "b", "c"}, u, pagination.Limits{})
			want := pagination.Envelope[string]{
				Count: 3, Next: tt.want + "?limit=1&offset=2", Previous: tt.want + "?limit=1", Records: []string{"b"},
			}
			equal(t, "the result", want, got)
			next := parseURL(t, "http://h.example/").ResolveReference(parseURL(t, got.Next))
			if next.Host != "h.example" || next.Path != u.Path {
				t.Errorf("%s leads to host %q, path %q; want h.example, %q", got.Next, next.Host, next.Path, u.Path)
			}
		})
	}
}

var nines = strings.Repeat("9", 4301)

// windowOf returns the window that a query requests.
func windowOf(l pagination.Limits, query string) pagination.Window {
	p, _ := pagination.Requested(l, pagination.ParseQuery(query), 0)
	return p.Window
}

// number is the grammar of numbers: ASCII digits with an optional sign and Unicode white
// space.
var number = regexp.MustCompile(`^[\t-\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}]*([+-]?[0-9]+)[\t-\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}]*$`)

// saturated returns the value of a number, at most MaxInt, or -1 if the text is not a
// number or is negative.
func saturated(text string) int {
	m := number.FindStringSubmatch(text)
	if m == nil {
		return -1
	}
	n, _ := new(big.Int).SetString(m[1], 10)
	switch {
	case n.Sign() < 0:
		return -1
	case n.Cmp(big.NewInt(math.MaxInt)) > 0:
		return math.MaxInt
	}
	return int(n.Int64())
}

// FuzzLimits compares windows with a regular expression and big integers.
func FuzzLimits(f *testing.F) {
	for _, text := range []string{
		"", "0", "-0", "7", "007", "-5", "abc", "null", "inf", // and the largest ints of 32 and 64 bits:
		"2147483646", "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296", "4294967301",
		"9223372036854775806", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
		"18446744073709551616", "18446744073709551621", "92233720368547758070", nines, "-" + nines, nines + "x",
		"+7", "-", "+", "+-5", "-+5", "++7", "--7", "7-", "7+", "+ 7", "- 7", " +7 ", "\t+7\n", // signs
		"\t\n\v\f\r 7\t\n\v\f\r ", "\u00857\u00a0", "\u20287\u3000", " ", "\u3000", "7 8", // white space
		"7\u200b", "\ufeff7", "7\x1f", "\x1c7", "\x007", "7\xff", // not white space
		"٣", "１", "1_0", "1.5", "1e2", "0x10", "0b1", strings.Repeat("0", 4300) + "7",
	} {
		f.Add(text, text, 0, 0)
		f.Add(text, "1", 7, -1)
	}
	for _, limits := range []pagination.Limits{
		{Default: 50, Max: 10}, {Max: math.MaxInt}, {Max: math.MinInt}, {Default: math.MaxInt, Max: 3}, {Default: math.MaxInt, Max: -1},
		{Default: math.MinInt, Max: -1}, {Default: math.MinInt, Max: math.MinInt},
	} {
		f.Add("", "", limits.Default, limits.Max)
		f.Add(nines, nines, limits.Default, limits.Max)
	}
	f.Fuzz(func(t *testing.T, limit, offset string, byDefault, maximum int) {
		size := saturated(limit)
		if size < 1 {
			size = byDefault
		}
		switch {
		case size < 0:
			size = math.MaxInt
		case size == 0:
			size = 21
		}
		switch {
		case maximum == 0:
			size = min(size, 1000)
		case maximum > 0:
			size = min(size, maximum)
		}
		want := pagination.Window{Limit: size, Offset: max(saturated(offset), 0)}
		got := windowOf(pagination.Limits{Default: byDefault, Max: maximum}, url.Values{"limit": {limit}, "offset": {offset}}.Encode())
		equal(t, "the result", want, got)
	})
}

// edges are small ints, and ints whose sums and differences may overflow, for 32 and 64
// bits.
var edges = [...]int{
	math.MinInt, math.MinInt + 1, math.MinInt / 2, -21, -1, 0, 1, 2, 3, 4, 5, 7, 21,
	math.MaxInt / 2, math.MaxInt/2 + 1, math.MaxInt - 21, math.MaxInt - 1, math.MaxInt,
}

// paging holds the bounds of a window and the offsets of its neighbours. An offset of
// -1 means that there is no such page.
type paging struct{ Start, End, Next, Previous int }

// modelPaging computes the paging with numbers whose sums do not overflow.
func modelPaging(w pagination.Window, count int) paging {
	positive := func(n int) uint { return uint(max(n, 0)) }
	offset, limit, total := positive(w.Offset), positive(w.Limit), positive(count)
	p := paging{Start: int(min(offset, total)), End: int(total), Next: -1, Previous: -1}
	if limit == 0 { // no limit
		return p
	}
	p.End = int(min(offset+limit, total))
	if offset+limit < total {
		p.Next = int(offset + limit)
	}
	if offset > 0 {
		p.Previous = int(offset - min(offset, limit))
	}
	return p
}

// pagingOf computes the paging with the package.
func pagingOf(t *testing.T, w pagination.Window, count int) paging {
	t.Helper()
	p := paging{Next: -1, Previous: -1}
	p.Start, p.End = w.Bounds(count)

	limits := pagination.Limits{Max: -1}
	offsetIn := func(link string) int {
		if link == "" {
			return -1
		}
		got := windowOf(limits, parseURL(t, link).RawQuery)
		if got.Limit != w.Limit {
			t.Errorf("%+v of %d: limit of %q = %d, want %d", w, count, link, got.Limit, w.Limit)
		}
		return got.Offset
	}
	next, previous := pagination.Neighbours(limits, pagination.Place{Window: pagination.Window{Limit: w.Limit, Offset: w.Offset}}, count, nil)
	p.Next = offsetIn(pagination.Link("/b/", limits, pagination.Query{}, next))
	p.Previous = offsetIn(pagination.Link("/b/", limits, pagination.Query{}, previous))
	return p
}

// checkWindow compares a window and its neighbours with the model. The next page begins
// where the window ends.
func checkWindow(t *testing.T, w pagination.Window, count int) {
	t.Helper()
	got := pagingOf(t, w, count)
	equal(t, fmt.Sprintf("%+v of %d", w, count), modelPaging(w, count), got)
	if got.Next >= 0 {
		next := pagingOf(t, pagination.Window{Limit: w.Limit, Offset: got.Next}, count)
		if next.Start != got.End || next.Previous != max(w.Offset, 0) {
			t.Errorf("%+v of %d: paging %+v, of the next page %+v", w, count, got, next)
		}
	}
}

func TestWindows(t *testing.T) {
	for _, limit := range edges {
		for _, offset := range edges {
			for _, count := range edges {
				checkWindow(t, pagination.Window{Limit: limit, Offset: offset}, count)
			}
		}
	}
}

// A pointerMarshaler has MarshalJSON on the pointer. encoding/json calls it for elements
// of slices.
type pointerMarshaler string

func (m *pointerMarshaler) MarshalJSON() ([]byte, error) { return []byte(`"` + *m + `!"`), nil }

func TestEnvelopeMarshalJSON(t *testing.T) {
	for _, tt := range []struct {
		reason   string
		envelope json.Marshaler
		want     string
	}{
		{"zero value", pagination.Envelope[int]{},
			`{"count":0,"next":null,"previous":null,"results":[]}`},
		{"no count", pagination.Envelope[string]{Count: -1, Next: "/c?cursor=bz03", Records: []string{"a"}},
			`{"next":"/c?cursor=bz03","previous":null,"results":["a"]}`},
		{"empty records", pagination.Envelope[int]{Records: []int{}},
			`{"count":0,"next":null,"previous":null,"results":[]}`},
		{"no HTML escapes", pagination.Envelope[string]{60, "/?a=1&b=2", "/?<>", []string{"<em>", "x & y"}},
			`{"count":60,"next":"/?a=1&b=2","previous":"/?<>","results":["<em>","x & y"]}`},
		{"structs", pagination.Envelope[struct {
			ID int `json:"id"`
		}]{Count: 1, Records: []struct {
			ID int `json:"id"`
		}{{7}}}, `{"count":1,"next":null,"previous":null,"results":[{"id":7}]}`},
		{"raw JSON", pagination.Envelope[json.RawMessage]{Count: 1, Records: []json.RawMessage{[]byte(`{"a": "<"}`)}},
			`{"count":1,"next":null,"previous":null,"results":[{"a":"<"}]}`},
		{"nil pointers", pagination.Envelope[*int]{Count: 1, Records: []*int{nil}},
			`{"count":1,"next":null,"previous":null,"results":[null]}`},
		{"bytes", pagination.Envelope[byte]{Count: 2, Records: []byte{1, 2}},
			`{"count":2,"next":null,"previous":null,"results":[1,2]}`},
		{"marshaler on the pointer", pagination.Envelope[pointerMarshaler]{Count: 1, Records: []pointerMarshaler{"a"}},
			`{"count":1,"next":null,"previous":null,"results":["a!"]}`},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			got, err := tt.envelope.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "MarshalJSON", tt.want, string(got))

			var buf bytes.Buffer
			enc := json.NewEncoder(&buf)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(tt.envelope); err != nil {
				t.Fatal(err)
			}
			equal(t, "Encoder", tt.want+"\n", buf.String())
		})
	}
}

func TestEnvelopeMarshalJSONError(t *testing.T) {
	_, err := pagination.Envelope[chan int]{Records: make([]chan int, 1)}.MarshalJSON()
	var want *json.UnsupportedTypeError
	if !errors.As(err, &want) {
		t.Errorf("err = %v, want an UnsupportedTypeError", err)
	}
}

func TestEnvelopeUnmarshalJSON(t *testing.T) {
	for _, tt := range []struct {
		reason, json string
		want         pagination.Envelope[string]
	}{
		{"page", `{"count":60,"next":"/n","previous":"/p","results":["a","b"]}`,
			pagination.Envelope[string]{60, "/n", "/p", []string{"a", "b"}}},
		{"null links and no results", `{"count":0,"next":null,"previous":null,"results":[]}`,
			pagination.Envelope[string]{Records: []string{}}},
		{"absent links", `{"count":0,"results":[]}`,
			pagination.Envelope[string]{Records: []string{}}},
		{"unknown members", `{"page_size":21,"count":1,"results":["a"],"facets":{"count":5}}`,
			pagination.Envelope[string]{Count: 1, Records: []string{"a"}}},
		{"different order and white space", "{ \"results\" : [ \"a\" ],\n\"count\" : 1 }",
			pagination.Envelope[string]{Count: 1, Records: []string{"a"}}},
		{"no count, as in a page by a cursor", `{"next":"/n","previous":null,"results":["a"]}`,
			pagination.Envelope[string]{-1, "/n", "", []string{"a"}}},
		{"null count", `{"count":null,"results":[]}`, pagination.Envelope[string]{Count: -1, Records: []string{}}},
		{"null", "null", pagination.Envelope[string]{99, "old", "old", []string{"old"}}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			got := pagination.Envelope[string]{99, "old", "old", []string{"old"}}
			if err := json.Unmarshal([]byte(tt.json), &got); err != nil {
				t.Fatal(err)
			}
			equal(t, "the result", tt.want, got)
		})
	}
}

func TestEnvelopeUnmarshalJSONError(t *testing.T) {
	for _, tt := range []struct {
		reason, json string
		notPage      bool
	}{
		{"error document", `{"detail":"Not found."}`, true},
		{"negative count", `{"count":-1,"results":[]}`, true},
		{"no results", `{"count":0}`, true},
		{"no results of a cursor", `{"detail":"Invalid cursor"}`, true},
		{"null results", `{"count":0,"results":null}`, true},
		{"list", `["a"]`, false},
		{"records of the wrong type", `{"count":1,"results":[5]}`, false},
		{"link of the wrong type", `{"count":1,"next":5,"results":[]}`, false},
		{"truncated JSON", `{"count":1`, false},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			old := pagination.Envelope[string]{99, "old", "old", []string{"old"}}
			got := old
			err := json.Unmarshal([]byte(tt.json), &got)
			if err == nil || strings.Contains(err.Error(), "not a page") != tt.notPage {
				t.Errorf("err = %v, want one of a text that is not a page: %t", err, tt.notPage)
			}
			equal(t, "envelope after the error", old, got)
		})
	}
}

func parseURL(t *testing.T, link string) *url.URL {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatalf("invalid link: %v", err)
	}
	return u
}

// FuzzWalk checks that the next links of any query lead to all records from its offset
// on, once and in order, and end, and that the previous links end at the first page.
func FuzzWalk(f *testing.F) {
	for i, raw := range seedQueries {
		f.Add(raw, uint8(3*i), i%7, i%5-1)
	}
	f.Add("limit=2&offset=3&limit=4", uint8(60), 0, 0)
	f.Add("offset=99999999999999999999&limit=1", uint8(3), 0, 0)
	f.Add("limit=%31&off%73et=+1", uint8(5), 2, 3)
	for i := range 60 {
		f.Add(fmt.Sprintf("limit=%d&offset=%d&q=%%20", 1+i%13, i*7%80), uint8(i), 0, -1)
	}
	f.Fuzz(func(t *testing.T, raw string, count uint8, byDefault, maximum int) {
		items := make([]int, count)
		for i := range items {
			items[i] = i
		}
		limits := pagination.Limits{Default: byDefault, Max: maximum}
		u := &url.URL{Scheme: "https", Host: "host.example", Path: "/books", RawQuery: raw}
		w := windowOf(limits, raw)
		start := min(w.Offset, len(items))

		want := max(1, (len(items)-start+w.Limit-1)/w.Limit)
		if w.Limit > len(items) {
			want = 1 // the sum above may overflow
		}
		seen := []int{}
		pages := follow(t, u, want, func(u *url.URL) string {
			page := pagination.Page(items, u, limits)
			seen = append(seen, page.Records...)
			return page.Next
		})
		if diff := cmp.Diff(items[start:], seen); diff != "" || pages != want {
			t.Fatalf("%q of %d: %d pages, want %d; records (-want +got):\n%s", raw, count, pages, want, diff)
		}

		if w.Offset > 1000*w.Limit {
			return // too many pages
		}
		want = 1 + w.Offset/w.Limit
		if w.Offset%w.Limit > 0 {
			want++
		}
		var last *url.URL
		pages = follow(t, u, want, func(u *url.URL) string {
			last = u
			return pagination.Page(items, u, limits).Previous
		})
		first := pagination.Window{Limit: w.Limit}
		if diff := cmp.Diff(first, windowOf(limits, last.RawQuery)); diff != "" || pages != want {
			t.Fatalf("%q of %d: %d pages backwards, want %d; last page (-want +got):\n%s", raw, count, pages, want, diff)
		}
	})
}

// follow calls get with a URL and then with each link that get returns, until there is
// none or most links have been followed. It returns the number of calls.
func follow(t *testing.T, u *url.URL, most int, get func(u *url.URL) string) (steps int) {
	t.Helper()
	for link := get(u); link != ""; link = get(parseURL(t, link)) {
		steps++
		if steps > most {
			break
		}
	}
	return steps + 1
}
