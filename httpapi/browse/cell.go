package browse

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"
)

// cell is a value as it is shown. The zero cell is that of a member which the
// record does not have.
type cell struct {
	Class string // null, flag, number, text, short, time, json, or "" for none
	Text  string // what is seen at once
	Whole string // the value, if Text is not all of it
	Link  string // an http or https URL, or ""
	Exact string // a time as it was sent, or ""
	Head  bool   // it names the record: its id
}

// newCell shows a JSON value.
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

// textCell shows a string by what it looks like.
func textCell(text string) cell {
	if seen, ok := readableTime(text); ok {
		return cell{Class: "time", Text: seen, Exact: text}
	}
	if seen, ok := readableURL(text); ok {
		return cell{Class: shorter("text", seen), Text: seen, Link: text}
	}
	if words := stripTags(text); words != "" && isMarkup(text) {
		seen, _ := cut(words)
		return cell{Class: "text", Text: seen, Whole: text}
	}
	return cutCell("text", text)
}

// listCell shows a list of plain values with commas between them.
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

// jsonCell shows what has a structure: cut, and whole with its lines indented.
func jsonCell(value json.RawMessage) cell {
	c := cutCell("json", string(value))
	if c.Whole != "" {
		c.Whole = indented(value)
	}
	return c
}

// maxIndented is how deep JSON may be nested to be indented. Each element of a
// deeper one could be a line of hundreds of blanks, and there may be thousands.
const maxIndented = 8

// indented lays JSON out for reading; what is too deep, or no JSON, stays as it is.
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

// cutCell shows a text, or the beginning of a long one with the whole behind it.
func cutCell(class, text string) cell {
	seen, whole := cut(text)
	if whole {
		return cell{Class: shorter(class, seen), Text: seen}
	}
	return cell{Class: class, Text: seen, Whole: text}
}

// maxShort is how many characters of text stay in one line.
const maxShort = 26

func shorter(class, text string) string {
	if class == "text" && utf8.RuneCountInString(text) <= maxShort {
		return "short"
	}
	return class
}

// readableURL shortens an http or https URL to its host and the end of its path;
// anything else is no URL to follow.
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
