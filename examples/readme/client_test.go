package readme

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/gobacklist/backlist/pagination"
)

type Film struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Year int    `json:"year"`
}

// filmNames is the code under test. It returns the names of all films.
func filmNames(ctx context.Context, client *http.Client, baseURL string) (names []string, err error) {
	films, err := follow[Film](ctx, client, baseURL+"/v1/films/?limit=2")
	for _, f := range films {
		names = append(names, f.Name)
	}
	return names, err
}

// follow returns the records of a page and of those that follow it. It ends at the first page without a link.
func follow[T any](ctx context.Context, client *http.Client, next string) (records []T, err error) {
	for next != "" {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, next, nil)
		if err != nil {
			return nil, err
		}
		answer, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		var page pagination.Envelope[T]
		err = json.NewDecoder(answer.Body).Decode(&page)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			return nil, errors.Join(err, errors.New(answer.Status))
		}
		records = append(records, page.Records...)
		next = page.Next
	}
	return records, nil
}
