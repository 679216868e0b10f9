package cataloguetest

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestInjectAndRemove(t *testing.T) {
	server := New(t)
	all := server.Inject(Match{}, Status(500, ""))
	gone := server.Inject(Match{Collection: "books"}, Status(410, ""))
	expect := func(path string, want int) {
		t.Helper()
		if status, _ := get(t, server, path); status != want {
			t.Errorf("%s: status %d, want %d", path, status, want)
		}
	}
	expect("/api/books/", 410)
	expect("/api/", 500)
	gone.Remove()
	expect("/api/books/", 500)
	all.Remove()
	all.Remove()
	expect("/api/books/", 200)
	expect("/api/", 200)
	if all.Count() != 3 || gone.Count() != 1 {
		t.Errorf("Counts = %d, %d, want 3, 1", all.Count(), gone.Count())
	}

	other := New(t)
	defer other.Inject(Match{}, Status(500, "")).Remove()
	expect("/api/", 200) // servers share no faults
}

// runServer runs a test with a server to its end and returns its failures.
func runServer(t *testing.T, test func(server *Server)) (failures []string) {
	t.Helper()
	r := &recorder{TB: t}
	test(NewWith(r, Options{}))
	r.end()
	return r.errors
}

// here returns the file and the line that is n lines below the caller's.
func here(n int) string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line+n)
}

func TestUnusedFaults(t *testing.T) {
	var at string
	tests := []struct {
		reason string
		test   func(server *Server)
		want   string // with AT for the place of the call; empty: the test passes
	}{
		{"no fault", func(server *Server) { getAll(t, server, "/api/") }, ""},
		{"used", func(server *Server) {
			server.Inject(Match{}, Status(503, "busy"))
			getAll(t, server, "/api/")
		}, ""},
		{"used and removed", func(server *Server) {
			b := server.Inject(Match{}, Status(503, "busy"))
			getAll(t, server, "/api/")
			b.Remove()
		}, ""},
		{"no request", func(server *Server) {
			at = here(1)
			server.Inject(Match{Collection: "events", Method: "GET"}, Status(503, "busy"))
			getAll(t, server, "/api/", "/api/books/")
		}, `cataloguetest: AT: the fault changed no response; requests that matched: 0, of which Share, Nth and Times selected 0`},
		{"too few requests", func(server *Server) {
			at = here(1)
			server.Inject(Match{Collection: "events", Nth: 3}, Delay(time.Minute))
			getAll(t, server, "/api/events/", "/api/books/", "/api/events/")
		}, `cataloguetest: AT: the fault changed no response; requests that matched: 2, of which Share, Nth and Times selected 0`},
		{"a fault of pages and no page", func(server *Server) {
			at = here(1)
			server.Inject(Match{}, MissingRow())
			getAll(t, server, "/api/")
		}, `cataloguetest: AT: the fault changed no response; requests that matched: 1, of which Share, Nth and Times selected 1`},
		{"removed", func(server *Server) {
			server.Inject(Match{}, ResetConnection()).Remove()
		}, ""},
		{"made by TryInject", func(server *Server) {
			at = here(1)
			if _, err := server.TryInject(Match{}, ResetConnection()); err != nil {
				t.Error(err)
			}
		}, `cataloguetest: AT: the fault changed no response; requests that matched: 0, of which Share, Nth and Times selected 0`},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			failures := runServer(t, tt.test)
			var want []string
			if tt.want != "" {
				want = []string{strings.Replace(tt.want, "AT", at, 1)}
			}
			if diff := cmp.Diff(want, failures); diff != "" {
				t.Errorf("failures (-want +got):\n%s", diff)
			}
		})
	}
}

// A skipped is a testing.TB of a test that has been skipped.
type skipped struct{ *recorder }

func (skipped) Skipped() bool { return true }

func TestUnusedFaultsOfSkippedTest(t *testing.T) {
	tb := skipped{&recorder{TB: t}}
	server := New(tb)
	server.Inject(Match{}, ResetConnection())
	tb.end()
	if tb.logs != nil || tb.errors != nil {
		t.Errorf("logs %q, failures %q", tb.logs, tb.errors)
	}
}
