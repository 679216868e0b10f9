package httpapi

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// The details of a 404 for a page that does not exist.
const (
	detailInvalidPage   = "Invalid page."
	detailInvalidCursor = "Invalid cursor"
)

// A page is a page of a collection in one of the three styles.
type page struct {
	window         pagination.Window
	count          int // -1 if it is not sent
	records        [][]byte
	next, previous string // links; empty for limit and offset, whose links are appended to the response

	cursor pagination.Cursor
	field  *schema.Field // the first of the order, for a cursor
}

// checkPages returns an error if the style of a collection is unknown or contradicts its
// description.
func (r *route) checkPages() error {
	switch r.pages.(type) {
	case pagination.Limits, pagination.Numbers:
	case pagination.Cursors:
		if first := r.defaultOrder()[0].Field; r.positioned(first) == nil {
			return fmt.Errorf("pages by cursors need a default order by the id or a scalar field that is described: %q is none", first)
		}
		if c, ok := r.all.(Positioner); !ok || !c.Positions() {
			return errors.New("pages by cursors need a collection that is a Positioner")
		}
	default:
		return fmt.Errorf("pages of type %T: want Limits, Numbers or Cursors of package pagination", r.pages)
	}
	names := r.pages.Parameters()
	for i, name := range names {
		if wire.Selects(*r.about, name) || slices.Contains(names[:i], name) || name == "ordering" || name == "format" {
			return fmt.Errorf("the parameter %q of pages is another one, too", name)
		}
	}
	return nil
}

// defaultOrder returns the order of lists without terms.
func (r *route) defaultOrder() []ordering.Term {
	if len(r.about.Ordering) > 0 {
		return r.about.Ordering
	}
	return []ordering.Term{ordering.Asc("id")}
}

// positioned returns the field whose values can be positions in a list that is ordered by a name
// first, or nil if none exists.
func (r *route) positioned(name string) *schema.Field {
	for i, f := range r.about.Fields {
		if ordering.Snake(f.Name) == name && !f.Hidden && f.Kind.Scalar() {
			return &r.about.Fields[i]
		}
	}
	if name == "id" {
		return &schema.Field{Name: name, Kind: schema.Integer}
	}
	return nil
}

// ask adds the page that the request asks for to a query. If there can be no such page, it sends
// a 404 and returns false.
func (v *view) ask(q *catalogue.Query) (p page, ok bool) {
	switch style := v.route.pages.(type) {
	case pagination.Limits:
		p.window, ok = style.Window(v.query), true
		q.Window = p.window
	case pagination.Numbers:
		if p.window, ok = style.Window(v.query, math.MaxInt); !ok {
			v.fail(http.StatusNotFound, detailInvalidPage)
		}
		q.Window = p.window
	case pagination.Cursors:
		if p.cursor, p.window.Limit, ok = style.Page(v.query); ok {
			ok = v.askCursor(&p, q)
		}
		if !ok {
			v.fail(http.StatusNotFound, detailInvalidCursor)
		}
	}
	return p, ok
}

// askCursor makes q ask for the records of a page that begins at a cursor, and one more. It
// reports whether the position in the cursor is a value of the first field.
func (v *view) askCursor(p *page, q *catalogue.Query) (ok bool) {
	if len(q.Terms) == 0 {
		q.Terms = v.route.defaultOrder()
	}
	q.Terms = slices.Clone(q.Terms)
	for i := range q.Terms {
		q.Terms[i].Desc = q.Terms[i].Desc != p.cursor.Reverse
	}
	p.window.Offset = p.cursor.Offset
	q.Window = pagination.Window{Limit: min(p.window.Limit, math.MaxInt-1) + 1, Offset: p.cursor.Offset}
	first := q.Terms[0]
	p.field = v.route.positioned(first.Field)
	if !p.cursor.Positioned {
		return true
	}
	value, ok := p.field.ParsePosition(p.cursor.Position, v.handler.opts.Framework)
	test := schema.Test{Field: first.Field, Lookup: "gt", Values: []string{value}}
	if first.Desc {
		test.Lookup = "lt"
	}
	q.Filter.Tests = append(slices.Clip(q.Filter.Tests), test)
	return ok
}

// lastReads is how often the last page is read while the number of records changes.
const lastReads = 3

// read reads the page and makes its links. It returns the terms of the list. ok is false if there
// is no such page.
func (v *view) read(p *page, q catalogue.Query) (terms []ordering.Term, ok bool, err error) {
	numbers, _ := v.route.pages.(pagination.Numbers)
	var list catalogue.List
	for n := range lastReads {
		if list, err = v.route.all.List(v.r.Context(), q); err != nil {
			return nil, false, err
		}
		if _, ok := v.route.pages.(pagination.Numbers); !ok {
			break
		}
		w, ok := numbers.Window(v.query, list.Count)
		if !ok {
			return nil, false, nil
		}
		if w == q.Window || n == lastReads-1 {
			break
		}
		p.window, q.Window = w, w // of the last page, whose number is known now
	}
	p.count, p.records = list.Count, list.Records
	switch style := v.route.pages.(type) {
	case pagination.Numbers:
		p.next, p.previous = style.Links(v.base(), v.query, q.Window, list.Count)
	case pagination.Cursors:
		p.turn(list.Records)
		next, previous := p.cursor.Neighbours(p.window.Limit, len(list.Records), func(i int) string { return p.position(list.Records[i]) })
		p.next, p.previous = style.Link(v.base(), v.query, next), style.Link(v.base(), v.query, previous)
	}
	return list.Terms, true, nil
}

// turn sets the records of a page of a cursor, which were read in its direction, with one more.
func (p *page) turn(read [][]byte) {
	p.count, p.records = -1, slices.Clone(read[:min(p.window.Limit, len(read))])
	if p.cursor.Reverse {
		slices.Reverse(p.records)
	}
}

// position returns the position of a record. One that is not JSON has that of null.
func (p *page) position(record []byte) string {
	r, _ := schema.ParseKeyed(record)
	value, _ := r.Get(p.field.Name)
	return p.field.Position(value)
}

// base returns the URL of the list.
func (v *view) base() string { return string(v.origin.AppendURL(nil, v.route.link)) }

// appendNext appends the link to the next page, if there is one.
func (v *view) appendNext(dst []byte, p *page) (link []byte, ok bool) {
	if _, offsets := v.route.pages.(pagination.Limits); offsets {
		return pagination.AppendNext(v.origin.AppendURL(dst, v.route.link), "", v.query, p.window, p.count)
	}
	return append(dst, p.next...), p.next != ""
}

// appendPrevious appends the link to the previous page, if there is one.
func (v *view) appendPrevious(dst []byte, p *page) (link []byte, ok bool) {
	if _, offsets := v.route.pages.(pagination.Limits); offsets {
		return pagination.AppendPrevious(v.origin.AppendURL(dst, v.route.link), "", v.query, p.window)
	}
	return append(dst, p.previous...), p.previous != ""
}
