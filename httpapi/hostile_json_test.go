package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

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
			stored := house.Events().Count() + house.SocialLinks().Count()
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
