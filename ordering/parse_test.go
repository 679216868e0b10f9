package ordering

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestParse uses the orderings that the service was observed to accept and to ignore.
func TestParse(t *testing.T) {
	books := []string{"id", "name", "slug", "price", "pages", "published_on", "author"}
	valid := func(name string) bool { return slices.Contains(books, name) }
	name := []Term{{Field: "name"}}
	for _, row := range []struct {
		text   string
		want   []Term
		reason string
	}{
		{"", nil, "empty"},
		{"name", name, "one field"},
		{"-name", []Term{{"name", true}}, "descending"},
		{"publishedOn", nil, "camelCase"},
		{"bogus", nil, "unknown field"},
		{"bogus,name", name, "unknown field first"},
		{"name,bogus,-id", []Term{{"name", false}, {"id", true}}, "unknown field in the middle"},
		{" name , -id", []Term{{"name", false}, {"id", true}}, "spaces around terms"},
		{"+name", nil, "plus"},
		{"--name", nil, "two minuses"},
		{"-", nil, "only a minus"},
		{"- name", nil, "space after the minus"},
		{"name,name", name, "repeated field"},
		{"name,-name", name, "repeated field, descending"},
		{"-name,name", []Term{{"name", true}}, "repeated field, ascending"},
		{"NAME", nil, "upper case"},
		{"pk", nil, "alias in Django"},
		{"author_id", nil, "column name in Django"},
		{"author__name", nil, "relation in Django"},
		{"name\n", name, "newline"},
		{"\u00a0name", name, "no-break space"},
		{"\x1fname\x1c", name, "white space in Python only"},
		{"\u200bname", nil, "zero-width space"},
		{"name;pages", nil, "semicolon"},
		{",,name,,", name, "empty terms"},
	} {
		if diff := gocmp.Diff(row.want, Parse(row.text, valid)); diff != "" {
			t.Errorf("%s: Parse(%q): -want +got\n%s", row.reason, row.text, diff)
		}
	}
	if diff := gocmp.Diff([]Term{{"x", false}, {"y", true}}, Parse("x,-y", nil)); diff != "" {
		t.Errorf("valid is nil: Parse: -want +got\n%s", diff)
	}
}

func TestParseStrict(t *testing.T) {
	valid := func(name string) bool { return name == "name" || name == "id" }
	for _, row := range []struct {
		text   string
		want   []Term
		err    error
		names  string
		reason string
	}{
		{" ", nil, nil, "", "white space"},
		{"name,-id", []Term{{"name", false}, {"id", true}}, nil, "", "known fields"},
		{"name,-name", []Term{{"name", false}}, nil, "", "repeated field"},
		{"name,bogus", nil, ErrUnknownField, `"bogus"`, "unknown field"},
		{"-startDate", nil, ErrUnknownField, `"startDate"`, "camelCase"},
		{"name,,id", nil, ErrEmptyTerm, `""`, "empty term"},
		{"-", nil, ErrEmptyTerm, `"-"`, "only a minus"},
	} {
		got, err := ParseStrict(row.text, valid)
		if diff := gocmp.Diff(row.want, got); diff != "" || !errors.Is(err, row.err) {
			t.Errorf("%s: ParseStrict(%q): error %v, want %v; -want +got\n%s", row.reason, row.text, err, row.err, diff)
		}
		if row.err != nil && !strings.Contains(err.Error(), row.names) {
			t.Errorf("%s: error %q does not name %s", row.reason, err, row.names)
		}
	}
}

// FuzzParse compares Parse and ParseStrict with a regular expression for terms.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"name,-id", " a , -b ", "--x", "-", ",", "a,-a", "\x1f-é\u00a0", "a,\xff,b", "a a,-  a", "\u2028b,\u200ba", "z,-z2"} {
		f.Add(s)
	}
	valid := func(name string) bool { return !strings.Contains(name, "z") }
	f.Fuzz(func(t *testing.T, text string) {
		for _, valid := range []func(string) bool{nil, valid} {
			want, wantErr := modelParse(text, valid)
			if diff := gocmp.Diff(want, Parse(text, valid)); diff != "" {
				t.Fatalf("Parse(%q) (-want +got):\n%s", text, diff)
			}
			got, err := ParseStrict(text, valid)
			if wantErr != nil {
				want = nil
			}
			if diff := gocmp.Diff(want, got); diff != "" || !errors.Is(err, wantErr) {
				t.Fatalf("ParseStrict(%q): error %v, want %v (-want +got):\n%s", text, err, wantErr, diff)
			}
			if diff := gocmp.Diff(got, Parse(Format(got), nil)); diff != "" {
				t.Fatalf("Parse(Format(%v)) (-want +got):\n%s", got, diff)
			}
		}
	})
}

// modelParse returns the result of Parse and the error of ParseStrict.
func modelParse(text string, valid func(string) bool) (terms []Term, err error) {
	const space = `[\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]*`
	term := regexp.MustCompile("(?s)^" + space + "(-?)(.*?)" + space + "$")
	if regexp.MustCompile("^" + space + "$").MatchString(text) {
		return nil, nil
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		m := term.FindStringSubmatch(part)
		name := m[2]
		switch {
		case name == "":
			err = cmp.Or(err, ErrEmptyTerm)
		case valid != nil && !valid(name):
			err = cmp.Or(err, ErrUnknownField)
		case !seen[name]:
			terms = append(terms, Term{Field: name, Desc: m[1] == "-"})
			seen[name] = true
		}
	}
	return terms, err
}
