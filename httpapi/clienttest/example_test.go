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
	_, text, _ := strings.Cut(string(log), "verify.go:")
	_, text, _ = strings.Cut(text, ": ") // after the number of the line
	text, _, _ = strings.Cut(text, "\n    ---")
	return strings.ReplaceAll(text, "\n            \t", "\n\t")
}

// The client follows the links and believes every response.
func ExampleVerifyClient() {
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
		clienttest.VerifyClient(t, fetch, clienttest.Options{Collection: "events"})
	}))
	// Output:
	// returned 10 of at least 25 records, without the one with the id "4", and no error: check the status before the body, and return an error or retry if it is not 200; after the last attempt, return an error
	// 	GET /api/events/: 200 OK
	// 	GET /api/events/?limit=10&offset=10: 500 Internal Server Error
}
