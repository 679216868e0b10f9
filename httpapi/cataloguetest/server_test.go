package cataloguetest_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

func get(t *testing.T, server *cataloguetest.Server, path string) (status int, body string) {
	t.Helper()
	resp, err := server.Client.Get(server.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func page(t *testing.T, server *cataloguetest.Server, path string) pagination.Envelope[schema.Record] {
	t.Helper()
	status, body := get(t, server, path)
	var p pagination.Envelope[schema.Record]
	if err := p.UnmarshalJSON([]byte(body)); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d, %v", path, status, err)
	}
	return p
}

func TestServesEveryCollection(t *testing.T) {
	server := cataloguetest.New(t)
	for key, c := range server.Catalogue.All() {
		about, _ := descriptionOf(key)
		p := page(t, server, "/api/"+about.Segment+"/")
		if p.Count == 0 || p.Count != c.Count() {
			t.Errorf("%s: count %d, want %d", key, p.Count, c.Count())
		}
	}
	if err := server.Catalogue.Check(); err != nil {
		t.Error(err)
	}
}

func TestFollowNextLinks(t *testing.T) {
	server := cataloguetest.New(t)
	seen := map[int]bool{}
	path := "/api/events/"
	for path != "" {
		p := page(t, server, path)
		for _, r := range p.Records {
			if seen[r.ID] {
				t.Fatalf("event %d is on two pages", r.ID)
			}
			seen[r.ID] = true
		}
		rest, ok := strings.CutPrefix(p.Next, server.URL)
		if p.Next != "" && !ok {
			t.Fatalf("next = %s, want prefix %s", p.Next, server.URL)
		}
		path = rest
	}
	if n := mustIn(resources.Events, server.Catalogue).Count(); len(seen) != n {
		t.Errorf("found %d events, want %d", len(seen), n)
	}
}

// TestServersAreIndependent checks that concurrent and later tests do not see each other's
// changes.
func TestServersAreIndependent(t *testing.T) {
	count := mustIn(resources.Events, cataloguetest.New(t).Catalogue).Count()
	var all sync.WaitGroup
	for i := range 8 {
		server := cataloguetest.New(t)
		all.Go(func() {
			for n := range 10 * i {
				if _, err := mustIn(resources.Events, server.Catalogue).Insert(resources.Event{Name: fmt.Sprint(n), StartDate: schema.DateTime{}, EndDate: schema.DateTime{}}); err != nil {
					t.Error(err)
				}
			}
			for e := range mustIn(resources.Events, server.Catalogue).All() {
				if e.ID%2 == 0 {
					if err := mustIn(resources.Events, server.Catalogue).Delete(e.ID); err != nil {
						t.Error(err)
					}
				}
			}
			if err := server.Catalogue.Check(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if p := page(t, cataloguetest.New(t), "/api/events/"); p.Count != count {
		t.Errorf("new server has %d events, want %d", p.Count, count)
	}
}

func TestPostIsStored(t *testing.T) {
	server := cataloguetest.New(t)
	before := mustIn(resources.Events, server.Catalogue).Count()
	resp, err := server.Client.Post(server.URL+"/api/events/", "application/json", strings.NewReader(
		`{"name": "Reading", "slug": "reading", "startDate": "2026-05-10T18:00:00Z", "endDate": "2026-05-10T20:00:00Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusCreated || mustIn(resources.Events, server.Catalogue).Count() != before+1 {
		t.Errorf("status %s, %d events; want 201, %d", resp.Status, mustIn(resources.Events, server.Catalogue).Count(), before+1)
	}
}

func TestServerIsClosedWithTest(t *testing.T) {
	for name, opts := range map[string]cataloguetest.Options{"in process": {}, "loopback": {Loopback: true}} {
		t.Run(name, func(t *testing.T) {
			var server *cataloguetest.Server
			t.Run("inner", func(t *testing.T) {
				server = cataloguetest.NewWith(t, opts)
				get(t, server, "/api/")
			})
			if resp, err := server.Client.Get(server.URL + "/api/"); err == nil {
				resp.Body.Close()
				t.Error("request succeeded after the end of the test")
			}
		})
	}
}

// TestURL checks that links begin with the URL of the server.
func TestURL(t *testing.T) {
	for reason, row := range map[string]struct {
		opts cataloguetest.Options
		want string
	}{
		"in process":             {cataloguetest.Options{}, "http://catalogue.test"},
		"https in process":       {cataloguetest.Options{Secure: true}, "https://catalogue.test"},
		"loopback port":          {cataloguetest.Options{Loopback: true}, "http://127.0.0.1:"},
		"https on loopback port": {cataloguetest.Options{Loopback: true, Secure: true}, "https://127.0.0.1:"},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			server := cataloguetest.NewWith(t, row.opts)
			if !strings.HasPrefix(server.URL, row.want) {
				t.Errorf("URL = %s, want prefix %s", server.URL, row.want)
			}
			if p := page(t, server, "/api/events/"); p.Next != server.URL+"/api/events/?limit=21&offset=21" {
				t.Errorf("next = %s", p.Next)
			}
		})
	}
}

func TestOptionsEmpty(t *testing.T) {
	server := cataloguetest.NewWith(t, cataloguetest.Options{Empty: true})
	for _, about := range descriptions() {
		if p := page(t, server, "/api/"+about.Segment+"/"); p.Count != 0 {
			t.Errorf("%s: count %d, want 0", about.Key, p.Count)
		}
	}
}

// TestOptionsCatalogue checks that a catalogue is served with its types, and that posted
// records are written to it.
func TestOptionsCatalogue(t *testing.T) {
	type book struct {
		ID    int    `json:"id"`
		Title string `json:"title"`
	}
	own, err := resources.New(catalogue.Define[book]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	server := cataloguetest.NewWith(t, cataloguetest.Options{Catalogue: own})
	books, err := catalogue.Define[book]("books", catalogue.Options{}).In(own)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := books.Insert(book{Title: "Emma"}); err != nil {
		t.Fatal(err)
	}
	if _, body := get(t, server, "/api/books/"); body != `{"count":1,"next":null,"previous":null,"results":[{"id":1,"title":"Emma"}]}` {
		t.Errorf("books: %s", body)
	}
	postEvent(t, server)
	if mustIn(resources.Events, own).Count() != 1 || server.Catalogue != own {
		t.Error("POST did not write to the catalogue")
	}
}

func postEvent(t *testing.T, server *cataloguetest.Server) (status int) {
	t.Helper()
	resp, err := server.Client.Post(server.URL+"/api/events/", "application/json", strings.NewReader(
		`{"name": "Reading", "slug": "reading", "startDate": "2026-05-10T18:00:00Z", "endDate": "2026-05-10T20:00:00Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

func TestOptionsAuthorizer(t *testing.T) {
	open := cataloguetest.New(t)
	closed := cataloguetest.NewWith(t, cataloguetest.Options{Authorizer: httpapi.Bearer("s3cret")})
	if status := postEvent(t, open); status != http.StatusCreated {
		t.Errorf("default: status %d, want 201", status)
	}
	if status := postEvent(t, closed); status != http.StatusUnauthorized {
		t.Errorf("Bearer without a token: status %d, want 401", status)
	}
}

func TestOptionsContradict(t *testing.T) {
	files := fstest.MapFS{"events.json": {Data: []byte("[]")}}
	for reason, opts := range map[string]cataloguetest.Options{
		"Empty and Catalogue":    {Empty: true, Catalogue: mustNew()},
		"Empty and Fixtures":     {Empty: true, Fixtures: files},
		"Catalogue and Fixtures": {Catalogue: mustNew(), Fixtures: files},
	} {
		got := failureOf(t, func(tb testing.TB) { cataloguetest.NewWith(tb, opts) })
		if want := "cataloguetest: options: at most one of Empty, Catalogue and Fixtures may be set"; got != want {
			t.Errorf("%s: failed with %q, want %q", reason, got, want)
		}
	}
}

// TestNoGoroutinesLeft checks that no goroutine outlives a server, even if responses were
// not read to the end.
func TestNoGoroutinesLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, opts := range []cataloguetest.Options{{}, {Secure: true}, {Loopback: true}} {
		for range 20 {
			r := &recorder{TB: t}
			server := cataloguetest.NewWith(r, opts)
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

// A program has no testing.TB.
func ExampleOpen() {
	server, err := cataloguetest.Open(cataloguetest.Options{MaxExchanges: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	busy, err := server.TryInject(cataloguetest.Match{Path: "/api/events/"}, cataloguetest.Status(503, "busy"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"/api/books/", "/api/events/"} {
		resp, err := server.Client.Get(server.URL + path)
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
		fmt.Println(path, resp.StatusCode)
	}
	for _, e := range server.Exchanges() { // the last one
		fmt.Println(e.Method, e.URL, e.Status, busy.Count())
	}
	// Output:
	// /api/books/ 200
	// /api/events/ 503
	// GET /api/events/ 503 1
}

func open(t *testing.T, opts cataloguetest.Options) *cataloguetest.Server {
	t.Helper()
	server, err := cataloguetest.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

func TestClose(t *testing.T) {
	for _, loopback := range []bool{false, true} {
		server := open(t, cataloguetest.Options{Loopback: loopback})
		if status, _ := get(t, server, "/api/"); status != http.StatusOK {
			t.Errorf("loopback %t: status %d before Close", loopback, status)
		}
		server.Close()
		server.Close()
		resp, err := server.Client.Get(server.URL + "/api/")
		if err == nil {
			resp.Body.Close()
			t.Errorf("loopback %t: %s after Close", loopback, resp.Status)
		} else if !strings.Contains(err.Error(), "cataloguetest: the server is closed") {
			t.Errorf("loopback %t: %v", loopback, err)
		}
		w := httptest.NewRecorder()
		server.Handler.ServeHTTP(w, httptest.NewRequest("GET", "/api/", nil))
		if w.Code != http.StatusOK {
			t.Errorf("loopback %t: Handler responded with %d after Close", loopback, w.Code)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	tests := []struct {
		reason string
		opts   cataloguetest.Options
		want   string
	}{
		{"contradictory", cataloguetest.Options{Empty: true, Catalogue: mustNew()}, "cataloguetest: options: at most one of"},
		{"invalid fixture", cataloguetest.Options{Fixtures: fstest.MapFS{"events.json": {Data: []byte("[{]")}}}, "events.json:1:3"},
		{"invalid root", cataloguetest.Options{Root: "v1"}, `"v1"`},
		{"nil handler", cataloguetest.Options{Wrap: func(http.Handler) http.Handler { return nil }}, "Wrap returned a nil handler"},
		{"no test to fail", cataloguetest.Options{RequireFaults: true}, "cataloguetest: options: RequireFaults needs a test"},
	}
	for _, tt := range tests {
		if server, err := cataloguetest.Open(tt.opts); err == nil || server != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error with %s", tt.reason, err, tt.want)
		}
	}
}

func TestTryInjectErrors(t *testing.T) {
	tests := []struct {
		reason string
		match  cataloguetest.Match
		fault  cataloguetest.Fault
		want   string
	}{
		{"invalid argument", cataloguetest.Match{}, cataloguetest.Status(42, ""), "cataloguetest: Status: invalid status 42"},
		{"zero fault", cataloguetest.Match{}, cataloguetest.Fault{}, "cataloguetest: the zero Fault is invalid"},
		{"no such request", cataloguetest.Match{Path: "/api/events"}, cataloguetest.ResetConnection(), `want "/api/events/"`},
	}
	for _, tt := range tests {
		server := open(t, cataloguetest.Options{Empty: true})
		if b, err := server.TryInject(tt.match, tt.fault); err == nil || b != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error with %s", tt.reason, err, tt.want)
		}
		if status, _ := get(t, server, "/api/events/"); status != http.StatusOK {
			t.Errorf("%s: status %d afterwards", tt.reason, status)
		}
	}
}

// TestTryInjectUnused checks that such a fault of a test is reported like any other.
func TestTryInjectUnused(t *testing.T) {
	var at string
	_, failures := runServer(t, cataloguetest.Options{RequireFaults: true}, func(server *cataloguetest.Server) {
		at = here(1)
		if _, err := server.TryInject(cataloguetest.Match{}, cataloguetest.ResetConnection()); err != nil {
			t.Error(err)
		}
	})
	want := []string{"cataloguetest: " + at + ": Inject(Match{}, ResetConnection()) changed no response: no request matched its Match"}
	if diff := cmp.Diff(want, failures); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
}

// TestInjectWithoutTest checks that Inject logs its error in a server without a test.
func TestInjectWithoutTest(t *testing.T) {
	server := open(t, cataloguetest.Options{})
	marked := server.Inject(cataloguetest.Match{}, cataloguetest.Header("X-Shop", "1"))
	var logged strings.Builder
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	invalid := server.Inject(cataloguetest.Match{}, cataloguetest.Status(42, ""))
	if want := "cataloguetest: Inject: Status: invalid status 42"; !strings.Contains(logged.String(), want) {
		t.Errorf("logged %q, want %q", logged.String(), want)
	}
	if status, _ := get(t, server, "/api/events/"); status != http.StatusOK || marked.Count() != 1 || invalid.Count() != 0 {
		t.Errorf("status %d, counts %d and %d; want 200, 1, 0", status, marked.Count(), invalid.Count())
	}
	invalid.Remove()
}

func TestMaxExchanges(t *testing.T) {
	tests := []struct {
		reason string
		max    int
		want   []string
	}{
		{"no limit", 0, []string{"/api/", "/api/books/", "/api/events/"}},
		{"negative", -1, []string{"/api/", "/api/books/", "/api/events/"}},
		{"fewer than the requests", 2, []string{"/api/books/", "/api/events/"}},
		{"one", 1, []string{"/api/events/"}},
		{"more than the requests", 4, []string{"/api/", "/api/books/", "/api/events/"}},
	}
	for _, tt := range tests {
		server := open(t, cataloguetest.Options{MaxExchanges: tt.max})
		getAll(t, server, "/api/", "/api/books/", "/api/events/")
		var got []string
		for _, e := range server.Exchanges() {
			got = append(got, e.URL.Path)
			if len(e.ResponseBody) == 0 || e.Cut || e.Header == nil {
				t.Errorf("%s: %v is not complete", tt.reason, e)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: exchanges (-want +got):\n%s", tt.reason, diff)
		}
	}
}

// TestNextLinkWithPrefix checks that a link made by a fault for a page without links leads
// below the prefix that the page was requested with.
func TestNextLinkWithPrefix(t *testing.T) {
	fake := open(t, cataloguetest.Options{Empty: true})
	fake.Inject(cataloguetest.Match{}, cataloguetest.NextIsSelf())
	server := httptest.NewServer(http.StripPrefix("/shop x", fake.Handler))
	defer server.Close()
	for _, target := range []string{"/shop%20x/api/events/", "/shop%20x/api/events/?limit=3"} {
		resp, err := server.Client().Get(server.URL + target)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(`"next":"%s%s"`, server.URL, target)
		if !strings.Contains(string(body), want) {
			t.Errorf("%s: %s, want %s", target, body, want)
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
	server := cataloguetest.NewWith(t, cataloguetest.Options{Wrap: withLogin})
	busy := server.Inject(cataloguetest.Match{Path: "/login", Nth: 1}, cataloguetest.Status(503, "busy"))
	server.Inject(cataloguetest.Match{Collection: "events"}, cataloguetest.MissingRow())
	if resp := send(t, server, "POST /login", "{}"); resp.StatusCode != http.StatusServiceUnavailable || busy.Count() != 1 {
		t.Errorf("first login: %s, Count() = %d", resp.Status, busy.Count())
	}
	if resp := send(t, server, "POST /login", "{}"); resp.StatusCode != http.StatusOK {
		t.Errorf("second login: %s", resp.Status)
	}
	if p := page(t, server, "/api/events/"); len(p.Records) != 20 {
		t.Errorf("%d events, want one less than 21", len(p.Records))
	}
	server.AssertRequests(t, "POST /login", "POST /login", "GET /api/events/")
	if e := server.Exchanges()[1]; string(e.ResponseBody) != `{"token":"s3cret"}` {
		t.Errorf("logged response %s", e.ResponseBody)
	}
	message := failureOf(t, func(tb testing.TB) { server.AssertReadOnly(tb) })
	if !strings.Contains(message, "POST /login: 200") {
		t.Errorf("AssertReadOnly: %q", message)
	}
}

func TestOptionsWrapNil(t *testing.T) {
	got := failureOf(t, func(tb testing.TB) {
		cataloguetest.NewWith(tb, cataloguetest.Options{Wrap: func(http.Handler) http.Handler { return nil }})
	})
	if want := "cataloguetest: options: Wrap returned a nil handler"; got != want {
		t.Errorf("failed with %q, want %q", got, want)
	}
}

// A closeRecorder is a request body that records whether it is closed.
type closeRecorder struct {
	io.Reader
	closed bool
}

func (c *closeRecorder) Close() error {
	c.closed = true
	return nil
}

// postTo sends a request with a body, and reports whether the body was closed.
func postTo(t *testing.T, server *cataloguetest.Server) (closed bool, err error) {
	t.Helper()
	body := &closeRecorder{Reader: strings.NewReader("{}")}
	resp, err := server.Client.Post(server.URL+"/api/events/", "application/json", body)
	if err == nil {
		resp.Body.Close()
	}
	return body.closed, err
}

// TestServerMadeOutsideBubble would otherwise end the process. The error must come before
// the transport has created anything, so that the server can still be used outside.
func TestServerMadeOutsideBubble(t *testing.T) {
	for reason, opts := range map[string]cataloguetest.Options{"in process": {}, "loopback": {Loopback: true}} {
		t.Run(reason, func(t *testing.T) {
			server := cataloguetest.NewWith(t, opts)
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
		})
	}
}

// TestServerMadeInsideBubble makes a server with the TB of the surrounding test, so that it
// outlives the bubble.
func TestServerMadeInsideBubble(t *testing.T) {
	outer := &recorder{TB: t}
	var server *cataloguetest.Server
	synctest.Test(t, func(*testing.T) { server = cataloguetest.New(outer) })
	closed, err := postTo(t, server)
	if err == nil || !strings.Contains(err.Error(), "use it only inside the bubble") || !closed {
		t.Errorf("outside the bubble: error %v, body closed: %t", err, closed)
	}
	outer.end()
	if len(outer.errors) != 1 || !strings.Contains(outer.errors[0], "with the T that synctest.Test passes") {
		t.Errorf("at the end of the test: failures %q", outer.errors)
	}
}

// TestBubbleSleepsForDecades checks that a server is recognized as made inside when the
// date of the bubble has passed that of the machine.
func TestBubbleSleepsForDecades(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := cataloguetest.New(t)
		time.Sleep(100 * 365 * 24 * time.Hour)
		if status, _ := get(t, server, "/api/"); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	})
}

// descriptions returns the descriptions of the documented collections.
func descriptions() (list []schema.Description) {
	c, err := resources.New()
	if err != nil {
		panic(err) // without other definitions there is no error
	}
	for _, collection := range c.All() {
		list = append(list, collection.Description())
	}
	return list
}

// descriptionOf returns the description of a documented collection and reports whether
// there is one.
func descriptionOf(key string) (schema.Description, bool) {
	for _, d := range descriptions() {
		if d.Key == key {
			return d, true
		}
	}
	return schema.Description{}, false
}
