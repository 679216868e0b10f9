package negotiation

import "testing"

// See RFC 9110, sections 5.6.1, 8.4 and 12.5.3.
func TestContentCoding(t *testing.T) {
	for _, test := range []struct {
		reason string
		values []string
		want   string
	}{
		{"absent", nil, ""},
		{"empty", []string{""}, ""},
		{"empty elements", []string{" , ,\t"}, ""},
		{"a coding", []string{"gzip"}, "gzip"},
		{"codings are not case-sensitive", []string{"Identity"}, ""},
		{"identity twice", []string{"identity, IDENTITY"}, ""},
		{"an unknown coding", []string{"x-bogus"}, "x-bogus"},
		{"identity and a coding", []string{"identity,\tbr "}, "br"},
		{"in a second header", []string{"identity", "deflate"}, "deflate"},
		{"the first of two", []string{"deflate, gzip"}, "deflate"},
		{"long s is not a letter of a token", []string{"identi\u017fy"}, "identi\u017fy"},
	} {
		if got := ContentCoding(test.values); got != test.want {
			t.Errorf("%s: %q, want %q", test.reason, got, test.want)
		}
	}
}
