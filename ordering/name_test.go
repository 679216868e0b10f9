package ordering_test

import (
	"testing"

	"github.com/gobacklist/backlist/ordering"
)

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
