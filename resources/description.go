package resources

import (
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// A Description describes a collection, independently of its records.
type Description struct {
	Key       string          // name in the root listing, such as itemVariants
	Segment   string          // path segment, such as item_variants
	Creatable bool            // whether the document allows POST
	Vary      string          // value of the Vary header
	Ordering  []ordering.Term // default ordering
	Fields    []Field         // in wire order; nil if the document shows none
}

// Title returns the name of the collection in OPTIONS: its segment as singular words,
// followed by List, such as "Item Variant List". O(len).
func (d Description) Title() string {
	words := strings.FieldsFunc(singular(d.Segment), func(r rune) bool { return r == '-' || r == '_' })
	for i, word := range words {
		words[i] = capital(word)
	}
	return strings.Join(append(words, "List"), " ")
}

// singular returns a segment with its last word in the singular.
func singular(segment string) string {
	if segment == "news" {
		return segment
	}
	if stem, ok := strings.CutSuffix(segment, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(segment, "s")
}

// capital returns an ASCII word with its first letter in upper case.
func capital(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
