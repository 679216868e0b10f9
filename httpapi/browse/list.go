package browse

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// envelope is a page as the handler writes it.
type envelope struct {
	Count          int
	Next, Previous *string
	Results        []json.RawMessage
}

// list is a page of a collection.
type list struct {
	Columns []column
	Rows    []row
	Pager   pager
}

// column is a member of records.
type column struct {
	Name  string // on the wire
	Label string
	Link  string // to the same collection in its order, or in the reverse
	Sort  string // ascending, descending, or "": it is not the first term
	Arrow string // up, down, or ""
}

// row is a record.
type row struct {
	ID    string // of the element, or ""
	Cells []cell
}

// showList shows a page of records, and a form if the caller may post.
func (b *browser) showList(p *page, r *http.Request, a *answer) {
	var e envelope
	if err := json.Unmarshal(a.body.Bytes(), &e); err != nil || e.Results == nil {
		p.showAnswer(a)
		return
	}
	records := make([][]member, len(e.Results))
	for i, text := range e.Results {
		members, err := readMembers(text)
		if err != nil {
			p.showAnswer(a)
			return
		}
		records[i] = members
	}
	p.here()
	q := readQuery(r)
	collection := b.collections[r.URL.Path]
	names := memberNames(records)
	p.List = &list{
		Columns: newColumns(names, q, collection.Ordering),
		Rows:    newRows(records, names),
		Pager:   newPager(q, e),
	}
	if len(names) == maxColumns {
		p.List.Columns = append(p.List.Columns, column{Label: "More"})
	}
	if b.postable(r) {
		p.Form = newForm(collection, nil, nil)
	}
}

// maxColumns is how many members have a column. Records of a thousand members each,
// all different, would make a table with a million of them.
const maxColumns = 64

// memberNames are the names that records have, each in the place where it was
// first seen, as many as have a column.
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

// newColumns says how the page is ordered, and how it could be.
func newColumns(names []string, q query, byDefault []ordering.Term) []column {
	terms := ordering.Parse(q.get("ordering"), func(name string) bool {
		return slices.ContainsFunc(names, func(member string) bool { return ordering.Snake(member) == name })
	})
	if terms == nil {
		terms = byDefault
	}
	columns := make([]column, len(names))
	for i, name := range names {
		columns[i] = newColumn(name, q, terms)
	}
	return columns
}

func newColumn(name string, q query, terms []ordering.Term) column {
	c := column{Name: name, Label: heading(name)}
	term := ordering.Asc(ordering.Snake(name))
	place := slices.IndexFunc(terms, func(t ordering.Term) bool { return t.Field == term.Field })
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

// newRows puts the members of records into the columns of their names. Those
// without one stand together in a last column.
func newRows(records [][]member, names []string) []row {
	place := make(map[string]int, len(names))
	for i, name := range names {
		place[name] = i
	}
	rows := make([]row, len(records))
	for i, members := range records {
		rows[i] = newRow(members, place)
	}
	return rows
}

func newRow(members []member, place map[string]int) row {
	r := row{Cells: make([]cell, len(place))}
	var others []string
	for _, m := range members {
		at, ok := place[m.name]
		if !ok {
			others = append(others, quote(m.name)+":"+string(m.value))
			continue
		}
		r.Cells[at] = newCell(m.value)
		if m.name == "id" {
			r.ID = rowID(m.value)
			r.Cells[at].Head = true
		}
	}
	if others != nil {
		r.Cells = append(r.Cells, jsonCell([]byte("{"+strings.Join(others, ",")+"}")))
	}
	return r
}

// rowID is the id of the element that shows a record.
func rowID(id json.RawMessage) string {
	return "record-" + strings.Trim(string(id), `"`)
}
