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

func TestQueryLen(t *testing.T) {
	for query, want := range map[string]int{
		"": 0, "&": 0, "&&&": 0, "=": 1, "a": 1, "a=1&a=2": 2, "&a=1&&b=2&": 2, "a;b": 1, "é=1&ü": 2,
	} {
		if got := pagination.ParseQuery(query).Len(); got != want {
			t.Errorf("ParseQuery(%q).Len() = %d, want %d", query, got, want)
		}
	}
	if got := (pagination.Query{}).Len(); got != 0 {
		t.Errorf("Query{}.Len() = %d, want 0", got)
	}
}

func TestQueryEncode(t *testing.T) {
	for _, tt := range []struct{ reason, query, want string }{
		{"empty query", "", ""},
		{"only separators", "&&", ""},
		{"sorted by name, stable", "b=2&a=3&a=1", "a=3&a=1&b=2"},
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
		if q.Len() != len(parts) || again.Len() != len(parts) {
			t.Errorf("Len() = %d, of the encoded query %d, want %d", q.Len(), again.Len(), len(parts))
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
