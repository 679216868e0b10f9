package schema

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

// FuzzFilter checks that a filter does not depend on other parameters, that its values
// are valid UTF-8 and canonical, so that they result in the same filter, and that errors
// are about parameters of the query.
func FuzzFilter(f *testing.F) {
	for _, row := range filterRows {
		f.Add(row.query)
	}
	for _, text := range []string{
		"status=bogus&minutes=x&premiere_at__gte=x", "search=n%00ight,%C2%A0x&title=%00", "genres=1&genres=,&director__in=,4",
		"minutes=1e51&price=-1e-99&minutes__range=1,2,3", "released=1/2/69&released__gte=2000-01-%20%31", "title=%FF&search=%FF",
	} {
		f.Add(text)
	}
	descriptions := []Description{filterFilms(), filterDirectors(), filterGenres()}
	f.Fuzz(func(t *testing.T, text string) {
		params, _ := url.ParseQuery(text) // with the pairs that it can read
		for _, d := range descriptions {
			filter, err := d.Filter(params, filterExists)
			if err != nil {
				checkFilterErrors(t, d, params, err)
				continue
			}
			given := parametersOf(t, filter)
			if len(filter.Search) > 0 {
				given["search"] = []string{strings.Join(filter.Search, " ")}
			}
			again, err := d.Filter(given, filterExists)
			if err != nil {
				t.Fatalf("filter %v of %q: %v", filter, text, err)
			}
			filter.Tests = slices.DeleteFunc(filter.Tests, func(t Test) bool { return strings.Join(t.Values, "") == "" })
			if diff := cmp.Diff(filter.Search, again.Search); diff != "" {
				t.Fatalf("search of %q, then of %v:\n%s", text, given, diff)
			}
			if len(filter.Tests) > 0 || len(again.Tests) > 0 {
				again.Tests = slices.DeleteFunc(again.Tests, func(t Test) bool { return strings.Join(t.Values, "") == "" })
				if diff := cmp.Diff(filter.Tests, again.Tests); diff != "" {
					t.Fatalf("filter of %q, then of %v:\n%s", text, given, diff)
				}
			}
		}
	})
}

// parametersOf returns the parameters that describe a filter.
func parametersOf(t *testing.T, filter Filter) url.Values {
	params := url.Values{}
	for _, test := range filter.Tests {
		name := test.Field
		if test.Lookup != "exact" {
			name += "__" + test.Lookup
		}
		for _, value := range test.Values {
			if !utf8.ValidString(value) {
				t.Fatalf("%s: value %q", name, value)
			}
		}
		params[name] = test.Values
		if test.Lookup == "in" || test.Lookup == "range" {
			params[name] = []string{strings.Join(test.Values, ",")}
		}
		if len(test.Values) == 0 && test.Lookup != "in" || test.Lookup == "range" && len(test.Values) != 2 {
			t.Fatalf("%s: %d values", name, len(test.Values))
		}
	}
	return params
}

// checkFilterErrors checks that errors are in the order of Filters and about parameters
// of the query.
func checkFilterErrors(t *testing.T, d Description, params url.Values, err error) {
	var errs FieldErrors
	if !errors.As(err, &errs) || len(errs) == 0 {
		t.Fatalf("Filter(%v): %v", params, err)
	}
	if !utf8.ValidString(err.Error()) {
		t.Fatalf("error %q", err)
	}
	names := d.Filters
	for _, e := range errs {
		i := slices.IndexFunc(names, func(name string) bool { return ordering.Camel(name) == e.Field })
		if i < 0 || len(params[names[i]]) == 0 || len(e.Messages) != 1 {
			t.Fatalf("Filter(%v): %v", params, err)
		}
		names = names[i+1:]
	}
}
