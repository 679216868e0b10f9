package browse

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// recordValues returns the texts that a form has for the values of a record.
func recordValues(fields []schema.Field, record []member) url.Values {
	values := make(url.Values)
	for _, m := range record {
		for _, field := range fields {
			if field.Name == m.name {
				values.Set(m.name, valueText(field, m.value))
			}
		}
	}
	return values
}

// valueText returns the text that a form has for a JSON value, which may be nil.
func valueText(field schema.Field, value json.RawMessage) string {
	if len(value) == 0 {
		return ""
	}
	text, isText := readText(value)
	switch {
	case field.Kind == schema.JSON:
		return indented(value)
	case string(value) == "null":
		return ""
	case field.Kind == schema.Boolean && !field.Nullable && string(value) != "true":
		return "" // the box is not checked
	case field.Kind == schema.References:
		return listText(value, ", ")
	case field.Kind == schema.TextList:
		return listText(value, "\n")
	case isText:
		return text
	}
	return string(value)
}

// listText returns the elements of a JSON list, separated.
func listText(value json.RawMessage, separator string) string {
	var elements []json.RawMessage
	if err := json.Unmarshal(value, &elements); err != nil {
		return string(value)
	}
	texts := make([]string, len(elements))
	for i, element := range elements {
		text, ok := readText(element)
		if !ok {
			text = string(element)
		}
		texts[i] = text
	}
	return strings.Join(texts, separator)
}

// defaultText returns the text that a new form has for a field.
func defaultText(field schema.Field) string {
	if field.Kind == schema.Boolean || field.Kind == schema.Choice {
		return valueText(field, json.RawMessage(field.Default))
	}
	return ""
}
