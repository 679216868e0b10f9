package browse

import (
	"bytes"
	"encoding/json"
	"html/template"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"
)

// cell is a table cell. The zero cell stands for a member that the record does not have.
type cell struct {
	Class string        // null, flag, number, text, short, time, json, or "" if absent
	Text  string        // the visible text
	Whole string        // the whole value, if Text is shortened
	Link  string        // an http or https URL, or ""
	Links template.HTML // links to the records whose ids are the value
	Exact string        // a time as received, or ""
	Head  bool          // the cell is the id, the header of its row

	// Set by finish, so that the template does less for each of many cells.
	Attr  template.HTMLAttr // the class attribute
	Plain bool              // the cell has only Text
}

// finish returns the cell as the template needs it.
func (c cell) finish() cell {
	c.Plain = c.Exact == "" && c.Links == "" && c.Link == "" && c.Whole == ""
	class := c.Class
	switch {
	case c.Head && class == "number":
		class = "id number"
	case c.Head:
		class = "id"
	case c.Whole != "":
		class += " long"
	}
	if class != "" {
		c.Attr = template.HTMLAttr(`class="` + class + `"`)
	}
	return c
}

// newCell returns the cell of a JSON value.
func newCell(value json.RawMessage) cell {
	switch value[0] {
	case 'n':
		return cell{Class: "null", Text: "null"}
	case 't', 'f':
		return cell{Class: "flag", Text: string(value)}
	case '"':
		text, _ := readText(value)
		return textCell(text)
	case '[':
		return listCell(value)
	case '{':
		return jsonCell(value)
	}
	return cutCell("number", string(value))
}

// textCell returns the cell of a string, which may be a time, a URL, HTML or plain text.
func textCell(text string) cell {
	if seen, ok := readableTime(text); ok {
		return cell{Class: "time", Text: seen, Exact: text}
	}
	if seen, ok := readableURL(text); ok {
		return cell{Class: shorter("text", seen), Text: seen, Link: text}
	}
	if isDecimal(text) {
		return cutCell("number", text)
	}
	if words := stripTags(text); words != "" && isMarkup(text) {
		seen, _ := cut(words)
		return cell{Class: "text", Text: seen, Whole: text}
	}
	return cutCell("text", text)
}

// listCell returns the cell of a list: separated by commas, or as JSON if it has nested
// values.
func listCell(value json.RawMessage) cell {
	var elements []json.RawMessage
	if err := json.Unmarshal(value, &elements); err != nil {
		return jsonCell(value)
	}
	texts := make([]string, len(elements))
	for i, element := range elements {
		switch element[0] {
		case '[', '{':
			return jsonCell(value)
		case '"':
			texts[i], _ = readText(element)
		default:
			texts[i] = string(element)
		}
	}
	if len(texts) == 0 {
		return cell{Class: "null", Text: "[]"}
	}
	return cutCell("text", strings.Join(texts, ", "))
}

// jsonCell returns the cell of a nested value. If it is shortened, the whole value is
// indented.
func jsonCell(value json.RawMessage) cell {
	c := cutCell("json", string(value))
	if c.Whole != "" {
		c.Whole = indented(value)
	}
	return c
}

// maxIndented is the maximum depth of indented JSON. In deeper JSON, each of thousands
// of elements could take a line of hundreds of tabs.
const maxIndented = 8

// indented returns indented JSON. It returns values that are too deep or not JSON
// unchanged.
func indented(value []byte) string {
	depth := 0
	for _, c := range value {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > maxIndented {
			return string(value)
		}
	}
	var out bytes.Buffer
	if err := json.Indent(&out, value, "", "\t"); err != nil {
		return string(value)
	}
	return out.String()
}

// cutCell returns the cell of a text, shortened if it is long.
func cutCell(class, text string) cell {
	seen, whole := cut(text)
	if whole {
		return cell{Class: shorter(class, seen), Text: seen}
	}
	return cell{Class: class, Text: seen, Whole: text}
}

// maxShort is the maximum number of characters of text that is not wrapped.
const maxShort = 26

func shorter(class, text string) string {
	if class == "text" && utf8.RuneCountInString(text) <= maxShort {
		return "short"
	}
	return class
}

// readableURL returns the host and path of an http or https URL, or the file name of an
// image. It returns false for any other text.
func readableURL(text string) (seen string, ok bool) {
	if !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
		return "", false
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return "", false
	}
	if isImage(u.Path) {
		seen, _ = cut(path.Base(u.Path))
		return seen, true
	}
	seen, _ = cut(u.Host + strings.TrimSuffix(u.Path, "/"))
	return seen, true
}

func isImage(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".avif", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp":
		return true
	}
	return false
}
