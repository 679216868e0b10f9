package browse

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
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

// list is a page of a collection.
type list struct {
	Columns  []column // those that are shown
	Choice   []column // all, of which the visitor can choose others than the first, or nil
	Kept     []option // of the form for the columns
	Rows     []row
	Pager    pager
	Took     string // the time of the handler
	Add      string // link to the form for a new record, or ""
	ReadOnly string // why the visitor cannot add a record, or ""
	About    string // of a record, such as "film"
}

// column is a column of the table, for one member of the records. The first is the name, or else the id or
// the key.
type column struct {
	Name  string // in JSON
	Label string
	Class string // name, number, or both
	Shown bool
	Link  string // orders by this column, or reverses the order
	Sort  string // ascending, descending, or "" if it is not the first term
}

// row is the row of a record.
type row struct {
	ID    string // segment of the path of the record, escaped, or ""
	Cells []cell
}

// columnsName is the parameter of the columns to show, if not the first.
const columnsName = "_columns"

const (
	maxShown   = 7  // columns that a table has without the parameter, beside that of the order
	maxColumns = 64 // to choose from; a thousand records could have a million different members
)

// newList returns the page of a list, or nil if the response has no list.
func (v *view) newList(resp *wire.Recorder) *list {
	if v.c == nil || resp.Status != http.StatusOK {
		return nil
	}
	e, ok := wire.ReadPage(resp.Body, v.c.is)
	if !ok {
		return nil
	}
	records, ok := recordsOf(e.Records)
	if !ok {
		return nil
	}
	took := max(v.took.Round(100*time.Microsecond), 100*time.Microsecond)
	l := &list{Pager: v.newPager(e), Took: "in " + took.String(), About: spelled(v.c.Name)}
	v.choose(l, v.newColumns(memberNames(records)))
	l.Rows = v.newRows(records, l.Columns)
	const writes = schema.Create | schema.Update | schema.PartialUpdate | schema.Destroy
	switch {
	case v.postable(v.c):
		l.Add = v.query.with(methodName, http.MethodPost)
	case v.c.Actions&writes == 0:
		l.ReadOnly = "Read-only: the service has no way to change these records."
	case v.c.Actions.Has(schema.Create):
		l.ReadOnly = v.readOnly()
	}
	return l
}

// choose sets the columns that the visitor has chosen or, without a choice, the first ones and that
// of the order.
func (v *view) choose(l *list, all []column) {
	chosen, key := v.chosen(), v.c.Identity().Name
	for i := range all {
		c := &all[i]
		c.Shown = i == 0 || chosen[ordering.Snake(c.Name)] || chosen == nil && (i < maxShown-1 || c.Name == key || c.Sort != "")
		if c.Shown {
			l.Columns = append(l.Columns, *c)
		}
	}
	if len(all) > min(maxShown, len(l.Columns)) {
		l.Choice = all
		l.Kept = v.query.kept(func(name string) bool { return name != columnsName })
	}
}

// chosen returns the set of the members, in snake_case, that the visitor has chosen, or nil.
func (v *view) chosen() map[string]bool {
	if !v.query.values.Has(columnsName) {
		return nil
	}
	chosen := make(map[string]bool)
	for _, value := range v.query.values[columnsName] {
		for _, name := range append(strings.Split(value, ","), value) {
			chosen[ordering.Snake(name)] = true
		}
	}
	return chosen
}

