package browse

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
)

// record is the page of a record.
type record struct {
	About    string // such as "Film 7"
	Name     string // what people call it, or About
	Verb     string // Change or Delete if the page is about that, or ""
	Title    string // what the verb is about
	Members  []cell
	Refer    []referrer
	Form     *form  // that changes the record
	ReadOnly string // why the visitor cannot change it, or ""
	Change   string // link to the form that changes the record, or ""
	Delete   string // link to the page that asks whether to delete the record, or ""
	Action   string // of the form on that page
	Unasked  string // link to the page of the record
}

// newRecord returns the page of a record, or nil if the response has none. With the parameter _method
// it has the form to change the record, or asks whether to delete it.
func (v *view) newRecord(resp *response) *record {
	values, ok := resp.record()
	if !ok {
		return nil
	}
	links := v.links("../../", memberNames([]schema.Record{values}))
	r := &record{About: wire.Capital(v.c.recordName(v.id)), Refer: v.referrers(values), Unasked: v.cleanLink()}
	r.Name = v.c.nameOf(values, r.About)
	r.Title = r.Name
	for name, value := range values.All() {
		c := wholeCell(value, 0)
		if to, ok := links[name]; ok {
			c = v.refer(c, value, to, maxLinks)
		}
		c.Label = heading(name)
		r.Members = append(r.Members, c)
	}
	method, tag := v.c.updateMethod(), resp.Sent.Get("Etag")
	mayChange := method != "" && v.denied(method) == nil
	if mayChange {
		r.Change = v.query.with(methodName, method)
	}
	if v.c.Actions.Has(schema.Destroy) && v.denied(http.MethodDelete) == nil {
		r.Delete = v.query.with(methodName, http.MethodDelete)
	}
	if v.c.Actions&(wire.RecordActions&^schema.Retrieve) != 0 && r.Change == "" && r.Delete == "" {
		r.ReadOnly = v.readOnly()
	}
	switch asked := v.query.get(methodName); {
	case r.Delete != "" && asked == http.MethodDelete:
		r.Verb, r.Action = "Delete", v.query.with(tagName, tag)
	case mayChange && asked == method:
		if stored, ok := v.stored(resp); ok {
			r.Verb, r.Form = "Change", v.newForm(recordTexts(v.c.written, stored), nil, tag)
		}
	}
	if r.Verb != "" {
		r.Title = v.c.nameOf(values, v.c.recordName(v.id))
	}
	return r
}

const (
	maxParts = 4 << 10 // bytes of a value whose parts a page shows one by one, and not as JSON
	maxDepth = 4       // of such parts
)

// wholeCell returns the cell of a JSON value on the page of a record: objects and lists have parts.
func wholeCell(value string, depth int) cell {
	c := newCell(value)
	switch {
	case c.Link != "":
		c.Text = c.Link
	case c.Class != "object" && c.Class != "list":
	case len(value) > maxParts || depth == maxDepth:
		return cell{Class: "json", Text: indented(value)}
	default:
		for name, part := range partsOf(value) {
			of := wholeCell(part, depth+1)
			of.Label = heading(name)
			c.Parts = append(c.Parts, of)
		}
	}
	return c
}

// referrer lists some records that refer to the record of the page.
type referrer struct {
	Label string
	Count string
	Link  string // to all of them
	Some  []option
	Pages bool // they have pages
}

// referrers requests the records that refer to one of v.c, by each field that is a filter.
func (v *view) referrers(record schema.Record) (all []referrer) {
	for _, c := range v.collections {
		for _, f := range c.Fields {
			name, value := ordering.Snake(f.Name), v.c.text(record, f.By)
			if f.Refers != v.c.Key || !slices.Contains(c.Filters, name) || value == "" {
				continue
			}
			selection := url.Values{name: {value}}.Encode()
			list, count := v.list(c.path, selection, 5)
			if len(list) == 0 {
				continue
			}
			label := heading(c.Key)
			if inWords(f.Name) != spelled(v.c.Name) {
				label += ", " + inWords(f.Name)
			}
			link := "../../" + url.PathEscape(c.Segment) + "/"
			some := options(c, c.Lookup, list)
			for i := range some {
				if some[i].Label == some[i].Value {
					some[i].Label = wire.Capital(c.recordName(some[i].Value))
				}
				if some[i].Value = link + "?" + selection; some[i].segment != "" {
					some[i].Value = link + url.PathEscape(some[i].segment) + "/"
				}
			}
			all = append(all, referrer{label, grouped(count), link + "?" + selection, some, c.hasPages()})
		}
	}
	return all
}
