package browse

import (
	"strconv"
	"strings"
)

// wantsHTML reports whether the Accept headers name text/html before JSON and
// before any wildcard. As in the handler, the order is significant. Qualities are
// ignored, except for 0, which excludes a type.
func wantsHTML(headers []string) bool {
	for _, header := range headers {
		for alternative := range strings.SplitSeq(header, ",") {
			media, params, _ := strings.Cut(alternative, ";")
			media = strings.ToLower(strings.TrimSpace(media))
			switch {
			case unwanted(params):
			case media == "text/html":
				return true
			case media == "application/json", strings.Contains(media, "*"):
				return false
			}
		}
	}
	return false
}

// unwanted reports whether the parameters of an alternative contain a quality of 0.
func unwanted(params string) bool {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return err == nil && q == 0
		}
	}
	return false
}
