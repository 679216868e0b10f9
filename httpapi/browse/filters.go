package browse

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/httpapi/internal/negotiation"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// filters is a form for the parameters that select the records of a page.
type filters struct {
	Search *input // nil if there is no search
	Inputs []input
	Kept   []pair // parameters that are not in the form
	Active bool   // some of the parameters are set
	Open   bool   // the inputs are visible
	Failed bool   // some of them are not valid
	Clear  string // link to all records
}

// searchName is the parameter of a search.
const searchName = "search"

// filterMarker is a parameter that only the form for filters sends. Browsers send empty
// inputs too, which the handler may reject.
const filterMarker = "_filter"

// newFilters returns the form for the filters of a collection with the values of a query,
// or nil if there are no filters. wrong are the errors in these values.
func newFilters(c *collection, q query, wrong faults) *filters {
	if !c.hasFilters() {
		return nil
	}
	f := &filters{}
	cleared := []string{"offset", "", searchName, ""}
	if len(c.Search) > 0 {
		f.Search = newSearchInput(c.Search, q)
		f.Active = strings.TrimSpace(f.Search.Value) != ""
	}
	for _, name := range c.Filters {
		in := newFilterInput(c, name, q)
		in.Faults = wrong.of(name)
		f.Failed = f.Failed || in.Faults != nil
		f.Open = f.Open || in.Faults != nil || in.Value != ""
		f.Inputs = append(f.Inputs, in)
		cleared = append(cleared, name, "")
	}
	f.Active = f.Active || f.Open
	f.Clear = q.with(cleared...)
	f.Kept = q.kept(func(name string) bool { return !c.selects(name) && name != "offset" && name != filterMarker })
	return f
}

func newSearchInput(fields []string, q query) *input {
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = inWords(strings.TrimLeft(field, "^="))
	}
	return &input{
		Key:     "filter-" + searchName,
		Name:    searchName,
		Label:   "Search",
		Control: "search",
		Value:   q.get(searchName),
		Hint:    "In " + strings.Join(strings.Fields(strings.Join(names, ", ")), " ") + ".",
	}
}

// newFilterInput returns the input for a parameter that selects records.
func newFilterInput(c *collection, name string, q query) input {
	field, lookup := c.parameter(name)
	k := kindOf(field)
	in := input{Key: "filter-" + name, Name: name, Label: filterLabel(field, name, lookup), Control: "text", Value: q.get(name)}
	switch {
	case lookup == "isnull":
		in.selectFrom([]string{"true", "false"}, "any", true)
	case lookup == "exact" && k.choices != nil:
		in.selectFrom(k.choices, "any", true)
	case lookup == "in":
		in.Hint = "Separated by commas."
	case lookup == "range":
		in.Hint = "Two values, separated by a comma."
	default:
		in.Hint = k.filterHint
		if k.filterList {
			in.Value = strings.Join(q.values[name], ", ")
		}
	}
	return in
}

// filterLabel returns the name of a field and a lookup in words.
func filterLabel(field schema.Field, name, lookup string) string {
	words := map[string]string{
		"exact": "", "in": ": one of", "isnull": ": is null", "range": ": between",
		"gt": ": greater than", "gte": ": at least", "lt": ": less than", "lte": ": at most",
		"contains": ": contains", "icontains": ": contains, in any case",
		"startswith": ": begins with", "istartswith": ": begins with, in any case",
		"iexact": ", in any case",
	}
	word, ok := words[lookup]
	if !ok {
		word = ": " + lookup
	}
	return heading(cmp.Or(field.Name, name)) + word
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

// parameter returns the field that a parameter of a query selects by, and the lookup. If no
// field has that name, it returns the zero Field.
func (c *collection) parameter(name string) (field schema.Field, lookup string) {
	for _, f := range c.Fields {
		rest, ok := strings.CutPrefix(name, ordering.Snake(f.Name))
		if ok && rest == "" {
			return f, "exact"
		}
		if lookup, ok := strings.CutPrefix(rest, "__"); ok {
			return f, lookup
		}
	}
	return schema.Field{}, "exact"
}

// selects reports whether a parameter selects records.
func (c *collection) selects(name string) bool {
	return slices.Contains(c.Filters, name) || name == searchName && len(c.Search) > 0
}

// showFilterFaults shows the form for filters if the response is about their values.
func (v *view) showFilterFaults(p *page, resp *response) {
	if resp.status != http.StatusBadRequest || !negotiation.IsRead(v.r.Method) || v.c == nil || v.id != "" {
		return
	}
	if f := newFilters(v.c, v.query, readFaults(resp.body.Bytes())); f != nil && f.Failed {
		p.Filters, p.Detail, p.Exchange.Open = f, "Some filters are not valid.", false
	}
}

// isFilterForm reports whether the request is from the form for filters of a collection.
func (v *view) isFilterForm() bool {
	return negotiation.IsRead(v.r.Method) && v.query.get(filterMarker) != "" && v.c != nil && v.id == "" && v.c.hasFilters()
}

// serveFilterForm redirects to the same page without the empty values of the form.
func (v *view) serveFilterForm() {
	q := query{make(url.Values)}
	for name, all := range v.query.values {
		for _, text := range all {
			q.values[name] = append(q.values[name], v.c.filterValues(name, text)...)
		}
	}
	addVary(v.w.Header())
	v.redirect(q.with(filterMarker, ""))
}

// filterValues returns the values of a parameter of a form in which it is text.
func (c *collection) filterValues(name, text string) []string {
	field, lookup := c.parameter(name)
	k := kindOf(field)
	switch {
	case !c.selects(name):
		return []string{text}
	case strings.TrimSpace(text) == "":
		return nil
	case lookup == "in", lookup == "range":
		return []string{text}
	case k.filterList:
		return splitIDs(text)
	case k.filterText != nil:
		return []string{k.filterText(text)}
	}
	return []string{text}
}
