// Package schema describes collections of records independently of how they are stored:
// the fields of a [Description], the open [Record], and the validation of requests to write
// records. [DescriptionOf] describes a collection of structs.
//
//	type Film struct {
//		ID   int    `json:"id"`
//		Name string `json:"name" backlist:"maxlength=80"`
//		Year int    `json:"year" backlist:"min=1888"`
//	}
//
//	films, err := schema.DescriptionOf[Film]("films")
//	record, err := films.Validate(ctx, body, schema.Checks{}) // or FieldErrors
//
// [Description.Validate] converts a posted JSON object to a [Record] or returns the errors of its
// fields, with the messages of Django REST framework 3.14, or 3.18 if [WithFramework] says so.
// [Description.ValidateUpdate] does the same for a PUT or PATCH of a record. DIFFERENCES.md of
// package httpapi lists where they differ from the framework. For example, date-times keep their
// offset and must have one unless [DRF318] has a time zone, and NaN and Infinity are invalid.
//
// The package has no state. All functions and methods are safe for concurrent use,
// provided that no goroutine modifies a value that another one uses.
package schema

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Description describes a collection, independently of its records.
type Description struct {
	Key      string          // name in the root listing, such as filmRoles
	Segment  string          // path segment, such as film_roles
	Name     string          // of a record in titles and messages, such as "film role"
	Actions  Actions         // the operations that are served
	Vary     string          // value of the Vary header
	Query    string          // of the URL in the root listing, such as "format=api"
	Ordering []ordering.Term // default ordering
	Fields   []Field         // in wire order; nil if they are not known

	// Sortable are the names of the fields that requests can order records by, in snake_case,
	// besides the id. If nil, they are those of Fields that are neither hidden nor computed, or any
	// that records have if Fields is nil. Members of an Object, such as address__city, must be
	// listed. A path through references, such as "director__born", orders by a field
	// of another record; a reference to none, or to one that does not exist, is null. Of several
	// records to which a list refers, the least value counts, or the greatest in descending order.
	Sortable []string

	// Filters are the parameters that select records: the snake_case name of a field, alone or
	// followed by two underscores and a lookup, such as "minutes__gte". [Description.Filter]
	// lists the lookups. Instead of a field it may name one of a record to which the record
	// refers, at any distance, if Related has the descriptions, as in "director__born__gte" and
	// "genres__name". Parameters that are not in Filters are ignored. A filter, or an ordering,
	// by a Hidden field reveals its values to clients that try enough of them.
	Filters []string

	// JSONNames permits requests to name fields as JSON does in orderings and filters: unitPrice for
	// unit_price, and unitPrice__gte for unit_price__gte. Django REST framework ignores such names.
	// A name without capital letters, such as cca3 for cca_3, is always accepted, because the field
	// of a model may have it.
	JSONNames bool

	// Search names the fields, in snake_case, in which the parameter search finds text. The text
	// of a UUID has hyphens. As in Django REST framework, "^name" finds text at the beginning of
	// the field only, "=slug" compares the whole field, "$name" takes words for regular expressions,
	// and "director__name" is the field of the record that director refers to, or of any that a list
	// refers to. There may be several references, as in "film__director__name". If a field is named
	// $schema, "$schema" is that field.
	Search []string

	// Unique are the sets of at least two fields, in snake_case, of which no two records have
	// the same values, unless one is null. Requests must have all of them. A field that is
	// unique alone is a Unique field.
	Unique [][]string

	// Rule, if not nil, checks a record whose fields are valid, and whose values are unique,
	// before it is stored, and may change it. For a PATCH it is the record with what was
	// not sent. It must not write to the collection. If it returns an
	// error, the record is invalid: the response contains the [FieldErrors] that the error
	// wraps, such as those of [Invalid], or otherwise its text. As in Django REST framework, they
	// may have the names of any fields, described or not. An error that wraps that of ctx is not
	// sent.
	//
	// The rule is called for each POST, PUT and PATCH and, if the program asks for validation, for
	// each write from Go and each loaded record, so it must keep its own result: a record that it
	// has changed is valid and stays the same. Loads discard the result.
	Rule func(ctx context.Context, r *Record) error

	// Related are the descriptions of collections to which fields refer, and of those to which
	// their fields refer, by their keys. A catalogue sets it if there are references.
	Related map[string]*Description

	// Lookup names the unique field of text, in snake_case, by which the paths of records
	// address them. If empty, paths have ids. Records without an id have it: it is their Key unless
	// it is another field.
	Lookup string

	// Pages is the style of the pages of the collection. If nil, it is that of the handler. With
	// [pagination.Cursors], requests can order records only by the id and by Fields of scalar
	// kinds, and not at all if Sortable is empty but not nil.
	Pages pagination.Style

	// Positions reports whether List can begin at the Place of a query, as pages by
	// [pagination.Cursors] need: without it that style is an error of the handler. List then returns
	// tokens. A token leads to the record after its own, even if its own has changed or is gone since,
	// so it contains values and not the id alone. The handler checks that a token is of the same path,
	// filter and order. It encrypts a token of an order by a field that records do not show.
	// Collections of package catalogue always have Positions, whatever their Options say.
	Positions bool

	// Label is the field that pages show as the name of a record, in snake_case. If empty, it
	// is title, name or slug: the first that exists.
	Label string
}

