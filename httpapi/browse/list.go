package browse

import (
	"fmt"
	"html/template"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

type envelope = pagination.Envelope[members]

// list is a page of a collection.
type list struct {
	Columns  []column
	Rows     []row
	Pager    pager
	Filters  *filters
	Took     string // what the response has cost
	Add      string // link to the form for a new record, or ""
	ReadOnly string // why the visitor cannot add a record, or ""
	About    string // of a record, such as "film"
}

// column is a column of the table, for one member of the records.
type column struct {
	Name   string // in JSON
	Label  string
	Link   string // orders by this column, or reverses the order
	Sort   string // ascending, descending, or "" if it is not the first term
	Arrow  string // up, down, or "" if it is not a term
	Number bool   // all values are numbers, null or absent
	Head   bool   // the id or the key
}

// row is the row of a record.
type row struct {
	ID    string // segment of the path of the record, escaped, or ""
	Cells []cell
}

// newList returns the page of a list, or nil if the response is none.
func (v *view) newList(resp *response) *list {
	var e envelope
	if v.c == nil || !resp.decode(&e) || e.Records == nil {
		return nil
	}
	names := memberNames(e.Records)
	key, _ := v.c.key()
	if at := slices.Index(names, key); at > 0 { // it stays in view on narrow screens
		names = slices.Insert(slices.Delete(names, at, at+1), 0, key)
	}
	l := &list{
		Columns: newColumns(names, v.query, v.termsOf(names), v.c.is.Place),
		Rows:    v.newRows(e.Records, names),
		Pager:   v.newPager(e),
		Took:    v.cost(),
		Filters: v.newFilters(nil),
		About:   spelled(v.c.Name),
	}
	for i := range l.Columns {
		classes := make(map[string]bool)
		for _, r := range l.Rows {
			classes[r.Cells[i].Class] = true
		}
		delete(classes, "null")
		delete(classes, "") // absent
		if l.Columns[i].Number = len(classes) == 1 && classes["number"]; l.Columns[i].Number {
			for _, r := range l.Rows {
				if r.Cells[i].Class == "null" {
					r.Cells[i].Attr = `class="null number"` // aligned as the numbers are
				}
			}
		}
		l.Columns[i].Head = names[i] == key
	}
	if len(names) == maxColumns {
		l.Columns = append(l.Columns, column{Label: "More"})
	}
	const writes = schema.Create | schema.Update | schema.PartialUpdate | schema.Destroy
	switch {
	case v.postable():
		l.Add = v.query.with(methodName, http.MethodPost)
	case v.c.Actions&writes == 0:
		l.ReadOnly = "Read-only: the service has no way to change these records."
	case v.c.Actions.Has(schema.Create):
		l.ReadOnly = v.readOnly()
	}
	return l
}

// maxColumns is the maximum number of members with their own column. Without it, a
// thousand records with a thousand different members each would have a million columns.
const maxColumns = 64

// memberNames returns the names of the first maxColumns members, in order of appearance.
func memberNames(records []members) []string {
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
func (v *view) termsOf(names []string) []ordering.Term {
	terms := wire.Terms(v.c.Description, v.query.get("ordering"), func(name string) bool {
		return slices.ContainsFunc(names, func(member string) bool { return ordering.Snake(member) == name })
	})
	if terms == nil {
		return v.c.Ordering
	}
	return terms
}

// newColumns returns the columns for the given members. They show the current ordering
// and link to others. place is the parameter that determines where a page begins.
func newColumns(names []string, q query, terms []ordering.Term, place string) []column {
	columns := make([]column, len(names))
	for i, name := range names {
		c := column{Name: name, Label: heading(name)}
		term := ordering.Asc(ordering.Snake(name))
		isTerm := func(t ordering.Term) bool { return t.Field == term.Field }
		if at := slices.IndexFunc(terms, isTerm); at >= 0 {
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
		if q.repeats(len(names)) {
			c.Link = q.with("ordering", term.String(), place, "")
		}
		columns[i] = c
	}
	return columns
}

// maxListed is the maximum number of links in a cell of a table.
const maxListed = 3

// newRows returns the rows of the table. Members without their own column are combined
// in a last one. The id and the name, or else the first text, link to the record.
func (v *view) newRows(records []members, names []string) []row {
	links := v.links("../", names)
	self := target{self: true, prefix: v.c.pages("./../")}
	if self.prefix != "" {
		self.prefix = "./"
		if from := strings.TrimPrefix(v.query.with(methodName, ""), "?"); from != "./" && v.query.repeats(2*len(records)) {
			self.suffix = "?" + template.HTMLEscapeString(url.Values{listName: {from}}.Encode())
		}
	}
	place := make(map[string]int, len(names))
	for i, name := range names {
		place[name] = i
	}
	named := v.c.nameField(names)
	key, _ := v.c.key()
	links[key] = self
	rows := make([]row, len(records))
	for i, members := range records {
		r := row{Cells: make([]cell, len(names))}
		segment := v.c.segmentOf(members)
		var others []string
		for _, m := range members {
			at, ok := place[m.name]
			if !ok {
				others = append(others, wire.Quote(m.name)+":"+string(m.value))
				continue
			}
			to, isLink := links[m.name]
			if !isLink && (m.name == named || named == "" && m.value[0] == '"') {
				named, to = m.name, self
			}
			c := v.cell(m, to, maxListed, segment)
			if m.name == key {
				r.ID, c.Head = url.PathEscape(segment), true
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

// pager describes the page and links to other pages. A link without a target is empty.
type pager struct {
	Summary                     string // such as "Records 22–42 of 500"
	Beyond                      bool   // the offset is past the last record
	First, Previous, Next, Last string
	Sizes                       []choice
	Page, Pages                 int    // number of this page and of all pages
	Total                       string // Pages with commas
	Kept                        []pair // of the form for a page, with the limit
}

func (v *view) newPager(e envelope) pager {
	if !v.c.is.Counted || e.Count < 0 {
		return v.newLinks(e)
	}
	w := v.c.window(v.query, e.Count)
	at := func(offset int) string { return v.at(pagination.Window{Limit: w.Limit, Offset: offset}) }
	p := pager{Summary: summary(w.Offset, len(e.Records), e.Count), Beyond: w.Offset >= e.Count && e.Count > 0, Pages: pages(e.Count, w.Limit)}
	p.Page, p.Total = min(w.Offset/w.Limit, p.Pages-1)+1, grouped(p.Pages)
	if e.Previous != "" {
		p.First, p.Previous = at(0), at(w.Offset-w.Limit)
	}
	if e.Next != "" {
		p.Next = at(w.Offset + w.Limit)
	}
	if e.Next != "" || p.Beyond {
		p.Last = at((p.Pages - 1) * w.Limit)
	}
	p.Kept = v.query.kept(func(name string) bool { return name != v.c.is.Size && name != v.c.is.Place && name != pageParam })
	if v.c.is.Size == "" {
		return p
	}
	p.Kept = append(p.Kept, pair{v.c.is.Size, strconv.Itoa(w.Limit)})
	sizes := []int{10, v.c.is.Default, 50, 100, w.Limit}
	slices.Sort(sizes)
	for _, records := range slices.Compact(sizes) {
		if records <= v.c.is.Max && records != math.MaxInt {
			link := v.at(pagination.Window{Limit: records, Offset: w.Offset})
			p.Sizes = append(p.Sizes, choice{Label: strconv.Itoa(records), Link: link, Active: records == w.Limit})
		}
	}
	return p
}

// newLinks returns the pager of a page by cursor, with the links of the response.
func (v *view) newLinks(e envelope) pager {
	p := pager{Summary: counted(len(e.Records), "record"), Previous: relative(e.Previous), Next: relative(e.Next)}
	if e.Previous != "" {
		p.First = v.query.with(v.c.is.Place, "")
	}
	if e.Previous != "" || e.Next != "" {
		p.Summary = "A page of " + p.Summary
	}
	return p
}

// relative returns a link to the same path with the query of a URL, or "" for "".
func relative(link string) string {
	u, err := url.Parse(link)
	if err != nil || link == "" {
		return ""
	}
	return query{u.Query()}.with()
}

// pages returns the number of pages, at least 1.
func pages(count, limit int) int { return max(count-1, 0)/limit + 1 }

// window returns the window of a list of count records that a query selects.
func (c *collection) window(q query, count int) pagination.Window {
	p, _ := pagination.Requested(c.Pages, pagination.ParseQuery(q.values.Encode()), count)
	return pagination.Window{Limit: max(p.Limit, 1), Offset: p.Offset}
}

// at returns a link to the page of a list in which a window begins.
func (v *view) at(w pagination.Window) string {
	link := pagination.AppendLink(nil, v.c.Pages, pagination.Query{}, pagination.Place{Window: w})
	place, _ := pagination.ParseQuery(strings.TrimPrefix(string(link), "?")).Get(v.c.is.Place)
	return v.query.with(v.c.is.Size, positive(w.Limit), v.c.is.Place, place)
}

// positive returns a positive number as text. It returns "" for others, and for the largest,
// which means no limit.
func positive(n int) string {
	if n <= 0 || n == math.MaxInt {
		return ""
	}
	return strconv.Itoa(n)
}

// cost returns the time of the handler and, of a search, the number of records that it has read:
// all those that the filters select.
func (v *view) cost() string {
	text := "in " + readableDuration(v.took)
	if len(v.c.Search) == 0 || strings.Trim(v.query.get(wire.Search), ", ") == "" {
		return text
	}
	all := query{maps.Clone(v.query.values)}
	delete(all.values, wire.Search)
	if n := v.counts(v.c.path, all.values.Encode(), []url.Values{{}})[0]; n >= 0 {
		text += ", " + counted(n, "record") + " searched"
	}
	return text
}

// readableDuration returns a duration with two digits or more, such as "0.2 ms", "137 ms" or "3.0 s".
func readableDuration(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms < 0.05:
		return "under 0.1 ms"
	case ms < 9.95:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 999.5:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1000)
}

func summary(offset, records, count int) string {
	switch {
	case count == 0:
		return "No records"
	case records == 0:
		return "None of " + counted(count, "record")
	case records == count:
		return counted(count, "record")
	case records == 1:
		return fmt.Sprintf("Record %s of %s", grouped(offset+1), grouped(count))
	}
	return fmt.Sprintf("Records %s–%s of %s", grouped(offset+1), grouped(offset+records), grouped(count))
}

// pageParam is the parameter of the form for a page: the number of the page, from 1.
const pageParam = "_page"

// jump redirects to the page of a list with the number in the query, and returns nil. A number past
// the last page leads to the last page, and any other text to the first. If there are no such pages,
// it returns the response of the handler.
func (v *view) jump() *response {
	count := -1
	if v.c != nil && v.id == "" && v.c.is.Counted {
		count = v.counts(v.c.path, v.query.values.Encode(), []url.Values{{}})[0]
	}
	if count < 0 {
		return v.forward()
	}
	number, _ := strconv.Atoi(strings.TrimSpace(v.query.get(pageParam))) // the largest if out of range
	delete(v.query.values, pageParam)
	delete(v.query.values, v.c.is.Place)
	limit := v.c.window(v.query, count).Limit
	page := min(max(number, 1), pages(count, limit))
	v.redirect(v.at(pagination.Window{Limit: limit, Offset: (page - 1) * limit}))
	return nil
}
