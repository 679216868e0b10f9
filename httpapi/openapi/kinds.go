package openapi

import (
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/resources"
)

// maxURL is the maximum length of a posted URL in code points.
const maxURL = 2048

// kindSchema returns the schema of the values of a field other than null.
func kindSchema(f resources.Field) *schema {
	switch f.Kind {
	case resources.Integer, resources.Reference:
		return integer()
	case resources.Text, resources.Slug:
		return ofKind("string")
	case resources.Timestamp:
		return formatted("string", "date-time")
	case resources.Date:
		return formatted("string", "date")
	case resources.Boolean:
		return ofKind("boolean")
	case resources.Float:
		return formatted("number", "double")
	case resources.Decimal:
		return &schema{Type: "string", Description: fmt.Sprintf("A number with %d decimal places.", f.Places)}
	case resources.Choice:
		return &schema{Type: "string", Enum: choices{list: choicesOf(f)}}
	case resources.URL:
		if f.Blank { // an empty string does not have the format uri
			return &schema{Type: "string", Description: "A URL, or empty."}
		}
		return formatted("string", "uri")
	case resources.References:
		return listOf(integer())
	case resources.TextList:
		return listOf(ofKind("string"))
	}
	return &schema{}
}

// choicesOf returns the values of a Choice, of which one may be empty.
func choicesOf(f resources.Field) []string {
	if f.Blank && !slices.Contains(f.Choices, "") {
		return append(slices.Clip(f.Choices), "")
	}
	return f.Choices
}

// postedField returns the schema of a field in a request. It is stricter than that of
// a stored field, because records that were loaded need not satisfy these rules.
func postedField(f resources.Field) *schema {
	s := fieldSchema(f)
	switch f.Kind {
	case resources.Integer:
		s.Minimum, s.Maximum = f.Min, f.Max
	case resources.Decimal:
		s.Description, s.Pattern = fieldText(f, decimalText(f)), decimalPattern(f)
	case resources.Slug:
		s.Pattern = "^[-a-zA-Z0-9_]+$"
		if f.Blank {
			s.Pattern = "^[-a-zA-Z0-9_]*$"
		}
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

func decimalText(f resources.Field) string {
	return fmt.Sprintf("A number with at most %d digits, %d of them after the point.", f.Digits, f.Places)
}

// decimalPattern returns the pattern of a Decimal as it should be sent.
func decimalPattern(f resources.Field) string {
	whole := "0"
	if n := f.Digits - f.Places; n > 0 {
		whole = fmt.Sprintf("[0-9]{1,%d}", n)
	}
	if f.Places == 0 {
		return "^-?" + whole + "$"
	}
	return fmt.Sprintf(`^-?%s(\.[0-9]{1,%d})?$`, whole, f.Places)
}
