package resources

import (
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// A Field is what is known of one member of a collection's records.
type Field struct {
	Name     string // on the wire
	Kind     Kind
	ReadOnly bool   // ignored when sent
	Required bool   // must be sent
	Nullable bool   // may be null
	Blank    bool   // text may be empty
	Default  string // JSON text taken when nothing is sent; empty if required or read-only
	Refers   string // key of the collection whose ids it holds, if any
}

// Label is the name that OPTIONS shows people: "Start date"; id is "ID".
// O(len).
func (f Field) Label() string {
	if f.Name == "id" {
		return "ID"
	}
	return capital(strings.ReplaceAll(ordering.Snake(f.Name), "_", " "))
}

// A Kind says what values a field holds.
type Kind uint8

// The kinds of fields. The zero Kind is none of them.
const (
	_          Kind = iota
	Integer         // a JSON integer
	Text            // a string
	Slug            // letters, digits, _ and - of ASCII
	Timestamp       // a [DateTime]
	Boolean         // true or false
	URL             // a string that holds an http, https, ftp or ftps URL
	Reference       // the id of a record
	References      // a list of ids
	TextList        // a list of strings
	JSON            // any JSON value
)

// Type is the name that OPTIONS gives the kind: integer, string, slug,
// datetime, boolean, url, list for lists of text, and field for all else, the
// zero Kind and unknown ones included.
func (k Kind) Type() string {
	switch k {
	case Integer:
		return "integer"
	case Text:
		return "string"
	case Slug:
		return "slug"
	case Timestamp:
		return "datetime"
	case Boolean:
		return "boolean"
	case URL:
		return "url"
	case TextList:
		return "list"
	}
	return "field"
}
