package ordering

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// FieldsOf derives the fields of a struct from its json tags: each exported
// field by the snake_case form of its name in JSON, embedded structs as
// encoding/json flattens them. Numbers, strings, booleans, times (any type that
// has time.Time's UnixMicro), lists and pointers to those (nil is null) are
// compared as what they are; everything else as the JSON that it marshals to.
// A nil list is null, as encoding/json writes it.
//
// It is an [ErrFields] if T is no struct, or if the names of two fields become
// the same in snake_case. Reflection over the type happens here, once.
func FieldsOf[T any]() (*Fields[T], error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%w: %v is no struct", ErrFields, t)
	}
	var fields []Field[T]
	for _, m := range dominant(members(t, nil, nil)) {
		key, kind := keyOf(m.typ)
		if throughPointer(t, m.index) {
			kind = Mixed // null behind a nil pointer
		}
		fields = append(fields, Field[T]{
			Name:  Snake(m.wire),
			Wire:  m.wire,
			Index: m.index,
			Kind:  kind,
			Key:   keyAt[T](m.index, key),
		})
	}
	fs, err := NewFields(fields...)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", t, err)
	}
	return fs, nil
}

// keyAt reads the key of the field at index, null behind a nil embedded pointer.
func keyAt[T any](index []int, key func(reflect.Value) Key) func(*T) Key {
	if len(index) == 1 {
		i := index[0]
		return func(record *T) Key { return key(reflect.ValueOf(record).Elem().Field(i)) }
	}
	return func(record *T) Key {
		v, err := reflect.ValueOf(record).Elem().FieldByIndexErr(index)
		if err != nil {
			return Null()
		}
		return key(v)
	}
}

// throughPointer says whether a field is in a struct embedded by pointer.
func throughPointer(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// member is a field of a struct as encoding/json sees it.
type member struct {
	wire   string
	tagged bool
	index  []int
	typ    reflect.Type
}

// members lists the JSON fields of a struct, those of embedded structs included.
// outer guards against a struct that embeds itself.
func members(t reflect.Type, index []int, outer []reflect.Type) []member {
	var found []member
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		at := append(slices.Clone(index), i)
		if f.Anonymous && name == "" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				if !slices.Contains(outer, inner) {
					found = append(found, members(inner, at, append(slices.Clone(outer), t))...)
				}
				continue
			}
		}
		if !f.IsExported() || f.Tag.Get("json") == "-" {
			continue
		}
		m := member{wire: name, tagged: name != "", index: at, typ: f.Type}
		if !m.tagged {
			m.wire = f.Name
		}
		found = append(found, m)
	}
	return found
}

// dominant keeps of several members of one name the one that encoding/json
// writes: the least deeply embedded, then a tagged one, and none if two remain.
func dominant(all []member) []member {
	best := map[string]int{} // index into all, -1 where two are equally good
	for i, m := range all {
		j, seen := best[m.wire]
		switch {
		case !seen:
			best[m.wire] = i
		case j < 0 || worse(m, all[j]):
		case worse(all[j], m):
			best[m.wire] = i
		default:
			best[m.wire] = -1
		}
	}
	var kept []member
	for i, m := range all {
		if best[m.wire] == i {
			kept = append(kept, m)
		}
	}
	return kept
}

func worse(a, b member) bool {
	if len(a.index) != len(b.index) {
		return len(a.index) > len(b.index)
	}
	return !a.tagged && b.tagged
}
