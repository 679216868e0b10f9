package schema

import (
	"fmt"
	"strings"
)

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

// maxWords is the maximum number of words in a search. Each word costs a comparison with
// each record.
const maxWords = 100

// searchWords returns the words of the last value of the parameter search, which are
// separated by white space and commas, each once. Null characters are dropped.
func searchWords(given []string) (words []string, message string) {
	if len(given) == 0 {
		return nil, ""
	}
	text := validUTF8(given[len(given)-1])
	text = strings.ReplaceAll(text, "\x00", "")
	seen := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || isSpace(r) }) {
		switch {
		case seen[word]:
			continue
		case len(words) == maxWords:
			return nil, fmt.Sprintf("Too many words: at most %d are allowed.", maxWords)
		}
		seen[word] = true
		words = append(words, word)
	}
	return words, ""
}
