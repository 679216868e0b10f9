package cataloguetest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

type issue struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
	State string `json:"state"`
}

// issues returns a server of five issues, of which the second and the fourth are closed.
func issues(t *testing.T, codec *Codec) *Server {
	t.Helper()
	server := NewWith(t, Options{
		Definitions: []catalogue.AnyDefinition{catalogue.Define[issue]("issues", catalogue.Options{
			Description: &schema.Description{Filters: []string{"state"}},
		})},
		Root:     "/repos/octocat/hello/",
		Codec:    codec,
		Fixtures: fstest.MapFS{"issues.json": {Data: []byte(`[{"id":1,"title":"e","state":"open"},{"id":2,"title":"d","state":"closed"},{"id":3,"title":"c","state":"open"},{"id":4,"title":"b","state":"closed"},{"id":5,"title":"a<b","state":"open"}]`)}},
	})
	return server
}

// response returns the status, the header Link and the ids and other members of a response.
func response(t *testing.T, server *Server, target string) string {
	t.Helper()
	r, err := http.NewRequest("GET", server.URL+target, nil)
	if err != nil {
		t.Fatal(err)
	}
	if server.faults.paths.codec != nil {
		r.Header.Set("Accept", "application/vnd.github+json")
	}
	resp, err := server.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(resp.StatusCode, " ", string(body))
	if link := resp.Header["Link"]; link != nil {
		text += fmt.Sprintf(" %q", link)
	}
	for id, title := range map[int]string{1: "e", 2: "d", 3: "c", 4: "b", 5: "a<b"} {
		for _, state := range []string{"open", "closed"} {
			text = strings.ReplaceAll(text, fmt.Sprintf(`{"id":%d,"title":"%s","state":"%s"}`, id, title, state), fmt.Sprint(id))
		}
	}
	return strings.ReplaceAll(text, "http://catalogue.test/repos/octocat/hello", "")
}

// data is the Codec of a service with pages such as {"data":[…],"meta":{"next":"…","total":5}}.
func data() *Codec {
	return &Codec{
		Pages: pagination.Numbers{Size: "per_page"},
		Next:  "meta.next",
		Count: "meta.total",
		Body: func(page LinkedPage, header http.Header) any {
			header.Set("X-Rows", fmt.Sprint(len(page.Records)))
			return map[string]any{"data": page.Records, "meta": map[string]any{"next": page.Next, "total": page.Count}}
		},
	}
}

