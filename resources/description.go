package resources

import (
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// A Description describes a collection, independently of its records.
type Description struct {
	Key      string          // name in the root listing, such as itemVariants
	Segment  string          // path segment, such as item_variants
	Name     string          // what a record is, such as "item variant"
	Actions  Actions         // the operations that are served
	Vary     string          // value of the Vary header
	Query    string          // of the URL in the root listing, such as "format=api"
	Ordering []ordering.Term // default ordering
	Fields   []Field         // in wire order; nil if they are not known

	// Filters are the parameters that select records: the snake_case name of a field,
	// alone or followed by two underscores and a lookup, such as "minutes__gte".
	// [Description.Filter] lists the lookups. A filter cannot follow a reference.
	Filters []string

	// Search names the fields in which the parameter search finds text, in snake_case.
	// As in Django REST framework, "^name" finds text at the beginning of the field only,
	// "=slug" compares the whole field, and "director__name" is the field of the record
	// that director refers to.
	Search []string
}

// Title returns the title of the collection in OPTIONS: its Name in title case, followed
// by List, such as "Item Variant List". O(len).
func (d Description) Title() string { return d.title() + " List" }

// RecordTitle returns the title of a record in OPTIONS, such as "Item Variant Instance".
// O(len).
func (d Description) RecordTitle() string { return d.title() + " Instance" }

func (d Description) title() string {
	words := strings.Fields(d.Name)
	for i, word := range words {
		words[i] = capital(word)
	}
	return strings.Join(words, " ")
}

// recordName returns the words of a segment, the last one in the singular.
func recordName(segment string) string {
	words := strings.FieldsFunc(segment, func(r rune) bool { return r == '-' || r == '_' })
	return singular(strings.Join(words, " "))
}

// singular returns a name with its last word in the singular, by the rules of most English
// words.
func singular(name string) string {
	if strings.HasSuffix(name, "news") || strings.HasSuffix(name, "series") {
		return name
	}
	if stem, ok := strings.CutSuffix(name, "ies"); ok {
		return stem + "y"
	}
	for _, end := range []string{"sses", "shes", "ches", "xes"} {
		if strings.HasSuffix(name, end) {
			return strings.TrimSuffix(name, "es")
		}
	}
	return strings.TrimSuffix(name, "s")
}

// capital returns an ASCII word with its first letter in upper case.
func capital(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
