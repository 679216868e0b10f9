package browse

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
)

// record is the page of a record.
type record struct {
	About    string // such as "Film 7"
	Name     string // what people call it, or About
	Verb     string // Change or Delete if the page is about that, or ""
	Members  []cell
	Blank    string // the labels of those without a value
	Refer    []group
	Form     *form  // that changes the record
	ReadOnly string // why the visitor cannot change it, or ""
	Change   string // link to the form that changes the record, or ""
	Delete   string // link to the page that asks whether to delete the record, or ""
	Action   string // of the form on that page, or "" if records prevent the deletion
	Cancel   string // link to the page of the record

	deletion // if the page asks whether to delete the record
}

// newRecord returns the page of a record, or nil if the response has none. With the parameter _method
// it has the form to change the record, or asks whether to delete it.
func (v *view) newRecord(resp *wire.Recorder) *record {
	values, ok := recordOf(resp)
	if !ok {
		return nil
	}
	fields := v.fields(memberNames([]schema.Record{values}))
	r := &record{About: wire.Capital(v.c.recordName(v.id)), Cancel: v.cleanLink()}
	r.Name = v.c.nameOf(values, r.About)
	for name, value := range values.All() {
		if slices.Contains([]string{"null", `""`, "[]", "{}"}, value) {
			r.Blank = strings.TrimPrefix(r.Blank+" · "+heading(name), " · ")
			continue
		}
		c := v.show(value, fields[name], 0)
		c.Label = heading(name)
		r.Members = append(r.Members, c)
	}
	method := v.c.updateMethod()
	if method != "" && v.denied(method, v.r.URL.Path) == nil {
		r.Change = v.query.with(methodName, method)
	}
	if v.c.Actions.Has(schema.Destroy) && v.denied(http.MethodDelete, v.r.URL.Path) == nil {
		r.Delete = v.query.with(methodName, http.MethodDelete)
	}
	if v.c.Actions&(wire.RecordActions&^schema.Retrieve) != 0 && r.Change == "" && r.Delete == "" {
		r.ReadOnly = v.readOnly()
	}
	asked := v.query.get(methodName)
	stored, known := v.stored(values, true)
	switch {
	case r.Delete != "" && asked == http.MethodDelete && known:
		r.Verb, r.deletion = "Delete", v.deletionOf(stored)
		if !r.prevented {
			r.Action = v.query.with(tagName, r.tag)
		}
	case r.Change != "" && asked == method && known:
		r.Verb, r.Form = "Change", v.newForm(withShown(recordTexts(v.c.written, stored)), nil)
	default:
		r.Refer = v.referrers(values)
	}
	return r
}

// A deletion is what the deletion of a record does.
type deletion struct {
	Known     bool // what it does to other records
	Effects   []effect
	prevented bool
	with      string // what is deleted with the record
	tag       string // of the record and what happens to others
}

// An effect is what a deletion does to other records, by their collections.
type effect struct {
	Says   string
	Groups []group
}

// A group is records of a collection that refer to that of the page, or that its deletion changes.
type group struct {
	Label string
	Count string
	Link  string   // to all of them, or ""
	Some  []option // links to some, or only names
	More  string   // a number if these are not all, or ""
}

// maxNamed is the maximum number of records of a collection that a page names.
const maxNamed = 10

// deletionOf returns what the deletion of the record of the page does, which is stored as given.
func (v *view) deletionOf(stored schema.Record) (d deletion) {
	type of struct {
		does schema.OnDelete
		c    *collection // nil if it is not served
	}
	counts, first := make(map[of]int), make(map[of][]string)
	seen := sha256.New()
	_, _ = io.WriteString(seen, stored.String()) // never fails
	if c, ok := v.c.of.(interface {
		Dependents(context.Context, string, func(collection, segment string, does schema.OnDelete)) error
	}); ok {
		err := c.Dependents(v.r.Context(), v.id, func(key, segment string, does schema.OnDelete) {
			at := of{does, v.byKey[key]}
			if counts[at]++; counts[at] <= maxNamed {
				first[at] = append(first[at], segment)
			}
			_, _ = fmt.Fprintf(seen, "%q %q %d\n", key, segment, does)
		})
		d.Known = err == nil
	}
	d.tag = base64.RawURLEncoding.EncodeToString(seen.Sum(nil)[:12])
	for does, says := range []string{"Prevent the deletion", "Will be deleted too", "Will lose the reference"} {
		e := effect{Says: says}
		var labels []string
		for _, c := range append(slices.Clip(v.collections), nil) {
			at := of{schema.OnDelete(does), c}
			if n := counts[at]; n > 0 {
				g := v.group(c, n, first[at])
				e.Groups, labels = append(e.Groups, g), append(labels, g.Label)
			}
		}
		if e.Groups == nil {
			continue
		}
		d.Effects = append(d.Effects, e)
		if schema.OnDelete(does) == schema.Cascade {
			d.with = strings.Join(labels, ", ")
		}
		if d.prevented = schema.OnDelete(does) == schema.Protect; d.prevented {
			break
		}
	}
	return d
}

// group returns a number of records of a collection, of which some have segments. It names those that the
// visitor may read.
func (v *view) group(c *collection, n int, segments []string) group {
	if c == nil {
		return group{Label: counted(n, "other record")}
	}
	g := group{Label: grouped(n) + " " + inWords(c.Key)}
	if n == 1 {
		g.Label = "1 " + spelled(c.Name)
	}
	for _, segment := range segments {
		if !c.hasPages() {
			if o, ok := v.records(c, c.Lookup).named[segment]; ok && o.Label != segment {
				g.Some = append(g.Some, option{Label: o.Label})
			}
		} else if v.asked < maxAsked && c.segment(c.Lookup, segment) != "" {
			v.asked++
			if record, ok := recordOf(v.get(c.path + segment + "/")); ok {
				g.Some = append(g.Some, v.linked(c, record))
			}
		}
	}
	if more := n - len(g.Some); more > 0 {
		g.More = grouped(more)
	}
	return g
}

// linked returns the name of a record and, if it has a page, the link to it.
func (v *view) linked(c *collection, record schema.Record) option {
	name := c.nameOf(record, wire.Capital(c.recordName(c.text(record, c.Lookup))))
	return option{Label: name, Value: v.link(c, c.segmentOf(record))}
}

// referrers requests the records that refer to one of v.c, by each field that is a filter.
func (v *view) referrers(record schema.Record) (all []group) {
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
			g := group{Label: heading(c.Key), Count: grouped(count), Link: v.listOf(c) + "?" + selection}
			if inWords(f.Name) != spelled(v.c.Name) {
				g.Label += ", " + inWords(f.Name)
			}
			if count > len(list) {
				g.More = g.Count
			}
			for _, record := range list {
				g.Some = append(g.Some, v.linked(c, record))
			}
			all = append(all, g)
		}
	}
	return all
}
