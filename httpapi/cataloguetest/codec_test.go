package cataloguetest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
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
		Body: func(page envelope, header http.Header) any {
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
		{"the first page", GitHub(), path + "?per_page=2", `200 [1,2] ["</issues?page=2&per_page=2>; rel=\"next\""]`},
		{"in the middle", GitHub(), path + "?per_page=2&page=2", `200 [3,4] ["</issues?page=3&per_page=2>; rel=\"next\", </issues?per_page=2>; rel=\"prev\""]`},
		{"the last page", GitHub(), path + "?per_page=2&page=3", `200 [5] ["</issues?page=2&per_page=2>; rel=\"prev\""]`},
		{"a page past the last", GitHub(), path + "?per_page=2&page=9", `200 []`},
		{"order and filter", GitHub(), path + "?state=open&sort=title&direction=desc&per_page=2", `200 [1,3] ["</issues?direction=desc&page=2&per_page=2&sort=title&state=open>; rel=\"next\""]`},
		{"a slash at the end of the path", GitHub(), path + "/?per_page=4", `200 [1,2,3,4] ["</issues/?page=2&per_page=4>; rel=\"next\""]`},
		{"a record", GitHub(), path + "/3", `200 3`},
		{"no record", GitHub(), path + "/9", `404 {"message":"Not found."}`},

		{"data", data(), path + "?per_page=2&ordering=-id", `200 {"data":[5,4],"meta":{"next":"/issues?ordering=-id&page=2&per_page=2","total":5}}`},
		{"data, last", data(), path + "?per_page=3&page=2", `200 {"data":[4,5],"meta":{"next":"","total":5}}`},
		{"data, past the last", data(), path + "?per_page=3&page=3", `200 {"data":[],"meta":{"next":"","total":5}}`},
		{"data, error", data(), path + "/x", `404 {"detail":"Not found."}`},
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
		{"self", GitHub(), Match{Collection: "issues"}, NextIsSelf(), path + "?page=2&per_page=3", `200 [4,5] ["</issues?page=2&per_page=3>; rel=\"next\", </issues?per_page=3>; rel=\"prev\""]`},
		{"missing", GitHub(), Match{Path: path}, MissingRow(), path + "?page=2&per_page=3", `200 [4] ["</issues?per_page=3>; rel=\"prev\""]`},
		{"repeated", GitHub(), Match{Query: url.Values{"page": {"2"}}}, RepeatedRow(), path + "?page=2&per_page=3", `200 [4,4,5] ["</issues?per_page=3>; rel=\"prev\""]`},
		{"host", GitHub(), Match{}, moved, path + "?per_page=3", `200 [1,2,3] ["<http://elsewhere.example/repos/octocat/hello/issues?page=2&per_page=3>; rel=\"next\""]`},
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

// A fake of a service with other pages is compared with it too: links in headers, and records at paths
// without a slash.
func TestCodecCompare(t *testing.T) {
	live := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.RequestURI() {
		case "/repos/octocat/hello/issues?per_page=2":
			w.Header().Set("Link", fmt.Sprintf(`<http://%s/repos/octocat/hello/issues?page=2&per_page=2>; rel="next"`, r.Host))
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
