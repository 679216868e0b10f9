package infer_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/infer"
)

// TestErrors reads texts that are not valid. Each error says where, and what to do.
func TestErrors(t *testing.T) {
	bomb := packed(t, "["+strings.Repeat(" ", 128<<20)+"]")
	for _, row := range []struct{ reason, text, want string }{
		{"empty", "", `the text is empty: want collections such as {"posts": []}`},
		{"white space", " \n", "the text is empty"},
		{"null", "null", "line 1, column 1: no records: want collections"},
		{"number", "5", "no records: want collections"},
		{"no members", "{}", "no records: want collections"},
		{"list of lists", "[[1],[2]]", "no records: want collections"},
		{"list of texts", `["a"]`, "no records: want collections"},
		{"a comma too many", "{\"posts\":[\n{\"id\":1,}]}", "line 2, column 9: unexpected character '}'"},
		{"a comment", "// posts\n{}", "line 1, column 1: unexpected character '/'"},
		{"single quotes", "{'posts':[]}", "texts in double quotes"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "invalid UTF-8"},
		{"cut", `{"posts":[{"id":1}`, "line 1, column 19: unexpected end"},
		{"something after the text", `{"posts":[]} x`, "line 1, column 14"},
		{"a line of JSON lines", "{\"a\":1}\n{\"a\":}\n", "line 2, column 6"},
		{"a record of JSON lines", "{\"a\":1}\n\n  {\"id\":[]}\n", "line 3, column 3: f: the id is []: want a number or a text, or no id"},
		{"something else among records", "{\"posts\":[{\"id\":1},\n 5]}", `line 2, column 2: posts: want an object such as {"title": "a"}, as the first one is`},
		{"the same id", "{\"posts\":[{\"id\":1},\n{\"id\":1}]}", "line 2, column 1: posts: the id 1 is that of the record in line 1, too"},
		{"a text beside its number", "{\"posts\":[{\"id\":1},\n{\"id\":\"1\"}]}", `line 2, column 1: posts: the id "1" is that of the record in line 1, too: change one of them`},
		{"a number beside its text", "{\"posts\":[{\"id\":\"1\"},\n{\"id\":1}]}", `line 2, column 1: posts: the id 1 is that of the record in line 1, too`},
		{"an empty id", `{"posts":[{"id":""}]}`, `posts: the id is "": want a number or a text, or no id`},
		{"an object as id", `{"posts":[{"id":{"$oid":"5","a":1}}]}`, `the id is {"$oid":"5","a":1}: want a number`},
		{"an object in place of the text of an id", `{"posts":[{"id":{"$oid":5}}]}`, `the id is {"$oid":5}: want a number`},
		{"ids that are not the names of the records", `{"a":{"x":{"id":1,"key":1,"nameInFile":1},"y":{"id":2,"key":2,"nameInFile":2}}}`, `line 1, column 11: a: the id of "x" is 1: want the same text, or another member as the id`},
		{"no id is left", `[{"id":9223372036854775807},{"a":1}]`, "line 1, column 29: f: no id is left"},
		{"a repeated name", "[{\"a\":1},\n {\"a\":1,\"a\":2}]", `line 2, column 2: f: member "a": is repeated: correct`},
		{"a repeated name inside", `[{"a":{"b":1,"b":2}}]`, `member "a": name "b" is repeated in an object`},
		{"an unpaired surrogate", `[{"a":"\ud800"}]`, `member "a": unpaired surrogate`},
		{"two names of one field", "[{\"a\":1},\n{\"unitPrice\":1,\"unit_price\":2}]", `f: record 1: invalid record: the name of both "unitPrice" and "unit_price" is "unit_price" in snake_case: rename one`},
		{"a repeated collection", "{\"posts\":[{}],\n\"posts\":[]}", `line 2, column 9: the collection "posts" is there twice`},
		{"two collections with one path", `{"a/b":[{}],"a-b":[]}`, `the collection "a-b" has the path of "a/b": rename one of them`},
		{"a name with control characters", `{"a\u007f":[{}]}`, `line 1, column 12: the collection "a\x7f" has no path: rename it`},
		{"a name with half a character", `{"\ud800":[{}]}`, `line 1, column 11: the collection "\xed\xa0\x80" has no path: rename it`},
		{"a collection without a name", `{"":[{}]}`, `the collection "" has no path: rename it`},
		{"deep", `[{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}]`, "line 1, column 2: f: the record is nested deeper than the limit of 200: flatten it"},
		{"too much in gzip", bomb, "gzip unpacks it to more than"},
		{"cut gzip", packed(t, smallFile)[:30], "unexpected EOF: pack it again"},
	} {
		_, err := infer.Read(strings.NewReader(row.text), infer.Options{Name: "f"})
		if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error\n%v, want\n%s", row.reason, err, row.want)
		}
	}
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
