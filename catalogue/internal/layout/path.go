package layout

import (
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// memberOf returns the name and the JSON of the member that is the field with a name in
// snake_case, or "" if none exists.
// wire is the camelCase form of the name, which takes precedence.
func memberOf(r schema.Record, wire, field string) (name, value string) {
	if value, ok := r.Get(wire); ok {
		return wire, value
	}
	for name, value := range r.All() {
		if isNamed(name, field) {
			return name, value
		}
	}
	return "", ""
}

// memberIn returns the value that memberOf returns for an object inside a record. Other JSON
// has no members.
func memberIn(object, wire, field string) (value string) {
	for name, text := range jsontext.Members(object) {
		switch {
		case name == wire:
			return text
		case value == "" && isNamed(name, field):
			value = text
		}
	}
	return value
}

// isNamed reports whether a member is the field with a name in snake_case.
func isNamed(member, field string) bool {
	if strings.Contains(field, "__") && !strings.Contains(member, "_") {
		return false // one underscore can precede a word; Snake may allocate
	}
	return snakePath(member) == field
}

// snakePath returns a name or a path of names in snake_case.
func snakePath(name string) string {
	parts := []string{name}
	if strings.Contains(name, "__") {
		parts = strings.Split(strings.TrimLeft(name, "_"), "__")
	}
	for i, part := range parts {
		parts[i] = ordering.Snake(part)
	}
	return strings.Join(parts, "__")
}

// A path finds a field in the JSON of a record. It is the member with its name or, if there is
// none, a field in the object that is the member with the name up to the first two underscores.
type path struct {
	field, wire           string // the name, and its camelCase form
	outerField, outerWire string // the part before two underscores
	inner                 *path  // after them; nil if there are none
}

func pathOf(field string) *path {
	p := &path{field: field, wire: ordering.Camel(field)}
	if snakePath(field) != field { // it has its name in JSON
		p.wire = field
	}
	if outer, inner, ok := strings.Cut(field, "__"); ok {
		p.outerField, p.outerWire, p.inner = outer, ordering.Camel(outer), pathOf(inner)
	}
	return p
}

// value returns the JSON of the field in a record, or "" if it is absent.
func (p *path) value(r schema.Record) string {
	_, value := memberOf(r, p.wire, p.field)
	if value == "" && p.inner != nil {
		_, object := memberOf(r, p.outerWire, p.outerField)
		return p.inner.in(object)
	}
	return value
}

// in returns the JSON of the field in an object, or "" if it is absent.
func (p *path) in(object string) string {
	value := memberIn(object, p.wire, p.field)
	if value == "" && p.inner != nil {
		return p.inner.in(memberIn(object, p.outerWire, p.outerField))
	}
	return value
}
