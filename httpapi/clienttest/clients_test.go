package clienttest

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
)

// Clients with common mistakes. Each makes only its own, so that the situations that
// it fails are known in advance.

// A naivePage does not tell absent members from zero values.
type naivePage struct {
	Count   int
	Next    string
	Results []struct{ ID int }
}

func (p naivePage) appendIDs(ids []int) []int {
	for _, r := range p.Results {
		ids = append(ids, r.ID)
	}
	return ids
}

// get sends a GET request with a context.
func get(ctx context.Context, client *http.Client, url string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return nil, err
	}
	return client.Do(r)
}

// getPage fetches a page. It checks the status but not the members of the page.
func getPage(ctx context.Context, client *http.Client, url string) (page naivePage, err error) {
	resp, err := get(ctx, client, url)
	if err != nil {
		return page, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return page, errors.New(resp.Status)
	}
	err = json.NewDecoder(resp.Body).Decode(&page)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) { // whose text depends on the version of Go
		err = errors.New("not JSON")
	}
	return page, err
}

func withoutRedirects(client *http.Client) *http.Client {
	strict := *client
	strict.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &strict
}

// followNext follows next links without any check.
func followNext(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	for next := baseURL + "/api/events/"; next != ""; {
		page, err := getPage(ctx, client, next)
		if err != nil {
			return nil, err
		}
		ids, next = page.appendIDs(ids), page.Next
	}
	return ids, nil
}

// ignoreErrors treats every body as a page, and an invalid body as an empty page. It
// checks links.
func ignoreErrors(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	strict := *client
	strict.CheckRedirect = func(*http.Request, []*http.Request) error { return errors.New("redirected") }
	visited := map[string]bool{}
	for next := baseURL + "/api/events/?limit=10"; next != ""; {
		visited[next] = true
		resp, err := get(ctx, &strict, next)
		if err != nil {
			return nil, err
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		var page naivePage
		_ = json.Unmarshal(body, &page)
		ids, next = page.appendIDs(ids), page.Next
		if visited[next] || next != "" && !strings.HasPrefix(next, baseURL+"/") {
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
		ids = page.appendIDs(ids)
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
		ids = page.appendIDs(ids)
		if len(page.Results) < limit {
			return ids, nil
		}
	}
}

// onlyFirst returns a client that returns the records of the first page of a list.
func onlyFirst(path string) Fetch[int] {
	return func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
		page, err := getPage(ctx, client, baseURL+path)
		return page.appendIDs(nil), err
	}
}

// oneRecord returns a client that returns the first record, and whose request is changed.
func oneRecord(change func(*http.Request)) Fetch[int] {
	return func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
		page, err := getPage(ctx, changing(client, change), baseURL+"/api/events/")
		if err != nil {
			return nil, err
		}
		return []int{page.Results[0].ID}, nil
	}
}

// changing returns a client whose requests are changed before they are sent.
func changing(client *http.Client, change func(*http.Request)) *http.Client {
	return &http.Client{Transport: rounder(func(r *http.Request) (*http.Response, error) {
		change(r)
		return client.Transport.RoundTrip(r)
	})}
}

type rounder func(*http.Request) (*http.Response, error)

func (f rounder) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A careful client makes at most one mistake: that of a function that has been replaced.
type careful struct {
	path   string // of the list
	fetch  func(ctx context.Context, client *http.Client, url string) (naivePage, error)
	read   func(body io.Reader) ([]byte, error)
	close  func(body io.Closer)
	ending func(count int, ids []int) error
	apart  bool // pages do not overlap
}

// newCareful returns a client without a mistake. Each page begins with the last record of the
// page before it.
func newCareful() *careful {
	c := &careful{
		path:  "/api/events/",
		read:  io.ReadAll,
		close: func(body io.Closer) { body.Close() },
		ending: func(count int, ids []int) error {
			if count != len(ids) {
				return fmt.Errorf("%d of %d records", len(ids), count)
			}
			return nil
		},
	}
	c.fetch = c.page
	return c
}

// ids fetches all ids.
func (c *careful) ids(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	client = withoutRedirects(client)
	count := -1
	for query := "ordering=id"; query != ""; {
		page, err := c.fetch(ctx, client, baseURL+c.path+"?"+query)
		if err != nil {
			return ids, err
		}
		if page.Count < 0 || count >= 0 && page.Count != count {
			return nil, errors.New("the count has changed")
		}
		if len(page.Results) == 0 && page.Next != "" {
			return nil, errors.New("an empty page")
		}
		count = page.Count
		if n := len(ids); n > 0 && !c.apart {
			if len(page.Results) < 2 || page.Results[0].ID != ids[n-1] {
				return nil, errors.New("records have moved")
			}
			page.Results = page.Results[1:]
		}
		for _, r := range page.Results {
			if len(ids) > 0 && ids[len(ids)-1] >= r.ID {
				return nil, errors.New("records are not in order")
			}
			ids = append(ids, r.ID)
		}
		query = fmt.Sprintf("ordering=id&offset=%d", len(ids)-1)
		switch {
		case page.Next == "":
			query = ""
		case c.apart:
			query = fmt.Sprintf("ordering=id&offset=%d", len(ids))
		}
	}
	return ids, c.ending(count, ids)
}

// page returns a page, whose count is -1 if it has none.
func (c *careful) page(ctx context.Context, client *http.Client, url string) (page naivePage, err error) {
	resp, err := get(ctx, client, url)
	if err != nil {
		return page, err
	}
	defer c.close(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return page, errors.New(resp.Status)
	}
	body, err := c.read(resp.Body)
	if err != nil {
		return page, err
	}
	page.Count = -1
	return page, json.Unmarshal(body, &page)
}

