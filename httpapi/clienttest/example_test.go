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
