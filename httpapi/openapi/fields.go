package openapi

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// described returns the schema of records with the given fields. All of them are always
// present, unless t is a struct whose JSON may omit some. t may be nil.
func (ts *types) described(fields []schema.Field, t reflect.Type) *jsonSchema {
	var own []jsonmember.Member
	if t != nil && !marshals(t) {
		own, _ = jsonmember.Of(t)
	}
	s := ofKind("object")
	for _, f := range fields {
		field, required := storedField(f), true
		if i := slices.IndexFunc(own, func(m jsonmember.Member) bool { return m.Name == f.Name }); i >= 0 {
			field, required = ts.merged(field, f, own[i])
		}
		s.Properties.add(f.Name, field)
		if required {
			s.Required = append(s.Required, f.Name)
		}
	}
	return s
}

// merged adds what follows from the Go type of a field to its schema. It reports whether
// the field is always present.
func (ts *types) merged(s *jsonSchema, f schema.Field, own jsonmember.Member) (merged *jsonSchema, required bool) {
	if f.Kind == schema.JSON {
		return ts.field(own)
	}
	required, nullable := presence(own)
	if nullable {
		s = orNull(s)
	}
	return s, required
}

// storedField returns the schema of a field of a stored record.
func storedField(f schema.Field) *jsonSchema {
	s := fieldSchema(f)
	s.ReadOnly = f.ReadOnly
	return s
}

// body returns the description of the body of a request with an action.
func (c collection) body(action schema.Actions) *requestBody {
	s := ofKind("object")
	if c.Description.Fields != nil {
		s = ref(bodyOf(c.name, action))
	}
	return &requestBody{Required: true, Content: jsonBody(s)}
}

// bodies adds the components of a collection's bodies.
func (d *describer) bodies(c collection) {
	for _, action := range []schema.Actions{schema.Create, schema.Update, schema.PartialUpdate} {
		if c.Actions.Has(action) && c.Description.Fields != nil {
			d.model.Components.Schemas.add(bodyOf(c.name, action), posted(c.Description.Fields, action))
		}
	}
}

// posted returns the schema of the body of a request with an action. An absent field has
// its default only in a new record.
func posted(fields []schema.Field, action schema.Actions) *jsonSchema {
	s := ofKind("object")
	for _, f := range fields {
		if f.ReadOnly {
			continue
		}
		field := postedField(f)
		if action == schema.Create {
			field.setDefault(f.Default)
		}
		s.Properties.add(f.Name, field)
		if f.Required && action != schema.PartialUpdate {
			s.Required = append(s.Required, f.Name)
		}
	}
	return s
}

// setDefault adds a default. That of a list or of any value is described in words, because
// ogen generates no operation with such a default.
func (s *jsonSchema) setDefault(text string) {
	if text == "" || s.Type != "array" && s.Type != "" {
		s.Default = json.RawMessage(text)
		return
	}
	s.Description = strings.TrimSpace(s.Description + " The default is " + text + ".")
}

func fieldSchema(f schema.Field) *jsonSchema {
	s := kindSchema(f)
	s.Description = fieldText(f, s.Description)
	if f.Nullable {
		return orNull(s)
	}
	return s
}

// fieldText returns the description of a field: that of its kind and what else is known.
func fieldText(f schema.Field, kind string) string {
	var parts []string
	if kind != "" {
		parts = append(parts, kind)
	}
	switch {
	case f.Refers != "" && f.Kind == schema.References:
		parts = append(parts, "Ids of records of the collection "+f.Refers+".")
	case f.Refers != "":
		parts = append(parts, "The id of a record of the collection "+f.Refers+".")
	case f.Created:
		parts = append(parts, "The time at which the record was created.")
	}
	if f.Unique {
		parts = append(parts, "No two records have the same value.")
	}
	return strings.Join(parts, " ")
}
