package pagination_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/pagination"
)

func TestQueryGet(t *testing.T) {
	for _, tt := range []struct {
		reason, query, name string
		want                string
		ok                  bool
	}{
		{"empty query", "", "x", "", false},
		{"unknown name", "y=1", "x", "", false},
		{"value", "x=1", "x", "1", true},
		{"repeated name", "x=1&y=2&x=3&z=4", "x", "3", true},
		{"repeated name, last value empty", "x=1&x", "x", "", true},
		{"no equals sign", "x", "x", "", true},
		{"two equals signs", "x=a=b", "x", "a=b", true},
		{"no name", "=5", "", "5", true},
		{"empty parts", "&&", "", "", false},
		{"semicolon", "x=1;y=2", "x", "1;y=2", true},
		{"upper-case name", "X=1", "x", "", false},
		{"escaped name", "%6Cimit=5", "limit", "5", true},
		{"escaped ampersand", "x=a%26b%3Dc", "x", "a&b=c", true},
		{"plus for a space", "a+b=c+d", "a b", "c d", true},
		{"escaped plus", "x=%2B", "x", "+", true},
		{"lower-case escapes", "x=%c3%a9", "x", "é", true},
		{"escaped percent sign", "x=%2541", "x", "%41", true},
		{"incomplete escape", "x=%2", "x", "%2", true},
		{"percent sign before an escape", "x=%%41", "x", "%A", true},
		{"invalid escapes", "x=%zz%g0%0g", "x", "%zz%g0%0g", true},
		{"hash", "x=a#b&y=2", "y", "2", true},
		{"control characters", "x=\x00\n", "x", "\x00\n", true},
		{"unescaped UTF-8", "é=日本", "é", "日本", true},
		{"unescaped Latin-1", "\xe9=\xfc", "é", "ü", true},
		{"byte 0x80", "\x80=\x80", "\u0080", "\u0080", true},
		{"byte 0x80 in Latin-1", "x=a\x80b", "x", "a\u0080b", true},
		{"byte 0x80 in UTF-8", "x=\u0080\u00c0", "x", "\u0080\u00c0", true},
		{"byte 0x7f", "x=\x7f", "x", "\x7f", true},
		{"Latin-1 elsewhere in the query", "x=é&y=\xff", "x", "Ã©", true},
		{"Latin-1 and escaped UTF-8", "x=\xe9%C3%A9", "x", "éé", true},
		{"unescaped UTF-8 and an invalid escaped byte", "x=é%FF", "x", "é\ufffd", true},
		{"unescaped UTF-8 after an incomplete escaped rune", "x=%C3\u00e9", "x", "\ufffdé", true},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			got, ok := pagination.ParseQuery(tt.query).Get(tt.name)
			if got != tt.want || ok != tt.ok {
				t.Errorf("ParseQuery(%q).Get(%q) = %q, %t, want %q, %t", tt.query, tt.name, got, ok, tt.want, tt.ok)
			}
		})
	}
}

