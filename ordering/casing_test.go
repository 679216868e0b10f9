package ordering

import (
	"regexp"
	"strings"
	"testing"
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

// FuzzCasing compares with the two patterns that the service substitutes.
func FuzzCasing(f *testing.F) {
	for _, s := range []string{"start_date", "optionS1", "_a_1B", "HTMLPage2", "é_b", "a__b", "_", "Pascal10Case", "x2Y9", "aB1c2"} {
		f.Add(s)
	}
	small := regexp.MustCompile("_[a-z0-9]")
	modelCamel := func(name string) string {
		return small.ReplaceAllStringFunc(name, func(s string) string { return strings.ToUpper(s[1:]) })
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got, want := Camel(name), modelCamel(name); got != want {
			t.Fatalf("Camel(%q) = %q, want %q", name, got, want)
		}
		if got, want := Snake(name), modelSnake(name); got != want {
			t.Fatalf("Snake(%q) = %q, want %q", name, got, want)
		}
	})
}

// modelSnake puts an underscore between the two groups of each match of
//
//	([a-z0-9]|[A-Z]?(?=[A-Z0-9](?=[a-z0-9]|(?<![A-Z])$)))
//	([A-Z]|(?<=[a-z])[0-9](?=[0-9A-Z]|$)|(?<=[A-Z])[0-9](?=[0-9]|$))
//
// Package regexp cannot look around, so the alternatives are tried by hand, as
// they are written.
func modelSnake(name string) string {
	const small, capital, digits = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
	is := func(i int, set string) bool {
		return 0 <= i && i < len(name) && strings.IndexByte(set, name[i]) >= 0
	}
	ahead := func(i int) bool {
		return is(i, capital+digits) && (is(i+1, small+digits) || i+1 == len(name) && !is(i, capital))
	}
	second := func(i int) bool {
		return is(i, capital) ||
			is(i-1, small) && is(i, digits) && (is(i+1, digits+capital) || i+1 == len(name)) ||
			is(i-1, capital) && is(i, digits) && (is(i+1, digits) || i+1 == len(name))
	}
	out := ""
	for i := 0; i < len(name); i++ {
		switch {
		case is(i, small+digits) && second(i+1), is(i, capital) && ahead(i+1) && second(i+1):
			out += name[i:i+1] + "_" + name[i+1:i+2]
			i++
		case ahead(i) && second(i):
			out += "_" + name[i:i+1]
		default:
			out += name[i : i+1]
		}
	}
	return strings.TrimLeft(strings.ToLower(out), "_")
}
