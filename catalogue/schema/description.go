// Package schema describes collections of records independently of how they are stored: the fields
// of a [Description], the open [Record], and the validation of requests to write records.
// [DescriptionOf] describes a collection of structs.
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
// Values are validated, with the same messages, as by Django REST framework 3.14, or by 3.18 if
// [WithFramework] says so. DIFFERENCES.md of package httpapi lists the exceptions: for example,
// date-times keep their offset and must have one unless [DRF318] has a time zone.
//
// A program needs DescriptionOf, Description, [Field], [Kind], Record and, for rules, [Invalid].
// All else is for servers and collections.
//
// All functions and methods are safe for concurrent use, provided that no goroutine modifies a
// value that another one uses. Their cost is linear in the size of their arguments unless they say
// otherwise.
//
// # Filters
//
// A parameter in Filters of a description is the name of a field, which means the lookup exact, or
// that name, two underscores and another lookup, such as minutes__gte; all other parameters are
// ignored:
//
//   - exact: equal to the value; a list of ids contains one of the values
//   - in: equal to one of the values, which are separated by commas; one that has commas is in
//     double quotes, and a quote in it twice: "Smith, John",Doe
//   - gt, gte, lt, lte: greater than the value, at least the value, and so on
//   - range: at least the first and at most the second of two values
//   - isnull: null if the value is true or 1, and not null if it is false or 0
//   - contains, startswith, endswith: text that contains the value, or begins or ends with it
//   - iexact, icontains, istartswith, iendswith: the same, comparing the [unicode.ToUpper] of each
//     code point
//   - regex, iregex: text that has a match of a regular expression in the syntax of RE2, in which a
//     point is any character; iregex ignores case
//
// Dates, times, durations and UUIDs have exact, in, gt, gte, lt, lte, range and isnull. Text and
// choices have these and the lookups of text. So do numbers, whose text is compared by these.
// Booleans and references have exact, in, range and isnull. Lists of ids have exact, isnull (an
// empty list is null), and in, whose ids need not be those of records. Other lists, objects and
// JSON have isnull.
//
// Parts of times have the lookups of numbers, as in released__year__gte. Dates and date-times have
// year, iso_year, quarter, month, week (of ISO 8601), day, week_day (1 is Sunday) and iso_week_day
// (1 is Monday); date-times and times have hour, minute and second; date-times have date and time.
// They are those in UTC, or in the zone of the [Framework].
//
// A path leads to a member of an Object, as in address__city, or to a field of a record to which
// the record refers, at any distance, as in director__born__gte. A record that refers to none is
// found by isnull=true alone. Tests of the fields of a list of references can hold for different
// records, each for at least one.
//
// A path also leads backwards, from a record to those that refer to it, by the name in Related of
// the Field of the reference: with related=books in the tag of its author, authors have the
// parameters books, books__title__icontains and books__reviews__stars__gte. Such a name is like a
// list of references: books, which is the lookup exact, has the ids of books and finds the authors
// of one of them, books__isnull=true finds those of none, and each author is found once, however
// many of the books match. A path crosses at most five relations, in either direction.
//
// In a catalogue, a filter along a path takes O(records) of each collection on the way, and some 30
// to 100 bytes for each of these records while it is answered. For one record alone, as in a GET, what
// refers to it by a Reference is found by the index in O(log n + found); what refers to it in a list
// is not, since an index of lists would make each write of a list dearer by O(items × log n).
//
// A parameter can have a name of its own: with min_price in Filters, and price__gte for it in
// Parameters, min_price is what requests, errors, links, pages and OpenAPI documents have, and
// price__gte is no parameter unless it is in Filters, too.
//
// An empty value counts as absent, except in a list of ids, and so does a boolean other than true,
// 1, false and 0, in any case. If a parameter is repeated, the last value counts, but all values of
// a list of ids do. Date-times without an offset are in UTC. Invalid UTF-8 becomes U+FFFD.
//
// A search of more than 100 different words is invalid, and so are regular expressions of more than
// 256 bytes, and those of one request that have more than about 500 characters, classes and
// operators when their repetitions are written out. What they match is bounded, too: the
// instructions of the compiled expressions (a simple one has three) times the bytes of the texts
// are at most 200 million, which takes up to a few seconds.
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
	Key      string          // in the root listing, such as filmRoles
	Of       string          // the key to which references to the records refer, if that is another one; see httpapi.Describe
	Segment  string          // path segment, such as film_roles
	Name     string          // of a record in titles and messages, such as "film role"
	Actions  Actions         // served
	Vary     string          // header
	Query    string          // of the URL in the root listing, such as "format=api"
	Ordering []ordering.Term // default ordering
	Fields   []Field         // in wire order; nil if unknown

	// Sortable are the names, in snake_case, of the fields besides the id by which requests can
	// order records. If nil, they are those of Fields that are neither Hidden nor Computed, or all
	// members if Fields is nil. Members of an Object, such as address__city, must be listed. A path
	// such as director__born orders by a field of another record; a reference to none is null. Of a
	// list of references, or of what refers to a record, the least value counts, or the greatest in
	// descending order. It takes O(records) of each collection on the way.
	Sortable []string

	// Filters are the parameters that select records, such as minutes__gte: a field in snake_case
	// and a lookup, as the package documentation lists them. A path to a field of another record, by
	// its references or backwards by the name in Related of a Field, as in books__title__icontains,
	// needs its description in Related and crosses at most five relations; the package documentation
	// says what it costs. A filter, or an ordering, by a Hidden field reveals its values to clients
	// that try enough of them.
	Filters []string

	// Parameters are those of Filters that have names of their own, and the filters that they are:
	// {"min_price": "price__gte"}. A name is in Filters, and neither a filter by itself nor a field
	// nor a name backwards. Errors of two that are named published_after and published_before, or so
	// with _min and _max, are those of published.
	Parameters map[string]string

	// OrderingParam and SearchParam are the names of the parameters of orderings and searches. If
	// empty, they are ordering and search, which are otherwise names as any other. Links, pages and
	// OpenAPI documents have these names, and so have errors of a search.
	OrderingParam, SearchParam string

	// JSONNames permits requests to name fields as JSON does in orderings and filters:
	// unitPrice__gte for unit_price__gte. Django REST framework ignores such names. A name without
	// capital letters, such as cca3 for cca_3, is always accepted.
	JSONNames bool

	// Search names the fields, in snake_case, in which a search finds text. "^name"
	// finds text at the beginning of the field only, "=slug" compares the whole field, and "$name"
	// takes words for regular expressions, unless a field is named $name. "director__name" is the
	// field of the record, or of any in a list, to which director refers. The text of a UUID has
	// hyphens.
	Search []string

	// Unique are the sets of at least two fields, in snake_case, of which no two records have the
	// same values, unless one is null. Requests must have all of them.
	Unique [][]string

	// Rule, if not nil, checks a record whose fields are valid and whose values are unique before
	// it is stored, and may change it. For a PATCH it is the record with what was not sent. It must
	// not write to the collection. If it returns an error, the record is invalid: the response
	// contains the [FieldErrors] that the error wraps, such as those of [Invalid], with any names,
	// or otherwise its text. An error that wraps that of ctx is not sent.
	//
	// Rule is called for each POST, PUT and PATCH and, if the program asks for validation, for
	// writes from Go and loads; loads discard the result. It must return its own result unchanged:
	// it cannot hash a password, for example.
	Rule func(ctx context.Context, r *Record) error

	// Loose makes requests write open records with any members, which are stored as they are sent:
	// with any names and kinds, their digits, and in their order. Fields tell what most records
	// have. Checked are only the Key, references, which may also be null, Unique fields and sets,
	// which have neither lists nor objects, and what the Rule checks. A PUT replaces all members
	// but the Key, which may be absent; a PATCH those that are sent. Without a Key, a member named
	// id is ignored. A body is invalid if [ParseKeyed] does not accept it, or if two members are
	// one field in snake_case. The default order of records with a Key is that in which they were
	// inserted; catalogues save them so.
	Loose bool

	// Shown are the members of records as they are served, and ShownInLists those in lists, if they
	// differ from Fields that are not Hidden. A catalogue sets them; see package catalogue.
	Shown, ShownInLists []Field

	// Related are the descriptions of the collections to which references lead, at any distance, by
	// their keys. A catalogue sets it.
	Related map[string]*Description

	// Lookup names the Key or the unique field of text, in snake_case, by which paths address
	// records. If empty, paths have ids, so records with a Key need it.
	Lookup string

	// Pages is the style of the pages of the collection. If nil, it is that of the handler. With
	// [pagination.Cursors], requests can order records only by the id and by Fields of scalar
	// kinds, and not at all if Sortable is empty but not nil.
	Pages pagination.Style

	// Positions reports whether List can begin at the Place of a query, as [pagination.Cursors]
	// needs: without it that style is an error of the handler. List then returns tokens. A token
	// leads to the record after its own, even if that has changed or is gone, so it contains values
	// and not the id alone. The handler checks that a token is of the same path, filter and order,
	// and encrypts one of an order by a field that records do not show. Collections of package
	// catalogue always have Positions.
	Positions bool

	// Label is the field, in snake_case, that pages show as the name of a record. If empty, it is
	// the first of title, name and slug that exists.
	Label string
}

