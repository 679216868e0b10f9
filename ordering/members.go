package ordering

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// A member is a struct field that encoding/json writes.
type member struct {
	name  string // in JSON
	index []int  // for [reflect.Value.FieldByIndex]
	typ   reflect.Type
}

// membersOf returns the members of a struct in the order of their JSON. It flattens
// embedded structs as encoding/json does.
func membersOf(t reflect.Type) []member {
	found := candidates(t)
	best := map[string]int{}
	for i, m := range found {
		j, seen := best[m.name]
		switch {
		case !seen:
			best[m.name] = i
		case len(m.index) > len(found[j].index): // hidden by a field of an outer level
		case m.tagged && !found[j].tagged:
			best[m.name] = i
		case m.tagged == found[j].tagged:
			found[j].ambiguous = true
		}
	}
	var list []member
	for i, m := range found {
		if best[m.name] == i && !m.ambiguous {
			list = append(list, m.member)
		}
	}
	slices.SortFunc(list, func(a, b member) int { return slices.Compare(a.index, b.index) })
	return list
}

// A candidate is a field that is a member unless a field with the same name hides it.
type candidate struct {
	member
	tagged    bool // the name comes from the tag
	ambiguous bool // another candidate ranks equally, so encoding/json writes neither
}

// An embedded is a struct whose fields may be members.
type embedded struct {
	typ   reflect.Type
	index []int
	twice bool // embedded more than once at its level
}

// candidates returns the fields of a struct and of the structs embedded in it, level
// by level. A type counts only at the first level where it occurs; its fields are
// ambiguous if it occurs there twice.
func candidates(t reflect.Type) (found []candidate) {
	visited := map[reflect.Type]bool{}
	for level := []embedded{{typ: t}}; len(level) > 0; {
		var next []embedded
		for _, outer := range level {
			if visited[outer.typ] {
				continue
			}
			visited[outer.typ] = true
			for i := range outer.typ.NumField() {
				f := outer.typ.Field(i)
				name, written := wireName(f)
				index := append(slices.Clone(outer.index), i)
				switch inner := structOf(f.Type); {
				case !written:
				case name == "" && f.Anonymous && inner != nil:
					next = embed(next, inner, index)
				default:
					m := member{cmp.Or(name, f.Name), index, f.Type}
					found = append(found, candidate{m, name != "", outer.twice})
				}
			}
		}
		level = next
	}
	return found
}

// embed appends a struct to a level, or records that the level has it twice.
func embed(level []embedded, t reflect.Type, index []int) []embedded {
	for i := range level {
		if level[i].typ == t {
			level[i].twice = true
			return level
		}
	}
	return append(level, embedded{t, index, false})
}

// wireName returns the name in the tag of a field, or "" if the tag has no name that
// encoding/json accepts. ok reports whether encoding/json writes the field.
func wireName(f reflect.StructField) (name string, ok bool) {
	tag := f.Tag.Get("json")
	if tag == "-" || !f.IsExported() && !(f.Anonymous && structOf(f.Type) != nil) {
		return "", false
	}
	name, _, _ = strings.Cut(tag, ",")
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) {
			return "", true
		}
	}
	return name, true
}

// structOf returns t, or the type that t points to, if it is a struct, and otherwise
// nil.
func structOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	return t
}
