package pagination_test

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"text/template"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/pagination"
)

// length returns the number of pairs of a query.
func length(q pagination.Query) (n int) {
	for range q.All() {
		n++
	}
	return n
}

// TestQueryEncodeManyPairs uses more pairs than are sorted without allocation.
func TestQueryEncodeManyPairs(t *testing.T) {
	var raw, want []string
	for i := range 100 {
		raw = append(raw, string(rune('j'-i%10))+"="+string(rune('0'+i/10)))
	}
	for i := range 100 {
		want = append(want, string(rune('a'+i/10))+"="+string(rune('0'+i%10)))
	}
	got := pagination.ParseQuery(strings.Join(raw, "&")).Encode()
	equal(t, "the result", strings.Join(want, "&"), got)
}

// seedQueries are the kinds of queries in drf.md.
var seedQueries = []string{
	"", "limit=5&offset=10", "format=json&limit=3&offset=6&ordering=-name", "&&x=1&", "x", "=5", "==",
	"x=1;y=2", "q=a%20b+c%2Bd", "q=%", "q=%2", "q=%zz", "q=%e9", "%FF=%FE", "q=%E2%82&q=%ED%A0%80",
	"q=\xe4\xbd\xa0", "q=\xff", "%C2\xaf", "\xff%C3%A9=é", "a=1&a=2&b=3&a=0", "%6Cimit=5", "limit[]=5", "q=a#b", "q=\x00\x7f\n",
	"q=\"<>\\^`{|}", "X=1&x=2&_=3&1=4&%C3%A9=5",
	"%C4=%A9&q=%C4&q=%A9",
}

func FuzzParseQuery(f *testing.F) {
	for _, raw := range seedQueries {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q := pagination.ParseQuery(raw)
		encoded := q.Encode()
		if !isClean(encoded) {
			t.Errorf("Encode() = %q, which is not escaped", encoded)
		}
		again := pagination.ParseQuery(encoded)
		equal(t, "Encode() of the encoded query", encoded, again.Encode())
		parts := slices.DeleteFunc(strings.Split(raw, "&"), func(s string) bool { return s == "" })
		if length(q) != len(parts) || length(again) != len(parts) {
			t.Errorf("%d pairs, of the encoded query %d, want %d", length(q), length(again), len(parts))
		}
		compareWithNetURL(t, raw, q)
	})
}

// compareWithNetURL compares a query with net/url if both parse it in the same way: it
// has no semicolons and no invalid escapes, and is valid UTF-8 both raw and decoded.
func compareWithNetURL(t *testing.T, raw string, q pagination.Query) {
	want, err := url.ParseQuery(raw)
	if err != nil || !utf8.ValidString(raw) {
		return
	}
	if decoded, err := url.QueryUnescape(raw); err != nil || !utf8.ValidString(decoded) {
		return
	}
	for name, values := range want {
		last := values[len(values)-1]
		if got, ok := q.Get(name); got != last || !ok {
			t.Errorf("Get(%q) = %q, %t, want %q, true", name, got, ok, last)
		}
		equal(t, "Values("+name+")", values, q.Values(name))
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r > 0x7f }) {
		return // Latin-1 in links
	}
	equal(t, "Encode", want.Encode(), q.Encode())
}

// isClean reports whether s has only characters that may be in the query of a link.
func isClean(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~%+=&", r)
	})
}

const (
	base  = "https://host.example/api/events/"
	short = "format=json&limit=21&offset=42&ordering=-start_date"
)

// serve processes a query as a server does for each request.
func serve(dst []byte, raw string) []byte {
	q := pagination.ParseQuery(raw)
	q.Get("format")
	q.Get("ordering")
	q.Get("search")
	var style pagination.Style = pagination.Limits{}
	p, _ := pagination.Requested(style, q, 90)
	next, previous := pagination.Neighbours(style, p, 90, nil)
	dst = pagination.AppendLink(append(dst, base...), style, q, next)
	return pagination.AppendLink(append(dst, base...), style, q, previous)
}

