package readme

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// eventNames is the code under test. It returns the names of all events.
func eventNames(ctx context.Context, client *http.Client, baseURL string) (names []string, err error) {
	for next := baseURL + "/api/events/"; next != ""; {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, next, nil)
		if err != nil {
			return nil, err
		}
		answer, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		var page pagination.Envelope[resources.Event]
		err = json.NewDecoder(answer.Body).Decode(&page)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			return nil, errors.Join(err, errors.New(answer.Status))
		}
		for _, e := range page.Records {
			names = append(names, e.Name)
		}
		next = page.Next
	}
	return names, nil
}

func TestEventNames(t *testing.T) {
	server := cataloguetest.New(t) // a publisher's service, for this test alone, without a port
	server.Inject(cataloguetest.Match{Nth: 2}, cataloguetest.Status(503, "busy"))
	_, err := eventNames(t.Context(), server.Client, server.URL)
	if err == nil {
		t.Error("the second page failed, and no error was returned")
	}
}
