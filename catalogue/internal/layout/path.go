package layout

import (
	"fmt"
	"strings"
	"unicode"

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

// fieldOf returns the name in snake_case of a field whose name may be that in JSON. A member of open
// records whose name would be empty, or that of the id or the key, such as _id, has only its name
// in JSON.
func (s *Type) fieldOf(name string) string {
	if f := s.byName[name]; f != nil {
		return f.Snake
	}
	field := snakePath(name)
	if !s.Open() || field == "" || name != s.Identity.Wire && (field == s.Identity.Number || field == s.Engine.Key) {
		return name
	}
	return field
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

// checkNames returns an error if two members of an open record are the same field. Few records have
// members whose hashes are equal, so that it allocates nothing for others.
func (s *Type) checkNames(r schema.Record) error {
	var seen [64]uint64
	repeated := false
	for name := range r.All() {
		h := hashName(name) % (64 * 64)
		repeated = repeated || seen[h/64]&(1<<(h%64)) != 0
		seen[h/64] |= 1 << (h % 64)
	}
	if !repeated {
		return nil
	}
	fields := map[string]string{}
	for name := range r.All() {
		field := s.fieldOf(name)
		if other, twice := fields[field]; twice {
			return fmt.Errorf("the name of both %q and %q is %q in snake_case: rename one", other, name, field)
		}
		fields[field] = name
	}
	return nil
}

// hashName returns a hash that is the same for names that are equal in snake_case.
func hashName(name string) (h uint32) {
	for _, r := range name {
		if r != '_' {
			h = (h ^ uint32(unicode.ToLower(r))) * 16777619 // as FNV-1a
		}
	}
	return h
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
