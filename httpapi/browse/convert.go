package browse

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// formJSON returns the values of a form as a JSON object. It omits empty values, so
// that the handler applies the default or requires the field, and passes invalid values
// as text, so that the handler reports the error.
func formJSON(fields []schema.Field, posted url.Values) []byte {
	var out object
	for _, field := range fields {
		if field.ReadOnly {
			continue
		}
		value, ok := fieldJSON(field, posted.Get(field.Name))
		if !ok && mayBeEmpty(field) && field.Required {
			value, ok = emptyJSON(field), true
		}
		if ok {
			out.add(field.Name, value)
		}
	}
	return out.json()
}

// object is a JSON object under construction.
type object struct{ text strings.Builder }

func (o *object) add(name, value string) {
	if o.text.Len() > 0 {
		o.text.WriteByte(',')
	}
	o.text.WriteString(quote(name) + ":" + value)
}

func (o *object) json() []byte { return []byte("{" + o.text.String() + "}") }

// fieldJSON returns the JSON of one field. ok is false if the text is empty.
func fieldJSON(field schema.Field, text string) (value string, ok bool) {
	if field.Kind == schema.Boolean && !field.Nullable {
		return strconv.FormatBool(text != ""), true
	}
	if strings.TrimSpace(text) == "" {
		return "", false
	}
	switch field.Kind {
	case schema.Boolean:
		if text == "true" || text == "false" {
			return text, true
		}
	case schema.Integer, schema.Reference:
		return numberJSON(text), true
	case schema.Float, schema.Decimal, schema.Date:
		return quote(strings.TrimSpace(text)), true
	case schema.References:
		return listJSON(strings.FieldsFunc(text, isIDSeparator), numberJSON), true
	case schema.TextList:
		return listJSON(lines(text), quote), true
	case schema.Timestamp:
		return quote(timestamp(text)), true
	case schema.JSON:
		if json.Valid([]byte(text)) {
			return text, true
		}
	}
	return quote(unixLines(text)), true
}

// mayBeEmpty reports whether the empty text is a valid value in a form.
func mayBeEmpty(field schema.Field) bool { return field.Nullable || field.Blank }

// emptyJSON returns the JSON of an empty input: an empty list, null or empty text. The
// handler reports an error if the field does not permit it.
func emptyJSON(field schema.Field) string {
	switch {
	case field.Kind == schema.References, field.Kind == schema.TextList:
		return "[]"
	case field.Kind == schema.JSON, field.Nullable && !field.Blank:
		return "null"
	}
	return `""`
}

// numberJSON returns an integer as a JSON number and any other text as a string.
func numberJSON(text string) string {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	return quote(text)
}

func listJSON(texts []string, element func(string) string) string {
	elements := make([]string, len(texts))
	for i, text := range texts {
		elements[i] = element(text)
	}
	return "[" + strings.Join(elements, ",") + "]"
}

func isIDSeparator(r rune) bool {
	return r == ',' || r == ';' || r == ' ' || r == '\t' || r == '\n' || r == '\r'
}

// lines returns the lines of a text, trimmed, without empty ones.
func lines(text string) []string {
	var all []string
	for line := range strings.SplitSeq(unixLines(text), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// unixLines replaces the line endings that forms send.
func unixLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// received returns the text that comes back if a form has text as a value: browsers
// replace all line endings, and the template replaces U+0000.
func received(text string) string {
	return strings.NewReplacer("\r", "\n", "\x00", "\uFFFD").Replace(unixLines(text))
}

// timestamp converts a date-time with spaces, such as 2026-05-10 18:00 +02:00, to RFC
// 3339. It does not validate it.
func timestamp(text string) string {
	date, rest, ok := strings.Cut(strings.TrimSpace(text), " ")
	if !ok {
		return date
	}
	return date + "T" + strings.ReplaceAll(rest, " ", "")
}

// quote returns text as a JSON string. Invalid UTF-8 becomes U+FFFD.
func quote(text string) string {
	quoted, _ := json.Marshal(text) // strings are always valid
	return string(quoted)
}