// memberNames returns the names of the first maxColumns members, in order of appearance.
func memberNames(records []schema.Record) []string {
	var names []string
	seen := make(map[string]bool)
	for _, record := range records {
		for name := range record.All() {
			if !seen[name] && len(names) < maxColumns {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// newColumns returns the columns for the given members: the name, those of filters, others, and the id or
// the key. They show the current ordering and link to others.
func (v *view) newColumns(names []string) []column {
	ranks := map[string]int{v.c.Identity().Name: 2}
	for _, parameter := range v.c.Filters {
		if field, _, _ := v.c.Parameter(parameter); ranks[field.Name] == 0 {
			ranks[field.Name] = -1
		}
	}
	ranks[cmp.Or(v.c.nameField(names), v.c.Identity().Name)] = -2
	slices.SortStableFunc(names, func(a, b string) int { return ranks[a] - ranks[b] })
	terms, links := wire.Terms(v.c.Description, v.query.get(v.c.order), func(name string) bool {
		return slices.ContainsFunc(names, func(member string) bool { return ordering.Snake(member) == name })
	}), v.query.repeats(len(names))
	if terms == nil {
		terms = v.c.Ordering
	}
	columns := make([]column, len(names))
	for i, name := range names {
		c := column{Name: name, Label: heading(name)}
		if i == 0 {
			c.Class = "name"
		}
		term := ordering.Asc(ordering.Snake(name))
		if len(terms) > 0 && terms[0].Field == term.Field {
			term.Desc, c.Sort = !terms[0].Desc, map[bool]string{false: "ascending", true: "descending"}[terms[0].Desc]
		}
		if links {
			c.Link = v.query.with(v.c.order, term.String(), v.c.is.Place, "")
		}
		columns[i] = c
	}
	return columns
}

// newRows returns the rows of the table, and aligns its columns. The first cell links to the record, and
// others have links only if records have no pages.
func (v *view) newRows(records []schema.Record, columns []column) []row {
	place := make(map[string]int, len(columns))
	names := make([]string, len(columns))
	for i, c := range columns {
		place[c.Name], names[i] = i, c.Name
	}
	fields, query := v.fields(names), ""
	if from := strings.TrimPrefix(v.query.with(methodName, ""), "?"); from != "./" && v.query.repeats(2*len(records)) {
		query = "?" + url.Values{listName: {from}}.Encode()
	}
	rows := make([]row, len(records))
	for i, record := range records {
		segment := v.c.segmentOf(record)
		rows[i] = row{ID: url.PathEscape(segment), Cells: make([]cell, len(columns))}
		for name, value := range record.All() {
			if at, ok := place[name]; ok {
				rows[i].Cells[at] = v.show(value, fields[name], 0)
			}
		}
		if len(columns) > 0 && v.c.hasPages() && segment != "" {
			first := &rows[i].Cells[0]
			if strings.TrimSpace(first.Text) == "" || first.Class == "null" {
				first.Text = cut(segment)
			}
			first.Links = template.HTML(anchor("./"+rows[i].ID+"/"+query, first.Text))
		}
	}
	for i := range columns { // of numbers are aligned to the right
		isOther := func(r row) bool { return !strings.Contains("number null", r.Cells[i].Class) }
		if !slices.ContainsFunc(rows, isOther) {
			columns[i].Class = strings.TrimSpace(columns[i].Class + " number")
		}
	}
	return rows
}

// pager describes the page and links to other pages. A link without a target is empty.
type pager struct {
	Summary        string // such as "Records 22–42 of 500"
	Previous, Next string
	First          string   // of pages without numbers
	Numbers        []choice // pages around this one, the first and the last; a gap has no link
	Last           string   // link to the last of them
}

func (v *view) newPager(e pagination.Envelope[json.RawMessage]) pager {
	p := pager{Summary: counted(len(e.Records), "record"), Previous: relative(e.Previous), Next: relative(e.Next)}
	if !v.c.is.Counted || e.Count < 0 {
		if p.Previous+p.Next != "" {
			p.Summary, p.First = "A page of "+p.Summary, v.query.with(v.c.is.Place, "")
		}
		return p
	}
	w, _ := pagination.Requested(v.c.Pages, pagination.ParseQuery(v.query.values.Encode()), e.Count)
	w.Limit = max(w.Limit, 1)
	p.Summary = summary(w.Offset, len(e.Records), e.Count)
	if p.Previous+p.Next == "" {
		return p
	}
	here, last := w.Offset/w.Limit+1, (e.Count-1)/w.Limit+1
	numbers, before := []int{1, 2, here - 1, here, here + 1, last}, 0
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		if n < 1 || n > last {
			continue
		}
		if n > before+1 {
			p.Numbers = append(p.Numbers, choice{Label: "…"})
		}
		p.Last, before = v.at(pagination.Window{Limit: w.Limit, Offset: (n - 1) * w.Limit}), n
		p.Numbers = append(p.Numbers, choice{Label: strconv.Itoa(n), Link: p.Last, Active: (n-1)*w.Limit == w.Offset})
	}
	return p
}

// relative returns a link to the same path with the query of a URL, or "" for "".
func relative(link string) string {
	u, err := url.Parse(link)
	if err != nil || link == "" {
		return ""
	}
	return parseQuery(u.RawQuery).with()
}

// at returns a link to the page of a list in which a window begins.
func (v *view) at(w pagination.Window) string {
	link := pagination.AppendLink(nil, v.c.Pages, pagination.Query{}, pagination.Place{Window: w})
	place, _ := pagination.ParseQuery(strings.TrimPrefix(string(link), "?")).Get(v.c.is.Place)
	size := strings.TrimPrefix(strconv.Itoa(w.Limit), strconv.Itoa(math.MaxInt)) // which means no limit
	return v.query.with(v.c.is.Size, size, v.c.is.Place, place)
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
