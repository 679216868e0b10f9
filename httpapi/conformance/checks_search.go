package conformance

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// searchField is a field in which search finds text.
type searchField struct {
	field schema.Field
	sign  string // "^", "=" or ""
}

// searchFields returns the fields of Search that hold text. Those of other collections are
// omitted: no check searches for words that their records may have.
func (s *subject) searchFields() []searchField {
	var found []searchField
	for _, entry := range s.impl.Description.Search {
		name := strings.TrimLeft(entry, "^=")
		for _, f := range s.impl.fields() {
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

func checkSearch(s *subject) error {
	fields := s.searchFields()
	if len(fields) == 0 {
		return skip("the description searches no text of its own")
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
	m := s.impl.records(columns...)
	f, err := s.openFilterer(m)
	if err != nil {
		return err
	}
	for _, search := range []string{"quoxal", "Quoxal", "brix", "zumt", "aquoxalb", "quoxal brix", "brix,quoxal", "  brix   zumt ,", "zumt-brix", "quoxal nowhere", "nowhere", " , ", ""} {
		words := strings.FieldsFunc(search, func(r rune) bool { return r == ' ' || r == ',' })
		selects := func(r record) bool { return finds(fields, r, words) }
		if err := s.checkWhere(f, m, url.Values{"search": {search}}, all(), byID(), byID(), selects); err != nil {
			return err
		}
	}
	return nil
}
