package httpapi

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A page is a page of a collection, in any style.
type page struct {
	pagination.Place
	next, previous pagination.Place // without a Limit if there are none
	count          int              // -1 if it is not sent
	records        [][]byte

	field *schema.Field // the first of the order, unless pages are counted
}

// checkPages returns an error if the style of a collection contradicts its description.
func (r *route) checkPages() error {
	is := r.pages.Traits()
	if !is.Counted {
		if first := r.defaultOrder()[0].Field; r.positioned(first) == nil {
			return fmt.Errorf("pages by cursors need a default order by the id or a scalar field that is described: %q is none", first)
		}
		if c, ok := r.all.(Positioner); !ok || !c.Positions() {
			return errors.New("pages by cursors need a collection that is a Positioner")
		}
	}
	for _, name := range []string{is.Place, is.Size} {
		if is.Place == is.Size || name != "" && (wire.Selects(*r.about, name) || name == "ordering" || name == "format") {
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

// identity returns the field that identifies records.
func (r *route) identity() *schema.Field {
	for i, f := range r.about.Fields {
		if f.Key {
			return &r.about.Fields[i]
		}
	}
	return r.positioned("id")
}

// ask adds the page that the request asks for to a query. If there can be no such page, it sends
// a response and returns false.
func (v *view) ask(q *catalogue.Query) (p page, ok bool) {
	is := v.style.Traits()
	p.Place, ok = v.style.Place(v.query, math.MaxInt)
	q.Window = p.Window()
	var err error
	if ok && !is.Counted {
		ok, err = v.askAfter(&p, q)
	}
	if err != nil {
		v.failWith(err)
	} else if !ok {
		v.fail(http.StatusNotFound, is.NoPage)
	}
	return p, ok && err == nil
}

// askAfter makes q ask for the records of a page that begins at a position, and one more. It
// reports whether the position is a value of the first field.
func (v *view) askAfter(p *page, q *catalogue.Query) (ok bool, err error) {
	if len(q.Terms) == 0 {
		q.Terms = v.route.defaultOrder()
	}
	q.Terms = slices.Clone(q.Terms)
	for i := range q.Terms {
		q.Terms[i].Desc = q.Terms[i].Desc != p.Reverse
	}
	q.Window.Limit = min(p.Limit, math.MaxInt-1) + 1
	first := q.Terms[0]
	p.field = v.route.positioned(first.Field)
	if !p.Positioned {
		return true, nil
	}
	position, err := v.fullPosition(p.Position, p.field)
	value, ok := p.field.ParsePosition(position, v.handler.opts.Framework)
	test := schema.Test{Field: first.Field, Lookup: "gt", Values: []string{value}}
	if first.Desc {
		test.Lookup = "lt"
	}
	q.Filter.Tests = append(slices.Clip(q.Filter.Tests), test)
	return ok, err
}

// A position of more than maxPosition bytes would make links too long. In cursors it is ofRecord,
// with which no value of a field of the framework begins, and the identity of a record that has it.
const (
	maxPosition = 1024
	ofRecord    = "\x00"
)

// fullPosition returns the position that the text in a cursor stands for. If the record in the text
// does not exist, it returns the text, which is not a value of a field.
func (v *view) fullPosition(text string, of *schema.Field) (string, error) {
	identity := v.route.identity()
	value, ok := "", false
	if rest, named := strings.CutPrefix(text, ofRecord); named {
		value, ok = identity.ParsePosition(rest, v.handler.opts.Framework)
	}
	if !ok {
		return text, nil
	}
	test := schema.Test{Field: ordering.Snake(identity.Name), Lookup: "exact", Values: []string{value}}
	q := catalogue.Query{Filter: schema.Filter{Tests: append(slices.Clip(v.rows), test)}, Window: pagination.Window{Limit: 1}}
	list, err := v.route.all.List(v.r.Context(), q)
	if err != nil || len(list.Records) == 0 {
		return text, err
	}
	return positionOf(list.Records[0], of), nil
}

// positions returns the function that returns the texts of the positions of records in cursors.
func (r *route) positions(of *schema.Field, read [][]byte) func(i int) string {
	long := map[string]string{}
	return func(i int) string {
		text := positionOf(read[i], of)
		if len(text) <= maxPosition && !strings.HasPrefix(text, ofRecord) {
			return text
		}
		if long[text] == "" {
			long[text] = ofRecord + positionOf(read[i], r.identity())
		}
		return long[text]
	}
}

// positionOf returns the position of a record. One that is not JSON has that of null.
func positionOf(record []byte, of *schema.Field) string {
	r, _ := schema.ParseKeyed(record)
	value, _ := r.Get(of.Name)
	return of.Position(value)
}

// lastReads is how often the last page is read while the number of records changes.
const lastReads = 3

// read reads the page and finds its neighbours. It returns the terms of the list. ok is false if
// there is no such page.
func (v *view) read(p *page, q catalogue.Query) (terms []ordering.Term, ok bool, err error) {
	counted := v.style.Traits().Counted
	var list catalogue.List
	for n := range lastReads {
		if list, err = v.route.all.List(v.r.Context(), q); err != nil {
			return nil, false, err
		}
		if !counted {
			break
		}
		at, ok := v.style.Place(v.query, list.Count)
		if !ok {
			return nil, false, nil
		}
		if at == p.Place || n == lastReads-1 {
			break
		}
		p.Place, q.Window = at, at.Window() // of the last page, whose number is known now
	}
	p.count, p.records = list.Count, list.Records
	if counted {
		p.next, p.previous = v.style.Neighbours(p.Place, list.Count, nil)
		return list.Terms, true, nil
	}
	p.next, p.previous = v.style.Neighbours(p.Place, len(list.Records), v.route.positions(p.field, list.Records))
	p.turn(list.Records)
	return list.Terms, true, nil
}

// turn sets the records of a page that were read in its direction, with one more.
func (p *page) turn(read [][]byte) {
	p.count, p.records = -1, slices.Clone(read[:min(p.Limit, len(read))])
	if p.Reverse {
		slices.Reverse(p.records)
	}
}

// appendLink appends the JSON of a link, which needs no escaping, or null if there is no such page.
func (v *view) appendLink(dst []byte, to pagination.Place) []byte {
	if to.Limit == 0 {
		return append(dst, "null"...)
	}
	dst = v.origin.AppendURL(append(dst, '"'), v.route.link)
	return append(v.style.AppendLink(dst, v.query, to), '"')
}
