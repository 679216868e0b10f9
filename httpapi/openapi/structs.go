package openapi

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// structure returns the schema of a struct.
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

// membersOf returns the fields of a struct, including those promoted from embedded
// structs, with their JSON names. As in encoding/json, a field hides more deeply
// embedded fields with the same name, and fields at the same depth hide each other.
func membersOf(t reflect.Type) []reflect.StructField {
	all := candidates(t, nil, map[reflect.Type]bool{})
	return slices.DeleteFunc(slices.Clone(all), func(f reflect.StructField) bool {
		return slices.ContainsFunc(all, func(other reflect.StructField) bool {
			return other.Name == f.Name && len(other.Index) <= len(f.Index) && !slices.Equal(other.Index, f.Index)
		})
	})
}

// candidates returns all fields of the struct t at index and of its embedded structs.
// outer holds the structs that enclose t.
func candidates(t reflect.Type, index []int, outer map[reflect.Type]bool) (list []reflect.StructField) {
	if outer[t] { // t embeds itself
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

// structOf returns t or its element if that is a struct, or nil.
func structOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	return t
}

// field returns the schema of a struct field and reports whether the field is always
// encoded.
func (ts *types) field(f reflect.StructField) (s *schema, required bool) {
	if hasOption(f, "string") && quotes(f.Type) {
		s = ofKind("string")
	} else {
		s = ts.present(f.Type)
	}
	required, nullable := presence(f)
	if nullable {
		s = orNull(s)
	}
	return s, required
}

// presence reports whether a struct field is always encoded, and whether it can be null.
func presence(f reflect.StructField) (required, nullable bool) {
	omitted := hasOption(f, "omitempty") && canBeEmpty(f.Type) || hasOption(f, "omitzero")
	return !omitted, writesNull(f.Type) && !(omitted && nilIsZero(f.Type))
}

// hasOption reports whether the json tag of a field has an option.
func hasOption(f reflect.StructField, option string) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return slices.Contains(strings.Split(options, ","), option)
}

// canBeEmpty reports whether omitempty has an effect on values of type t.
func canBeEmpty(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		return false
	case reflect.Array:
		return t.Len() == 0
	}
	return true
}

// nilIsZero reports whether omitzero omits nil. A type may define zero itself.
func nilIsZero(t reflect.Type) bool {
	_, own := reflect.PointerTo(t).MethodByName("IsZero")
	return !own
}

// quotes reports whether the tag option string has an effect on values of type t.
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

// throughPointer reports whether a field is in a struct embedded by pointer, and thus
// absent if the pointer is nil.
func throughPointer(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}
