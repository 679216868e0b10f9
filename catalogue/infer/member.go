package infer

import (
	"strings"
	"unicode"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A span is a part of a text.
type span struct{ start, end int }

// A form is what the value of a member is.
type form uint8

const (
	other   form = iota // it is not served
	records             // a list of records
	record              // one record
	keyed               // an object whose members are records
)

// An identity is what identifies the records of a collection.
type identity struct {
	id      string          // name of the member
	kind    schema.Kind     // Integer, Decimal for texts of digits, or Text
	guessed bool            // it is neither said nor one of idNames
	slashed bool            // some id has a slash
	unnamed bool            // some record has no member for the id in the text
	inside  bool            // the names of records in an object are ids in the records, too
	least   int             // the smallest integer among the ids
	last    int             // the largest, or 0
	ids     map[string]bool // of all records, once they are looked for
}

// A member is a member of the object in a file, or the whole text.
type member struct {
	name  string
	form  form
	at    span     // the value
	names []string // of the members of an object
	parts []span   // the elements of a list, or the values of the members of an object
	first byte     // of the first part
	value []byte   // nil if it is served

	identity
	records []schema.Record // nil after they are stored
	count   int             // of the records
	shape   shape
	fields  []schema.Field

	was  map[[2]string]string // by the name of a member and what is stored: what the text has
	to   map[string]*member   // collections to which fields refer
	from []*member            // collections whose references to this one have a name here
}

// scan reads the value, and reports whether it is valid JSON.
func (m *member) scan(s *jsontext.Scanner) bool {
	m.at.start = start(s)
	switch s.Next() {
	case '[':
		m.form = records
		for more := s.Open(']'); more && m.part(s); more = s.Another(']') {
		}
		if len(m.parts) > 0 && m.first != '{' {
			m.form = other
		}
	case '{':
		m.form = record
		for more := s.Open('}'); more; more = s.Another('}') {
			name, ok := s.Name()
			if m.names = append(m.names, string(name)); !ok || !m.part(s) {
				break
			}
		}
	default:
		s.Value()
	}
	m.at.end = s.At()
	return s.Syntax == nil
}

// part reads a part of the value, and reports whether it is valid JSON.
func (m *member) part(s *jsontext.Scanner) bool {
	at := start(s)
	if len(m.parts) == 0 {
		m.first = s.Next()
	}
	ok := s.Value()
	m.parts = append(m.parts, span{at, s.At()})
	return ok
}

// irregular are the plurals of words that add neither s nor es.
var irregular = [...][2]string{{"person", "people"}, {"child", "children"}, {"man", "men"}, {"woman", "women"}, {"datum", "data"}}

// plurals returns the names that a collection of things with a name in snake_case can have.
func plurals(stem string) []string {
	all := []string{stem, stem + "s", stem + "es"}
	if before, ok := strings.CutSuffix(stem, "y"); ok {
		all = append(all, before+"ies")
	}
	for _, word := range irregular {
		if before, ok := strings.CutSuffix(stem, word[0]); ok && (before == "" || strings.HasSuffix(before, "_")) {
			all = append(all, before+word[1])
		}
	}
	return all
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

// start returns the index of the next value.
func start(s *jsontext.Scanner) int {
	s.Next()
	return s.At()
}
