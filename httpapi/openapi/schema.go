package openapi

import (
	"encoding/json"
	"strconv"
)

// A jsonSchema is a schema of OpenAPI, limited to what this package uses. The zero schema
// accepts any value. Before it is encoded, write brings it into the form of a version.
type jsonSchema struct {
	Ref         string               `json:"$ref,omitempty"`
	Description string               `json:"description,omitempty"`
	Type        string               `json:"type,omitempty"`
	Nullable    bool                 `json:"nullable,omitempty"` // only in OpenAPI 3.0
	Format      string               `json:"format,omitempty"`
	Encoding    string               `json:"contentEncoding,omitempty"`
	Pattern     string               `json:"pattern,omitempty"`
	Enum        choices              `json:"enum,omitzero"`
	MinLength   int                  `json:"minLength,omitempty"`
	MaxLength   int                  `json:"maxLength,omitempty"`
	Minimum     *int                 `json:"minimum,omitempty"`
	Maximum     *int                 `json:"maximum,omitempty"`
	Items       *jsonSchema          `json:"items,omitempty"`
	MinItems    *int                 `json:"minItems,omitempty"`
	MaxItems    *int                 `json:"maxItems,omitempty"`
	Properties  members[*jsonSchema] `json:"properties,omitempty"`
	Required    []string             `json:"required,omitempty"`
	Others      *jsonSchema          `json:"additionalProperties,omitempty"`
	OneOf       []*jsonSchema        `json:"oneOf,omitempty"`
	AllOf       []*jsonSchema        `json:"allOf,omitempty"`
	Default     json.RawMessage      `json:"default,omitempty"`
	ReadOnly    bool                 `json:"readOnly,omitempty"`

	null bool // null is accepted too; write replaces this
}

func ofKind(kind string) *jsonSchema          { return &jsonSchema{Type: kind} }
func formatted(kind, form string) *jsonSchema { return &jsonSchema{Type: kind, Format: form} }
func listOf(items *jsonSchema) *jsonSchema    { return &jsonSchema{Type: "array", Items: items} }
func mapOf(values *jsonSchema) *jsonSchema    { return &jsonSchema{Type: "object", Others: values} }
func ref(name string) *jsonSchema             { return &jsonSchema{Ref: "#/components/schemas/" + name} }
func number(n int) *int                       { return &n }

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

// orNull returns a schema that accepts null and whatever s accepts.
func orNull(s *jsonSchema) *jsonSchema {
	if s.Ref == "" && s.Type == "" { // s accepts any value
		return s
	}
	wider := *s
	wider.null = true
	return &wider
}

func intText(n int) json.RawMessage { return strconv.AppendInt(nil, int64(n), 10) }
