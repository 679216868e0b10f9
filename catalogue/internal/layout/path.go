package layout

import (
	"iter"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// A path finds a field in the JSON of a record. It is the member with its name or, if there is
// none, a field in the object that is the member with the name up to the first two underscores.
type path struct {
	field, wire  string // the name, and its camelCase form, which takes precedence
	outer, inner *path  // the parts before and after two underscores; nil if there are none
}

func pathOf(field string) *path {
	p := &path{field: field, wire: ordering.Camel(field)}
	if snakePath(field) != field { // it has its name in JSON
		p.wire = field
	}
	if outer, inner, ok := strings.Cut(field, "__"); ok {
		p.outer, p.inner = &path{field: outer, wire: ordering.Camel(outer)}, pathOf(inner)
	}
	return p
}

// value returns the JSON of the field in a record, or "" if it is absent.
func (p *path) value(r schema.Record) string {
	_, value := p.member(r)
	if value == "" && p.inner != nil {
		_, object := p.outer.member(r)
		return p.inner.in(object)
	}
	return value
}

// in returns the JSON of the field in an object, or "" if it is absent. Other JSON has no members.
func (p *path) in(object string) string {
	_, value := p.among(jsontext.Members(object))
	if value == "" && p.inner != nil {
		_, object = p.outer.among(jsontext.Members(object))
		return p.inner.in(object)
	}
	return value
}

// member returns the name and the JSON of the member of a record that is the field, or "".
func (p *path) member(r schema.Record) (name, value string) {
	if value, ok := r.Get(p.wire); ok {
		return p.wire, value
	}
	return p.among(r.All())
}

func (p *path) among(members iter.Seq2[string, string]) (name, value string) {
	for member, text := range members {
		switch {
		case member == p.wire:
			return member, text
		case name == "" && isNamed(member, p.field):
			name, value = member, text
		}
	}
	return name, value
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
