package ordering

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rows are those of the service's own table of orderings; its books have these
// fields.
func TestParse(t *testing.T) {
	books := []string{"id", "name", "slug", "price", "pages", "published_on", "author"}
	valid := func(name string) bool { return slices.Contains(books, name) }
	name := []Term{{Field: "name"}}
	for _, row := range []struct {
		text   string
		want   []Term
		reason string
	}{
		{"", nil, "blank: the default order"},
		{"name", name, "one field"},
		{"-name", []Term{{"name", true}}, "descending"},
		{"publishedOn", nil, "camelCase names are none"},
		{"bogus", nil, "unknown names are dropped"},
		{"bogus,name", name, "the others stay"},
		{"name,bogus,-id", []Term{{"name", false}, {"id", true}}, "wherever they stand"},
		{" name , -id", []Term{{"name", false}, {"id", true}}, "white space around a name"},
		{"+name", nil, "a plus is no direction"},
		{"--name", nil, "one minus only"},
		{"-", nil, "no name"},
		{"- name", nil, "the minus stands directly in front"},
		{"name,name", name, "a second mention counts for nothing"},
		{"name,-name", name, "whatever its direction"},
		{"-name,name", []Term{{"name", true}}, "the first one counts"},
		{"NAME", nil, "case matters"},
		{"pk", nil, "no alias"},
		{"author_id", nil, "no column names"},
		{"author__name", nil, "no relations"},
		{"name\n", name, "a newline is white space"},
		{"\u00a0name", name, "so is a no-break space"},
		{"\x1fname\x1c", name, "and Python's separators"},
		{"\u200bname", nil, "a zero-width space is none"},
		{"name;pages", nil, "only commas separate"},
		{",,name,,", name, "nothing between commas"},
	} {
		if diff := cmp.Diff(row.want, Parse(row.text, valid)); diff != "" {
			t.Errorf("%s: Parse(%q): -want +got\n%s", row.reason, row.text, diff)
		}
	}
	if diff := cmp.Diff([]Term{{"x", false}, {"y", true}}, Parse("x,-y", nil)); diff != "" {
		t.Errorf("without valid every name is taken: %s", diff)
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
		{" ", nil, nil, "", "blank is the default order"},
		{"name,-id", []Term{{"name", false}, {"id", true}}, nil, "", "all known"},
		{"name,-name", []Term{{"name", false}}, nil, "", "twice is harmless"},
		{"name,bogus", nil, ErrUnknownField, `"bogus"`, "the unknown one is named"},
		{"-startDate", nil, ErrUnknownField, `"startDate"`, "camelCase is unknown"},
		{"name,,id", nil, ErrEmptyTerm, `""`, "a hole"},
		{"-", nil, ErrEmptyTerm, `"-"`, "a bare minus"},
	} {
		got, err := ParseStrict(row.text, valid)
		if diff := cmp.Diff(row.want, got); diff != "" || !errors.Is(err, row.err) {
			t.Errorf("%s: ParseStrict(%q): error %v, want %v; -want +got\n%s", row.reason, row.text, err, row.err, diff)
		}
		if row.err != nil && !strings.Contains(err.Error(), row.names) {
			t.Errorf("%s: error %q does not name %s", row.reason, err, row.names)
		}
	}
}

// FuzzParse compares with patterns for a term and for what is around it.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"name,-id", " a , -b ", "--x", "-", ",", "a,-a", "\x1f-é\u00a0", "a,\xff,b", "a a,-  a", "\u2028b,\u200ba", "z,-z2"} {
		f.Add(s)
	}
	valid := func(name string) bool { return !strings.Contains(name, "z") }
	f.Fuzz(func(t *testing.T, text string) {
		for _, valid := range []func(string) bool{nil, valid} {
			want, wantErr := modelParse(text, valid)
			if diff := cmp.Diff(want, Parse(text, valid)); diff != "" {
				t.Fatalf("Parse(%q) (-want +got):\n%s", text, diff)
			}
			got, err := ParseStrict(text, valid)
			if wantErr != nil {
				want = nil
			}
			if diff := cmp.Diff(want, got); diff != "" || !errors.Is(err, wantErr) {
				t.Fatalf("ParseStrict(%q): error %v, want %v (-want +got):\n%s", text, err, wantErr, diff)
			}
			if diff := cmp.Diff(got, Parse(Format(got), nil)); diff != "" {
				t.Fatalf("what Format writes of %v is read as another ordering:\n%s", got, diff)
			}
		}
	})
}

// modelParse reads an ordering leniently, and says how a strict reader fails.
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
			first(&err, ErrEmptyTerm)
		case valid != nil && !valid(name):
			first(&err, ErrUnknownField)
		case !seen[name]:
			terms = append(terms, Term{Field: name, Desc: m[1] == "-"})
			seen[name] = true
		}
	}
	return terms, err
}

// first keeps the error that was found first.
func first(err *error, found error) {
	if *err == nil {
		*err = found
	}
}
