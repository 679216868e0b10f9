package cataloguetest

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

// TestServersAreIndependent checks that concurrent and later tests do not see each other's
// changes.
func TestServersAreIndependent(t *testing.T) {
	count := eventsOf(New(t).Catalogue).Count()
	var all sync.WaitGroup
	for range 8 {
		events := eventsOf(New(t).Catalogue)
		all.Go(func() {
			_, err := events.Insert(resources.Event{})
			if err := errors.Join(err, events.Delete(1), events.Check()); err != nil || events.Count() != count {
				t.Errorf("%d events, want %d; error %v", events.Count(), count, err)
			}
		})
	}
	all.Wait()
	if p := page(t, New(t), "/api/events/"); p.Count != count {
		t.Errorf("new server has %d events, want %d", p.Count, count)
	}
}

// TestURL checks that links begin with the URL of the server.
func TestURL(t *testing.T) {
	for reason, row := range map[string]struct {
		opts Options
		want string
	}{
		"http":  {Options{}, "http://catalogue.test"},
		"https": {Options{Secure: true}, "https://catalogue.test"},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			server := NewWith(t, row.opts)
			if server.URL != row.want {
				t.Errorf("URL = %s, want %s", server.URL, row.want)
			}
			if p := page(t, server, "/api/events/"); p.Next != server.URL+"/api/events/?limit=21&offset=21" {
				t.Errorf("next = %s", p.Next)
			}
		})
	}
}

// TestNoGoroutinesLeft checks that no goroutine outlives a server, even if responses were
// not read to the end.
func TestNoGoroutinesLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, opts := range []Options{{}, {Secure: true}} {
		for range 20 {
			r := &recorder{TB: t}
			server := NewWith(r, opts)
			for range 3 { // on a connection each, since no body is read
				if _, err := server.Client.Get(server.URL + "/api/events/?limit=1000"); err != nil {
					t.Fatal(err)
				}
			}
			r.end()
		}
	}
	for range 1_000_000 { // until they have ended
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines, want at most %d", runtime.NumGoroutine(), before)
}

func open(t *testing.T, opts Options) *Server {
	t.Helper()
	server, err := Open(opts)
	must(t, err)
	t.Cleanup(server.Close)
	return server
}

func TestClose(t *testing.T) {
	server := open(t, Options{})
	if status, _ := get(t, server, "/api/"); status != http.StatusOK {
		t.Errorf("status %d before Close", status)
	}
	server.Close()
	server.Close()
	resp, err := server.Client.Get(server.URL + "/api/")
	if err == nil {
		resp.Body.Close()
		t.Errorf("%s after Close", resp.Status)
	} else if !strings.Contains(err.Error(), "cataloguetest: the server is closed") {
		t.Errorf("error %v after Close", err)
	}
	w := httptest.NewRecorder()
	server.Handler.ServeHTTP(w, httptest.NewRequest("GET", "/api/", nil))
	if w.Code != http.StatusOK {
		t.Errorf("Handler responded with %d after Close", w.Code)
	}
}

// TestInjectWithoutTest checks that Inject logs its error in a server without a test.
func TestInjectWithoutTest(t *testing.T) {
	server := open(t, Options{})
	marked := server.Inject(Match{}, Header("X-Shop", "1"))
	var logged strings.Builder
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	invalid := server.Inject(Match{}, Status(42, ""))
	if want := "cataloguetest: Inject: Status: invalid status 42"; !strings.Contains(logged.String(), want) {
		t.Errorf("logged %q, want %q", logged.String(), want)
	}
	if status, _ := get(t, server, "/api/events/"); status != http.StatusOK || marked.Count() != 1 || invalid.Count() != 0 {
		t.Errorf("status %d, counts %d and %d; want 200, 1, 0", status, marked.Count(), invalid.Count())
	}
	invalid.Remove()
}

