package browse

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// envelope is the JSON form of a page.
type envelope struct {
	Count          int
	Next, Previous *string
	Results        []json.RawMessage
}

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
func (b *browser) showList(p *page, r *http.Request, resp *response) {
	var e envelope
	if err := json.Unmarshal(resp.body.Bytes(), &e); err != nil || e.Results == nil {
		p.showResponse(resp)
		return
	}
	records := make([][]member, len(e.Results))
	for i, text := range e.Results {
		members, err := readMembers(text)
		if err != nil {
			p.showResponse(resp)
			return
		}
		records[i] = members
	}
	p.here()
	q := readQuery(r)
	c, _ := b.find(r.URL.Path)
	if c == nil {
		c = new(collection)
	}
	names := memberNames(records)
	terms := termsOf(q, names, c.Ordering)
	arrange(names, terms)
	p.Filters = newFilters(c, q, nil)
	p.List = &list{
		Columns:  newColumns(names, q, terms),
		Rows:     newRows(records, names, b.listLinks(c)),
		Pager:    newPager(q, e),
		Filtered: p.Filters != nil && p.Filters.Active,
	}
	p.List.alignNumbers()
	if len(names) == maxColumns {
		p.List.Columns = append(p.List.Columns, column{Label: "More"})
	}
	if b.postable(r, c) {
		p.Form = newForm(c.Fields, nil, nil)
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
	places := make(map[string]int, len(names))
	for _, name := range names {
		places[name] = len(terms)
		if at := termOf(name, terms); at >= 0 {
			places[name] = at
		}
	}
	places["id"] = -1
	slices.SortStableFunc(names, func(a, b string) int { return places[a] - places[b] })
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
		columns[i] = newColumn(name, q, terms)
	}
	return columns
}

func newColumn(name string, q query, terms []ordering.Term) column {
	c := column{Name: name, Label: heading(name)}
	term := ordering.Asc(ordering.Snake(name))
	place := termOf(name, terms)
	switch {
	case place < 0:
	case terms[place].Desc:
		c.Arrow = "down"
	default:
		c.Arrow = "up"
	}
	if place == 0 {
		c.Sort = map[string]string{"up": "ascending", "down": "descending"}[c.Arrow]
		term = terms[0].Reverse()
	}
	c.Link = q.with("ordering", term.String(), "offset", "")
	return c
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
		rows[i] = newRow(members, place, links)
	}
	return rows
}

func newRow(members []member, place map[string]int, links links) row {
	r := row{Cells: make([]cell, len(place))}
	var others []string
	for _, m := range members {
		at, ok := place[m.name]
		if !ok {
			others = append(others, quote(m.name)+":"+string(m.value))
			continue
		}
		c := links.cell(m)
		if m.name == "id" {
			r.ID = rowID(m.value)
			c.Head = true
		}
		r.Cells[at] = c.finish()
	}
	if others != nil {
		r.Cells = append(r.Cells, jsonCell([]byte("{"+strings.Join(others, ",")+"}")).finish())
	}
	return r
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
