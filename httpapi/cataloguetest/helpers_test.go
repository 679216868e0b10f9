package cataloguetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// A recorder is a testing.TB that records failures and logs. It ends when end is
// called.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	errors   []string // of Errorf and Fatalf
	logs     []string // of Logf
	failed   bool
	skipped  bool
	cleanups []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Failed() bool     { return r.failed }
func (r *recorder) Skipped() bool    { return r.skipped }

func (r *recorder) Errorf(format string, args ...any) {
	r.failed = true
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}

// end runs the cleanups, last first.
func (r *recorder) end() {
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
	r.cleanups = nil
}

// failureOf runs a test to its end and returns its failures, or "" if it passed.
func failureOf(t *testing.T, test func(tb testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.end()
		test(r)
	}()
	<-done
	return strings.Join(r.errors, "\n")
}

// listen makes a server listen on a loopback port. Its URL and its Client are then those of package
// httptest.
func listen(t testing.TB, server *Server) {
	listening := httptest.NewServer(server.Handler)
	t.Cleanup(listening.Close)
	server.URL, server.Client = listening.URL, listening.Client()
}

// ask sends a request, such as "GET /api/events/", with the client of a server, and returns the
// response with its body. Pairs of header names and values may follow.
func ask(t testing.TB, server *Server, request, body string, header ...string) (*http.Response, string) {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	must(t, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if header[i+1] != "" {
			r.Header[header[i]] = []string{header[i+1]}
		}
	}
	resp, err := server.Client.Do(r)
	must(t, err)
	text, err := io.ReadAll(resp.Body)
	if resp.Body.Close(); err != nil {
		t.Error(err)
	}
	return resp, string(text)
}

func get(t testing.TB, server *Server, path string) (status int, body string) {
	t.Helper()
	resp, body := ask(t, server, "GET "+path, "")
	return resp.StatusCode, body
}

// getAll sends a GET for each path and reads the responses.
func getAll(t testing.TB, server *Server, paths ...string) {
	t.Helper()
	for _, path := range paths {
		get(t, server, path)
	}
}

// page returns a page, which must have status 200.
func page(t *testing.T, server *Server, path string) (p pagination.Envelope[schema.Record]) {
	t.Helper()
	status, body := get(t, server, path)
	if err := json.Unmarshal([]byte(body), &p); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d, %v", path, status, err)
	}
	return p
}

// postEvent creates an event and returns the status.
func postEvent(t *testing.T, server *Server) (status int) {
	t.Helper()
	resp, _ := ask(t, server, "POST /api/events/", eventBody)
	return resp.StatusCode
}

// eventBody is the body of a POST of an event.
const eventBody = `{"name":"A & <B>","slug":"a-b","startDate":"2026-05-10T18:00:00Z","endDate":"2026-05-10T20:00:00Z"}`

// mustNew returns a catalogue of the documented collections.
func mustNew() *catalogue.Catalogue {
	c, err := resources.New()
	if err != nil {
		panic(err)
	}
	return c
}

func eventsOf(c *catalogue.Catalogue) *catalogue.Collection[resources.Event] {
	events, err := resources.Events.In(c)
	if err != nil {
		panic(err)
	}
	return events
}

// must ends the test if its preparation failed.
func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// holding returns a catalogue with the records in a JSON text, of the documented collections or of others.
func holding(text string, definitions ...catalogue.AnyDefinition) *catalogue.Catalogue {
	c := mustNew()
	if definitions != nil {
		var err error
		if c, err = catalogue.New(definitions...); err != nil {
			panic(err)
		}
	}
	if err := c.Load(strings.NewReader(text), catalogue.LoadOptions{}); err != nil {
		panic(err)
	}
	return c
}
