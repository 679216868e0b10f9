package browse

import (
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
)

func TestNewCell(t *testing.T) {
	v := &view{browser: &browser{}, c: &collection{}}
	long := strings.Repeat("w", 10_000)
	tests := []struct {
		reason, value string
		want          cell
	}{
		{"null", `null`, cell{Class: "null", Text: "–"}},
		{"true", `true`, cell{Class: "flag", Text: "✓"}},
		{"a number keeps its digits", `12345678901234567890.10`, cell{Class: "number", Text: "12345678901234567890.10"}},
		{"empty string", `""`, cell{Class: "text"}},
		{"short text", `"a \u003cb> c"`, cell{Class: "text", Text: "a <b> c"}},
		{"text", `"A family's story that starts at its end."`, cell{Class: "text", Text: "A family's story that starts at its end."}},
		{"long text is cut at a space", `"` + strings.Repeat("word ", 30) + `"`,
			cell{Class: "text", Text: strings.Repeat("word ", 8) + "word…"}},
		{"a long word is cut anywhere", `"` + long + `"`, cell{Class: "text", Text: long[:48] + "…"}},
		{"text is cut between characters", `"` + strings.Repeat("é", 100) + `"`, cell{Class: "text", Text: strings.Repeat("é", 48) + "…"}},
		{"several lines", `"one\ntwo"`, cell{Class: "text", Text: "one…"}},
		{"HTML", `"<p>Free <em>entry</em></p>"`, cell{Class: "text", Text: "<p>Free <em>entry</em></p>"}},
		{"time with offset", `"2026-05-10T18:00:00+02:00"`, cell{Class: "time", Text: "10 May 2026, 16:00 UTC", Exact: "2026-05-10T18:00:00+02:00"}},
		{"the same instant with another offset", `"2026-05-10T23:45:00+07:45"`, cell{Class: "time", Text: "10 May 2026, 16:00 UTC", Exact: "2026-05-10T23:45:00+07:45"}},
		{"time of another day in UTC", `"2026-01-01T00:30:00+01:00"`, cell{Class: "time", Text: "31 Dec 2025, 23:30 UTC", Exact: "2026-01-01T00:30:00+01:00"}},
		{"time in UTC", `"2026-12-01T08:05:06.123456Z"`, cell{Class: "time", Text: "1 Dec 2026, 08:05 UTC", Exact: "2026-12-01T08:05:06.123456Z"}},
		{"date", `"2007-03-17"`, cell{Class: "time", Text: "17 Mar 2007", Exact: "2007-03-17"}},
		{"invalid date", `"2007-02-30"`, cell{Class: "text", Text: "2007-02-30"}},
		{"invalid time", `"2026-05-10T25:00:00+02:00"`, cell{Class: "text", Text: "2026-05-10T25:00:00+02:00"}},
		{"URL", `"https://x.example/a/b/?q=1"`, cell{Class: "text", Text: "https://x.example/a/b/?q=1", Link: "https://x.example/a/b/?q=1"}},
		{"URL of an image", `"https://cdn.x.example/media/poster/c5a7042d.jpg"`, cell{Class: "text", Text: "https://cdn.x.example/media/poster/c5a7042d.jpg", Link: "https://cdn.x.example/media/poster/c5a7042d.jpg"}},
		{"price", `"12.50"`, cell{Class: "number", Text: "12.50"}},
		{"negative amount", `"-0.5"`, cell{Class: "number", Text: "-0.5"}},
		{"digits without a point", `"9788800000000"`, cell{Class: "text", Text: "9788800000000"}},
		{"version", `"1.2.3"`, cell{Class: "text", Text: "1.2.3"}},
		{"digits on one side of the point", `".5"`, cell{Class: "text", Text: ".5"}},
		{"other digits", `"٣.٥"`, cell{Class: "text", Text: "٣.٥"}},
		{"price with a currency", `"12.50 EUR"`, cell{Class: "text", Text: "12.50 EUR"}},
		{"javascript URL", `"javascript:alert(1)"`, cell{Class: "text", Text: "javascript:alert(1)"}},
		{"URL with another scheme", `"ftp://x.example/a"`, cell{Class: "text", Text: "ftp://x.example/a"}},
		{"empty list", `[]`, cell{Class: "null", Text: "–"}},
		{"list of ids", `[1,2, 30]`, cell{Class: "text", Text: "1, 2, 30"}},
		{"list of mixed values", `["a","b",null,true]`, cell{Class: "text", Text: "a, b, –, ✓"}},
		{"list of times and URLs", `["2007-03-17","https://x.example/a/",null]`, cell{Class: "text", Text: "17 Mar 2007, https://x.example/a/, –"}},
		{"list of objects", `[{"a":1},{"a":2}]`, cell{Class: "list", Text: "2 items"}},
		{"list with one list", `["a",[1]]`, cell{Class: "list", Text: "2 items"}},
		{"object", `{"city":"Torino","zip":null,"note":"","more":[1],"country":"IT"}`,
			cell{Class: "object", Text: "city Torino · country IT"}},
		{"object without scalars", `{"a":{"b":null}}`, cell{Class: "object", Text: "1 item"}},
		{"empty object", `{}`, cell{Class: "null", Text: "–"}},
		{"long object", `{"a":"` + long + `"}`, cell{Class: "object", Text: "a " + long[:46] + "…"}},
		{"too deep to be indented", strings.Repeat("[", 500) + strings.Repeat("]", 500), cell{Class: "list", Text: "1 item"}},
		{"lone surrogate", `"\ud800"`, cell{Class: "text", Text: "\uFFFD"}},
	}
	for _, test := range tests {
		equal(t, test.reason, test.want, v.show(test.value, schema.Field{}, 0))
	}
}

