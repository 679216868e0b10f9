package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

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
