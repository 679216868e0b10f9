package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
)

// page is an answer to a request for one. Pointers tell what is absent from what
// is 0: an error's document has neither, and is not the end of the list.
type page struct {
	Count   *int               `json:"count"`
	Next    *string            `json:"next"`
	Results *[]json.RawMessage `json:"results"`
}

// maxPage bounds a body, in bytes.
const maxPage = 32 << 20

// get asks for one page. All that is no whole page is an error.
func get(ctx context.Context, client *http.Client, at *url.URL) (p page, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
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
	if err := json.Unmarshal(body, &p); err != nil {
		return p, fmt.Errorf("%s: %w", at, err)
	}
	if p.Count == nil || p.Results == nil {
		return p, fmt.Errorf("%s: not a page", at)
	}
	return p, nil
}

// withoutRedirects is the client, less its readiness to be sent elsewhere. The
// caller's own is not changed.
func withoutRedirects(client *http.Client) *http.Client {
	strict := *client
	strict.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		return errors.New("redirected to " + r.URL.Redacted())
	}
	return &strict
}
