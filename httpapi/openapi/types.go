package openapi

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// types makes schemas of Go types as encoding/json encodes their values. A named
// composite type becomes a component, since it may contain itself.
type types struct {
	names      names
	known      map[reflect.Type]string // component names
	components *members[*jsonSchema]
}

func newTypes(taken names, components *members[*jsonSchema]) *types {
	return &types{taken, map[reflect.Type]string{}, components}
}

// component adds an empty component. It is filled later, because t may refer to
// itself.
func (ts *types) component(name string, t reflect.Type) *jsonSchema {
	ts.known[t] = name
	s := &jsonSchema{}
	ts.components.add(name, s)
	return s
}

// of returns the schema of t's values, including null if nil is encoded as null.
func (ts *types) of(t reflect.Type) *jsonSchema {
	s := ts.present(t)
	if writesNull(t) {
		return orNull(s)
	}
	return s
}

// writesNull reports whether nil is encoded as null.
func writesNull(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer:
		return true
	case reflect.Slice, reflect.Map:
		return !marshals(t)
	}
	return false
}

// present returns the schema of t's values other than nil.
func (ts *types) present(t reflect.Type) *jsonSchema {
	switch {
	case t.Kind() == reflect.Pointer && t.Name() == "":
		return ts.of(t.Elem())
	case t == reflect.TypeFor[time.Time](), t == reflect.TypeFor[schema.DateTime]():
		return formatted("string", "date-time")
	case t == reflect.TypeFor[json.Number]():
		return ofKind("number")
	case t == reflect.TypeFor[schema.Record]():
		return mapOf(&jsonSchema{})
	case ts.known[t] != "":
		return ref(ts.known[t])
	case implements[json.Marshaler](t):
		return &jsonSchema{}
	case implements[encoding.TextMarshaler](t):
		return ofKind("string")
	case isBytes(t):
		return &jsonSchema{Type: "string", Encoding: "base64"}
	}
	if t.Name() == "" || !hasParts(t) {
		return ts.parts(t)
	}
	name := ts.names.take(t.Name())
	s := ts.component(name, t)
	*s = *ts.parts(t)
	return ref(name)
}

func marshals(t reflect.Type) bool {
	return implements[json.Marshaler](t) || implements[encoding.TextMarshaler](t)
}

// implements reports whether t or a pointer to t implements I. The pointer counts
// because all encoded values are addressable.
func implements[I any](t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[I]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// isBytes reports whether values of type t are encoded as base64.
func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !marshals(t.Elem())
}

func hasParts(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Slice, reflect.Array, reflect.Map:
		return true
	}
	return false
}

// parts returns the schema of a type by its kind. Types without JSON, and named
// pointer types, which may be recursive, accept any value.
func (ts *types) parts(t reflect.Type) *jsonSchema {
	switch t.Kind() {
	case reflect.Bool:
		return ofKind("boolean")
	case reflect.String:
		return ofKind("string")
	case reflect.Int, reflect.Int64:
		return integer()
	case reflect.Int32:
		return formatted("integer", "int32")
	case reflect.Int8, reflect.Int16:
		return ofKind("integer")
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return &jsonSchema{Type: "integer", Minimum: number(0)}
	case reflect.Float32:
		return formatted("number", "float")
	case reflect.Float64:
		return formatted("number", "double")
	case reflect.Slice:
		return listOf(ts.of(t.Elem()))
	case reflect.Array:
		s := listOf(ts.of(t.Elem()))
		s.MinItems, s.MaxItems = number(t.Len()), number(t.Len())
		return s
	case reflect.Map:
		return mapOf(ts.of(t.Elem()))
	case reflect.Struct:
		return ts.structure(t)
	}
	return &jsonSchema{}
}

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
	s = ts.value(m)
	required, nullable := presence(m)
	if nullable {
		s = orNull(s)
	}
	return s, required
}

// value returns the schema of the values of a struct field other than null.
func (ts *types) value(m jsonmember.Member) *jsonSchema {
	if slices.Contains(m.Options, "string") && quotes(m.Field.Type) {
		return ofKind("string")
	}
	return ts.present(m.Field.Type)
}

// isList reports whether a member is a list or a map, which can be nil.
func isList(m jsonmember.Member) bool {
	kind := m.Field.Type.Kind()
	return kind == reflect.Slice || kind == reflect.Map
}

// presence reports whether a member is always encoded, and whether it can be null.
func presence(m jsonmember.Member) (required, nullable bool) {
	t := m.Field.Type
	omitted := slices.Contains(m.Options, "omitempty") && canBeEmpty(t) || slices.Contains(m.Options, "omitzero")
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
