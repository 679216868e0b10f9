package walk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"time"
)

// A Service is a running service. Its methods must not be called concurrently.
type Service struct {
	Client *http.Client  // which need not refuse redirects
	Root   string        // the URL of the root listing, which ends in a slash
	Size   int           // the number of records of a page; 0: what the service chooses
	Pause  time.Duration // the least time between two requests

	last time.Time // when the last request began
}

// A Collection is a collection of a root listing.
type Collection struct {
	Key     string
	Segment string // of its path
}

// Collections returns the collections of the root listing, an object with their URLs, in the order
// of their keys. Of a URL only the last segment counts, so that records are read from no other host.
func (s *Service) Collections(ctx context.Context) (list []Collection, err error) {
	var links map[string]string
	if err := s.get(ctx, s.Root, &links); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(links)) {
		u, err := url.Parse(links[key])
		if err != nil || path.Base(u.Path) == "/" || path.Base(u.Path) == "." {
			return nil, fmt.Errorf("%s: %q is not the URL of %s", s.Root, links[key], key)
		}
		list = append(list, Collection{key, path.Base(u.Path)})
	}
	return list, nil
}

// page is a response of the service. Its fields are pointers because a response without
// a count or results is not a page.
type page struct {
	Count   *int               `json:"count"`
	Next    *string            `json:"next"` // null on the last page
	Results *[]json.RawMessage `json:"results"`
}

// maxBody is the largest accepted size of a body in bytes.
const maxBody = 32 << 20

// get requests a page or the root listing. It returns an error if the response is incomplete or of
// another form.
func (s *Service) get(ctx context.Context, at string, to any) error {
	if err := s.wait(ctx); err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	answer, err := withoutRedirects(s.Client).Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", at, answer.Status)
	}
	if kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); kind != "application/json" {
		return fmt.Errorf("%s: not JSON but %q", at, kind)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	if len(body) > maxBody {
		return fmt.Errorf("%s: more than %d bytes", at, maxBody)
	}
	if json.Unmarshal(body, to) != nil {
		return fmt.Errorf("%s: not the expected JSON", at)
	}
	return nil
}

// wait waits until the next request may begin.
func (s *Service) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(s.last.Add(s.Pause))):
	}
	s.last = time.Now()
	return nil
}

// withoutRedirects returns a copy of the client that does not follow redirects.
func withoutRedirects(client *http.Client) *http.Client {
	strict := *client
	strict.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		return errors.New("redirected to " + r.URL.Redacted())
	}
	return &strict
}
