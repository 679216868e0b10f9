// Package jsonmember returns the members of a struct as package encoding/json sees them:
// with the names in the json tags, and with the fields of embedded structs.
//
//	members, conflicts := jsonmember.Of(reflect.TypeFor[Film]())
//
// The package ignores methods that replace the members of a type, such as MarshalJSON.
// Callers check for them first.
package jsonmember

import (
	"cmp"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Member is a field of a struct that encoding/json encodes as a member of an object.
type Member struct {
	// Name is the name of the member in JSON.
	Name string
	// Field is the Go field. Its Index is the path from the outer struct, for
	// [reflect.Value.FieldByIndex].
	Field reflect.StructField
	// Indirect reports whether the field is in a struct that is embedded by pointer.
	// The member is absent if the pointer is nil.
	Indirect bool
	// Options are the options of the json tag, such as omitempty.
	Options []string
}

// Quoted reports whether encoding/json writes the value as a text in which the value is: the option
// string counts for booleans, numbers and strings, for pointers to them, and not for types with
// methods that write their JSON.
func (m Member) Quoted() bool {
	t := m.Field.Type
	if t.Name() == "" && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	writes := reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) ||
		reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextMarshaler]())
	scalar := reflect.Bool <= t.Kind() && t.Kind() <= reflect.Float64 || t.Kind() == reflect.String
	return scalar && !writes && slices.Contains(m.Options, "string")
}

// Omits reports whether encoding/json omits the member of some values: those whose embedded struct
// is a nil pointer, or that are empty or zero, if an option of the tag says so. The option omitempty
// does not count for structs and arrays, which are never empty. O(len of Options).
func (m Member) Omits() bool {
	t := m.Field.Type
	empties := t.Kind() != reflect.Struct && (t.Kind() != reflect.Array || t.Len() == 0)
	return m.Indirect || slices.Contains(m.Options, "omitzero") || empties && slices.Contains(m.Options, "omitempty")
}

// Of returns the members of a struct in the order of the fields, in which encoding/json
// encodes them. If t is not a struct, it has no members.
//
// The fields of an embedded struct are members of the outer one, unless the tag of the
// embedded struct has a name. Of several fields with the same name, those that are least
// deeply embedded count, and of these, if there are any, those with the name in their
// tag. If several still count, none is a member, and the name is one of conflicts.
//
// O(n log n) for n fields, by reflection.
func Of(t reflect.Type) (members []Member, conflicts []string) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil, nil
	}
	best := map[string]*candidate{}
	for _, c := range candidates(t) {
		switch b := best[c.Name]; {
		case b == nil, c.depth() == b.depth() && c.tagged && !b.tagged:
			best[c.Name] = &c
		case c.depth() == b.depth() && c.tagged == b.tagged:
			b.conflict = true
		}
	}
	list := make([]*candidate, 0, len(best))
	for _, c := range best {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *candidate) int { return slices.Compare(a.Field.Index, b.Field.Index) })
	for _, c := range list {
		if c.conflict {
			conflicts = append(conflicts, c.Name)
		} else {
			members = append(members, c.Member)
		}
	}
	return members, conflicts
}

// Bounds of Depth.
const (
	maxDepth   = 10
	maxMembers = 2000
)

// Depth returns how many levels of nested structs a description of records of a struct type has: at
// least one and at most ten, as many as have no more than 2,000 members together. A struct inside
// itself counts as none. Structs that point to each other have as many members as there are paths.
// O(members).
func Depth(t reflect.Type) (depth int) {
	members := 0
	for level := [][]reflect.Type{{t}}; len(level) > 0 && depth < maxDepth; depth++ {
		var next [][]reflect.Type
		for _, outer := range level {
			own, _ := Of(outer[0])
			if members += len(own); members > maxMembers {
				return max(depth, 1)
			}
			for _, m := range own {
				if inner := structIn(m.Field.Type); inner != nil && !slices.Contains(outer, inner) {
					next = append(next, slices.Concat([]reflect.Type{inner}, outer))
				}
			}
		}
		level = next
	}
	return max(depth, 1)
}

