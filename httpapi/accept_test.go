package httpapi

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// indented is an empty page with n spaces a level.
func indented(n int) string {
	s := strings.Repeat(" ", n)
	return "{\n" + s + "\"count\": 0,\n" + s + "\"next\": null,\n" + s + "\"previous\": null,\n" + s + "\"results\": []\n}"
}

func TestAccept(t *testing.T) {
	const no = -1 // not acceptable
	tests := []struct {
		reason string
		accept []string
		indent int
	}{
		{"absent is */*", nil, 0},
		{"empty is nothing", []string{""}, no},
		{"anything", []string{"*/*"}, 0},
		{"the type itself", []string{"application/json"}, 0},
		{"range of subtypes", []string{"application/*"}, 0},
		{"range of types", []string{"*/json"}, 0},
		{"other type", []string{"text/html"}, no},
		{"other range", []string{"text/*"}, no},
		{"second alternative", []string{"text/html, */*"}, 0},
		{"a browser", []string{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}, 0},
		{"quality 0 does not count", []string{"application/json;q=0"}, 0},
		{"quality 0 of anything", []string{"*/*;q=0"}, 0},
		{"quality 0 beside another type", []string{"application/json;q=0, text/html"}, 0},
		{"lower quality", []string{"image/png;q=1, application/json;q=0.1"}, 0},
		{"other subtype", []string{"application/xml"}, no},
		{"structured suffix is another subtype", []string{"application/vnd.api+json"}, no},
		{"case", []string{"APPLICATION/JSON"}, 0},
		{"long s is not an s", []string{"application/jſon"}, no},
		{"unknown parameter", []string{"application/json; version=1"}, 0},
		{"charset", []string{"application/json;charset=utf-8"}, 0},
		{"indent", []string{"application/json; indent=2"}, 2},
		{"indent without space", []string{"application/json;indent=4"}, 4},
		{"spaces everywhere", []string{"application/json ; indent = 2"}, 2},
		{"indent of a range", []string{"*/*; indent=2"}, 2},
		{"indent of a range of subtypes", []string{"application/*; indent=1"}, 1},
		{"at most 8", []string{"application/json; indent=9"}, 8},
		{"8 itself", []string{"application/json; indent=8"}, 8},
		{"beyond any integer", []string{"application/json; indent=99999999999999999999999"}, 8},
		{"0 is none", []string{"application/json; indent=0"}, 0},
		{"negative is none", []string{"application/json; indent=-1"}, 0},
		{"no number", []string{"application/json; indent=x"}, 0},
		{"no digits", []string{"application/json; indent=+"}, 0},
		{"a plus sign", []string{"application/json; indent=+3"}, 3},
		{"empty", []string{"application/json; indent="}, 0},
		{"without =", []string{"application/json; indent"}, 0},
		{"quoted", []string{`application/json; indent="3"`}, 3},
		{"the last of two", []string{"application/json; indent=3; indent=5"}, 5},
		{"name in upper case", []string{"application/json; INDENT=3"}, 3},
		{"semicolon in quotes", []string{`application/json; x="a;indent=2"; indent=4`}, 4},
		{"quality and indent", []string{"application/json; q=0.5; indent=2"}, 2},
		{"the more specific wins, and asks for no indent", []string{"*/*; indent=2, application/json"}, 0},
		{"parameters make it more specific", []string{"application/json, application/json;indent=2"}, 2},
		{"q alone does not", []string{"application/*;indent=2, application/json;q=1"}, 0},
		{"range of subtypes before range of types", []string{"*/*;indent=1, application/*;indent=2"}, 2},
		{"a star is no range", []string{"*"}, no},
		{"main type alone", []string{"application"}, no},
		{"a slash", []string{"/"}, no},
		{"subtype alone", []string{"json"}, no},
		{"a comma", []string{","}, no},
		{"comma at the end", []string{"application/json,"}, 0},
		{"comma and space at the end", []string{"application/json, "}, 0},
		{"semicolon at the end", []string{"application/json;"}, 0},
		{"another type with parameters", []string{"text/html;level=1, application/json"}, 0},
		{"a second slash belongs to the subtype", []string{"application/json/x"}, no},
		{"two headers are one", []string{"text/html", "application/json;indent=1"}, 1},
		{"two headers, an empty one", []string{"", "*/*"}, 0},
	}
	h := newTestHandler(t, Options{}, nil)
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			want := answer{200, viewHeader("Accept", readMethods, 0), emptyPage}
			switch {
			case test.indent == no:
				want.Status, want.Body = 406, notAcceptable
			case test.indent > 0:
				want.Body = indented(test.indent)
			}
			want.Header["Content-Length"] = strconv.Itoa(len(want.Body))
			got := call{target: "/api/news/", header: accept(test.accept...)}.do(h)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Accept %q (-want +got):\n%s", test.accept, diff)
			}
		})
	}
}

