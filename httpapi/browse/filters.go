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
	Search  *input // nil if there is no search
	Rows    []filterRow
	Kept    []pair // parameters that are not in the form
	Chips   []choice
	Facets  []facet
	Ignored string // names of parameters that nothing reads
	Failed  bool   // some values are not valid
	Clear   string // link to all records
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
	maxFacets  = 3  // facets above the table; other fields with choices are in the form
	maxChoices = 12 // values of a facet
	maxCounts  = 50 // requests of a page for the numbers of records that have a value
)

// Parameters that only the form for filters sends. Browsers send empty inputs too, which the
// handler may reject.
const (
	filterMarker = "_filter"
	lookupPrefix = "_lookup." // of the name of a field: the lookup for a value
	valuePrefix  = "_value."  // of the name of a field: that value
)

// newFilters returns the filters of the collection with the values of the query. wrong are the
// errors in these values. A page of errors has no facets.
func (v *view) newFilters(wrong faults) *filters {
	f := &filters{Ignored: v.ignored(), Failed: wrong != nil}
	cleared := []string{"offset", "", wire.Search, ""}
	shown := map[string]bool{"offset": true, filterMarker: true} // parameters that the form sends itself
	if len(v.c.Search) > 0 {
		text := v.query.get(wire.Search)
		f.Search = &input{Key: "filter-search", Name: wire.Search, Value: text, Hint: searchHint(v.c.Search)}
		shown[wire.Search] = true
	}
	lookups, fields := v.c.lookups()
	counts := 0
	for _, field := range fields {
		options := v.choices(field)
		if counts+len(options) <= maxCounts && wrong == nil {
			counts += len(options)
			v.countOptions(field, options)
		}
		isFacet := len(f.Facets) < maxFacets && len(options) <= maxChoices && options != nil && wrong == nil && v.query.repeats(maxFacets*maxChoices)
		if isFacet {
			f.Facets = append(f.Facets, v.newFacet(field, options))
		}
		row := v.newRow(field, lookups[field.Name], options, isFacet)
		for i, in := range row.Inputs {
			shown[in.Name], shown[in.Stands] = true, true
			row.Inputs[i].Faults = wrong.of(cmp.Or(in.Stands, in.Name))
		}
		if row.Inputs != nil {
			f.Rows = append(f.Rows, row)
		}
	}
	active := len(v.query.values[wire.Search])
	for _, name := range v.c.Filters {
		cleared, active = append(cleared, name, ""), active+len(v.query.values[name])
	}
	f.Clear = v.query.with(cleared...)
	if v.query.repeats(active) {
		for _, name := range append([]string{wire.Search}, v.c.Filters...) {
			f.Chips = append(f.Chips, v.chips(name)...)
		}
	} else {
		f.Chips = []choice{{Label: counted(active, "filter"), Link: f.Clear}}
	}
	f.Kept = v.query.kept(func(name string) bool { return !shown[name] })
	return f
}

