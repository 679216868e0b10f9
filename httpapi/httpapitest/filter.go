package httpapitest

import (
	"context"
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
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

// filtered returns records with samples in the fields of the parameters.
func (s *subject) filtered(all ...parameter) [][]byte {
	var columns []column
	for _, p := range all {
		columns = append(columns, column{p.field, s.samples(p.field)})
	}
	return s.records(columns...)
}

// queries returns values of a parameter. Those of references are in the Body.
func (s *subject) queries(p parameter) (texts []string) {
	for _, value := range s.samples(p.field) {
		if value != "null" {
			texts = append(texts, textOf(json.RawMessage(value)))
		}
	}
	if p.field.Kind == schema.Reference || p.field.Kind == schema.References {
		texts = []string{strings.Trim(strings.Split(texts[0], ",")[0], "[]")}
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
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

// textOf returns the text of a string, and the JSON of other values.
func textOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// filter returns the filter of parameters, which are alternating names and values. Their
// references are to records.
func (s *subject) filter(parameters ...string) schema.Filter {
	params := url.Values{}
	for i := 0; i < len(parameters); i += 2 {
		params.Set(parameters[i], parameters[i+1])
	}
	exists := func(context.Context, string, int) (bool, error) { return true, nil }
	filter, err := s.Description.Filter(s.ctx, params, exists)
	if err != nil {
		s.Fatalf("parameters of a check: %v", err)
	}
	return filter
}

// checkParameters checks which records some parameters select.
func (p *pair) checkParameters(parameters ...string) {
	q := everything(asc("id"))
	q.Filter = p.filter(parameters...)
	p.checkList("parameters select records", q)
}

// lookups returns a check of the parameters with one of the lookups, one at a time.
func lookups(names ...string) func(*subject) {
	return func(s *subject) {
		parameters := s.parameters(names...)
		if len(parameters) == 0 {
			s.Skipf("the description has no such filter")
		}
		for _, parameter := range parameters {
			p := s.open(s.filtered(parameter))
			for _, text := range s.queries(parameter) {
				p.checkParameters(parameter.name, text)
			}
		}
	}
}

// A record must satisfy all parameters.
func checkFilterSeveral(s *subject) {
	parameters := s.parameters("exact")
	if len(parameters) < 2 {
		parameters = s.allParameters()
	}
	if len(parameters) < 2 {
		s.Skipf("the description has fewer than two filters")
	}
	for i, second := range parameters[1:] {
		first := parameters[i]
		p := s.open(s.filtered(first, second))
		for _, a := range s.queries(first) {
			for _, b := range s.queries(second) {
				p.checkParameters(first.name, a, second.name, b)
			}
		}
	}
}

// selection returns records with a parameter of a field that selects at least two of them, but
// not all.
func (s *subject) selection() (records [][]byte, filter schema.Filter, field schema.Field) {
	for _, parameter := range s.allParameters() {
		records := s.filtered(parameter)
		ref, err := s.reference(records)
		if err != nil {
			s.Fatalf("records of a check: %v", err)
		}
		for _, text := range s.queries(parameter) {
			filter := s.filter(parameter.name, text)
			list, _ := s.list(ref, catalogue.Query{Filter: filter, Window: all()})
			if list.Count >= 2 && list.Count < len(records) {
				return records, filter, parameter.field
			}
		}
	}
	s.Skipf("the description has no suitable filter")
	return nil, filter, field
}

// selected is selection without the field.
func (s *subject) selected() (records [][]byte, filter schema.Filter) {
	records, filter, _ = s.selection()
	return records, filter
}

// Windows and orders apply to the selected records.
func checkFilterPages(s *subject) {
	records, filter := s.selected()
	p := s.open(records)
	for _, w := range []pagination.Window{{Limit: 1}, {Limit: 1, Offset: 1}, {Limit: 2, Offset: 1}, {Limit: 3, Offset: 20}, {Limit: math.MaxInt, Offset: 1}, {Limit: 1, Offset: math.MaxInt}} {
		for _, terms := range [][]ordering.Term{asc("id"), desc("id")} {
			p.checkList("pages of selected records", catalogue.Query{Filter: filter, Window: w, Terms: terms})
		}
	}
}

// Selected records are ordered as all records are.
func checkFilterOrders(s *subject) {
	records, filter, field := s.selection()
	p := s.open(records)
	up, down := ordering.Asc(ordering.Snake(field.Name)), ordering.Desc(ordering.Snake(field.Name))
	for _, terms := range [][]ordering.Term{nil, {ordering.Desc("id")}, {down}, {up}} {
		p.checkList("orders of selected records", catalogue.Query{Filter: filter, Window: all(), Terms: terms})
	}
}

// searchFields returns the fields of Search that hold text. Those of other collections are
// omitted: no check searches for words that their records may have.
func (s *subject) searchFields() (found []schema.Field) {
	for _, entry := range s.Description.Search {
		for _, f := range s.fields() {
			if text := f.Kind == schema.Text || f.Kind == schema.Slug; text && ordering.Snake(f.Name) == strings.TrimLeft(entry, "^=") {
				found = append(found, f)
			}
		}
	}
	return found
}

func checkSearch(s *subject) {
	var columns []column
	for i, f := range s.searchFields() {
		texts := []string{"quoxal-brix", "QUOXAL", "brix-quoxal", "zumt", "aquoxalb", "brix", "zumt-brix"}
		var values []string
		for n := range texts {
			text := texts[(n+2*i)%len(texts)]
			if f.Kind == schema.Text && n%2 == 0 {
				text = strings.ReplaceAll(text, "-", " ")
			}
			values = append(values, strconv.Quote(text))
		}
		columns = append(columns, column{f, values})
	}
	if columns == nil {
		s.Skipf("the description searches no text of its own")
	}
	p := s.open(s.records(columns...))
	for _, search := range []string{"quoxal", "Quoxal", "brix", "zumt", "aquoxalb", "quoxal brix", "brix,quoxal", "  brix   zumt ,", "zumt-brix", "quoxal nowhere", "nowhere", " , ", ""} {
		p.checkParameters("search", search)
	}
}
