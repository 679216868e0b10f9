// Package layout knows the record type of a collection: how a record is kept in memory beside its
// encoding, what identifies it, what its fields are and how they compare, and how it is copied,
// checked, read and written. A [Type] is made once, by reflection. What depends on T is one table
// of small functions, which [TableOf] makes.
//
// The addresses of records and of their fields are computed with unsafe: a filter that reads all
// records does little else.
package layout

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// CheckEntry returns an error unless an entry has the id and the JSON of its record.
func (s *Type) CheckEntry(e *store.Entry) error {
	if id := s.Identity.ID(RecordOf(e)); id != e.ID && s.Identity.Key == nil {
		return fmt.Errorf("the record has the id %d", id)
	}
	kept := headerOf(e).encoding.Load()
	if kept == nil {
		return nil
	}
	fresh, err := s.encode(RecordOf(e))
	if err == nil && s.hasTwoForms {
		fresh, err = s.served(e, fresh)
	}
	if err != nil || !bytes.Equal(fresh, *kept) {
		return fmt.Errorf("the stored JSON is %s, want %s (%v)", *kept, fresh, err)
	}
	return nil
}

// Suggest returns the part of an error about an unknown name that says which names are known.
func Suggest[E any](name string, known []E, nameOf func(E) string) string {
	names := make([]string, len(known))
	for i, e := range known {
		names[i] = nameOf(e)
	}
	return ordering.Suggest(name, names)
}

// fillLists makes the nil lists of a record empty, because their JSON would be null, which
// no request could send back.
func (s *Type) fillLists(r *Record) {
	if s.fill != nil {
		s.fill(s.value(r))
	}
}

// Text returns the unique field of text with a name in snake_case, or nil.
func (s *Type) Text(name string) *Field {
	if i := slices.IndexFunc(s.Texts, func(f *Field) bool { return f.Snake == name }); i >= 0 {
		return s.Texts[i]
	}
	return nil
}

// Options configures a collection. Package catalogue documents it.
type Options struct {
	Name        string
	ID          string
	Ordering    []ordering.Term
	History     int
	Unique      [][]string
	Indexes     [][]ordering.Term
	Members     []schema.Field
	NewKey      func() string
	Description *schema.Description
	Validate    bool
	StrictLoad  bool
	Now         func() time.Time
}

// A Type is the record type of a collection: how its records are stored, identified, compared,
// read and written. It is made once for a collection, by reflection, and shared with clones.
type Type struct {
	Table
	Name     string
	Identity identity
	Fields   []*Field            // those that requests can compare: the described ones, and the id
	byName   map[string]*Field   // these and the others, by the name in snake_case
	Texts    []*Field            // unique fields that are text
	strict   bool                // loads require what requests do
	members  []member            // members of a struct
	fill     func(reflect.Value) // makes nil lists of a struct empty; nil if it has none
	OwnJSON  bool                // *T implements json.Unmarshaler
	trusted  bool                // loaded records need no check and no copy, because no methods are called
	Engine   *store.Type
	Unique   [][]store.Field // sets of fields
	Copier   *value.Copier
	encoder  *value.Encoder // of a struct
	check    func(*Record) error

	evolving schema.Description // the fields of which loaded records may have an older form
	Omitted  []schema.Field     // those with a default that the JSON of records lacks if they are zero; Default is zero

	About       *schema.Description // nil if the collection is standalone, as is computes
	computes    *value.Encoder      // of what the method Computed returns, or nil
	hasTwoForms bool                // what is served has other members than what is stored
}

// A member is a member of a struct.
type member struct {
	jsonmember.Member
	path    value.Path
	decoder value.Decoder
	key     string // the name in quotes, and a colon
	strict  bool   // null in loaded data is an error
	needed  bool   // loaded data that lack it have a default, or are invalid
}

// at returns the address of the member of a record, or nil if an embedded pointer is nil.
func (m *member) at(r *Record) unsafe.Pointer { return m.path.At(unsafe.Pointer(r)) }

