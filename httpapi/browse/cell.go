package browse

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// cell is a value in a table. The zero cell stands for a member that the record does not have.
type cell struct {
	Class string        // null, flag, number, text, time, object, list or json, or "" if absent
	Text  string        // the visible text
	Link  string        // an http or https URL, or ""
	Links template.HTML // links to the records whose ids are the value, or to the record itself
	Exact string        // a time as received, or ""
	Label string        // of a member, on the page of a record
	Parts []cell        // of an object or a list, on the page of a record
}

const (
	maxParts = 4 << 10 // bytes of a value whose parts a page shows one by one, and not as JSON
	maxDepth = 4       // of such parts
)

// show returns the cell of a value of a field, which is short in a list. On the page of a record objects
// and lists have parts.
func (v *view) show(value string, field schema.Field, depth int) cell {
	if c, ok := v.named(value, field); ok {
		return c
	}
	c := newCell(value)
	switch {
	case v.id == "":
		if c.Text = cutTo(c.Text, maxCell); v.c.hasPages() {
			c.Link = ""
		}
	case c.Class != "object" && c.Class != "list":
	case len(value) > maxParts || depth == maxDepth:
		return cell{Class: "json", Text: indented(value)}
	default:
		c.Parts = v.showParts(value, field, depth+1)
	}
	return c
}

// showParts returns the cells of the members of an object, or of the items of a list.
func (v *view) showParts(value string, field schema.Field, depth int) (parts []cell) {
	for name, part := range partsOf(value) {
		var of schema.Field
		if field.Item != nil {
			of = *field.Item
		}
		if at := slices.IndexFunc(field.Fields, func(f schema.Field) bool { return f.Name == name }); at >= 0 {
			of = field.Fields[at]
		}
		inside := v.show(part, of, depth)
		inside.Label = heading(name)
		parts = append(parts, inside)
	}
	return parts
}

const (
	maxLinks  = 50 // links in a cell of a record; a longer list of ids is text
	maxListed = 3  // links in a cell of a table
)

// named returns the cell of a value of a field with the labels of choices, or with the names of records
// and links to them. It returns false if the value is neither.
func (v *view) named(value string, field schema.Field) (c cell, ok bool) {
	if value[0] != '[' {
		value = "[" + value + "]"
	} else if field.Item != nil {
		field = *field.Item
	}
	var texts []string
	if other := v.byKey[field.Refers]; other != nil {
		texts = other.references(value, field.By)
	} else if field.Labels != nil && value != "[null]" {
		texts, _ = readList(value)
	}
	most := maxLinks
	if v.id == "" {
		most = maxListed
	}
	var links []string
	for i, text := range texts[:min(len(texts), most)] {
		name, link := v.called(text, field)
		texts[i] = cut(name)
		links = append(links, anchor(link, texts[i]))
	}
	if more := len(texts) - len(links); more > 0 {
		links = append(links, "and "+strconv.Itoa(more)+" more")
	}
	return cell{Class: "text", Text: strings.Join(texts, ", "), Links: template.HTML(strings.Join(links, ", "))}, len(texts) > 0 && len(texts) <= maxLinks
}

// newCell returns the cell of a JSON value. Lists and objects are short text.
func newCell(value string) cell {
	switch value[0] {
	case 'n':
		return cell{Class: "null", Text: "–"}
	case 't', 'f':
		return cell{Class: "flag", Text: map[string]string{"true": "✓", "false": "✗"}[value]}
	case '[', '{':
		return briefCell(value)
	case '"':
	default:
		return cell{Class: "number", Text: value}
	}
	c := cell{Class: "text"}
	c.Text, _ = readText(value)
	if seen, ok := readableTime(c.Text); ok {
		return cell{Class: "time", Text: seen, Exact: c.Text}
	}
	if isDecimal(c.Text) {
		c.Class = "number"
	} else if strings.HasPrefix(c.Text, "http://") || strings.HasPrefix(c.Text, "https://") {
		c.Link = c.Text
	}
	return c
}

// briefCell returns the cell of a list or an object as text: its scalars, such as "red, green" or
// "width 180.0 · height 75.0", or how many items it has.
func briefCell(value string) cell {
	c, between := cell{Class: "text"}, ", "
	if value[0] == '{' {
		c.Class, between = "object", " · "
	}
	var texts []string
	count := 0
	for name, part := range partsOf(value) {
		count++
		switch is := part[0]; {
		case (is == '[' || is == '{') && value[0] == '[':
			c.Class = "list"
		case is == '[', is == '{', value[0] == '{' && (is == 'n' || len(part) == len(`""`)):
		default:
			texts = append(texts, strings.TrimPrefix(inWords(name)+" "+newCell(part).Text, " "))
		}
	}
	switch c.Text = strings.Join(texts, between); {
	case count == 0:
		return cell{Class: "null", Text: "–"}
	case texts == nil || c.Class == "list":
		c.Text = counted(count, "item")
	}
	return c
}

// indented returns indented JSON, or the value itself if that is not JSON or would be too
// long.
func indented(value string) string { return string(wire.Indent([]byte(value), "\t")) }

// isDecimal reports whether a text is a number with a decimal point, such as a price.
func isDecimal(text string) bool {
	whole, places, ok := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	return ok && whole != "" && places != "" && strings.Trim(whole+places, "0123456789") == ""
}
