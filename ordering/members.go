package ordering

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// A member is a field of a struct as encoding/json sees it.
type member struct {
	name  string // in JSON
	index []int  // as [reflect.Value.FieldByIndex] takes it
	typ   reflect.Type
}

// membersOf returns the members of a struct's JSON in their order, those of embedded
// structs flattened as encoding/json flattens them.
func membersOf(t reflect.Type) []member {
	found := candidates(t)
	best := map[string]int{}
	for i, m := range found {
		j, seen := best[m.name]
		switch {
		case !seen:
			best[m.name] = i
		case len(m.index) > len(found[j].index): // hidden: candidates come level by level
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

// A candidate is a field that is a member unless another one of its name hides it.
type candidate struct {
	member
	tagged    bool // its name is that of its tag
	ambiguous bool // another one is as good, so that encoding/json writes neither
}

// An embedded is a struct whose fields are to be looked at.
type embedded struct {
	typ   reflect.Type
	index []int
	twice bool // it is embedded on its level more than once
}

// candidates returns the fields of a struct and of the structs embedded in it,
// level by level. The fields of a type count where it is first met, and no deeper;
// they are ambiguous if it is embedded there twice.
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

// embed appends a struct to those of a level, unless it is one of them.
func embed(level []embedded, t reflect.Type, index []int) []embedded {
	for i := range level {
		if level[i].typ == t {
			level[i].twice = true
			return level
		}
	}
	return append(level, embedded{t, index, false})
}

// wireName returns the name that a field's tag gives it, or "" if the tag has no
// name that encoding/json takes. It reports whether the field is written at all.
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

// structOf returns the struct that a type is, or that it points to; nil if none.
func structOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	return t
}
