package browse

import (
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
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
			if record, ok := v.get(c.path + o.segment + "/").record(); ok {
				o.Label = c.nameOf(record, value)
			}
		}
		k.named[value] = o
	}
	return o.Label, o.segment
}

// target is what is known of the values of a member: the collection that they refer to, or their labels.
type target struct {
	to     *collection // or nil
	field  schema.Field
	by     string // the field of the records that is the value, or "" if it is the id
	prefix string // relative link to the records, escaped for HTML, or "" if they have no pages
}

// links returns the links of the members that refer to other records. If the fields are not
// described, these are the members with the name of a record. up is the link to the root.
func (v *view) links(up string, members []string) map[string]target {
	all := make(map[string]target)
	for _, other := range v.collections {
		for _, name := range members {
			if v.c.Fields == nil && inWords(name) == spelled(other.Name) {
				_, by := other.key()
				all[name] = target{to: other, by: by, prefix: other.pages(up)}
			}
		}
	}
	for _, f := range slices.Concat(v.c.Fields, v.c.Shown, v.c.ShownInLists) {
		if other := v.byKey[f.Refers]; other != nil {
			all[f.Name] = target{to: other, by: f.By, prefix: other.pages(up)}
		} else {
			all[f.Name] = target{field: f}
		}
	}
	return all
}

// label makes the cell of a choice, or of a list of them, have labels.
func (to target) label(c cell, value string) cell {
	of, list := to.field, value
	if of.Item == nil {
		list = "[" + value + "]"
	} else {
		of = *of.Item
	}
	texts, _ := readList(list)
	if of.Labels == nil || value == "null" || len(texts) == 0 {
		return c
	}
	for i := range texts {
		texts[i] = labelOf(of, texts[i])
	}
	return cell{Class: "text", Text: strings.Join(texts, ", ")}
}

// maxLinks is the maximum number of links in a cell of a record. A longer list of ids is text.
const maxLinks = 50

// refer makes the cell of a value link to the records to which it refers, at most a number of them, or
// have the label of a choice.
func (v *view) refer(c cell, value string, to target, most int) cell {
	if to.to == nil {
		return to.label(c, value)
	}
	values := to.values(value)
	if len(values) == 0 || len(values) > maxLinks {
		return c
	}
	c.Class = "text" // beside names
	known := false
	var all []string
	for _, value := range values[:min(len(values), most)] {
		name, segment := v.name(to.to, to.by, value)
		known = known || name != value || segment != "" && to.prefix != ""
		all = append(all, to.link(segment, cut(name)))
	}
	if len(values) > most {
		all = append(all, "and "+strconv.Itoa(len(values)-most)+" more")
	}
	if known {
		c = cell{Class: "text", Links: template.HTML(strings.Join(all, ", "))}
	}
	return c
}

// link returns a link to a record, or its name. It is HTML because a template would take
// several times as long.
func (to target) link(segment, name string) string {
	if to.prefix == "" || segment == "" {
		return "<bdi>" + template.HTMLEscapeString(name) + "</bdi>"
	}
	return link(to.prefix+escaped(segment)+"/", name)
}

// escaped returns a segment as a part of a link, escaped for HTML too.
func escaped(segment string) string { return template.HTMLEscapeString(url.PathEscape(segment)) }

// values returns the ids or texts of a field that refers to records, or nil if it has other values.
func (to target) values(value string) (values []string) {
	text, isText := to.to.keyText(value)
	switch {
	case value[0] == '[':
		if texts, nested := readList(value); !nested {
			values = texts
		}
	case to.by == "":
		values = []string{value}
	case isText:
		values = []string{text}
	}
	if to.by == "" && slices.ContainsFunc(values, func(text string) bool { return !isID(text) }) {
		return nil
	}
	return values
}

// link returns a link to a target that has been escaped.
func link(target, text string) string {
	return `<a href="` + target + `" dir="auto">` + template.HTMLEscapeString(text) + `</a>`
}

// labelOf returns the label of a choice, or the value itself if it is not a choice or has no label.
func labelOf(field schema.Field, value string) string {
	if at := slices.Index(field.Choices, value); at >= 0 && field.Labels != nil {
		return field.Labels[at]
	}
	return value
}
