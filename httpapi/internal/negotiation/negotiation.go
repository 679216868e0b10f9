// Package negotiation implements the content negotiation of Django REST framework: methods
// that read, the Accept header, and the Content-Type of a body with
// its charset. JSON is the only type that is served.
package negotiation

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxIndent is the largest indentation that an Accept header can request.
const maxIndent = 8

// IsRead reports whether a method is GET or HEAD. As in net/http, "" is GET.
func IsRead(method string) bool {
	return method == "GET" || method == "HEAD" || method == ""
}

// Accept reports whether the Accept headers of a request accept JSON, and returns the
// number of spaces of indentation. Zero means compact.
//
// The indentation is the parameter indent, at most 8, of the most specific alternative
// that accepts JSON, or of the first of several. Qualities are ignored. If there is no
// header, JSON is accepted. If the header is empty, JSON is not accepted.
func Accept(headers []string) (indent int, ok bool) {
	if len(headers) == 0 {
		return 0, true
	}
	best, specificity := accepted(headers, "application/json")
	value, _ := best.Param("indent")
	n, _ := strconv.Atoi(strings.TrimSpace(value)) // the largest or least int if it is out of range
	return min(max(n, 0), maxIndent), specificity >= 0
}

// accepted returns the first of the most specific alternatives that accept a type, and its
// specificity, which is -1 if none does.
func accepted(headers []string, name string) (best MediaType, specificity int) {
	specificity = -1
	for alternative := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		m := ParseMediaType(alternative)
		if s := m.specificity(); s > specificity && m.Is(name) {
			best, specificity = m, s
		}
	}
	return best, specificity
}

// PrefersHTML reports whether a service that offers JSON first and HTML second responds
// with HTML to the Accept headers of a request.
//
// It does if the most specific alternative that accepts HTML is more specific than all
// those that accept JSON. Qualities and the order of the alternatives are ignored.
func PrefersHTML(headers []string) bool {
	_, html := accepted(headers, "text/html")
	_, json := accepted(headers, "application/json")
	return html > json
}

// ContentCoding returns the first coding in the values of Content-Encoding, as it was
// sent. It returns "" if the body is not encoded. It ignores the token identity, which RFC
// 9110 reserves for Accept-Encoding (section 12.5.3), but which clients send.
func ContentCoding(values []string) string {
	for coding := range strings.SplitSeq(strings.Join(values, ","), ",") {
		coding = strings.Trim(coding, " \t")
		if coding != "" && !EqualFold(coding, "identity") {
			return coding
		}
	}
	return ""
}

// A MediaType is a media type or a range of them, as in application/*.
type MediaType struct {
	main, sub string // as sent
	params    string // everything from the first ';' on
}

// ParseMediaType parses a Content-Type or one alternative of an Accept header as
// Django does. Parameters may be anything, and no text is an error. It does not
// allocate.
func ParseMediaType(text string) MediaType {
	first, rest := cutParam(text)
	main, sub, _ := strings.Cut(strings.TrimSpace(first), "/")
	return MediaType{main: main, sub: sub, params: rest}
}

// Is reports whether m is a type, such as application/json, or a range that contains it.
func (m MediaType) Is(name string) bool {
	main, sub, _ := strings.Cut(name, "/")
	return (m.main == "*" || EqualFold(m.main, main)) && (m.sub == "*" || EqualFold(m.sub, sub))
}

// IsJSON reports whether m is application/json or a range that contains it.
func (m MediaType) IsJSON() bool { return m.Is("application/json") }

// specificity ranks alternatives of an Accept header: 0 for */*, 1 for type/*,
// 2 for type/subtype, 3 if there are parameters other than q.
func (m MediaType) specificity() int {
	switch {
	case m.main == "*":
		return 0
	case m.sub == "*":
		return 1
	}
	for name := range m.all() {
		if name != "" && !EqualFold(name, "q") {
			return 3
		}
	}
	return 2
}

// Param returns the unquoted value of the last parameter with the given name.
func (m MediaType) Param(want string) (value string, ok bool) {
	for name, raw := range m.all() {
		if EqualFold(name, want) {
			value, ok = raw, true
		}
	}
	return unquote(value), ok
}

// all returns the parameters. The name of one without '=' is empty.
func (m MediaType) all() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for rest := m.params; rest != ""; {
			var one string
			one, rest = cutParam(rest[1:])
			name, value, ok := strings.Cut(one, "=")
			if !ok {
				name, value = "", ""
			}
			if !yield(strings.TrimSpace(name), strings.TrimSpace(value)) {
				return
			}
		}
	}
}

// cutParam cuts text before the first ';' outside quotes. As in Django, a quote after
// a backslash counts too.
func cutParam(text string) (first, rest string) {
	quoted := false
	for i := range len(text) {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case text[i] == ';' && !quoted:
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// unquote returns the content of a quoted string, or text itself if it is not quoted.
func unquote(text string) string {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return text
	}
	text = strings.ReplaceAll(text[1:len(text)-1], `\\`, `\`)
	return strings.ReplaceAll(text, `\"`, `"`)
}

// FromLatin1 converts Latin-1 to UTF-8.
func FromLatin1(text []byte) []byte {
	out := make([]byte, 0, 2*len(text))
	for _, c := range text {
		out = utf8.AppendRune(out, rune(c))
	}
	return out
}

// IsLatin1 reports whether the charset of m is Latin-1.
func (m MediaType) IsLatin1() bool {
	charset, _ := m.Param("charset")
	name := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(charset)), "_", "-")
	return slices.Contains([]string{"latin-1", "latin1", "l1", "iso-8859-1", "iso8859-1"}, name)
}

// EqualFold reports whether text and want are equal, ignoring the case of ASCII letters.
// Other letters that strings.EqualFold considers equal to ASCII letters, such as the long
// s, have more bytes.
func EqualFold(text, want string) bool {
	return len(text) == len(want) && strings.EqualFold(text, want)
}
