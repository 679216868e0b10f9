package conformance

//lint:file-ignore ST1005 the errors begin with the name of a method, like the failures of a test

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// all is a window with all records.
func all() pagination.Window { return pagination.Window{Limit: unlimited} }

func (s *subject) openFilterer(m model) (httpapi.Filterer, error) {
	_, f, err := openAs[httpapi.Filterer](s, schema.List, m)
	return f, err
}

// checkWhere checks that PageWhere returns the selected records of m in the order of the
// terms, whose last one must be id. requested are the terms to pass.
func (s *subject) checkWhere(f httpapi.Filterer, m model, params url.Values, w pagination.Window, requested, terms []ordering.Term, selects func(record) bool) error {
	count, records, err := f.PageWhere(s.ctx, params, w, slices.Clone(requested))
	if err != nil {
		return fmt.Errorf("PageWhere of %q by %v: %w", params.Encode(), requested, err)
	}
	var got []int
	for _, r := range records {
		id, err := idOf(r)
		if err != nil {
			return err
		}
		got = append(got, id)
	}
	selected := slices.DeleteFunc(slices.Clone(m), func(r record) bool { return !selects(r) })
	want := selected.ids(terms)
	want = want[min(w.Offset, len(want)):]
	want = want[:min(w.Limit, len(want))]
	if count != len(selected) || !slices.Equal(got, want) {
		return fmt.Errorf("PageWhere of %q by %v in %+v: count %d and ids %v, want %d and %v", params.Encode(), requested, w, count, got, len(selected), want)
	}
	return nil
}

