package openapi

import (
	"reflect"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// structure is the schema of a struct.
func (ts *types) structure(t reflect.Type) *schema {
	s := ofKind("object")
	for _, m := range ordering.Members(t) {
		f := t.FieldByIndex(m.Index)
		value, required := ts.field(f)
		s.Properties.add(m.Wire, value)
		if required && !throughPointer(t, m.Index) {
			s.Required = append(s.Required, m.Wire)
		}
	}
	return s
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
