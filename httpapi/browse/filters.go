package browse

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
)

// filters is what a page shows of the parameters that select its records: a form, those that
// are active, and values to choose from.
type filters struct {
	Search *input // nil if there is no search
	Rows   []filterRow
	Kept   []pair // parameters that are not in the form
	Chips  []choice
	Facets []facet
	Failed bool   // some values are not valid
	Clear  string // link to all records
}

// filterRow is the row of the form for a field.
type filterRow struct {
	Label  string
	Inputs []input
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
	maxChoices = 12 // values of a facet
)

// filterMarker is a parameter that only the form for filters sends. Browsers send empty inputs
// too, which the handler may reject.
const filterMarker = "_filter"

// newFilters returns the filters of the collection with the values of the query. wrong are the
// errors in these values. A page of errors has no facets.
func (v *view) newFilters(wrong faults) *filters {
	f := &filters{Failed: wrong != nil}
	cleared := []string{v.c.is.Place, "", v.c.search, ""}
	if len(v.c.Search) > 0 {
		f.Search = &input{Name: v.c.search, Value: v.query.get(v.c.search), Hint: v.c.searchHint()}
	}
	active := len(v.query.values[v.c.search])
	for _, name := range v.c.Filters {
		field, lookup, _ := v.c.Parameter(name) // the handler has checked it
		options := v.choices(field)
		isFacet := name == v.c.choosing(field) && options != nil && len(options) <= maxChoices
		if isFacet && wrong == nil && len(f.Facets) < maxFacets && v.query.repeats(maxFacets*maxChoices) {
			f.Facets = append(f.Facets, v.newFacet(name, field, options))
		}
		in := newFilter(name, field, lookup, options, v.query)
		in.Faults = wrong[v.c.ErrorName(name)]
		f.add(heading(field.Name), in)
		cleared, active = append(cleared, name, ""), active+len(v.query.values[name])
	}
	f.Clear = v.query.with(cleared...)
	if v.query.repeats(active) {
		for _, name := range append([]string{v.c.search}, v.c.Filters...) {
			f.Chips = append(f.Chips, v.chips(name)...)
		}
	} else {
		f.Chips = []choice{{Label: counted(active, "filter"), Link: f.Clear}}
	}
	f.Kept = v.query.kept(func(name string) bool {
		return !wire.Selects(v.c.Description, name) && name != v.c.is.Place && name != filterMarker
	})
	return f
}

// add adds an input to the row of the form with a label.
func (f *filters) add(label string, in input) {
	at := slices.IndexFunc(f.Rows, func(row filterRow) bool { return row.Label == label })
	if at < 0 {
		at, f.Rows = len(f.Rows), append(f.Rows, filterRow{Label: label})
	}
	f.Rows[at].Inputs = append(f.Rows[at].Inputs, in)
}

// choices returns the values of a field that a page offers: the choices, true and false, or
// the records of a small collection.
func (v *view) choices(field schema.Field) []option {
	if other := v.byKey[field.Refers]; other != nil && v.records(other, field.By).whole {
		return v.records(other, field.By).options
	}
	return optionsOf(kindOf(field).choices, field.Labels)
}

// choosing returns the parameter that selects by values of a field. If there is one for
// several values, it is that.
func (c *collection) choosing(field schema.Field) string {
	name := ordering.Snake(field.Name)
	if slices.Contains(c.Filters, name+"__in") {
		return name + "__in"
	}
	return name
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
	field, lookup, _ := v.c.Parameter(name)
	label := v.label(name)
	if lookup == "exact" || name == v.c.search {
		label += ":"
	}
	for _, value := range v.query.values[name] {
		text := value
		switch other := v.byKey[field.Refers]; {
		case strings.TrimSpace(value) == "":
			continue
		case lookup == "isnull":
			text = map[bool]string{true: "null", false: "not null"}[strings.EqualFold(value, "true")]
		case other != nil:
			names := []string{value}
			if lookup == "in" {
				names = strings.Split(value, ",")
			}
			for i, one := range names {
				names[i], _ = v.name(other, field.By, strings.TrimSpace(one))
			}
			text = strings.Join(names, ", ")
		default:
			if seen, ok := readableTime(value); ok {
				text = seen
			}
			text = strings.ReplaceAll(text, ",", ", ")
		}
		rest, isThis := query{maps.Clone(v.query.values)}, func(other string) bool { return other == value }
		rest.values[name] = slices.DeleteFunc(slices.Clone(rest.values[name]), isThis)
		chips = append(chips, choice{Label: cut(label + " " + text), Link: rest.with(v.c.is.Place, "")})
	}
	return chips
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

// newFilter returns the input of a parameter that selects by a field.
func newFilter(name string, field schema.Field, lookup string, options []option, q query) input {
	word, _ := schema.DescribeLookup(lookup)
	in := input{Name: name, Label: word, Control: "text", Step: "any", Value: q.get(name)}
	k := kindOf(field)
	if field.Kind == schema.References {
		in.Value, in.Control = strings.Join(q.values[name], k.separator), k.control
	}
	switch control := k.control; {
	case lookup == "isnull":
		in.selectAmong([]option{{Value: "true", Label: "null"}, {Value: "false", Label: "not null"}}, "any", true)
	case lookup == "exact" && options != nil:
		in.selectAmong(options, "any", true)
	case lookup == "in" || lookup == "range":
	case control == "datetime-local":
		in.Label += " (UTC)"
		in.Value = localTime(in.Value)
		fallthrough
	case control == "number" || control == "date":
		if fits(control, in.Value) {
			in.Control = control
		}
	}
	return in
}

// searchHint returns the names of the fields in which a search finds text.
func (c *collection) searchHint() string {
	names := make([]string, len(c.Search))
	for i, entry := range c.Search {
		field, _ := c.SearchEntry(entry)
		names[i] = inWords(field)
	}
	return "In " + strings.Join(strings.Fields(strings.Join(names, ", ")), " ")
}

// isFilterForm reports whether the request is from the form for filters of a collection.
func (v *view) isFilterForm() bool {
	return negotiation.IsRead(v.r.Method) && v.query.get(filterMarker) != "" && v.c != nil && v.id == "" && len(v.c.Filters)+len(v.c.Search) > 0
}

// cleanFilters redirects to the same page without the empty values of the form. It returns nil.
func (v *view) cleanFilters() *response {
	q := query{make(url.Values)}
	for name, all := range v.query.values {
		for _, text := range all {
			q.values[name] = append(q.values[name], v.c.filterValues(name, text)...)
		}
	}
	v.redirect(q.with(filterMarker, ""))
	return nil
}

// filterValues converts the text of an input to values of its parameter.
func (c *collection) filterValues(name, text string) []string {
	field, lookup, _ := c.Parameter(name)
	switch {
	case !wire.Selects(c.Description, name):
		return []string{text}
	case strings.TrimSpace(text) == "":
		return nil
	case lookup == "exact" && field.Kind == schema.References:
		return kindOf(field).split(text)
	case field.Kind == schema.Timestamp:
		text = utcTime(text)
	}
	return []string{text}
}