// ignored returns the names of the parameters that nothing reads.
func (v *view) ignored() string {
	var names []string
	for _, p := range v.query.kept(func(name string) bool { return name != "" && name[0] != '_' && !wire.Selects(v.c.Description, name) }) {
		if p.Name != "limit" && p.Name != "offset" && p.Name != "ordering" && !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	text, _ := cut(strings.Join(names, ", "))
	return text
}

// lookups returns the fields that filters name, in their order, and the lookups of each.
func (c *collection) lookups() (lookups map[string][]string, fields []schema.Field) {
	lookups = make(map[string][]string)
	for _, name := range c.Filters {
		field, lookup := c.parameter(name)
		if lookups[field.Name] == nil {
			fields = append(fields, field)
		}
		lookups[field.Name] = append(lookups[field.Name], lookup)
	}
	return lookups, fields
}

// choices returns the values of a field that a page offers: the choices, true and false, or
// the records of a small collection. The field must have a filter for one value.
func (v *view) choices(field schema.Field) (options []option) {
	if !slices.Contains(v.c.Filters, v.c.choosing(field)) {
		return nil
	}
	if other := v.byKey[field.Refers]; other != nil && v.records(other).whole {
		return slices.Clone(v.records(other).options)
	}
	return optionsOf(kindOf(field).choices)
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

// countOptions adds to options how many records each selects, among those that the other parameters
// of the page select.
func (v *view) countOptions(field schema.Field, options []option) {
	name := v.c.choosing(field)
	others := []string{"limit", "1", "offset", "", "ordering", ""}
	for _, filter := range v.c.Filters {
		if f, _ := v.c.parameter(filter); f.Name == field.Name {
			others = append(others, filter, "")
		}
	}
	for i := range options {
		selection := strings.TrimPrefix(v.query.with(append(others, name, options[i].Value)...), "?")
		options[i].Count = v.count(v.c.path, selection)
	}
}

// newFacet returns the facet of a field with options. It leaves out those that select nothing.
func (v *view) newFacet(field schema.Field, options []option) facet {
	name, exact := v.c.choosing(field), ordering.Snake(field.Name)
	chosen := slices.Clone(v.query.values[exact])
	for _, value := range v.query.values[exact+"__in"] {
		chosen = append(chosen, strings.Split(value, ",")...)
	}
	f := facet{Label: heading(field.Name)}
	for _, o := range options {
		c := choice{Label: o.Label, Count: o.Count, Active: slices.Contains(chosen, o.Value)}
		next := slices.DeleteFunc(slices.Clone(chosen), func(value string) bool { return value == o.Value || name == exact })
		if !c.Active {
			next = append(next, o.Value)
		}
		c.Link = v.query.with("offset", "", exact, "", name, strings.Join(next, ","))
		if c.Active || c.Count != "0" {
			f.Values = append(f.Values, c)
		}
	}
	return f
}

// chips returns the active values of a parameter.
func (v *view) chips(name string) (chips []choice) {
	field, lookup := v.c.parameter(name)
	label := v.label(name)
	if lookup == "exact" {
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
			names := strings.Split(value, ",")
			for i, id := range names {
				names[i] = v.name(other, strings.TrimSpace(id))
			}
			text = strings.Join(names, ", ")
		default:
			if seen, ok := readableTime(value); ok {
				text = seen
			}
			text = strings.ReplaceAll(text, ",", ", ")
		}
		text, _ = cut(label + " " + text)
		rest, isThis := query{maps.Clone(v.query.values)}, func(other string) bool { return other == value }
		rest.values[name] = slices.DeleteFunc(slices.Clone(rest.values[name]), isThis)
		chips = append(chips, choice{Label: text, Link: rest.with("offset", "")})
	}
	return chips
}

// label returns a parameter of a query, or a field in snake_case, in words, such as "Minutes ≥".
func (v *view) label(name string) string {
	if v.c == nil {
		return heading(name)
	}
	field, lookup := v.c.parameter(name)
	label := heading(cmp.Or(field.Name, name))
	if lookup != "exact" {
		label += " " + wire.LookupOf(lookup).Word
	}
	return label
}

// newRow returns the row of the form for a field: bounds if it has a lookup for both, the
// options, and otherwise a lookup and a value.
func (v *view) newRow(field schema.Field, lookups []string, options []option, isFacet bool) filterRow {
	name := ordering.Snake(field.Name)
	row := filterRow{Label: heading(field.Name)}
	for _, bound := range [][2]string{{"gt", "from"}, {"lt", "to"}} {
		lookup := bound[0] + "e"
		if !slices.Contains(lookups, lookup) {
			lookup = bound[0]
		}
		if slices.Contains(lookups, lookup) {
			row.Inputs = append(row.Inputs, newBound(field, name+"__"+lookup, bound[1], v.query))
		}
	}
	both := len(row.Inputs) == 2
	if options != nil && !isFacet {
		chosen := v.c.choosing(field)
		in := input{Key: "filter-" + chosen, Name: chosen, Label: "is", Value: v.query.get(chosen)}
		in.selectAmong(options, "any", true)
		row.Inputs = append(row.Inputs, in)
	}
	lookups = slices.DeleteFunc(lookups, func(lookup string) bool {
		switch lookup {
		case "gt", "gte", "lt", "lte":
			return true
		case "exact", "in", "range":
			return options != nil || both
		}
		return false
	})
	row.Inputs = append(row.Inputs, newLookup(name, lookups, v.query)...)
	return row
}

// parameterOf returns the parameter of a field, in snake_case, and a lookup.
func parameterOf(name, lookup string) string {
	if lookup == "exact" {
		return name
	}
	return name + "__" + lookup
}

// newBound returns the input for a bound of a field. Times are in UTC, which browsers do not
// know of.
func newBound(field schema.Field, name, label string, q query) input {
	in := input{Key: "filter-" + name, Name: name, Label: label, Step: "any", Value: q.get(name)}
	in.Control = kindOf(field).control
	if field.Kind == schema.Timestamp {
		in.Label += " (UTC)"
		in.Value = localTime(in.Value)
	}
	if !fits(in.Control, in.Value) {
		in.Control = "text"
	}
	return in
}

// newLookup returns a list of lookups and the input for the value. They show the first lookup
// that is active.
func newLookup(name string, lookups []string, q query) []input {
	if len(lookups) == 0 {
		return nil
	}
	how := input{Key: "lookup-" + name, Name: lookupPrefix + name, Label: "Lookup", Control: "select", Quiet: true}
	value := input{Key: "value-" + name, Name: valuePrefix + name, Label: "Value", Control: "text", Quiet: true}
	active := slices.IndexFunc(lookups, func(lookup string) bool { return q.get(parameterOf(name, lookup)) != "" })
	for i, lookup := range lookups {
		if lookup != "isnull" {
			how.Options = append(how.Options, option{Value: lookup, Label: wire.LookupOf(lookup).Word, Selected: i == max(active, 0)})
			continue
		}
		if i == 0 {
			how.Options = []option{{Label: "any", Selected: active < 0}}
		}
		isNull := strings.EqualFold(q.get(name+"__isnull"), "true")
		how.Options = append(how.Options, option{Value: "isnull=true", Label: "is null", Selected: i == active && isNull},
			option{Value: "isnull=false", Label: "is not null", Selected: i == active && !isNull})
	}
	value.Stands = parameterOf(name, lookups[max(active, 0)])
	if active >= 0 && lookups[active] != "isnull" {
		value.Value = strings.Join(q.values[value.Stands], ", ")
	}
	if how.Options[0].Value == "" && len(lookups) == 1 {
		how.Stands = value.Stands
		return []input{how}
	}
	return []input{how, value}
}

// searchHint returns the names of the fields in which a search finds text.
func searchHint(fields []string) string {
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = inWords(strings.TrimLeft(field, "^="))
	}
	return "In " + strings.Join(strings.Fields(strings.Join(names, ", ")), " ")
}

