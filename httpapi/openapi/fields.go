package openapi

import (
	"encoding/json"

	"github.com/gobacklist/backlist/resources"
)

// maxURL is the maximum length of a posted URL in code points.
const maxURL = 2048

// described returns the schema of records with the given fields, all of which are
// always present.
func described(fields []resources.Field) *schema {
	s := ofKind("object")
	for _, f := range fields {
		field := fieldSchema(f)
		field.ReadOnly = f.ReadOnly
		s.Properties.add(f.Name, field)
		s.Required = append(s.Required, f.Name)
	}
	return s
}

// posted returns the schema of the body that creates such a record.
func posted(fields []resources.Field) *schema {
	s := ofKind("object")
	for _, f := range fields {
		if f.ReadOnly {
			continue
		}
		s.Properties.add(f.Name, postedField(f))
		if f.Required {
			s.Required = append(s.Required, f.Name)
		}
	}
	return s
}

// postedField returns the schema of a field in a request. It is stricter than that of
// a stored field, because records that were loaded need not satisfy these rules.
func postedField(f resources.Field) *schema {
	s := fieldSchema(f)
	s.Default = json.RawMessage(f.Default)
	switch f.Kind {
	case resources.Slug:
		s.Pattern = "^[-a-zA-Z0-9_]+$"
	case resources.URL:
		s.MaxLength = maxURL
	}
	switch f.Kind {
	case resources.Text, resources.Slug, resources.URL:
		if !f.Blank {
			s.MinLength = 1
		}
	}
	return s
}

func fieldSchema(f resources.Field) *schema {
	s := kindSchema(f)
	if f.Refers != "" {
		s.Description = referenceText(f)
	}
	if f.Nullable {
		return orNull(s)
	}
	return s
}

func referenceText(f resources.Field) string {
	if f.Kind == resources.References {
		return "Ids of records of the collection " + f.Refers + "."
	}
	return "The id of a record of the collection " + f.Refers + "."
}

func kindSchema(f resources.Field) *schema {
	switch f.Kind {
	case resources.Integer, resources.Reference:
		return integer()
	case resources.Text, resources.Slug:
		return ofKind("string")
	case resources.Timestamp:
		return formatted("string", "date-time")
	case resources.Boolean:
		return ofKind("boolean")
	case resources.URL:
		if f.Blank { // an empty string does not have the format uri
			return &schema{Type: kinds{"string"}, Description: "A URL, or empty."}
		}
		return formatted("string", "uri")
	case resources.References:
		return listOf(integer())
	case resources.TextList:
		return listOf(ofKind("string"))
	}
	return &schema{}
}
