package cataloguetest

import (
	"fmt"
	"strings"
	"testing"
)

// How much is logged of a test that has failed.
const (
	maxRequests = 20  // the last ones
	maxLines    = 40  // of the difference
	maxLine     = 200 // bytes of a line
)

// report logs, for a test that has failed, what it asked and what it changed.
func (h *House) report(tb testing.TB) {
	tb.Helper()
	if !tb.Failed() {
		return
	}
	tb.Logf("cataloguetest: %s\n%s", requestsOf(h.log.exchanges()), differenceOf(Diff(h.before, h.Catalogue)))
}

// requestsOf lists the last requests.
func requestsOf(log []Exchange) string {
	var b strings.Builder
	switch rest := len(log) - maxRequests; {
	case len(log) == 0:
		return "the house was asked nothing"
	case rest > 0:
		fmt.Fprintf(&b, "the house was asked %d times, at last:", len(log))
		log = log[rest:]
	default:
		b.WriteString("the house was asked:")
	}
	for _, e := range log {
		b.WriteString("\n  " + cutLine(e.String()))
	}
	return b.String()
}

// differenceOf cuts a difference to what is read.
func differenceOf(diff string) string {
	if diff == "" {
		return "its catalogue is as it was"
	}
	lines := strings.Split(strings.TrimRight(diff, "\n"), "\n")
	rest := len(lines) - maxLines
	if rest > 0 {
		lines = append(lines[:maxLines:maxLines], fmt.Sprintf("and %d lines more", rest))
	}
	for i, line := range lines {
		lines[i] = "  " + cutLine(line)
	}
	return "its catalogue was changed (want: before the test, got: now):\n" + strings.Join(lines, "\n")
}

// cutLine shortens a line, and never in the middle of a character.
func cutLine(line string) string {
	if len(line) <= maxLine {
		return line
	}
	return strings.ToValidUTF8(line[:maxLine], "") + "…"
}
