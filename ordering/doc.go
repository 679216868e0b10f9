// Package ordering parses and applies orderings such as "-start_date,name", the
// value of the ordering parameter of an HTTP catalogue, for any Go type. It also has
// conditions on fields, such as [Equal] and [Between].
//
// The package does not depend on the rest of the module, except on package jsonmember. To
// sort a slice of structs by the ordering in a request:
//
//	fields, err := ordering.FieldsOf[Book]()       // from the json tags, once
//	terms := fields.Parse(r.FormValue("ordering")) // unknown fields are dropped
//	err = fields.Sort(books, terms...)             // stable
//
// # Names
//
// Orderings, conditions and key functions name a field by the snake_case form of its
// JSON name: "featureAuthors" is feature_authors. [Snake] and [Camel] convert names by
// the rules of djangorestframework-camel-case.
//
// In the text of an ordering, a leading minus means descending order, and commas
// separate terms. [Parse] drops unknown fields, as OrderingFilter of Django REST
// framework does. [ParseStrict] returns an error for them.
//
// # Order
//
// Numbers compare by value, strings by their bytes, false before true, times by
// instant, and lists element by element. Null is the largest value: last in
// ascending and first in descending order, as in PostgreSQL. If a field holds values
// of several kinds, booleans come first, then numbers, times, strings, lists, objects,
// and null. A [FieldKey] or [TypeKey] replaces this order, for example to ignore case
// or to sort decimals that are kept as text.
//
// A [Key] holds one value. [Key.Append] encodes it as bytes that compare as the value
// does, for use in a B-tree or a key-value store.
//
// # Conditions
//
// A [Condition] restricts a field to values in that order. To filter a slice:
//
//	match, err := fields.Matcher(ordering.Between("year", 1950, 1960), ordering.Prefix("title", "The "))
//	books = slices.DeleteFunc(books, func(b Book) bool { return !match(b) })
//
// A comparison holds only for values of the same kind, and never for null.
// [Condition.Ranges] returns the ranges of keys that satisfy a condition, for use with an
// index.
package ordering
