package pagination_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

func TestQueryGet(t *testing.T) {
	for _, tt := range []struct {
		reason, query, name string
		want                string
		ok                  bool
	}{
		{"the empty query", "", "x", "", false},
		{"no such name", "y=1", "x", "", false},
		{"a value", "x=1", "x", "1", true},
		{"the last of several", "x=1&y=2&x=3&z=4", "x", "3", true},
		{"the last though it is empty", "x=1&x", "x", "", true},
		{"no equals sign", "x", "x", "", true},
		{"two equals signs", "x=a=b", "x", "a=b", true},
		{"no name", "=5", "", "5", true},
		{"an empty part is no pair", "&&", "", "", false},
		{"a semicolon is text", "x=1;y=2", "x", "1;y=2", true},
		{"case counts", "X=1", "x", "", false},
		{"an escaped name", "%6Cimit=5", "limit", "5", true},
		{"an escaped ampersand does not split", "x=a%26b%3Dc", "x", "a&b=c", true},
		{"plus is a space, in a name too", "a+b=c+d", "a b", "c d", true},
		{"an escaped plus is none", "x=%2B", "x", "+", true},
		{"lower-case escapes", "x=%c3%a9", "x", "é", true},
		{"decoded once", "x=%2541", "x", "%41", true},
		{"half a broken escape", "x=%2", "x", "%2", true},
		{"a broken escape before a good one", "x=%%41", "x", "%A", true},
		{"a broken escape that is no number", "x=%zz%g0%0g", "x", "%zz%g0%0g", true},
		{"a hash is text", "x=a#b&y=2", "y", "2", true},
		{"control characters are text", "x=\x00\n", "x", "\x00\n", true},
		{"unescaped UTF-8", "é=日本", "é", "日本", true},
		{"unescaped Latin-1", "\xe9=\xfc", "é", "ü", true},
		{"the first byte that is not ASCII, alone", "\x80=\x80", "\u0080", "\u0080", true},
		{"the first byte that is not ASCII, in Latin-1 text", "x=a\x80b", "x", "a\u0080b", true},
		{"the first byte that is not ASCII, in UTF-8", "x=\u0080\u00c0", "x", "\u0080\u00c0", true},
		{"the last byte that is ASCII", "x=\x7f", "x", "\x7f", true},
		{"Latin-1 if anything is not UTF-8", "x=é&y=\xff", "x", "Ã©", true},
		{"escapes are UTF-8 even beside Latin-1", "x=\xe9%C3%A9", "x", "éé", true},
		{"a bad escape does not make unescaped bytes Latin-1", "x=é%FF", "x", "é\ufffd", true},
		{"half an escaped rune and unescaped bytes do not join", "x=%C3\u00e9", "x", "\ufffdé", true},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			got, ok := pagination.ParseQuery(tt.query).Get(tt.name)
			if got != tt.want || ok != tt.ok {
				t.Errorf("ParseQuery(%q).Get(%q) = %q, %t; want %q, %t", tt.query, tt.name, got, ok, tt.want, tt.ok)
			}
		})
	}
}

// The rows are of the Unicode standard, section 3.9, "U+FFFD Substitution of
// Maximal Subparts", and of what WHATWG's decoder makes of the same bytes.
func TestQueryReplacesMaximalSubparts(t *testing.T) {
	const r = "\ufffd"
	for _, tt := range []struct{ reason, escaped, want string }{
		{"two of three bytes", "%E2%82", r},
		{"two of three bytes before text", "%E2%82A", r + "A"},
		{"one of two bytes before a rune", "%C3%C3%A9", r + "é"},
		{"three of four bytes", "%F0%9F%99", r},
		{"three of four bytes before a lead byte", "%F0%9F%99%E2%82%AC", r + "€"},
		{"bytes that never occur", "%FF%FE", r + r},
		{"a surrogate", "%ED%A0%80", r + r + r},
		{"overlong, two bytes", "%C0%AF", r + r},
		{"overlong, three bytes", "%E0%80%AF", r + r + r},
		{"overlong, four bytes", "%F0%80%80%AF", r + r + r + r},
		{"behind U+10FFFF", "%F4%90%80%80", r + r + r + r},
		{"the last rune", "%F4%8F%BF%BF", "\U0010ffff"},
		{"continuation alone", "%80%BF", r + r},
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

func TestQueryLen(t *testing.T) {
	for query, want := range map[string]int{
		"": 0, "&": 0, "&&&": 0, "=": 1, "a": 1, "a=1&a=2": 2, "&a=1&&b=2&": 2, "a;b": 1, "é=1&ü": 2,
	} {
		if got := pagination.ParseQuery(query).Len(); got != want {
			t.Errorf("ParseQuery(%q).Len() = %d, want %d", query, got, want)
		}
	}
	if got := (pagination.Query{}).Len(); got != 0 {
		t.Errorf("zero Query: Len() = %d", got)
	}
}

func TestQueryEncode(t *testing.T) {
	for _, tt := range []struct{ reason, query, want string }{
		{"the empty query", "", ""},
		{"nothing but separators", "&&", ""},
		{"sorted by name, values in their order", "b=2&a=3&a=1", "a=3&a=1&b=2"},
		{"sorted decoded", "%62=1&a=2&%5A=3", "Z=3&a=2&b=1"},
		{"sorted by code point, not by UTF-16", "%F0%90%80%80=1&%EF%BF%BD=2", "%EF%BF%BD=2&%F0%90%80%80=1"},
		{"limit and offset are as all else", "offset=2&limit=5&limit=x", "limit=5&limit=x&offset=2"},
		{"escapes that are not needed", "%61=%7e", "a=~"},
		{"no name", "=5&=", "=5&="},
		{"the first byte that is not ASCII", "\x80=\x80", "%C2%80=%C2%80"},
		{"the first byte that is not ASCII, in UTF-8, is Latin-1 all the same", "x=\u00c0", "x=%C3%83%C2%80"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, pagination.ParseQuery(tt.query).Encode()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// More pairs than are sorted without allocation.
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

// seedQueries are the kinds of queries that drf.md knows.
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
			t.Errorf("Encode: %q", encoded)
		}
		again := pagination.ParseQuery(encoded)
		if diff := cmp.Diff(encoded, again.Encode()); diff != "" {
			t.Errorf("Encode is no fixed point (-want +got):\n%s", diff)
		}
		parts := slices.DeleteFunc(strings.Split(raw, "&"), func(s string) bool { return s == "" })
		if q.Len() != len(parts) || again.Len() != len(parts) {
			t.Errorf("Len() = %d, of what it encodes to %d; want %d", q.Len(), again.Len(), len(parts))
		}
		compareWithNetURL(t, raw, q)
	})
}

// compareWithNetURL checks a query that net/url understands as we do: without
// semicolons and broken escapes, and well-formed UTF-8 both raw and decoded.
func compareWithNetURL(t *testing.T, raw string, q pagination.Query) {
	want, err := url.ParseQuery(raw)
	if err != nil || !utf8.ValidString(raw) || !allValid(want) {
		return
	}
	for name, values := range want {
		last := values[len(values)-1]
		if got, ok := q.Get(name); got != last || !ok {
			t.Errorf("Get(%q) = %q, %t; want %q", name, got, ok, last)
		}
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r > 0x7f }) {
		return // links read it as Latin-1
	}
	if diff := cmp.Diff(want.Encode(), q.Encode()); diff != "" {
		t.Errorf("Encode (-want +got):\n%s", diff)
	}
}

// isClean tells whether s consists of what a link's query may.
func isClean(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~%+=&", r)
	})
}
