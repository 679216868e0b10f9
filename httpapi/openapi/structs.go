package openapi

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// structure is the schema of a struct.
func (ts *types) structure(t reflect.Type) *schema {
	s := ofKind("object")
	for _, f := range membersOf(t) {
		value, required := ts.field(f)
		s.Properties.add(f.Name, value)
		if required && !throughPointer(t, f.Index) {
			s.Required = append(s.Required, f.Name)
		}
	}
	return s
}

// membersOf returns the fields of a struct and of those embedded in it under their
// names in JSON. Of several with one name the least deeply embedded counts; if
// there are two of those, none does.
func membersOf(t reflect.Type) []reflect.StructField {
	all := candidates(t, nil, map[reflect.Type]bool{})
	return slices.DeleteFunc(slices.Clone(all), func(f reflect.StructField) bool {
		return slices.ContainsFunc(all, func(other reflect.StructField) bool {
			return other.Name == f.Name && len(other.Index) <= len(f.Index) && !slices.Equal(other.Index, f.Index)
		})
	})
}

// candidates returns all fields of a struct at index and of those embedded in it.
func candidates(t reflect.Type, index []int, outer map[reflect.Type]bool) (list []reflect.StructField) {
	if outer[t] { // it embeds itself
		return nil
	}
	outer[t] = true
	defer delete(outer, t)
	for i := range t.NumField() {
		f := t.Field(i)
		f.Index = append(slices.Clone(index), i)
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		inner := structOf(f.Type)
		switch {
		case tag == "-" || !f.IsExported() && (!f.Anonymous || inner == nil):
		case f.Anonymous && name == "" && inner != nil:
			list = append(list, candidates(inner, f.Index, outer)...)
		default:
			f.Name = cmp.Or(name, f.Name)
			list = append(list, f)
		}
	}
	return list
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

// field is the schema of what is written of a struct's field, and whether something
// always is.
func (ts *types) field(f reflect.StructField) (s *schema, required bool) {
	_, text, _ := strings.Cut(f.Tag.Get("json"), ",")
	options := strings.Split(text, ",")
	omitted := slices.Contains(options, "omitempty") && canBeEmpty(f.Type) || slices.Contains(options, "omitzero")
	if slices.Contains(options, "string") && quotes(f.Type) {
		s = ofKind("string")
	} else {
		s = ts.present(f.Type)
	}
	if writesNull(f.Type) && !(omitted && nilIsZero(f.Type)) {
		s = orNull(s)
	}
	return s, !omitted
}

// canBeEmpty says whether the option omitempty does anything.
func canBeEmpty(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		return false
	case reflect.Array:
		return t.Len() == 0
	}
	return true
}

// nilIsZero says whether a nil is left out: a type may have its own notion of zero.
func nilIsZero(t reflect.Type) bool {
	_, own := reflect.PointerTo(t).MethodByName("IsZero")
	return !own
}

// quotes says whether the option string does anything.
func quotes(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	switch {
	case marshals(t), hasParts(t):
		return false
	}
	return t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface
}

// throughPointer says whether a field is in a struct embedded by pointer, so that it
// is not there when that is nil.
func throughPointer(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}
