package openapi

import (
	"slices"

	"github.com/gobacklist/backlist/resources"
)

// metadataSchema returns the schema of the response to OPTIONS. It lists the fields for a
// method if the client may send that.
func metadataSchema(method string) *schema {
	text := ofKind("string")
	s := object(
		member[*schema]{"name", text},
		member[*schema]{"description", text},
		member[*schema]{"renders", listOf(text)},
		member[*schema]{"parses", listOf(text)},
	)
	s.Properties.add("actions", object(member[*schema]{method, mapOf(ref(fieldMetadata))}))
	return s
}

// fieldMetadataSchema returns the schema of a field in the response to OPTIONS. Fields with
// rules have their bounds or their choices.
func fieldMetadataSchema(rules bool) *schema {
	text, flag := ofKind("string"), ofKind("boolean")
	s := object(
		member[*schema]{"type", text},
		member[*schema]{"required", flag},
		member[*schema]{"readOnly", flag},
		member[*schema]{"label", text},
	)
	if rules {
		s.Properties.add("minValue", integer())
		s.Properties.add("maxValue", integer())
		s.Properties.add("choices", listOf(object(
			member[*schema]{"value", text},
			member[*schema]{"displayName", text},
		)))
	}
	return s
}

// hasRules reports whether a field has bounds or choices.
func hasRules(c collection) bool {
	return slices.ContainsFunc(c.Description.Fields, func(f resources.Field) bool {
		return f.Min != nil || f.Max != nil || f.Choices != nil
	})
}
