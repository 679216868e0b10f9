package cataloguetest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// spaces matches white space. go-cmp varies it between spaces and no-break spaces.
var spaces = regexp.MustCompile(`[\s\x{a0}]+`)

// checkMessage checks that a message contains all parts or, if there are no parts,
// that it is empty.
func checkMessage(t *testing.T, reason, message string, parts ...string) {
	t.Helper()
	if len(parts) == 0 && message != "" {
		t.Errorf("%s: unexpected message %q", reason, message)
	}
	plain := spaces.ReplaceAllString(message, " ") // go-cmp varies them
	for _, part := range parts {
		if !strings.Contains(plain, spaces.ReplaceAllString(part, " ")) {
			t.Errorf("%s: message %q does not contain %q", reason, message, part)
		}
	}
}

// TestAssertRequests runs the sections of testdata/requests.txtar, whose comment says how it is
// written.
func TestAssertRequests(t *testing.T) {
	forEachSection(t, "requests.txtar", func(t *testing.T, section string) {
		sent, expected, _ := strings.Cut(strings.TrimSpace(section), "\n=>")
		server := New(t)
		for line := range strings.SplitSeq(sent, "\n") {
			ask(t, server, line, "")
		}
		var want, parts []string
		for line := range strings.SplitSeq(strings.TrimSpace(expected), "\n") {
			if request, ok := strings.CutPrefix(line, "want: "); ok {
				want = append(want, request)
			} else {
				parts = append(parts, line)
			}
		}
		checkMessage(t, section, failureOf(t, func(tb testing.TB) { server.AssertRequests(tb, want...) }), parts...)
	})
}

// TestFailureReport checks that a failed test logs its requests, with a limited number of lines.
func TestFailureReport(t *testing.T) {
	run := func(test func(tb testing.TB, server *Server)) string {
		r := &recorder{TB: t}
		test(r, New(r))
		r.end()
		return strings.Join(r.logs, "\n")
	}
	text := run(func(tb testing.TB, server *Server) { getAll(t, server, "/api/events/") })
	if text != "" {
		t.Errorf("passed test logged %q", text)
	}
	text = run(func(tb testing.TB, server *Server) {
		for range 30 {
			getAll(t, server, "/api/news/?limit=1")
		}
		getAll(t, server, "/api/nothing/?"+strings.Repeat("q", 500))
		tb.Errorf("deliberate failure")
	})
	checkMessage(t, "failed test", text, "cataloguetest: the last 20 of 31 requests:\n  GET /api/news/?limit=1 → 200, ",
		"GET /api/nothing/?qqqq", "…\n    {\"detail\":\"Not found.\"}")
	for line := range strings.Lines(text) {
		if len(line) > 210 {
			t.Errorf("report has a line of %d bytes: %s", len(line), line)
		}
	}
	text = run(func(tb testing.TB, _ *Server) { tb.Errorf("deliberate failure") })
	checkMessage(t, "unused", text, "cataloguetest: no requests were received")
}

// TestFailureReportBodies checks that the bodies of error responses are logged, in one line
// of valid UTF-8.
func TestFailureReportBodies(t *testing.T) {
	tests := []struct {
		reason string
		status int
		body   string
		want   string // the line; empty: none
	}{
		{"a document", 400, `{"name":["This field is required."]}`, `{"name":["This field is required."]}`},
		{"several lines", 500, "<h1>Down</h1>\n\t<p>Later\r\n</p>\x1b[31m", "<h1>Down</h1> <p>Later </p> [31m"},
		{"invalid UTF-8", 404, "a\xffb", "a\ufffdb"},
		{"500 bytes", 502, strings.Repeat("x", 500), strings.Repeat("x", 500)},
		{"a longer body is cut between two characters", 502, strings.Repeat("x", 499) + "éé", strings.Repeat("x", 499) + "…"},
		{"a body that is only white space", 500, " \n ", ""},
		{"no body", 500, "", ""},
		{"no error", 399, "fine", ""},
	}
	for _, tt := range tests {
		r := &recorder{TB: t}
		server := New(r)
		server.Inject(Match{}, Status(tt.status, tt.body))
		getAll(t, server, "/api/news/")
		r.Errorf("deliberate failure")
		r.end()
		lines := strings.Split(strings.Join(r.logs, "\n"), "\n")
		if lines = append(lines, ""); len(lines) < 3 || !strings.HasPrefix(lines[1], fmt.Sprintf("  GET /api/news/ → %d, %d bytes", tt.status, len(tt.body))) {
			t.Fatalf("%s: logs %q", tt.reason, r.logs)
		}
		line := ""
		if rest, ok := strings.CutPrefix(lines[2], "    "); ok {
			line = rest
		}
		if line != tt.want {
			t.Errorf("%s: line %q, want %q", tt.reason, line, tt.want)
		}
	}
}
