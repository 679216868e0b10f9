package infer

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A kindSet is a set of kinds.
type kindSet uint32

func (s kindSet) has(k schema.Kind) bool { return s&(1<<k) != 0 }

func setOf(kinds ...schema.Kind) (s kindSet) {
	for _, k := range kinds {
		s |= 1 << k
	}
	return s
}

// guessed are the kinds that are guessed, with their words. The first that all values can have is the kind of
// a field.
var guessed = [...]struct {
	kind schema.Kind
	word string
}{
	{schema.Boolean, "boolean"}, {schema.Integer, "integer"}, {schema.Float, "float"}, {schema.Decimal, "decimal"}, {schema.Date, "date"},
	{schema.Timestamp, "date-time"}, {schema.URL, "URL"}, {schema.Text, "text"}, {schema.Array, "list"}, {schema.Object, "object"},
}

// maxFields is the number of members of a record or an object that are fields.
const maxFields = 200

// A shape is what the values of a member have in common.
type shape struct {
	name          string
	count         int     // of values that are not null
	nulls         int     // of those that are
	total         int     // of objects that could have the member
	inexact       bool    // some number has another form in Go
	cannot        kindSet // kinds that some value cannot have
	some          kindSet // kinds that some value can have
	whole, places int     // digits of decimals
	members       []*shape
	byName        map[string]*shape
	item          *shape // of lists
}

// addMembers adds the members of an object.
func (s *shape) addMembers(members iter.Seq2[string, string]) {
	if s.byName == nil {
		s.byName = map[string]*shape{}
	}
	for name, value := range members {
		m := s.byName[name]
		if m == nil {
			m = &shape{name: name}
			s.byName[name], s.members = m, append(s.members, m)
		}
		m.add(value)
	}
}

// setID makes a member that of the ids of all records.
func (s *shape) setID(name string, kind schema.Kind, total int) {
	if kind != schema.Integer {
		kind = schema.Text
	}
	id := shape{name: name, count: total, cannot: ^setOf(kind), some: setOf(kind)}
	if m := s.byName[name]; m != nil {
		*m = id
		return
	}
	s.members = slices.Insert(s.members, 0, &id)
}

// add adds a value, which is canonical JSON.
func (s *shape) add(value string) {
	if value == "null" {
		s.nulls++
		return
	}
	s.count++
	var can kindSet
	switch value[0] {
	case '{':
		can = setOf(schema.Object)
		s.addMembers(jsontext.Members(value))
	case '[':
		can = setOf(schema.Array)
		s.item = cmp.Or(s.item, &shape{})
		for item := range jsontext.Elements(value) {
			s.item.add(item)
		}
	case 't', 'f':
		can = setOf(schema.Boolean)
	case '"':
		can = s.text(value)
	default:
		n, err := strconv.ParseFloat(value, 64)
		exact := err == nil && strconv.FormatFloat(n, 'f', -1, 64) == value
		if can = setOf(schema.Float); !strings.ContainsAny(value, ".eE") {
			can |= setOf(schema.Integer)
			_, exact = integer(value)
		}
		s.inexact = s.inexact || !exact
	}
	s.cannot |= ^can
	s.some |= can
}

// text returns the kinds that a text can have, of those that all before it can have.
func (s *shape) text(value string) kindSet {
	can, text := setOf(schema.Text), value[1:len(value)-1]
	if whole, places, ok := decimal(text); ok && !s.cannot.has(schema.Decimal) {
		can |= setOf(schema.Decimal)
		s.whole, s.places = max(s.whole, whole), max(s.places, places)
	}
	if !s.cannot.has(schema.Date) {
		if _, err := time.Parse(time.DateOnly, text); err == nil {
			can |= setOf(schema.Date)
		}
	}
	if !s.cannot.has(schema.Timestamp) && new(schema.DateTime).UnmarshalJSON([]byte(value)) == nil {
		can |= setOf(schema.Timestamp)
	}
	if !s.cannot.has(schema.URL) && (strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")) {
		can |= setOf(schema.URL)
	}
	return can
}

// integer returns the value of an integer as JSON and Go write it, and reports whether a text is one.
func integer(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && text == strconv.Itoa(n)
}

// decimal reports whether a text is a number with a point, and how many digits it has.
func decimal(text string) (whole, places int, ok bool) {
	before, after, ok := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return len(before), len(after), ok && digits(before) && digits(after)
}

// kind returns the kind of the values and its word. Text is the kind of texts beside numbers.
func (s *shape) kind() (schema.Kind, string) {
	for _, g := range guessed {
		if s.count > 0 && !s.cannot.has(g.kind) {
			return g.kind, g.word
		}
	}
	if s.some.has(schema.Text) && s.some&setOf(schema.Array, schema.Object) == 0 {
		return schema.Text, "text, mixed"
	}
	return schema.JSON, map[bool]string{true: "null", false: "mixed"}[s.count == 0]
}

// field returns the field of a member. total is the number of records or objects.
func (s *shape) field(total int) schema.Field {
	f := schema.Field{Name: s.name, Nullable: s.count < total}
	switch f.Kind, _ = s.kind(); f.Kind {
	case schema.Decimal:
		f.Digits, f.Places = s.whole+s.places, s.places
	case schema.Text:
		f.Blank, f.Untrimmed = true, true
	case schema.URL:
		f.Blank = true
	case schema.Array:
		item := s.item.field(0)
		f.Item = &item
	case schema.Object:
		if f.Fields = s.fields(s.count); f.Fields == nil {
			f.Kind = schema.JSON
		}
	}
	return f
}

// fields returns the fields of records or objects, of which there are total. Members whose names
// are those of others, such as unitPrice beside unit_price, are none.
func (s *shape) fields(total int) (fields []schema.Field) {
	var known []schema.Field // those before without their parts, which have been checked
	for _, m := range s.members {
		m.total = total
		f := m.field(total)
		next := append(known, f)
		if len(next) <= maxFields && (schema.Description{Key: "x", Segment: "x", Name: "x", Fields: next}).Check() == nil {
			fields = append(fields, f)
			known = append(known, schema.Field{Name: f.Name, Kind: schema.Integer})
		}
	}
	return fields
}