// of returns the messages about a parameter. The handler reports them under its name in
// camelCase, such as minutes_Gte.
func (f faults) of(parameter string) []string {
	for name, messages := range f {
		if name == parameter || ordering.Snake(name) == parameter {
			return messages
		}
	}
	return nil
}

// parameter returns the field that a parameter of a query selects by, and the lookup. If there is
// no such field, it returns the zero Field.
func (c *collection) parameter(name string) (schema.Field, string) {
	field, lookup, err := c.Parameter(name)
	if err != nil {
		return schema.Field{}, "exact"
	}
	return field, lookup
}

// isFilterForm reports whether the request is from the form for filters of a collection.
func (v *view) isFilterForm() bool {
	return negotiation.IsRead(v.r.Method) && v.query.get(filterMarker) != "" && v.c != nil && v.id == "" && len(v.c.Filters)+len(v.c.Search) > 0
}

// serveFilterForm redirects to the same page without the empty values of the form, and with
// the lookups that are chosen in it.
func (v *view) serveFilterForm() {
	q := query{make(url.Values)}
	set := func(name, text string) { q.values[name] = append(q.values[name], v.c.filterValues(name, text)...) }
	for name, all := range v.query.values {
		field, isLookup := strings.CutPrefix(name, lookupPrefix)
		lookup, isNull := strings.CutPrefix(v.query.get(name), "isnull=")
		switch {
		case isLookup && v.query.get(name) == "":
		case isLookup && isNull:
			set(field+"__isnull", lookup)
		case isLookup:
			set(parameterOf(field, lookup), v.query.get(valuePrefix+field))
		case !strings.HasPrefix(name, valuePrefix):
			for _, text := range all {
				set(name, text)
			}
		}
	}
	addVary(v.w.Header(), "Accept")
	v.redirect(q.with(filterMarker, ""))
}

// filterValues returns the values of a parameter of a form in which it is text.
func (c *collection) filterValues(name, text string) []string {
	field, lookup := c.parameter(name)
	switch {
	case !wire.Selects(c.Description, name):
		return []string{text}
	case strings.TrimSpace(text) == "":
		return nil
	case lookup == "in", lookup == "range":
		return []string{text}
	case field.Kind == schema.References:
		return splitIDs(text)
	case field.Kind == schema.Timestamp:
		text = utcTime(text)
	}
	return []string{text}
}