// SnakeCase reports whether the JSON of records is in snake_case: some field has a name with an
// underscore that is not at its start. The names of parameters in errors, and all that a response has besides the fields,
// are then in snake_case, otherwise in camelCase. It is for servers. O(len of Fields).
func (d Description) SnakeCase() bool {
	return slices.ContainsFunc(d.Fields, func(f Field) bool { return strings.Contains(strings.TrimLeft(f.Name, "_"), "_") })
}

// Actions is a set of operations on a collection.
type Actions uint8

// The actions, which are named as in Django REST framework. The first two are requests to the
// path of the collection, the others to the path of a record.
const (
	List          Actions = 1 << iota // GET of a page
	Create                            // POST
	Retrieve                          // GET of a record
	Update                            // PUT
	PartialUpdate                     // PATCH
	Destroy                           // DELETE

	AllActions = List | Create | Retrieve | Update | PartialUpdate | Destroy
)

// Has reports whether the set contains all of the others. O(1).
func (a Actions) Has(others Actions) bool { return a&others == others }

// A Field describes one member of a collection's records.
type Field struct {
	Name     string   // name in JSON
	Formerly []string // names in JSON that stored records may have instead; see [Description.Upgrade]
	Kind     Kind
	ReadOnly bool   // ignored in posted objects; has its Default
	Required bool   // must be present, except in a PATCH
	Nullable bool   // may be null
	Blank    bool   // may be empty text, even if that has not the form of the kind, such as a Date
	Unique   bool   // no two records have the same value, except null
	Fold     bool   // text that compares without regard to case, as by [strings.EqualFold]
	ID       bool   // an Integer that identifies the record; one named id, _id or ID does without
	Key      bool   // Unique text that identifies the record instead of an id; never changes
	Quoted   bool   // the JSON of the number or boolean is a text, as with the option string of a json tag
	Created  bool   // a Timestamp that is the time of the post, unless it is sent and not ReadOnly
	Hidden   bool   // stored, but never served
	Computed bool   // served, but not stored; read-only, and kept until the record changes
	Default  string // JSON of the value if absent from a post; empty if none exists
	Reset    bool   // a PUT without the field sets it to Default, even if it is read-only

	Refers   string   // key of the collection to which a Reference or References refers; by id inside other fields
	By       string   // snake_case name of the unique text there that is the value; if empty, the key or id
	OnDelete OnDelete // what a deletion of the record to which a Reference refers does
	Choices  []string // the values of a Choice, or of an Integer without bounds
	Labels   []string // what OPTIONS shows for the Choices; if nil, their words with a capital
	Digits   int      // maximum number of digits of a Decimal
	Places   int      // number of digits of a Decimal after the point

	// Min and Max are the bounds of an Integer, Float or Decimal, as messages show them. If
	// empty, there is no bound.
	Min, Max string

	// MinLength and MaxLength are the bounds of the number of code points of a text, or of
	// the number of elements of an Array or of References. If 0, there is no bound.
	MinLength, MaxLength int

	Untrimmed bool           // white space at the ends of a Text is kept, also by filters
	Pattern   *regexp.Regexp // is found in valid text; ^ and $ make it match all of it
	Message   string         // for a text in which Pattern is not found; has a default

	Item   *Field  // of an Array or Map: its elements; the field has no name
	Fields []Field // of an Object: its members

	// Check, if not nil, returns the error of a value of the right kind, which is canonical
	// JSON. Its messages are listed before those about bounds, lengths and forms.
	Check func(value string) error

	// Rule, if not nil, checks a valid value, which is canonical JSON, and returns the
	// value to store. Its error is as for [Description.Rule]. It is called for each value that a
	// request sends and, if the program asks for validation, for each write from Go and each
	// loaded record, so it must return its own results unchanged. Loads discard the result.
	Rule func(ctx context.Context, value string) (string, error)
}

