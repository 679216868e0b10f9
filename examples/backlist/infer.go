package main

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
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
	cannot        kindSet // kinds that some value cannot have
	some          kindSet // kinds that some value can have
	whole, places int     // digits of decimals
	members       []*shape
	byName        map[string]*shape
	item          *shape // of lists
}

// addMembers adds the members of an object.
func (s *shape) addMembers(r schema.Record) {
	if s.byName == nil {
		s.byName = map[string]*shape{}
	}
	for name, value := range r.All() {
		m := s.byName[name]
		if m == nil {
			m = &shape{name: name}
			s.byName[name], s.members = m, append(s.members, m)
		}
		m.add(value)
	}
}

// add adds a value, which is canonical JSON.
func (s *shape) add(value string) {
	if value == "null" {
		return
	}
	s.count++
	var can kindSet
	switch value[0] {
	case '{':
		can = setOf(schema.Object)
		r, _ := schema.ParseKeyed([]byte(value))
		s.addMembers(r)
	case '[':
		can = setOf(schema.Array)
		var items []json.RawMessage
		_ = json.Unmarshal([]byte(value), &items)
		s.item = cmp.Or(s.item, &shape{})
		for _, item := range items {
			s.item.add(string(item))
		}
	case 't', 'f':
		can = setOf(schema.Boolean)
	case '"':
		can = s.text(value)
	default:
		if can = setOf(schema.Float); !strings.ContainsAny(value, ".eE") {
			can |= setOf(schema.Integer)
		}
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
	if _, err := time.Parse(time.DateOnly, text); !s.cannot.has(schema.Date) && err == nil {
		can |= setOf(schema.Date)
	}
	if !s.cannot.has(schema.Timestamp) && new(schema.DateTime).UnmarshalJSON([]byte(value)) == nil {
		can |= setOf(schema.Timestamp)
	}
	if !s.cannot.has(schema.URL) && (strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")) {
		can |= setOf(schema.URL)
	}
	return can
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
	for _, m := range s.members {
		next := append(fields, m.field(total))
		if len(next) <= maxFields && (schema.Description{Key: "x", Segment: "x", Name: "x", Fields: next}).Check() == nil {
			fields = next
		}
	}
	return fields
}

// lookups are the lookups of filters by fields of a kind, besides isnull of those that can be null.
func lookups(k schema.Kind) []string {
	switch k {
	case schema.Boolean:
		return []string{""}
	case schema.Reference:
		return []string{"", "__in"}
	case schema.Text, schema.URL:
		return []string{"", "__in", "__icontains"}
	}
	return []string{"", "__in", "__gt", "__gte", "__lt", "__lte"}
}

// parameters are those of each list, which are no filters.
var parameters = [...]string{"limit", "offset", "ordering", "search", "format", "page", "page_size", "cursor", "_embed", "_expand"}

// serve makes each scalar among the fields of a description an order and filters, and texts searched.
func serve(about *schema.Description) {
	for _, f := range slices.Concat(about.Fields, schema.Nested(about.Fields)) {
		name := ordering.Snake(f.Name)
		if !f.Kind.Scalar() {
			continue
		}
		about.Sortable = append(about.Sortable, name)
		if f.Kind == schema.Text && !f.Key {
			about.Search = append(about.Search, name)
		}
		all := lookups(f.Kind)
		if f.Nullable {
			all = append(all, "__isnull")
		}
		for _, lookup := range all {
			_, _, err := about.Parameter(name + lookup)
			if err == nil && !slices.Contains(parameters[:], name+lookup) && !slices.Contains(about.Filters, name+lookup) {
				about.Filters = append(about.Filters, name+lookup)
			}
		}
	}
}

// identify assigns an id to each record without one, and makes ids texts if not all are positive
// integers.
func (f *jsonFile) identify(m *member, starts []int) error {
	m.ids, m.numbers = map[string]bool{}, map[string]bool{}
	seen, last := map[string]int{}, 0
	for i, r := range m.records {
		text, _ := r.Get(m.id)
		switch {
		case text == "" || text == "null":
			continue
		case text == `""` || strings.ContainsRune("[{tf", rune(text[0])):
			return f.errorAt(starts[i], "%s: the id is %s: want a number or a text, or no id", m.name, text)
		}
		quoted := text
		if m.keyed && text[0] != '"' {
			quoted = `"` + text + `"`
			m.numbers[quoted] = true
			m.records[i], _ = r.With(m.id, json.RawMessage(quoted))
		}
		if other, twice := seen[quoted]; twice {
			return f.errorAt(starts[i], "%s: the id %s is that of the record in line %d, too: change one of them", m.name, text, f.line(starts[other]))
		}
		seen[quoted], m.ids[text] = i, true
		last = max(last, r.ID)
	}
	for i, r := range m.records {
		if text, has := r.Get(m.id); has && text != "null" {
			continue
		}
		m.unnamed = m.one
		if last++; last < 0 {
			return f.errorAt(starts[i], "%s: no id is left after the largest integer: give the record one", m.name)
		}
		if !m.keyed {
			m.records[i].ID = last
			m.ids[strconv.Itoa(last)] = true
			continue
		}
		for m.ids[m.quoted(last)] || m.numbers[m.quoted(last)] {
			last++
		}
		m.records[i], _ = r.With(m.id, strconv.Itoa(last))
		m.ids[m.quoted(last)] = true
	}
	return nil
}

func (m *member) quoted(n int) string { return strconv.Quote(strconv.Itoa(n)) }

// refer makes a field a reference if its name is that of another collection and _id, and if all its
// values are ids there.
func (m *member) refer(field *schema.Field, named map[string][]*member) {
	stem, ok := strings.CutSuffix(ordering.Snake(field.Name), "_id")
	if !ok {
		return
	}
	for _, to := range slices.Concat(named[stem], named[stem+"s"], named[stem+"es"], named[strings.TrimSuffix(stem, "y")+"ies"]) {
		every, some := true, false
		for _, r := range m.records {
			if value, _ := r.Get(field.Name); value != "" && value != "null" {
				every, some = every && to.ids[value], true
			}
		}
		if !every || !some {
			continue
		}
		m.to[field.Name] = to
		*field = schema.Field{Name: field.Name, Kind: schema.Reference, Refers: to.name, Nullable: field.Nullable}
		for i, r := range m.records {
			if value, _ := r.Get(field.Name); to.keyed && to.numbers[`"`+value+`"`] {
				m.records[i], _ = r.With(field.Name, value)
			}
		}
		return
	}
}

// plainName matches the names that are one step of a path.
var plainName = regexp.MustCompile("^[a-z][a-z0-9]*(_[a-z0-9]+)*$")

// relate gives references names backwards: that of their collection, unless two references to a
// collection would have it, or one and a member.
func relate(all []*member) {
	type end struct {
		to   *member
		name string
	}
	named := map[end]int{}
	for _, counted := range [...]bool{false, true} {
		for _, m := range all {
			for i := range m.fields {
				to := m.to[m.fields[i].Name]
				at := end{to, ordering.Snake(m.name)}
				switch is := func(s *shape) bool { return ordering.Snake(s.name) == at.name }; {
				case to == nil:
				case !counted:
					named[at]++
				case named[at] == 1 && plainName.MatchString(at.name) && !slices.Contains(parameters[:], at.name) && !slices.ContainsFunc(to.shape.members, is):
					m.fields[i].Related = at.name
					to.from = append(to.from, m)
				}
			}
		}
	}
}

// filtersBackwards returns the filters of another collection by the records that refer to it.
func (m *member) filtersBackwards() []string {
	name := ordering.Snake(m.name)
	filters := []string{name, name + "__isnull"}
	for _, f := range m.fields {
		path := name + "__" + ordering.Snake(f.Name)
		if !f.Kind.Scalar() || !plainName.MatchString(ordering.Snake(f.Name)) || slices.Contains(filters, path) {
			continue
		}
		switch filters = append(filters, path); f.Kind {
		case schema.Boolean, schema.Reference:
		case schema.Text, schema.URL:
			filters = append(filters, path+"__icontains")
		default:
			filters = append(filters, path+"__gte", path+"__lte")
		}
	}
	return filters
}

// definition returns the definition of a collection.
func (m *member) definition() catalogue.Definition[schema.Record] {
	id := schema.Field{Name: m.id, Kind: schema.Integer, ReadOnly: true}
	about := schema.Description{JSONNames: true, Key: m.name, Segment: m.segment(), Name: cmp.Or(strings.TrimSuffix(m.name, "s"), m.name)}
	if m.keyed {
		id = schema.Field{Name: m.id, Kind: schema.Text, Key: true, Unique: true, Untrimmed: true}
		about.Lookup = "id"
	}
	about.Fields = append([]schema.Field{id}, slices.DeleteFunc(slices.Clone(m.fields), func(f schema.Field) bool { return ordering.Snake(f.Name) == "id" })...)
	serve(&about)
	for _, by := range m.from {
		about.Filters = append(about.Filters, by.filtersBackwards()...)
	}
	return catalogue.Define[schema.Record](m.name, catalogue.Options{Description: &about, NewKey: m.newKey()})
}

// newKey returns a function that returns the next integer if all keys are integers, or nil.
func (m *member) newKey() func() string {
	var last atomic.Int64
	for _, r := range m.records {
		text, _ := r.Get(m.id)
		n, err := strconv.ParseInt(strings.Trim(text, `"`), 10, 64)
		if err != nil {
			return nil
		}
		last.Store(max(last.Load(), n))
	}
	return func() string { return strconv.FormatInt(last.Add(1), 10) }
}

// checkNames returns an error if a record has two members that are one field.
func (f *jsonFile) checkNames(m *member, starts []int) error {
	for i, r := range m.records {
		seen := make(map[string]string, 16)
		for name := range r.All() {
			snake := ordering.Snake(name)
			if other, twice := seen[snake]; twice && snake != "id" {
				return f.errorAt(starts[i], "%s: %q and %q are one field, %s: rename one of them", m.name, other, name, snake)
			}
			seen[snake] = name
		}
	}
	return nil
}
