package browse

import (
	"maps"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// known is what a page knows of the records of a collection that fields refer to.
type known struct {
	options []option // some records
	whole   bool     // these are all records, and few
	named   map[string]option
}

// option is an option of a select.
type option struct {
	Value, Label string
	Selected     bool
	segment      string // of the path of the record that is the option, or ""
}

const (
	maxOptions = 50   // records that a form or a filter offers
	maxListing = 1000 // records without pages that are requested for their names
	maxAsked   = 100  // records that a page requests for their names
)

// referred is what fields refer to: a collection, and the field of its records that is the value,
// or "" if it is the id.
type referred struct {
	*collection
	by string
}

// records requests some records of a collection, once for each page and field that refers to it.
func (v *view) records(c *collection, by string) *known {
	k := v.known[referred{c, by}]
	if k == nil {
		limit := maxOptions
		if !c.hasPages() || by != c.Lookup {
			limit = maxListing // names cannot be requested one by one
		}
		list, count := v.list(c.path, "", limit)
		k = &known{whole: len(list) == count && count <= maxOptions, named: make(map[string]option)}
		k.options = options(c, by, list)
		for _, o := range k.options {
			k.named[o.Value] = o
		}
		v.known[referred{c, by}] = k
	}
	return k
}

// options returns options for records, whose values are their ids or the texts of a field.
func options(c *collection, by string, records []members) (options []option) {
	for _, record := range records {
		if value := record.text(by); value != "" {
			options = append(options, option{Value: value, Label: c.nameOf(record, value), segment: c.segmentOf(record)})
		}
	}
	return options
}

// name returns the name of the record whose field, or id if that is empty, has a value, and the
// segment of its path. If they are not known, the name is the value, and the segment is empty.
func (v *view) name(c *collection, by, value string) (name, segment string) {
	k := v.records(c, by)
	o, ok := k.named[value]
	if !ok {
		o = option{Label: value, segment: c.segment(by, value)}
		if o.segment != "" && !k.whole && c.hasPages() && v.asked < maxAsked {
			v.asked++
			var record members
			if v.get(c.path+o.segment+"/", "").decode(&record) {
				o.Label = c.nameOf(record, value)
			}
		}
		k.named[value] = o
	}
	return o.Label, o.segment
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
