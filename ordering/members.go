package ordering

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// A Member is a field of a struct as encoding/json sees it.
type Member struct {
	Wire  string       // its name in JSON
	Index []int        // its place, as [reflect.Value.FieldByIndex] takes it
	Type  reflect.Type // of the field; its tag is that of FieldByIndex
}

// Members returns the members of a struct's JSON in their order, those of embedded
// structs flattened as encoding/json flattens them. They are what [FieldsOf] makes
// fields of, for programs that know a type only by reflection. A type that is not
// a struct, and a nil type, have none. O(n log n) for n fields.
func Members(t reflect.Type) []Member {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	found := candidates(t)
	best := map[string]int{}
	for i, m := range found {
		j, seen := best[m.Wire]
		switch {
		case !seen:
			best[m.Wire] = i
		case len(m.Index) > len(found[j].Index): // hidden: candidates come level by level
		case m.tagged && !found[j].tagged:
			best[m.Wire] = i
		case m.tagged == found[j].tagged:
			found[j].ambiguous = true
		}
	}
	var list []Member
	for i, m := range found {
		if best[m.Wire] == i && !m.ambiguous {
			list = append(list, m.Member)
		}
	}
	slices.SortFunc(list, func(a, b Member) int { return slices.Compare(a.Index, b.Index) })
	return list
}

// A candidate is a field that is a member unless another one of its name hides it.
type candidate struct {
	Member
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
					m := Member{cmp.Or(name, f.Name), index, f.Type}
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
