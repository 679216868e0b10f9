// Package formdata reads forms as the parsers of Django REST framework do, and converts them to JSON.
package formdata

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/ordering"
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
// text for a response, or "". Whatever the body is, Parse allocates a few times its size.
func Parse(contentType string, body []byte) (f Form, fault string) {
	media, rest, separator, read := negotiation.ParseMediaType(contentType), string(body), "&", readPair
	latin1, isEncoded := media.IsLatin1(), media.Is(Encoded)
	switch {
	case isEncoded && !latin1 && !utf8.ValidString(rest):
		rest = decoded(rest, true)
	case !isEncoded && rest != "":
		boundary, fault := boundaryOf(contentType)
		if fault != "" {
			return nil, fault
		}
		separator, read = "--"+boundary, readPart
	}
	for more := true; more && len(f) <= maxValues; {
		var text string
		text, rest, more = strings.Cut(rest, separator)
		if v, ok := read(text, more, latin1); ok {
			f = append(f, v)
		}
	}
	if len(f) > maxValues {
		return nil, fmt.Sprintf("Too many values in a form: at most %d are allowed.", maxValues)
	}
	slices.SortStableFunc(f, func(a, b Value) int { return int(a.Type) - int(b.Type) }) // files are last
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

// readPair returns the value of a pair of an encoded body, unless the pair is empty.
func readPair(pair string, _, latin1 bool) (v Value, ok bool) {
	name, text, _ := strings.Cut(strings.ReplaceAll(pair, "+", " "), "=")
	return Value{Name: unescaped(name, latin1), Text: unescaped(text, latin1)}, pair != ""
}

// unescaped decodes a name or a text of an encoded body. It keeps invalid escapes.
func unescaped(text string, latin1 bool) string {
	if strings.Contains(text, "%") {
		b := make([]byte, 0, len(text))
		for i := 0; i < len(text); i++ {
			if b = append(b, text[i]); text[i] == '%' && i+2 < len(text) {
				n, _ := hex.Decode(b[len(b)-1:], []byte(text[i+1:i+3])) // nothing if it is none
				i += 2 * n
			}
		}
		text = string(b)
	}
	return decoded(text, latin1)
}

// readPart returns the value of a part of a multipart body, if the part has a name. ended reports
// whether a boundary follows. The parts are those of Django, and not of mime/multipart: a boundary
// can be anywhere, what is before the first one and after the last one is a part too, only CRLF ends
// a line of its head, and of several lines of a header the last one counts.
func readPart(part string, ended, latin1 bool) (v Value, ok bool) {
	if ended {
		part = strings.TrimSuffix(strings.TrimSuffix(part, "\n"), "\r")
	}
	head, text, ok := strings.Cut(part, "\r\n\r\n")
	var disposition negotiation.MediaType
	encoding := ""
	for line := range strings.SplitSeq(head, "\r\n") {
		switch header, value, _ := strings.Cut(line, ":"); {
		case negotiation.EqualFold(header, "Content-Disposition"):
			disposition = negotiation.ParseMediaType(value)
		case negotiation.EqualFold(header, "Content-Transfer-Encoding"):
			encoding, _, _ = strings.Cut(value, ";")
		}
	}
	name, named := disposition.Param("name")
	v.Name = decoded(strings.TrimSpace(name), latin1)
	if file, _ := disposition.Param("filename"); file != "" {
		v.Type, text = File, ""
	}
	if negotiation.EqualFold(strings.TrimSpace(encoding), "base64") {
		if b, err := base64.StdEncoding.DecodeString(text); err == nil {
			text = string(b)
		}
	}
	v.Text = decoded(text, latin1)
	return v, ok && named
}

// decoded returns a text in UTF-8. Like Python, it replaces each maximal subpart that is not UTF-8
// with U+FFFD.
func decoded(text string, latin1 bool) string {
	switch {
	case latin1:
		return string(negotiation.FromLatin1([]byte(text)))
	case utf8.ValidString(text):
		return text
	}
	valid := make([]rune, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		for r == utf8.RuneError && size < len(text) && !utf8.FullRuneInString(text[:size+1]) {
			size++
		}
		valid, text = append(valid, r), text[size:]
	}
	return string(valid)
}

// Options are what a form depends on besides its fields.
type Options struct {
	Partial   bool // the form is that of a PATCH
	Framework schema.Framework
	Unread    bool // names that no field has become members, too
}

// Object returns a form as the JSON of an object. As in the framework, a boolean that is absent is
// false and a list of references empty, except in a PATCH. Values that JSON cannot represent become
// values that the fields reject.
func (f Form) Object(fields []schema.Field, opts Options) []byte {
	f = slices.Clone(f)
	size := 0
	for i := range f {
		f[i].Name = ordering.Snake(f[i].Name)
		size += 2 * len(f[i].Text)
	}
	return f.appendObject(make([]byte, 0, size), fields, opts)
}

// appendObject and the functions like it append to JSON text.
func (f Form) appendObject(dst []byte, fields []schema.Field, opts Options) []byte {
	dst = append(dst, '{')
	for _, field := range fields {
		named := append(schema.AppendQuote(dst, field.Name), ':')
		value := f.appendValue(named, field, opts)
		if len(value) == len(named) || field.ReadOnly || field.Computed {
			dst = value[:len(dst)]
		} else {
			dst = append(value, ',')
		}
	}
	for _, v := range f {
		if !opts.Unread {
			break
		}
		name, _, _ := strings.Cut(strings.ReplaceAll(v.Name, "[", "."), ".")
		if !slices.ContainsFunc(fields, func(field schema.Field) bool { return ordering.Snake(field.Name) == name }) {
			dst = append(v.appendTo(append(schema.AppendQuote(dst, v.Name), ':'), schema.Field{}), ',')
		}
	}
	return append(bytes.TrimSuffix(dst, []byte(",")), '}')
}

// appendValue appends the value of a field, or nothing if it is absent.
func (f Form) appendValue(dst []byte, field schema.Field, opts Options) []byte {
	name := ordering.Snake(field.Name)
	values := f.inside(name, true)
	if n := len(values); n > 0 && values[n-1].Type == JSON {
		return values[n-1].appendTo(dst, field)
	}
	switch {
	case field.Kind == schema.Object:
		if inside := f.inside(name+".", false); inside != nil {
			return inside.appendObject(dst, field.Fields, opts)
		}
		return dst
	case field.Kind == schema.References && (values != nil || !opts.Partial):
		return appendList(dst, values, schema.Field{Kind: schema.Reference, By: field.By}, Value.appendTo)
	case field.Kind == schema.Array && values != nil:
		return appendList(dst, values, *field.Item, Value.appendTo)
	case field.Kind == schema.Array:
		items := f.items(name)
		if items == nil || opts.Partial && field.Item.Kind != schema.Object && !opts.Framework.IndexesForms() {
			return dst
		}
		return appendList(dst, items, *field.Item, func(values Form, dst []byte, item schema.Field) []byte {
			if item.Kind == schema.Object {
				return values.appendObject(dst, item.Fields, opts)
			}
			return values[len(values)-1].appendTo(dst, item)
		})
	case values == nil && (field.Kind != schema.Boolean || opts.Partial):
		return dst
	case values == nil && field.Nullable && opts.Framework.IndexesForms():
		return append(dst, "null"...)
	case values == nil:
		return append(dst, "false"...)
	}
	v := values[len(values)-1]
	switch {
	case v.Text != "" || v.Type == File || field.Blank:
	case field.Nullable:
		return append(dst, "null"...)
	case !field.Required:
		return dst
	}
	return v.appendTo(dst, field)
}

// appendTo appends the JSON of a value of a field. A number is one in JSON if that makes no difference.
func (v Value) appendTo(dst []byte, field schema.Field) []byte {
	n, err := strconv.Atoi(v.Text[:min(len(v.Text), 32)]) // whose error has the text again
	isNumber := err == nil && strconv.Itoa(n) == v.Text
	switch {
	case v.Type == File:
		return append(dst, "{}"...)
	case v.Type != JSON && field.Kind == schema.JSON && schema.CheckSyntax([]byte(v.Text)) != nil:
		return append(dst, `"\ud800"`...) // which no field can store
	case v.Type == JSON, field.Kind == schema.JSON:
		return append(dst, v.Text...)
	case isNumber && (field.Kind == schema.Integer || field.Kind == schema.Float || field.Kind == schema.Reference && field.By == ""):
		return append(dst, v.Text...)
	}
	return schema.AppendQuote(dst, v.Text)
}

// appendList appends a list with an element for each value.
func appendList[V any](dst []byte, values []V, item schema.Field, appendTo func(v V, dst []byte, item schema.Field) []byte) []byte {
	dst = append(dst, '[')
	for _, v := range values {
		dst = append(appendTo(v, dst, item), ',')
	}
	return append(bytes.TrimSuffix(dst, []byte(",")), ']')
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
