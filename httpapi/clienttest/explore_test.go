package clienttest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/httpapi/clienttest"
)

// Clients with mistakes that Explore must find. The first four follow, for pages of this
// service, the logic that real clients had before a fix.

// azurePager is like a loop over a Pager of azure-sdk-for-go before pull request 27222:
// after an error on the first page there were more pages, and the loop logged the error.
func azurePager() careful {
	c := newCareful()
	c.fetch = func(ctx context.Context, client *http.Client, url string) (page naivePage, err error) {
		for {
			page, err = getWholePage(ctx, client, url)
			if err == nil || strings.Contains(url, "offset=") || ctx.Err() != nil {
				return page, err
			}
		}
	}
	return c
}

func (p naivePage) appendIDs(ids []int) []int {
	for _, r := range p.Results {
		ids = append(ids, r.ID)
	}
	return ids
}

// icebergTokens is like the listings of iceberg-go before pull request 1484: they ended only
// when the token of the next page was empty.
func icebergTokens(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	token := "0"
	for token != "" {
		page, err := getPage(ctx, client, baseURL+"/api/events/?ordering=id&offset="+token)
		if err != nil {
			return nil, err
		}
		ids = page.appendIDs(ids)
		next, err := url.Parse(page.Next)
		if err != nil {
			return nil, err
		}
		token = next.Query().Get("offset")
	}
	return ids, nil
}

// bitbucketPages is like go-bitbucket after pull request 186: it divided the number of
// records by the length of a page to find out which page is the last.
func bitbucketPages(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	next := baseURL + "/api/events/"
	for n := 1; ; n++ {
		page, err := getPage(ctx, client, next)
		if err != nil {
			return nil, err
		}
		ids = page.appendIDs(ids)
		if length := len(page.Results); page.Count/length <= n {
			return ids, nil
		}
		next = page.Next
	}
}

// keployOffsets is like go-sdk of keploy before pull request 144: an error ended the list.
func keployOffsets(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	for i := 0; ; i += 25 {
		resp, err := client.Get(fmt.Sprintf("%s/api/events/?offset=%d&limit=25", baseURL, i))
		if err != nil {
			return nil, nil // logged
		}
		var page naivePage
		err = json.NewDecoder(resp.Body).Decode(&page)
		resp.Body.Close()
		if err != nil {
			return nil, nil
		}
		if len(page.Results) == 0 {
			return ids, nil
		}
		ids = page.appendIDs(ids)
	}
}

func TestExploreFindsMistakes(t *testing.T) {
	tests := []struct {
		client string
		fetch  clienttest.Fetch
		want   string // the kind of mistake, or several, separated by commas
	}{
		{"azure-sdk-for-go, before pull request 27222", azurePager().ids, "endless requests"},
		{"iceberg-go, before pull request 1484", icebergTokens, "endless requests, repeated record, missing record"},
		{"go-bitbucket, after pull request 186", bitbucketPages, "missing record, panicked"},
		{"keploy/go-sdk, before pull request 144", keployOffsets, "missing record"},
		{"follows every link", followNext, "endless requests, repeated record, missing record"},
		{"offsets without an overlap", offsetsOnly().ids, "missing record"},
		{"does not compare the count", withoutCount().ids, "missing record"},
		{"keeps the front of a body", streaming().ids, "missing record"},
		{"waits without its context", retrying().ids, "late"},
		{"leaves a goroutine", leaking, "blocked"},
	}
	for _, tt := range tests {
		t.Run(tt.client, func(t *testing.T) {
			start := time.Now()
			f := clienttest.Search(t, tt.fetch, clienttest.Options{})
			if f == nil {
				t.Fatal("nothing found")
			}
			t.Logf("%v: %d scenarios, %d runs, %d requests: %s", time.Since(start).Round(time.Millisecond), f.Scenarios, f.Runs, f.Requests, f.Scenario)
			if f.Requests > 5 {
				t.Errorf("%d requests, want at most 5:\n%s", f.Requests, f.Report)
			}
			if !strings.Contains(tt.want, f.Kind) {
				t.Errorf("found %q, want %q:\n%s", f.Kind, tt.want, f.Report)
			}
		})
	}
}

// A poster creates a social link.
type poster struct {
	attempts int
	// exists returns the id of the record if it exists, or 0.
	exists func(context.Context, *http.Client, string) (int, error)
}

const (
	postedURL  = "https://social.example/created"
	postedLink = `{"title": "Created", "url": "` + postedURL + `", "type": "web", "author": 1}`
)

// create posts the record, at most a number of times, unless it finds out that it exists.
func (p poster) create(ctx context.Context, client *http.Client, baseURL string) (id int, err error) {
	for range p.attempts {
		if id, err = post(ctx, client, baseURL); err == nil {
			return id, nil
		}
		if p.exists == nil {
			continue
		}
		if id, lost := p.exists(ctx, client, baseURL); lost != nil || id > 0 {
			return id, lost
		}
	}
	return 0, err
}

func post(ctx context.Context, client *http.Client, baseURL string) (id int, err error) {
	r, err := http.NewRequestWithContext(ctx, "POST", baseURL+"/api/social-links/", strings.NewReader(postedLink))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := withoutRedirects(client).Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	var record struct{ ID int }
	if err := json.Unmarshal(body, &record); err != nil || record.ID == 0 || resp.StatusCode != http.StatusCreated {
		return 0, fmt.Errorf("%s: %.100s", resp.Status, body)
	}
	return record.ID, nil
}

