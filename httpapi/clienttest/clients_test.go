package clienttest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/httpapi/clienttest"
)

// Clients with common mistakes. Each makes only its own, so that the situations that
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
func readOnce(path string) clienttest.Fetch {
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

// A careful client makes one mistake at most: that of its function.
type careful struct {
	next   func(p naivePage, ids []int) string // the query of the next page; "" ends
	fetch  func(context.Context, *http.Client, string) (naivePage, error)
	keep   func(ids []int, p naivePage) ([]int, error)
	ending func(count int, ids []int) error
}

// ids fetches all ids.
func (c careful) ids(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	client = withoutRedirects(client)
	count := -1
	for query := "ordering=id"; query != ""; {
		page, err := c.fetch(ctx, client, baseURL+"/api/events/?"+query)
		if err != nil {
			return nil, err
		}
		if page.Count < 0 || count >= 0 && page.Count != count {
			return nil, errors.New("the count has changed")
		}
		count = page.Count
		if ids, err = c.keep(ids, page); err != nil {
			return nil, err
		}
		query = c.next(page, ids)
	}
	return ids, c.ending(count, ids)
}

func withoutRedirects(client *http.Client) *http.Client {
	strict := *client
	strict.CheckRedirect = func(*http.Request, []*http.Request) error { return errors.New("redirected") }
	return &strict
}

// newCareful returns a client without a mistake.
func newCareful() careful {
	return careful{
		next: func(p naivePage, ids []int) string {
			if p.Next == "" {
				return ""
			}
			return fmt.Sprintf("ordering=id&offset=%d", len(ids)-1)
		},
		fetch: getWholePage,
		keep: func(ids []int, p naivePage) ([]int, error) {
			results := p.Results
			if n := len(ids); n > 0 {
				if len(results) < 2 || results[0].ID != ids[n-1] {
					return nil, errors.New("records have moved")
				}
				results = results[1:]
			}
			for _, r := range results {
				if len(ids) > 0 && ids[len(ids)-1] >= r.ID {
					return nil, errors.New("records are not in order")
				}
				ids = append(ids, r.ID)
			}
			if p.Next != "" && len(ids) == 0 {
				return nil, errors.New("an empty page")
			}
			return ids, nil
		},
		ending: func(count int, ids []int) error {
			if count != len(ids) {
				return fmt.Errorf("%d of %d records", len(ids), count)
			}
			return nil
		},
	}
}

// getWholePage returns a page, whose count is -1 if it has none.
func getWholePage(ctx context.Context, client *http.Client, url string) (page naivePage, err error) {
	body, err := getBody(ctx, client, url)
	if err != nil {
		return page, err
	}
	page.Count = -1
	return page, json.Unmarshal(body, &page)
}

// getBody returns the body of a response with status 200, or as much of it as there is and
// the error that ended it.
func getBody(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New(resp.Status)
	}
	return io.ReadAll(resp.Body)
}

// offsetsOnly advances by the number of records, without an overlap.
func offsetsOnly() careful {
	c := newCareful()
	c.next = func(p naivePage, ids []int) string {
		if p.Next == "" {
			return ""
		}
		return fmt.Sprintf("ordering=id&offset=%d", len(ids))
	}
	c.keep = func(ids []int, p naivePage) ([]int, error) {
		if len(p.Results) == 0 && p.Next != "" {
			return nil, errors.New("an empty page")
		}
		for _, r := range p.Results {
			if len(ids) > 0 && ids[len(ids)-1] >= r.ID {
				return nil, errors.New("records are not in order")
			}
			ids = append(ids, r.ID)
		}
		return ids, nil
	}
	return c
}

// withoutCount does not compare the number of records with the count.
func withoutCount() careful {
	c := newCareful()
	c.ending = func(int, []int) error { return nil }
	return c
}

// streaming decodes the records of a page one after another, and keeps them if the body
// breaks off. It then goes on with the next page.
func streaming() careful {
	c := newCareful()
	c.fetch = func(ctx context.Context, client *http.Client, url string) (page naivePage, err error) {
		body, err := getBody(ctx, client, url)
		if err != nil && body == nil {
			return page, err
		}
		// The mistake: the body may have broken off.
		if err := json.Unmarshal(body, &page); err != nil {
			front, _, _ := strings.Cut(string(body), `"results"`)
			if json.Unmarshal([]byte(strings.TrimSuffix(front, ",")+"}"), &page) != nil {
				return page, err
			}
		}
		return page, nil
	}
	c.ending = func(int, []int) error { return nil }
	return c
}

// retrying repeats a request with status 503 after the time that the service asks for, and
// does not end the wait when its context ends.
func retrying() careful {
	c := newCareful()
	c.fetch = func(ctx context.Context, client *http.Client, url string) (page naivePage, err error) {
		for {
			page, err = getWholePage(ctx, client, url)
			if err == nil || !strings.HasPrefix(err.Error(), "503") {
				return page, err
			}
			time.Sleep(30 * time.Second)
		}
	}
	return c
}

// leaking reads pages in a goroutine that does not end.
func leaking(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	pages, failed := make(chan naivePage), make(chan error)
	go func() {
		defer close(pages)
		for offset := 0; ; offset += 1 {
			page, err := getWholePage(ctx, client, baseURL+"/api/events/?ordering=id&limit=1&offset="+strconv.Itoa(offset))
			if err != nil {
				failed <- err
				return
			}
			pages <- page
		}
	}()
	for page := range pages {
		if len(page.Results) == 0 {
			return ids, nil // the goroutine waits forever
		}
		ids = page.appendIDs(ids)
	}
	return nil, <-failed
}