// checkLookups checks the parameters with one of the lookups, one at a time.
func (s *subject) checkLookups(lookups ...string) error {
	parameters := s.parameters(lookups...)
	if len(parameters) == 0 {
		return skip("the description has no such filter")
	}
	for _, p := range parameters {
		m := s.filtered(p)
		f, err := s.openFilterer(m)
		if err != nil {
			return err
		}
		for _, text := range s.queries(p, m) {
			selects := func(r record) bool { return p.selects(r, text) }
			if err := s.checkWhere(f, m, url.Values{p.name: {text}}, all(), byID(), byID(), selects); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkFilterExact(s *subject) error  { return s.checkLookups("exact") }
func checkFilterIn(s *subject) error     { return s.checkLookups("in") }
func checkFilterBounds(s *subject) error { return s.checkLookups("gt", "gte", "lt", "lte", "range") }
func checkFilterNull(s *subject) error   { return s.checkLookups("isnull") }

func checkFilterText(s *subject) error {
	return s.checkLookups("iexact", "contains", "icontains", "startswith", "istartswith")
}

// lookups returns all lookups.
func lookups() []string {
	return []string{"exact", "in", "gt", "gte", "lt", "lte", "range", "isnull", "iexact", "contains", "icontains", "startswith", "istartswith"}
}

// A record must satisfy all parameters.
func checkFilterSeveral(s *subject) error {
	parameters := s.parameters("exact")
	if len(parameters) < 2 {
		parameters = s.parameters(lookups()...)
	}
	two := func(p, q parameter) error {
		m := s.filtered(p, q)
		f, err := s.openFilterer(m)
		if err != nil {
			return err
		}
		for _, a := range s.queries(p, m) {
			for _, b := range s.queries(q, m) {
				selects := func(r record) bool { return p.selects(r, a) && q.selects(r, b) }
				if err := s.checkWhere(f, m, url.Values{p.name: {a}, q.name: {b}}, all(), byID(), byID(), selects); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for i := 1; i < len(parameters); i++ {
		if err := two(parameters[i-1], parameters[i]); err != nil {
			return err
		}
	}
	if len(parameters) < 2 {
		return skip("the description has fewer than two filters")
	}
	return nil
}

// selective returns a parameter, its records, and a text that selects at least two of
// them but not all.
func (s *subject) selective() (p parameter, m model, text string, err error) {
	for _, p := range s.parameters(lookups()...) {
		m := s.filtered(p)
		for _, text := range s.queries(p, m) {
			n := 0
			for _, r := range m {
				if p.selects(r, text) {
					n++
				}
			}
			if n >= 2 && n < len(m) {
				return p, m, text, nil
			}
		}
	}
	return p, nil, "", skip("the description has no suitable filter")
}

// defaultOrder returns the terms of the default order, with the id last.
func (s *subject) defaultOrder() []ordering.Term {
	terms := s.impl.Description.Ordering
	if len(terms) == 0 {
		return byID()
	}
	if terms[len(terms)-1].Field == "id" {
		return terms
	}
	return append(slices.Clip(terms), ordering.Term{Field: "id", Desc: terms[0].Desc})
}

// Windows and orders are those of the selected records.
func checkFilterPages(s *subject) error {
	p, m, text, err := s.selective()
	if err != nil {
		return err
	}
	f, err := s.openFilterer(m)
	if err != nil {
		return err
	}
	params := url.Values{p.name: {text}}
	selects := func(r record) bool { return p.selects(r, text) }
	for _, w := range []pagination.Window{{Limit: 1}, {Limit: 1, Offset: 1}, {Limit: 2, Offset: 1}, {Limit: 3, Offset: 20}, {Limit: math.MaxInt, Offset: 1}, {Limit: 1, Offset: math.MaxInt}} {
		for _, terms := range [][]ordering.Term{byID(), byIDDown()} {
			if err := s.checkWhere(f, m, params, w, terms, terms, selects); err != nil {
				return err
			}
		}
	}
	return nil
}

// PageWhere drops unknown terms, uses the default order if none is left, and breaks ties
// by id in the direction of the first term.
func checkFilterOrders(s *subject) error {
	p, m, text, err := s.selective()
	if err != nil {
		return err
	}
	f, err := s.openFilterer(m)
	if err != nil {
		return err
	}
	name := ordering.Snake(p.field.Name)
	orders := []struct{ requested, want []ordering.Term }{
		{nil, s.defaultOrder()},
		{[]ordering.Term{ordering.Asc("no_such_field")}, s.defaultOrder()},
		{[]ordering.Term{ordering.Asc("no_such_field"), ordering.Desc("id")}, byIDDown()},
		{[]ordering.Term{ordering.Desc(name), ordering.Asc("no_such_field")}, thenByID(ordering.Desc(name))},
		{[]ordering.Term{ordering.Asc(name)}, thenByID(ordering.Asc(name))},
	}
	for _, order := range orders {
		selects := func(r record) bool { return p.selects(r, text) }
		if err := s.checkWhere(f, m, url.Values{p.name: {text}}, all(), order.requested, order.want, selects); err != nil {
			return err
		}
	}
	return nil
}

// invalidParameters returns parameters with texts that are invalid.
func (s *subject) invalidParameters() url.Values {
	params := url.Values{}
	for _, p := range s.parameters("exact", "gt", "gte", "lt", "lte", "range") {
		switch p.field.Kind {
		case schema.Integer, schema.Float, schema.Decimal, schema.Date, schema.Timestamp, schema.Reference, schema.References:
			params.Set(p.name, "x")
		case schema.Choice:
			if p.lookup == "exact" {
				params.Set(p.name, "no such choice")
			}
		}
	}
	return params
}

// checkFieldErrors checks that there is one error for each of n parameters.
func checkFieldErrors(err error, n int, method string, params url.Values) error {
	var fields schema.FieldErrors
	if !errors.As(err, &fields) || len(fields) != n {
		return fmt.Errorf("%s of %q: error %v, want schema.FieldErrors of %d fields", method, params.Encode(), err, n)
	}
	return nil
}

func checkFilterInvalid(s *subject) error {
	params := s.invalidParameters()
	if len(params) == 0 {
		return skip("the description has no filter with invalid values")
	}
	f, err := s.openFilterer(s.impl.plain(2))
	if err != nil {
		return err
	}
	for name, values := range params {
		one := url.Values{name: values}
		_, _, err := f.PageWhere(s.ctx, one, all(), byID())
		if err := checkFieldErrors(err, 1, "PageWhere", one); err != nil {
			return err
		}
	}
	_, _, err = f.PageWhere(s.ctx, params, all(), byID())
	return checkFieldErrors(err, len(params), "PageWhere", params)
}
