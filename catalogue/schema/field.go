package schema

// A Field describes one member of a collection's records.
type Field struct {
	Name     string // name in JSON
	Kind     Kind
	ReadOnly bool     // ignored in posted objects; has its Default
	Required bool     // must be present, except in a PATCH
	Nullable bool     // may be null
	Blank    bool     // may be empty text
	Unique   bool     // no two records have the same value, except null
	Created  bool     // a read-only Timestamp that is set to the time of the post
	Default  string   // JSON of the value if absent from a post; empty if there is none
	Refers   string   // key of the collection whose ids the field holds, if any
	Choices  []string // the values of a Choice
	Min, Max *int     // bounds of an Integer; nil means no bound
	Digits   int      // maximum number of digits of a Decimal
	Places   int      // number of digits of a Decimal after the point
}

// A Kind is the kind of values that a field holds.
type Kind uint8

// The kinds of fields. The zero Kind is invalid.
const (
	_          Kind = iota
	Integer         // a JSON integer
	Text            // a string
	Slug            // ASCII letters, digits, _ and -
	Timestamp       // a [DateTime]
	Boolean         // true or false
	URL             // a string with an http, https, ftp or ftps URL
	Reference       // the id of a record
	References      // a list of ids
	TextList        // a list of strings
	JSON            // any JSON value
	Float           // a JSON number
	Decimal         // a string with a number that has a fixed number of places, such as "12.00"
	Date            // a string with a date, such as "2024-05-10"
	Choice          // one of a list of strings
)
