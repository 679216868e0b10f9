package catalogue

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A member is a field of a struct as encoding/json writes it.
type member struct {
	name  string // in JSON
	index []int  // as reflect.Value.FieldByIndex takes it
	typ   reflect.Type
}

// membersOf returns the members of a struct in the order of its fields, including those
// of embedded structs. A member hides members of the same name at greater depth. Two
// members of the same name and depth are an error: encoding/json would write neither.
func membersOf(t reflect.Type) ([]member, error) {
	type embedded struct {
		typ   reflect.Type
		index []int
	}
	var list []member
	depth := map[string]int{}          // by name
	visited := map[reflect.Type]bool{} // a type may embed itself
	for level := []embedded{{typ: t}}; len(level) > 0; {
		var next []embedded
		for _, outer := range level {
			for i := range outer.typ.NumField() {
				f := outer.typ.Field(i)
				m := member{index: append(slices.Clone(outer.index), i), typ: f.Type}
				name, written := jsonName(f)
				if inner := structOf(f.Type); written && name == "" && f.Anonymous && inner != nil {
					if !visited[inner] {
						next = append(next, embedded{inner, m.index})
					}
					continue
				}
				m.name = cmp.Or(name, f.Name)
				switch d, seen := depth[m.name]; {
				case !written || seen && d < len(m.index):
				case seen:
					return nil, fmt.Errorf("%v has two members %q", t, m.name)
				default:
					depth[m.name] = len(m.index)
					list = append(list, m)
				}
			}
		}
		for _, e := range level {
			visited[e.typ] = true
		}
		level = next
	}
	slices.SortFunc(list, func(a, b member) int { return slices.Compare(a.index, b.index) })
	return list, nil
}

// jsonName returns the name in the tag of a field, or "", and reports whether
// encoding/json writes the field.
func jsonName(f reflect.StructField) (name string, written bool) {
	tag := f.Tag.Get("json")
	if tag == "-" || !f.IsExported() && !(f.Anonymous && structOf(f.Type) != nil) {
		return "", false
	}
	name, _, _ = strings.Cut(tag, ",")
	return name, true
}

// structOf returns the struct that a type is or points to, or nil.
func structOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	return t
}