// The page of a record shows whole values. Objects and lists of them have parts, unless they are
// long or deep.
func TestWholeCell(t *testing.T) {
	v := &view{browser: &browser{}, c: &collection{}, id: "1"}
	long := strings.Repeat("w", maxParts)
	deep := cell{Class: "json", Text: "{\n\t\"a\": {\n\t\t\"a\": 1\n\t}\n}"}
	for range maxDepth {
		deep.Label = "A"
		deep = cell{Class: "object", Text: "1 item", Parts: []cell{deep}}
	}
	for _, test := range []struct {
		reason, value string
		want          cell
	}{
		{"text", `"` + long + `\nx"`, cell{Class: "text", Text: long + "\nx"}},
		{"URL", `"https://x.example/a/?q=1"`, cell{Class: "text", Text: "https://x.example/a/?q=1", Link: "https://x.example/a/?q=1"}},
		{"list of scalars", `["a",1]`, cell{Class: "text", Text: "a, 1"}},
		{"object", `{"zipCode":"1","sizes":[1,2]}`, cell{Class: "object", Text: "zip code 1", Parts: []cell{{Class: "text", Text: "1", Label: "Zip code"}, {Class: "text", Text: "1, 2", Label: "Sizes"}}}},
		{"list of objects", `[{"a":1},{}]`, cell{Class: "list", Text: "2 items", Parts: []cell{
			{Class: "object", Text: "a 1", Label: "“”", Parts: []cell{{Class: "number", Text: "1", Label: "A"}}}, {Class: "null", Text: "–", Label: "“”"}}}},
		{"long object", `{"a":"` + long + `"}`, cell{Class: "json", Text: "{\n\t\"a\": \"" + long + "\"\n}"}},
		{"deep object", strings.Repeat(`{"a":`, maxDepth+2) + "1" + strings.Repeat("}", maxDepth+2), deep},
	} {
		equal(t, test.reason, test.want, v.show(test.value, schema.Field{}, 0))
	}
}

func TestCellsWithLinks(t *testing.T) {
	c := &collection{Description: schema.Description{Segment: "x", Actions: schema.AllActions}}
	many := "[" + strings.Repeat("1,", maxLinks) + "1]"
	tests := []struct {
		reason, value string
		want          []string
	}{
		{"id", `7`, []string{"../../x/7/"}},
		{"list of ids", `[7,8]`, []string{"../../x/7/", "../../x/8/"}},
		{"null", `null`, nil},
		{"empty list", `[]`, nil},
		{"too many ids", many, nil},
		{"as many ids as possible", many[:len(many)-3] + "]", slices.Repeat([]string{"../../x/1/"}, maxLinks)},
		{"zero", `0`, nil},
		{"negative id in a list", `[7,-8]`, nil},
		{"text of an id", `"7"`, []string{"../../x/7/"}},
		{"text", `"a"`, nil},
		{"path", `"../../evil"`, nil},
		{"fraction", `7.5`, nil},
		{"list of mixed values", `[7,null,"x"]`, nil},
		{"object", `{"id":7}`, nil},
		{"too large", `99999999999999999999`, nil},
	}
	for _, test := range tests {
		v := &view{browser: &browser{byKey: map[string]*collection{"x": c}}, c: c, id: "1",
			known: map[referred]*known{{c, ""}: {whole: true, named: map[string]option{"7": {Label: "<b>", segment: "7"}}}}}
		got := v.show(test.value, schema.Field{Refers: "x"}, 0)
		var targets []string
		tags, _ := parse(string(got.Links))
		for _, tag := range (result{tags: tags}).find("a", "href", "*") {
			targets = append(targets, tag.attrs["href"])
		}
		equal(t, test.reason, test.want, targets)
	}
}
