package cataloguetest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
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
