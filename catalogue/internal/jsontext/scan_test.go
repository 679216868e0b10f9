package jsontext

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMembers(t *testing.T) {
	for _, row := range []struct{ reason, text, want string }{
		{"members in order", `{"b":1,"a":{"c":[2,{}]}}`, `b=1 a={"c":[2,{}]}`},
		{"white space", " { \"b\" : 1 ,\t\"a\" : \"x y\" } ", `b=1 a="x y"`},
		{"escapes in names", `{"\u0062":1,"\\":2,"x\"":3,"é":4}`, `b=1 \=2 x"=3 é=4`},
		{"a repeated name", `{"a":1,"a":2}`, `a=1 a=2`},
		{"no members", `{}`, ``},
		{"a list", `[{"a":1}]`, ``},
		{"text", `"{"`, ``},
		{"null", `null`, ``},
		{"nothing", ``, ``},
		{"a syntax error", `{"a":1,"b":}`, `a=1`},
		{"an end inside a name", `{"a":1,"b`, `a=1`},
	} {
		var got []string
		for name, value := range Members(row.text) {
			got = append(got, name+"="+value)
		}
		if got := strings.Join(got, " "); got != row.want {
			t.Errorf("%s: %s, want %s", row.reason, got, row.want)
		}
		for range Members(row.text) {
			break
		}
	}
}

func TestElements(t *testing.T) {
	for _, row := range []struct{ reason, text, want string }{
		{"elements in order", `[2,{"a":[1]},"x"]`, `2 {"a":[1]} "x"`},
		{"white space", " [ 1 ,\t\"x y\" ] ", `1 "x y"`},
		{"no elements", `[ ]`, ``},
		{"an object", `{"a":1}`, ``},
		{"a number", `1`, ``},
		{"nothing", ``, ``},
		{"a syntax error", `[1,]`, `1`},
	} {
		if got := strings.Join(slices.Collect(Elements(row.text)), " "); got != row.want {
			t.Errorf("%s: %s, want %s", row.reason, got, row.want)
		}
	}
}

// FuzzSyntax checks that Check accepts what encoding/json accepts, if it is UTF-8
// and not nested too deeply. The position of an error is that of the first code point with
// which the text cannot be the beginning of a value.
func FuzzSyntax(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,-0.5e+7,true,false,null,"\u00e9\n\/"]}`, ` [ ] `, `{"a":1,}`, `[01]`, `"\ud83d\ude42"`, "\"\u2028é\xff\"",
		`"abcdefg\"hijklmnop"`, "\"abcdefg\x1f\"", `{"a" "b"}`, `nulll`, `-`, `1.`, `1e`, "\ufeff1", strings.Repeat("[", 201),
		strings.Repeat(`{"a":[`, 100) + strings.Repeat("]}", 100), "[\r\n\t1 ,\"\x7f\"]", "1\x00",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := Check(data, MaxDepth)
		if want := json.Valid(data) && utf8.Valid(data) && depthOf(data) <= MaxDepth; (got == nil) != want {
			t.Fatalf("%q: %v, want valid: %v", data, got, want)
		}
		if got == nil || !utf8.Valid(data) || strings.HasPrefix(got.Reason, "nested") {
			return
		}
		at := offsetOf(data, got)
		if !begins(data[:at]) {
			t.Fatalf("%q: %v, but an error is before that", data, got)
		}
		if _, size := utf8.DecodeRune(data[at:]); size > 0 && begins(data[:at+size]) {
			t.Fatalf("%q: %v, but the text can continue", data, got)
		}
	})
}

// offsetOf returns the offset of the position of an error.
func offsetOf(data []byte, err *SyntaxError) (offset int) {
	lines := bytes.SplitAfter(data, []byte("\n"))
	for _, line := range lines[:err.Line-1] {
		offset += len(line)
	}
	for range err.Column - 1 {
		_, size := utf8.DecodeRune(data[offset:])
		offset += size
	}
	return offset
}

// begins reports whether encoding/json reads data as a value, or as the beginning of one.
func begins(data []byte) bool {
	d := json.NewDecoder(bytes.NewReader(data))
	err := d.Decode(new(json.RawMessage))
	if err != nil {
		return err == io.EOF || err == io.ErrUnexpectedEOF
	}
	return len(bytes.Trim(data[d.InputOffset():], " \t\r\n")) == 0
}

// depthOf returns the depth of nesting of a valid JSON text.
func depthOf(data []byte) (deepest int) {
	depth := 0
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		switch token, err := d.Token(); {
		case err != nil:
			return deepest
		case token == json.Delim('['), token == json.Delim('{'):
			depth++
			deepest = max(deepest, depth)
		case token == json.Delim(']'), token == json.Delim('}'):
			depth--
		}
	}
}
