package openapi

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// Schemas that belong to no particular type.
const (
	openRecord     = "Record"
	unknownRecord  = "Object"
	detail         = "Detail"
	fieldErrors    = "FieldErrors"
	metadata       = "Metadata"
	recordMetadata = "RecordMetadata"
	fieldMetadata  = "FieldMetadata"
	root           = "Root"
	format         = "Format"
)

// recordName returns the name of a collection's records, such as "ItemVariant".
func recordName(c schema.Description) string { return clean(joined(c.Name)) }

// listName returns the name of a collection in operations, such as "ItemVariants".
func listName(c schema.Description) string { return joined(c.Segment) }

// joined returns the words of a name without what separates them, each with its first
// letter in upper case.
func joined(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return unicode.IsSpace(r) || r == '-' || r == '_' }) {
		_, size := utf8.DecodeRuneInString(word)
		b.WriteString(strings.ToUpper(word[:size]) + word[size:])
	}
	return b.String()
}

// escaped returns a path as it appears in a URL. Braces would mark parameters.
func escaped(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// names is a set of names of components or operations.
type names map[string]bool

// reserved returns the names that a document may need regardless of its collections.
func reserved() names {
	taken := names{}
	for _, name := range []string{detail, fieldErrors, metadata, recordMetadata, fieldMetadata, root, format} {
		taken[name] = true
	}
	for _, record := range []string{openRecord, unknownRecord} {
		taken.addAll(componentsOf(record))
	}
	return taken
}

func pageOf(record string) string  { return record + "Page" }
func termOf(record string) string  { return record + "OrderingTerm" }
func orderOf(record string) string { return record + "Ordering" } // a parameter

// bodyOf returns the component of the body of a request with an action.
func bodyOf(record string, action schema.Actions) string {
	switch action {
	case schema.Update:
		return record + "Update"
	case schema.PartialUpdate:
		return record + "Patch"
	}
	return "New" + record
}

// componentsOf returns the names of all schemas that a collection may need.
func componentsOf(record string) []string {
	return []string{
		record, pageOf(record), termOf(record), bodyOf(record, schema.Create),
		bodyOf(record, schema.Update), bodyOf(record, schema.PartialUpdate),
	}
}

func (taken names) addAll(list []string) {
	for _, name := range list {
		taken[name] = true
	}
}

// takeRecord adds the names of a collection's components and returns that of its records.
func (taken names) takeRecord(c schema.Description) string {
	base := recordName(c)
	name := base
	for i := 2; slices.ContainsFunc(componentsOf(name), func(s string) bool { return taken[s] }); i++ {
		name = base + strconv.Itoa(i)
	}
	taken.addAll(componentsOf(name))
	return name
}

// take adds a name similar to wanted that is valid for a component and not taken yet.
// It returns that name.
func (taken names) take(wanted string) string {
	base := clean(wanted)
	name := base
	for i := 2; taken[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	taken[name] = true
	return name
}

// clean replaces characters that are not valid in the name of a component.
func clean(name string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, name)
}
