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
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A Type is the record type of a collection: how its records are stored, identified, compared,
// read and written. It is made once for a collection, by reflection, and shared with clones.
type Type struct {
	Table
	Name     string
	Identity identity
	Fields   []*Field            // those that requests can compare: the described ones, and the id
	byName   map[string]*Field   // these and the others, by the name in snake_case
	Texts    []*Field            // unique fields that are text, and keys
	members  []*Field            // of a struct, in the order of its JSON
	fill     func(reflect.Value) // makes nil lists of a struct empty; nil if it has none
	plain    bool                // the JSON of a struct has its id as open records have theirs
	OwnJSON  bool                // *T implements json.Unmarshaler
	trusted  bool                // loaded records need no check and no copy, because no methods are called
	fits     bool                // Fits can be true
	Engine   *store.Type
	Copier   *value.Copier
	encoder  *value.Encoder // of a struct
	check    func(*Record) error

	evolving schema.Description // the fields of which loaded records may have an older form
	omitted  []schema.Field     // those with a default that the JSON of records lacks if they are zero; Default is zero

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

// A Field is a row of the field table of a record type: what is known of a field of the records,
// at any depth. Whatever compares its values compares the keys that it returns.
type Field struct {
	schema.Field                     // only the name if the field is not described
	Go           ordering.ValueField // zero if it has no Go field
	Engine       store.Field         // its Key is the sort key of an entry
	Snake        string              // in snake_case, or a path such as address__city
	path         *path               // of Snake
	at           value.Path          // of the Go field
	described    bool
	Inside       bool // another field
	Indexed      bool // the engine has the field, so that conditions can use its index
	decodes      bool // a value of a request must be decoded, because methods read or order it

	// JSONKey returns the key of the value in the JSON of an entry. Lookups of text within text
	// compare it.
	JSONKey func(*store.Entry) sortkey.Key
	// order returns the sort key for one that JSONKey returns. If nil, both are equal. That of a
	// reference By a text is set when all collections are known.
	order func(sortkey.Key) sortkey.Key
	// AnyReference reports whether the value, a reference or a list of references, has one for which the
	// function returns true. It is called with the key of the value and its sort key: an id, or the
	// key of a text if the field refers By it.
	AnyReference func(e *store.Entry, is func(value, key sortkey.Key) bool) bool

	codec // of a member of a struct that is the record
}

// A codec is how a member of a struct is read.
type codec struct {
	decoder value.Decoder
	key     string // the name in quotes, and a colon
	needed  bool   // loaded data that lack it have a default
	demands bool   // some values that can be decoded are invalid
	wanted  bool   // a record without it may be invalid
	omitted bool   // so is one with an empty value, which JSON omits
}

// An identity is what identifies the records of a collection: an integer field, the id, or a field
// of text or, in open records, of integers, the key. The ids of entries are those of the records
// or, beside a key, numbers that are neither served nor saved. It is decided after rules have
// changed a record.
type identity struct {
	Wire   string // name of the field in JSON
	Number string // name of the ids of entries in an ordering
	Key    *Field // the field of the key; nil if records have an id

	// ID and SetID read and write the id of a record. It is 0 if the record has none or a key, and
	// negative if it does not fit in an int.
	ID    func(r *Record) int
	SetID func(r *Record, id int)
	most  int // the largest id

	// text and setText read and write the key of a record. It is "" if the record has none, or a
	// value that is no key.
	text    func(r *Record) string
	setText func(r *Record, text string) error
	fresh   func() string          // returns a new key; nil if only clients choose keys, or counts
	counts  bool                   // a new key is the integer after the largest
	json    func(r *Record) string // the JSON of the key; nil if what records have is a key or empty
}

// A builder makes a layout.
type builder struct {
	*Type
	opts      Options
	described []schema.Field // of the description
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

// Loose reports whether records have any members, which are stored as they are sent.
func (s *Type) Loose() bool { return s.About != nil && s.About.Loose }

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
