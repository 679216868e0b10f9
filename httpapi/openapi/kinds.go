package openapi

import (
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// maxURL is the maximum length of a posted URL in code points.
const maxURL = 2048

// kindSchema returns the schema of the values of a field other than null.
func kindSchema(f schema.Field) *jsonSchema {
	switch f.Kind {
	case schema.Integer, schema.Reference:
		return integer()
	case schema.Text, schema.Slug:
		return ofKind("string")
	case schema.Timestamp:
		return formatted("string", "date-time")
	case schema.Date:
		return formatted("string", "date")
	case schema.Boolean:
		return ofKind("boolean")
	case schema.Float:
		return formatted("number", "double")
	case schema.Decimal:
		return &jsonSchema{Type: "string", Description: fmt.Sprintf("A number with %d decimal places.", f.Places)}
	case schema.Choice:
		return &jsonSchema{Type: "string", Enum: choices{list: choicesOf(f)}}
	case schema.URL:
		if f.Blank { // an empty string does not have the format uri
			return &jsonSchema{Type: "string", Description: "A URL, or empty."}
		}
		return formatted("string", "uri")
	case schema.References:
		return listOf(integer())
	case schema.TextList:
		return listOf(ofKind("string"))
	}
	return &jsonSchema{}
}

// choicesOf returns the values of a Choice, of which one may be empty.
func choicesOf(f schema.Field) []string {
	if f.Blank && !slices.Contains(f.Choices, "") {
		return append(slices.Clip(f.Choices), "")
	}
	return f.Choices
}

// postedField returns the schema of a field in a request. It is stricter than that of
// a stored field, because records that were loaded need not satisfy these rules.
func postedField(f schema.Field) *jsonSchema {
	s := fieldSchema(f)
	switch f.Kind {
	case schema.Integer:
		s.Minimum, s.Maximum = f.Min, f.Max
	case schema.Decimal:
		s.Description, s.Pattern = fieldText(f, decimalText(f)), decimalPattern(f)
	case schema.Slug:
		s.Pattern = "^[-a-zA-Z0-9_]+$"
		if f.Blank {
			s.Pattern = "^[-a-zA-Z0-9_]*$"
		}
	case schema.URL:
		s.MaxLength = maxURL
	}
	switch f.Kind {
	case schema.Text, schema.Slug, schema.URL:
		if !f.Blank {
			s.MinLength = 1
		}
	}
	return s
}

func decimalText(f schema.Field) string {
	return fmt.Sprintf("A number with at most %d digits, %d of them after the point.", f.Digits, f.Places)
}

// decimalPattern returns the pattern of a Decimal as it should be sent.
func decimalPattern(f schema.Field) string {
	whole := "0"
	if n := f.Digits - f.Places; n > 0 {
		whole = fmt.Sprintf("[0-9]{1,%d}", n)
	}
	if f.Places == 0 {
		return "^-?" + whole + "$"
	}
	return fmt.Sprintf(`^-?%s(\.[0-9]{1,%d})?$`, whole, f.Places)
}