// SnakeCase reports whether the JSON of records is in snake_case: some field, or member that is shown,
// has a name with an underscore that is not at its start. All other names in a response are then in
// snake_case, otherwise in camelCase. O(fields).
func (d Description) SnakeCase() bool {
	underscored := func(f Field) bool { return strings.Contains(strings.TrimLeft(f.Name, "_"), "_") }
	return slices.ContainsFunc(d.Fields, underscored) || slices.ContainsFunc(d.Shown, underscored)
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

// Has reports whether the set contains all of the others.
func (a Actions) Has(others Actions) bool { return a&others == others }

// A Field describes one member of a collection's records.
type Field struct {
	Name     string   // name in JSON
	Write    string   // snake_case name in bodies, their errors and OPTIONS; if empty, it is Name
	Formerly []string // names in stored records; see [Description.Upgrade]
	Kind     Kind
	ReadOnly bool   // ignored in posted objects; has its Default
	Required bool   // must be present, except in a PATCH
	Nullable bool   // may be null
	Blank    bool   // may be empty text, whatever the Kind
	Unique   bool   // no two records have the same value, except null
	Fold     bool   // text compares without regard to case, as by [strings.EqualFold]
	ID       bool   // an Integer that identifies the record, even if not named id, _id or ID
	Key      bool   // Unique text that identifies the record; never changes; of open records, also an Integer, or a Decimal without Places
	Quoted   bool   // a number or boolean in a JSON string, as by the option string of a json tag
	Created  bool   // a Timestamp of the POST, unless it is sent and not ReadOnly
	Hidden   bool   // stored, but never served
	Computed bool   // served, but not stored; ReadOnly
	Method   bool   // of what is shown: OPTIONS calls it a field, as what a method of a serializer returns
	Default  string // JSON of the value if absent from a POST; "" means none
	Reset    bool   // a PUT without the field sets it to Default, even if ReadOnly

	Refers   string   // key of the collection of a Reference or References; by id inside other fields
	By       string   // snake_case name of the key or the unique text referred to; if empty, the key or id
	Related  string   // snake_case name, in paths of what is referred to, of the records that refer to it; "" is none
	OnDelete OnDelete // of the record to which a Reference refers
	Choices  []string // the values of a Choice, or of an Integer without bounds
	Labels   []string // of the Choices in OPTIONS; if nil, their words with a capital
	Digits   int      // most digits of a Decimal
	Places   int      // its digits after the point

	// Min and Max are the bounds of an Integer, Float or Decimal, as messages show them, or empty.
	Min, Max string

	// MinLength and MaxLength are the bounds of the number of code points of a text, or of elements
	// of an Array or of References, or 0.
	MinLength, MaxLength int

	Untrimmed bool           // keeps white space at the ends of a Text, also in filters
	Pattern   *regexp.Regexp // found in valid text; ^ and $ make it match all
	Message   string         // for other text; has a default

	Item   *Field  // elements of an Array or Map; has no name
	Fields []Field // members of an Object

	// Check, if not nil, returns the error of a value of the right kind, in canonical JSON. Its
	// messages are listed before those about bounds, lengths and forms.
	Check func(value string) error

	// Rule, if not nil, checks a valid value but null, in canonical JSON, and returns the one to store.
	// Errors and calls are as for [Description.Rule].
	Rule func(ctx context.Context, value string) (string, error)
}

// An OnDelete is what happens to a record when a request deletes the one to which a Reference of it
// refers. A list of references loses the item. References inside other fields stay.
type OnDelete uint8

// What a deletion does.
const (
	Protect OnDelete = iota // the deletion is refused
	Cascade                 // the record is deleted, too
	SetNull                 // the field becomes null
)

// Label returns the name of the field in words, such as "start date" for startDate.
func (f Field) Label() string { return strings.ReplaceAll(ordering.Snake(f.Name), "_", " ") }

// ChoiceValues returns the JSON of the Choices: text, or numbers if the field is an Integer.
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

// IsID reports whether a field is the id: it is the ID, or is named id in any case, as _id and ID
// are, and is not the Key.
func (f Field) IsID() bool {
	return f.ID || !f.Key && strings.EqualFold(strings.TrimLeft(f.Name, "_"), "id")
}

// Identity returns the field that identifies the records: the Key or the id, which is named id if
// Fields lacks it. O(fields).
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
	for i := range d.Fields {
		outer := &d.Fields[i] // a Field is large
		if outer.Fields == nil {
			continue
		}
		if rest, ok := strings.CutPrefix(name, ordering.Snake(outer.Name)+"__"); ok {
			if f, ok = (Description{Fields: outer.Fields}).anyField(rest); ok {
				f.Name = name
				return f, true
			}
		}
	}
	return Field{}, false
}

// Nested returns the fields inside Objects, at any depth and in order. Their names are paths in
// snake_case, such as address__city. Without Objects it returns nil.
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
	URL              // an http, https, ftp or ftps URL
	Reference        // the id of a record
	References       // a list of ids
	Array            // a list of elements of one kind
	JSON             // any JSON value
	Float            // a JSON number
	Decimal          // a string with a fixed number of places, such as "12.00"
	Date             // a string such as "2024-05-10"
	Choice           // one of a list of strings
	Email            // an e-mail address
	UUID             // a string such as "01234567-89ab-cdef-0123-456789abcdef"
	UnicodeSlug      // letters and numbers of any script, _ and -
	Regex            // a string in which a pattern is found
	Map              // an object whose elements are of one kind
	Object           // an object with described members
	TimeOfDay        // a [Time]
	Interval         // a [Duration]
)
