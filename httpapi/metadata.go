package httpapi

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// rootMetadata returns the response to OPTIONS at the root.
func rootMetadata() []byte {
	return []byte(commonMetadata("Api Root", "The default basic root view for DefaultRouter") + "}")
}

// metadata returns the response to OPTIONS at another path. If method is not empty, it
// lists the fields that the client may send with the method.
func metadata(title, method string, fields []schema.Field) []byte {
	if method == "" {
		return []byte(commonMetadata(title, "") + "}")
	}
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = fieldMetadata(f)
	}
	return []byte(commonMetadata(title, "") + `,"actions":{"` + method + `":{` + strings.Join(list, ",") + `}}}`)
}

// commonMetadata returns the common part of these responses, without the closing brace.
func commonMetadata(name, description string) string {
	return fmt.Sprintf(`{"name":%s,"description":%s,"renders":["application/json"],"parses":["application/json"]`,
		quote(name), quote(description))
}

func fieldMetadata(f schema.Field) string {
	text := fmt.Sprintf(`%s:{"type":%s,"required":%t,"readOnly":%t,"label":%s`,
		quote(f.Name), quote(kindName(f.Kind)), f.Required, f.ReadOnly, quote(label(f.Name)))
	if f.Min != nil {
		text += fmt.Sprintf(`,"minValue":%d`, *f.Min)
	}
	if f.Max != nil {
		text += fmt.Sprintf(`,"maxValue":%d`, *f.Max)
	}
	if f.Kind == schema.Choice {
		choices := make([]string, len(f.Choices))
		for i, c := range f.Choices {
			choices[i] = fmt.Sprintf(`{"value":%s,"displayName":%s}`, quote(c), quote(capital(strings.ReplaceAll(c, "_", " "))))
		}
		text += `,"choices":[` + strings.Join(choices, ",") + `]`
	}
	return text + "}"
}

// kindName returns the name of a kind in OPTIONS.
func kindName(k schema.Kind) string {
	switch k {
	case schema.Integer:
		return "integer"
	case schema.Text:
		return "string"
	case schema.Slug:
		return "slug"
	case schema.Timestamp:
		return "datetime"
	case schema.Boolean:
		return "boolean"
	case schema.URL:
		return "url"
	case schema.TextList:
		return "list"
	case schema.Float:
		return "float"
	case schema.Decimal:
		return "decimal"
	case schema.Date:
		return "date"
	case schema.Choice:
		return "choice"
	}
	return "field"
}

// label returns the human-readable name of a field: "Start date" for startDate.
func label(name string) string {
	if name == "id" {
		return "ID"
	}
	return capital(strings.ReplaceAll(ordering.Snake(name), "_", " "))
}

// capital returns text with its first letter in upper case.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}
