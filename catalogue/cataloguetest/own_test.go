package cataloguetest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/client"
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

// newFilms returns a house of two directors and the given number of films.
func newFilms(t *testing.T, films int) *cataloguetest.House {
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
func send(t *testing.T, house *cataloguetest.House, request, body string) *http.Response {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	r, err := http.NewRequestWithContext(t.Context(), method, house.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := house.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp
}

func TestOptionsDefinitions(t *testing.T) {
	house := newFilms(t, 3)
	if _, body := get(t, house, "/v1/"); body != `{"drafts":"http://catalogue.test/v1/drafts/","directors":"http://catalogue.test/v1/directors/","shortFilms":"http://catalogue.test/v1/films/"}` {
		t.Errorf("root: %s", body)
	}
	if _, body := get(t, house, "/v1/films/2/"); body != `{"id":2,"title":"Film 2","director":1}` {
		t.Errorf("film 2: %s", body)
	}
	if status, _ := get(t, house, "/api/"); status != http.StatusNotFound {
		t.Errorf("/api/: status %d, want 404", status)
	}
	if p := page(t, house, "/v1/films/?director=2"); p.Count != 2 {
		t.Errorf("%d films of director 2, want 2", p.Count)
	}
	if err := house.Catalogue.Check(); err != nil {
		t.Error(err)
	}
}

func TestOptionsDefinitionsEmpty(t *testing.T) {
	for reason, opts := range map[string]cataloguetest.Options{
		"no sample records": {Definitions: filmDefinitions()},
		"Empty":             {Definitions: filmDefinitions(), Empty: true},
	} {
		house := cataloguetest.NewWith(t, opts)
		for key, c := range house.Catalogue.All() {
			if c.Count() != 0 {
				t.Errorf("%s: %s has %d records, want 0", reason, key, c.Count())
			}
		}
		if p := page(t, house, "/api/films/"); p.Count != 0 {
			t.Errorf("%s: count %d, want 0", reason, p.Count)
		}
	}
}

// The documented collections can be served at another root.
func TestOptionsRoot(t *testing.T) {
	house := cataloguetest.NewWith(t, cataloguetest.Options{Root: "/"})
	house.Break(cataloguetest.Where{Collection: "labels"}, cataloguetest.MissingRow())
	n := house.Catalogue.Labels().Count()
	if p := page(t, house, "/labels/?limit=1000"); p.Count != n || len(p.Records) != n-1 {
		t.Errorf("%d of %d labels, want %d", len(p.Records), p.Count, n-1)
	}
}

func TestInvalidOwnOptions(t *testing.T) {
	for _, tt := range []struct {
		reason string
		opts   cataloguetest.Options
		want   string // in the failure
	}{
		{"two sets of collections", cataloguetest.Options{Definitions: filmDefinitions(), Catalogue: catalogue.New()}, "options: Catalogue and Definitions may not both be set"},
		{"nil definition", cataloguetest.Options{Definitions: []catalogue.AnyDefinition{nil}}, "nil definition"},
		{"root without a slash", cataloguetest.Options{Root: "/v1"}, `Root "/v1"`},
		{"fixture of a documented collection", cataloguetest.Options{Definitions: filmDefinitions(), Fixtures: files("house.json", `{"books": []}`)}, `house.json:1:2: unknown collection: "books"`},
	} {
		got := failureOf(t, func(tb testing.TB) { cataloguetest.NewWith(tb, tt.opts) })
		if !strings.HasPrefix(got, "cataloguetest: ") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: failed with %q, want %q", tt.reason, got, tt.want)
		}
	}
}

// NeverWrote counts each method that writes, and requests that are refused.
func TestNeverWroteRecords(t *testing.T) {
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
		house := newFilms(t, 3)
		send(t, house, tt.request, tt.body)
		got := failureOf(t, func(tb testing.TB) { house.NeverWrote(tb) })
		switch {
		case tt.want == "" && got != "":
			t.Errorf("%s: failed with %q", tt.request, got)
		case tt.want != "" && !strings.Contains(got, tt.request+": "+tt.want):
			t.Errorf("%s: failed with %q, want status %s", tt.request, got, tt.want)
		}
		house.Asked(t, tt.request)
	}
}

