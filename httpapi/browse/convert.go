package browse

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/resources"
)

// formJSON returns the values of a form as a JSON object. It omits empty values, so
// that the handler applies the default or requires the field, and passes invalid values
// as text, so that the handler reports the error.
func formJSON(fields []resources.Field, posted url.Values) []byte {
	var out strings.Builder
	out.WriteByte('{')
	for _, field := range fields {
		if field.ReadOnly {
			continue
		}
		value, ok := fieldJSON(field.Kind, posted.Get(field.Name))
		if !ok {
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.WriteString(quote(field.Name) + ":" + value)
	}
	out.WriteByte('}')
	return []byte(out.String())
}

// fieldJSON returns the JSON of one field. ok is false if the field is to be omitted.
func fieldJSON(kind resources.Kind, text string) (value string, ok bool) {
	if kind == resources.Boolean {
		return strconv.FormatBool(text != ""), true
	}
	if strings.TrimSpace(text) == "" {
		return "", false
	}
	switch kind {
	case resources.Integer, resources.Reference:
		return numberJSON(text), true
	case resources.References:
		return listJSON(strings.FieldsFunc(text, isIDSeparator), numberJSON), true
	case resources.TextList:
		return listJSON(lines(text), quote), true
	case resources.Timestamp:
		return quote(timestamp(text)), true
	case resources.JSON:
		if json.Valid([]byte(text)) {
			return text, true
		}
	}
	return quote(unixLines(text)), true
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
