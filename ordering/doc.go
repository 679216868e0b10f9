// Package ordering parses and applies orderings such as "-year,title", the
// value of the ordering parameter of an HTTP catalogue, for any Go type. It also has
// conditions on fields, such as [Equal] and [Between].
//
// To sort a slice of structs by the ordering in a request:
//
//	fields, err := ordering.FieldsOf[Book]()       // from the json tags, once
//	terms := fields.Parse(r.FormValue("ordering")) // unknown fields are dropped
//	err = fields.Sort(books, terms...)             // stable
//
// # Names
//
// Orderings and conditions name a field by the snake_case form of its
// JSON name, or by that name: released_at and releasedAt are the same field. [Snake] and [Camel] convert names by
// the rules of djangorestframework-camel-case. A field of a struct inside a record has the
// names of both, with two underscores between them: address__city. It is null if the struct
// is a nil pointer.
//
// In the text of an ordering, a leading minus means descending order, and commas
// separate terms. [Parse] and [Fields.Parse] drop unknown fields, as OrderingFilter of
// Django REST framework does. [Fields.Sort] returns an error for them.
//
// # Order
//
// Records compare by the sort keys of their fields: numbers compare by value, strings by
// their bytes, false before true, times by instant, and lists element by element. Null is the
// largest value: last in ascending and first in descending order. A type with a method
// OrderingKey replaces this order, for example to ignore case or to sort decimals that are kept
// as text; see [FieldsOf].
//
// # Conditions
//
// A [Condition] restricts a field to values in that order. To filter a slice:
//
//	match, err := fields.Matcher(ordering.Between("year", 1950, 1959), ordering.Prefix("title", "The "))
//	books = slices.DeleteFunc(books, func(b Book) bool { return !match(b) })
//
// A comparison holds only for values of the same kind, and never for null.
// [Condition.Ranges] returns the ranges of keys that satisfy a condition, for use with an
// index.
package ordering

import "errors"

// The errors of this package are wrapped by errors that name the term or the field.
var (
	// ErrUnknownField is returned when a term or a condition names a field that does not exist.
	ErrUnknownField = errors.New("unknown field")
	// ErrInvalidCondition is returned for the zero [Condition] and for one that has a
	// value of the wrong type, a value that equals nothing, or two values in the wrong
	// order.
	ErrInvalidCondition = errors.New("invalid condition")
)
