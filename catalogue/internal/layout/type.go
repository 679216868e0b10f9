// Package layout knows the record type of a collection: how a record is kept in memory beside its
// encoding, what identifies it, what its fields are and how they compare, and how it is copied,
// checked, read and written. A [Type] is made once, by reflection. What depends on T is one table
// of small functions, which [TableOf] makes.
//
// The addresses of records and of their fields are computed with unsafe: a filter that reads all
// records does little else.
package layout

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// A Type is the record type of a collection: how its records are stored, identified, compared,
// read and written. It is made once for a collection, by reflection, and shared with clones.
type Type struct {
	Table
	Name     string
	Identity identity
	Fields   []*Field            // those that requests can compare: the described ones, and the id
	byName   map[string]*Field   // these and the others, by the name in snake_case
	Texts    []*Field            // unique fields that are text
	members  []*Field            // of a struct, in the order of its JSON
	fill     func(reflect.Value) // makes nil lists of a struct empty; nil if it has none
	plain    bool                // the JSON of a struct has its id as open records have theirs
	OwnJSON  bool                // *T implements json.Unmarshaler
	trusted  bool                // loaded records need no check and no copy, because no methods are called
	fits     bool                // Fits can be true
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
	Now         func() time.Time
}

// Member returns the row of the member of a struct with a name, or nil.
func (s *Type) Member(name string) *Field {
	if i := slices.IndexFunc(s.members, func(m *Field) bool { return m.member() == name }); i >= 0 {
		return s.members[i]
	}
	return nil
}

// Common reports whether the member with a name has a common type, such as string, whose values
// have one JSON each.
func (s *Type) Common(name string) bool {
	m := s.Member(name)
	return m != nil && m.decoder.Common != nil
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