// A panic of a callback fails the test.
func TestPanic(t *testing.T) {
	failure := failureOf(t, func(tb testing.TB) {
		server := NewWith(tb, Options{Handler: httpapi.Options{Authorizer: func(*http.Request, string, schema.Actions) error { panic("oops") }}})
		if status := postEvent(t, server); status != http.StatusInternalServerError {
			t.Errorf("status %d", status)
		}
	})
	if !strings.HasPrefix(failure, "POST /api/events/: httpapi: panic: oops\n") {
		t.Errorf("the failure is %q", failure)
	}
}

func TestMaxExchanges(t *testing.T) {
	for limit, want := range map[int]string{0: "/api/ /api/books/ /api/events/", -1: "/api/ /api/books/ /api/events/",
		1: "/api/events/", 2: "/api/books/ /api/events/", 4: "/api/ /api/books/ /api/events/"} {
		server := open(t, Options{MaxExchanges: limit})
		getAll(t, server, "/api/", "/api/books/", "/api/events/")
		var got []string
		for _, e := range server.Exchanges() {
			if got = append(got, e.URL.Path); len(e.ResponseBody) == 0 || e.Cut || e.Header == nil {
				t.Errorf("at most %d: %v is not complete", limit, e)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("at most %d: %q, want %s", limit, got, want)
		}
	}
}

// TestInvalidOptions checks the error of Open, with which NewWith fails its test.
func TestInvalidOptions(t *testing.T) {
	tests := []struct {
		reason string
		opts   Options
		want   string // in the error
	}{
		{"two sets of collections", Options{Definitions: filmDefinitions(), Catalogue: mustNew()}, "options: Catalogue may be set neither with File nor with Definitions"},
		{"nil definition", Options{Definitions: []catalogue.AnyDefinition{nil}}, "nil definition"},
		{"root without a slash at its end", Options{Handler: httpapi.Options{Root: "/v1"}}, `Root "/v1"`},
		{"nil handler", Options{Wrap: func(http.Handler) http.Handler { return nil }}, "options: Wrap returned a nil handler"},
	}
	for _, tt := range tests {
		server, err := Open(tt.opts)
		if err == nil || server != nil || !strings.HasPrefix(err.Error(), "cataloguetest: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error with %s", tt.reason, err, tt.want)
			continue
		}
		if got := failureOf(t, func(tb testing.TB) { NewWith(tb, tt.opts) }); got != err.Error() {
			t.Errorf("%s: NewWith failed with %q, want %q", tt.reason, got, err)
		}
	}
}

