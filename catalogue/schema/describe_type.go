package schema

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// memberField returns the field for a member of a struct.
func memberField(m jsonmember.Member) (Field, error) {
	t := m.Field.Type
	f, err := fieldOf(t)
	if err != nil {
		return Field{}, err
	}
	tag, present := m.Field.Tag.Lookup("backlist")
	if m.Name == "id" {
		switch {
		case t.Kind() != reflect.Int:
			return Field{}, fmt.Errorf("the id must be an int, got %v", t)
		case present:
			return Field{}, errors.New("the id has no tag backlist")
		}
		return Field{Name: "id", Kind: Integer, ReadOnly: true}, nil
	}
	f.Name = m.Name
	if present {
		if err := f.apply(tag, elem(t)); err != nil {
			return Field{}, err
		}
	}
	f.Required = f.Default == "" && !f.ReadOnly
	return f, nil
}

// fieldOf returns the field for a Go type without a tag. It has no name.
func fieldOf(t reflect.Type) (f Field, err error) {
	if t.Kind() != reflect.Pointer {
		return kindOfType(t)
	}
	f.Kind = JSON
	if t.Elem().Kind() != reflect.Pointer {
		f, err = kindOfType(t.Elem())
	}
	f.Nullable, f.Default = true, "null"
	return f, err
}

// kindOfType returns the field for a type that is not a pointer.
func kindOfType(t reflect.Type) (Field, error) {
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[DateTime]():
		return Field{Kind: Timestamp}, nil
	case reflect.TypeFor[json.Number](), reflect.TypeFor[Float64]():
		return Field{Kind: Float}, nil
	case reflect.TypeFor[json.RawMessage]():
		return Field{Kind: JSON, Nullable: true, Default: "null"}, nil
	}
	switch {
	case implements[json.Marshaler](t):
		return Field{Kind: JSON}, nil
	case implements[encoding.TextMarshaler](t):
		return Field{Kind: Text}, nil
	}
	switch kind := t.Kind(); kind {
	case reflect.String:
		return Field{Kind: Text}, nil
	case reflect.Bool:
		return Field{Kind: Boolean, Default: "false"}, nil
	case reflect.Float32, reflect.Float64:
		return Field{Kind: Float}, nil
	case reflect.Interface:
		return Field{Kind: JSON, Nullable: true, Default: "null"}, nil
	case reflect.Map:
		return Field{Kind: JSON, Default: "{}"}, nil
	case reflect.Slice:
		return sliceField(t.Elem()), nil
	case reflect.Struct, reflect.Array:
		return Field{Kind: JSON}, nil
	default:
		if isIntegral(t) {
			return integerField(t), nil
		}
		return Field{}, fmt.Errorf("JSON cannot represent the type %v", t)
	}
}

// sliceField returns the field for a slice with elements of type t.
func sliceField(t reflect.Type) Field {
	marshals := implements[json.Marshaler](t) || implements[encoding.TextMarshaler](t)
	switch {
	case t.Kind() == reflect.Uint8 && !marshals: // JSON text in base64
		return Field{Kind: Text}
	case t.Kind() == reflect.String && !marshals && t != reflect.TypeFor[json.Number]():
		return Field{Kind: TextList, Default: "[]"}
	}
	return Field{Kind: JSON, Default: "[]"}
}

// integerField returns the field for an integer type. The types int and int64, and
// bounds that are out of range for an int, have none.
func integerField(t reflect.Type) Field {
	f := Field{Kind: Integer}
	bits := t.Bits()
	switch t.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32:
		low, high := int(-1<<(bits-1)), int(1<<(bits-1)-1)
		f.Min, f.Max = &low, &high
	case reflect.Int, reflect.Int64:
	default:
		f.Min = new(int)
		if high := 1<<bits - 1; bits < strconv.IntSize {
			f.Max = &high
		}
	}
	return f
}

func isIntegral(t reflect.Type) bool {
	return reflect.Int <= t.Kind() && t.Kind() <= reflect.Uintptr
}

// implements reports whether a type or a pointer to it has the methods of I.
func implements[I any](t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}
