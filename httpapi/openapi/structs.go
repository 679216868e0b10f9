package openapi

import (
	"reflect"

	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// structure returns the schema of a struct.
func (ts *types) structure(t reflect.Type) *jsonSchema {
	s := ofKind("object")
	members, _ := jsonmember.Of(t)
	for _, m := range members {
		value, required := ts.field(m)
		s.Properties.add(m.Name, value)
		if required {
			s.Required = append(s.Required, m.Name)
		}
	}
	return s
}

// field returns the schema of a struct field and reports whether the field is always
// encoded.
func (ts *types) field(m jsonmember.Member) (s *jsonSchema, required bool) {
	if m.HasOption("string") && quotes(m.Field.Type) {
		s = ofKind("string")
	} else {
		s = ts.present(m.Field.Type)
	}
	required, nullable := presence(m)
	if nullable {
		s = orNull(s)
	}
	return s, required
}

// presence reports whether a member is always encoded, and whether it can be null.
func presence(m jsonmember.Member) (required, nullable bool) {
	t := m.Field.Type
	omitted := m.HasOption("omitempty") && canBeEmpty(t) || m.HasOption("omitzero")
	return !omitted && !m.Indirect, writesNull(t) && !(omitted && nilIsZero(t))
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
