package resources

import "strings"

// SearchTests returns a test for each entry of Description.Search, in that order. A
// record has a word if it satisfies one of the tests; see [Test.MatchesText]. The Field
// of a test may be the path of a field of another record, such as "director__name".
// O(len of Search).
func (d Description) SearchTests(word string) []Test {
	tests := make([]Test, len(d.Search))
	for i, entry := range d.Search {
		field, lookup := searchEntry(entry)
		tests[i] = Test{field, lookup, []string{word}}
	}
	return tests
}

// searchEntry returns the field of an entry of Description.Search and the lookup that its
// sign means.
func searchEntry(entry string) (field, lookup string) {
	if field, ok := strings.CutPrefix(entry, "^"); ok {
		return field, "istartswith"
	}
	if field, ok := strings.CutPrefix(entry, "="); ok {
		return field, "iexact"
	}
	return entry, "icontains"
}

// searchWords returns the words of the last value of the parameter search, which are
// separated by white space and commas. Null characters are dropped.
func searchWords(given []string) []string {
	if len(given) == 0 {
		return nil
	}
	text := validUTF8(given[len(given)-1])
	text = strings.ReplaceAll(text, "\x00", "")
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || isSpace(r) })
	if len(words) == 0 {
		return nil
	}
	return words
}
