package browse

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// collection is a collection that the handler serves.
type collection struct {
	schema.Description
	of      httpapi.Collection
	written []schema.Field // the fields with their names in bodies
	path    string
	is      pagination.Traits // of its pages

	order, search string // names of parameters

	naming []string // names of fields with what people call a record, in snake_case, the best first
}

// wrapper is a collection that package httpapi has wrapped.
type wrapper interface{ Unwrap() httpapi.Collection }

// text returns the text of a field of a record, in snake_case, or the id if that is empty. It
// returns "" for a value that is neither.
func (c *collection) text(record schema.Record, field string) string {
	if field == "" {
		value, _ := record.Get(c.Identity().Name)
		if text := strings.Trim(value, `"`); isID(text) {
			return text
		}
		return ""
	}
	for name, value := range record.All() {
		if ordering.Snake(name) == field {
			text, _ := c.keyText(value)
			return text
		}
	}
	return ""
}

// keyText returns the text by which paths name records and fields refer to them, of its JSON: that of a
// string or, if the keys are numbers, the digits. It returns false for other values.
func (c *collection) keyText(value string) (text string, ok bool) {
	if text, ok = readText(value); ok || strings.Trim(value, "-0123456789") != "" {
		return text, ok
	}
	f := c.Identity()
	return value, f.Key && f.Kind == schema.Integer
}

// hasPages reports whether the records have pages of their own.
func (c *collection) hasPages() bool { return c.Actions.Has(schema.Retrieve) }

// updateMethod returns the method that changes records, or "". PATCH is better, since it does
// not send the values that the visitor has not changed.
func (c *collection) updateMethod() string {
	switch {
	case c.Actions.Has(schema.PartialUpdate):
		return http.MethodPatch
	case c.Actions.Has(schema.Update):
		return http.MethodPut
	}
	return ""
}

// recordName returns the name of a record, such as "film 7", from the segment of its path.
func (c *collection) recordName(segment string) string {
	return spelled(c.Name) + " " + cut(segment)
}

// nameOf returns what people call a record, or otherwise.
func (c *collection) nameOf(record schema.Record, otherwise string) string {
	for _, label := range c.naming {
		for name, value := range record.All() {
			if ordering.Snake(name) != label {
				continue
			}
			text, _ := readText(value)
			if seen, ok := readableTime(text); ok {
				return seen
			}
			if strings.TrimSpace(text) != "" {
				return cut(text)
			}
		}
	}
	return otherwise
}

// nameField returns the one of some fields with what people call a record, or "".
func (c *collection) nameField(names []string) string {
	for _, label := range c.naming {
		if i := slices.IndexFunc(names, func(name string) bool { return ordering.Snake(name) == label }); i >= 0 {
			return names[i]
		}
	}
	return ""
}

// segment returns the segment of the path of the record whose field, or id if that is empty, has
// a value. It returns "" if that is not known, or if no path can have it: browsers remove segments
// of one point or two.
func (c *collection) segment(field, value string) string {
	if field != c.Lookup || strings.Contains(value, "/") || value == "." || value == ".." {
		return ""
	}
	return value
}

// segmentOf returns the segment of the path of a record, or "" if it has no path.
func (c *collection) segmentOf(record schema.Record) string {
	return c.segment(c.Lookup, c.text(record, c.Lookup))
}
