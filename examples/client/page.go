package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// page is a response of the service. Its fields are pointers because a response without
// a count or results is not a page.
type page struct {
	Count   *int               `json:"count"`
	Next    *string            `json:"next"` // null on the last page
	Results *[]json.RawMessage `json:"results"`
}

// maxPage is the largest accepted size of a body in bytes.
const maxPage = 32 << 20

// get requests a page. It returns an error if the response is not a complete page.
func get(ctx context.Context, client *http.Client, at string) (p page, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return p, err
	}
	request.Header.Set("Accept", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		return p, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return p, fmt.Errorf("%s: %s", at, answer.Status)
	}
	if kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); kind != "application/json" {
		return p, fmt.Errorf("%s: not JSON but %q", at, kind)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxPage+1))
	if err != nil {
		return p, fmt.Errorf("%s: %w", at, err)
	}
	if len(body) > maxPage {
		return p, fmt.Errorf("%s: more than %d bytes", at, maxPage)
	}
	if json.Unmarshal(body, &p) != nil || p.Count == nil || p.Results == nil {
		return p, fmt.Errorf("%s: not a page", at)
	}
	return p, nil
}

// withoutRedirects returns a copy of the client that does not follow redirects.
func withoutRedirects(client *http.Client) *http.Client {
	strict := *client
	strict.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		return errors.New("redirected to " + r.URL.Redacted())
	}
	return &strict
}
