package browse

import (
	"bytes"
	"encoding/json"
	"errors"
	"html/template"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gobacklist/backlist/httpapi/internal/wire"
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
	Label string        // of the member, on the page of a record

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
	case class == "json" && utf8.RuneCountInString(c.Text) <= maxShort:
		class += " short"
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

// textCell returns the cell of a string, which may be a time, a URL, a number or plain text.
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
	return cutCell("text", text)
}

// listCell returns the cell of a list: separated by commas, or as JSON if it has nested
// values.
func listCell(value json.RawMessage) cell {
	texts, nested := readList(value)
	switch {
	case nested:
		return jsonCell(value)
	case len(texts) == 0:
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

// indented returns indented JSON, or the value itself if that is not JSON or would be too
// long.
func indented(value []byte) string { return string(wire.Indent(value, "\t")) }

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
	seen = u.Host + strings.TrimSuffix(u.Path, "/")
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".avif", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp":
		seen = path.Base(u.Path)
	}
	seen, _ = cut(seen)
	return seen, true
}

// maxSeen is the maximum number of visible characters of a text.
const maxSeen = 72

// cut shortens a text to maxSeen characters of its first line, at a space if possible.
// It reports whether the text is whole.
func cut(text string) (seen string, whole bool) {
	if utf8.RuneCountInString(text) <= maxSeen && !strings.Contains(text, "\n") {
		return text, true
	}
	line, _, _ := strings.Cut(text, "\n")
	end, runes := len(line), 0
	for i := range line {
		if runes == maxSeen {
			end = i
			break
		}
		runes++
	}
	if space := strings.LastIndexByte(line[:end], ' '); end < len(line) && space > end*2/3 {
		end = space
	}
	return strings.TrimRight(line[:end], " ") + "…", false
}

// isDecimal reports whether a text is a number with a decimal point, such as a price.
func isDecimal(text string) bool {
	whole, places, ok := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	return ok && whole != "" && places != "" && strings.Trim(whole+places, "0123456789") == ""
}

// readableTime formats a date, or a date-time in UTC, for display. Two times of one instant have
// the same text.
func readableTime(text string) (seen string, ok bool) {
	if len(text) == len(time.DateOnly) {
		day, err := time.Parse(time.DateOnly, text)
		return day.Format("2 Jan 2006"), err == nil
	}
	if len(text) < len("2006-01-02T15:04:05Z") || text[10] != 'T' {
		return "", false
	}
	t, err := time.Parse(time.RFC3339, text)
	return t.UTC().Format("2 Jan 2006, 15:04 UTC"), err == nil
}

// isID reports whether a text is an id.
func isID(text string) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n > 0
}

// members are the members of a JSON object, in order.
type members []member

type member struct {
	name  string
	value json.RawMessage
}

func (all *members) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return errors.New("browse: not an object")
	}
	*all = members{}
	for decoder.More() {
		name, _ := decoder.Token() // text is valid JSON
		m := member{name: name.(string)}
		if err := decoder.Decode(&m.value); err != nil {
			return err
		}
		*all = append(*all, m)
	}
	return nil
}

// byName returns the values of members by their names.
func (all members) byName() map[string]json.RawMessage {
	values := make(map[string]json.RawMessage, len(all))
	for _, m := range all {
		values[m.name] = m.value
	}
	return values
}

// readText returns the value of a JSON string. It returns false for other values.
func readText(value json.RawMessage) (text string, ok bool) {
	if len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return "", false
	}
	if plain := value[1 : len(value)-1]; !bytes.ContainsAny(plain, `\"`) && utf8.Valid(plain) {
		return string(plain), true // most strings
	}
	err := json.Unmarshal(value, &text)
	return text, err == nil
}

// readList returns the elements of a JSON list as text, and whether some are lists or
// objects. It returns nil, true for other values.
func readList(value json.RawMessage) (texts []string, nested bool) {
	var elements []json.RawMessage
	if json.Unmarshal(value, &elements) != nil {
		return nil, true
	}
	for _, element := range elements {
		text, ok := readText(element)
		if !ok {
			text = string(element)
		}
		texts = append(texts, text)
		nested = nested || element[0] == '[' || element[0] == '{'
	}
	return texts, nested
}
