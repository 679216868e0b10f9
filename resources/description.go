package resources

import (
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// A Description is what is known of a collection apart from its records.
type Description struct {
	Key       string          // name at the root: itemVariants
	Segment   string          // path segment: item_variants
	Creatable bool            // whether the document lets it be posted to
	Vary      string          // value of the header Vary
	Ordering  []ordering.Term // default order
	Fields    []Field         // in wire order; nil where the document shows none
}

// Title is the name that OPTIONS gives: the segment in words, in the singular,
// and List: "Event List", "Item Variant List". O(len).
func (c Description) Title() string {
	words := strings.FieldsFunc(singular(c.Segment), func(r rune) bool { return r == '-' || r == '_' })
	for i, word := range words {
		words[i] = capital(word)
	}
	return strings.Join(append(words, "List"), " ")
}

// singular takes the plural off the last word; news has none.
func singular(segment string) string {
	if segment == "news" {
		return segment
	}
	if stem, ok := strings.CutSuffix(segment, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(segment, "s")
}

// capital turns the first letter of an ASCII word into a capital.
func capital(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
