package browse

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewCell(t *testing.T) {
	long := strings.Repeat("w", 10_000)
	tests := []struct {
		reason, value string
		want          cell
	}{
		{"null", `null`, cell{Class: "null", Text: "null"}},
		{"true", `true`, cell{Class: "flag", Text: "true"}},
		{"a number keeps its digits", `12345678901234567890.10`, cell{Class: "number", Text: "12345678901234567890.10"}},
		{"empty string", `""`, cell{Class: "short"}},
		{"short text", `"a \u003cb> c"`, cell{Class: "short", Text: "a <b> c"}},
		{"text", `"A family's story that starts at its end."`, cell{Class: "text", Text: "A family's story that starts at its end."}},
		{"long text is cut at a space", `"` + strings.Repeat("word ", 30) + `"`,
			cell{Class: "text", Text: strings.Repeat("word ", 13) + "word…", Whole: strings.Repeat("word ", 30)}},
		{"a long word is cut anywhere", `"` + long + `"`, cell{Class: "text", Text: long[:72] + "…", Whole: long}},
		{"text is cut between characters", `"` + strings.Repeat("é", 100) + `"`, cell{Class: "text", Text: strings.Repeat("é", 72) + "…", Whole: strings.Repeat("é", 100)}},
		{"several lines", `"one\ntwo"`, cell{Class: "text", Text: "one…", Whole: "one\ntwo"}},
		{"HTML", `"<p>Free <em>entry</em>, few &amp; good.</p><p>Seats</p>"`,
			cell{Class: "text", Text: "Free entry, few & good. Seats", Whole: "<p>Free <em>entry</em>, few &amp; good.</p><p>Seats</p>"}},
		{"HTML without words", `"<br>"`, cell{Class: "short", Text: "<br>"}},
		{"less-than sign", `"<5 and 7>"`, cell{Class: "short", Text: "<5 and 7>"}},
		{"tag inside text", `"a <b>c</b> d"`, cell{Class: "short", Text: "a <b>c</b> d"}},
		{"script", `"<script>alert(1)</script>"`, cell{Class: "text", Text: "alert(1)", Whole: "<script>alert(1)</script>"}},
		{"time with offset", `"2026-05-10T18:00:00+02:00"`, cell{Class: "time", Text: "10 May 2026, 18:00 +02:00", Exact: "2026-05-10T18:00:00+02:00"}},
		{"time in UTC", `"2026-12-01T08:05:06.123456Z"`, cell{Class: "time", Text: "1 Dec 2026, 08:05 UTC", Exact: "2026-12-01T08:05:06.123456Z"}},
		{"date", `"2007-03-17"`, cell{Class: "time", Text: "17 Mar 2007", Exact: "2007-03-17"}},
		{"invalid date", `"2007-02-30"`, cell{Class: "short", Text: "2007-02-30"}},
		{"invalid time", `"2026-05-10T25:00:00+02:00"`, cell{Class: "short", Text: "2026-05-10T25:00:00+02:00"}},
		{"URL", `"https://x.example/a/b/?q=1"`, cell{Class: "short", Text: "x.example/a/b", Link: "https://x.example/a/b/?q=1"}},
		{"URL of an image", `"https://cdn.x.example/media/poster/c5a7042d.jpg"`, cell{Class: "short", Text: "c5a7042d.jpg", Link: "https://cdn.x.example/media/poster/c5a7042d.jpg"}},
		{"price", `"12.50"`, cell{Class: "number", Text: "12.50"}},
		{"negative amount", `"-0.5"`, cell{Class: "number", Text: "-0.5"}},
		{"digits without a point", `"9788800000000"`, cell{Class: "short", Text: "9788800000000"}},
		{"version", `"1.2.3"`, cell{Class: "short", Text: "1.2.3"}},
		{"digits on one side of the point", `".5"`, cell{Class: "short", Text: ".5"}},
		{"other digits", `"٣.٥"`, cell{Class: "short", Text: "٣.٥"}},
		{"price with a currency", `"12.50 EUR"`, cell{Class: "short", Text: "12.50 EUR"}},
		{"javascript URL", `"javascript:alert(1)"`, cell{Class: "short", Text: "javascript:alert(1)"}},
		{"URL with another scheme", `"ftp://x.example/a"`, cell{Class: "short", Text: "ftp://x.example/a"}},
		{"URL without a host", `"https:///a"`, cell{Class: "short", Text: "https:///a"}},
		{"invalid URL", `"https://%zz"`, cell{Class: "short", Text: "https://%zz"}},
		{"empty list", `[]`, cell{Class: "null", Text: "[]"}},
		{"list of ids", `[1,2, 30]`, cell{Class: "short", Text: "1, 2, 30"}},
		{"list of mixed values", `["a","b",null,true]`, cell{Class: "short", Text: "a, b, null, true"}},
		{"list of objects", `[{"a":1}]`, cell{Class: "json", Text: `[{"a":1}]`}},
		{"list of lists", `[[1],[2]]`, cell{Class: "json", Text: `[[1],[2]]`}},
		{"object", `{"a":{"b":null}}`, cell{Class: "json", Text: `{"a":{"b":null}}`}},
		{"long object", `{"a":"` + long + `"}`, cell{Class: "json", Text: `{"a":"` + long[:66] + "…", Whole: "{\n\t\"a\": \"" + long + "\"\n}"}},
		{"too deep to be indented", strings.Repeat("[", 50) + strings.Repeat("]", 50), cell{Class: "json", Text: strings.Repeat("[", 50) + strings.Repeat("]", 22) + "…", Whole: strings.Repeat("[", 50) + strings.Repeat("]", 50)}},
		{"lone surrogate", `"\ud800"`, cell{Class: "short", Text: "\uFFFD"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, newCell([]byte(test.value))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %s, want %s", n, got, want)
		}
	}
}