// Requests and responses have the form that services document. The expectations are written by hand.
func TestCodec(t *testing.T) {
	const path = "/repos/octocat/hello/issues"
	bare := &Codec{Pages: pagination.Numbers{}}
	for _, tt := range []struct {
		reason string
		codec  *Codec
		target string
		want   string
	}{
		{"GitHub", GitHub(), path, `200 [1,2,3,4,5]`},
		{"the first page", GitHub(), path + "?per_page=2", `200 [1,2] ["</issues?page=2&per_page=2>; rel=\"next\", </issues?page=3&per_page=2>; rel=\"last\""]`},
		{"in the middle", GitHub(), path + "?per_page=2&page=2", `200 [3,4] ["</issues?page=1&per_page=2>; rel=\"prev\", </issues?page=3&per_page=2>; rel=\"next\", </issues?page=3&per_page=2>; rel=\"last\", </issues?page=1&per_page=2>; rel=\"first\""]`},
		{"the last page", GitHub(), path + "?per_page=2&page=3", `200 [5] ["</issues?page=2&per_page=2>; rel=\"prev\", </issues?page=1&per_page=2>; rel=\"first\""]`},
		{"a page past the last", GitHub(), path + "?per_page=2&page=9", `200 [] ["</issues?page=3&per_page=2>; rel=\"prev\", </issues?page=3&per_page=2>; rel=\"last\", </issues?page=1&per_page=2>; rel=\"first\""]`},
		{"past the only page", GitHub(), path + "?page=2", `200 []`},
		{"page 0 is the first", GitHub(), path + "?per_page=4&page=0", `200 [1,2,3,4] ["</issues?page=2&per_page=4>; rel=\"next\", </issues?page=2&per_page=4>; rel=\"last\""]`},
		{"a negative page is the first", GitHub(), path + "?per_page=4&page=-1", `200 [1,2,3,4] ["</issues?page=2&per_page=4>; rel=\"next\", </issues?page=2&per_page=4>; rel=\"last\""]`},
		{"last is not a number", GitHub(), path + "?page=last", `200 [1,2,3,4,5]`},
		{"a number that no page has", GitHub(), path + "?page=99999999999999999999", `200 []`},
		{"pages of another size than the default", GitHub(), path + "?per_page=0", `200 [1,2,3,4,5]`},
		{"order and filter", GitHub(), path + "?state=open&sort=title&direction=desc&per_page=2", `200 [1,3] ["</issues?direction=desc&page=2&per_page=2&sort=title&state=open>; rel=\"next\", </issues?direction=desc&page=2&per_page=2&sort=title&state=open>; rel=\"last\""]`},
		{"a slash at the end of the path", GitHub(), path + "/?per_page=4", `200 [1,2,3,4] ["</issues/?page=2&per_page=4>; rel=\"next\", </issues/?page=2&per_page=4>; rel=\"last\""]`},
		{"a record", GitHub(), path + "/3", `200 3`},
		{"no record", GitHub(), path + "/9", `404 {"message":"Not Found","documentation_url":"https://docs.github.com/rest","status":"404"}`},
		{"no collection", GitHub(), "/repos/octocat/hello/pulls", `404 {"message":"Not Found","documentation_url":"https://docs.github.com/rest","status":"404"}`},
		{"outside the root", GitHub(), "/user", `404 {"message":"Not Found","documentation_url":"https://docs.github.com/rest","status":"404"}`},
		{"below a record", GitHub(), path + "/3/comments/", `404 {"message":"Not Found","documentation_url":"https://docs.github.com/rest","status":"404"}`},

		{"data", data(), path + "?per_page=2&ordering=-id", `200 {"data":[5,4],"meta":{"next":"/issues?ordering=-id&page=2&per_page=2","total":5}}`},
		{"data, last", data(), path + "?per_page=3&page=2", `200 {"data":[4,5],"meta":{"next":"","total":5}}`},
		{"data, past the last", data(), path + "?per_page=3&page=3", `200 {"data":[],"meta":{"next":"","total":5}}`},
		{"data, error", data(), path + "/x", `404 {"detail":"Not found."}`},
		{"data, page 0", data(), path + "?page=0", `200 {"data":[],"meta":{"next":"","total":5}}`},
		{"data, no collection", data(), "/repos/octocat/hello/pulls", `404 {"detail":"Not found."}`},
		{"an invalid cursor", &Codec{Pages: pagination.Cursors{}}, path + "?cursor=x", `404 {"detail":"Invalid cursor"}`},
		{"pages that lead nowhere", bare, path + "?page=2", `200 []`},
		{"none", nil, path + "/?limit=4&offset=4", `200 {"count":5,"next":null,"previous":"/issues/?limit=4","results":[5]}`},
	} {
		got := response(t, issues(t, tt.codec), tt.target)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", tt.reason, tt.target, diff)
		}
	}
}

