package clienttest_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/httpapi/clienttest"
)

// firstFailure runs a test and returns the first failure that it logs.
func firstFailure(test func(t *testing.T)) string {
	r, w, err := os.Pipe()
	if err != nil {
		return err.Error()
	}
	stdout := os.Stdout
	os.Stdout = w
	skipped := flag.Lookup("test.skip").Value.String()
	runs := func(pattern, _ string) (bool, error) { return !strings.Contains(skipped, pattern), nil }
	done := make(chan struct{})
	go func() {
		defer close(done)
		testing.RunTests(runs, []testing.InternalTest{{Name: "TestClient", F: test}})
		w.Close()
	}()
	log, _ := io.ReadAll(r)
	<-done
	os.Stdout = stdout
	failures := strings.Split(strings.ReplaceAll(string(log), "\n        ", "\n"), "example_test.go:")
	_, text, _ := strings.Cut(failures[min(1, len(failures)-1)], ": ") // after the number of the line
	return text
}

// The client follows the links and believes every response.
func ExampleExplore() {
	fetch := func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
		for next := baseURL + "/api/events/"; next != ""; {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, next, nil)
			if err != nil {
				return nil, err
			}
			response, err := client.Do(request)
			if err != nil {
				return nil, err
			}
			var page struct {
				Next    string
				Results []struct{ ID int }
			}
			err = json.NewDecoder(response.Body).Decode(&page)
			response.Body.Close()
			if err != nil {
				return nil, err
			}
			for _, event := range page.Results {
				ids = append(ids, event.ID)
			}
			next = page.Next
		}
		return ids, nil
	}
	fmt.Println(firstFailure(func(t *testing.T) {
		clienttest.Explore(t, fetch, clienttest.Options{Collection: "events", Scenarios: 50})
	}))
	// Output:
	// clienttest: Explore: the client returned 0 of at least 1 records, without the one with the id "2", and no error: a body that is not a page is not the end of the list, even with status 200
	// If the client is not meant to handle this, set Options.Skip to []string{"error-with-status-200"}, with the events that it already has.
	// The scenario of seed 4, reduced in 23 runs: 1 record in pages of 2; request 1: error-with-status-200
	// 	GET /api/events/: 200 OK
	// To repeat it, set Options.Seed to 4 and Options.Scenarios to 1.
}

// issueIDs is the code under test: a client of the issues of a repository of GitHub.
func issueIDs(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	strict := *client
	strict.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	seen := map[int]bool{}
	for next := baseURL + "/repos/octocat/hello/issues?per_page=100"; next != ""; {
		if !strings.HasPrefix(next, baseURL+"/") {
			return nil, fmt.Errorf("another host: %s", next)
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, next, nil)
		if err != nil {
			return nil, err
		}
		response, err := strict.Do(request)
		if err != nil {
			return nil, err
		}
		var page []Issue
		err = json.NewDecoder(response.Body).Decode(&page)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s: %w", response.Status, err)
		}
		next = nextOf(response.Header.Get("Link"))
		if next != "" && len(page) == 0 {
			return nil, fmt.Errorf("an empty page before %s", next)
		}
		for _, issue := range page {
			if seen[issue.ID] {
				return nil, fmt.Errorf("issue %d occurs twice", issue.ID)
			}
			seen[issue.ID], ids = true, append(ids, issue.ID)
		}
	}
	return ids, nil
}

// nextOf returns the next link of a header such as <https://…>; rel="next", <https://…>; rel="prev".
func nextOf(header string) string {
	for link := range strings.SplitSeq(header, ", ") {
		if target, ok := strings.CutSuffix(link, `>; rel="next"`); ok {
			return target[1:]
		}
	}
	return ""
}

// The program that follows fakes GitHub's list of issues.

type Issue struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

func TestIssues(t *testing.T) {
	issues := catalogue.Define[Issue]("issues", catalogue.Options{})
	gitHub, err := catalogue.New(issues)
	if err != nil {
		t.Fatal(err)
	}
	list, err := issues.In(gitHub)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 100 {
		if _, err := list.Insert(Issue{Title: fmt.Sprint("Issue ", n)}); err != nil {
			t.Fatal(err)
		}
	}
	clienttest.VerifyClient(t, issueIDs, clienttest.Options{
		Catalogue: gitHub,
		Root:      "/repos/octocat/hello/",
		Codec:     cataloguetest.GitHub(),
	})
}
