package cataloguetest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// A program has no testing.TB.
func ExampleOpen() {
	house, err := cataloguetest.Open(cataloguetest.Options{MaxExchanges: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer house.Close()
	busy, err := house.Inject(cataloguetest.Where{Path: "/api/events/"}, cataloguetest.Status(503, "busy"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"/api/books/", "/api/events/"} {
		resp, err := house.Client.Get(house.URL + path)
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
		fmt.Println(path, resp.StatusCode)
	}
	for _, e := range house.Exchanges() { // the last one
		fmt.Println(e.Method, e.URL, e.Status, busy.Count())
	}
	// Output:
	// /api/books/ 200
	// /api/events/ 503
	// GET /api/events/ 503 1
}

func open(t *testing.T, opts cataloguetest.Options) *cataloguetest.House {
	t.Helper()
	house, err := cataloguetest.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(house.Close)
	return house
}

func TestClose(t *testing.T) {
	for _, server := range []bool{false, true} {
		house := open(t, cataloguetest.Options{Server: server})
		if status, _ := get(t, house, "/api/"); status != http.StatusOK {
			t.Errorf("server %t: status %d before Close", server, status)
		}
		house.Close()
		house.Close()
		resp, err := house.Client.Get(house.URL + "/api/")
		if err == nil {
			resp.Body.Close()
			t.Errorf("server %t: %s after Close", server, resp.Status)
		} else if !strings.Contains(err.Error(), "cataloguetest: the house is closed") {
			t.Errorf("server %t: %v", server, err)
		}
		w := httptest.NewRecorder()
		house.Handler.ServeHTTP(w, httptest.NewRequest("GET", "/api/", nil))
		if w.Code != http.StatusOK {
			t.Errorf("server %t: Handler responded with %d after Close", server, w.Code)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	tests := []struct {
		reason string
		opts   cataloguetest.Options
		want   string
	}{
		{"contradictory", cataloguetest.Options{Empty: true, Catalogue: catalogue.New()}, "cataloguetest: options: at most one of"},
		{"invalid fixture", cataloguetest.Options{Fixtures: fstest.MapFS{"events.json": {Data: []byte("[{]")}}}, "events.json:1:3"},
		{"invalid root", cataloguetest.Options{Root: "v1"}, `"v1"`},
		{"nil handler", cataloguetest.Options{Wrap: func(http.Handler) http.Handler { return nil }}, "Wrap returned a nil handler"},
		{"no test to fail", cataloguetest.Options{RequireFaults: true}, "cataloguetest: options: RequireFaults needs a test"},
	}
	for _, tt := range tests {
		if house, err := cataloguetest.Open(tt.opts); err == nil || house != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error with %s", tt.reason, err, tt.want)
		}
	}
}

func TestInjectErrors(t *testing.T) {
	tests := []struct {
		reason string
		where  cataloguetest.Where
		fault  cataloguetest.Fault
		want   string
	}{
		{"invalid argument", cataloguetest.Where{}, cataloguetest.Status(42, ""), "cataloguetest: Status: invalid status 42"},
		{"zero fault", cataloguetest.Where{}, cataloguetest.Fault{}, "cataloguetest: the zero Fault is invalid"},
		{"no such request", cataloguetest.Where{Path: "/api/events"}, cataloguetest.Cut(), `want "/api/events/"`},
	}
	for _, tt := range tests {
		house := open(t, cataloguetest.Options{Empty: true})
		if b, err := house.Inject(tt.where, tt.fault); err == nil || b != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want an error with %s", tt.reason, err, tt.want)
		}
		if status, _ := get(t, house, "/api/events/"); status != http.StatusOK {
			t.Errorf("%s: status %d afterwards", tt.reason, status)
		}
	}
}

// TestInjectUnused checks that an injected fault of a test is reported like any other.
func TestInjectUnused(t *testing.T) {
	var at string
	_, failures := runHouse(t, cataloguetest.Options{RequireFaults: true}, func(house *cataloguetest.House) {
		at = here(1)
		if _, err := house.Inject(cataloguetest.Where{}, cataloguetest.Cut()); err != nil {
			t.Error(err)
		}
	})
	want := []string{"cataloguetest: " + at + ": Break(Where{}, Cut()) changed no response: no request matched its Where"}
	if diff := cmp.Diff(want, failures); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
}

// TestFailuresWithoutTest checks that methods that would fail a test work in a house without
// one, and panic if their arguments are invalid.
func TestFailuresWithoutTest(t *testing.T) {
	house := open(t, cataloguetest.Options{})
	house.Break(cataloguetest.Where{}, cataloguetest.Header("X-Shop", "1"))
	house.Keep("events", 1, 2)
	if p := page(t, house, "/api/events/"); p.Count != 2 {
		t.Errorf("%d events, want 2", p.Count)
	}
	calls := map[string]func(){
		"cataloguetest: Break: Status: invalid status 42": func() { house.Break(cataloguetest.Where{}, cataloguetest.Status(42, "")) },
		"cataloguetest: Keep: ":                           func() { house.Keep("magazines") },
	}
	for want, call := range calls {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, want) {
					t.Errorf("panic with %s, want %s", got, want)
				}
			}()
			call()
		}()
	}
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
		house := open(t, cataloguetest.Options{MaxExchanges: tt.max})
		getAll(t, house, "/api/", "/api/books/", "/api/events/")
		var got []string
		for _, e := range house.Exchanges() {
			got = append(got, e.URL.Path)
			if len(e.Answer) == 0 || e.Cut || e.Header == nil {
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
	house := open(t, cataloguetest.Options{Empty: true})
	house.Break(cataloguetest.Where{}, cataloguetest.NextIsSelf())
	server := httptest.NewServer(http.StripPrefix("/shop x", house.Handler))
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
		want := fmt.Sprintf(`"next":"%s/shop%%20x/api/events/?limit=`, server.URL)
		if !strings.Contains(string(body), want) {
			t.Errorf("%s: %s, want %s", target, body, want)
		}
	}
}