// structIn returns the struct inside a type, which may be a pointer, a slice, an array or a map, or
// nil.
func structIn(t reflect.Type) reflect.Type {
	for range maxDepth {
		switch t.Kind() {
		case reflect.Struct:
			return t
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			t = t.Elem()
		}
	}
	return nil
}

// A candidate is a field that is a member unless a field with the same name hides it.
type candidate struct {
	Member
	tagged   bool // the name is in the tag
	conflict bool // another candidate ranks equally
}

func (c *candidate) depth() int { return len(c.Field.Index) }

// An inner is a struct whose fields are candidates: the outer struct, or one that is
// embedded in it.
type inner struct {
	typ      reflect.Type
	index    []int
	indirect bool
	twice    bool // embedded more than once at its level
}

// candidates returns the fields of a struct and of the structs embedded in it, level by
// level. A type counts only at the first level where it occurs, because it may embed
// itself. If it occurs there twice, each of its fields conflicts with itself.
func candidates(t reflect.Type) (found []candidate) {
	visited := map[reflect.Type]bool{}
	for level := []inner{{typ: t}}; len(level) > 0; {
		var next []inner
		for _, s := range level {
			if visited[s.typ] {
				continue
			}
			visited[s.typ] = true
			for i := range s.typ.NumField() {
				f := s.typ.Field(i)
				f.Index = append(slices.Clone(s.index), i)
				name, encoded := tagName(f)
				embedded, pointer := structOf(f.Type)
				switch {
				case !encoded:
				case f.Anonymous && name == "" && embedded != nil:
					if i := slices.IndexFunc(next, func(other inner) bool { return other.typ == embedded }); i >= 0 {
						next[i].twice = true
					} else {
						next = append(next, inner{embedded, f.Index, s.indirect || pointer, false})
					}
				default:
					m := Member{cmp.Or(name, f.Name), f, s.indirect, strings.Split(f.Tag.Get("json"), ",")[1:]}
					found = append(found, candidate{m, name != "", s.twice})
				}
			}
		}
		level = next
	}
	return found
}

// tagName returns the name in the tag of a field, or "" if the tag has no name that
// encoding/json accepts. It reports whether encoding/json encodes the field or, if the
// field is an embedded struct, its fields.
func tagName(f reflect.StructField) (name string, encoded bool) {
	embedded, _ := structOf(f.Type)
	tag := f.Tag.Get("json")
	if tag == "-" || !f.IsExported() && !(f.Anonymous && embedded != nil) {
		return "", false
	}
	name, _, _ = strings.Cut(tag, ",")
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) {
			return encodedName(name), true
		}
	}
	return name, true
}

// encodedName returns the name that encoding/json uses for a tag with invalid characters, or "" if
// it falls back to the name of the field. Before Go 1.27 it always does. Go 1.27 accepts all
// characters but commas, quotes and backslashes, and reads a name up to one of these.
func encodedName(name string) string {
	const field = "Field"
	t := reflect.StructOf([]reflect.StructField{{Name: field, Type: reflect.TypeFor[int](), Tag: reflect.StructTag("json:" + strconv.Quote(name))}})
	text, err := json.Marshal(reflect.New(t).Interface())
	var members map[string]int
	if err != nil || json.Unmarshal(text, &members) != nil {
		return ""
	}
	for name := range members {
		if name != field {
			return name
		}
	}
	return ""
}

// structOf returns t or, if it is a pointer, the type that it points to. It returns nil if
// that is not a struct.
func structOf(t reflect.Type) (s reflect.Type, pointer bool) {
	if t.Kind() == reflect.Pointer {
		t, pointer = t.Elem(), true
	}
	if t.Kind() != reflect.Struct {
		return nil, false
	}
	return t, pointer
}
