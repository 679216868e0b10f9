package cataloguetest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// Clients with common mistakes. Each makes only its own, so that the pathologies that
// it fails are known in advance.

// A naivePage does not tell absent members from zero values.
type naivePage struct {
	Count   int
	Next    string
	Results []struct{ ID int }
}

// getPage fetches a page. It checks the status but not the members of the page.
func getPage(ctx context.Context, client *http.Client, url string) (page naivePage, err error) {
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return page, err
	}
	resp, err := client.Do(r)
	if err != nil {
		return page, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return page, fmt.Errorf("%s", resp.Status)
	}
	return page, json.NewDecoder(resp.Body).Decode(&page)
}

// followNext follows next links without any check.
func followNext(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	for next := baseURL + "/api/events/"; next != ""; {
		page, err := getPage(ctx, client, next)
		if err != nil {
			return nil, err
		}
		for _, r := range page.Results {
			ids = append(ids, r.ID)
		}
		next = page.Next
	}
	return ids, nil
}

// ignoreErrors treats every body as a page, and an invalid body as an empty page. It
// checks links.
func ignoreErrors(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	strict := *client
	strict.CheckRedirect = func(*http.Request, []*http.Request) error { return fmt.Errorf("redirected") }
	base, err := url.Parse(baseURL)
	if err != nil {
		return nil, err
	}
	visited := map[string]bool{}
	for next := baseURL + "/api/events/?limit=10"; next != ""; {
		visited[next] = true
		r, err := http.NewRequestWithContext(ctx, "GET", next, nil)
		if err != nil {
			return nil, err
		}
		resp, err := strict.Do(r)
		if err != nil {
			return nil, err
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		var page naivePage
		_ = json.Unmarshal(body, &page)
		for _, r := range page.Results {
			ids = append(ids, r.ID)
		}
		next = page.Next
		link, err := url.Parse(next)
		if err != nil {
			return nil, err
		}
		if visited[next] || next != "" && (link.Scheme != base.Scheme || link.Host != base.Host) {
			return nil, fmt.Errorf("next leads to %s", next)
		}
	}
	return ids, nil
}

// countPages computes the offsets from the first page and ignores the counts and links
// of the others.
func countPages(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	ids, _, err = fetchPages(ctx, client, baseURL)
	return ids, err
}

// compareCount is like countPages but compares the number of records with the count of
// the first page. It does not check their ids.
func compareCount(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	ids, count, err := fetchPages(ctx, client, baseURL)
	if err == nil && len(ids) != count {
		err = fmt.Errorf("received %d of %d records", len(ids), count)
	}
	return ids, err
}

func fetchPages(ctx context.Context, client *http.Client, baseURL string) (ids []int, count int, err error) {
	count = 1 // until the first page is read
	for offset, size := 0, 0; offset < count; offset += size {
		page, err := getPage(ctx, client, fmt.Sprintf("%s/api/events/?offset=%d", baseURL, offset))
		if err != nil {
			return nil, 0, err
		}
		if offset == 0 {
			count, size = page.Count, max(len(page.Results), 1)
		}
		for _, r := range page.Results {
			ids = append(ids, r.ID)
		}
	}
	return ids, count, nil
}

// trustLimit treats a page with fewer records than its limit as the last one.
func trustLimit(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	const limit = 100
	for offset := 0; ; offset += limit {
		page, err := getPage(ctx, client, fmt.Sprintf("%s/api/events/?limit=%d&offset=%d", baseURL, limit, offset))
		if err != nil {
			return nil, err
		}
		for _, r := range page.Results {
			ids = append(ids, r.ID)
		}
		if len(page.Results) < limit {
			return ids, nil
		}
	}
}

// endOnError returns the records received so far when a request fails. It makes no
// other mistake.
func endOnError(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	return fetchByOffset(ctx, client, baseURL+"/api/events/", func(resp *http.Response, err error) (body []byte, ended bool, _ error) {
		if err != nil {
			return nil, ctx.Err() == nil, ctx.Err()
		}
		body, err = io.ReadAll(resp.Body)
		return body, false, err
	})
}

// readOnce returns a client that treats the result of one Read as the whole body. This
// works if pages are small and arrive in one piece.
func readOnce(path string) cataloguetest.Fetch {
	return func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
		return fetchByOffset(ctx, client, baseURL+path, func(resp *http.Response, err error) (body []byte, ended bool, _ error) {
			if err != nil {
				return nil, false, err
			}
			body = make([]byte, 1<<20)
			n, err := resp.Body.Read(body)
			if err == io.EOF {
				err = nil
			}
			return body[:n], false, err
		})
	}
}

// fetchByOffset makes no mistakes except those of read.
func fetchByOffset(ctx context.Context, client *http.Client, list string,
	read func(*http.Response, error) (body []byte, ended bool, err error),
) (ids []int, err error) {
	strict := *client
	strict.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	seen := map[int]bool{}
	for count := 1; len(ids) < count; {
		r, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("%s?offset=%d", list, len(ids)), nil)
		if err != nil {
			return nil, err
		}
		resp, err := strict.Do(r)
		body, ended, failed := read(resp, err)
		if err == nil {
			resp.Body.Close()
		}
		if failed != nil || ended {
			return ids, failed
		}
		var page struct {
			Count   *int
			Results []struct{ ID int }
		}
		if err := json.Unmarshal(body, &page); err != nil {
			return nil, err
		}
		if resp.StatusCode != 200 || page.Count == nil || len(ids) > 0 && *page.Count != count || len(page.Results) == 0 && *page.Count > 0 {
			return nil, fmt.Errorf("no page: %s", resp.Status)
		}
		count = *page.Count
		for _, r := range page.Results {
			if seen[r.ID] {
				return nil, fmt.Errorf("record %d twice", r.ID)
			}
			seen[r.ID] = true
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}
