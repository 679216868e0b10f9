package resources

// A Field is what is known of one member of a collection's records.
type Field struct {
	Name     string // on the wire
	Kind     Kind
	ReadOnly bool   // ignored when sent
	Required bool   // must be sent
	Nullable bool   // may be null
	Blank    bool   // text may be empty
	Default  string // JSON text taken when nothing is sent; empty if required or read-only
	Refers   string // key of the collection whose ids it holds, if any
}

// A Kind says what values a field holds.
type Kind uint8

// The kinds of fields. The zero Kind is none of them.
const (
	_          Kind = iota
	Integer         // a JSON integer
	Text            // a string
	Slug            // letters, digits, _ and - of ASCII
	Timestamp       // a [DateTime]
	Boolean         // true or false
	URL             // a string that holds an http, https, ftp or ftps URL
	Reference       // the id of a record
	References      // a list of ids
	TextList        // a list of strings
	JSON            // any JSON value
)
