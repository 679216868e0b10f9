package httpapitest

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A parameter is one of the description's Filters, with values to ask for.
type parameter struct {
	name    string
	field   schema.Field
	queries []string
}

// parameters returns the Filters with one of the lookups, or those with any if none is given.
func (s *subject) parameters(lookups ...string) (all []parameter) {
	for _, name := range s.Description.Filters {
		field, lookup, err := s.Description.Parameter(name)
		if err == nil && s.isOwn(name) && s.isStored(field) && (lookups == nil || slices.Contains(lookups, lookup)) {
			all = append(all, parameter{name, field, s.queries(field, lookup)})
		}
	}
	if len(all) == 0 {
		s.Skipf("the description has no such filter")
	}
	return all
}

// isStored reports whether records have a field, which is not a part of one.
func (s *subject) isStored(f schema.Field) bool {
	all := append(schema.Nested(s.Description.Fields), s.Description.Fields...)
	return slices.ContainsFunc(all, func(other schema.Field) bool { return other.Name == f.Name })
}

// queries returns values of a parameter.
func (s *subject) queries(f schema.Field, lookup string) (texts []string) {
	for _, value := range s.values(f) {
		if text := strings.Trim(value, `"[]`); text != "" && !strings.Contains(text, ",") {
			texts = append(texts, text)
		}
	}
	switch first, last := texts[0], texts[len(texts)-1]; lookup {
	case "isnull":
		return []string{"true", "false"}
	case "in":
		return append(texts, first+","+last)
	case "range":
		return []string{first + "," + last, last + "," + first, first + "," + first}
	case "exact", "gt", "gte", "lt", "lte":
		return texts
	}
	for _, text := range texts {
		texts = append(texts, strings.ToUpper(text), strings.ToLower(text))
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// filtered returns records with each value of the fields of some parameters at least twice,
// unless a field is unique.
func (s *subject) filtered(all ...parameter) [][]byte {
	var columns []column
	n := 0
	for _, p := range all {
		values := s.values(p.field)
		if p.field.Nullable {
			values = append(values, "null", "null")
		}
		n = max(n, 2*len(values)+1)
		columns = append(columns, column{p.field, values})
	}
	return s.records(n, columns...)
}

// filter returns the filter of parameters, which are alternating names and values.
func (s *subject) filter(parameters ...string) schema.Filter {
	params := map[string][]string{}
	for i := 0; i < len(parameters); i += 2 {
		params[parameters[i]] = parameters[i+1 : i+2]
	}
	find := func(context.Context, string, string, string) (int, string, error) { return 1, "", nil }
	filter, err := s.Description.Filter(s.ctx, func(name string) []string { return params[name] }, schema.Checks{Find: find})
	if err != nil {
		s.Fatalf("parameters of a check: %v", err)
	}
	return filter
}

// checkSelected checks which records some parameters select.
func (p *pair) checkSelected(why string, parameters ...string) {
	q := everything(ordering.Asc("id"))
	q.Filter = p.filter(parameters...)
	p.list(why, q)
}

// lookups returns a check of the parameters with one of the lookups, one at a time.
func lookups(names ...string) func(*subject) {
	return func(s *subject) {
		parameters := s.parameters(names...)
		p := s.open(s.filtered(parameters...))
		for _, parameter := range parameters {
			for _, text := range parameter.queries {
				p.checkSelected("a parameter selects records", parameter.name, text)
			}
		}
	}
}

// A record must satisfy all parameters.
func checkFilterSeveral(s *subject) {
	parameters := s.parameters()
	p := s.open(s.filtered(parameters...))
	for i, second := range parameters[1:] {
		first := parameters[i]
		for _, a := range first.queries[:min(3, len(first.queries))] {
			for _, b := range second.queries[:min(3, len(second.queries))] {
				p.checkSelected("records satisfy all parameters", first.name, a, second.name, b)
			}
		}
	}
}

// selection returns records with a filter that selects some of them, by a field.
func (s *subject) selection() (records [][]byte, filter schema.Filter, field schema.Field) {
	for _, p := range s.parameters() {
		if !p.field.Unique && p.field.Name != "id" {
			return s.filtered(p), s.filter(p.name, p.queries[0]), p.field
		}
	}
	s.Skipf("the description has no suitable filter")
	return nil, filter, field
}

// Windows and orders apply to the selected records.
func checkFilterPages(s *subject) {
	records, filter, field := s.selection()
	p := s.open(records)
	p.checkPages(filter, [2]int{1, 0}, [2]int{1, 1}, [2]int{2, 1}, [2]int{3, 50}, [2]int{math.MaxInt, 1}, [2]int{1, math.MaxInt})
	up, down := ordering.Asc(ordering.Snake(field.Name)), ordering.Desc(ordering.Snake(field.Name))
	for _, terms := range [][]ordering.Term{nil, {ordering.Desc("id")}, {down}, {up}} {
		p.list("an order of selected records", catalogue.Query{Filter: filter, Window: all(), Terms: terms})
	}
}

// A Positioner lists the records after each value of a field, and after each record, in both
// directions.
func checkPositions(s *subject) {
	all := []parameter{{field: schema.Field{Name: "id", Kind: schema.Integer}}}
	for _, f := range s.Description.Fields {
		if f.Kind.Scalar() && f.Name != "id" {
			all = append(all, parameter{field: f})
		}
	}
	p := s.open(s.filtered(all...))
	if c, ok := p.c.(httpapi.Positioner); !ok || !c.Positions() {
		if pages := s.Description.Pages; pages != nil && !pagination.TraitsOf(pages).Counted {
			s.Fatalf("the description has pages by cursors, but the collection is not an httpapi.Positioner")
		}
		s.Skipf("the collection is not an httpapi.Positioner")
	}
	for _, a := range all {
		for _, term := range []ordering.Term{ordering.Asc(ordering.Snake(a.field.Name)), ordering.Desc(ordering.Snake(a.field.Name))} {
			for i, v := range s.values(a.field) {
				value, _ := a.field.ParsePosition(a.field.Position(v), schema.Framework{})
				p.list("the records after a position", catalogue.Query{Terms: []ordering.Term{term}, Place: &pagination.Place{
					Window: pagination.Window{Limit: 5, Offset: i % 3}, Position: value, Positioned: true, Reverse: i%2 == 1}})
			}
			p.checkTokens(term)
		}
	}
	_, err := p.c.List(s.ctx, catalogue.Query{Place: &pagination.Place{Window: pagination.Window{Limit: 5}, Token: "no-token"}})
	if !errors.Is(err, catalogue.ErrInvalidToken) {
		s.Fatalf("List with an invalid token: error %v, want one wrapping %q", err, catalogue.ErrInvalidToken)
	}
}

// checkTokens checks the tokens and the keys of the records in an order.
func (p *pair) checkTokens(term ordering.Term) {
	q := catalogue.Query{Terms: []ordering.Term{term}, Place: &pagination.Place{Window: pagination.Window{Limit: math.MaxInt}}}
	all := p.list("all records from the start", q)
	ids := p.ids(all)
	for i := range ids {
		for _, reverse := range []bool{false, true} {
			q.Place = &pagination.Place{Window: pagination.Window{Limit: 2}, Token: all.Token(i), Reverse: reverse}
			want := slices.Clone(ids[i+1:])
			if reverse {
				want = slices.Clone(ids[:i])
				slices.Reverse(want)
			}
			got, err := p.c.List(p.ctx, q)
			if want = want[:min(2, len(want))]; err != nil || !slices.Equal(p.ids(got), want) {
				p.Fatalf("List by %v with the token of the id %d, in reverse %t: ids %v, error %v, want %v", term, ids[i], reverse, p.ids(got), err, want)
			}
		}
	}
}

// Find finds the records that the Body refers to, and no other.
func checkReferences(s *subject) {
	c, ok := s.open(s.records(1)).c.(httpapi.ReferenceChecker)
	if !ok {
		s.Skipf("the collection is not an httpapi.ReferenceChecker")
	}
	canceled, cancel := context.WithCancel(s.ctx)
	cancel()
	for _, f := range s.find(func(f schema.Field) bool { return f.Refers != "" && f.By == "" }) {
		for _, id := range append(s.referred(f), strconv.Itoa(unused)) {
			if got, _, err := c.Find(s.ctx, f.Refers, "id", id); (got != 0) != (id != strconv.Itoa(unused)) || err != nil {
				s.Fatalf("Find of the id %s in %s: %d, error %v", id, f.Refers, got, err)
			}
			if _, _, err := c.Find(canceled, f.Refers, "id", id); !errors.Is(err, canceled.Err()) {
				s.Fatalf("Find with a ctx that is done: error %v, want one wrapping %q", err, canceled.Err())
			}
		}
	}
}

// Words are found in the text of records. Other collections are not searched: their records
// may have the words, too.
func checkSearch(s *subject) {
	texts := []string{"quoxal-brix", "QUOXAL", "brix-quoxal", "zumt", "aquoxalb", "brix", "zumt-brix"}
	var columns []column
	for _, f := range s.fields() {
		searched := func(entry string) bool {
			name, _ := s.Description.SearchEntry(entry)
			return name == ordering.Snake(f.Name)
		}
		if (f.Kind == schema.Text || f.Kind == schema.Slug) && slices.ContainsFunc(s.Description.Search, searched) {
			c := column{field: f}
			for i := range texts {
				c.values = append(c.values, strconv.Quote(texts[(i+2*len(columns))%len(texts)]))
			}
			columns = append(columns, c)
		}
	}
	if columns == nil {
		s.Skipf("the description searches no text of its own")
	}
	p := s.open(s.records(len(texts), columns...))
	for _, search := range []string{"quoxal", "Quoxal", "brix", "zumt", "aquoxalb", "quoxal brix", "brix,quoxal", "  brix   zumt ,", "zumt-brix", "quoxal nowhere", "nowhere", " , ", ""} {
		p.checkSelected("words that records have", "search", search)
	}
}
