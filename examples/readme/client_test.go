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
	for next := baseURL + "/v1/films/?limit=2"; next != ""; {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, next, nil)
		if err != nil {
			return nil, err
		}
		answer, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		var page pagination.Envelope[Film]
		err = json.NewDecoder(answer.Body).Decode(&page)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			return nil, errors.Join(err, errors.New(answer.Status))
		}
		for _, f := range page.Records {
			names = append(names, f.Name)
		}
		next = page.Next
	}
	return names, nil
}
