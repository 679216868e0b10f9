package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// TestSyntaxReasons covers all places at which a text can violate the grammar.
func TestSyntaxReasons(t *testing.T) {
	const unexpected = "unexpected character "
	tests := []struct {
		text         string
		line, column int
		reason       string
	}{
		{"", 1, 1, "unexpected end"},
		{"\x00", 1, 1, unexpected + `'\x00' at the start of a value`},
		{"é", 1, 1, unexpected + `'é' at the start of a value`},
		{"\ufeff{}", 1, 1, "unexpected byte order mark"},
		{"[\n\ufeff1]", 2, 1, "unexpected byte order mark"},
		{"]", 1, 1, unexpected + `']' at the start of a value`},
		{"[1,]", 1, 4, unexpected + `']' at the start of a value`},
		{"[,1]", 1, 2, unexpected + `',' at the start of a value`},
		{"[1 2]", 1, 4, unexpected + `'2' after an element of a list`},
		{"[1}", 1, 3, unexpected + `'}' after an element of a list`},
		{"[1", 1, 3, "unexpected end"},
		{"{1:2}", 1, 2, unexpected + `'1' at the start of a name`},
		{`{"a":1,}`, 1, 8, unexpected + `'}' at the start of a name`},
		{`{"a" 1}`, 1, 6, unexpected + `'1' after a name`},
		{`{"a":1 "b"}`, 1, 8, unexpected + `'"' after a member`},
		{`{"a":1]`, 1, 7, unexpected + `']' after a member`},
		{`{"a":`, 1, 6, "unexpected end"},
		{`{"a"`, 1, 5, "unexpected end"},
		{`{} {}`, 1, 4, unexpected + `'{' after the end of the value`},
		{"1 \v", 1, 3, unexpected + `'\v' after the end of the value`},
		{"12a", 1, 3, unexpected + `'a' after the end of the value`},
		{"-a", 1, 2, unexpected + `'a' in a number`},
		{"1.a", 1, 3, unexpected + `'a' in a number`},
		{"1.5e+a", 1, 6, unexpected + `'a' in a number`},
		{"1e", 1, 3, "unexpected end"},
		{"tru3", 1, 4, unexpected + `'3' in true`},
		{"False", 1, 1, unexpected + `'F' at the start of a value`},
		{"falsy", 1, 5, unexpected + `'y' in false`},
		{"nil", 1, 2, unexpected + `'i' in null`},
		{"nul", 1, 4, "unexpected end"},
		{"\"é\tb\"", 1, 3, unexpected + `'\t' in a string`},
		{"\"abcdefgh\x1f\"", 1, 10, unexpected + `'\x1f' in a string`},
		{"\"a\nb\"", 1, 3, unexpected + `'\n' in a string`},
		{`"a`, 1, 3, "unexpected end"},
		{`"\`, 1, 3, "unexpected end"},
		{`"\a"`, 1, 3, unexpected + `'a' in an escape`},
		{`"\é"`, 1, 3, unexpected + `'é' in an escape`},
		{`"\u00g0"`, 1, 6, unexpected + `'g' in an escape`},
		{`"\u00`, 1, 6, "unexpected end"},
		{"\"é\xff\"", 1, 3, "invalid UTF-8, byte 0xff"},
		{"\"abcdefgh\x80\"", 1, 10, "invalid UTF-8, byte 0x80"},
		{"\"\xe2\x82\"", 1, 2, "invalid UTF-8, byte 0xe2"},
		{"[\xc0", 1, 2, "invalid UTF-8, byte 0xc0"},
		{strings.Repeat("[", 199) + `{"a":[`, 1, 205, "nested deeper than the limit of 200"},
		{strings.Repeat(`{"":`, 201), 1, 801, "nested deeper than the limit of 200"},
	}
	for _, test := range tests {
		want := &SyntaxError{test.reason, test.line, test.column}
		if diff := cmp.Diff(want, checkSyntax([]byte(test.text), maxDepth)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", excerpt(test.text), diff)
		}
	}
}

// TestSyntaxErrorTakesPrecedence checks that the error is a SyntaxError if the text is not
// JSON, even if it has other errors before that.
func TestSyntaxErrorTakesPrecedence(t *testing.T) {
	for _, front := range []string{`{"a":1,"a":2`, `{"a":"\ud800"`, `{"\ud800":1`, `{"id":0`, `{"a":{"b":1,"b":2}`, `[1`, `5`} {
		_, err := ParseRecord([]byte(front + "}}"))
		var serr *SyntaxError
		if !errors.As(err, &serr) {
			t.Errorf("ParseRecord(%s}}): %v, want a SyntaxError", front, err)
		}
	}
}

// TestParseRecordSeveralErrors checks which error is returned.
func TestParseRecordSeveralErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"\ud800","b":"\ud800"}`:              `member "a": unpaired surrogate`,
		`{"a":{"x":1,"x":2},"id":0}`:               `member "a": name "x" is repeated in an object`,
		`{"id":0,"a":"\ud800"}`:                    `member "id": want a positive integer, got 0`,
		`{"id":"\ud800"}`:                          `member "id": unpaired surrogate`,
		`{"a":1,"a":2,"b":"\ud800"}`:               `member "b": unpaired surrogate`,
		`{"a":[{"x":{"y":1,"y":"\udc00"}}],"a":1}`: `member "a": unpaired surrogate`,
		`{"b":{"c":1},"c":1,"c":2}`:                `member "c": is repeated`,
		`{"\ud800":"\udc00"}`:                      "member name \"\\xed\\xa0\\x80\": unpaired surrogate",
	} {
		_, err := ParseRecord([]byte(text))
		if diff := cmp.Diff("schema: invalid record: "+want, errorText(err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestParseRecordManyNames uses more and fewer names than are sorted to find repeated
// ones.
func TestParseRecordManyNames(t *testing.T) {
	for _, n := range []int{2, 63, 64, 65, 500} {
		var names []string
		for i := range n {
			names = append(names, `"`+strings.Repeat("x", i)+`":0`)
		}
		if _, err := ParseRecord([]byte("{" + strings.Join(names, ",") + "}")); err != nil {
			t.Errorf("%d names: %v", n, err)
		}
		for _, text := range []string{`"x":0`, `"\u0078":0`, names[n-1], `"":0`} {
			object := "{" + strings.Join(append(slices.Clone(names), text), ",") + "}"
			for _, data := range []string{object, `{"a":[` + object + `]}`} {
				var merr *MemberError
				if _, err := ParseRecord([]byte(data)); !errors.As(err, &merr) {
					t.Errorf("%d names and %s: %v", n, text, err)
				}
			}
		}
	}
}

// FuzzSyntax checks that checkSyntax accepts what encoding/json accepts, if it is UTF-8
// and not nested too deeply, and reports the same positions of errors.
func FuzzSyntax(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,-0.5e+7,true,false,null,"\u00e9\n\/"]}`, ` [ ] `, `{"a":1,}`, `[01]`, `"\ud83d\ude42"`, "\"\u2028é\xff\"",
		`"abcdefg\"hijklmnop"`, "\"abcdefg\x1f\"", `{"a" "b"}`, `nulll`, `-`, `1.`, `1e`, "\ufeff1", strings.Repeat("[", 201),
		strings.Repeat(`{"a":[`, 100) + strings.Repeat("]}", 100), "[\r\n\t1 ,\"\x7f\"]", "1\x00",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := checkSyntax(data, maxDepth)
		if want := json.Valid(data) && utf8.Valid(data) && depthOf(data) <= maxDepth; (got == nil) != want {
			t.Fatalf("%q: %v, want valid: %v", data, got, want)
		}
		// The additional byte is invalid everywhere, so there is always an error.
		var serr *json.SyntaxError
		err := json.Unmarshal(append(slices.Clone(data), 1), new(json.RawMessage))
		if got == nil || !utf8.Valid(data) || !errors.As(err, &serr) || strings.HasPrefix(got.Reason, "nested") {
			return
		}
		before := data[:serr.Offset-1]
		lines := bytes.Split(before, []byte("\n"))
		line, column := len(lines), utf8.RuneCount(lines[len(lines)-1])+1
		if got.Line != line || got.Column != column {
			t.Fatalf("%q: %v, want line %d column %d", data, got, line, column)
		}
	})
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

func TestSyntaxErrorDetail(t *testing.T) {
	tests := []struct{ body, want string }{
		{`{"a":}`, `JSON parse error - unexpected character '}' at the start of a value: line 1 column 6`},
		{`{"a":é}`, `JSON parse error - unexpected character 'é' at the start of a value: line 1 column 6`},
		{`{'a':1}`, `JSON parse error - unexpected character '\'' at the start of a name: line 1 column 2`},
		{`{"a" "`, `JSON parse error - unexpected character '"' after a name: line 1 column 6`},
		{`{`, `JSON parse error - unexpected end: line 1 column 2`},
		{"\xff", `JSON parse error - invalid UTF-8, byte 0xff: line 1 column 1`},
		{strings.Repeat("[", 201), `JSON parse error - nested deeper than the limit of 200: line 1 column 201`},
	}
	for _, test := range tests {
		_, err := must(t, "events").Validate([]byte(test.body), Checks{Exists: exists})
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: error %v, want %s", excerpt(test.body), err, test.want)
		}
	}
}
