// Package formdata reads forms as the parsers of Django REST framework do, and converts them to JSON.
package formdata

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// The types of forms.
const (
	Encoded   = "application/x-www-form-urlencoded"
	Multipart = "multipart/form-data"
)

// maxValues is the maximum number of values of a form, which is Django's.
const maxValues = 1000

// A Form is the values of a form, in order.
type Form []Value

// A Value is a value of a form, or of an object or a list inside it.
type Value struct {
	Name string // such as address.street or tools[0], in any spelling
	Text string
	Type Type
}

// Type is what a Value is.
type Type uint8

// The types of values.
const (
	Text Type = iota
	File      // whose content is ignored
	JSON      // a text that is JSON, for a field of any kind
)

// Is reports whether a Content-Type is that of a form.
func Is(contentType string) bool {
	media := negotiation.ParseMediaType(contentType)
	return media.Is(Encoded) || media.Is(Multipart)
}

// Parse reads a form whose Content-Type Is accepts. An empty body is an empty form. fault is the error
// text for a response, or "".
func Parse(contentType string, body []byte) (f Form, fault string) {
	media, texts, files := negotiation.ParseMediaType(contentType), body, []byte(nil)
	if len(body) > 0 && !media.Is(Encoded) {
		boundary, fault := boundaryOf(contentType)
		if fault != "" {
			return nil, fault
		}
		texts, files = split(string(body), "--"+boundary)
	}
	if bytes.Count(bytes.TrimRight(texts, "&"), []byte("&"))+bytes.Count(files, []byte("&")) >= maxValues {
		return nil, fmt.Sprintf("Too many values in a form: at most %d are allowed.", maxValues)
	}
	if media.IsLatin1() {
		texts, files = fromLatin1(texts), fromLatin1(files)
	}
	for i, query := range [][]byte{texts, files} {
		for name, text := range pagination.ParseQuery(string(query)).All() {
			f = append(f, Value{name, text, Type(i)})
		}
	}
	return f, ""
}

// boundaryOf returns the boundary of the parts of a multipart body, or an error text.
func boundaryOf(contentType string) (boundary, fault string) {
	boundary, ok := negotiation.ParseMediaType(contentType).Param("boundary")
	switch {
	case strings.ContainsFunc(contentType, func(r rune) bool { return r > '~' }):
		return "", "Multipart form parse error - Invalid non-ASCII Content-Type in multipart: " + string(negotiation.FromLatin1([]byte(contentType)))
	case !ok:
		return "", "Multipart form parse error - Invalid boundary in multipart: None"
	case !regexp.MustCompile(`^[ -~]{0,200}[!-~]$`).MatchString(boundary):
		return "", "Multipart form parse error - Invalid boundary in multipart: " + boundary
	}
	return boundary, ""
}

// split returns the texts and the files of a multipart body as queries. Like Django, it also reads
// what is before the first boundary, and a last value without a boundary after it.
func split(body, boundary string) (texts, files []byte) {
	for more := true; more; {
		var part string
		part, body, more = strings.Cut(body, boundary)
		head, value, _ := strings.Cut(part, "\r\n\r\n")
		if more {
			value = strings.TrimSuffix(strings.TrimSuffix(value, "\n"), "\r")
		}
		for line := range strings.SplitSeq(head, "\r\n") {
			header, text, _ := strings.Cut(line, ":")
			disposition := negotiation.ParseMediaType(text)
			name, named := disposition.Param("name")
			file, _ := disposition.Param("filename")
			switch {
			case !negotiation.EqualFold(header, "Content-Disposition") || !named:
			case file != "":
				files = append(files, url.QueryEscape(name)+"&"...)
			default:
				texts = append(texts, url.QueryEscape(name)+"="+url.QueryEscape(value)+"&"...)
			}
		}
	}
	return texts, files
}

// fromLatin1 converts a query to UTF-8, in which the escapes of letters are no longer escaped.
func fromLatin1(query []byte) []byte {
	high := regexp.MustCompile(`%[89A-Fa-f][0-9A-Fa-f]`)
	return high.ReplaceAllFunc(negotiation.FromLatin1(query), func(escape []byte) []byte {
		b, _ := hex.DecodeString(string(escape[1:]))
		return negotiation.FromLatin1(b)
	})
}