func TestAllocations(t *testing.T) {
	dst := make([]byte, 0, 1024)
	for _, tt := range []struct {
		reason string
		want   float64
		run    func()
	}{
		{"pairs only", 1, func() { serve(dst, short) }},
		{"empty query", 0, func() { serve(dst, "") }},
		{"pairs and one decoded value", 2, func() { serve(dst, "limit=21&ordering=-start_date%2Cname") }},
		{"pairs and two links", 5, func() {
			q := pagination.ParseQuery(short)
			p := pagination.Place{Window: pagination.Window{Limit: 21, Offset: 42}}
			pagination.Link(base, pagination.Limits{}, q, p)
			pagination.Link(base, pagination.Limits{}, q, p)
		}},
		{"numbers of more than two digits", 0, func() {
			to := pagination.Place{Window: pagination.Window{Limit: 210, Offset: 9021}}
			pagination.AppendLink(pagination.AppendLink(dst, pagination.Limits{}, pagination.Query{}, to), pagination.Numbers{}, pagination.Query{}, to)
		}},
		{"values", 1, func() { pagination.ParseQuery(short).Values("limit") }},
		{"values of a name that is repeated", 2, func() { pagination.ParseQuery("a=1&b=2&a=3").Values("a") }},
		{"invalid numbers", 1, func() {
			pagination.Requested(pagination.Limits{}, pagination.ParseQuery("limit=x&offset=999999999999999999999"), 0)
		}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			if got := testing.AllocsPerRun(100, tt.run); got > tt.want {
				t.Errorf("got %v allocations, want at most %v", got, tt.want)
			}
		})
	}
}

// A row is a row of testdata/queries.txtar.
type row struct{ query, want, reason string }

// table returns the rows of a table of testdata/queries.txtar.
func table(t *testing.T, name string) (rows []row) {
	t.Helper()
	data, err := os.ReadFile("testdata/queries.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "\n-- "+name+" --\n")
	text, _, _ := strings.Cut(rest, "\n-- ")
	for line := range strings.Lines(strings.TrimSpace(text)) {
		query, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " => ")
		want, reason, ok := strings.Cut(rest, "  # ")
		if !ok {
			t.Fatalf("%s is no row", line)
		}
		rows = append(rows, row{expand(t, query), expand(t, want), reason})
	}
	if rows == nil {
		t.Fatalf("no table %s", name)
	}
	return rows
}

// expand replaces {{repeat "text" n}}, and {{"text"}} with the escapes of Go.
func expand(t *testing.T, text string) string {
	t.Helper()
	parsed, err := template.New("").Funcs(template.FuncMap{"repeat": strings.Repeat}).Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := parsed.Execute(&out, nil); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// orNull returns a link as JSON has it, without quotes.
func orNull(link string) string {
	if link == "" {
		return "null"
	}
	return link
}

// TestQueries checks the pages, links, parameters and encodings in testdata/queries.txtar.
func TestQueries(t *testing.T) {
	page := func(q pagination.Query) string {
		var limits pagination.Limits
		p, _ := pagination.Requested(limits, q, 60)
		next, previous := pagination.Neighbours(limits, p, 60, nil)
		start, end := p.Bounds(60)
		link := func(to pagination.Place) string { return orNull(pagination.Link("/api/books/", limits, q, to)) }
		return fmt.Sprintf("%d %s %s", end-start, link(next), link(previous))
	}
	pairs := func(q pagination.Query) string {
		var all []string
		for name, value := range q.All() {
			all = append(all, name+": "+value)
		}
		return strings.Join(all, " | ")
	}
	for name, result := range map[string]func(pagination.Query) string{
		"pages": page, "unlike": page, "links": page,
		"pairs": pairs, "maximal subparts": pairs,
		"encoded": pagination.Query.Encode,
	} {
		for _, row := range table(t, name) {
			q := pagination.ParseQuery(row.query)
			if got := result(q); got != row.want {
				t.Errorf("%s, %s: %s: %q, want %q", name, row.reason, row.query, got, row.want)
			}
			last := map[string]string{}
			for name, value := range q.All() {
				last[name] = value
			}
			for name, want := range last {
				if got, ok := q.Get(name); got != want || !ok {
					t.Errorf("%s: Get(%q) = %q, %t, want %q", row.query, name, got, ok, want)
				}
			}
			if got, ok := q.Get("no such name"); got != "" || ok {
				t.Errorf("%s: Get of a name that it lacks = %q, %t", row.query, got, ok)
			}
		}
	}
}

// equal reports how what the test got differs from what it wants.
func equal(t testing.TB, what string, want, got any, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
