package httpapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// rootMetadata returns the response to OPTIONS at the root.
func rootMetadata() []byte {
	return []byte(commonMetadata("Api Root", "The default basic root view for DefaultRouter") + "}")
}

// metadata returns the response to OPTIONS at another path. If method is not empty, it
// lists the fields that the client may send with the method.
func metadata(title, method string, about *schema.Description) []byte {
	if method == "" {
		return []byte(commonMetadata(title, "") + "}")
	}
	list := make([]string, len(about.Fields))
	for i, f := range about.Fields {
		list[i] = fieldMetadata(f, about.SnakeCase())
	}
	return []byte(commonMetadata(title, "") + `,"actions":{"` + method + `":{` + strings.Join(list, ",") + `}}}`)
}

// commonMetadata returns the common part of these responses, without the closing brace.
func commonMetadata(name, description string) string {
	return fmt.Sprintf(`{"name":%s,"description":%s,"renders":["application/json"],"parses":["application/json"]`,
		wire.Quote(name), wire.Quote(description))
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
	switch {
	case r.collection == nil:
		v.write(http.StatusOK, rootMetadata())
	case r.actions.Has(schema.Create) && v.authorize(schema.Create) == nil:
		v.write(http.StatusOK, metadata(title(r.about.Name)+" List", http.MethodPost, r.about))
	case r.actions.Has(schema.Update) && v.authorize(schema.Update) == nil && v.exists():
		v.write(http.StatusOK, metadata(title(r.about.Name)+" Instance", http.MethodPut, r.about))
	case r.isRecord:
		v.write(http.StatusOK, metadata(title(r.about.Name)+" Instance", "", nil))
	default:
		v.write(http.StatusOK, metadata(title(r.about.Name)+" List", "", nil))
	}
}
