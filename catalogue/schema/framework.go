package schema

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Framework is what a version of Django REST framework, with its Django and Python, answers
// differently. The zero Framework is 3.14, with Django 3.2 and Python 3.11. Frameworks can be
// compared.
type Framework struct {
	zone  *time.Location // date-times in bodies are converted to it; without an offset they are in it
	later difference     // what is as in the later version
}

// A difference is what the versions answer differently.
type difference uint32

const (
	namesModels   difference = 1 << iota // 404: "No Film matches the given query.", not "Not found."
	indexesErrors                        // of a list of objects: {"1":{…}}, not [{},{…}]
	relaxesUnique                        // a member of a unique set that can be null is not required
	showsDigits                          // OPTIONS: maxDigits and decimalPlaces of a decimal
	namesDomains                         // e-mail addresses: the last label of the domain is not a number
	startsPages                          // page numbers: an empty one is the first
	lowersBools                          // bodies: "tRue" is true
	readsISO                             // dates in bodies, and date-times anywhere: all that Python's fromisoformat reads
	readsMonths                          // dates in filters: "Jan 1, 2000"
	keepsPhrases                         // search: "a night" in quotes is one word
	refusesNull                          // U+0000 in a search or a filter by references
	namesBig                             // fields of 64 bits: "A valid biginteger is required."
	namesLarge                           // an integer beyond a float64 has a message of its own
	readsPorts                           // URLs: a port of one digit
	indexesForms                         // forms: tools[0] in a PATCH; an absent boolean that can be null is null
	namesInterval                        // OPTIONS: the type of an Interval is duration
	cutsSeconds                          // filters: the second of a time is without its fraction
	knowsISOYears                        // filters: iso_year is that of ISO 8601, and not the year, in any lookup
)

// DRF318 returns version 3.18, with Django 5.2 and Python 3.14. zone is the TIME_ZONE of Django:
// date-times in bodies are converted to it, and those without an offset, also in filters, are in
// it. If zone is nil, date-times keep their offset and need one, and those in filters are in UTC. A
// local time that zone skips or repeats is what [time.Date] returns for it.
func DRF318(zone *time.Location) Framework { return Framework{zone, ^difference(0)} }

// has reports whether the framework does what the later version does.
func (f Framework) has(d difference) bool { return f.later&d != 0 }

type frameworkKey struct{}

// WithFramework returns a context with which [Description.Validate], ValidateUpdate and Filter do
// what f does, instead of what the zero Framework does.
func WithFramework(ctx context.Context, f Framework) context.Context {
	return context.WithValue(ctx, frameworkKey{}, f)
}

// frameworkOf returns the Framework of a context.
func frameworkOf(ctx context.Context) Framework {
	f, _ := ctx.Value(frameworkKey{}).(Framework)
	return f
}

// refuses reports whether f refuses the text of a search or of a reference in a filter.
func (f Framework) refuses(text string) bool {
	return f.has(refusesNull) && strings.IndexByte(text, 0) >= 0
}

// ShowsDigits reports whether the metadata of a [Decimal] has its digits and places.
func (f Framework) ShowsDigits() bool { return f.has(showsDigits) }

// IndexesForms reports whether a PATCH can have the elements of a list by their index, and whether
// a Nullable boolean without a value in a form is null rather than false.
func (f Framework) IndexesForms() bool { return f.has(indexesForms) }

// Describe returns d as f serves it. In 3.18, an empty page number is the first one, and a field of
// a unique set that can be null or blank is so if a POST or PUT lacks it. d is not modified. O(len
// of Fields × Unique).
func (f Framework) Describe(d Description) Description {
	if pages, ok := d.Pages.(pagination.Numbers); ok && f.has(startsPages) {
		pages.Blank = true
		d.Pages = pages
	}
	if !f.has(relaxesUnique) || d.Unique == nil {
		return d
	}
	d.Fields = slices.Clone(d.Fields)
	unique := slices.Concat(d.Unique...)
	for i := range d.Fields {
		field := &d.Fields[i]
		if !field.Required || !slices.Contains(unique, ordering.Snake(field.Name)) {
			continue
		}
		switch {
		case field.Nullable:
			field.Required, field.Reset, field.Default = false, true, "null"
		case field.Blank:
			field.Required, field.Reset, field.Default = false, true, `""`
		}
	}
	return d
}

// pythonText returns what Python's str returns for a value.
func pythonText(value string) string {
	if jsontext.KindOf(value) == jsontext.String {
		return jsontext.Unquote(value)
	}
	return pythonRepr(value)
}

