// Package wire has what several packages know of the form of requests and responses: which
// paths name records, and how text and indented JSON are written.
package wire

import (
	"bytes"
	"encoding/json"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// RecordActions are the actions on the path of a record.
const RecordActions = schema.Retrieve | schema.Update | schema.PartialUpdate | schema.Destroy

// Sortable returns the names of the fields, in snake_case, that records can be ordered by: those
// in Sortable or, if that is nil, of Fields that are stored and served. It returns nil if they are
// not known.
func Sortable(d schema.Description) []string {
	if d.Sortable != nil || d.Fields == nil {
		return d.Sortable
	}
	names := make([]string, 0, len(d.Fields))
	for _, f := range d.Fields {
		if !f.Hidden && !f.Computed {
			names = append(names, ordering.Snake(f.Name))
		}
	}
	return names
}

// Terms returns the terms of an ordering whose fields, in snake_case, valid accepts.
func Terms(d schema.Description, text string, valid func(field string) bool) []ordering.Term {
	terms := ordering.Parse(text, func(name string) bool { return valid(d.Named(name)) })
	for i := range terms {
		terms[i].Field = d.Named(terms[i].Field)
	}
	return terms
}

// Selects reports whether a parameter selects records of a collection.
func Selects(d schema.Description, parameter string) bool {
	_, search := d.Params()
	return slices.Contains(d.Filters, d.Named(parameter)) || parameter == search && len(d.Search) > 0
}

// IsPortable reports whether a pattern consists of what means the same in Go and in ECMA-262:
// characters, classes, groups, alternatives, repetitions and the ends of the text.
func IsPortable(pattern string) bool {
	const (
		escape = `\\[dDwW.*+?()\[\]{}^$|/\\]`
		inside = `(?:[^\\\[\]^-]|\\[.*+?()\[\]{}^$|/\\-])`
		class  = `\[\^?(?:-|\\[dDwW]|` + inside + `(?:-` + inside + `)?)(?:\\[dDwW]|` + inside + `(?:-` + inside + `)?)*-?\]`
		atom   = `(?:[^\\\[\](){}*+?^$|]|` + escape + `|` + class + `|\))`
	)
	simple := regexp.MustCompile(`^(?:` + atom + `(?:(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??)?|\((?:\?:)?|[|^$])*$`)
	return simple.MatchString(pattern)
}

// IsPrefix reports whether text is a clean path such as /shop: decoded, with a slash at its
// beginning and none at its end, and without characters that have a meaning in URLs or patterns.
// Escapes could hide slashes and points.
func IsPrefix(text string) bool {
	return len(text) > 1 && text[0] == '/' && path.Clean(text) == text && !strings.ContainsAny(text, "{}?#% \t\r\n")
}

// IsRoot reports whether text can be the path of a root listing: a slash, or a prefix in ASCII
// that a slash follows.
func IsRoot(text string) bool {
	prefix, ok := strings.CutSuffix(text, "/")
	hasOthers := strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' })
	return ok && !hasOthers && (prefix == "" || IsPrefix(prefix))
}

// SplitRecord returns the path of the collection and the segment of the record in a path such
// as /api/films/7/. It reports whether the path can name a record: the segment is not empty and
// is followed by a slash.
func SplitRecord(path string) (collection, segment string, ok bool) {
	rest, ok := strings.CutSuffix(path, "/")
	if !ok {
		return "", "", false
	}
	at := strings.LastIndexByte(rest, '/') + 1
	return rest[:at], rest[at:], at < len(rest)
}

// IsRecord reports whether a segment of a path is an id, or an id with a format suffix. As in
// Django REST framework, it has at most one point, before the name of a format.
func IsRecord(segment string) bool {
	id, format, suffixed := strings.Cut(segment, ".")
	if id == "" || suffixed && format == "" {
		return false
	}
	return !strings.ContainsFunc(format, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

// HasFormat reports whether the segment of a record has the suffix of a format, none of
// which are served.
func HasFormat(segment string) bool { return strings.Contains(segment, ".") }

// Quote returns text as a JSON string, as [schema.AppendQuote] does.
func Quote(text string) string { return string(schema.AppendQuote(make([]byte, 0, len(text)+2), text)) }

// AddVary adds the names of headers to Vary, except those that are there. It does not modify the
// slice of values that Vary has. If Vary has no others, its values become names and share memory with it.
func AddVary(header http.Header, names []string) {
	if header["Vary"] == nil {
		header["Vary"] = names
		return
	}
	fields := func(values []string) []string {
		return strings.FieldsFunc(strings.Join(values, ","), func(r rune) bool { return r == ',' || r == ' ' })
	}
	lack := func(list []string, name string) bool {
		return !slices.ContainsFunc(list, func(other string) bool { return other == "*" || strings.EqualFold(other, name) })
	}
	there, added := fields(header["Vary"]), fields(names)
	if !slices.ContainsFunc(there, func(name string) bool { return lack(added, name) }) {
		header["Vary"] = names
		return
	}
	for _, name := range added {
		if lack(there, name) {
			header["Vary"] = append(slices.Clip(header["Vary"]), name)
		}
	}
}

// Capital returns text with its first letter in upper case.
func Capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Titles returns the words of a name in title case.
func Titles(name string) []string {
	words := strings.Fields(name)
	for i, word := range words {
		words[i] = Capital(word)
	}
	return words
}

// Words returns the words of a name such as item_variants, film-roles or address__city.
func Words(name string) string {
	return strings.NewReplacer("__", " ", "_", " ", "-", " ").Replace(name)
}

// MaxIndented returns the maximum length of an indented body whose compact form has the given
// length. In deeply nested JSON each of many short elements takes a line of its own, so that
// the client could otherwise ask for a response hundreds of times as long as the record.
func MaxIndented(compact int) int { return 8*compact + 64<<10 }

// Indent returns JSON with a line for each element, indented by unit for each level. It returns
// value itself if that is not JSON, or if the result would be longer than [MaxIndented].
func Indent(value []byte, unit string) []byte {
	if !json.Valid(value) || IndentedLen(value, len(unit), 0) > MaxIndented(len(value)) {
		return value
	}
	var out bytes.Buffer
	_ = json.Indent(&out, value, "", unit) // value is valid
	return out.Bytes()
}

// IndentedLen returns the length of valid JSON as [json.Indent] writes it inside of some
// levels, each of which is indented by n bytes, without white space around it. O(len of value).
func IndentedLen(value []byte, n, level int) (size int) {
	var last byte // before c, without white space
	for i := 0; i < len(value); i++ {
		c := value[i]
		if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			continue
		}
		closes, inEmpty := c == ']' || c == '}', last == '[' || last == '{'
		if closes {
			level--
		}
		if last == ',' || closes != inEmpty {
			size += len("\n") + n*level
		}
		switch c {
		case '[', '{':
			level++
		case ':':
			size += len(" ")
		case '"':
			start := i
			for i++; value[i] != '"'; i++ {
				if value[i] == '\\' {
					i++
				}
			}
			size += i - start
		}
		size++
		last = c
	}
	return size
}

// Shown returns the members of a record as it is served alone.
func Shown(about schema.Description) []schema.Field {
	if about.Shown != nil {
		return about.Shown
	}
	return about.Fields
}

// ShownInLists returns the members of a record in lists.
func ShownInLists(about schema.Description) []schema.Field {
	if about.ShownInLists != nil {
		return about.ShownInLists
	}
	return about.Fields
}
