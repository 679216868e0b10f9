package clienttest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/pagination"
)

// waiting waits as long as a response with status 429 says, as its wait reads the header.
func waiting(wait func(header string) time.Duration) *careful {
	c := newCareful()
	c.fetch = func(ctx context.Context, client *http.Client, url string) (page naivePage, err error) {
		var after string
		noting := &http.Client{CheckRedirect: client.CheckRedirect, Transport: rounder(func(r *http.Request) (*http.Response, error) {
			resp, err := client.Transport.RoundTrip(r)
			if err == nil {
				after = resp.Header.Get("Retry-After")
			}
			return resp, err
		})}
		for range 5 {
			page, err = c.page(ctx, noting, url)
			if err == nil || !strings.HasPrefix(err.Error(), "429") {
				return page, err
			}
			select {
			case <-time.After(wait(after)):
			case <-ctx.Done():
				return page, ctx.Err()
			}
		}
		return page, err
	}
	return c
}

// inSeconds reads the number of seconds only.
func inSeconds(header string) time.Duration {
	seconds, err := strconv.Atoi(header)
	if err != nil {
		panic(err)
	}
	return time.Duration(seconds) * time.Second
}

// inEither reads the date as well.
func inEither(header string) time.Duration {
	if at, err := http.ParseTime(header); err == nil {
		return time.Until(at)
	}
	return inSeconds(header)
}

// mixed asks for a size from the second page on.
func mixed(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
	c := newCounting()
	last := c.last
	c.last = func(page naivePage, number int) bool {
		c.size = 1000
		return last(page, number)
	}
	return c.ids(ctx, client, baseURL)
}

// resuming follows cursors. When one is invalid, it begins again with the records that it has, or
// returns them.
func resuming(again bool) Fetch[int] {
	return func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
		invalid := errors.New("404")
		var all []int
		client = withoutRedirects(client)
		for next, restarts := baseURL+"/api/events/", 0; next != ""; {
			page, err := newCareful().page(ctx, client, next)
			switch {
			case err != nil && strings.HasPrefix(err.Error(), invalid.Error()) && again && restarts == 0:
				restarts++
				next = baseURL + "/api/events/"
				continue
			case err != nil && strings.HasPrefix(err.Error(), invalid.Error()) && !again:
				return all, nil
			case err != nil:
				return nil, err
			case page.Results == nil || page.Next != "" && !strings.HasPrefix(page.Next, baseURL+"/") || len(page.Results) == 0 && page.Next != "":
				return nil, errors.New("no page, or one that leads elsewhere")
			}
			for _, r := range page.Results {
				if restarts == 0 && slices.Contains(all, r.ID) {
					return nil, fmt.Errorf("%d occurs twice", r.ID)
				}
				all = append(all, r.ID)
			}
			if next = page.Next; len(all) > 200 {
				return nil, errors.New("too many records")
			}
		}
		return all, nil
	}
}

// Each client makes one mistake, of which only its situations tell.
func TestLimits(t *testing.T) {
	cursors := Options{Pages: pagination.Cursors{}}
	for _, tt := range []struct {
		reason string
		fetch  Fetch[int]
		opts   Options
		fails  string // the situations
		with   string // in the problem of the last one
	}{
		{"waits", waiting(inEither).ids, Options{}, "", ""},
		{"reads no date", waiting(inSeconds).ids, Options{}, "rate-limit-date", `panicked (strconv.Atoi: parsing "`},
		{"asks for 1,000 records from the second page on", mixed, Options{Pages: numbers}, "sizes-differ", "ask for the same size in all requests"},
		{"returns what it has when a token is invalid", resuming(false), cursors, "tokens-expire", "begin again at the first page and without the records received"},
		{"begins again with the records that it has", resuming(true), cursors, "tokens-expire", "returned the record with the id "},
	} {
		names, problems := verify(t, tt.fetch, tt.opts)
		failed := slices.DeleteFunc(names, func(name string) bool { return problems[name] == "" })
		if got := strings.Join(failed, " "); got != tt.fails || got != "" && !strings.Contains(problems[failed[len(failed)-1]], tt.with) {
			t.Errorf("%s: fails %q, want %q: %v", tt.reason, got, tt.fails, problems)
		}
	}
}

// Rate limits and tokens that expire happen in scenarios too.
func TestExploreLimits(t *testing.T) {
	for want, x := range map[mistake]*explorer{
		{panicked, "rate-limit-date"}: mustExplorer(t, waiting(inSeconds).ids, Options{}),
		{missing, "tokens-expire"}:    mustExplorer(t, resuming(false), Options{Pages: pagination.Cursors{}}),
	} {
		var found []mistake
		for _, f := range x.search(t, Options{Scenarios: 300}, 100) {
			found = append(found, f.mistake())
		}
		if !slices.Contains(found, want) {
			t.Errorf("found %q, want %q", found, want)
		}
	}
}
