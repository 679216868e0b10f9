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

// TestCasing uses names as the service's renderer writes them and as its parser reads
// them.
func TestCasing(t *testing.T) {
	for _, row := range []struct{ name, camel, snake, reason string }{
		{"start_date", "startDate", "start_date", "snake_case"},
		{"startDate", "startDate", "start_date", "camelCase"},
		{"poster_webp", "posterWebp", "poster_webp", "two words"},
		{"feature_authors", "featureAuthors", "feature_authors", "the document's example"},
		{"line_1", "line1", "line_1", "digit after an underscore"},
		{"line1", "line1", "line_1", "digit at the end"},
		{"line_12", "line12", "line_12", "digits after an underscore"},
		{"line12", "line12", "line_12", "digits at the end"},
		{"line12b", "line12b", "line_12b", "digits before a letter"},
		{"line1B", "line1B", "line_1b", "digit before an upper-case letter"},
		{"x2", "x2", "x_2", "short name"},
		{"x2y", "x2y", "x2y", "single digit before a lower-case letter"},
		{"x2Y", "x2Y", "x_2y", "single digit before an upper-case letter"},
		{"x_2", "x2", "x_2", "underscore before a digit"},
		{"x_2_y", "x2Y", "x_2_y", "underscores around a digit"},
		{"v2Counter", "v2Counter", "v_2_counter", "digit before a word"},
		{"fooBar2", "fooBar2", "foo_bar_2", "digit after a word"},
		{"optionS1", "optionS1", "option_s_1", "digit after an upper-case letter at the end"},
		{"x2Y9", "x2Y9", "x_2y_9", "digits around an upper-case letter"},
		{"_a_1B", "A1B", "a_1_b", "digit between an underscore and an upper-case letter"},
		{"_private", "Private", "private", "leading underscore"},
		{"__private", "_Private", "private", "two leading underscores"},
		{"trailing_", "trailing_", "trailing_", "trailing underscore"},
		{"double__under", "double_Under", "double__under", "two underscores"},
		{"A_B", "A_B", "a_b", "upper-case letters"},
		{"a_B", "a_B", "a_b", "upper-case letter after an underscore"},
		{"HTMLPage", "HTMLPage", "html_page", "acronym before a word"},
		{"wordWITHCaps", "wordWITHCaps", "word_with_caps", "acronym between words"},
		{"UPPERCASE", "UPPERCASE", "uppercase", "acronym only"},
		{"PascalCase", "PascalCase", "pascal_case", "leading upper-case letter"},
		{"Pascal10Case", "Pascal10Case", "pascal_10_case", "number between words"},
		{"item_variants", "itemVariants", "item_variants", "name of a collection"},
		{"credit-note-lines", "credit-note-lines", "credit-note-lines", "hyphens"},
		{"é_b", "éB", "é_b", "non-ASCII letter"},
		{"naïveÉcole", "naïveÉcole", "naïveécole", "non-ASCII upper-case letter"},
		{"with space_x", "with spaceX", "with space_x", "space"},
		{"", "", "", "empty"},
	} {
		if got := ordering.Camel(row.name); got != row.camel {
			t.Errorf("%s: Camel(%q) = %q, want %q", row.reason, row.name, got, row.camel)
		}
		if got := ordering.Snake(row.name); got != row.snake {
			t.Errorf("%s: Snake(%q) = %q, want %q", row.reason, row.name, got, row.snake)
		}
	}
}

func TestCasingOfSimpleNamesDoesNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { ordering.Camel("genre"); ordering.Snake("released_at") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
