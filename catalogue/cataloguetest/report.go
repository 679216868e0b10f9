package cataloguetest

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// Bounds on what is logged of a failed test.
const (
	maxRequests = 20  // the last ones
	maxLines    = 40  // of the changes
	maxLine     = 200 // bytes of a line
	maxAnswer   = 500 // bytes of the body of an error response
)

// report logs the faults that changed no response and, if the test has failed, the last
// requests and the changes to the catalogue.
func (h *House) report(tb testing.TB) {
	tb.Helper()
	h.reportUnused(tb)
	if !tb.Failed() {
		return
	}
	tb.Logf("cataloguetest: %s\n%s", formatRequests(h.log.exchanges()), formatChanges(Diff(h.before(), h.Catalogue)))
}

// formatRequests lists the last requests, one per line. The body of an error response
// follows in a line of its own.
func formatRequests(log []Exchange) string {
	var b strings.Builder
	switch more := len(log) - maxRequests; {
	case len(log) == 0:
		return "no requests were received"
	case more > 0:
		fmt.Fprintf(&b, "the last %d of %d requests:", maxRequests, len(log))
		log = log[more:]
	default:
		b.WriteString("requests:")
	}
	for _, e := range log {
		b.WriteString("\n  " + truncateLine(e.String()))
		if text := errorText(e); text != "" {
			b.WriteString("\n    " + text)
		}
	}
	return b.String()
}

// errorText returns the beginning of the body of an error response in one line, or "" if
// there is none or if it is compressed.
func errorText(e Exchange) string {
	if e.Status < 400 || e.AnswerHeader.Get("Content-Encoding") != "" {
		return ""
	}
	const enough = 4 * maxAnswer // the rest is not looked at
	text := strings.ToValidUTF8(string(e.Answer[:min(len(e.Answer), enough)]), "\ufffd")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	return truncate(strings.Join(strings.Fields(text), " "), maxAnswer)
}

// formatChanges formats the first lines of a report of [Diff].
func formatChanges(diff string) string {
	if diff == "" {
		return "the catalogue has not changed"
	}
	lines := strings.Split(strings.TrimRight(diff, "\n"), "\n")
	more := len(lines) - maxLines
	if more > 0 {
		lines = append(lines[:maxLines:maxLines], fmt.Sprintf("and %d more lines", more))
	}
	for i, line := range lines {
		lines[i] = "  " + truncateLine(line)
	}
	return "changes to the catalogue (want: at the start of the test, got: at its end):\n" + strings.Join(lines, "\n")
}

// truncateLine shortens a line between two characters.
func truncateLine(line string) string { return truncate(line, maxLine) }

// truncate shortens a text to a number of bytes, between two characters.
func truncate(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	return strings.ToValidUTF8(text[:bytes], "") + "…"
}
