package infer

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// A member is a member of the object in a file, or the whole text. Its value is a list of records,
// one record, or something else, which is not served.
type member struct {
	name    string
	start   int                // where the value begins
	value   json.RawMessage    // nil if it is served
	one     bool               // the value is a record and no list
	unnamed bool               // the record has no id
	keyed   bool               // ids are texts
	id      string             // name of the id: id, or _id if all records have a text of that name
	ids     map[string]bool    // JSON of the ids in the file
	numbers map[string]bool    // of those of them that are numbers, the JSON of the texts that they become
	to      map[string]*member // collections to which fields refer
	from    []*member          // collections whose references to this one have a name here
	records []schema.Record    // nil after they are stored
	count   int                // of the records
	shape   shape
	fields  []schema.Field
}

// first returns the first byte inside the value, or 0 if it has none.
func (m *member) first() byte { return append(bytes.TrimLeft(m.value[1:], " \t\r\n"), 0)[0] }

// isCollection reports whether the value is a record or a list that can have some.
func (m *member) isCollection() bool {
	return m.value[0] == '{' || m.value[0] == '[' && strings.ContainsRune("{]", rune(m.first()))
}

// segment returns the segment of the path of the collection.
func (m *member) segment() string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("/.?#%", r) || unicode.IsSpace(r) || unicode.IsControl(r) {
			return '-'
		}
		return r
	}, m.name)
}
