package openapi

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// A jsonSchema is a schema of OpenAPI, limited to what this package uses. The zero schema
// accepts any value.
type jsonSchema struct {
	Ref         string               `json:"$ref,omitempty"`
	Description string               `json:"description,omitempty"`
	Type        string               `json:"type,omitempty"`
	Format      string               `json:"format,omitempty"`
	ReadOnly    bool                 `json:"readOnly,omitempty"`
	WriteOnly   bool                 `json:"writeOnly,omitempty"`
	Pattern     string               `json:"pattern,omitempty"`
	Enum        []json.RawMessage    `json:"enum,omitempty"`
	MinLength   int                  `json:"minLength,omitempty"`
	MaxLength   int                  `json:"maxLength,omitempty"`
	Minimum     json.RawMessage      `json:"minimum,omitempty"`
	Maximum     json.RawMessage      `json:"maximum,omitempty"`
	Items       *jsonSchema          `json:"items,omitempty"`
	MinItems    *int                 `json:"minItems,omitempty"`
	MaxItems    *int                 `json:"maxItems,omitempty"`
	Properties  members[*jsonSchema] `json:"properties,omitempty"`
	Required    []string             `json:"required,omitempty"`
	Others      *jsonSchema          `json:"additionalProperties,omitempty"`
	OneOf       []*jsonSchema        `json:"oneOf,omitempty"`
	Default     json.RawMessage      `json:"default,omitempty"`
}

func ofKind(kind string) *jsonSchema          { return &jsonSchema{Type: kind} }
func formatted(kind, form string) *jsonSchema { return &jsonSchema{Type: kind, Format: form} }
func listOf(items *jsonSchema) *jsonSchema    { return &jsonSchema{Type: "array", Items: items} }
func mapOf(values *jsonSchema) *jsonSchema    { return &jsonSchema{Type: "object", Others: values} }
func ref(name string) *jsonSchema             { return &jsonSchema{Ref: "#/components/schemas/" + name} }

// integer returns the schema of ids and other ints.
func integer() *jsonSchema { return formatted("integer", "int64") }

// object returns the schema of an object in which all properties are required.
func object(properties ...member[*jsonSchema]) *jsonSchema {
	s := ofKind("object")
	for _, p := range properties {
		s.Properties.add(p.name, p.value)
		s.Required = append(s.Required, p.name)
	}
	return s
}

// orNull returns a schema that accepts null and what s accepts. A list of types, which means
// the same, is unknown to ogen, and other generators accept both.
func orNull(s *jsonSchema) *jsonSchema {
	isAny := s.Ref == "" && s.Type == "" && s.OneOf == nil // though it may have a description
	if isAny || s.OneOf != nil && s.OneOf[len(s.OneOf)-1].Type == "null" {
		return s
	}
	inner := *s
	inner.Description = ""
	return &jsonSchema{Description: s.Description, OneOf: []*jsonSchema{&inner, ofKind("null")}}
}

func intText(n int) json.RawMessage { return strconv.AppendInt(nil, int64(n), 10) }

// members is a JSON object with ordered members.
type members[T any] []member[T]

type member[T any] struct {
	name  string
	value T
}

func one[T any](name string, value T) members[T] { return members[T]{{name, value}} }
func (ms *members[T]) add(name string, value T)  { *ms = append(*ms, member[T]{name, value}) }

// MarshalJSON encodes the members in order.
func (ms members[T]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, m := range ms {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(wire.Quote(m.name) + ":")
		if err := e.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
