package openapi

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
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
	if s.acceptsAny() {
		return s
	}
	wider := *s
	wider.null = true
	return &wider
}

// acceptsAny reports whether s is the schema of any value, which may have a description.
func (s *jsonSchema) acceptsAny() bool { return s.Ref == "" && s.Type == "" }

func intText(n int) json.RawMessage { return strconv.AppendInt(nil, int64(n), 10) }

// Versions of OpenAPI.
const (
	version31 = "3.1"
	version30 = "3.0"
)

// patch returns the number of a version with that of its patch.
func patch(version string) string {
	if version == version30 {
		return "3.0.3"
	}
	return "3.1.0"
}

// write brings the schemas of the components into the form of a version. The parts of a
// document other than these schemas are the same in both versions.
func (c *components) write(version string) {
	for _, m := range c.Schemas {
		m.value.write(version)
	}
}

// write brings a schema and its parts into the form of a version. A second call has no
// effect, so schemas may share parts.
func (s *jsonSchema) write(version string) {
	for _, p := range s.Properties {
		p.value.write(version)
	}
	for _, part := range []*jsonSchema{s.Items, s.Others} {
		if part != nil {
			part.write(version)
		}
	}
	if version == version30 {
		s.write30()
	} else {
		s.write31()
	}
}

// write31 writes null as an alternative. A list of types, which means the same, is
// unknown to ogen, and other generators accept both.
func (s *jsonSchema) write31() {
	if !s.null {
		return
	}
	inner := *s
	inner.Description, inner.null = "", false
	*s = jsonSchema{Description: s.Description, OneOf: []*jsonSchema{&inner, ofKind("null")}}
}

// write30 writes null as nullable. Other members beside a reference are ignored, so the
// reference is wrapped.
func (s *jsonSchema) write30() {
	if s.Encoding != "" { // base64
		s.Encoding, s.Format = "", "byte"
	}
	if !s.null {
		return
	}
	if s.Ref != "" {
		*s = jsonSchema{Description: s.Description, AllOf: []*jsonSchema{{Ref: s.Ref}}}
	}
	s.Enum.null = s.Enum.list != nil
	s.Nullable, s.null = true, false
}

// choices is the list of the values that a schema accepts.
type choices struct {
	list []string
	null bool // null is one of them
}

// IsZero reports whether there is no list.
func (c choices) IsZero() bool { return c.list == nil }

// MarshalJSON encodes the list.
func (c choices) MarshalJSON() ([]byte, error) {
	if !c.null {
		return json.Marshal(c.list)
	}
	values := make([]*string, len(c.list)+1) // the last one is null
	for i := range c.list {
		values[i] = &c.list[i]
	}
	return json.Marshal(values)
}

// commonSchemas returns the schemas that belong to no collection.
func commonSchemas(collections []collection) members[*jsonSchema] {
	return members[*jsonSchema]{
		{detail, object(member[*jsonSchema]{"detail", ofKind("string")})},
		{fieldErrors, fieldErrorsSchema(collections)},
		{format, &jsonSchema{Type: "string", Enum: choices{list: []string{"json", "api"}}}},
	}
}

// fieldErrorsSchema returns the schema of the response to an invalid body or filter: the
// errors by field, or a detail if the request cannot be read. One object describes both,
// because generators support alternatives of objects poorly.
func fieldErrorsSchema(collections []collection) *jsonSchema {
	messages := listOf(ofKind("string"))
	whole := ofKind("string")
	whole.Description = "What is wrong with the request as a whole. If present, there are no errors by field."
	for _, c := range collections {
		if slices.ContainsFunc(c.Description.Fields, func(f schema.Field) bool { return f.Name == "detail" }) {
			whole = &jsonSchema{OneOf: []*jsonSchema{whole, messages}, Description: "If this is a list, the errors of the field detail."}
			break
		}
	}
	s := mapOf(messages)
	s.Description = "The errors by field. Those in nonFieldErrors concern the whole record."
	s.Properties = one("detail", whole)
	return s
}

// record adds the components for the records and pages of a collection if they are
// missing, and sets c.record. It returns the fields that records can be ordered by and
// reports whether they are known.
func (d *describer) record(c *collection) (fields []string, known bool) {
	about, t, schemas := c.Description, recordType(c.Collection), &d.model.Components.Schemas
	c.record, known = c.name, true
	switch {
	case about.Fields != nil:
		schemas.add(c.record, d.types.described(about.Fields, t))
	case t == nil:
		c.record, known = unknownRecord, false
		d.once(c.record, ofKind("object"))
	case isOpen(t):
		c.record, known = openRecord, false
		d.once(c.record, openSchema())
	default:
		d.types.record(c.record, t)
	}
	d.bodies(*c)
	d.once(pageOf(c.record), pageSchema(c.record))
	return sortable(about, t), known
}

// sortable returns the names of the fields that records of type t, which may be nil, can be
// ordered by.
func sortable(about schema.Description, t reflect.Type) (names []string) {
	switch {
	case about.Sortable != nil:
		return about.Sortable
	case about.Fields != nil:
		for _, f := range about.Fields {
			names = append(names, ordering.Snake(f.Name))
		}
	case t != nil && !isOpen(t):
		members, _ := jsonmember.Of(t)
		for _, m := range members {
			names = append(names, ordering.Snake(m.Name))
		}
	}
	return names
}

// recordType returns the type of a collection's records, or nil if it is unknown.
func recordType(c httpapi.Collection) reflect.Type {
	if c, ok := c.(interface{ RecordType() reflect.Type }); ok {
		return c.RecordType()
	}
	return nil
}

// isOpen reports whether t is the type of records with any members.
func isOpen(t reflect.Type) bool { return t == reflect.TypeFor[schema.Record]() }

// openSchema returns the schema of records with an id and any other members.
func openSchema() *jsonSchema {
	s := object(member[*jsonSchema]{"id", integer()})
	s.Others = &jsonSchema{}
	return s
}

// pageSchema returns the schema of a page's envelope.
func pageSchema(record string) *jsonSchema {
	count := ofKind("integer")
	count.Description, count.Minimum = "The total number of records.", number(0)
	next, previous := orNull(formatted("string", "uri")), orNull(formatted("string", "uri"))
	next.Description = "The URL of the next page, or null on the last."
	previous.Description = "The URL of the previous page, or null on the first."
	return object(
		member[*jsonSchema]{"count", count},
		member[*jsonSchema]{"next", next},
		member[*jsonSchema]{"previous", previous},
		member[*jsonSchema]{"results", listOf(ref(record))},
	)
}

// orderingTerm returns the schema of a term: each field, in both directions.
func orderingTerm(fields []string) *jsonSchema {
	s := ofKind("string")
	for _, name := range fields {
		if !slices.Contains(s.Enum.list, name) {
			s.Enum.list = append(s.Enum.list, name, "-"+name)
		}
	}
	return s
}