// Object returns a form as the JSON of an object. As in the framework, a boolean that is absent is
// false and a list of references empty, except in a PATCH, which is partial. Values that JSON cannot
// represent become values that the fields reject.
func (f Form) Object(fields []schema.Field, partial bool, as schema.Framework) string {
	f = slices.Clone(f)
	for i := range f {
		f[i].Name = ordering.Snake(f[i].Name)
	}
	return f.object(fields, partial, as)
}

func (f Form) object(fields []schema.Field, partial bool, as schema.Framework) string {
	var members []string
	for _, field := range fields {
		if text := f.value(field, partial, as); text != "" && !field.ReadOnly && !field.Computed {
			members = append(members, wire.Quote(field.Name)+":"+text)
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// value returns the JSON of the value of a field, or "" if it is absent.
func (f Form) value(field schema.Field, partial bool, as schema.Framework) string {
	name := ordering.Snake(field.Name)
	values := f.inside(name, true)
	if n := len(values); n > 0 && values[n-1].Type == JSON {
		return values[n-1].json(field)
	}
	switch {
	case field.Kind == schema.Object:
		if inside := f.inside(name+".", false); inside != nil {
			return inside.object(field.Fields, partial, as)
		}
		return ""
	case field.Kind == schema.References && (values != nil || !partial):
		return list(values, func(v Value) string { return v.json(schema.Field{Kind: schema.Reference, By: field.By}) })
	case field.Kind == schema.Array && values != nil:
		return list(values, func(v Value) string { return v.json(*field.Item) })
	case field.Kind == schema.Array:
		items := f.items(name)
		if items == nil || partial && field.Item.Kind != schema.Object && !as.IndexesForms() {
			return ""
		}
		return list(items, func(item Form) string {
			if field.Item.Kind == schema.Object {
				return item.object(field.Item.Fields, partial, as)
			}
			return item[len(item)-1].json(*field.Item)
		})
	case values == nil && (field.Kind != schema.Boolean || partial):
		return ""
	case values == nil && field.Nullable && as.IndexesForms():
		return "null"
	case values == nil:
		return "false"
	}
	v := values[len(values)-1]
	switch {
	case v.Text != "" || v.Type == File || field.Blank:
	case field.Nullable:
		return "null"
	case !field.Required:
		return ""
	}
	return v.json(field)
}

// json returns the JSON of a value of a field. A number is one in JSON if that makes no difference.
func (v Value) json(field schema.Field) string {
	n, err := strconv.Atoi(v.Text)
	isNumber := err == nil && strconv.Itoa(n) == v.Text
	switch {
	case v.Type == File:
		return "{}"
	case v.Type != JSON && field.Kind == schema.JSON && schema.CheckSyntax([]byte(v.Text)) != nil:
		return `"\ud800"` // which no field can store
	case v.Type == JSON, field.Kind == schema.JSON:
		return v.Text
	case isNumber && (field.Kind == schema.Integer || field.Kind == schema.Float || field.Kind == schema.Reference && field.By == ""):
		return v.Text
	}
	return wire.Quote(v.Text)
}

// list returns the JSON of a list, whose elements are not JSON if there is no value.
func list[V any](values []V, element func(V) string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = element(v)
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// inside returns the values whose names begin with a prefix, or are it if whole is set, with the
// rest of their names.
func (f Form) inside(prefix string, whole bool) (inside Form) {
	for _, v := range f {
		if rest, ok := strings.CutPrefix(v.Name, prefix); ok && whole == (rest == "") {
			v.Name = rest
			inside = append(inside, v)
		}
	}
	return inside
}

// items returns the elements of a list in the order of their indexes: tools[0] is one without a name,
// and lines[0]sku has the name sku.
func (f Form) items(name string) (items []Form) {
	at := make(map[int]Form)
	for _, v := range f.inside(name+"[", false) {
		index, rest, ok := strings.Cut(v.Name, "]")
		if n, err := strconv.Atoi(index); ok && err == nil {
			v.Name = rest
			at[n] = append(at[n], v)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(at)) {
		items = append(items, at[n])
	}
	return items
}
