package ordering

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The table of names as the service's renderer writes them (out) and as its
// parser reads them (in).
func TestCasing(t *testing.T) {
	for _, row := range []struct{ name, out, in, reason string }{
		{"start_date", "startDate", "start_date", "a field's own name"},
		{"startDate", "startDate", "start_date", "a name on the wire"},
		{"poster_webp", "posterWebp", "poster_webp", "two words"},
		{"feature_authors", "featureAuthors", "feature_authors", "the document's example"},
		{"line_1", "line1", "line_1", "a digit after an underscore"},
		{"line1", "line1", "line_1", "a digit at the end starts a word"},
		{"line_12", "line12", "line_12", "digits stay together"},
		{"line12", "line12", "line_12", "digits at the end"},
		{"line12b", "line12b", "line_12b", "digits before a letter"},
		{"line1B", "line1B", "line_1b", "a digit before a capital"},
		{"x2", "x2", "x_2", "short"},
		{"x2y", "x2y", "x2y", "one digit before a small letter starts nothing"},
		{"x2Y", "x2Y", "x_2y", "the digit takes the capital with it"},
		{"x_2", "x2", "x_2", "underscore before a digit"},
		{"x_2_y", "x2Y", "x_2_y", "and behind one"},
		{"v2Counter", "v2Counter", "v_2_counter", "a word behind the digit"},
		{"fooBar2", "fooBar2", "foo_bar_2", "a number last"},
		{"optionS1", "optionS1", "option_s_1", "a digit behind a capital at the end"},
		{"_private", "Private", "private", "a leading underscore"},
		{"__private", "_Private", "private", "two of them"},
		{"trailing_", "trailing_", "trailing_", "a trailing one"},
		{"double__under", "double_Under", "double__under", "two in the middle"},
		{"A_B", "A_B", "a_b", "capitals"},
		{"a_B", "a_B", "a_b", "a capital behind an underscore"},
		{"HTMLPage", "HTMLPage", "html_page", "an acronym before a word"},
		{"wordWITHCaps", "wordWITHCaps", "word_with_caps", "an acronym in the middle"},
		{"UPPERCASE", "UPPERCASE", "uppercase", "an acronym alone"},
		{"PascalCase", "PascalCase", "pascal_case", "a leading capital"},
		{"Pascal10Case", "Pascal10Case", "pascal_10_case", "a number as a word"},
		{"item_variants", "itemVariants", "item_variants", "a collection"},
		{"credit-note-lines", "credit-note-lines", "credit-note-lines", "hyphens are left alone"},
		{"é_b", "éB", "é_b", "beyond ASCII"},
		{"naïveÉcole", "naïveÉcole", "naïveécole", "only ASCII capitals start a word"},
		{"with space_x", "with spaceX", "with space_x", "white space is left alone"},
		{"", "", "", "empty"},
	} {
		if got := Camel(row.name); got != row.out {
			t.Errorf("%s: Camel(%q) = %q, want %q", row.reason, row.name, got, row.out)
		}
		if got := Snake(row.name); got != row.in {
			t.Errorf("%s: Snake(%q) = %q, want %q", row.reason, row.name, got, row.in)
		}
	}
}

func FuzzCasing(f *testing.F) {
	for _, s := range []string{"start_date", "optionS1", "_a_1B", "HTMLPage2", "é_b", "a__b", "_"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		snake, camel := Snake(name), Camel(name)
		if utf8.ValidString(name) && (!utf8.ValidString(snake) || !utf8.ValidString(camel)) {
			t.Fatalf("%q: broken text: %q, %q", name, snake, camel)
		}
		if strings.ContainsFunc(snake, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
			t.Fatalf("Snake(%q) = %q has capitals", name, snake)
		}
		// Only underscores and case may differ.
		flat := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
		if utf8.ValidString(name) && (flat(snake) != flat(strings.ToLower(name)) || flat(camel) != flat(name)) {
			t.Fatalf("%q: letters changed: %q, %q", name, snake, camel)
		}
	})
}
