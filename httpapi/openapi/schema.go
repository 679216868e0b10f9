package openapi

import (
	"encoding/json"
	"slices"
	"strconv"
)

// schema is a JSON Schema of 2020-12, limited to what this package uses. The zero
// schema accepts any value.
type schema struct {
	Ref         string           `json:"$ref,omitempty"`
	Description string           `json:"description,omitempty"`
	Type        kinds            `json:"type,omitempty"`
	Format      string           `json:"format,omitempty"`
	Encoding    string           `json:"contentEncoding,omitempty"`
	Pattern     string           `json:"pattern,omitempty"`
	Enum        []string         `json:"enum,omitempty"`
	MinLength   int              `json:"minLength,omitempty"`
	MaxLength   int              `json:"maxLength,omitempty"`
	Minimum     *int             `json:"minimum,omitempty"`
	Maximum     *int             `json:"maximum,omitempty"`
	Items       *schema          `json:"items,omitempty"`
	MinItems    *int             `json:"minItems,omitempty"`
	MaxItems    *int             `json:"maxItems,omitempty"`
	Properties  members[*schema] `json:"properties,omitempty"`
	Required    []string         `json:"required,omitempty"`
	Others      *schema          `json:"additionalProperties,omitempty"`
	AnyOf       []*schema        `json:"anyOf,omitempty"`
	Default     json.RawMessage  `json:"default,omitempty"`
	ReadOnly    bool             `json:"readOnly,omitempty"`
}

// kinds lists the types that a value may have.
type kinds []string

// MarshalJSON encodes a single type as a string, as is customary.
func (k kinds) MarshalJSON() ([]byte, error) {
	if len(k) == 1 {
		return json.Marshal(k[0])
	}
	return json.Marshal([]string(k))
}

func ofKind(kind string) *schema          { return &schema{Type: kinds{kind}} }
func formatted(kind, form string) *schema { return &schema{Type: kinds{kind}, Format: form} }
func listOf(items *schema) *schema        { return &schema{Type: kinds{"array"}, Items: items} }
func mapOf(values *schema) *schema        { return &schema{Type: kinds{"object"}, Others: values} }
func ref(name string) *schema             { return &schema{Ref: "#/components/schemas/" + name} }
func number(n int) *int                   { return &n }

// integer returns the schema of ids and other ints.
func integer() *schema { return formatted("integer", "int64") }

// object returns the schema of an object in which all properties are required.
func object(properties ...member[*schema]) *schema {
	s := ofKind("object")
	for _, p := range properties {
		s.Properties.add(p.name, p.value)
		s.Required = append(s.Required, p.name)
	}
	return s
}

// orNull returns a schema that accepts null and whatever s accepts.
func orNull(s *schema) *schema {
	switch {
	case s.Ref != "" || s.Enum != nil:
		return &schema{AnyOf: []*schema{s, ofKind("null")}}
	case len(s.Type) == 0, slices.Contains(s.Type, "null"): // already accepts null
		return s
	}
	wider := *s
	wider.Type = append(kinds{}, append(s.Type, "null")...)
	return &wider
}

func intText(n int) json.RawMessage { return strconv.AppendInt(nil, int64(n), 10) }
