package openapi

import (
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// metadataSchema returns the schema of the response to OPTIONS. It lists the fields for a
// method if the client may send that.
func metadataSchema(method string) *jsonSchema {
	text := ofKind("string")
	s := object(
		member[*jsonSchema]{"name", text},
		member[*jsonSchema]{"description", text},
		member[*jsonSchema]{"renders", listOf(text)},
		member[*jsonSchema]{"parses", listOf(text)},
	)
	s.Properties.add("actions", object(member[*jsonSchema]{method, mapOf(ref(fieldMetadata))}))
	return s
}

// fieldMetadataSchema returns the schema of a field in the response to OPTIONS. Fields with
// rules have their bounds or their choices.
func fieldMetadataSchema(rules bool) *jsonSchema {
	text, flag := ofKind("string"), ofKind("boolean")
	s := object(
		member[*jsonSchema]{"type", text},
		member[*jsonSchema]{"required", flag},
		member[*jsonSchema]{"readOnly", flag},
		member[*jsonSchema]{"label", text},
	)
	if rules {
		s.Properties.add("minValue", integer())
		s.Properties.add("maxValue", integer())
		s.Properties.add("choices", listOf(object(
			member[*jsonSchema]{"value", text},
			member[*jsonSchema]{"displayName", text},
		)))
	}
	return s
}

// hasRules reports whether a field has bounds or choices.
func hasRules(c collection) bool {
	return slices.ContainsFunc(c.Description.Fields, func(f schema.Field) bool {
		return f.Min != nil || f.Max != nil || f.Choices != nil
	})
}
