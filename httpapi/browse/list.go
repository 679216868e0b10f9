package browse

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// envelope is the JSON form of a page.
type envelope = pagination.Envelope[json.RawMessage]

// list is a page of a collection.
type list struct {
	Columns  []column
	Rows     []row
	Pager    pager
	Filtered bool // parameters of the query select the records
}

// column is a column of the table, for one member of the records.
type column struct {
	Name   string // in JSON
	Label  string
	Link   string // orders by this column, or reverses the order
	Sort   string // ascending, descending, or "" if it is not the first term
	Arrow  string // up, down, or "" if it is not a term
	Number bool   // all values are numbers or null
}

// row is the row of a record.
type row struct {
	ID    string // of the element, or ""
	Cells []cell
}

// showList shows a page of records, and a form if the caller may post.
func (v *view) showList(p *page, resp *response) {
	var e envelope
	if v.c == nil || !resp.decode(&e) || e.Records == nil {
		p.showResponse(resp)
		return
	}
	records := make([][]member, len(e.Records))
	for i, text := range e.Records {
		var ok bool
		if records[i], ok = readMembers(text); !ok {
			p.showResponse(resp)
			return
		}
	}
	p.here()
	names := memberNames(records)
	terms := termsOf(v.query, names, v.c.Ordering)
	arrange(names, terms)
	links := v.links("../")
	if v.c.hasPages() {
		links["id"] = pageTarget("./")
	}
	p.Filters = newFilters(v.c, v.query, nil)
	p.List = &list{
		Columns:  newColumns(names, v.query, terms),
		Rows:     newRows(records, names, links),
		Pager:    newPager(v.query, e),
		Filtered: p.Filters != nil && p.Filters.Active,
	}
	p.List.alignNumbers()
	if len(names) == maxColumns {
		p.List.Columns = append(p.List.Columns, column{Label: "More"})
	}
	if v.postable() {
		p.Form = newForm(v.c.Fields, nil, nil)
	}
}

// maxColumns is the maximum number of members with their own column. Without it, a
// thousand records with a thousand different members each would have a million columns.
const maxColumns = 64

// memberNames returns the names of the first maxColumns members, in order of appearance.
func memberNames(records [][]member) []string {
	var names []string
	seen := make(map[string]bool)
	for _, members := range records {
		for _, m := range members {
			if !seen[m.name] && len(names) < maxColumns {
				seen[m.name] = true
				names = append(names, m.name)
			}
		}
	}
	return names
}

// termsOf returns the terms of the ordering of a page whose records have the given
// members.
func termsOf(q query, names []string, byDefault []ordering.Term) []ordering.Term {
	terms := ordering.Parse(q.get("ordering"), func(name string) bool {
		return slices.ContainsFunc(names, func(member string) bool { return ordering.Snake(member) == name })
	})
	if terms == nil {
		return byDefault
	}
	return terms
}

// arrange moves the id and then the members that the records are ordered by to the front,
// where they are visible on narrow screens too.
func arrange(names []string, terms []ordering.Term) {
	place := func(name string) int {
		if name == "id" {
			return -1
		}
		if at := termOf(name, terms); at >= 0 {
			return at
		}
		return len(terms)
	}
	slices.SortStableFunc(names, func(a, b string) int { return place(a) - place(b) })
}

// termOf returns the index of the term for a member, or -1.
func termOf(name string, terms []ordering.Term) int {
	field := ordering.Snake(name)
	return slices.IndexFunc(terms, func(t ordering.Term) bool { return t.Field == field })
}

// newColumns returns the columns for the given members. They show the current ordering
// and link to others.
func newColumns(names []string, q query, terms []ordering.Term) []column {
	columns := make([]column, len(names))
	for i, name := range names {
		c := column{Name: name, Label: heading(name)}
		term := ordering.Asc(ordering.Snake(name))
		if at := termOf(name, terms); at >= 0 {
			c.Arrow, c.Sort = "up", "ascending"
			if terms[at].Desc {
				c.Arrow, c.Sort = "down", "descending"
			}
			if at > 0 {
				c.Sort = ""
			} else {
				term.Desc = !terms[0].Desc
			}
		}
		c.Link = q.with("ordering", term.String(), "offset", "")
		columns[i] = c
	}
	return columns
}

// newRows returns the rows of the table. Members without their own column are combined
// in a last one.
func newRows(records [][]member, names []string, links links) []row {
	place := make(map[string]int, len(names))
	for i, name := range names {
		place[name] = i
	}
	rows := make([]row, len(records))
	for i, members := range records {
		r := row{Cells: make([]cell, len(names))}
		var others []string
		for _, m := range members {
			at, ok := place[m.name]
			if !ok {
				others = append(others, wire.Quote(m.name)+":"+string(m.value))
				continue
			}
			c := links.cell(m)
			if m.name == "id" {
				r.ID, c.Head = rowID(m.value), true
			}
			r.Cells[at] = c.finish()
		}
		if others != nil {
			r.Cells = append(r.Cells, jsonCell(objectJSON(others)).finish())
		}
		rows[i] = r
	}
	return rows
}

