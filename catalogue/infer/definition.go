package infer

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// lookups are the lookups of filters by fields of a kind, besides isnull of those that can be null.
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

// serve makes each scalar among the fields of a description an order and filters, and texts searched.
func serve(about *schema.Description) {
	for _, f := range slices.Concat(about.Fields, schema.Nested(about.Fields)) {
		name := ordering.Snake(f.Name)
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

// definition returns the definition of a collection.
func (m *member) definition() catalogue.Definition[schema.Record] {
	id := schema.Field{Name: m.id, Kind: schema.Integer, ReadOnly: true}
	about := schema.Description{JSONNames: true, Key: m.name, Segment: m.segment(), Name: cmp.Or(strings.TrimSuffix(m.name, "s"), m.name)}
	if m.keyed {
		id = schema.Field{Name: m.id, Kind: schema.Text, Key: true, Unique: true, Untrimmed: true}
		about.Lookup = "id"
	}
	about.Fields = append([]schema.Field{id}, slices.DeleteFunc(slices.Clone(m.fields), func(f schema.Field) bool { return ordering.Snake(f.Name) == "id" })...)
	serve(&about)
	for _, by := range m.from {
		about.Filters = append(about.Filters, by.filtersBackwards()...)
	}
	return catalogue.Define[schema.Record](m.name, catalogue.Options{Description: &about, NewKey: m.newKey()})
}

// recordsOf returns the definition of a collection by its name.
func recordsOf(name string) catalogue.Definition[schema.Record] {
	return catalogue.Define[schema.Record](name, catalogue.Options{})
}

// plainName matches the names that are one step of a path.
var plainName = regexp.MustCompile("^[a-z][a-z0-9]*(_[a-z0-9]+)*$")

// filtersBackwards returns the filters of another collection by the records that refer to it.
func (m *member) filtersBackwards() []string {
	name := ordering.Snake(m.name)
	filters := []string{name, name + "__isnull"}
	for _, f := range m.fields {
		path := name + "__" + ordering.Snake(f.Name)
		if !f.Kind.Scalar() || !plainName.MatchString(ordering.Snake(f.Name)) || slices.Contains(filters, path) {
			continue
		}
		switch filters = append(filters, path); f.Kind {
		case schema.Boolean, schema.Reference:
		case schema.Text, schema.URL:
			filters = append(filters, path+"__icontains")
		default:
			filters = append(filters, path+"__gte", path+"__lte")
		}
	}
	return filters
}

// newKey returns a function that returns the next integer if all keys are integers, or nil.
func (m *member) newKey() func() string {
	var last atomic.Int64
	for _, r := range m.records {
		text, _ := r.Get(m.id)
		n, err := strconv.ParseInt(strings.Trim(text, `"`), 10, 64)
		if err != nil {
			return nil
		}
		last.Store(max(last.Load(), n))
	}
	return func() string { return strconv.FormatInt(last.Add(1), 10) }
}

// guess returns what the program knows of a member of the records.
func (m *member) guess(s *shape) string {
	_, word := s.kind()
	i := slices.IndexFunc(m.fields, func(f schema.Field) bool { return f.Name == s.name })
	switch {
	case i < 0:
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
