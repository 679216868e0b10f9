package cataloguetest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
)

// TestExchanges checks that an exchange is recorded once the client has its response.
func TestExchanges(t *testing.T) {
	for name, loopback := range map[string]bool{"in process": false, "loopback": true} {
		t.Run(name, func(t *testing.T) {
			server := NewWith(t, Options{Catalogue: mustNew(), Ignored: []string{"a"}})
			if loopback {
				listen(t, server)
			}
			request, err := http.NewRequest("POST", server.URL+"/api/events/?a=%20b", strings.NewReader("{}"))
			must(t, err)
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("X-Test", "1")
			resp, err := server.Client.Do(request)
			must(t, err)
			body, err := io.ReadAll(resp.Body)
			if resp.Body.Close(); err != nil {
				t.Fatal(err)
			}
			log := server.Exchanges()
			if len(log) != 1 {
				t.Fatalf("%d exchanges, want 1", len(log))
			}
			e := log[0]
			got := map[string]any{"method": e.Method, "url": e.URL.String(), "header": e.Header.Get("X-Test"), "body": string(e.Body),
				"status": e.Status, "type": e.ResponseHeader.Get("Content-Type"), "answer": string(e.ResponseBody), "cut": e.Cut, "aborted": e.Aborted}
			want := map[string]any{"method": "POST", "url": "/api/events/?a=%20b", "header": "1", "body": "{}",
				"status": 400, "type": "application/json", "answer": string(body), "cut": false, "aborted": false}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if e.Duration <= 0 {
				t.Errorf("Duration = %v", e.Duration)
			}
		})
	}
}

func TestExchangesAreCopies(t *testing.T) {
	server := New(t)
	getAll(t, server, "/api/news/?limit=1")
	first := server.Exchanges()
	clear(first[0].ResponseBody)
	first[0].ResponseHeader.Set("Content-Type", "text/plain")
	first[0].Header.Set("User-Agent", "changed")
	first[0].URL.Path = "/"
	e := server.Exchanges()[0]
	if bytes.Equal(e.ResponseBody, first[0].ResponseBody) || e.ResponseHeader.Get("Content-Type") != "application/json" ||
		e.Header.Get("User-Agent") != "Go-http-client/1.1" || e.URL.Path != "/api/news/" {
		t.Errorf("exchange was changed: %+v", e)
	}
}

// TestExchangesAreBounded checks that only the beginning of a long body is kept, and that
// the client receives all of it.
func TestExchangesAreBounded(t *testing.T) {
	server := NewWith(t, Options{Catalogue: mustNew()})
	long := strings.Repeat("x", 2<<20)
	err := server.Catalogue.Load(strings.NewReader(`{"news":[{"id": 1, "text": "`+long+`"}]}`), catalogue.LoadOptions{})
	must(t, err)
	const pages = 3
	for range pages {
		if _, body := get(t, server, "/api/news/"); len(body) < len(long) {
			t.Fatalf("client received %d bytes, want at least %d", len(body), len(long))
		}
	}
	log := server.Exchanges()
	for i, e := range log {
		if !e.Cut || len(e.ResponseBody) != 1<<20 || e.Status != 200 || !strings.Contains(e.String(), ", not kept completely") {
			t.Errorf("exchange %d: %v with %d bytes, Cut = %t", i, e, len(e.ResponseBody), e.Cut)
		}
	}
	if len(log) != pages {
		t.Errorf("%d exchanges, want %d", len(log), pages)
	}
}

func TestExchangeString(t *testing.T) {
	server := New(t)
	getAll(t, server, "/api/nothing/?q=1")
	e := server.Exchanges()[0]
	e.Duration = 41_300
	if got, want := e.String(), "GET /api/nothing/?q=1 → 404, 23 bytes, 41µs"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	e.Aborted = true
	if got, want := e.String(), "GET /api/nothing/?q=1 → 404, 23 bytes, then cut off, 41µs"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	if got, want := (Exchange{}).String(), " → no response yet, 0s"; got != want {
		t.Errorf("zero Exchange: String() = %q, want %q", got, want)
	}
	e.Status, e.ResponseBody = 0, nil
	if got, want := e.String(), "GET /api/nothing/?q=1 → cut off, 41µs"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}

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
		server := NewWith(t, Options{Ignored: []string{"a", "c", "x"}})
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