// alignNumbers marks the columns whose values are numbers or null, with at least one
// number.
func (l *list) alignNumbers() {
	for i := range l.Columns {
		numbers, others := 0, 0
		for _, r := range l.Rows {
			switch r.Cells[i].Class {
			case "number":
				numbers++
			case "null", "":
			default:
				others++
			}
		}
		l.Columns[i].Number = numbers > 0 && others == 0
	}
}

// rowID returns the element id of a record's row.
func rowID(id json.RawMessage) string {
	return "record-" + strings.Trim(string(id), `"`)
}

// pager describes the page and links to other pages. A link without a target is empty.
type pager struct {
	Summary                     string // such as "Records 22–42 of 500"
	Beyond                      bool   // the offset is past the last record
	First, Previous, Next, Last string
	Sizes                       []size
	Page, Pages                 int    // number of this page and of all pages
	Total                       string // Pages with commas
	Kept                        []pair // of the form for a page, with the limit
}

// size is a selectable page size.
type size struct {
	Records int
	Link    string
	Current bool
}

func newPager(q query, e envelope) pager {
	w := windowOf(q, e)
	p := pager{Summary: summary(w.Offset, len(e.Records), e.Count), Beyond: w.Offset >= e.Count && e.Count > 0}
	at := func(offset int) string {
		return q.with("limit", strconv.Itoa(w.Limit), "offset", positive(offset))
	}
	if e.Previous != "" {
		p.First, p.Previous = at(0), at(parameter(e.Previous, "offset"))
	}
	if e.Next != "" {
		p.Next = at(parameter(e.Next, "offset"))
	}
	if e.Next != "" || p.Beyond {
		p.Last = at((e.Count - 1) / w.Limit * w.Limit)
	}
	p.Pages = pages(e.Count, w.Limit)
	p.Page = min(w.Offset/w.Limit, p.Pages-1) + 1
	p.Total = grouped(p.Pages)
	p.Kept = q.kept(func(name string) bool { return name != "limit" && name != "offset" && name != pageParam })
	p.Kept = append(p.Kept, pair{"limit", strconv.Itoa(w.Limit)})
	sizes := []int{10, 21, 50, 100}
	if !slices.Contains(sizes, w.Limit) {
		sizes = append(sizes, w.Limit)
		slices.Sort(sizes)
	}
	for _, records := range sizes {
		p.Sizes = append(p.Sizes, size{records, q.with("limit", strconv.Itoa(records), "offset", positive(w.Offset)), records == w.Limit})
	}
	return p
}

// pages returns the number of pages, at least 1.
func pages(count, limit int) int { return max(count-1, 0)/limit + 1 }

// windowOf returns the window of a page. The links of the handler contain the effective
// limit. A page without links has all records, so that its limit does not matter.
func windowOf(q query, e envelope) pagination.Window {
	w := pagination.Limits{Max: -1}.Window(pagination.ParseQuery(q.values.Encode()))
	for _, link := range []string{e.Previous, e.Next} {
		if limit := parameter(link, "limit"); limit > 0 {
			w.Limit = limit
		}
	}
	return w
}

// parameter returns the value of a parameter in a link, or 0 if it has no valid one.
func parameter(link, name string) int {
	_, raw, _ := strings.Cut(link, "?")
	value, _ := strconv.Atoi(parseQuery(raw).get(name))
	return value
}

func positive(offset int) string {
	if offset <= 0 {
		return ""
	}
	return strconv.Itoa(offset)
}

func summary(offset, records, count int) string {
	switch {
	case count == 0:
		return "No records"
	case records == 0:
		return "None of " + plural(count)
	case records == count && count == 1:
		return "1 record"
	case records == 1:
		return fmt.Sprintf("Record %s of %s", grouped(offset+1), grouped(count))
	}
	return fmt.Sprintf("Records %s–%s of %s", grouped(offset+1), grouped(offset+records), grouped(count))
}

func plural(count int) string {
	if count == 1 {
		return "1 record"
	}
	return grouped(count) + " records"
}

// pageParam is the parameter of the form for a page: the number of the page, from 1.
const pageParam = "_page"

// servePageJump redirects to the page of a list with the number in the query. A number past
// the last page leads to the last page, and any other text to the first.
func (v *view) servePageJump() {
	e, ok := v.list(v.r.URL.Path, strings.TrimPrefix(v.query.with(pageParam, "", "offset", ""), "?"))
	if !ok {
		v.serve(v.forward())
		return
	}
	limit := windowOf(v.query, e).Limit
	number, _ := strconv.Atoi(strings.TrimSpace(v.query.get(pageParam))) // the largest if out of range
	page := min(max(number, 1), pages(e.Count, limit))
	addVary(v.w.Header())
	v.redirect(v.query.with(pageParam, "", "limit", strconv.Itoa(limit), "offset", positive((page-1)*limit)))
}

// list requests a list from the handler.
func (v *view) list(path, query string) (e envelope, ok bool) {
	ok = v.get(path, query).decode(&e) && e.Records != nil
	return e, ok
}

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
