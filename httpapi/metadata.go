package httpapi

import (
	"fmt"
	"strings"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// rootMetadata returns the response to OPTIONS at the root.
func rootMetadata() []byte {
	return []byte(metadata("Api Root", "The default basic root view for DefaultRouter") + "}")
}

// listMetadata returns the response to OPTIONS of a collection if the client may not post.
func listMetadata(d resources.Description) []byte {
	return []byte(metadata(d.Title(), "") + "}")
}

// listActions returns the response to OPTIONS of a collection if the client may post.
func listActions(d resources.Description) []byte {
	fields := make([]string, len(d.Fields))
	for i, f := range d.Fields {
		fields[i] = fieldMetadata(f)
	}
	return []byte(metadata(d.Title(), "") +
		`,"actions":{"POST":{` + strings.Join(fields, ",") + `}}}`)
}

// metadata returns the common part of these responses, without the closing brace.
func metadata(name, description string) string {
	return fmt.Sprintf(`{"name":%s,"description":%s,"renders":["application/json"],"parses":["application/json"]`,
		quote(name), quote(description))
}

func fieldMetadata(f resources.Field) string {
	return fmt.Sprintf(`%s:{"type":%s,"required":%t,"readOnly":%t,"label":%s}`,
		quote(f.Name), quote(kindName(f.Kind)), f.Required, f.ReadOnly, quote(label(f.Name)))
}

// kindName returns the name of a kind in OPTIONS.
func kindName(k resources.Kind) string {
	switch k {
	case resources.Integer:
		return "integer"
	case resources.Text:
		return "string"
	case resources.Slug:
		return "slug"
	case resources.Timestamp:
		return "datetime"
	case resources.Boolean:
		return "boolean"
	case resources.URL:
		return "url"
	case resources.TextList:
		return "list"
	}
	return "field"
}

// label returns the human-readable name of a field: "Start date" for startDate.
func label(name string) string {
	if name == "id" {
		return "ID"
	}
	text := strings.ReplaceAll(ordering.Snake(name), "_", " ")
	return strings.ToUpper(text[:1]) + text[1:]
}
