package conformance

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
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
	for _, name := range s.impl.Description.Filters {
		for _, f := range s.impl.fields() {
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
	return s.impl.records(columns...)
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
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			panic(err) // a bug in this package
		}
		return at
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
