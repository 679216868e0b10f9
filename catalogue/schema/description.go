package schema

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobacklist/backlist/ordering"
)

// A Description describes a collection, independently of its records.
type Description struct {
	Key      string          // name in the root listing, such as itemVariants
	Segment  string          // path segment, such as item_variants
	Name     string          // of a record in titles and messages, such as "item variant"
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

// typeName returns the name of a Go type in words, without its parameters, such as "social
// link" for SocialLink and "http log" for HTTPLog, or "" if it has no name.
func typeName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	letters := []rune(strings.ReplaceAll(name, "_", " "))
	var b strings.Builder
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// capital returns a word with its first letter in upper case.
func capital(word string) string {
	_, size := utf8.DecodeRuneInString(word)
	return strings.ToUpper(word[:size]) + word[size:]
}
