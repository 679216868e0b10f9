package httpapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// metadata returns the response to OPTIONS. The fields are those that the client may send with
// a method; there are none if method is empty.
func metadata(name, description, method string, about *schema.Description) []byte {
	text := fmt.Sprintf(`{"name":%s,"description":%s,"renders":["application/json"],"parses":["application/json"]`,
		wire.Quote(name), wire.Quote(description))
	if method != "" {
		list := make([]string, len(about.Fields))
		for i, f := range about.Fields {
			list[i] = fieldMetadata(f, about.SnakeCase())
		}
		text += `,"actions":{"` + method + `":{` + strings.Join(list, ",") + `}}`
	}
	return []byte(text + "}")
}

// fieldMetadata returns a field, with names in snake_case or camelCase.
func fieldMetadata(f schema.Field, snake bool) string {
	readOnly, minValue, maxValue, displayName := "readOnly", "minValue", "maxValue", "displayName"
	if snake {
		readOnly, minValue, maxValue, displayName = "read_only", "min_value", "max_value", "display_name"
	}
	text := fmt.Sprintf(`%s:{"type":%s,"required":%t,"%s":%t,"label":%s`,
		wire.Quote(f.Name), wire.Quote(f.Kind.String()), f.Required, readOnly, f.ReadOnly, wire.Quote(label(f)))
	if f.Min != nil {
		text += fmt.Sprintf(`,"%s":%d`, minValue, *f.Min)
	}
	if f.Max != nil {
		text += fmt.Sprintf(`,"%s":%d`, maxValue, *f.Max)
	}
	if f.Kind == schema.Choice {
		choices := make([]string, len(f.Choices))
		for i, c := range f.Choices {
			choices[i] = fmt.Sprintf(`{"value":%s,"%s":%s}`, wire.Quote(c), displayName, wire.Quote(wire.Capital(strings.ReplaceAll(c, "_", " "))))
		}
		text += `,"choices":[` + strings.Join(choices, ",") + `]`
	}
	return text + "}"
}

// title returns the name of a record in title case.
func title(name string) string {
	words := strings.Fields(name)
	for i, word := range words {
		words[i] = wire.Capital(word)
	}
	return strings.Join(words, " ")
}

// label returns the human-readable name of a field: "Start date" for startDate.
func label(f schema.Field) string {
	if f.Name == "id" {
		return "ID"
	}
	return wire.Capital(f.Label())
}

// options sends the metadata of the route. It includes the fields for POST or PUT if the
// client may send those. As in Django REST framework, it does not for a record that does
// not exist or is hidden by a filter.
func (v *view) options() {
	r := v.route
	if r.collection == nil {
		v.write(http.StatusOK, metadata("Api Root", "The default basic root view for DefaultRouter", "", nil))
		return
	}
	name, method, action := title(r.about.Name)+" List", http.MethodPost, schema.Create
	if r.isRecord {
		name, method, action = title(r.about.Name)+" Instance", http.MethodPut, schema.Update
	}
	if !r.actions.Has(action) || v.authorize(action) != nil || r.isRecord && !v.exists() {
		method = ""
	}
	v.write(http.StatusOK, metadata(name, "", method, r.about))
}
