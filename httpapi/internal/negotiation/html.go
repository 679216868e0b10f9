package negotiation

import "strings"

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

// isHTML reports whether m is text/html or a range that contains it.
func (m MediaType) isHTML() bool {
	return (m.main == "*" || equalFold(m.main, "text")) &&
		(m.sub == "*" || equalFold(m.sub, "html"))
}