// An OnDelete is what happens to a record, at the same instant, when a request deletes the one to
// which a Reference of it refers. A list of references loses the item. References inside other
// fields stay as they are.
type OnDelete uint8

// What a deletion does.
const (
	Protect OnDelete = iota // the deletion is refused
	Cascade                 // the record is deleted, too
	SetNull                 // the field becomes null
)

// Label returns the name of the field in words, such as "start date" for startDate. It
// is for servers. O(len of Name).
func (f Field) Label() string { return strings.ReplaceAll(ordering.Snake(f.Name), "_", " ") }

// ChoiceValues returns the JSON of the Choices: text, or numbers if the field is an Integer. It is
// for servers. O(Choices).
func (f Field) ChoiceValues() []string {
	if f.Kind == Integer {
		return f.Choices
	}
	values := make([]string, len(f.Choices))
	for i, choice := range f.Choices {
		values[i] = string(jsontext.AppendString(nil, choice))
	}
	return values
}

// IsID reports whether a field of records is the id: it is the ID, or is named id in any case, as _id
// and ID are, and is not the Key. It is for servers. O(1).
func (f Field) IsID() bool {
	return f.ID || !f.Key && strings.EqualFold(strings.TrimLeft(f.Name, "_"), "id")
}

// Identity returns the field that identifies the records: the Key or the id, which is named id if
// Fields lacks it. It is for servers. O(fields).
func (d Description) Identity() Field {
	if i := slices.IndexFunc(d.Fields, func(f Field) bool { return f.Key || f.IsID() }); i >= 0 {
		return d.Fields[i]
	}
	return Field{Name: "id", Kind: Integer, ReadOnly: true}
}

// snakeField returns the field with a name in snake_case.
func (d Description) snakeField(name string) (f Field, ok bool) {
	i := slices.IndexFunc(d.Fields, func(f Field) bool { return ordering.Snake(f.Name) == name })
	if i < 0 {
		return Field{}, false
	}
	return d.Fields[i], true
}

// anyField returns the field with a name in snake_case, which may be inside another one.
func (d Description) anyField(name string) (f Field, ok bool) {
	if f, ok = d.snakeField(name); ok {
		return f, true
	}
	return Description{Fields: Nested(d.Fields)}.snakeField(name)
}

// Nested returns the fields inside Objects, at any depth and in order. Their names are paths in
// snake_case, such as address__city. Without Objects it returns nil. It is for
// collections. O(fields).
func Nested(fields []Field) (list []Field) {
	for _, f := range fields {
		for _, inner := range f.Fields {
			inner.Name = ordering.Snake(f.Name) + "__" + ordering.Snake(inner.Name)
			list = append(append(list, inner), Nested([]Field{inner})...)
		}
	}
	return list
}

// snakeNames returns the names of all fields in snake_case.
func (d Description) snakeNames() []string {
	names := make([]string, len(d.Fields))
	for i, f := range d.Fields {
		names[i] = ordering.Snake(f.Name)
	}
	return names
}

// A Kind is the kind of values that a field holds.
type Kind uint8

// The kinds of fields. The zero Kind is invalid.
const (
	_           Kind = iota
	Integer          // a JSON integer
	Text             // a string
	Slug             // ASCII letters, digits, _ and -
	Timestamp        // a [DateTime]
	Boolean          // true or false
	URL              // a string with an http, https, ftp or ftps URL
	Reference        // the id of a record
	References       // a list of ids
	Array            // a list of elements of one kind
	JSON             // any JSON value
	Float            // a JSON number
	Decimal          // a string with a number that has a fixed number of places, such as "12.00"
	Date             // a string with a date, such as "2024-05-10"
	Choice           // one of a list of strings
	Email            // a string with an e-mail address
	UUID             // a string such as "01234567-89ab-cdef-0123-456789abcdef"
	UnicodeSlug      // letters and numbers of any script, _ and -
	Regex            // a string in which a pattern is found
	Map              // an object with any names, whose elements are of one kind
	Object           // an object with members that are described
	TimeOfDay        // a [Time]
	Interval         // a [Duration]
)