// Faults of pages, matches and assertions work in the service's terms.
func TestCodecFaults(t *testing.T) {
	const path = "/repos/octocat/hello/issues"
	moved := Page(func(_ *http.Request, page *envelope) {
		page.Next = strings.Replace(page.Next, "catalogue.test", "elsewhere.example", 1)
	})
	for _, tt := range []struct {
		reason string
		codec  *Codec
		match  Match
		fault  Fault
		target string
		want   string
	}{
		{"self", GitHub(), Match{Collection: "issues"}, NextIsSelf(), path + "?page=2&per_page=3", `200 [4,5] ["</issues?page=1&per_page=3>; rel=\"prev\", </issues?page=2&per_page=3>; rel=\"next\", </issues?page=1&per_page=3>; rel=\"first\""]`},
		{"missing", GitHub(), Match{Path: path}, MissingRow(), path + "?page=2&per_page=3", `200 [4] ["</issues?page=1&per_page=3>; rel=\"prev\", </issues?page=1&per_page=3>; rel=\"first\""]`},
		{"repeated", GitHub(), Match{Query: url.Values{"page": {"2"}}}, RepeatedRow(), path + "?page=2&per_page=3", `200 [4,4,5] ["</issues?page=1&per_page=3>; rel=\"prev\", </issues?page=1&per_page=3>; rel=\"first\""]`},
		{"host", GitHub(), Match{}, moved, path + "?per_page=3", `200 [1,2,3] ["<http://elsewhere.example/repos/octocat/hello/issues?page=2&per_page=3>; rel=\"next\", </issues?page=2&per_page=3>; rel=\"last\""]`},
		{"missing, and the last page stays where it is", GitHub(), Match{}, MissingRow(), path + "?per_page=2", `200 [1] ["</issues?page=2&per_page=2>; rel=\"next\", </issues?page=3&per_page=2>; rel=\"last\""]`},
		{"rate limit", GitHub(), Match{}, RateLimit(time.Hour), path, `429 {"message":"Request was throttled. Expected available in 3600 seconds.","documentation_url":"https://docs.github.com/rest","status":"429"}`},
		{"status, verbatim", GitHub(), Match{}, Status(503, `{"detail":"busy"}`), path, `503 {"detail":"busy"}`},
		{"header", GitHub(), Match{}, Header("Link", ""), path + "?per_page=3", `200 [1,2,3]`},
		{"truncated", GitHub(), Match{}, Truncate(1), path + "?page=9", `200 [`},

		{"count", data(), Match{}, Page(func(_ *http.Request, page *envelope) { page.Count-- }), path, `200 {"data":[1,2,3,4,5],"meta":{"next":"","total":4}}`},
	} {
		server := issues(t, tt.codec)
		fault := server.Inject(tt.match, tt.fault)
		if diff := cmp.Diff(tt.want, response(t, server, tt.target)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		if fault.Count() != 1 {
			t.Errorf("%s: the fault has changed %d responses", tt.reason, fault.Count())
		}
		server.AssertRequests(t, "GET "+tt.target)
	}
}

// A ticket has fields as GitHub's issues have them, and objects.
type ticket struct {
	ID        int       `json:"id"`
	Title     string    `json:"title" backlist:"unique,maxlength=9"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	Milestone *int      `json:"milestone" backlist:"refers=milestones"`
	Labels    []label   `json:"labels"`
}

type label struct {
	Name string `json:"name"`
}

type milestone struct {
	ID int `json:"id"`
}

// tickets returns a server of three tickets, of which the second is the oldest and the first was updated last.
func tickets(t *testing.T, opts Options) *Server {
	t.Helper()
	opts.Definitions = []catalogue.AnyDefinition{
		catalogue.Define[ticket]("tickets", catalogue.Options{Description: &schema.Description{Name: "pull request"}}),
		catalogue.Define[milestone]("milestones", catalogue.Options{}),
	}
	opts.Fixtures = files("tickets.json", `[
		{"id":1,"title":"b","created_at":"2026-02-02T00:00:00Z","updated_at":"2026-06-01T00:00:00Z","milestone":null,"labels":[]},
		{"id":2,"title":"c","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-04-01T00:00:00Z","milestone":null,"labels":[]},
		{"id":3,"title":"a","created_at":"2026-03-03T00:00:00Z","updated_at":"2026-05-01T00:00:00Z","milestone":null,"labels":[]}]`)
	return NewWith(t, opts)
}

// The orders are those that GitHub documents for issues.
func TestGitHubOrder(t *testing.T) {
	server := tickets(t, Options{Codec: GitHub()})
	for query, want := range map[string]string{
		"":                             "1 2 3",
		"sort=created":                 "3 1 2",
		"sort=created&direction=asc":   "2 1 3",
		"sort=created&direction=desc":  "3 1 2",
		"sort=created&direction=other": "3 1 2",
		"sort=updated":                 "1 3 2",
		"sort=updated&direction=asc":   "2 3 1",
		"direction=asc":                "2 1 3",
		"direction=desc":               "3 1 2",
		"sort=title":                   "2 1 3",
		"sort=title&direction=asc":     "3 1 2",
		"sort=unknown":                 "1 2 3",
	} {
		_, body := get(t, server, "/api/tickets?"+query)
		var page []ticket
		must(t, json.Unmarshal([]byte(body), &page))
		var ids []string
		for _, record := range page {
			ids = append(ids, fmt.Sprint(record.ID))
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
}

// The bodies of errors are those that GitHub documents, with the messages of the framework.
func TestGitHubErrors(t *testing.T) {
	const rest = `"documentation_url":"https://docs.github.com/rest","status":`
	invalid := func(errors string) string {
		return `422 {"message":"Validation Failed","errors":[` + errors + `],` + rest + `"422"}`
	}
	of := func(code, field, message string) string {
		return fmt.Sprintf(`{"code":"%s","field":"%s","message":"%s","resource":"PullRequest"}`, code, field, message)
	}
	authorizer := httpapi.Authorizer(func(r *http.Request, collection string, _ schema.Actions) error {
		if collection == "milestones" {
			return httpapi.Unauthorized("Bearer", "Requires authentication")
		}
		return nil
	})
	server := tickets(t, Options{Codec: GitHub(), Authorizer: authorizer})
	const rest1 = `"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","milestone":null,"labels":[]}`
	for _, tt := range []struct{ reason, request, body, want string }{
		{"required", "POST /api/tickets", `{"title":"x","milestone":null,"labels":[],"updated_at":"2026-01-01T00:00:00Z"}`, invalid(of("missing_field", "created_at", "This field is required."))},
		{"null", "PATCH /api/tickets/1", `{"title":null}`, invalid(of("missing_field", "title", "This field may not be null."))},
		{"blank", "POST /api/tickets", `{"title":"",` + rest1, invalid(of("missing_field", "title", "This field may not be blank."))},
		{"taken", "POST /api/tickets", `{"title":"a",` + rest1, invalid(of("already_exists", "title", "pull request with this title already exists."))},
		{"too long", "PATCH /api/tickets/1", `{"title":"0123456789"}`, invalid(of("invalid", "title", "Ensure this field has no more than 9 characters."))},
		{"of two fields", "PATCH /api/tickets/1", `{"title":null,"created_at":"x"}`, invalid(
			of("invalid", "created_at", "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].") + "," +
				of("missing_field", "title", "This field may not be null."))},
		{"a reference", "PATCH /api/tickets/1", `{"milestone":42}`, invalid(of("missing", "milestone", `Invalid pk \"42\" - object does not exist.`))},
		{"inside a list", "PATCH /api/tickets/1", `{"labels":[{"name":"x"},{}]}`, invalid(of("missing_field", "labels.1.name", "This field is required."))},
		{"the whole", "PATCH /api/tickets/1", `[]`, invalid(of("invalid", "non_field_errors", "Invalid data. Expected a dictionary, but got list."))},
		{"no JSON", "POST /api/tickets", `{"title":`, `400 {"message":"Problems parsing JSON",` + rest + `"400"}`},
		{"no credentials", "POST /api/milestones", `{}`, `401 {"message":"Requires authentication",` + rest + `"401"}`},
		{"no record", "PATCH /api/tickets/9", `{}`, `404 {"message":"Not Found",` + rest + `"404"}`},
		{"no collection", "POST /api/comments", `{}`, `404 {"message":"Not Found",` + rest + `"404"}`},
		{"no method", "DELETE /api/tickets", ``, `405 {"message":"Method \"DELETE\" not allowed.",` + rest + `"405"}`},
	} {
		resp, body := ask(t, server, tt.request, tt.body)
		if diff := cmp.Diff(tt.want, fmt.Sprint(resp.StatusCode, " ", body)); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", tt.reason, tt.request, diff)
		}
		if resp.ContentLength != int64(len(body)) || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: length %d of %d, %v", tt.reason, resp.ContentLength, len(body), resp.Header)
		}
	}
}