// offsetsOnly advances by the number of records, without an overlap.
func offsetsOnly() *careful {
	c := newCareful()
	c.apart = true
	return c
}

// withoutCount does not compare the number of records with the count.
func withoutCount() *careful {
	c := newCareful()
	c.ending = func(int, []int) error { return nil }
	return c
}

// readOnce treats the result of one Read as the whole body. This works if pages are small
// and arrive in one piece.
func readOnce() *careful {
	c := newCareful()
	c.read = func(r io.Reader) ([]byte, error) {
		body := make([]byte, 1<<20)
		n, err := r.Read(body)
		if err == io.EOF {
			err = nil
		}
		return body[:n], err
	}
	return c
}

// endOnError returns the records received so far when there is no response.
func endOnError(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	ids, err = newCareful().ids(ctx, client, baseURL)
	if failed := new(url.Error); errors.As(err, &failed) && ctx.Err() == nil {
		return ids, nil
	}
	return ids, err
}

// retrying repeats a request with status 503 after the time that the service asks for, and
// does not end the wait when its context ends.
func retrying() *careful {
	c := newCareful()
	c.fetch = func(ctx context.Context, client *http.Client, url string) (page naivePage, err error) {
		for {
			page, err = c.page(ctx, client, url)
			if err == nil || !strings.HasPrefix(err.Error(), "503") {
				return page, err
			}
			time.Sleep(30 * time.Second)
		}
	}
	return c
}

// skipping returns a client that repeats a request twice after a status, and then returns the
// records received so far.
func skipping(status int) Fetch[int] {
	c := newCareful()
	errSkipped := errors.New("skipped")
	c.fetch = func(ctx context.Context, client *http.Client, url string) (page naivePage, err error) {
		for range 3 {
			page, err = c.page(ctx, client, url)
			if err == nil || !strings.HasPrefix(err.Error(), strconv.Itoa(status)) {
				return page, err
			}
		}
		return page, errSkipped
	}
	return func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
		ids, err := c.ids(ctx, client, baseURL)
		if err == errSkipped {
			err = nil
		}
		return ids, err
	}
}

// waiting repeats a request with status 429 after as many seconds as the response says.
func waiting() *careful {
	c := newCareful()
	c.fetch = func(ctx context.Context, client *http.Client, url string) (page naivePage, err error) {
		var after time.Duration
		noting := &http.Client{CheckRedirect: client.CheckRedirect, Transport: rounder(func(r *http.Request) (*http.Response, error) {
			resp, err := client.Transport.RoundTrip(r)
			if err == nil {
				after, _ = time.ParseDuration(resp.Header.Get("Retry-After") + "s")
			}
			return resp, err
		})}
		for range 5 {
			page, err = c.page(ctx, noting, url)
			if err == nil || !strings.HasPrefix(err.Error(), "429") {
				return page, err
			}
			select {
			case <-time.After(after):
			case <-ctx.Done():
				return page, ctx.Err()
			}
		}
		return page, err
	}
	return c
}

// resuming begins again after a status 404, with the ids that it has received.
func resuming(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	ids, err = newCareful().ids(ctx, client, baseURL)
	if err != nil && strings.HasPrefix(err.Error(), "404") {
		var again []int
		again, err = newCareful().ids(ctx, client, baseURL)
		ids = append(ids, again...)
	}
	return ids, err
}

// Two clients follow, for pages of this service, the logic that real ones had before a fix.

// azurePager is like a loop over a Pager of azure-sdk-for-go before pull request 27222:
// after an error on the first page there were more pages, and the loop logged the error.
func azurePager() *careful {
	c := newCareful()
	c.fetch = func(ctx context.Context, client *http.Client, url string) (page naivePage, err error) {
		for {
			page, err = c.page(ctx, client, url)
			if err == nil || strings.Contains(url, "offset=") || ctx.Err() != nil {
				return page, err
			}
		}
	}
	return c
}

// bitbucketPages is like go-bitbucket after pull request 186: it divided the number of
// records by the length of a page to find out which page is the last.
func bitbucketPages(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	next := baseURL + "/api/events/"
	for n := 1; ; n++ {
		page, err := getPage(ctx, client, next)
		if err != nil {
			return nil, err
		}
		ids = page.appendIDs(ids)
		if length := len(page.Results); page.Count/length <= n {
			return ids, nil
		}
		next = page.Next
	}
}

// backwards fetches single records in reverse order, and tries each three times.
func backwards(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	one := func(offset int) (page naivePage, err error) {
		for range 3 {
			url := fmt.Sprintf("%s/api/events/?limit=1&ordering=id&offset=%d", baseURL, offset)
			page, err = newCareful().page(ctx, withoutRedirects(client), url)
			if err == nil && page.Count >= 0 && len(page.Results) == min(1, max(page.Count-offset, 0)) {
				return page, nil
			}
		}
		return page, fmt.Errorf("no record at offset %d: %w", offset, err)
	}
	first, err := one(0)
	for offset := first.Count - 1; err == nil && offset >= 0; offset-- {
		page, failed := one(offset)
		if failed != nil || page.Count != first.Count || len(ids) > 0 && page.Results[0].ID == ids[len(ids)-1] {
			return nil, fmt.Errorf("offset %d: %v, %v", offset, page, failed)
		}
		ids = page.appendIDs(ids)
	}
	return ids, err
}
