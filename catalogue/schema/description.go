package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobacklist/backlist/ordering"
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
	// besides the id. If nil, they are those of Fields, or any that records have if Fields is
	// nil. Other names have no effect.
	Sortable []string

	// Filters are the parameters that select records: the snake_case name of a field,
	// alone or followed by two underscores and a lookup, such as "minutes__gte".
	// [Description.Filter] lists the lookups. A filter cannot name a field of another
	// record, such as "director__name". Parameters that are not in Filters are ignored.
	Filters []string

	// Search names the fields in which the parameter search finds text, in snake_case.
	// As in Django REST framework, "^name" finds text at the beginning of the field only,
	// "=slug" compares the whole field, and "director__name" is the field of the record
	// that director refers to, which must be one record and not a list.
	Search []string

	// Label is the field that pages show as the name of a record, in snake_case. If empty, it
	// is title, name or slug: the first that exists.
	Label string
}

// SnakeCase reports whether the JSON of records is in snake_case: some field has a name with an
// underscore. The names of parameters in errors, and all that a response has besides the fields,
// are then in snake_case, otherwise in camelCase. O(len of Fields).
func (d Description) SnakeCase() bool {
	return slices.ContainsFunc(d.Fields, func(f Field) bool { return strings.Contains(f.Name, "_") })
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
	Name     string // name in JSON
	Kind     Kind
	ReadOnly bool     // ignored in posted objects; has its Default
	Required bool     // must be present, except in a PATCH
	Nullable bool     // may be null
	Blank    bool     // may be empty text
	Unique   bool     // no two records have the same value, except null
	Created  bool     // a read-only Timestamp that is set to the time of the post
	Default  string   // JSON of the value if absent from a post; empty if none exists
	Refers   string   // key of the collection whose ids the field holds, if any
	Choices  []string // the values of a Choice
	Min, Max *int     // bounds of an Integer; nil means no bound
	Digits   int      // maximum number of digits of a Decimal
	Places   int      // number of digits of a Decimal after the point
}

// Label returns the name of the field in words, such as "start date" for startDate. O(len of
// Name).
func (f Field) Label() string { return strings.ReplaceAll(ordering.Snake(f.Name), "_", " ") }

// Check returns an error wrapping [ErrInvalid] if the description contradicts itself, for
// example if a filter names an unknown field. The error names the first fault and, for an
// unknown name, the nearest known one. Check cannot see other collections: neither the key
// that a field refers to nor a search in its fields is checked.
func (d Description) Check() error {
	for _, check := range []func() error{d.checkNames, d.checkFields, d.checkFilters, d.checkSearch} {
		if err := check(); err != nil {
			return fmt.Errorf("%w description of %q: %w", ErrInvalid, d.Key, err)
		}
	}
	return nil
}

func (d Description) checkNames() error {
	for _, text := range [...]struct{ of, is string }{{"key", d.Key}, {"segment", d.Segment}, {"name", d.Name}, {"Vary", d.Vary}} {
		switch {
		case text.is == "" && text.of != "Vary":
			return fmt.Errorf("the %s is empty", text.of)
		case !isPlain(text.is):
			return fmt.Errorf("the %s contains control characters or invalid UTF-8", text.of)
		}
	}
	switch {
	case strings.ContainsAny(d.Segment, "/.?#%") || strings.ContainsFunc(d.Segment, isSpace):
		return fmt.Errorf("segment %q contains white space or one of / . ? # %%", d.Segment)
	case strings.ContainsFunc(d.Query, func(r rune) bool { return r <= ' ' || r > '~' }) || strings.ContainsAny(d.Query, "\"#<>\\^`{|}"):
		return fmt.Errorf("query %q contains characters that a URL escapes", d.Query)
	}
	return nil
}

// isPlain reports whether text is UTF-8 without control characters.
func isPlain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// checkFields checks the fields, whose names must also differ in snake_case, and the label.
func (d Description) checkFields() error {
	seen := make(map[string]string, len(d.Fields))
	for i, f := range d.Fields {
		if f.Name == "" {
			return fmt.Errorf("field %d has no name", i)
		}
		snake := ordering.Snake(f.Name)
		if other, repeated := seen[snake]; repeated {
			return fmt.Errorf("fields %q and %q are both %q in snake_case", other, f.Name, snake)
		}
		seen[snake] = f.Name
		if err := f.check(); err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
	}
	if _, ok := d.snakeField(d.Label); !ok && d.Label != "" && d.Fields != nil {
		return fmt.Errorf("label: unknown field %q: %s", d.Label, ordering.Suggest(d.Label, d.snakeNames()))
	}
	return nil
}

func (f Field) check() error {
	switch {
	case f.Kind == 0 || int(f.Kind) >= len(kinds):
		return fmt.Errorf("kind %d is unknown", f.Kind)
	case f.Kind == Choice && len(f.Choices) == 0:
		return errors.New("there are no choices")
	case f.Kind == Decimal && (f.Places < 0 || f.Places > f.Digits):
		return fmt.Errorf("%d places of %d digits", f.Places, f.Digits)
	case f.Min != nil && f.Max != nil && *f.Min > *f.Max:
		return fmt.Errorf("the minimum %d is greater than the maximum %d", *f.Min, *f.Max)
	}
	if f.Default == "" {
		return nil
	}
	if serr := checkSyntax([]byte(f.Default), maxDepth); serr != nil {
		return fmt.Errorf("the default is not JSON: %s", serr.Reason)
	}
	return nil
}

// checkFilters checks the parameters, whose names must not be reserved for pages and formats.
func (d Description) checkFilters() error {
	taken := []string{"limit", "offset", "ordering", "search", "format"}
	for i, name := range d.Filters {
		if slices.Contains(taken, name) {
			return fmt.Errorf("filter %q is another parameter", name)
		}
		if slices.Contains(d.Filters[:i], name) {
			return fmt.Errorf("filter %q is repeated", name)
		}
		if _, _, err := d.Parameter(name); err != nil {
			return fmt.Errorf("filter %q: %w", name, err)
		}
	}
	return nil
}

// checkSearch checks the search fields, which must be text or go through one reference.
func (d Description) checkSearch() error {
	for _, entry := range d.Search {
		name, _ := searchEntry(entry)
		if f, ok := d.snakeField(name); ok {
			if !f.Kind.isText() {
				return fmt.Errorf("search %q: field %q is not text", entry, name)
			}
			continue
		}
		first, second, _ := strings.Cut(name, "__")
		f, ok := d.snakeField(first)
		switch {
		case !ok:
			return fmt.Errorf("search %q: unknown field %q: %s", entry, first, ordering.Suggest(first, d.snakeNames()))
		case f.Kind == References:
			return fmt.Errorf("search %q: field %q is a list: want a reference to one record", entry, first)
		case f.Kind != Reference || f.Refers == "":
			return fmt.Errorf("search %q: field %q does not refer to a collection", entry, first)
		case second == "" || strings.Contains(second, "__"):
			return fmt.Errorf("search %q: want a field of %s after %s__", entry, f.Refers, first)
		}
	}
	return nil
}
