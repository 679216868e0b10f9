package browse

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// filters is a form for the parameters that select the records of a page.
type filters struct {
	Search *input // nil if there is no search
	Inputs []input
	Kept   []parameterValue // parameters that are not in the form
	Marker string           // the parameter of an unread form
	Active bool             // some of the parameters are set
	Open   bool             // the inputs are visible
	Failed bool             // some of them are not valid
	Clear  string           // link to all records
}

// filterMarker is a parameter that only the form for filters sends. Browsers send empty
// inputs too, which the handler may reject.
const filterMarker = "_filter"

// newFilters returns the form for the filters of a collection with the values of a query,
// or nil if there are no filters. wrong are the errors in these values.
func newFilters(c *collection, q query, wrong faults) *filters {
	if !c.hasFilters() {
		return nil
	}
	f := &filters{Marker: filterMarker}
	cleared := []string{"offset", "", searchName, ""}
	if len(c.Search) > 0 {
		f.Search = newSearchInput(c.Search, q)
		f.Active = strings.TrimSpace(f.Search.Value) != ""
	}
	for _, name := range c.Filters {
		in := newFilterInput(c, name, q)
		in.Faults = wrong.of(name)
		in.describe()
		f.Failed = f.Failed || in.Faults != nil
		f.Open = f.Open || in.Faults != nil || in.Value != ""
		f.Inputs = append(f.Inputs, in)
		cleared = append(cleared, name, "")
	}
	f.Active = f.Active || f.Open
	f.Clear = q.with(cleared...)
	f.Kept = keptParameters(c, q)
	return f
}

// keptParameters returns the parameters that the form for filters does not change, except
// the offset.
func keptParameters(c *collection, q query) []parameterValue {
	return q.kept(func(name string) bool { return !c.selects(name) && name != "offset" && name != filterMarker })
}

func newSearchInput(fields []string, q query) *input {
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = inWords(strings.TrimLeft(field, "^="))
	}
	in := &input{
		Key:     "filter-" + searchName,
		Name:    searchName,
		Label:   "Search",
		Control: "search",
		Value:   q.get(searchName),
		Hint:    "In " + strings.Join(strings.Fields(strings.Join(names, ", ")), " ") + ".",
	}
	in.describe()
	return in
}

// newFilterInput returns the input for a parameter that selects records.
func newFilterInput(c *collection, name string, q query) input {
	field, lookup := c.parameter(name)
	in := input{Key: "filter-" + name, Name: name, Label: filterLabel(field, name, lookup), Control: "text", Value: q.get(name)}
	switch {
	case lookup == "isnull", lookup == "exact" && field.Kind == schema.Boolean:
		in.selectFrom([]string{"true", "false"}, "any", true)
	case lookup == "exact" && field.Kind == schema.Choice:
		in.selectFrom(field.Choices, "any", true)
	case lookup == "exact" && field.Kind == schema.References:
		in.Value = strings.Join(q.values[name], ", ")
		in.Hint = "Ids, separated by commas: records that have one of them."
	case lookup == "in":
		in.Hint = "Separated by commas."
	case lookup == "range":
		in.Hint = "Two values, separated by a comma."
	case field.Kind == schema.Timestamp, field.Kind == schema.Date:
		in.Hint = newInput(field).Hint
	}
	return in
}

// filterLabel returns the name of a field and a lookup in words.
func filterLabel(field schema.Field, name, lookup string) string {
	if field.Name == "" {
		return heading(name)
	}
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
	return heading(field.Name) + word
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

// showFilterFaults shows the form for filters if the response is about their values.
func (p *page) showFilterFaults(c *collection, q query, resp *response) {
	wrong, err := readFaults(resp.body.Bytes())
	if err != nil {
		return
	}
	f := newFilters(c, q, wrong)
	if f == nil || !f.Failed {
		return
	}
	p.Filters, p.Detail, p.Exchange.Open = f, "Some filters are not valid.", false
}

// isFilterForm reports whether r is the form for filters of a collection.
func (b *browser) isFilterForm(r *http.Request) bool {
	if !isRead(r.Method) || readQuery(r).get(filterMarker) == "" {
		return false
	}
	c, id := b.find(r.URL.Path)
	return c != nil && id == "" && c.hasFilters()
}

// serveFilterForm redirects to the same page without the empty values of the form.
func (b *browser) serveFilterForm(w http.ResponseWriter, r *http.Request) {
	c, _ := b.find(r.URL.Path)
	q := query{make(url.Values)}
	for name, all := range readQuery(r).values {
		if !c.selects(name) {
			q.values[name] = all
			continue
		}
		for _, text := range all {
			q.values[name] = append(q.values[name], c.filterValues(name, text)...)
		}
	}
	addVary(w.Header())
	seeOther(w, q.with(filterMarker, ""))
}

// filterValues returns the values of a parameter that an input of the form holds.
func (c *collection) filterValues(name, text string) []string {
	field, lookup := c.parameter(name)
	switch {
	case strings.TrimSpace(text) == "":
		return nil
	case lookup == "exact" && field.Kind == schema.References:
		return strings.FieldsFunc(text, isIDSeparator)
	case field.Kind == schema.Timestamp && lookup != "in" && lookup != "range":
		return []string{timestamp(text)}
	}
	return []string{text}
}
