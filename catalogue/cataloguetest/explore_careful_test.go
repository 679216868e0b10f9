package cataloguetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

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
