package schema

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// A Filter selects records of a collection: those for which all tests hold and that have
// every word of the search. The zero Filter selects all records.
type Filter struct {
	Tests  []Test
	Search []string // words, each once, in the order of the parameter; none if empty
}

// A Test restricts a field to values. [Description.Filter] returns tests whose values are
// valid and in canonical form:
//
//   - integers and ids as decimal digits with an optional sign; they may be out of range
//     for an int64
//   - decimals and floats as JSON numbers with any exponent; a float is the shortest
//     text of a float64, or a number less than all float64
//   - booleans as true or false
//   - dates as 2006-01-02 and date-times as in the JSON of a [DateTime], in UTC unless
//     the year is out of range there
//   - other values as they are, in valid UTF-8
//
// Null satisfies isnull=true and no other test. Nothing satisfies the lookup in without
// values.
type Test struct {
	Field  string   // in snake_case
	Lookup string   // as [Description.Filter] names it, such as "gte"; never empty
	Values []string // one value; two for range; any number for in, and for exact of a list of ids
}

// Filter returns the filter that the parameters of a query describe, as django-filter and
// the SearchFilter of Django REST framework do. Nil exists means that no record exists.
//
// A parameter of Description.Filters is the name of a field, which is the lookup exact, or
// that name, two underscores and another lookup:
//
//   - exact: equal to the value; a list of ids contains one of the values
//   - in: equal to one of the values, which are separated by commas
//   - gt, gte, lt, lte: greater than the value, at least the value, and so on
//   - range: at least the first and at most the second of two values
//   - isnull: null if the value is true or 1, and not null if it is false or 0
//   - contains, startswith: text that contains the value, or begins with it
//   - iexact, icontains, istartswith: the same, comparing the [unicode.ToUpper] of each
//     code point
//
// Numbers and dates have exact, in, gt, gte, lt, lte, range and isnull; text and choices
// have exact, in, isnull and the lookups of text; booleans have exact and isnull;
// references have exact, in and isnull, and lists of ids only exact. As in django-filter, a
// boolean that is neither true, 1, false nor 0, in any case, is as if it were not given. So
// is an empty value. Filter ignores other parameters, including those of Filters that [Description.Check] rejects.
//
// If a parameter is repeated, the last value counts, except that all values of a list of
// ids do. An empty value counts as absent, except in a list of ids. Ids must be those of
// existing records if the field refers to a collection. Numbers consist of ASCII digits,
// and date-times without an offset are in UTC. Invalid UTF-8 becomes U+FFFD.
//
// A search of more than 100 different words is invalid.
//
// The error is [FieldErrors] in the order of Filters, and then search. Its names are those
// of the parameters, converted with [ordering.Camel], such as "premiereAt_Gte". O(len of Filters
// × Fields + len of the values), without the calls of exists.
func (d Description) Filter(params url.Values, exists func(collection string, id int) bool) (Filter, error) {
	if len(params) == 0 {
		return Filter{}, nil
	}
	if exists == nil {
		exists = func(string, int) bool { return false }
	}
	var filter Filter
	var errs FieldErrors
	for _, name := range d.Filters {
		given := params[name]
		if len(given) == 0 {
			continue
		}
		f, lookup, err := d.parameter(name)
		if err != nil {
			continue
		}
		test, ok, message := f.test(lookup, given, exists)
		if message != "" {
			errs = append(errs, FieldError{ordering.Camel(name), []string{message}})
		} else if ok {
			filter.Tests = append(filter.Tests, test)
		}
	}
	if len(d.Search) > 0 {
		var message string
		if filter.Search, message = searchWords(params["search"]); message != "" {
			errs = append(errs, FieldError{"search", []string{message}})
		}
	}
	if errs != nil {
		return Filter{}, errs
	}
	return filter, nil
}

// parameter returns the field and the lookup of a name in Filters.
func (d Description) parameter(name string) (f Field, lookup string, err error) {
	f, ok := d.snakeField(name)
	field, lookup := name, "exact"
	if at := strings.LastIndex(name, "__"); !ok && at >= 0 {
		field, lookup = name[:at], name[at+len("__"):]
		f, ok = d.snakeField(field)
	}
	switch lookups := f.Kind.lookups(); {
	case !ok:
		return f, "", fmt.Errorf("unknown field %q: %s", field, ordering.Suggest(field, d.snakeNames()))
	case lookup == "exact" && field != name:
		return f, "", fmt.Errorf("the lookup exact is written %q", field)
	case !slices.Contains(lookups, lookup):
		return f, "", fmt.Errorf("field %q has no lookup %q: %s", field, lookup, ordering.Suggest(lookup, lookups))
	}
	return f, lookup, nil
}

// snakeField returns the field with a name in snake_case.
func (d Description) snakeField(name string) (f Field, ok bool) {
	i := slices.IndexFunc(d.Fields, func(f Field) bool { return ordering.Snake(f.Name) == name })
	if i < 0 {
		return Field{}, false
	}
	return d.Fields[i], true
}

// snakeNames returns the names of all fields in snake_case.
func (d Description) snakeNames() []string {
	names := make([]string, len(d.Fields))
	for i, f := range d.Fields {
		names[i] = ordering.Snake(f.Name)
	}
	return names
}

// lookups returns the lookups of the fields of a kind.
func (k Kind) lookups() []string {
	switch k {
	case Integer, Float, Decimal, Date, Timestamp:
		return []string{"exact", "in", "gt", "gte", "lt", "lte", "range", "isnull"}
	case Text, Slug, URL, Choice:
		return []string{"exact", "iexact", "contains", "icontains", "startswith", "istartswith", "in", "isnull"}
	case Reference:
		return []string{"exact", "in", "isnull"}
	case Boolean:
		return []string{"exact", "isnull"}
	case References:
		return []string{"exact"}
	}
	return nil
}
