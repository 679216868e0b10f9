package httpapi

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/formdata"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
)

// metadata returns the response to OPTIONS. The fields are those that the client may send with
// a method; there are none if method is empty.
func metadata(name, description, method string, about *schema.Description, opts Options) []byte {
	text := fmt.Sprintf(`{"name":%s,"description":%s,"renders":["application/json"],"parses":["application/json"`,
		wire.Quote(name), wire.Quote(description))
	if opts.Forms {
		text += `,"` + formdata.Encoded + `","` + formdata.Multipart + `"`
	}
	text += "]"
	if method != "" {
		text += `,"actions":{"` + method + `":` + fieldsMetadata(about.Requested(), about.SnakeCase(), opts.Framework) + `}`
	}
	return []byte(text + "}")
}

// fieldsMetadata returns the fields of a record or of an object inside it, with names in snake_case
// or camelCase. Fields that requests can neither read nor write are left out.
func fieldsMetadata(fields []schema.Field, snake bool, as schema.Framework) string {
	var list []string
	for _, f := range fields {
		if !f.Hidden || !f.ReadOnly {
			list = append(list, wire.Quote(f.Name)+":"+fieldMetadata(f, snake, as))
		}
	}
	return "{" + strings.Join(list, ",") + "}"
}

// fieldMetadata returns what is known of a field. The elements of lists have no label.
func fieldMetadata(f schema.Field, snake bool, as schema.Framework) string {
	b := []byte{'{'}
	add := func(name, value string) {
		if snake {
			name = ordering.Snake(name)
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, wire.Quote(name)+":"+value...)
	}
	kind, item := as.Type(f), f.Item
	if f.Method {
		item = nil
	}
	if item != nil && item.Kind == schema.Object && f.Kind == schema.Array {
		object := *item // a list of objects gives it its own options
		object.Required, object.ReadOnly = f.Required, f.ReadOnly
		kind, item = "field", &object
	}
	add("type", wire.Quote(kind))
	add("required", strconv.FormatBool(f.Required))
	add("readOnly", strconv.FormatBool(f.ReadOnly))
	if f.Name != "" {
		add("label", wire.Quote(label(f)))
	}
	if f.MinLength > 0 && kind != "field" {
		add("minLength", strconv.Itoa(f.MinLength))
	}
	if f.MaxLength > 0 && kind != "field" {
		add("maxLength", strconv.Itoa(f.MaxLength))
	}
	if f.Min != "" {
		add("minValue", f.Min)
	}
	if f.Max != "" {
		add("maxValue", f.Max)
	}
	if f.Kind == schema.Decimal && as.ShowsDigits() {
		add("maxDigits", strconv.Itoa(f.Digits))
		add("decimalPlaces", strconv.Itoa(f.Places))
	}
	if item != nil {
		add("child", fieldMetadata(*item, snake, as))
	}
	if f.Kind == schema.Object {
		add("children", fieldsMetadata(f.Fields, snake, as))
	}
	if kind == "choice" {
		add("choices", choicesMetadata(f, snake))
	}
	return string(append(b, '}'))
}

// choicesMetadata returns the choices of a field and their labels.
func choicesMetadata(f schema.Field, snake bool) string {
	displayName := "displayName"
	if snake {
		displayName = "display_name"
	}
	list, values := make([]string, len(f.Choices)), f.ChoiceValues()
	for i, c := range f.Choices {
		shown := wire.Capital(strings.ReplaceAll(c, "_", " "))
		if f.Labels != nil {
			shown = f.Labels[i]
		}
		list[i] = fmt.Sprintf(`{"value":%s,"%s":%s}`, values[i], displayName, wire.Quote(shown))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// label returns the human-readable name of a field: "Start date" for startDate.
func label(f schema.Field) string {
	if f.IsID() {
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
		v.write(http.StatusOK, metadata("Api Root", "The default basic root view for DefaultRouter", "", nil, v.handler.opts))
		return
	}
	name, method, action := strings.Join(wire.Titles(r.about.Name), " ")+" List", http.MethodPost, schema.Create
	if r.isRecord {
		name, method, action = strings.Join(wire.Titles(r.about.Name), " ")+" Instance", http.MethodPut, schema.Update
	}
	if !r.actions.Has(action) || v.authorize(action) != nil || r.isRecord && !v.exists() {
		method = ""
	}
	v.write(http.StatusOK, metadata(name, "", method, r.about, v.handler.opts))
}
