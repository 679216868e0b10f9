package httpapitest

import (
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A parameter is one of the description's Filters.
type parameter struct {
	name   string
	field  schema.Field
	lookup string
}

// parameters returns the Filters with one of the lookups for which values are known.
func (s *subject) parameters(lookups ...string) []parameter {
	var all []parameter
	for _, name := range s.Description.Filters {
		for _, f := range s.fields() {
			lookup, ok := strings.CutPrefix(name, ordering.Snake(f.Name))
			if lookup = strings.TrimPrefix(lookup, "__"); lookup == "" {
				lookup = "exact"
			}
			if ok && slices.Contains(lookups, lookup) && len(s.samples(f)) > 0 {
				all = append(all, parameter{name, f, lookup})
			}
		}
	}
	return all
}

// allParameters returns the parameters of all lookups.
func (s *subject) allParameters() []parameter {
	return s.parameters("exact", "in", "gt", "gte", "lt", "lte", "range", "isnull", "iexact", "contains", "icontains", "startswith", "istartswith")
}

// samples returns values of a field in the records of a filtered collection. Those of
// references exist at least once, because the Body has them.
func (s *subject) samples(f schema.Field) (values []string) {
	var texts []string
	switch f.Kind {
	case schema.Reference, schema.References:
		return s.references(f)
	case schema.JSON, schema.TextList:
		return nil
	case schema.Text:
		texts = []string{"b", "B", "a b", "ßa", "éa", "Éa b", "b%"}
	case schema.Slug:
		texts = []string{"b", "B", "a-b", "a_b", "ab", "aBc", "b1"}
	case schema.URL:
		texts = []string{"https://b.example/", "https://b.example/a", "https://b.example/A", "http://a.example/", "https://c.example/?a=b", "https://a.example/", "https://d.example/"}
	}
	for i, n := range []int{0, 2, 5, 1, 4, 6, 3} {
		if !f.Unique && i%2 == 1 {
			n = 1
		}
		if texts != nil {
			values = append(values, strconv.Quote(texts[n]))
		} else {
			values = append(values, numbered(f, n*step(f)))
		}
	}
	if f.Nullable {
		values[3], values[5] = "null", "null"
	}
	return values
}

// step returns a factor for the numbers of samples. With it, the order of numbers as text
// is not that by value.
func step(f schema.Field) int {
	whole := f.Digits - f.Places
	switch {
	case f.Unique:
		return 1
	case f.Kind == schema.Decimal && whole >= 2 && f.Places <= 6:
		n := 4
		for range f.Places {
			n *= 10
		}
		return n
	case f.Kind == schema.Integer || f.Kind == schema.Float:
		return 4
	}
	return 1
}

func (s *subject) references(f schema.Field) []string {
	sent := string(s.sent()[f.Name])
	if f.Kind == schema.Reference {
		if id, err := strconv.Atoi(sent); err == nil && !f.Unique {
			return []string{sent, strconv.Itoa(id + 1), sent, strconv.Itoa(id + 2), sent, sent, sent}
		}
		return nil
	}
	var ids []int
	if json.Unmarshal([]byte(sent), &ids) != nil || len(ids) == 0 || f.Unique {
		return nil
	}
	id, next := strconv.Itoa(ids[0]), strconv.Itoa(ids[0]+1)
	return []string{"[" + id + "]", "[]", "[" + next + "]", "[" + id + "," + next + "]", "[]", "[" + id + "]", "[]"}
}

// filtered returns a model with samples in the fields of the parameters.
func (s *subject) filtered(all ...parameter) model {
	var columns []column
	for _, p := range all {
		columns = append(columns, column{p.field, s.samples(p.field)})
	}
	return s.records(columns...)
}

// queries returns values of a parameter.
func (s *subject) queries(p parameter, m model) []string {
	var texts []string
	if p.field.Kind == schema.Reference || p.field.Kind == schema.References {
		var ids []int
		if sent := s.sent()[p.field.Name]; json.Unmarshal(sent, &ids) == nil {
			texts = append(texts, strconv.Itoa(ids[0]))
		} else {
			texts = append(texts, string(sent))
		}
	} else {
		for _, r := range m {
			if text := decode(r.json)[p.field.Name]; string(text) != "null" {
				texts = append(texts, plain(text))
			}
		}
		slices.Sort(texts)
		texts = slices.Compact(texts)
	}
	switch first, last := texts[0], texts[len(texts)-1]; p.lookup {
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
		texts = append(texts, strings.ToUpper(text), strings.ToLower(text), text[len(text)-1:])
	}
	return append(texts, "_", "%", "b")
}

// plain returns the text of a string, and the JSON of other values.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// selects reports whether a parameter with the given text selects a record.
func (p parameter) selects(r record, text string) bool {
	value := r.values[ordering.Snake(p.field.Name)]
	switch {
	case p.lookup == "isnull":
		return (value == nil) == (text == "true")
	case value == nil:
		return false
	}
	bounds := strings.Split(text, ",")
	is := func(i int) int { return compare(value, p.parse(bounds[i])) }
	switch p.lookup {
	case "exact":
		if list, ok := value.([]any); ok {
			return slices.ContainsFunc(list, func(v any) bool { return compare(v, p.parse(text)) == 0 })
		}
		return compare(value, p.parse(text)) == 0
	case "in":
		return slices.ContainsFunc(bounds, func(b string) bool { return compare(value, p.parse(b)) == 0 })
	case "gt":
		return is(0) > 0
	case "gte":
		return is(0) >= 0
	case "lt":
		return is(0) < 0
	case "lte":
		return is(0) <= 0
	case "range":
		return is(0) >= 0 && is(1) <= 0
	}
	return matches(p.lookup, value.(string), text)
}

// parse parses the text of a parameter into a value that compare accepts.
func (p parameter) parse(text string) any {
	switch p.field.Kind {
	case schema.Integer, schema.Float, schema.Decimal, schema.Reference, schema.References:
		return json.Number(text)
	case schema.Boolean:
		return text == "true"
	case schema.Timestamp:
		return instant(text)
	}
	return text
}

// matches reports whether a lookup of text finds a text in a value.
func matches(lookup, value, text string) bool {
	if strings.HasPrefix(lookup, "i") {
		value, text = upper(value), upper(text)
	}
	switch strings.TrimPrefix(lookup, "i") {
	case "contains":
		return strings.Contains(value, text)
	case "startswith":
		return strings.HasPrefix(value, text)
	}
	return value == text // iexact
}

// upper converts each code point to upper case by itself.
func upper(text string) string { return strings.Map(unicode.ToUpper, text) }

// checkSelected checks that List returns the selected records of m in the order of the
// known terms or, if there are none, in the default order.
func (s *subject) checkSelected(c httpapi.Collection, m model, q catalogue.Query, known []ordering.Term, selects func(record) bool) {
	list, got := s.list(c, q)
	if len(known) == 0 {
		known = s.defaultOrder()
	}
	selected := slices.DeleteFunc(slices.Clone(m), func(r record) bool { return !selects(r) })
	want := inside(q.Window, selected.ids(known))
	if list.Count != len(selected) || !slices.Equal(got, want) {
		s.fail("List of %q by %v in %+v: count %d and ids %v, want %d and %v", q.Params.Encode(), q.Terms, q.Window, list.Count, got, len(selected), want)
	}
}

// checkParameters checks which records some parameters select.
func (s *subject) checkParameters(c httpapi.Collection, m model, params url.Values, selects func(record) bool) {
	q := everything(byID())
	q.Params = params
	s.checkSelected(c, m, q, byID(), selects)
}

// checkLookups checks the parameters with one of the lookups, one at a time.
func (s *subject) checkLookups(lookups ...string) {
	parameters := s.parameters(lookups...)
	if len(parameters) == 0 {
		s.skip("the description has no such filter")
	}
	for _, p := range parameters {
		m := s.filtered(p)
		c := s.open(m)
		for _, text := range s.queries(p, m) {
			s.checkParameters(c, m, url.Values{p.name: {text}}, func(r record) bool { return p.selects(r, text) })
		}
	}
}

func checkFilterExact(s *subject)  { s.checkLookups("exact") }
func checkFilterIn(s *subject)     { s.checkLookups("in") }
func checkFilterBounds(s *subject) { s.checkLookups("gt", "gte", "lt", "lte", "range") }
func checkFilterNull(s *subject)   { s.checkLookups("isnull") }

func checkFilterText(s *subject) {
	s.checkLookups("iexact", "contains", "icontains", "startswith", "istartswith")
}

// A record must satisfy all parameters.
func checkFilterSeveral(s *subject) {
	parameters := s.parameters("exact")
	if len(parameters) < 2 {
		parameters = s.allParameters()
	}
	if len(parameters) < 2 {
		s.skip("the description has fewer than two filters")
	}
	for i, q := range parameters[1:] {
		p := parameters[i]
		m := s.filtered(p, q)
		c := s.open(m)
		for _, a := range s.queries(p, m) {
			for _, b := range s.queries(q, m) {
				selects := func(r record) bool { return p.selects(r, a) && q.selects(r, b) }
				s.checkParameters(c, m, url.Values{p.name: {a}, q.name: {b}}, selects)
			}
		}
	}
}

// A selection is a parameter with a text that selects at least two of the records of a
// model, but not all.
type selection struct {
	field   schema.Field
	params  url.Values
	selects func(record) bool
}

func (s *subject) selection() (selection, model) {
	for _, p := range s.allParameters() {
		m := s.filtered(p)
		for _, text := range s.queries(p, m) {
			sel := selection{p.field, url.Values{p.name: {text}}, func(r record) bool { return p.selects(r, text) }}
			n := 0
			for _, r := range m {
				if sel.selects(r) {
					n++
				}
			}
			if n >= 2 && n < len(m) {
				return sel, m
			}
		}
	}
	s.skip("the description has no suitable filter")
	return selection{}, nil
}

// Windows and orders are those of the selected records.
func checkFilterPages(s *subject) {
	sel, m := s.selection()
	c := s.open(m)
	for _, w := range []pagination.Window{{Limit: 1}, {Limit: 1, Offset: 1}, {Limit: 2, Offset: 1}, {Limit: 3, Offset: 20}, {Limit: math.MaxInt, Offset: 1}, {Limit: 1, Offset: math.MaxInt}} {
		for _, terms := range [][]ordering.Term{byID(), byIDDown()} {
			s.checkSelected(c, m, catalogue.Query{Params: sel.params, Window: w, Terms: terms}, terms, sel.selects)
		}
	}
}

// Selected records are ordered as all records are.
func checkFilterOrders(s *subject) {
	sel, m := s.selection()
	c := s.open(m)
	up, down, unknown := ordering.Asc(ordering.Snake(sel.field.Name)), ordering.Desc(ordering.Snake(sel.field.Name)), ordering.Asc("no_such_field")
	for _, order := range []struct{ requested, known []ordering.Term }{
		{nil, nil},
		{[]ordering.Term{unknown}, nil},
		{[]ordering.Term{unknown, ordering.Desc("id")}, byIDDown()},
		{[]ordering.Term{down, unknown}, []ordering.Term{down}},
		{[]ordering.Term{up}, []ordering.Term{up}},
	} {
		s.checkSelected(c, m, catalogue.Query{Params: sel.params, Window: all(), Terms: order.requested}, order.known, sel.selects)
	}
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

// checkInvalid checks that there is one error for each parameter.
func (s *subject) checkInvalid(method string, params url.Values, err error) {
	var fields schema.FieldErrors
	if !errors.As(err, &fields) || len(fields) != len(params) {
		s.fail("%s with %q: error %v, want schema.FieldErrors of %d fields", method, params.Encode(), err, len(params))
	}
}

func checkFilterInvalid(s *subject) {
	params := s.invalidParameters()
	if len(params) == 0 {
		s.skip("the description has no filter with invalid values")
	}
	c := s.open(s.plain(2))
	check := func(params url.Values) {
		_, err := c.List(s.ctx, catalogue.Query{Params: params, Window: all()})
		s.checkInvalid("List", params, err)
	}
	for name, values := range params {
		check(url.Values{name: values})
	}
	check(params)
}

// searchField is a field in which search finds text.
type searchField struct {
	field schema.Field
	sign  string // "^", "=" or ""
}

// searchFields returns the fields of Search that hold text. Those of other collections are
// omitted: no check searches for words that their records may have.
func (s *subject) searchFields() []searchField {
	var found []searchField
	for _, entry := range s.Description.Search {
		name := strings.TrimLeft(entry, "^=")
		for _, f := range s.fields() {
			if text := f.Kind == schema.Text || f.Kind == schema.Slug; text && ordering.Snake(f.Name) == name {
				found = append(found, searchField{f, strings.TrimSuffix(entry, name)})
			}
		}
	}
	return found
}

// finds reports whether a record has every word.
func finds(fields []searchField, r record, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool {
		return !slices.ContainsFunc(fields, func(f searchField) bool {
			text, ok := r.values[ordering.Snake(f.field.Name)].(string)
			lookup := map[string]string{"^": "istartswith", "=": "iexact", "": "icontains"}[f.sign]
			return ok && matches(lookup, text, word)
		})
	})
}

func checkSearch(s *subject) {
	fields := s.searchFields()
	if len(fields) == 0 {
		s.skip("the description searches no text of its own")
	}
	var columns []column
	for i, f := range fields {
		texts := []string{"quoxal-brix", "QUOXAL", "brix-quoxal", "zumt", "aquoxalb", "brix", "zumt-brix"}
		var values []string
		for n := range texts {
			text := texts[(n+2*i)%len(texts)]
			if f.field.Kind == schema.Text && n%2 == 0 {
				text = strings.ReplaceAll(text, "-", " ")
			}
			values = append(values, strconv.Quote(text))
		}
		columns = append(columns, column{f.field, values})
	}
	m := s.records(columns...)
	c := s.open(m)
	for _, search := range []string{"quoxal", "Quoxal", "brix", "zumt", "aquoxalb", "quoxal brix", "brix,quoxal", "  brix   zumt ,", "zumt-brix", "quoxal nowhere", "nowhere", " , ", ""} {
		words := strings.FieldsFunc(search, func(r rune) bool { return r == ' ' || r == ',' })
		s.checkParameters(c, m, url.Values{"search": {search}}, func(r record) bool { return finds(fields, r, words) })
	}
}