// lastLink returns the id of the last social link if it is the posted one. It sends one
// request, so that no wrong page can lead it to another.
func lastLink(ctx context.Context, client *http.Client, baseURL string) (int, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", baseURL+"/api/social-links/?ordering=-id", nil)
	if err != nil {
		return 0, err
	}
	resp, err := withoutRedirects(client).Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	var page struct {
		Count   *int
		Next    *string
		Results []struct {
			ID  int
			URL string
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil {
		return 0, err
	}
	if resp.StatusCode != http.StatusOK || page.Count == nil || len(page.Results) == 0 && (*page.Count > 0 || page.Next != nil) {
		return 0, errors.New("no page")
	}
	if len(page.Results) > 0 && page.Results[0].URL == postedURL {
		return page.Results[0].ID, nil
	}
	return 0, nil
}

// trusting takes any JSON with status 200 for a record.
func trusting(ctx context.Context, client *http.Client, baseURL string) (int, error) {
	id, err := post(ctx, client, baseURL)
	if err != nil && strings.HasPrefix(err.Error(), "200 OK: {") {
		err = nil
	}
	return id, err
}

func TestExploreCreate(t *testing.T) {
	opts := clienttest.Options{Collection: "social-links"}
	if testing.Short() {
		opts.Scenarios = 200 // the mistakes are found in the first 100
	}
	tests := []struct {
		reason string
		client func(context.Context, *http.Client, string) (int, error)
		want   string
	}{
		{"one attempt", poster{attempts: 1}.create, ""},
		{"asks before it tries again", poster{attempts: 3, exists: lastLink}.create, ""},
		{"tries again", poster{attempts: 3}.create, "record created twice"},
		{"trusts the status", trusting, "record not created"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			f := clienttest.SearchCreate(t, tt.client, opts)
			got := ""
			if f != nil {
				got = f.Kind
			}
			if got != tt.want {
				t.Errorf("found %q, want %q: %+v", got, tt.want, f)
			}
			if f != nil {
				t.Logf("%d scenarios, %d runs, %d requests: %s", f.Scenarios, f.Runs, f.Requests, f.Report)
			}
		})
	}
}

// TestExplorePrintedTest compiles the tests that Explore prints and runs them: each must fail
// with the client whose mistake it shows, with the same mistake. The clients are those of this
// package, whose files are compiled together with the printed tests.
func TestExplorePrintedTest(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a package")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	fetches := map[string]clienttest.Fetch{
		"followNext":               followNext,
		"azurePager().ids":         azurePager().ids,
		"offsetsOnly().ids":        offsetsOnly().ids,
		"retrying().ids":           retrying().ids,
		`readOnce("/api/events/")`: readOnce("/api/events/"),
	}
	// An overlay adds the files to the package without writing into it.
	dir := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	replaced := map[string]string{}
	mistakes := map[string]string{} // by the name of the test
	add := func(client string, f *clienttest.Finding) {
		if f == nil {
			t.Errorf("%s: nothing found", client)
			return
		}
		_, code, _ := strings.Cut(f.Report, "is the client:\n\n")
		name := fmt.Sprintf("TestPrinted%d", len(mistakes))
		mistakes[name], _, _ = strings.Cut(f.Report, "\n")
		code = "package clienttest_test\n\nimport (\n\t\"testing\"\n\n\t\"github.com/gobacklist/backlist/httpapi/clienttest\"\n)\n\n" + code
		for old, with := range map[string]string{
			"func TestScenario(":  "func " + name + "(",
			"(t, fetch,":          "(t, " + client + ",",
			"(t, create,":         "(t, " + client + ",",
			"Catalogue: original": "Catalogue: samples()",
		} {
			code = strings.Replace(code, old, with, 1)
		}
		source := filepath.Join(dir, fmt.Sprintf("printed%d_test.go", len(mistakes)))
		replaced[filepath.Join(here, filepath.Base(source))] = source
		if err := os.WriteFile(source, []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for client, fetch := range fetches {
		add(client, clienttest.Search(t, fetch, clienttest.Options{}))
	}
	add("trusting", clienttest.SearchCreate(t, trusting, clienttest.Options{Collection: "social-links"}))
	add("withoutCount().ids", clienttest.Search(t, withoutCount().ids, clienttest.Options{Catalogue: samples(), Collection: "events", Timeout: time.Minute, Skip: []string{"delay", "load"}}))

	overlay := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay, "-run", "^TestPrinted", "-v", "-timeout", "5m", ".")
	out, _ := cmd.CombinedOutput() // it must fail
	for name, mistake := range mistakes {
		_, found, _ := strings.Cut(string(out), "=== RUN   "+name+"\n")
		found, _, _ = strings.Cut(found, "--- FAIL: "+name)
		if !strings.Contains(found, mistake) {
			t.Errorf("%s: the printed test did not fail with %q", name, mistake)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}

// samples returns the sample records as a catalogue of the program.
func samples() *catalogue.Catalogue {
	server, err := cataloguetest.Open(cataloguetest.Options{})
	if err != nil {
		panic(err)
	}
	defer server.Close()
	return server.Catalogue
}

// TestEventIDsExplored is in the documentation of Explore.
func TestEventIDsExplored(t *testing.T) {
	clienttest.Explore(t, newCareful().ids, clienttest.Options{Collection: "events", Scenarios: 200})
}

// FuzzEventIDs is in the documentation of Explore.
func FuzzEventIDs(f *testing.F) {
	f.Add([]byte{5, 0, 16, 1, 0})             // a wrong link
	f.Add([]byte{9, 1, 26, 1, 0, 25, 2, 200}) // a deletion and an insertion
	f.Fuzz(func(t *testing.T, scenario []byte) {
		clienttest.Explore(t, newCareful().ids, clienttest.Options{Scenario: scenario})
	})
}
