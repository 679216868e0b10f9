package ordering_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

// TestParse uses the orderings that the service was observed to accept and to ignore.
func TestParse(t *testing.T) {
	books := []string{"id", "name", "slug", "price", "pages", "published_on", "author"}
	valid := func(name string) bool { return slices.Contains(books, name) }
	name := []ordering.Term{{Field: "name"}}
	for _, row := range []struct {
		text   string
		want   []ordering.Term
		reason string
	}{
		{"", nil, "empty"},
		{"name", name, "one field"},
		{"-name", []ordering.Term{{"name", true}}, "descending"},
		{"publishedOn", nil, "camelCase"},
		{"bogus", nil, "unknown field"},
		{"bogus,name", name, "unknown field first"},
		{"name,bogus,-id", []ordering.Term{{"name", false}, {"id", true}}, "unknown field in the middle"},
		{" name , -id", []ordering.Term{{"name", false}, {"id", true}}, "spaces around terms"},
		{"+name", nil, "plus"},
		{"--name", nil, "two minuses"},
		{"-", nil, "only a minus"},
		{"- name", nil, "space after the minus"},
		{"name,name", name, "repeated field"},
		{"name,-name", name, "repeated field, descending"},
		{"-name,name", []ordering.Term{{"name", true}}, "repeated field, ascending"},
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
		if diff := gocmp.Diff(row.want, ordering.Parse(row.text, valid)); diff != "" {
			t.Errorf("%s: Parse(%q): -want +got\n%s", row.reason, row.text, diff)
		}
	}
	if diff := gocmp.Diff([]ordering.Term{{"x", false}, {"y", true}}, ordering.Parse("x,-y", nil)); diff != "" {
		t.Errorf("valid is nil: Parse: -want +got\n%s", diff)
	}
}

// FuzzParse compares Parse with a regular expression for terms.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"name,-id", " a , -b ", "--x", "-", ",", "a,-a", "\x1f-é\u00a0", "a,\xff,b", "a a,-  a", "\u2028b,\u200ba", "z,-z2"} {
		f.Add(s)
	}
	valid := func(name string) bool { return !strings.Contains(name, "z") }
	f.Fuzz(func(t *testing.T, text string) {
		for _, valid := range []func(string) bool{nil, valid} {
			want := modelParse(text, valid)
			got := ordering.Parse(text, valid)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("Parse(%q) (-want +got):\n%s", text, diff)
			}
			if diff := gocmp.Diff(got, ordering.Parse(ordering.Format(got), nil)); diff != "" {
				t.Fatalf("Parse(Format(%v)) (-want +got):\n%s", got, diff)
			}
		}
	})
}

func modelParse(text string, valid func(string) bool) (terms []ordering.Term) {
	const space = `[\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]*`
	term := regexp.MustCompile("(?s)^" + space + "(-?)(.*?)" + space + "$")
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		m := term.FindStringSubmatch(part)
		if name := m[2]; name != "" && (valid == nil || valid(name)) && !seen[name] {
			terms = append(terms, ordering.Term{Field: name, Desc: m[1] == "-"})
			seen[name] = true
		}
	}
	return terms
}

func ExampleSuggest() {
	fields := []string{"id", "name", "created_at"}
	fmt.Println(ordering.Suggest("createdAt", fields))
	fmt.Println(ordering.Suggest("price", fields))
	// Output:
	// did you mean created_at?
	// want one of id, name, created_at
}

func TestSuggest(t *testing.T) {
	many := strings.Split(strings.Repeat("field,", 30)+"field", ",")
	for _, row := range []struct {
		reason, name string
		known        []string
		want         string
	}{
		{"different case convention", "item_variants", []string{"items", "itemVariants"}, "did you mean itemVariants?"},
		{"additional letter", "boooks", []string{"authors", "books"}, "did you mean books?"},
		{"two letters swapped", "pulbished", []string{"name", "published"}, "did you mean published?"},
		{"leading minus", "-name", []string{"id", "name"}, "did you mean name?"},
		{"nearest of two", "labels", []string{"tables", "label"}, "did you mean label?"},
		{"short name that differs by a letter", "ip", []string{"id"}, "did you mean id?"},
		{"name that has only letters in common with a short one", "kind", []string{"id", "title"}, "want one of id, title"},
		{"removed field", "paid", []string{"id", "name"}, "want one of id, name"},
		{"beginning of a name", "maxlen", []string{"max", "maxlength"}, "did you mean maxlength?"},
		{"beginning of two letters", "ma", []string{"maxlength"}, "want one of maxlength"},
		{"single letters", "a", []string{"b"}, "want one of b"},
		{"single letter in another case", "A", []string{"a"}, "did you mean a?"},
		{"two letters swapped in a short name", "naem", []string{"id", "name"}, "did you mean name?"},
		{"known name", "id", []string{"id"}, "did you mean id?"},
		{"empty", "", []string{"id"}, "want one of id"},
		{"no letters", "--", []string{"id"}, "want one of id"},
		{"no known names", "id", nil, "there are none"},
		{"many known names", "x", many, "want one of " + strings.Join(many[:20], ", ") + ", …"},
	} {
		if got := ordering.Suggest(row.name, row.known); got != row.want {
			t.Errorf("%s: Suggest(%q, %q) = %q, want %q", row.reason, row.name, row.known, got, row.want)
		}
	}
}