// TestQueryReplacesMaximalSubparts uses the examples of the Unicode standard, section
// 3.9, "U+FFFD Substitution of Maximal Subparts", and results of WHATWG decoders.
func TestQueryReplacesMaximalSubparts(t *testing.T) {
	const r = "\ufffd"
	for _, tt := range []struct{ reason, escaped, want string }{
		{"two of three bytes", "%E2%82", r},
		{"two of three bytes before text", "%E2%82A", r + "A"},
		{"one of two bytes before a rune", "%C3%C3%A9", r + "é"},
		{"three of four bytes", "%F0%9F%99", r},
		{"three of four bytes before a lead byte", "%F0%9F%99%E2%82%AC", r + "€"},
		{"bytes that never occur", "%FF%FE", r + r},
		{"surrogate", "%ED%A0%80", r + r + r},
		{"overlong, two bytes", "%C0%AF", r + r},
		{"overlong, three bytes", "%E0%80%AF", r + r + r},
		{"overlong, four bytes", "%F0%80%80%AF", r + r + r + r},
		{"above U+10FFFF", "%F4%90%80%80", r + r + r + r},
		{"last rune", "%F4%8F%BF%BF", "\U0010ffff"},
		{"continuation bytes only", "%80%BF", r + r},
		{"table 3-8: non-shortest forms", "%C0%AF%E0%80%BF%F0%81%82A", strings.Repeat(r, 8) + "A"},
		{"table 3-9: surrogates", "%ED%A0%80%ED%BF%BF%ED%AFA", strings.Repeat(r, 8) + "A"},
		{"table 3-10: other ill-formed", "%F4%91%92%93%FFA%80%BFB", strings.Repeat(r, 5) + "A" + r + r + "B"},
		{"table 3-11: truncated", "%E1%80%E2%F0%91%92%F1%BFA", r + r + r + r + "A"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			got, _ := pagination.ParseQuery("q=" + tt.escaped).Get("q")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// length returns the number of pairs of a query.
func length(q pagination.Query) (n int) {
	for range q.All() {
		n++
	}
	return n
}

func TestQueryPairs(t *testing.T) {
	for query, want := range map[string]int{
		"": 0, "&": 0, "&&&": 0, "=": 1, "a": 1, "a=1&a=2": 2, "&a=1&&b=2&": 2, "a;b": 1, "é=1&ü": 2,
	} {
		if got := length(pagination.ParseQuery(query)); got != want {
			t.Errorf("ParseQuery(%q) has %d pairs, want %d", query, got, want)
		}
	}
	if got := length(pagination.Query{}); got != 0 {
		t.Errorf("the zero Query has %d pairs, want none", got)
	}
}

func TestQueryEncode(t *testing.T) {
	for _, tt := range []struct{ reason, query, want string }{
		{"empty query", "", ""},
		{"only separators", "&&", ""},
		{"sorted by name, stable", "b=2&a=3&a=1", "a=3&a=1&b=2"},
		{"many, stable", "b=1" + strings.Repeat("&a=1&a=2", 10), strings.Repeat("a=1&a=2&", 10) + "b=1"},
		{"sorted by decoded name", "%62=1&a=2&%5A=3", "Z=3&a=2&b=1"},
		{"sorted by code point, not by UTF-16", "%F0%90%80%80=1&%EF%BF%BD=2", "%EF%BF%BD=2&%F0%90%80%80=1"},
		{"limit and offset", "offset=2&limit=5&limit=x", "limit=5&limit=x&offset=2"},
		{"unnecessary escapes", "%61=%7e", "a=~"},
		{"no name", "=5&=", "=5&="},
		{"byte 0x80", "\x80=\x80", "%C2%80=%C2%80"},
		{"unescaped UTF-8 interpreted as Latin-1", "x=\u00c0", "x=%C3%83%C2%80"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, pagination.ParseQuery(tt.query).Encode()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
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
	if diff := cmp.Diff(strings.Join(want, "&"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
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
		if diff := cmp.Diff(encoded, again.Encode()); diff != "" {
			t.Errorf("Encode() of the encoded query (-want +got):\n%s", diff)
		}
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
	if err != nil || !utf8.ValidString(raw) || !allValid(want) {
		return
	}
	for name, values := range want {
		last := values[len(values)-1]
		if got, ok := q.Get(name); got != last || !ok {
			t.Errorf("Get(%q) = %q, %t, want %q, true", name, got, ok, last)
		}
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r > 0x7f }) {
		return // Latin-1 in links
	}
	if diff := cmp.Diff(want.Encode(), q.Encode()); diff != "" {
		t.Errorf("Encode (-want +got):\n%s", diff)
	}
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
	w := pagination.Limits{}.Window(q)
	dst, _ = pagination.AppendNext(dst, base, q, w, 90)
	dst, _ = pagination.AppendPrevious(dst, base, q, w)
	return dst
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
		{"pairs and two links", 3, func() {
			q := pagination.ParseQuery(short)
			pagination.Links(base, q, pagination.Window{Limit: 21, Offset: 42}, 90)
		}},
		{"invalid numbers", 1, func() { pagination.Limits{}.Window(pagination.ParseQuery("limit=x&offset=999999999999999999999")) }},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			if got := testing.AllocsPerRun(100, tt.run); got > tt.want {
				t.Errorf("got %v allocations, want at most %v", got, tt.want)
			}
		})
	}
}

func BenchmarkRequest(b *testing.B) {
	for _, bb := range []struct{ name, raw string }{
		{"empty", ""},
		{"short", short},
		{"escaped", "format=json&limit=21&offset=42&ordering=-start_date%2Cname&q=caff%C3%A8+nero"},
		{"latin1", "limit=21&offset=42&q=caff\xe8"},
		{"1000pairs", strings.Repeat("b=2&a=1&", 500)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			dst := make([]byte, 0, 1<<16)
			b.ReportAllocs()
			for b.Loop() {
				serve(dst, bb.raw)
			}
		})
	}
}

func BenchmarkParseQuery(b *testing.B) {
	for _, bb := range []struct{ name, raw string }{
		{"short", short},
		{"1MBpairs", strings.Repeat("a&", 1<<19)},
		{"1MBseparators", strings.Repeat("&", 1<<20)},
		{"1MBescapes", strings.Repeat("%FF", 1<<20/3)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.raw)))
			b.ReportAllocs()
			for b.Loop() {
				pagination.ParseQuery(bb.raw)
			}
		})
	}
}
