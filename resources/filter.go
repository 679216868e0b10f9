package resources

import "net/url"

// A Filter selects records of a collection: those for which all tests hold and that have
// every word of the search. The zero Filter selects all records.
type Filter struct {
	Tests  []Test
	Search []string // words, in the order of the parameter; none if empty
}

// A Test restricts a field to values. [Description.Filter] returns tests whose values are
// valid and in canonical form:
//
//   - integers and ids as decimal digits with an optional sign; they may be out of range
//     for an int64
//   - decimals and floats as digits with an optional point and exponent
//   - booleans as true or false
//   - dates as 2006-01-02 and date-times as in the JSON of a [DateTime], in UTC
//   - other values as they are
//
// Null satisfies isnull=true and no other test.
type Test struct {
	Field  string   // in snake_case
	Lookup string   // as [Description.Filter] names it, such as "gte"; never empty
	Values []string // one value; two for range; any number for in, and for exact of a list of ids
}

// Filter returns the filter that the parameters of a query describe, as django-filter and
// the SearchFilter of Django REST framework do. TODO
//
// A parameter of Description.Filters is the name of a field, which is the lookup exact, or
// that name, two underscores and another lookup:
//
//   - exact: equal to the value; a list of ids contains one of the values
//   - in: equal to one of the values, which are separated by commas
//   - gt, gte, lt, lte: greater than the value, at least the value, and so on
//   - range: at least the first and at most the second of two values
//   - isnull: null if the value is true, and not null if it is false
//   - contains, startswith: text that contains the value, or begins with it
//   - iexact, icontains, istartswith: the same, comparing the [unicode.ToUpper] of each
//     code point
func (d Description) Filter(params url.Values, exists func(collection string, id int) bool) (Filter, error) {
	return Filter{}, nil
}