// Field returns the field with a name in snake_case.
func (s *Type) Field(name string) (store.Field, error) {
	f, ok := s.Engine.Field(name)
	switch {
	case !ok || name == "":
		return f, UnknownField(name, s.Engine.Names)
	case ordering.Snake(name) != name: // of open records, which have any field
		return f, camelField(name)
	}
	return f, nil
}

// Describe sets what follows from the description of a collection of a catalogue. strict makes
// loads require the members that requests require.
func (s *Type) Describe(about *schema.Description, strict bool) error {
	s.About, s.strict = about, strict
	for _, f := range about.Fields {
		s.hasTwoForms = s.hasTwoForms || f.Hidden || f.Computed
		m := s.Member(f.Name)
		if m != nil && strict {
			m.strict, m.needed = !f.Nullable, m.needed || f.Required
		}
		switch {
		case s.Open():
			s.Engine.Known = append(s.Engine.Known, ordering.Snake(f.Name))
		case f.Computed:
		case m == nil && !s.OwnJSON:
			return fmt.Errorf("the JSON of %v has no field %q: %s", s.Reflect, f.Name, Suggest(f.Name, s.members, func(m member) string { return m.Name }))
		}
	}
	if !s.Open() {
		s.fill = filling(schema.Field{Fields: about.Fields}, s.Reflect)
	}
	var err error
	s.computes, err = encoderOfComputed(s.Reflect)
	return err
}

// camelField returns the error for a field of open records that is not in snake_case.
func camelField(name string) error {
	return fmt.Errorf("%w: %q: names are in snake_case: did you mean %s?", ordering.ErrUnknownField, name, ordering.Snake(name))
}

// UnknownField returns the error for a field that no record has.
func UnknownField(name string, known []string) error {
	return fmt.Errorf("%w: %q: %s", ordering.ErrUnknownField, name, ordering.Suggest(name, known))
}

// Member returns the member with a name, or nil.
func (s *Type) Member(name string) *member {
	if i := slices.IndexFunc(s.members, func(m member) bool { return m.Name == name }); i >= 0 {
		return &s.members[i]
	}
	return nil
}

// value returns the record as an addressable value of its type.
func (s *Table) value(r *Record) reflect.Value { return reflect.ValueOf(s.pointer(r)).Elem() }

// Copied returns a fresh entry with a copy of the record of another one.
func (s *Type) Copied(e *store.Entry) *store.Entry {
	fresh := s.New()
	s.copy(s.Copier, RecordOf(fresh), RecordOf(e))
	return fresh
}

// Errorf returns an error that begins with the name of the collection.
func (s *Type) Errorf(format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{s.Title()}, args...)...)
}

// Invalid returns the error of an entry whose record is not valid.
func (s *Type) Invalid(e *store.Entry, err error) error {
	return s.Errorf("%w", refusal{s.Identity.Name(e) + ": ", err})
}

// Title returns the prefix of the collection's errors.
func (s *Type) Title() string { return cmp.Or(s.Name, "collection") }

// Named adds the name of the collection to an error of the store. It returns nil if err
// is nil.
func (s *Type) Named(err error) error {
	if err == nil {
		return nil
	}
	return s.Errorf("%w", err)
}

// Keep stores a copy of a record in a fresh entry, after it has checked it. The record may be the
// entry's.
func (s *Type) Keep(fresh *store.Entry, from *Record) error {
	id := s.Identity.ID(from)
	if err := s.check(from); err != nil { // otherwise it may contain itself
		return err
	}
	to := RecordOf(fresh)
	s.copy(s.Copier, to, from)
	s.fillLists(to)
	s.Identity.SetID(to, id) // a method Clone may have changed it
	fresh.ID = id
	if s.About != nil && s.About.Lookup != "" {
		if text, ok := s.Text(s.About.Lookup).JSONKey(fresh).AsText(); ok {
			if err := s.About.CheckLookup(text); err != nil {
				return err
			}
		}
	}
	if s.hasTwoForms { // an error of the method Computed changes nothing
		_, err := s.Encoded(fresh)
		return err
	}
	return nil
}