func TestWhereOwnCollections(t *testing.T) {
	requests := []string{
		"GET /v1/films/", "GET /v1/films/2/", "PATCH /v1/films/2/", "DELETE /v1/films/3/", "GET /v1/directors/",
		"GET /v1/directors/2/", "GET /v1/", "GET /v1/films/?offset=2", "GET /v1/films/2", "GET /v1/films/2.5/",
		"GET /v1/films/2/cast/", "GET /api/films/", "POST /v1/drafts/", "GET /v1/drafts/1/",
	}
	for _, tt := range []struct {
		reason string
		where  cataloguetest.Where
		want   []int // numbers of the requests, from 1
	}{
		{"path of a record", cataloguetest.Where{Path: "/v1/films/2/"}, []int{2, 3}},
		{"collection by key, with its records", cataloguetest.Where{Collection: "shortFilms"}, []int{1, 2, 3, 4, 8}},
		{"collection by segment", cataloguetest.Where{Collection: "films"}, []int{1, 2, 3, 4, 8}},
		{"other collection", cataloguetest.Where{Collection: "directors"}, []int{5, 6}},
		{"records have no paths", cataloguetest.Where{Collection: "drafts"}, []int{13}},
		{"method and collection", cataloguetest.Where{Collection: "films", Method: "DELETE"}, []int{4}},
		{"first pages", cataloguetest.Where{Page: cataloguetest.AtOffset(0)}, []int{1, 5}},
		{"second page of a collection", cataloguetest.Where{Collection: "films", Page: cataloguetest.AtOffset(2)}, []int{8}},
	} {
		house := newFilms(t, 5)
		// Redirects keep the header of the response that is redirected, so they are not followed.
		house.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		house.Break(tt.where, cataloguetest.Header("X-Selected", "yes"))
		var got []int
		for i, request := range requests {
			if send(t, house, request, "{}").Header.Get("X-Selected") != "" {
				got = append(got, i+1)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: selected requests (-want +got):\n%s", tt.reason, diff)
		}
	}
	got := failureOf(t, func(tb testing.TB) {
		house := cataloguetest.NewWith(tb, cataloguetest.Options{Definitions: filmDefinitions()})
		house.Break(cataloguetest.Where{Collection: "books"}, cataloguetest.Cut())
	})
	if !strings.Contains(got, `unknown collection: "books"`) {
		t.Errorf("documented collection: failed with %q", got)
	}
}

// A status replaces a write of a record, which then has no effect. A fault of pages leaves
// records alone.
func TestFaultsOfRecords(t *testing.T) {
	house := newFilms(t, 3)
	busy := house.Break(cataloguetest.Where{Method: "DELETE", Path: "/v1/films/2/"}, cataloguetest.Status(503, "busy"))
	rows := house.Break(cataloguetest.Where{Collection: "films", Method: "GET"}, cataloguetest.MissingRow())
	if status := send(t, house, "DELETE /v1/films/2/", "").StatusCode; status != 503 || busy.Count() != 1 {
		t.Errorf("DELETE: status %d after %d faults, want 503", status, busy.Count())
	}
	if _, body := get(t, house, "/v1/films/2/"); body != `{"id":2,"title":"Film 2","director":1}` || rows.Count() != 0 {
		t.Errorf("film 2: %s after %d faults of pages", body, rows.Count())
	}
	if p := page(t, house, "/v1/films/"); len(p.Records) != 2 || p.Count != 3 || rows.Count() != 1 {
		t.Errorf("%d of %d films, want 2 of 3", len(p.Records), p.Count)
	}
}

func TestWalkedOnceOwnCollection(t *testing.T) {
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
		house := newFilms(t, 30)
		getAll(t, house, tt.requests...)
		got := failureOf(t, func(tb testing.TB) { house.WalkedOnce(tb, "shortFilms") })
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: failed with %q, want %q", tt.reason, got, tt.want)
		}
	}
	house := newFilms(t, 0)
	if got := failureOf(t, func(tb testing.TB) { house.WalkedOnce(tb, "events") }); !strings.Contains(got, `unknown collection: "events"`) {
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
	fewer, err := catalogue.NewOnly(filmDefinitions()[:1]...)
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

func TestDiffServiceOwnCollections(t *testing.T) {
	house := newFilms(t, 30)
	service, err := client.New(client.Options{BaseURL: house.URL, Root: "/v1/", HTTP: house.Client, Rate: -1})
	if err != nil {
		t.Fatal(err)
	}
	want := house.Catalogue.Clone()
	if report, err := cataloguetest.DiffService(t.Context(), want, service); err != nil {
		t.Errorf("DiffService = %q, %v", report, err)
	}
	house.NeverWrote(t)
	send(t, house, "DELETE /v1/films/7/", "")
	report, err := cataloguetest.DiffService(t.Context(), want, service, "shortFilms")
	if !errors.Is(err, cataloguetest.ErrDiffers) || report != "shortFilms: want 30 records, got 29\n  only in want: 7\n  record 7 (only in want): {\"id\":7,\"title\":\"Film 7\",\"director\":2}\n" {
		t.Errorf("DiffService = %q, %v", report, err)
	}
}

// Without a collection, the first suitable one is fetched: not directors, which are few,
// and not drafts, which have no list.
func TestVerificationCatalogue(t *testing.T) {
	house := newFilms(t, 100).Catalogue
	if err := house.LoadCollection("drafts", strings.NewReader(ids(100))); err != nil {
		t.Fatal(err)
	}
	fetch := func(ctx context.Context, http *http.Client, baseURL string) ([]int, error) {
		page, err := getPage(ctx, http, baseURL+"/v1/films/")
		var ids []int
		for _, r := range page.Results {
			ids = append(ids, r.ID)
		}
		return ids, err
	}
	var except []string // all pathologies but two
	for _, e := range expected {
		if e.pathology != "many-pages" && e.pathology != "one-full-page" {
			except = append(except, e.pathology)
		}
	}
	opts := cataloguetest.Verification{Catalogue: house, Root: "/v1/", Timeout: time.Minute, Except: except}
	before := saved(t, house)
	report, err := cataloguetest.CheckClient(fetch, opts)
	if !errors.Is(err, cataloguetest.ErrClientFailed) || len(report.Results) != 2 {
		t.Fatalf("CheckClient: error %v\n%s", err, report)
	}
	if many, full := report.Results[0].Problem, report.Results[1].Problem; !strings.HasPrefix(many, "returned 10 of 95 records") || full != "" {
		t.Errorf("unexpected report\n%s", report)
	}
	if saved(t, house) != before {
		t.Error("CheckClient changed the catalogue")
	}
}

// ids returns records with the ids from 1 and no other members.
func ids(n int) string {
	var all []string
	for id := 1; id <= n; id++ {
		all = append(all, fmt.Sprintf(`{"id":%d}`, id))
	}
	return "[" + strings.Join(all, ",") + "]"
}

func TestInvalidVerificationCatalogue(t *testing.T) {
	few, many := newFilms(t, 94).Catalogue, newFilms(t, 95).Catalogue
	fetch := func(context.Context, *http.Client, string) ([]int, error) { panic("not called") }
	for _, tt := range []struct {
		reason string
		opts   cataloguetest.Verification
		want   string // in the error
	}{
		{"no suitable collection", cataloguetest.Verification{Catalogue: few}, "no collection is listed and has 95 records"},
		{"few records", cataloguetest.Verification{Catalogue: few, Collection: "shortFilms"}, "shortFilms has 94 records; want at least 95"},
		{"no list", cataloguetest.Verification{Catalogue: many, Collection: "drafts"}, "drafts has no list"},
		{"segment", cataloguetest.Verification{Catalogue: many, Collection: "films"}, `unknown collection: "films"`},
		{"documented collection", cataloguetest.Verification{Catalogue: many, Collection: "events"}, `unknown collection: "events"`},
		{"own collection without a catalogue", cataloguetest.Verification{Collection: "shortFilms"}, `unknown collection: "shortFilms"`},
		{"invalid root", cataloguetest.Verification{Catalogue: many, Root: "v1"}, `Root "v1"`},
	} {
		report, err := cataloguetest.CheckClient(fetch, tt.opts)
		if err == nil || errors.Is(err, cataloguetest.ErrClientFailed) || !strings.Contains(err.Error(), tt.want) || len(report.Results) != 0 {
			t.Errorf("%s: error %v with %d results, want %q", tt.reason, err, len(report.Results), tt.want)
		}
	}
}
