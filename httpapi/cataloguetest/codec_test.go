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

// startCount is the Codec of a service with pages such as {"total":5,"list":[…]} by start and count.
func startCount() *Codec {
	return &Codec{Place: "start", Size: "count", Records: "list", Count: "total"}
}

// Requests and responses have the form that services document. The expectations are written by hand.
func TestCodec(t *testing.T) {
	const path = "/repos/octocat/hello/issues"
	bare := &Codec{Pages: pagination.Numbers{}}
	own := &Codec{Body: func(page envelope, header http.Header) any {
		header.Set("Link", page.Next)
		return map[string]any{"rows": len(page.Records), "of": page.Count}
	}}
	offsets := Google()
	offsets.Pages = pagination.Limits{Default: 2}
	offsets.Size = "pageSize"
	total := GitHub()
	total.Count = "X-Total header"
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

		{"data", Data(), path + "?per_page=2&sort=-id", `200 {"data":[5,4],"meta":{"next":"/issues?page=2&per_page=2&sort=-id","previous":null,"total":5}}`},
		{"data, last", Data(), path + "?per_page=3&page=2", `200 {"data":[4,5],"meta":{"next":null,"previous":"/issues?per_page=3","total":5}}`},
		{"data, past the last", Data(), path + "?per_page=3&page=3", `200 {"data":[],"meta":{"next":null,"previous":null,"total":5}}`},
		{"data, error", Data(), path + "/x", `404 {"errors":[{"detail":"Not found.","status":"404"}]}`},

		{"Google", Google(), path + "?pageSize=9", `200 {"items":[1,2,3,4,5]}`},
		{"an order", Google(), path + "?orderBy=state+desc,+title&pageSize=9", `200 {"items":[5,3,1,4,2]}`},
		{"not a token", Google(), path + "?pageToken=2", `400 {"error":{"code":400,"message":"Invalid token."}}`},
		{"a token of an invalid cursor", Google(), path + "?pageToken=YXQgeA", `400 {"error":{"code":400,"message":"Invalid cursor"}}`}, // "at x"
		{"a token of the first page", Google(), path + "?pageSize=9&pageToken=YXQg", `200 {"items":[1,2,3,4,5]}`},                       // "at "
		{"tokens of offsets", offsets, path, `200 {"items":[1,2],"nextPageToken":"YXQgMg"}`},                                            // "at 2"
		{"the next page", offsets, path + "?pageToken=YXQgMg", `200 {"items":[3,4],"nextPageToken":"YXQgNA"}`},
		{"the last page of tokens", offsets, path + "?pageToken=YXQgNA", `200 {"items":[5]}`},

		{"offsets with other names", startCount(), path + "?start=1&count=2", `200 {"list":[2,3],"total":5}`},
		{"pages that lead nowhere", bare, path + "?page=2", `200 []`},
		{"a function", own, path + "?limit=2", `200 {"of":5,"rows":2} ["/issues?limit=2&offset=2"]`},
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
		{"repeated", GitHub(), Match{Offset: 3}, RepeatedRow(), path + "?page=2&per_page=3", `200 [3,4,5] ["</issues?per_page=3>; rel=\"prev\""]`},
		{"another offset", GitHub(), Match{Offset: 4}, RepeatedRow(), path + "?page=2&per_page=3", `200 [4,5] ["</issues?per_page=3>; rel=\"prev\""]`},
		{"host", GitHub(), Match{}, moved, path + "?per_page=3", `200 [1,2,3] ["<http://elsewhere.example/repos/octocat/hello/issues?page=2&per_page=3>; rel=\"next\""]`},
		{"status, verbatim", GitHub(), Match{}, Status(503, `{"detail":"busy"}`), path, `503 {"detail":"busy"}`},
		{"header", GitHub(), Match{}, Header("Link", ""), path + "?per_page=3", `200 [1,2,3]`},
		{"truncated", GitHub(), Match{}, Truncate(1), path + "?page=9", `200 [`},
		{"no count", GitHub(), Match{}, Page(func(_ *http.Request, page *envelope) { page.Count++ }), path + "?page=9", `200 []`},

		{"the token of the first page", Google(), Match{}, NextIsSelf(), path + "?pageSize=9", `200 {"items":[1,2,3,4,5],"nextPageToken":"YXQg"}`},
		{"a token that is repeated", Google(), Match{}, NextIsSelf(), path + "?pageSize=9&pageToken=YXQg", `200 {"items":[1,2,3,4,5],"nextPageToken":"YXQg"}`},
		{"count", Data(), Match{}, Page(func(_ *http.Request, page *envelope) { page.Count-- }), path, `200 {"data":[1,2,3,4,5],"meta":{"next":null,"previous":null,"total":4}}`},
	} {
		server := issues(t, tt.codec)
		fault := server.Inject(tt.match, tt.fault)
		if diff := cmp.Diff(tt.want, response(t, server, tt.target)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		if none := tt.reason == "another offset" || tt.reason == "no count"; (fault.Count() == 0) != none {
			t.Errorf("%s: the fault has changed %d responses", tt.reason, fault.Count())
		}
		server.AssertRequests(t, "GET "+tt.target)
	}
}

