package infer

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// lookups returns the lookups of filters by fields of a kind, except isnull.
func lookups(k schema.Kind) []string {
	switch k {
	case schema.Boolean:
		return []string{""}
	case schema.Reference:
		return []string{"", "__in"}
	case schema.Text, schema.URL:
		return []string{"", "__in", "__icontains"}
	}
	return []string{"", "__in", "__gt", "__gte", "__lt", "__lte"}
}

// parameters are those of each list, which are no filters.
var parameters = [...]string{"limit", "offset", "ordering", "search", "format", "page", "page_size", "cursor", "_embed", "_expand"}

// These bound the work of a catalogue: how many fields of a collection, with those of objects, are orders and
// filters, and how many filters of all collections lead to other ones.
const (
	maxServed  = 500
	maxRelated = 5000
)

// serve makes each scalar among the fields of a description an order and filters, and texts searched.
func serve(about *schema.Description) {
	all := slices.Concat(about.Fields, schema.Nested(about.Fields))
	for _, f := range all[:min(len(all), maxServed)] {
		name := ordering.Snake(f.Name)
		if f.Kind == schema.References {
			about.Filters = append(about.Filters, name)
		}
		if !f.Kind.Scalar() {
			continue
		}
		about.Sortable = append(about.Sortable, name)
		if f.Kind == schema.Text && !f.Key {
			about.Search = append(about.Search, name)
		}
		all := lookups(f.Kind)
		if f.Nullable {
			all = append(all, "__isnull")
		}
		for _, lookup := range all {
			_, _, err := about.Parameter(name + lookup)
			if err == nil && !slices.Contains(parameters[:], name+lookup) && !slices.Contains(about.Filters, name+lookup) {
				about.Filters = append(about.Filters, name+lookup)
			}
		}
	}
}

// definition returns the definition of a collection. left is how many filters can lead to other ones.
func (m *member) definition(left *int) catalogue.Definition[schema.Record] {
	about := schema.Description{JSONNames: true, Loose: true, Key: m.name, Segment: m.segment(), Name: cmp.Or(strings.TrimSuffix(m.name, "s"), m.name), Lookup: ordering.Snake(m.id)}
	id := schema.Field{Name: m.id, Kind: m.kind, Key: true, Unique: true}
	switch m.kind {
	case schema.Text:
		id.Untrimmed = true
	case schema.Decimal:
		id.Digits = len(strconv.Itoa(maxDigits))
	}
	about.Fields = append([]schema.Field{id}, slices.DeleteFunc(slices.Clone(m.fields), func(f schema.Field) bool { return f.IsID() || ordering.Snake(f.Name) == about.Lookup })...)
	serve(&about)
	own := len(about.Filters)
	for _, f := range about.Fields {
		if to := m.to[f.Name]; to != nil && len(about.Filters) < own+*left {
			about.Filters = append(about.Filters, to.filtersAt(ordering.Snake(f.Name))...)
		}
	}
	for _, by := range m.from {
		if name := ordering.Snake(by.name); len(about.Filters) < own+*left {
			about.Filters = append(about.Filters, by.filtersAt(name, name, name+"__isnull")...)
		}
	}
	*left -= len(about.Filters) - own
	return catalogue.Define[schema.Record](m.name, catalogue.Options{Description: &about})
}

// recordsOf returns the definition of a collection by its name.
func recordsOf(name string) catalogue.Definition[schema.Record] {
	return catalogue.Define[schema.Record](name, catalogue.Options{})
}

// plainName matches the names that are one step of a path.
var plainName = regexp.MustCompile("^[a-z][a-z0-9]*(_[a-z0-9]+)*$")

// filtersAt returns the filters of another collection by the records at a path from there, after others.
func (m *member) filtersAt(at string, filters ...string) []string {
	for _, f := range m.fields {
		for _, lookup := range lookups(f.Kind) {
			path := at + "__" + ordering.Snake(f.Name) + lookup
			if f.Kind.Scalar() && plainName.MatchString(ordering.Snake(f.Name)) && !slices.Contains(filters, path) {
				filters = append(filters, path)
			}
		}
	}
	return filters
}

// guess describes a member of the records: its kind, or the collection to which it refers.
func (m *member) guess(s *shape) string {
	_, word := s.kind()
	i := slices.IndexFunc(m.fields, func(f schema.Field) bool { return f.Name == s.name })
	switch {
	case i < 0 || m.fields[i].IsID():
		return word + " without filters, because its name is that of another"
	case m.to[s.name] != nil:
		if word = "of " + m.to[s.name].name; m.fields[i].Related == "" {
			word += " without filters there, because " + ordering.Snake(m.name) + " is the name of another or of a member"
		}
	}
	if m.fields[i].Nullable {
		word += " or null"
	}
	return word
}