// pythonRepr returns what Python's repr returns for a value. Names are in snake_case.
func pythonRepr(value string) string {
	switch jsontext.KindOf(value) {
	case jsontext.Null:
		return "None"
	case jsontext.Bool:
		return strings.ToUpper(value[:1]) + value[1:]
	case jsontext.Int:
		if value == "-0" {
			return "0"
		}
	case jsontext.Float:
		return pythonFloat(value)
	case jsontext.String:
		return pythonQuote(jsontext.Unquote(value))
	case jsontext.List:
		var items []string
		for item := range jsontext.Elements(value) {
			items = append(items, pythonRepr(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case jsontext.Object:
		var items []string
		for name, member := range jsontext.Members(value) {
			items = append(items, pythonQuote(ordering.Snake(name))+": "+pythonRepr(member))
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return value
}

// pythonQuote returns a text quoted as Python does: in single quotes, unless it contains these
// and no double quotes.
func pythonQuote(text string) string {
	quote := '\''
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		quote = '"'
	}
	b := []rune{quote}
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		escape := strings.IndexRune("\n\r\t", r)
		switch {
		case escape >= 0:
			b = append(b, '\\', rune("nrt"[escape]))
		case r == '\\', r == quote:
			b = append(b, '\\', r)
		case unicode.IsPrint(r):
			b = append(b, r)
		case r < 0x100:
			b = append(b, []rune(fmt.Sprintf(`\x%02x`, r))...)
		default:
			b = append(b, []rune(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))...)
		}
	}
	return string(append(b, quote))
}

// pythonFloat returns the text of a JSON number with a point or exponent in Python.
func pythonFloat(number string) string {
	n, err := strconv.ParseFloat(number, 64)
	switch {
	case err == nil:
		return formatFloat(n)
	case n < 0:
		return "-inf"
	}
	return "inf"
}

// formatFloat returns the text of a finite number in Python.
func formatFloat(n float64) string { return string(jsontext.AppendFloat(nil, n, 64)) }

// Checks are callbacks of Validate, ValidateUpdate and Filter that look up stored records. They are
// called with the context of the method, before it returns. It returns the first error of one.
type Checks struct {
	// Find returns the id of the record of a collection that has a text in a field, whose name is
	// in snake_case, or 0 if none exists. The field is unique text, or id, of which the text is the
	// digits. stored is the text of the record, which the reference gets: its case can differ if
	// the field is Fold. If empty, the reference gets the text that was sent. Find is called once
	// for each text. If nil, no record exists.
	Find func(ctx context.Context, collection, field, text string) (id int, stored string, err error)

	// Taken reports whether another record than the written one has the values, JSON other than
	// null, of fields that are unique together. If nil, no value is taken.
	Taken func(ctx context.Context, fields, values []string) (bool, error)

	// Now returns the time for fields that are Created. If nil, it is [time.Now].
	Now func() time.Time

	// Assigned has the values of fields that the server determines, under their names in JSON. They
	// replace what was sent, are validated like it, and may be of read-only and Created fields. The
	// id and unknown names are errors that match [ErrInvalid].
	Assigned Record
}

// A checker calls Checks for one value of a caller.
type checker struct {
	Checks
	ctx     context.Context
	name    string // of a record
	related map[string]*Description
	snake   bool          // names in JSON are in snake_case
	partial bool          // of a PATCH: what objects lack is reported if nothing else is wrong
	depth   int           // of objects, lists and maps around the value
	wrong   int           // bytes of the errors of elements
	filled  int           // bytes of the defaults of members of objects
	room    int           // for these
	program int           // instructions of regular expressions
	work    *atomic.Int64 // of regular expressions; nil without any
	as      Framework
	stored  bool                // the values are those of a stored record
	known   map[reference]found // what Find has returned: a list may repeat a text many times
	visible visible
	unread  unread
	err     error // of a callback
}

// maxDefaults is the number of bytes that the defaults of what elements of lists and maps lack may
// add to a record, if the body is not larger.
const maxDefaults = 1 << 20

func (d Description) checker(ctx context.Context, checks Checks) *checker {
	c := &checker{Checks: checks, ctx: ctx, name: d.Name, related: d.Related, snake: d.SnakeCase(), as: frameworkOf(ctx), room: maxDefaults}
	c.visible, _ = ctx.Value(visibleKey{}).(visible)
	return c
}

// visible is the function of [WithVisible].
type visible = func(ctx context.Context, collection, field, value string) (bool, error)

type visibleKey struct{}

// WithVisible returns a context with which [Description.Validate], ValidateUpdate and Filter ignore
// records for which f returns false. f is called for a record that Find of [Checks] has found, with
// the same arguments. Its errors are handled like those of Find. If f is nil, all records are
// found.
func WithVisible(ctx context.Context, f func(ctx context.Context, collection, field, value string) (bool, error)) context.Context {
	return context.WithValue(ctx, visibleKey{}, f)
}

// unread is the function of [WithUnread], or nil.
type unread = func(name string, known []string)

type unreadKey struct{}

// WithUnread returns a context with which [Description.Validate] and ValidateUpdate call f for each
// member of a body that no field reads, at any depth, with its name and those that would be read in its
// place. Names of read-only fields, of what is shown, and id are known. f may be called again for the
// same member.
func WithUnread(ctx context.Context, f func(name string, known []string)) context.Context {
	return context.WithValue(ctx, unreadKey{}, f)
}

// sees reports whether a record that was found is visible.
func (c *checker) sees(collection, field, value string) (ok bool) {
	if c.visible == nil || c.err != nil {
		return c.err == nil
	}
	ok, c.err = c.visible(c.ctx, collection, field, value)
	return ok
}

// A reference is to the record of a collection that has a text in a field.
type reference struct{ collection, field, text string }

// found is a record, and the text that it has.
type found struct {
	id     int
	stored string
}

// taken reports whether another record has the values of some fields.
func (c *checker) taken(fields, values []string) (found bool) {
	if c.Taken != nil && c.err == nil {
		found, c.err = c.Taken(c.ctx, fields, values)
	}
	return found
}

// failure returns the error of a callback, the errors of the fields, or nil.
func (c *checker) failure(errs FieldErrors) error {
	if c.err == nil && errs != nil {
		return errs
	}
	return c.err
}

// judge returns the errors of a record for the error of a rule: those that it wraps, or its text.
// The error of the context is not one of the record.
func (c *checker) judge(err error) FieldErrors {
	if canceled := c.ctx.Err(); canceled != nil && errors.Is(err, canceled) {
		c.err = err
	}
	var errs FieldErrors
	if errors.As(err, &errs) {
		return errs
	}
	return wholeError(err.Error())
}
