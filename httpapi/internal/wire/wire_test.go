package wire

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// IndentedLen agrees with encoding/json, at every level and for any spaces.
func TestIndentedLen(t *testing.T) {
	for _, value := range []string{
		`null`, `1.50`, `"x"`, `""`, `[]`, `{}`, `[1]`, `[[],{}]`, `{"a":[],"b":{"c":[{}]}}`,
		`["a,b","c:d","[{}]","\"","\\","\\\"]"]`, `{"é":"\u00e9 <>"}`,
		" [ ] ", "{ \"a\" :\t1 ,\r\n\"b\":[ 1 , { } ] }",
	} {
		for level := range 3 {
			for _, n := range []int{0, 1, 8} {
				unit := strings.Repeat(" ", n)
				var want bytes.Buffer
				if err := json.Indent(&want, bytes.TrimSpace([]byte(value)), strings.Repeat(unit, level), unit); err != nil {
					t.Fatal(err)
				}
				if got := IndentedLen([]byte(value), n, level); got != want.Len() {
					t.Errorf("%s, level %d of %d: %d, want %d", value, level, n, got, want.Len())
				}
			}
		}
	}
}

// Values that are nested deeply or are not JSON are not indented.
func TestIndent(t *testing.T) {
	deep := func(depth, elements int) string {
		return strings.Repeat("[", depth) + strings.Repeat("1,", elements) + "1" + strings.Repeat("]", depth)
	}
	for _, test := range []struct {
		value    string
		indented bool
	}{
		{`{"a":[1,{}]}`, true},
		{deep(60, 1), true},
		{deep(2, 10_000), true},
		{deep(20, 10_000), false},
		{deep(199, 10_000), false},
		{`{"a":`, false},
		{``, false},
	} {
		got := string(Indent([]byte(test.value), "    "))
		var want bytes.Buffer
		if _ = json.Indent(&want, []byte(test.value), "", "    "); !test.indented {
			want = *bytes.NewBufferString(test.value)
		}
		if got != want.String() {
			t.Errorf("%.20s… of %d bytes: %d bytes, want %d: %.50q", test.value, len(test.value), len(got), want.Len(), got)
		}
	}
}

// Only what Go and ECMA-262 read in the same way is portable.
func TestIsPortable(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		want    bool
	}{
		{``, true}, {`^[A-Z]{3}-[0-9]{4}$`, true}, {`^\+?[0-9 ]*$`, true}, {`^(?:a|b){2,}?(c.d)*$`, true}, {`é+`, true}, {`^[-\w.]+@[^\d\]/-]$`, true}, {`\\\.`, true},
		{`(?i)a`, false}, {`(?P<x>a)`, false}, {`\Aa\z`, false}, {`\pL`, false}, {`[[:alpha:]]`, false}, {`\Qa.\E`, false}, {`[]a]`, false}, {`[][]`, false},
		{`a{,2}`, false}, {`a]`, false}, {`[\w-z]`, false}, {`\s`, false}, {`\_`, false}, {`\x41`, false},
	} {
		if _, err := regexp.Compile(tt.pattern); err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
		}
		if got := IsPortable(tt.pattern); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.pattern, got, tt.want)
		}
	}
}
