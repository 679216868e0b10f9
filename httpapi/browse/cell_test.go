package browse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCells(t *testing.T) {
	long := strings.Repeat("w", 10_000)
	tests := []struct {
		reason, value string
		want          cell
	}{
		{"null", `null`, cell{Class: "null", Text: "null"}},
		{"true", `true`, cell{Class: "flag", Text: "true"}},
		{"a number keeps its digits", `12345678901234567890.10`, cell{Class: "number", Text: "12345678901234567890.10"}},
		{"no text", `""`, cell{Class: "short"}},
		{"short text", `"a \u003cb> c"`, cell{Class: "short", Text: "a <b> c"}},
		{"text", `"A family's story that starts at its end."`, cell{Class: "text", Text: "A family's story that starts at its end."}},
		{"long text is cut at a space", `"` + strings.Repeat("word ", 30) + `"`,
			cell{Class: "text", Text: strings.Repeat("word ", 13) + "word…", Whole: strings.Repeat("word ", 30)}},
		{"a long word is cut where it must be", `"` + long + `"`, cell{Class: "text", Text: long[:72] + "…", Whole: long}},
		{"between characters, not bytes", `"` + strings.Repeat("é", 100) + `"`, cell{Class: "text", Text: strings.Repeat("é", 72) + "…", Whole: strings.Repeat("é", 100)}},
		{"the first line", `"one\ntwo"`, cell{Class: "text", Text: "one…", Whole: "one\ntwo"}},
		{"HTML: its words, and all of it", `"<p>Free <em>entry</em>, few &amp; good.</p><p>Seats</p>"`,
			cell{Class: "text", Text: "Free entry, few & good. Seats", Whole: "<p>Free <em>entry</em>, few &amp; good.</p><p>Seats</p>"}},
		{"HTML without words", `"<br>"`, cell{Class: "short", Text: "<br>"}},
		{"a sign is no tag", `"<5 and 7>"`, cell{Class: "short", Text: "<5 and 7>"}},
		{"a tag inside is no fragment", `"a <b>c</b> d"`, cell{Class: "short", Text: "a <b>c</b> d"}},
		{"a script is words, and all of it", `"<script>alert(1)</script>"`, cell{Class: "text", Text: "alert(1)", Whole: "<script>alert(1)</script>"}},
		{"a time with its offset", `"2026-05-10T18:00:00+02:00"`, cell{Class: "time", Text: "10 May 2026, 18:00 +02:00", Exact: "2026-05-10T18:00:00+02:00"}},
		{"a time in UTC", `"2026-12-01T08:05:06.123456Z"`, cell{Class: "time", Text: "1 Dec 2026, 08:05 UTC", Exact: "2026-12-01T08:05:06.123456Z"}},
		{"a day", `"2007-03-17"`, cell{Class: "time", Text: "17 Mar 2007", Exact: "2007-03-17"}},
		{"no such day", `"2007-02-30"`, cell{Class: "short", Text: "2007-02-30"}},
		{"no such time", `"2026-05-10T25:00:00+02:00"`, cell{Class: "short", Text: "2026-05-10T25:00:00+02:00"}},
		{"a page", `"https://x.example/a/b/?q=1"`, cell{Class: "short", Text: "x.example/a/b", Link: "https://x.example/a/b/?q=1"}},
		{"an image", `"https://cdn.x.example/media/poster/c5a7042d.jpg"`, cell{Class: "short", Text: "c5a7042d.jpg", Link: "https://cdn.x.example/media/poster/c5a7042d.jpg"}},
		{"a URL that runs", `"javascript:alert(1)"`, cell{Class: "short", Text: "javascript:alert(1)"}},
		{"a URL of another kind", `"ftp://x.example/a"`, cell{Class: "short", Text: "ftp://x.example/a"}},
		{"a URL without a host", `"https:///a"`, cell{Class: "short", Text: "https:///a"}},
		{"no URL", `"https://%zz"`, cell{Class: "short", Text: "https://%zz"}},
		{"no elements", `[]`, cell{Class: "null", Text: "[]"}},
		{"ids", `[1,2, 30]`, cell{Class: "short", Text: "1, 2, 30"}},
		{"texts and others", `["a","b",null,true]`, cell{Class: "short", Text: "a, b, null, true"}},
		{"a list of objects", `[{"a":1}]`, cell{Class: "json", Text: `[{"a":1}]`}},
		{"a list of lists", `[[1],[2]]`, cell{Class: "json", Text: `[[1],[2]]`}},
		{"an object", `{"a":{"b":null}}`, cell{Class: "json", Text: `{"a":{"b":null}}`}},
		{"a long object, with its lines", `{"a":"` + long + `"}`, cell{Class: "json", Text: `{"a":"` + long[:66] + "…", Whole: "{\n\t\"a\": \"" + long + "\"\n}"}},
		{"too deep to be laid out", strings.Repeat("[", 50) + strings.Repeat("]", 50), cell{Class: "json", Text: strings.Repeat("[", 50) + strings.Repeat("]", 22) + "…", Whole: strings.Repeat("[", 50) + strings.Repeat("]", 50)}},
		{"half a surrogate pair", `"\ud800"`, cell{Class: "short", Text: "\uFFFD"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, newCell([]byte(test.value))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestHeadings(t *testing.T) {
	for name, want := range map[string]string{
		"itemVariants": "Item variants", "item_variants": "Item variants", "social-links": "Social links", "startDate": "Start date",
		"id": "ID", "url": "URL", "été": "Été", "": "“”", " ": "“ ”", "__": "“__”", "x": "X",
	} {
		if got := heading(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}
