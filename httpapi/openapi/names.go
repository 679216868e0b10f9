package openapi

import (
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/resources"
)

// Schemas that belong to no particular type.
const (
	openRecord    = "Record"
	unknownRecord = "Object"
	detail        = "Detail"
	fieldErrors   = "FieldErrors"
	metadata      = "Metadata"
	fieldMetadata = "FieldMetadata"
	root          = "Root"
	format        = "Format"
)

// recordName returns the name of a collection's records, such as "ItemVariant".
func recordName(c resources.Description) string {
	return strings.ReplaceAll(strings.TrimSuffix(c.Title(), " List"), " ", "")
}

// listName returns the name of a collection in operations, such as "ItemVariants".
func listName(c resources.Description) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(c.Segment, func(r rune) bool { return r == '-' || r == '_' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// names is a set of component names.
type names map[string]bool

// reserved returns the names that a document may need regardless of its types.
func reserved() names {
	taken := names{detail: true, fieldErrors: true, metadata: true, fieldMetadata: true, root: true, format: true}
	records := []string{openRecord, unknownRecord}
	for _, c := range resources.Descriptions() {
		records = append(records, recordName(c))
	}
	for _, name := range records {
		for _, used := range []string{name, pageOf(name), termOf(name), newOf(name)} {
			taken[used] = true
		}
	}
	return taken
}

func pageOf(record string) string  { return record + "Page" }
func termOf(record string) string  { return record + "OrderingTerm" }
func orderOf(record string) string { return record + "Ordering" } // a parameter
func newOf(record string) string   { return "New" + record }

// take adds a name similar to wanted that is valid for a component and not taken yet.
// It returns that name.
func (taken names) take(wanted string) string {
	clean := strings.Map(func(r rune) rune {
		if 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, wanted)
	name := clean
	for i := 2; taken[name]; i++ {
		name = clean + strconv.Itoa(i)
	}
	taken[name] = true
	return name
}
