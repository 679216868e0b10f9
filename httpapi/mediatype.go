package httpapi

import "strings"

// mediaType is a media type or range, taken apart the way Django does: the
// first part decides, parameters may be anything, and nothing is an error.
type mediaType struct {
	main, sub string // as sent, compared without case
	params    string // what follows the first ';', with it
}

// parseMediaType takes apart a Content-Type or one alternative of an Accept
// header. It allocates nothing.
func parseMediaType(text string) mediaType {
	first, rest := cutParam(text)
	main, sub, _ := strings.Cut(strings.TrimSpace(first), "/")
	return mediaType{main: main, sub: sub, params: rest}
}

// isJSON reports whether the type is application/json or a range it is in.
func (m mediaType) isJSON() bool {
	return (m.main == "*" || equalFoldASCII(m.main, "application")) &&
		(m.sub == "*" || equalFoldASCII(m.sub, "json"))
}

// specificity ranks alternatives of an Accept header: 0 for */*, 1 for type/*,
// 2 for type/subtype, 3 if there are parameters other than q.
func (m mediaType) specificity() int {
	switch {
	case m.main == "*":
		return 0
	case m.sub == "*":
		return 1
	case !m.hasParams():
		return 2
	}
	return 3
}

// hasParams reports whether there is a parameter other than q.
func (m mediaType) hasParams() bool {
	for rest := m.params; rest != ""; {
		var name string
		name, _, rest = nextParam(rest)
		if name != "" && !equalFoldASCII(name, "q") {
			return true
		}
	}
	return false
}

// param returns the value of the last parameter of that name (lower-case),
// unquoted.
func (m mediaType) param(want string) (value string, ok bool) {
	for rest := m.params; rest != ""; {
		var name, raw string
		name, raw, rest = nextParam(rest)
		if equalFoldASCII(name, want) {
			value, ok = raw, true
		}
	}
	return unquote(value), ok
}

// nextParam reads one parameter of a text that begins with ';'. What has no
// '=' is passed over: its name is "".
func nextParam(params string) (name, value, rest string) {
	one, rest := cutParam(params[1:])
	name, value, ok := strings.Cut(one, "=")
	if !ok {
		return "", "", rest
	}
	return strings.TrimSpace(name), strings.TrimSpace(value), rest
}

// cutParam cuts the text before the first ';' outside of quotes. As in Django
// a quote counts whether or not a backslash precedes it.
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

// unquote undoes a quoted string, and leaves any other text alone.
func unquote(text string) string {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return text
	}
	text = strings.ReplaceAll(text[1:len(text)-1], `\\`, `\`)
	return strings.ReplaceAll(text, `\"`, `"`)
}

// equalFoldASCII reports whether text is want, which is in lower case, but for
// the case of ASCII letters. (strings.EqualFold takes a long s for an s.)
func equalFoldASCII(text, want string) bool {
	if len(text) != len(want) {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != want[i] {
			return false
		}
	}
	return true
}

// decodeBody turns a body into UTF-8 by the charset of its content type.
// Latin-1 is decoded; all else, unknown charsets too, is taken for UTF-8.
func decodeBody(body []byte, contentType mediaType) []byte {
	charset, ok := contentType.param("charset")
	if !ok || !isLatin1(charset) {
		return body
	}
	out := make([]byte, 0, len(body)+len(body)/8)
	for _, c := range body {
		if c < 0x80 {
			out = append(out, c)
		} else {
			out = append(out, 0xC0|c>>6, 0x80|c&0x3F)
		}
	}
	return out
}

func isLatin1(charset string) bool {
	name := strings.ToLower(strings.TrimSpace(charset))
	switch strings.ReplaceAll(name, "_", "-") {
	case "latin-1", "latin1", "l1", "iso-8859-1", "iso8859-1":
		return true
	}
	return false
}
