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

// Clients with the mistakes that are made. Each makes its own and, as far as it
// can, no other, so that it can be said beforehand what it fails.

// naivePage is decoded without asking whether anything was there.
type naivePage struct {
	Count   int
	Next    string
	Results []struct{ ID int }
}

// naiveGet asks for a page, and knows one mistake: that a body may be another
// document than a page.
func naiveGet(ctx context.Context, client *http.Client, url string) (page naivePage, err error) {
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return page, err
	}
	answer, err := client.Do(r)
	if err != nil {
		return page, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != 200 {
		return page, fmt.Errorf("%s", answer.Status)
	}
	return page, json.NewDecoder(answer.Body).Decode(&page)
}

// followsBlindly goes where next says until it says nothing.
func followsBlindly(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	for at := baseURL + "/api/events/"; at != ""; {
		page, err := naiveGet(ctx, client, at)
		if err != nil {
			return nil, err
		}
		for _, r := range page.Results {
			ids = append(ids, r.ID)
		}
		at = page.Next
	}
	return ids, nil
}

// decodesWhatever takes each body for a page, and what cannot be read for the end.
// It follows links with care.
func decodesWhatever(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	careful := *client
	careful.CheckRedirect = func(*http.Request, []*http.Request) error { return fmt.Errorf("redirected") }
	home, err := url.Parse(baseURL)
	if err != nil {
		return nil, err
	}
	been := map[string]bool{}
	for at := baseURL + "/api/events/?limit=10"; at != ""; {
		been[at] = true
		r, err := http.NewRequestWithContext(ctx, "GET", at, nil)
		if err != nil {
			return nil, err
		}
		answer, err := careful.Do(r)
		if err != nil {
			return nil, err
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		var page naivePage
		_ = json.Unmarshal(body, &page)
		for _, r := range page.Results {
			ids = append(ids, r.ID)
		}
		at = page.Next
		next, err := url.Parse(at)
		if err != nil {
			return nil, err
		}
		if been[at] || at != "" && (next.Scheme != home.Scheme || next.Host != home.Host) {
			return nil, fmt.Errorf("next leads to %s", at)
		}
	}
	return ids, nil
}

// countsPages works out from the first page how many there are, and never looks
// at what the others say.
func countsPages(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	ids, _, err = countedPages(ctx, client, baseURL)
	return ids, err
}

// comparesCount is countsPages, and compares how many records came with how many
// the first page said there are. It does not look which came.
func comparesCount(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	ids, count, err := countedPages(ctx, client, baseURL)
	if err == nil && len(ids) != count {
		err = fmt.Errorf("%d records of %d", len(ids), count)
	}
	return ids, err
}

func countedPages(ctx context.Context, client *http.Client, baseURL string) (ids []int, count int, err error) {
	count = 1 // until the first page says it
	for offset, size := 0, 0; offset < count; offset += size {
		page, err := naiveGet(ctx, client, fmt.Sprintf("%s/api/events/?offset=%d", baseURL, offset))
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

// trustsItsLimit believes that a page with fewer records than it asked for is
// the last.
func trustsItsLimit(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	const limit = 100
	for offset := 0; ; offset += limit {
		page, err := naiveGet(ctx, client, fmt.Sprintf("%s/api/events/?limit=%d&offset=%d", baseURL, limit, offset))
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

// takesErrorsForTheEnd counts offsets with all care, but returns what it has when a
// request fails.
func takesErrorsForTheEnd(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	return countsWithCare(ctx, client, baseURL+"/api/events/", func(answer *http.Response, err error) (body []byte, ended bool, _ error) {
		if err != nil {
			return nil, ctx.Err() == nil, ctx.Err()
		}
		body, err = io.ReadAll(answer.Body)
		return body, false, err
	})
}

// readsOnce gives a client that takes what one Read gives for the whole body, in
// which it is right as long as pages are small and come at once.
func readsOnce(path string) cataloguetest.Fetch {
	return func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
		return countsWithCare(ctx, client, baseURL+path, func(answer *http.Response, err error) (body []byte, ended bool, _ error) {
			if err != nil {
				return nil, false, err
			}
			body = make([]byte, 1<<20)
			n, err := answer.Body.Read(body)
			if err == io.EOF {
				err = nil
			}
			return body[:n], false, err
		})
	}
}

// countsWithCare makes no mistake but those of what reads an answer for it.
func countsWithCare(ctx context.Context, client *http.Client, list string,
	read func(*http.Response, error) (body []byte, ended bool, err error),
) (ids []int, err error) {
	careful := *client
	careful.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	seen := map[int]bool{}
	for count := 1; len(ids) < count; {
		r, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("%s?offset=%d", list, len(ids)), nil)
		if err != nil {
			return nil, err
		}
		answer, err := careful.Do(r)
		body, ended, failed := read(answer, err)
		if err == nil {
			answer.Body.Close()
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
		if answer.StatusCode != 200 || page.Count == nil || len(ids) > 0 && *page.Count != count || len(page.Results) == 0 && *page.Count > 0 {
			return nil, fmt.Errorf("no page: %s", answer.Status)
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