// Error is called with the parts of the framework's errors, for each path below Wrap.
func TestCodecFailure(t *testing.T) {
	var got []Failure
	codec := &Codec{Pages: pagination.Numbers{}, Error: func(f Failure) (int, any) {
		got = append(got, f)
		return 499, map[string]any{"n": len(got)}
	}}
	own := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/login":
				http.Error(w, "not the framework's", http.StatusTeapot)
			case "/api/milestones/3/":
				http.Error(w, "no JSON", http.StatusBadGateway)
			case "/api/milestones/4/":
				http.Error(w, `{"error":{"code":7}}`, http.StatusBadGateway)
			case "/api/milestones/5/":
				http.Error(w, `["a","b"]`, http.StatusBadRequest)
			default:
				next.ServeHTTP(w, r)
			}
		})
	}
	server := tickets(t, Options{Codec: codec, Wrap: own})
	for _, tt := range []struct{ request, body, want string }{
		{"GET /api/tickets", "", "200"},
		{"GET /login", "", "418 not the framework's\n"},
		{"GET /logout", "", `499 {"n":1}`},
		{"GET /api/tickets/9", "", `499 {"n":2}`},
		{"PATCH /api/tickets/1", `{"labels":[{"name":"x"},{}],"title":null}`, `499 {"n":3}`},
		{"GET /api/milestones/3", "", `499 {"n":4}`},
		{"GET /api/milestones/4", "", `499 {"n":5}`},
		{"GET /api/milestones/5", "", `499 {"n":6}`},
		{"HEAD /none", "", "499 "},
	} {
		resp, body := ask(t, server, tt.request, tt.body)
		if text := fmt.Sprint(resp.StatusCode, " ", body); !strings.HasPrefix(text, tt.want) {
			t.Errorf("%s: %s, want %s", tt.request, text, tt.want)
		}
	}
	none := map[string][]string{}
	want := []Failure{
		{Status: 404, Detail: "Not found.", Fields: none},
		{Status: 404, Name: "pull request", Detail: "Not found.", Fields: none},
		{Status: 400, Name: "pull request", Fields: map[string][]string{"labels.1.name": {"This field is required."}, "title": {"This field may not be null."}}},
		{Status: 502, Name: "milestone", Detail: "no JSON\n", Fields: none},
		{Status: 502, Name: "milestone", Detail: `{"error":{"code":7}}` + "\n", Fields: none},
		{Status: 400, Name: "milestone", Fields: map[string][]string{"": {"a", "b"}}},
		{Status: 404, Detail: "Not found.", Fields: none},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Links to the first and the last page are for pages with numbers, as many as there really are,
// whatever the handler of Wrap makes of the requested size.
func TestCodecEnds(t *testing.T) {
	for _, tt := range []struct {
		reason string
		pages  pagination.Style
		query  string
		want   string // previous, next, last, first
	}{
		{"first", pagination.Numbers{Size: "size"}, "size=2", "|/issues?page=2&size=2|/issues?page=3&size=2|"},
		{"middle", pagination.Numbers{Page: "p", Size: "size"}, "p=2&size=2", "/issues?p=1&size=2|/issues?p=3&size=2|/issues?p=3&size=2|/issues?p=1&size=2"},
		{"last", pagination.Numbers{Size: "size"}, "page=3&size=2", "/issues?page=2&size=2|||/issues?page=1&size=2"},
		{"a size that is bounded", pagination.Numbers{Size: "size", Limits: pagination.Limits{Max: 1}}, "size=100", "|/issues?page=2&size=100|/issues?page=5&size=100|"},
		{"all sizes equal", pagination.Numbers{Limits: pagination.Limits{Default: 4}}, "state=open", "|||"},
		{"exactly one page", pagination.Numbers{Size: "size"}, "size=5", "|||"},
		{"offsets", pagination.Limits{}, "limit=2&offset=2", "/issues?limit=2|/issues?limit=2&offset=4||"},
		{"cursors", pagination.Cursors{Limits: pagination.Limits{Default: 2}}, "", "|/issues?cursor=cD0y||"},
	} {
		codec := &Codec{Pages: tt.pages, Body: func(page LinkedPage, _ http.Header) any {
			return strings.Join([]string{page.Previous, page.Next, page.Last, page.First}, "|")
		}}
		got := response(t, issues(t, codec), "/repos/octocat/hello/issues?"+tt.query)
		if diff := cmp.Diff(`200 "`+tt.want+`"`, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

// A fake of a service with other pages is compared with it too: links in headers, and records at paths
// without a slash.
func TestCodecCompare(t *testing.T) {
	live := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.RequestURI() {
		case "/repos/octocat/hello/issues?per_page=2":
			w.Header().Set("Link", strings.ReplaceAll(`<HOST?page=2&per_page=2>; rel="next", <HOST?page=3&per_page=2>; rel="last"`, "HOST", "http://"+r.Host+"/repos/octocat/hello/issues"))
			fmt.Fprint(w, `[{"id":1,"title":"e","state":"open"},{"id":2,"title":"d","state":"closed"}]`)
		case "/repos/octocat/hello/issues/2":
			fmt.Fprint(w, `{"id":2,"title":"D","state":"closed"}`)
		}
	}))
	defer live.Close()
	got := failureOf(t, func(tb testing.TB) {
		issues(t, GitHub()).Compare(tb, Live{URL: live.URL},
			httptest.NewRequest("GET", "/repos/octocat/hello/issues?per_page=2", nil),
			httptest.NewRequest("GET", "/repos/octocat/hello/issues/2", nil))
	})
	checkMessage(t, "a title", got, "GET /repos/octocat/hello/issues/2: the service and its fake differ", `- "title": string("D")`, `+ "title": string("d")`)
	if strings.Count(got, "differ") != 1 {
		t.Error(got)
	}
}
