package browse

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
)

// filters is what a page shows of the parameters that select its records: a form that adds one, those
// that are active, and values to choose from.
type filters struct {
	Search string // name of its parameter, or "" if there is none
	Sought string // its value
	Within string // the names of the fields in which a search finds text
	Row    filterRow
	Kept   []option // parameters that are not in the form
	Chips  []choice
	Facets []facet
	Clear  string // link to all records
}

// facet is a field with few values, which the page offers as links.
type facet struct {
	Label  string
	Values []choice
}

// choice is an active filter, whose link removes it, or a value of a facet, whose link selects
// it, or no longer does.
type choice struct {
	Label, Count, Link string
	Active             bool
}

const (
	maxFacets  = 3  // facets above the table
	maxChoices = 8  // values of all facets
	maxValues  = 60 // that the row suggests
)

// newFilters returns the filters of the collection with the values of the query. wrong are the
// errors in these values. A page of errors has no facets.
func (v *view) newFilters(wrong faults) *filters {
	f := &filters{Row: v.row}
	if f.Row.Field != "" {
		_, f.Row.Fault = v.filter(f.Row)
	}
	cleared := []string{v.c.is.Place, "", v.c.search, ""}
	if len(v.c.Search) > 0 {
		f.Search, f.Sought, f.Within = v.c.search, v.query.get(v.c.search), v.c.searched()
	}
	active, room, mistaken := len(v.query.values[v.c.search]), maxChoices, v.c.search
	for _, name := range v.c.Filters {
		field, lookup, _ := v.c.Parameter(name) // the handler has checked it
		options := v.choices(field)
		exact := ordering.Snake(field.Name)
		selects := name == exact+"__in" || name == exact && !slices.Contains(v.c.Filters, exact+"__in")
		if selects && len(options) > 1 && len(options) <= room && wrong == nil && len(f.Facets) < maxFacets && v.query.repeats(maxFacets*maxChoices) {
			f.Facets = append(f.Facets, v.newFacet(name, field, options))
			room -= len(f.Facets[len(f.Facets)-1].Values)
		}
		if faults := wrong[v.c.ErrorName(name)]; faults != nil && f.Row.Fault == "" && v.query.values.Has(name) {
			f.Row.Field, f.Row.Lookup, f.Row.Value, f.Row.Fault = field.Name, lookup, v.query.get(name), strings.Join(faults, " ")
			mistaken = name
		}
		f.Row.offer(field, lookup, options)
		cleared, active = append(cleared, name, ""), active+len(v.query.values[name])
	}
	f.Row.Lookup = cmp.Or(f.Row.Lookup, "exact")
	f.Clear = v.query.with(cleared...)
	if v.query.repeats(active) {
		for _, name := range append([]string{v.c.search}, v.c.Filters...) {
			f.Chips = append(f.Chips, v.chips(name)...)
		}
	} else {
		f.Chips = []choice{{Label: counted(active, "filter"), Link: f.Clear}}
	}
	f.Kept = v.query.kept(func(name string) bool {
		return name != mistaken && name != v.c.search && name != v.c.is.Place
	})
	return f
}

// offer adds a field, a lookup and values to those that the visitor can choose.
func (r *filterRow) offer(field schema.Field, lookup string, values []option) {
	word, _ := schema.DescribeLookup(lookup)
	if lookup == "isnull" {
		word = "is null"
	}
	if o := (option{Value: field.Name, Label: heading(field.Name)}); !slices.Contains(r.Fields, o) {
		r.Fields = append(r.Fields, o)
	}
	if o := (option{Value: lookup, Label: word}); !slices.Contains(r.Lookups, o) {
		r.Lookups = append(r.Lookups, o)
	}
	for _, o := range values {
		if len(r.Values) < maxValues && !slices.Contains(r.Values, o.Label) {
			r.Values = append(r.Values, o.Label)
		}
	}
}

// filter returns the parameter of a field and a lookup with the values that a text means, or what is
// wrong with them.
func (v *view) filter(r filterRow) (add func(url.Values), fault string) {
	var known []string
	for _, name := range v.c.Filters {
		field, lookup, _ := v.c.Parameter(cmp.Or(v.c.Parameters[name], name))
		switch word, _ := schema.DescribeLookup(lookup); {
		case field.Name != r.Field:
			continue
		case lookup != r.Lookup:
			known = append(known, "“"+word+"”")
		case strings.TrimSpace(r.Value) == "" && lookup != "isnull":
			return nil, "Enter a value."
		case isIgnored(field, lookup, r.Value):
			return nil, "Enter true or false."
		default:
			return func(values url.Values) { v.add(values, name, field, lookup, r.Value) }, ""
		}
	}
	if known == nil {
		return nil, "Choose a field."
	}
	return nil, heading(r.Field) + " can be compared with " + strings.Join(known, ", ") + "."
}

// add adds the values of a parameter that a text means: the value itself, the label of a choice or the
// name of a record, a time in UTC, or several of these with commas between them.
func (v *view) add(to url.Values, name string, field schema.Field, lookup, text string) {
	options := v.choices(field)
	value := func(text string) string {
		text = strings.TrimSpace(text)
		at := slices.IndexFunc(options, func(o option) bool { return strings.EqualFold(o.Label, text) })
		if at < 0 || slices.ContainsFunc(options, func(o option) bool { return o.Value == text }) {
			return text
		}
		return options[at].Value
	}
	values := strings.Split(text, ",")
	for i := range values {
		values[i] = value(values[i])
	}
	switch {
	case lookup == "isnull":
		text = cmp.Or(strings.ToLower(strings.TrimSpace(text)), "true")
	case field.Kind == schema.Timestamp:
		text = utcTime(strings.TrimSpace(text))
	case lookup == "exact" && field.Kind == schema.References:
		to[name] = append(to[name], values...)
		return
	case lookup == "exact" && options != nil:
		text = value(text)
	case lookup == "in" && options != nil:
		text = strings.Join(values, ",")
	}
	to.Set(name, text)
}

