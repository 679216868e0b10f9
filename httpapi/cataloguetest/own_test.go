package cataloguetest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/resources"
)

type director struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

type film struct {
	ID       int    `json:"id"`
	Title    string `json:"title"`
	Director int    `json:"director" backlist:"refers=directors"`
}

type draft struct {
	ID int `json:"id"`
}

// filmDefinitions returns definitions of collections of a program. The segment of the
// films is not their key, and drafts have no list and no paths of records.
func filmDefinitions() []catalogue.AnyDefinition {
	return []catalogue.AnyDefinition{
		catalogue.Define[draft]("drafts", catalogue.Options{Description: &schema.Description{Actions: schema.Create}}),
		catalogue.Define[director]("directors", catalogue.Options{}),
		catalogue.Define[film]("shortFilms", catalogue.Options{
			Description: &schema.Description{Segment: "films", Filters: []string{"director"}, Search: []string{"title"}},
		}),
	}
}

// filmRecords returns the JSON of films with the ids from 1.
func filmRecords(n int) string {
	var all []string
	for id := 1; id <= n; id++ {
		all = append(all, fmt.Sprintf(`{"id":%d,"title":"Film %d","director":%d}`, id, id, 1+id%2))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// newFilms returns a server of two directors and the given number of films.
func newFilms(t *testing.T, films int) *cataloguetest.Server {
	t.Helper()
	return cataloguetest.NewWith(t, cataloguetest.Options{
		Definitions: filmDefinitions(),
		Root:        "/v1/",
		Fixtures: files(
			"directors.ndjson", "{\"id\":1,\"name\":\"Varda\"}\n{\"id\":2,\"name\":\"Rohrwacher\"}",
			"films.json", filmRecords(films)),
	})
}

// send sends a request, such as "PUT /v1/films/7/", with a body of JSON.
func send(t *testing.T, server *cataloguetest.Server, request, body string) *http.Response {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := server.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp
}

func TestOptionsDefinitions(t *testing.T) {
	server := newFilms(t, 3)
	if _, body := get(t, server, "/v1/"); body != `{"drafts":"http://catalogue.test/v1/drafts/","directors":"http://catalogue.test/v1/directors/","shortFilms":"http://catalogue.test/v1/films/"}` {
		t.Errorf("root: %s", body)
	}
	if _, body := get(t, server, "/v1/films/2/"); body != `{"id":2,"title":"Film 2","director":1}` {
		t.Errorf("film 2: %s", body)
	}
	if status, _ := get(t, server, "/api/"); status != http.StatusNotFound {
		t.Errorf("/api/: status %d, want 404", status)
	}
	if p := page(t, server, "/v1/films/?director=2"); p.Count != 2 {
		t.Errorf("%d films of director 2, want 2", p.Count)
	}
	if err := server.Catalogue.Check(); err != nil {
		t.Error(err)
	}
}

func TestOptionsDefinitionsEmpty(t *testing.T) {
	for reason, opts := range map[string]cataloguetest.Options{
		"no sample records": {Definitions: filmDefinitions()},
		"Empty":             {Definitions: filmDefinitions(), Empty: true},
	} {
		server := cataloguetest.NewWith(t, opts)
		for key, c := range server.Catalogue.All() {
			if c.Count() != 0 {
				t.Errorf("%s: %s has %d records, want 0", reason, key, c.Count())
			}
		}
		if p := page(t, server, "/api/films/"); p.Count != 0 {
			t.Errorf("%s: count %d, want 0", reason, p.Count)
		}
	}
}

// The documented collections can be served at another root.
func TestOptionsRoot(t *testing.T) {
	server := cataloguetest.NewWith(t, cataloguetest.Options{Root: "/"})
	server.Inject(cataloguetest.Match{Collection: "labels"}, cataloguetest.MissingRow())
	n := mustIn(resources.Labels, server.Catalogue).Count()
	if p := page(t, server, "/labels/?limit=1000"); p.Count != n || len(p.Records) != n-1 {
		t.Errorf("%d of %d labels, want %d", len(p.Records), p.Count, n-1)
	}
}

func TestInvalidOwnOptions(t *testing.T) {
	for _, tt := range []struct {
		reason string
		opts   cataloguetest.Options
		want   string // in the failure
	}{
		{"two sets of collections", cataloguetest.Options{Definitions: filmDefinitions(), Catalogue: mustNew()}, "options: Catalogue and Definitions may not both be set"},
		{"nil definition", cataloguetest.Options{Definitions: []catalogue.AnyDefinition{nil}}, "nil definition"},
		{"root without a slash", cataloguetest.Options{Root: "/v1"}, `Root "/v1"`},
		{"fixture of a documented collection", cataloguetest.Options{Definitions: filmDefinitions(), Fixtures: files("server.json", `{"books": []}`)}, `server.json:1:2: unknown collection: "books"`},
	} {
		got := failureOf(t, func(tb testing.TB) { cataloguetest.NewWith(tb, tt.opts) })
		if !strings.HasPrefix(got, "cataloguetest: ") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: failed with %q, want %q", tt.reason, got, tt.want)
		}
	}
}

// AssertReadOnly counts each method that writes, and requests that are refused.
func TestAssertReadOnlyRecords(t *testing.T) {
	for _, tt := range []struct {
		request, body, want string
	}{
		{"POST /v1/films/", `{"title":"New","director":1}`, "201"},
		{"PUT /v1/films/2/", `{"title":"Sale","director":2}`, "200"},
		{"PATCH /v1/films/2/", `{"title":"Onda"}`, "200"},
		{"PATCH /v1/films/9/", `{"title":"Onda"}`, "404"},
		{"DELETE /v1/films/2/", "", "204"},
		{"DELETE /v1/directors/1/", "", "409"},
		{"DELETE /v1/films/", "", "405"},
		{"GET /v1/films/2/", "", ""},
		{"HEAD /v1/films/2/", "", ""},
		{"OPTIONS /v1/films/2/", "", ""},
	} {
		server := newFilms(t, 3)
		send(t, server, tt.request, tt.body)
		got := failureOf(t, func(tb testing.TB) { server.AssertReadOnly(tb) })
		switch {
		case tt.want == "" && got != "":
			t.Errorf("%s: failed with %q", tt.request, got)
		case tt.want != "" && !strings.Contains(got, tt.request+": "+tt.want):
			t.Errorf("%s: failed with %q, want status %s", tt.request, got, tt.want)
		}
		server.AssertRequests(t, tt.request)
	}
}

func TestMatchOwnCollections(t *testing.T) {
	requests := []string{
		"GET /v1/films/", "GET /v1/films/2/", "PATCH /v1/films/2/", "DELETE /v1/films/3/", "GET /v1/directors/",
		"GET /v1/directors/2/", "GET /v1/", "GET /v1/films/?offset=2", "GET /v1/films/2", "GET /v1/films/2.5/",
		"GET /v1/films/2/cast/", "GET /api/films/", "POST /v1/drafts/", "GET /v1/drafts/1/",
	}
	for _, tt := range []struct {
		reason string
		match  cataloguetest.Match
		want   []int // numbers of the requests, from 1
	}{
		{"path of a record", cataloguetest.Match{Path: "/v1/films/2/"}, []int{2, 3}},
		{"collection by key, with its records", cataloguetest.Match{Collection: "shortFilms"}, []int{1, 2, 3, 4, 8}},
		{"collection by segment", cataloguetest.Match{Collection: "films"}, []int{1, 2, 3, 4, 8}},
		{"other collection", cataloguetest.Match{Collection: "directors"}, []int{5, 6}},
		{"records have no paths", cataloguetest.Match{Collection: "drafts"}, []int{13}},
		{"method and collection", cataloguetest.Match{Collection: "films", Method: "DELETE"}, []int{4}},
		{"second page of a collection", cataloguetest.Match{Collection: "films", Offset: 2}, []int{8}},
	} {
		server := newFilms(t, 5)
		// Redirects keep the header of the response that is redirected, so they are not followed.
		server.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		server.Inject(tt.match, cataloguetest.Header("X-Selected", "yes"))
		var got []int
		for i, request := range requests {
			if send(t, server, request, "{}").Header.Get("X-Selected") != "" {
				got = append(got, i+1)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: selected requests (-want +got):\n%s", tt.reason, diff)
		}
	}
	got := failureOf(t, func(tb testing.TB) {
		server := cataloguetest.NewWith(tb, cataloguetest.Options{Definitions: filmDefinitions()})
		server.Inject(cataloguetest.Match{Collection: "books"}, cataloguetest.ResetConnection())
	})
	if !strings.Contains(got, `unknown collection: "books"`) {
		t.Errorf("documented collection: failed with %q", got)
	}
}

// A status replaces a write of a record, which then has no effect. A fault of pages leaves
// records alone.
func TestFaultsOfRecords(t *testing.T) {
	server := newFilms(t, 3)
	busy := server.Inject(cataloguetest.Match{Method: "DELETE", Path: "/v1/films/2/"}, cataloguetest.Status(503, "busy"))
	rows := server.Inject(cataloguetest.Match{Collection: "films", Method: "GET"}, cataloguetest.MissingRow())
	if status := send(t, server, "DELETE /v1/films/2/", "").StatusCode; status != 503 || busy.Count() != 1 {
		t.Errorf("DELETE: status %d after %d faults, want 503", status, busy.Count())
	}
	if _, body := get(t, server, "/v1/films/2/"); body != `{"id":2,"title":"Film 2","director":1}` || rows.Count() != 0 {
		t.Errorf("film 2: %s after %d faults of pages", body, rows.Count())
	}
	if p := page(t, server, "/v1/films/"); len(p.Records) != 2 || p.Count != 3 || rows.Count() != 1 {
		t.Errorf("%d of %d films, want 2 of 3", len(p.Records), p.Count)
	}
}

func TestAssertWalkedOnceOwnCollection(t *testing.T) {
	const first, second = "/v1/films/", "/v1/films/?limit=21&offset=21"
	for _, tt := range []struct {
		reason   string
		requests []string
		want     string // in the failure
	}{
		{"both pages", []string{first, second}, ""},
		{"records between the pages", []string{first, "/v1/films/7/", second}, ""},
		{"pages of a filter and of a search do not count", []string{first, "/v1/films/?director=1", "/v1/films/?search=film+7", second}, ""},
		{"an empty filter selects all", []string{first, first + "?director=", second}, "pages fetched"},
		{"only pages of a filter", []string{"/v1/films/?director=1"}, "no page of /v1/films/ was fetched"},
		{"second page missing", []string{first}, "offset 21: 9 records, last page"},
		{"the documented path", []string{"/api/films/"}, "no page of /v1/films/ was fetched"},
	} {
		server := newFilms(t, 30)
		getAll(t, server, tt.requests...)
		got := failureOf(t, func(tb testing.TB) { server.AssertWalkedOnce(tb, "shortFilms") })
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: failed with %q, want %q", tt.reason, got, tt.want)
		}
	}
	server := newFilms(t, 0)
	if got := failureOf(t, func(tb testing.TB) { server.AssertWalkedOnce(tb, "events") }); !strings.Contains(got, `unknown collection: "events"`) {
		t.Errorf("documented collection: failed with %q", got)
	}
}

func TestDiffOwnCollections(t *testing.T) {
	want, got := newFilms(t, 3).Catalogue, newFilms(t, 2).Catalogue
	if diff := cmp.Diff("shortFilms: want 3 records, got 2\n  only in want: 3\n  record 3 (only in want): {\"id\":3,\"title\":\"Film 3\",\"director\":2}\n", cataloguetest.Diff(want, got)); diff != "" {
		t.Error(diff)
	}
	const all = `directors: want 0 records, got 2
  only in got: 1, 2
  record 1 (only in got): {"id":1,"name":"Varda"}
  record 2 (only in got): {"id":2,"name":"Rohrwacher"}
shortFilms: want 0 records, got 2
  only in got: 1, 2
  record 1 (only in got): {"id":1,"title":"Film 1","director":2}
  record 2 (only in got): {"id":2,"title":"Film 2","director":1}
`
	if diff := cmp.Diff(all, cataloguetest.Diff(nil, got)); diff != "" {
		t.Error(diff)
	}
	fewer, err := catalogue.New(filmDefinitions()[:1]...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("directors: only in want\nshortFilms: only in want\n", cataloguetest.Diff(want, fewer)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("directors: only in got\nshortFilms: only in got\n", cataloguetest.Diff(fewer, want)); diff != "" {
		t.Error(diff)
	}
}
