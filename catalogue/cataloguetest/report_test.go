package cataloguetest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

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
		house := cataloguetest.New(r)
		house.Break(cataloguetest.Where{}, cataloguetest.Status(tt.status, tt.body))
		getAll(t, house, "/api/news/")
		r.Errorf("deliberate failure")
		r.end()
		lines := strings.Split(strings.Join(r.logs, "\n"), "\n")
		if len(lines) < 3 || !strings.HasPrefix(lines[1], fmt.Sprintf("  GET /api/news/ → %d, %d bytes", tt.status, len(tt.body))) {
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
