package browse

import (
	"html/template"
	"net/url"
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// known caches the records of a collection that fields refer to, by their names.
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

// records returns some records of a collection, which it requests once for each page and field that
// refers to it.
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

// options returns one option for each record, whose value is the id or the text of a field.
func options(c *collection, by string, records []schema.Record) (options []option) {
	for _, record := range records {
		if value := c.text(record, by); value != "" {
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
			if record, ok := recordOf(v.get(c.path + o.segment + "/")); ok {
				o.Label = c.nameOf(record, value)
			}
		}
		k.named[value] = o
	}
	return o.Label, o.segment
}

// fields returns the fields of members. If the fields are not described, members with the name of a record
// refer to it.
func (v *view) fields(members []string) map[string]schema.Field {
	all := make(map[string]schema.Field)
	for _, other := range v.collections {
		f := schema.Field{Refers: other.Key}
		if key := other.Identity(); key.Key {
			f.By = ordering.Snake(key.Name)
		}
		for _, name := range members {
			if v.c.Fields == nil && inWords(name) == spelled(other.Name) {
				all[name] = f
			}
		}
	}
	for _, f := range slices.Concat(v.c.Fields, v.c.Shown, v.c.ShownInLists) {
		all[f.Name] = f
	}
	return all
}

// called returns the label of a choice or the name of the record to which a text refers, with the link
// to that, or the text itself.
func (v *view) called(text string, field schema.Field) (name, link string) {
	if other := v.byKey[field.Refers]; other != nil {
		name, segment := v.name(other, field.By, text)
		return name, v.link(other, segment)
	}
	if at := slices.Index(field.Choices, text); at >= 0 && field.Labels != nil {
		return field.Labels[at], ""
	}
	return text, ""
}

// link returns the link from the page to a record, or "" if there is none: in a list whose records have
// pages, each row links to its own only.
func (v *view) link(c *collection, segment string) string {
	if segment == "" || !c.hasPages() || v.id == "" && v.c.hasPages() {
		return ""
	}
	return v.listOf(c) + url.PathEscape(segment) + "/"
}

// listOf returns the link from the page of a list or a record to the list of a collection.
func (v *view) listOf(c *collection) string {
	up := "../"
	if v.id != "" {
		up = "../../"
	}
	return up + url.PathEscape(c.Segment) + "/"
}

// references returns the ids or texts in a list that refers to records, or nil if it has other values.
func (c *collection) references(list, by string) (texts []string) {
	for _, item := range itemsOf(list) {
		text, ok := c.keyText(string(item))
		if by == "" {
			ok = isID(text)
		}
		if !ok {
			return nil
		}
		texts = append(texts, text)
	}
	return texts
}

// anchor returns a link, or its text if it has no target. It is HTML because a template would take
// several times as long.
func anchor(target, text string) string {
	if text = template.HTMLEscapeString(text); target == "" {
		return "<bdi>" + text + "</bdi>"
	}
	return `<a href="` + template.HTMLEscapeString(target) + `" dir="auto">` + text + `</a>`
}
