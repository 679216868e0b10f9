package ordering

import (
	"errors"
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

func FuzzParse(f *testing.F) {
	for _, s := range []string{"name,-id", " a , -b ", "--x", "-", ",", "a,-a", "\x1f-é\u00a0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		terms := Parse(text, nil)
		if diff := cmp.Diff(terms, Parse(Format(terms), nil)); diff != "" && !strings.Contains(text, "--") {
			t.Fatalf("what Format writes reads differently: %s", diff)
		}
		seen := map[string]bool{}
		for _, term := range terms {
			if term.Field == "" || seen[term.Field] {
				t.Fatalf("Parse(%q) = %v", text, terms)
			}
			seen[term.Field] = true
		}
		strict, err := ParseStrict(text, nil)
		if err == nil && !slices.Equal(strict, terms) {
			t.Fatalf("strict %v, lenient %v", strict, terms)
		}
	})
}
