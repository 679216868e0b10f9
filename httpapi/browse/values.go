package browse

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/gobacklist/backlist/resources"
)

// recordValues returns the texts that a form has for the values of a record.
func recordValues(fields []resources.Field, record []member) url.Values {
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
func valueText(field resources.Field, value json.RawMessage) string {
	if len(value) == 0 {
		return ""
	}
	text, isText := readText(value)
	switch {
	case field.Kind == resources.JSON:
		return indented(value)
	case string(value) == "null":
		return ""
	case field.Kind == resources.Boolean && !field.Nullable && string(value) != "true":
		return "" // the box is not checked
	case field.Kind == resources.References:
		return listText(value, ", ")
	case field.Kind == resources.TextList:
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
func defaultText(field resources.Field) string {
	if field.Kind == resources.Boolean || field.Kind == resources.Choice {
		return valueText(field, json.RawMessage(field.Default))
	}
	return ""
}
