// Package negotiation implements the content negotiation of Django REST framework: methods
// that read, the format parameter, the Accept header, and the Content-Type of a body with
// its charset. JSON is the only type that is served and accepted.
package negotiation

import "strings"

// maxIndent is the largest indentation that an Accept header can ask for.
const maxIndent = 8

// IsRead reports whether a method is GET or HEAD. As in net/http, "" is GET.
func IsRead(method string) bool {
	return method == "GET" || method == "HEAD" || method == ""
}

// KnownFormat reports whether the format parameter of a request names a format that is
// served. An empty one counts as absent.
func KnownFormat(format string) bool {
	return format == "" || format == "json" || format == "api"
}

// Accept reports whether the Accept headers of a request accept JSON, and returns the
// number of spaces of indentation. Zero means compact.
//
// The indentation is the parameter indent, at most 8, of the most specific alternative
// that accepts JSON, or of the first of several. Qualities are ignored. If there is no
// header, JSON is accepted. If the header is empty, JSON is not accepted.
func Accept(headers []string) (indent int, ok bool) {
	switch len(headers) {
	case 0:
		return 0, true
	case 1:
		if headers[0] == "*/*" || headers[0] == "application/json" {
			return 0, true
		}
	}
	return acceptList(strings.Join(headers, ","))
}

func acceptList(accept string) (indent int, ok bool) {
	best, specificity := MediaType{}, -1
	for alternative := range strings.SplitSeq(accept, ",") {
		m := ParseMediaType(alternative)
		if !m.IsJSON() {
			continue
		}
		if s := m.specificity(); s > specificity {
			best, specificity = m, s
		}
	}
	if specificity < 0 {
		return 0, false
	}
	value, _ := best.param("indent")
	return parseIndent(value), true
}

// parseIndent parses an integer and clamps it to the range from 0 to maxIndent. It
// returns 0 for any other text.
func parseIndent(text string) int {
	text = strings.TrimPrefix(strings.TrimSpace(text), "+")
	n := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' { // a negative number counts as 0
			return 0
		}
		n = min(n*10+int(text[i]-'0'), maxIndent)
	}
	return n
}

// PrefersHTML reports whether a service that offers JSON first and HTML second responds
// with HTML to the Accept headers of a request.
//
// It does if the most specific alternative that accepts HTML is more specific than all
// those that accept JSON. Qualities and the order of the alternatives are ignored.
func PrefersHTML(headers []string) bool {
	html, json := -1, -1
	for alternative := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		m := ParseMediaType(alternative)
		if m.isHTML() {
			html = max(html, m.specificity())
		}
		if m.IsJSON() {
			json = max(json, m.specificity())
		}
	}
	return html > json
}

// ContentCoding returns the first coding in the values of Content-Encoding, as it was
// sent. It returns "" if the body is not encoded. It ignores the token identity, which RFC
// 9110 reserves for Accept-Encoding (section 12.5.3), but which clients send.
func ContentCoding(values []string) string {
	for _, value := range values {
		for coding := range strings.SplitSeq(value, ",") {
			coding = strings.Trim(coding, " \t")
			if coding != "" && !EqualFold(coding, "identity") {
				return coding
			}
		}
	}
	return ""
}