func TestIndentedErrors(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	indent := accept("application/json; indent=2")
	tests := []struct {
		reason string
		call   call
		want   string
	}{
		{"method", call{method: "PUT", target: "/api/events/"}, "{\n  \"detail\": \"Method \\\"PUT\\\" not allowed.\"\n}"},
		{"credentials", call{method: "POST", target: "/api/events/"}, "{\n  \"detail\": \"Authentication credentials were not provided.\"\n}"},
		{"format comes before Accept", call{target: "/api/events/?format=xml"}, notFound},
		{"no route", call{target: "/api/nope/"}, notFound},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			test.call.header = indent
			if got := test.call.do(h); got.Body != test.want {
				t.Errorf("got %q, want %q", got.Body, test.want)
			}
		})
	}
}

func TestIndentNested(t *testing.T) {
	records := [][]byte{[]byte(`{"id":2,"title":"a, b: {c}","tags":["x",1],"none":{},"deep":{"a":null}}`)}
	h := newTestHandler(t, Options{}, map[string]Collection{"books": &shelf{records: records}})
	want := strings.Join([]string{
		`{`,
		` "count": 1,`,
		` "next": null,`,
		` "previous": null,`,
		` "results": [`,
		`  {`,
		`   "id": 2,`,
		`   "title": "a, b: {c}",`,
		`   "tags": [`,
		`    "x",`,
		`    1`,
		`   ],`,
		`   "none": {},`,
		`   "deep": {`,
		`    "a": null`,
		`   }`,
		`  }`,
		` ]`,
		`}`}, "\n")
	got := call{target: "/api/books/", header: accept("*/*;indent=1")}.do(h)
	if diff := cmp.Diff(want, got.Body); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// modelAccept is negotiation written down after Django's parse_header and the
// framework's precedence, one list and one map at a time.
func modelAccept(header string) (indent int, ok bool) {
	best := -1
	for token := range strings.SplitSeq(header, ",") {
		full, params := modelParseHeader(token)
		main, sub, _ := strings.Cut(full, "/")
		if main != "*" && main != "application" || sub != "*" && sub != "json" {
			continue
		}
		_, hasQ := params["q"]
		precedence := 3
		switch {
		case main == "*":
			precedence = 0
		case sub == "*":
			precedence = 1
		case len(params) == 0 || len(params) == 1 && hasQ:
			precedence = 2
		}
		if precedence <= best {
			continue
		}
		best, indent = precedence, 0
		if n, err := strconv.Atoi(strings.TrimSpace(params["indent"])); err == nil || n != 0 {
			indent = max(0, min(n, 8)) // Atoi of what is too large is the largest
		}
	}
	return indent, best >= 0
}

func modelParseHeader(line string) (string, map[string]string) {
	var list []string
	rest := []byte(";" + line)
	for len(rest) > 0 && rest[0] == ';' {
		rest = rest[1:]
		end := bytes.IndexByte(rest, ';')
		for end > 0 && bytes.Count(rest[:end], []byte{'"'})%2 == 1 {
			if i := bytes.IndexByte(rest[end+1:], ';'); i >= 0 {
				end += 1 + i
			} else {
				end = -1
			}
		}
		if end < 0 {
			end = len(rest)
		}
		list = append(list, strings.TrimSpace(string(rest[:end])))
		rest = rest[end:]
	}
	params := map[string]string{}
	for _, p := range list[1:] {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
			value = strings.NewReplacer(`\\`, `\`).Replace(value[1 : len(value)-1])
			value = strings.NewReplacer(`\"`, `"`).Replace(value)
		}
		params[strings.ToLower(strings.TrimSpace(name))] = value
	}
	return strings.ToLower(list[0]), params
}

func FuzzAccept(f *testing.F) {
	for _, seed := range []string{"", "*/*", "application/json;indent=2", `a/b;c="d;e\"",*/json;indent="3"`,
		"application/*;q=1;indent=-0", "APPLICATION/JSON ; INDENT = +8 ,", "application/json;=1", ";;;", `"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if strings.ContainsRune(header, '\u212A') {
			t.Skip("strings.ToLower makes a k of the Kelvin sign")
		}
		wantIndent, wantOK := modelAccept(header)
		indent, ok := negotiate([]string{header})
		if indent != wantIndent || ok != wantOK {
			t.Errorf("negotiate(%q) = %d, %t; model: %d, %t", header, indent, ok, wantIndent, wantOK)
		}
	})
}
