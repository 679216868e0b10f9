package httpapi

import "strings"

// maxIndent is the deepest indentation step an Accept header can ask for.
const maxIndent = 8

// negotiate reads the Accept headers of a request as Django REST framework
// does: qualities do not count, the most specific alternative that takes JSON
// wins (the first of equals), and its indent parameter, from 1 to 8, has the
// answer indented. No header at all takes anything, an empty one nothing.
func negotiate(headers []string) (indent int, ok bool) {
	switch len(headers) {
	case 0:
		return 0, true
	case 1:
		if headers[0] == "*/*" || headers[0] == "application/json" {
			return 0, true
		}
	}
	return negotiateList(strings.Join(headers, ","))
}

func negotiateList(accept string) (indent int, ok bool) {
	best, specificity := mediaType{}, -1
	for alternative := range strings.SplitSeq(accept, ",") {
		m := parseMediaType(alternative)
		if !m.isJSON() {
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

// parseIndent reads an integer and confines it to 0 (not indented) to 8; what
// is no integer is 0.
func parseIndent(text string) int {
	text = strings.TrimPrefix(strings.TrimSpace(text), "+")
	n := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' { // or a minus: less than 0
			return 0
		}
		n = min(n*10+int(text[i]-'0'), maxIndent)
	}
	return n
}
