package openapi

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
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
	Enum        []string             `json:"enum,omitempty"`
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
	Examples    []json.RawMessage    `json:"examples,omitempty"`
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

// orNull returns a schema that accepts null and what s accepts. A list of types, which means
// the same, is unknown to ogen, and other generators accept both.
func orNull(s *jsonSchema) *jsonSchema {
	if s.acceptsAny() || s.acceptsNull() {
		return s
	}
	inner := *s
	inner.Description = ""
	return &jsonSchema{Description: s.Description, OneOf: []*jsonSchema{&inner, ofKind("null")}}
}

// acceptsAny reports whether s is the schema of any value, which may have a description.
func (s *jsonSchema) acceptsAny() bool { return s.Ref == "" && s.Type == "" && s.OneOf == nil }

// acceptsNull reports whether s is a result of orNull.
func (s *jsonSchema) acceptsNull() bool {
	return s.OneOf != nil && s.OneOf[len(s.OneOf)-1].Type == "null"
}

func intText(n int) json.RawMessage { return strconv.AppendInt(nil, int64(n), 10) }

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
	if slices.ContainsFunc(collections, collection.hasParts) {
		s.Others = ref(fieldError)
	}
	s.Description = "The errors by field. Those in " + nonField(collections) + " concern the whole record."
	s.Properties = one("detail", whole)
	return s
}

// hasParts reports whether some field is a list, a map or an object with described parts.
func (c collection) hasParts() bool {
	return slices.ContainsFunc(c.Description.Fields, func(f schema.Field) bool { return f.Item != nil || f.Fields != nil })
}

// fieldErrorSchemas returns the schemas of the errors of a field with parts, which are a tree. Each
// form has a name, because ogen does not end if a schema contains itself in another way.
func fieldErrorSchemas() members[*jsonSchema] {
	messages := listOf(ofKind("string"))
	return members[*jsonSchema]{
		{fieldError, &jsonSchema{
			Description: "What is wrong with a value: messages, or the errors of each object in a list, or those of its parts.",
			OneOf:       []*jsonSchema{listOf(ref(fieldErrorItem)), ref(fieldErrorParts)},
		}},
		{fieldErrorItem, &jsonSchema{
			Description: "A message, or what is wrong with an object in a list. If nothing is, it is empty.",
			OneOf:       []*jsonSchema{ofKind("string"), ref(fieldErrorParts), messages},
		}},
		{fieldErrorParts, &jsonSchema{
			Description: "The errors of an object or map by member, or of a list by index.",
			Type:        "object", Others: ref(fieldError),
		}},
	}
}

// nonField returns the member of the errors that concern a whole record, as the collections name
// it, and both names if they differ.
func nonField(collections []collection) string {
	var names []string
	for _, c := range collections {
		name := "nonFieldErrors"
		if c.Description.SnakeCase() {
			name = ordering.Snake(name)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// record adds the component for the records of a collection, sets c.record, and reports
// whether the fields are known.
func (d *describer) record(c *collection) (known bool) {
	name, s := c.name, ofKind("object")
	t := recordType(c.Collection)
	switch {
	case c.Description.Fields != nil:
		known, s = true, described(c.Description, t)
	case t != nil && isOpen(t):
		name, s = openRecord, openSchema()
	default:
		name = unknownRecord
	}
	c.record = name
	if c.showsRecords() {
		c.record = share(&d.model.Components.Schemas, name, s)
	}
	return known
}

// recordType returns the type of a collection's records, or nil if it is unknown.
func recordType(c httpapi.Collection) reflect.Type {
	if c, ok := c.(interface{ RecordType() reflect.Type }); ok {
		return c.RecordType()
	}
	return nil
}

// shape returns the schema of the values of type t as encoding/json encodes them: lists, objects
// or single values. If their form is unknown, it is that of any value.
func shape(t reflect.Type) *jsonSchema {
	switch kind := t.Kind(); {
	case hasMethods(t):
	case kind == reflect.String:
		return ofKind("string")
	case kind == reflect.Bool:
		return ofKind("boolean")
	case kind == reflect.Float32, kind == reflect.Float64:
		return formatted("number", "double")
	case reflect.Int <= kind && kind <= reflect.Uintptr:
		return integer()
	case kind == reflect.Slice, kind == reflect.Array:
		return listOf(&jsonSchema{})
	case kind == reflect.Map, kind == reflect.Struct:
		return mapOf(&jsonSchema{})
	}
	return &jsonSchema{}
}

// isList reports whether t is the type of lists or maps, which can be nil.
func isList(t reflect.Type) bool { return t.Kind() == reflect.Slice || t.Kind() == reflect.Map }

// writesNull reports whether nil is encoded as null.
func writesNull(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || isList(t) && !hasMethods(t)
}

// hasMethods reports whether values of type t have methods, which may encode them.
func hasMethods(t reflect.Type) bool { return reflect.PointerTo(t).NumMethod() > 0 }

// isOpen reports whether t is the type of records with any members.
func isOpen(t reflect.Type) bool { return t == reflect.TypeFor[schema.Record]() }

// openSchema returns the schema of records with an id and any other members.
func openSchema() *jsonSchema {
	s := object(member[*jsonSchema]{"id", integer()})
	s.Others = &jsonSchema{}
	return s
}

// pageSchema returns the schema of a page's envelope, which has no count if uncounted is set.
func pageSchema(record string, uncounted bool) *jsonSchema {
	count := ofKind("integer")
	count.Description, count.Minimum = "The total number of records.", intText(0)
	next, previous := orNull(formatted("string", "uri")), orNull(formatted("string", "uri"))
	next.Description = "The URL of the next page, or null on the last."
	previous.Description = "The URL of the previous page, or null on the first."
	all := []member[*jsonSchema]{{"count", count}, {"next", next}, {"previous", previous}, {"results", listOf(ref(record))}}
	if uncounted {
		all = all[1:]
	}
	return object(all...)
}

// orderingTerm returns the schema of a term: each field, in both directions.
func orderingTerm(fields []string) *jsonSchema {
	s := ofKind("string")
	for _, name := range fields {
		if !slices.Contains(s.Enum, name) {
			s.Enum = append(s.Enum, name, "-"+name)
		}
	}
	return s
}