// choices returns the values of a field that a page offers: the choices, true and false, or
// the records of a small collection.
func (v *view) choices(field schema.Field) []option {
	if other := v.byKey[field.Refers]; other != nil && v.records(other, field.By).whole {
		return v.records(other, field.By).options
	}
	return optionsOf(kindOf(field).choices, field.Labels)
}

// newFacet returns the facet of a field with options, which the parameter name selects by. It
// leaves out those that select nothing.
func (v *view) newFacet(name string, field schema.Field, options []option) facet {
	exact := ordering.Snake(field.Name)
	chosen := slices.Clone(v.query.values[exact])
	for _, value := range v.query.values[exact+"__in"] {
		chosen = append(chosen, strings.Split(value, ",")...)
	}
	options = slices.DeleteFunc(slices.Clone(options), func(o option) bool {
		return name != exact && strings.Contains(o.Value, ",") // it cannot be in a list of values
	})
	selections := make([]url.Values, len(options))
	for i, o := range options {
		selections[i] = url.Values{name: {o.Value}}
	}
	rest := query{maps.Clone(v.query.values)}
	delete(rest.values, exact)
	delete(rest.values, name)
	counts := v.counts(v.c.path, rest.values.Encode(), selections)
	f := facet{Label: heading(field.Name)}
	for i, o := range options {
		c := choice{Label: o.Label, Count: grouped(counts[i]), Active: slices.Contains(chosen, o.Value)}
		next := slices.DeleteFunc(slices.Clone(chosen), func(value string) bool { return value == o.Value || name == exact })
		if !c.Active {
			next = append(next, o.Value)
		}
		c.Link = v.query.with(v.c.is.Place, "", exact, "", name, strings.Join(next, ","))
		if c.Active || c.Count != "0" {
			f.Values = append(f.Values, c)
		}
	}
	return f
}

// chips returns the active values of a parameter.
func (v *view) chips(name string) (chips []choice) {
	field, lookup, _ := v.c.Parameter(cmp.Or(v.c.Parameters[name], name)) // a name of its own has no choices
	label := v.label(name)
	if lookup == "exact" || name == v.c.search {
		label += ":"
	}
	for _, value := range v.query.values[name] {
		names := []string{value}
		if lookup == "in" || lookup == "range" {
			names = strings.Split(value, ",")
		}
		for i, text := range names {
			names[i], _ = v.called(strings.TrimSpace(text), field)
			if seen, ok := readableTime(text); ok {
				names[i] = seen
			}
		}
		text := strings.Join(names, ", ")
		if lookup == "isnull" {
			text = map[bool]string{true: "null", false: "not null"}[strings.EqualFold(value, "true")]
		}
		if strings.TrimSpace(value) == "" || isIgnored(field, lookup, value) {
			continue
		}
		rest, isThis := query{maps.Clone(v.query.values)}, func(other string) bool { return other == value }
		rest.values[name] = slices.DeleteFunc(slices.Clone(rest.values[name]), isThis)
		chips = append(chips, choice{Label: cut(label + " " + text), Link: rest.with(v.c.is.Place, "")})
	}
	return chips
}

// isIgnored reports whether the handler ignores a value because it is not a boolean.
func isIgnored(field schema.Field, lookup, value string) bool {
	values := []string{"true", "false", "1", "0"}
	return field.Kind == schema.Boolean && lookup == "exact" && !slices.Contains(values, strings.ToLower(strings.TrimSpace(value)))
}

// label returns a parameter of a query, or a field in snake_case, in words, such as "Minutes ≥".
func (v *view) label(name string) string {
	switch {
	case v.c == nil:
		return heading(name)
	case name == v.c.search:
		return "Search"
	}
	field, lookup, err := v.c.Parameter(name)
	label := heading(cmp.Or(field.Name, name))
	if err == nil && lookup != "exact" {
		word, _ := schema.DescribeLookup(lookup)
		label += " " + word
	}
	return label
}

// cleanFilters redirects to the same page with the filter that the form adds, or with what is wrong. It
// returns nil.
func (v *view) cleanFilters() *wire.Recorder {
	q := query{maps.Clone(v.query.values)}
	changes := []string{filterMarker, ""}
	if strings.TrimSpace(q.get(v.c.search)) == "" {
		changes = append(changes, v.c.search, "")
	}
	if add, fault := v.filter(v.row); fault == "" {
		add(q.values)
	} else if v.row.Field != "" {
		changes = append(changes, fieldName, v.row.Field, lookupName, v.row.Lookup, valueName, v.row.Value)
	}
	v.redirect(q.with(changes...))
	return nil
}

// searched returns the names of the fields in which a search finds text, such as "name, director name".
func (c *collection) searched() string {
	names := make([]string, len(c.Search))
	for i, entry := range c.Search {
		field, _ := c.SearchEntry(entry)
		names[i] = strings.TrimSpace(inWords(field))
	}
	return strings.Join(names, ", ")
}
