package httpapi

import (
	"fmt"
	"strings"

	"github.com/gobacklist/backlist/resources"
)

// rootMetadata is the answer to OPTIONS of the root.
func rootMetadata() []byte {
	return []byte(metadata("Api Root", "The default basic root view for DefaultRouter") + "}")
}

// listMetadata is the answer to OPTIONS of a collection, for those who may not post.
func listMetadata(d resources.Collection) []byte {
	return []byte(metadata(d.Title(), "") + "}")
}

// listActions is the same for those who may.
func listActions(d resources.Collection) []byte {
	fields := make([]string, len(d.Fields))
	for i, f := range d.Fields {
		fields[i] = fieldMetadata(f)
	}
	return []byte(metadata(d.Title(), "") +
		`,"actions":{"POST":{` + strings.Join(fields, ",") + `}}}`)
}

// metadata is what all have in common, without the closing brace.
func metadata(name, description string) string {
	return fmt.Sprintf(`{"name":%s,"description":%s,"renders":["application/json"],"parses":["application/json"]`,
		quote(name), quote(description))
}

func fieldMetadata(f resources.Field) string {
	return fmt.Sprintf(`%s:{"type":%s,"required":%t,"readOnly":%t,"label":%s}`,
		quote(f.Name), quote(f.Kind.Type()), f.Required, f.ReadOnly, quote(f.Label()))
}