// A row is repeated of the page before, though the service does not link to it.
func TestCodecRepeatedRowOfTokens(t *testing.T) {
	server := issues(t, Google())
	server.Inject(Match{Nth: 2}, RepeatedRow())
	var page struct{ NextPageToken string }
	first := response(t, server, "/repos/octocat/hello/issues?pageSize=3")
	if err := json.Unmarshal([]byte(strings.TrimPrefix(first, "200 ")), &page); err != nil {
		t.Fatal(err)
	}
	got := response(t, server, "/repos/octocat/hello/issues?pageSize=3&pageToken="+url.QueryEscape(page.NextPageToken))
	if got != `200 {"items":[3,4,5]}` {
		t.Errorf("after %s: %s", first, got)
	}
}

// Saved responses of the service are fixtures.
func TestCodecFixtures(t *testing.T) {
	list := catalogue.Define[issue]("issues", catalogue.Options{})
	nested := Google()
	nested.Records = "result.list"
	for text, codec := range map[string]*Codec{
		`[{"id":7}]`: GitHub(), `{"data":[{"id":7}],"meta":{}}`: Data(), `{"items":[{"id":7}]}`: Google(), `{"result":{"list":[{"id":7}]}}`: nested, ` [{"id":7}] `: Google(),
	} {
		server := NewWith(t, Options{Definitions: []catalogue.AnyDefinition{list}, Codec: codec, Fixtures: fstest.MapFS{"issues.json": {Data: []byte(text)}}})
		if c, err := list.In(server.Catalogue); err != nil || c.Count() != 1 {
			t.Errorf("%s: %d records, %v", text, c.Count(), err)
		}
	}
}

// A Codec of which responses cannot have what it says is an error.
func TestCodecErrors(t *testing.T) {
	for want, codec := range map[string]*Codec{
		"":                                 {},
		"Codec.Tokens: no response":        {Tokens: true},
		`its records in "" has no member`:  {Next: "next"},
		`its records in "data" has no mem`: {Records: "data", Count: "data.total"},
		`"a.b" has no member "a"`:          {Records: "a.b", Previous: "a"},
	} {
		server, err := Open(Options{Codec: codec})
		if err == nil {
			server.Close()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", codec, err, want)
		}
	}
}

// A fake of a service with other pages is compared with it too: links in headers, and records at paths
// without a slash, whose ids differ.
func TestCodecCompare(t *testing.T) {
	live := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.RequestURI() {
		case "/repos/octocat/hello/issues?per_page=2":
			w.Header().Set("Link", fmt.Sprintf(`<http://%s/repos/octocat/hello/issues?page=2&per_page=2>; rel="next"`, r.Host))
			fmt.Fprint(w, `[{"id":71,"title":"e","state":"open"},{"id":72,"title":"d","state":"closed"}]`)
		case "/repos/octocat/hello/issues/72":
			fmt.Fprint(w, `{"id":72,"title":"D","state":"closed"}`)
		}
	}))
	defer live.Close()
	got := failureOf(t, func(tb testing.TB) {
		issues(t, GitHub()).Compare(tb, Live{URL: live.URL, MapIDs: true},
			httptest.NewRequest("GET", "/repos/octocat/hello/issues?per_page=2", nil),
			httptest.NewRequest("GET", "/repos/octocat/hello/issues/2", nil))
	})
	want := "GET /repos/octocat/hello/issues/2: the service and its fake differ:\n" + `  title (member): "D", fake "d"`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
