// Package ordering reads, names and applies orderings of records: the
// "ordering=-start_date,name" of an HTTP catalogue, for any Go type.
//
// It stands alone. A program with its own slice of structs takes an ordering
// from a query, sorts by it and never imports anything else of this module:
//
//	fields, err := ordering.FieldsOf[Book]()             // from the json tags, once
//	terms := fields.Parse(r.FormValue("ordering"))       // what is no field is dropped
//	err = fields.Sort(books, terms...)                   // stable
//
// # Names
//
// A field is named in an ordering by the snake_case form of its name on the
// wire: "featureAuthors" by "feature_authors". [Snake] and [Camel] are the two
// directions, by the rules of djangorestframework-camel-case. A leading minus
// asks for descending order and commas join several terms. [Parse] is lenient,
// as Django REST framework's OrderingFilter is: what names no field is dropped.
// [ParseStrict] is for Go programs and refuses it with an error.
//
// # Order
//
// Numbers are compared by value, text by its bytes, false before true, times
// by instant, lists element by element, and null is the largest value: last
// ascending, first descending, as in PostgreSQL. Where kinds mix in one field
// they follow one another: booleans, numbers, times, text, lists, objects, null. A
// [Key] holds one such value; its [Key.Append] gives bytes that compare as the
// value does, ready for a B-tree or a key-value store.
package ordering
