package ordering_test

import (
	"testing"

	"github.com/gobacklist/backlist/ordering"
)

// TestPrefixOfBytes tests prefixes that end inside a rune.
func TestPrefixOfBytes(t *testing.T) {
	type record struct {
		Name string `json:"name"`
	}
	fields, err := ordering.FieldsOf[record]()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why          string
		prefix, name string
		want         bool
	}{
		{"the first byte of a rune of two", "\xc3", "é", true},
		{"another first byte", "\xc3", "日", false},
		{"the first bytes of a rune of three", "a\xe6\x97", "a日", true},
		{"a byte of 255 after the first byte of a rune", "\xc3\xff", "日", false},
		{"a byte of 255 after a rune", "é\xff", "日", false},
		{"a continuation byte", "\x80", "\x81", false},
	} {
		matches, err := fields.Matcher(ordering.Prefix("name", test.prefix))
		if err != nil {
			t.Fatal(err)
		}
		if got := matches(record{test.name}); got != test.want {
			t.Errorf("%s: %q begins with %q: %t, want %t", test.why, test.name, test.prefix, got, test.want)
		}
	}
}
