package browse

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/resources"
)

// formJSON makes the JSON object of what a form holds. What is empty is left out,
// so that the handler takes its default or asks for it; what cannot be what it
// should be goes as text, so that the handler says what is wrong.
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

// fieldJSON makes JSON of the text of one field. ok is false if there is nothing
// to send.
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
		return listJSON(strings.FieldsFunc(text, isBetweenIDs), numberJSON), true
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

// numberJSON takes an integer as it stands.
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

func isBetweenIDs(r rune) bool {
	return r == ',' || r == ';' || r == ' ' || r == '\t' || r == '\n' || r == '\r'
}

// lines are those with something in them.
func lines(text string) []string {
	var all []string
	for line := range strings.SplitSeq(unixLines(text), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// unixLines undoes what forms do to line ends.
func unixLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// timestamp lets people write a date-time with spaces in it.
func timestamp(text string) string {
	date, rest, ok := strings.Cut(strings.TrimSpace(text), " ")
	if !ok {
		return date
	}
	return date + "T" + strings.ReplaceAll(rest, " ", "")
}

// quote writes text as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func quote(text string) string {
	quoted, _ := json.Marshal(text) // a string never fails
	return string(quoted)
}
