package cataloguetest_test

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
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// Clients with mistakes that Explore must find. The first four follow, for pages of this
// service, the logic that real clients had before a fix.

// azurePager is like a loop over a Pager of azure-sdk-for-go before pull request 27222:
// after an error on the first page there were more pages, and the loop logged the error.
func azurePager() careful {
	c := newCareful()
	c.fetch = func(ctx context.Context, client *http.Client, url string) (page naivePage, err error) {
		for {
			page, err = getWholePage(ctx, client, url)
			if err == nil || strings.Contains(url, "offset=") || ctx.Err() != nil {
				return page, err
			}
		}
	}
	return c
}

func (p naivePage) appendIDs(ids []int) []int {
	for _, r := range p.Results {
		ids = append(ids, r.ID)
	}
	return ids
}

// icebergTokens is like the listings of iceberg-go before pull request 1484: they ended only
// when the token of the next page was empty.
func icebergTokens(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	token := "0"
	for token != "" {
		page, err := getPage(ctx, client, baseURL+"/api/events/?ordering=id&offset="+token)
		if err != nil {
			return nil, err
		}
		ids = page.appendIDs(ids)
		next, err := url.Parse(page.Next)
		if err != nil {
			return nil, err
		}
		token = next.Query().Get("offset")
	}
	return ids, nil
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

// keployOffsets is like go-sdk of keploy before pull request 144: an error ended the list.
func keployOffsets(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	for i := 0; ; i += 25 {
		resp, err := client.Get(fmt.Sprintf("%s/api/events/?offset=%d&limit=25", baseURL, i))
		if err != nil {
			return nil, nil // logged
		}
		var page naivePage
		err = json.NewDecoder(resp.Body).Decode(&page)
		resp.Body.Close()
		if err != nil {
			return nil, nil
		}
		if len(page.Results) == 0 {
			return ids, nil
		}
		ids = page.appendIDs(ids)
	}
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
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return page, err
	}
	resp, err := client.Do(r)
	if err != nil {
		return page, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return page, errors.New(resp.Status)
	}
	page.Count = -1
	return page, json.NewDecoder(resp.Body).Decode(&page)
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
		r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		if err != nil {
			return page, err
		}
		resp, err := client.Do(r)
		if err != nil {
			return page, err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return page, errors.New(resp.Status)
		}
		body, _ := io.ReadAll(resp.Body) // the mistake
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

// leaking reads pages in a goroutine that nobody ends after an error.
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
			return ids, nil // the goroutine waits for ever
		}
		ids = page.appendIDs(ids)
	}
	return nil, <-failed
}

func TestExploreFindsMistakes(t *testing.T) {
	tests := []struct {
		client string
		fetch  cataloguetest.Fetch
		want   string // the kind of mistake, or several, separated by commas
	}{
		{"azure-sdk-for-go, before pull request 27222", azurePager().ids, "endless requests"},
		{"iceberg-go, before pull request 1484", icebergTokens, "endless requests, repeated record, missing record"},
		{"go-bitbucket, after pull request 186", bitbucketPages, "missing record, panicked"},
		{"keploy/go-sdk, before pull request 144", keployOffsets, "missing record"},
		{"follows every link", followNext, "endless requests, repeated record, missing record"},
		{"offsets without an overlap", offsetsOnly().ids, "missing record"},
		{"does not compare the count", withoutCount().ids, "missing record"},
		{"keeps the front of a body", streaming().ids, "missing record"},
		{"waits without its context", retrying().ids, "late"},
		{"leaves a goroutine", leaking, "blocked"},
	}
	for _, tt := range tests {
		t.Run(tt.client, func(t *testing.T) {
			start := time.Now()
			f := cataloguetest.Search(t, tt.fetch, cataloguetest.Exploration{})
			if f == nil {
				t.Fatal("nothing found")
			}
			t.Logf("%v: %d stories, %d runs, %d requests: %s", time.Since(start).Round(time.Millisecond), f.Stories, f.Runs, f.Requests, f.Story)
			if f.Requests > 5 {
				t.Errorf("%d requests, want at most 5:\n%s", f.Requests, f.Report)
			}
			if !strings.Contains(tt.want, f.Kind) {
				t.Errorf("found %q, want %q:\n%s", f.Kind, tt.want, f.Report)
			}
		})
	}
}
