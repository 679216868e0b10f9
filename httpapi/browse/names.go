package browse

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
)

// known is what a page knows of the records of a collection that fields refer to.
type known struct {
	options []option // some records
	whole   bool     // these are all records, and few
	names   map[string]string
}

const (
	maxOptions = 50   // records that a form or a filter offers
	maxListing = 1000 // records without pages that are requested for their names
	maxAsked   = 100  // records that a page requests for their names
)

// records requests some records of a collection, once for each page.
func (v *view) records(c *collection) *known {
	k := v.known[c]
	if k == nil {
		limit := maxOptions
		if !c.hasPages() {
			limit = maxListing // names cannot be requested one by one
		}
		e, ok := v.list(c.path, "limit="+strconv.Itoa(limit))
		k = &known{whole: ok && len(e.Records) == e.Count && e.Count <= maxOptions, names: make(map[string]string)}
		k.options = v.options(c, e.Records)
		for _, o := range k.options {
			k.names[o.Value] = o.Label
		}
		v.known[c] = k
	}
	return k
}

// options returns options for records, whose values are their ids.
func (v *view) options(c *collection, records []members) (options []option) {
	for _, record := range records {
		if id := record.id(); id != "" {
			options = append(options, option{Value: id, Label: c.nameOf(record, id)})
		}
	}
	return options
}

// name returns the name of a record, or its id if that is not known.
func (v *view) name(c *collection, id string) string {
	k := v.records(c)
	name, ok := k.names[id]
	if !ok {
		name = id
		if !k.whole && c.hasPages() && v.asked < maxAsked {
			v.asked++
			var record members
			if v.get(c.path+url.PathEscape(id)+"/", "").decode(&record) {
				name = c.nameOf(record, id)
			}
		}
		k.names[id] = name
	}
	return name
}

// nameOf returns what people call a record, or otherwise.
func (c *collection) nameOf(record members, otherwise string) string {
	texts := make(map[string]string)
	for _, m := range record {
		if text, ok := readText(m.value); ok && strings.TrimSpace(text) != "" {
			texts[m.name] = text
		}
	}
	if name := c.nameField(slices.Sorted(maps.Keys(texts))); name != "" {
		otherwise, _ = cut(texts[name])
		if seen, ok := readableTime(texts[name]); ok {
			return seen
		}
	}
	return otherwise
}

// nameField returns the one of some fields with what people call a record, or "".
func (c *collection) nameField(names []string) string {
	for _, label := range []string{c.Label, "title", "name", "slug"} {
		if i := slices.IndexFunc(names, func(name string) bool { return ordering.Snake(name) == label }); i >= 0 {
			return names[i]
		}
	}
	return ""
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
func (v *view) referrers(id string) (all []referrer) {
	for _, c := range v.collections {
		for _, f := range c.Fields {
			name := ordering.Snake(f.Name)
			if f.Refers != v.c.Key || !slices.Contains(c.Filters, name) {
				continue
			}
			selection := url.Values{name: {id}}.Encode()
			e, ok := v.list(c.path, selection+"&limit=5")
			if !ok || len(e.Records) == 0 {
				continue
			}
			label := heading(c.Key)
			if inWords(f.Name) != spelled(v.c.Name) {
				label += ", " + inWords(f.Name)
			}
			link := "../../" + url.PathEscape(c.Segment) + "/"
			some := v.options(c, e.Records)
			for i := range some {
				if some[i].Label == some[i].Value {
					some[i].Label = wire.Capital(c.recordName(some[i].Value))
				}
				some[i].Value = link + some[i].Value + "/"
			}
			all = append(all, referrer{label, grouped(e.Count), link + "?" + selection, some, c.hasPages()})
		}
	}
	return all
}