// withLogin returns a handler that also serves POST /login.
func withLogin(collections http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", collections)
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"token":"s3cret"}`)
	})
	return mux
}

func TestOptionsWrap(t *testing.T) {
	server := NewWith(t, Options{Wrap: withLogin})
	busy := server.Inject(Match{Path: "/login", Nth: 1}, Status(503, "busy"))
	server.Inject(Match{Collection: "events"}, MissingRow())
	if resp, _ := ask(t, server, "POST /login", "{}"); resp.StatusCode != http.StatusServiceUnavailable || busy.Count() != 1 {
		t.Errorf("first login: %s, Count() = %d", resp.Status, busy.Count())
	}
	if resp, _ := ask(t, server, "POST /login", "{}"); resp.StatusCode != http.StatusOK {
		t.Errorf("second login: %s", resp.Status)
	}
	if p := page(t, server, "/api/events/"); len(p.Records) != 20 {
		t.Errorf("%d events, want one less than 21", len(p.Records))
	}
	server.AssertRequests(t, "POST /login", "POST /login", "GET /api/events/")
	if e := server.Exchanges()[1]; string(e.ResponseBody) != `{"token":"s3cret"}` {
		t.Errorf("logged response %s", e.ResponseBody)
	}
}

// postTo sends a request with a body, and reports whether the body was closed.
func postTo(t *testing.T, server *Server) (closed bool, err error) {
	t.Helper()
	body := &closeNotifier{Reader: strings.NewReader("{}"), closed: make(chan struct{})}
	resp, err := server.Client.Post(server.URL+"/api/events/", "application/json", body)
	if err == nil {
		resp.Body.Close()
	}
	select {
	case <-body.closed:
		closed = true
	default:
	}
	return closed, err
}

// TestServerMadeOutsideBubble would otherwise end the process. The error must come before
// the transport has created anything, so that the server can still be used outside.
func TestServerMadeOutsideBubble(t *testing.T) {
	server := New(t)
	if status, _ := get(t, server, "/api/"); status != http.StatusOK {
		t.Errorf("before the bubble: status %d", status)
	}
	synctest.Test(t, func(t *testing.T) {
		closed, err := postTo(t, server)
		if err == nil || !strings.Contains(err.Error(), "make it inside the bubble") {
			t.Errorf("inside the bubble: error %v", err)
		}
		if !closed {
			t.Error("the request body was not closed")
		}
	})
	if status, _ := get(t, server, "/api/"); status != http.StatusOK {
		t.Errorf("after the bubble: status %d", status)
	}
	if n := len(server.Exchanges()); n != 2 {
		t.Errorf("%d requests were received, want 2", n)
	}
}

// TestServerMadeInsideBubble makes a server with the TB of the surrounding test, so that it
// outlives the bubble.
func TestServerMadeInsideBubble(t *testing.T) {
	outer := &recorder{TB: t}
	var server *Server
	synctest.Test(t, func(*testing.T) { server = New(outer) })
	closed, err := postTo(t, server)
	if err == nil || !strings.Contains(err.Error(), "use it only inside the bubble") || !closed {
		t.Errorf("outside the bubble: error %v, body closed: %t", err, closed)
	}
	outer.end()
	if len(outer.errors) != 1 || !strings.Contains(outer.errors[0], "with the T that synctest.Test passes") {
		t.Errorf("at the end of the test: failures %q", outer.errors)
	}
}

// TestFile serves a JSON file, and refuses those that cannot be read, and other collections beside it.
func TestFile(t *testing.T) {
	server := NewWith(t, Options{File: "testdata/db.json", Handler: httpapi.Options{Root: "/v1/"}})
	if status, body := get(t, server, "/v1/authors/?posts__title=First"); status != 200 || !strings.Contains(body, `[{"id":7,"name":"Ann"}]`) {
		t.Errorf("%d %s", status, body)
	}
	saved := filepath.Join(t.TempDir(), "saved.json")
	must(t, holding(`{"directors":[{"id":7,"name":"Varda"}]}`, filmDefinitions()...).SaveFile(saved))
	server = NewWith(t, Options{File: saved, Definitions: filmDefinitions()})
	if status, body := get(t, server, "/api/directors/7/"); status != 200 || body != `{"id":7,"name":"Varda"}` {
		t.Errorf("a saved catalogue: %d %s", status, body)
	}
	invalid := filepath.Join(t.TempDir(), "list.json")
	must(t, os.WriteFile(invalid, []byte("[{\"id\": 1},\n{\"id\": 1}]"), 0o600))
	for _, row := range []struct {
		opts Options
		want string
	}{
		{Options{File: "testdata/none.json"}, "open testdata/none.json: no such file or directory"},
		{Options{File: invalid}, invalid + ": line 2, column 1: list: the id 1 is that of the record in line 1, too: change one of them, or take another member as the id"},
		{Options{File: "testdata/db.json", Catalogue: mustNew()}, "options: Catalogue may be set neither with File nor with Definitions"},
		{Options{File: "testdata/db.json", Definitions: filmDefinitions()}, `testdata/db.json: catalogue: cannot load: unknown collection: "posts"`},
	} {
		checkMessage(t, "NewWith", failureOf(t, func(tb testing.TB) { NewWith(tb, row.opts) }), "cataloguetest: "+row.want)
	}
}
