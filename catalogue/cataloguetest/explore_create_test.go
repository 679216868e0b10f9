package cataloguetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// A poster creates a social link.
type poster struct {
	attempts int
	// exists returns the id of the record if it exists, or 0.
	exists func(context.Context, *http.Client, string) (int, error)
}

const (
	postedURL  = "https://social.example/created"
	postedLink = `{"title": "Created", "url": "` + postedURL + `", "type": "web", "author": 1}`
)

// create posts the record, at most a number of times, unless it finds out that it exists.
func (p poster) create(ctx context.Context, client *http.Client, baseURL string) (id int, err error) {
	for range p.attempts {
		if id, err = post(ctx, client, baseURL); err == nil {
			return id, nil
		}
		if p.exists == nil {
			continue
		}
		if id, lost := p.exists(ctx, client, baseURL); lost != nil || id > 0 {
			return id, lost
		}
	}
	return 0, err
}

func post(ctx context.Context, client *http.Client, baseURL string) (id int, err error) {
	r, err := http.NewRequestWithContext(ctx, "POST", baseURL+"/api/social-links/", strings.NewReader(postedLink))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := withoutRedirects(client).Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	var record struct{ ID int }
	if err := json.Unmarshal(body, &record); err != nil || record.ID == 0 || resp.StatusCode != http.StatusCreated {
		return 0, fmt.Errorf("%s: %.100s", resp.Status, body)
	}
	return record.ID, nil
}

// lastLink returns the id of the last social link if it is the posted one. It sends one
// request, so that no wrong page can lead it to another.
func lastLink(ctx context.Context, client *http.Client, baseURL string) (int, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", baseURL+"/api/social-links/?ordering=-id", nil)
	if err != nil {
		return 0, err
	}
	resp, err := withoutRedirects(client).Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	var page struct {
		Count   *int
		Next    *string
		Results []struct {
			ID  int
			URL string
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil {
		return 0, err
	}
	if resp.StatusCode != http.StatusOK || page.Count == nil || len(page.Results) == 0 && (*page.Count > 0 || page.Next != nil) {
		return 0, errors.New("no page")
	}
	if len(page.Results) > 0 && page.Results[0].URL == postedURL {
		return page.Results[0].ID, nil
	}
	return 0, nil
}

// trusting takes any JSON with status 200 for a record.
func trusting(ctx context.Context, client *http.Client, baseURL string) (int, error) {
	id, err := post(ctx, client, baseURL)
	if err != nil && strings.HasPrefix(err.Error(), "200 OK: {") {
		err = nil
	}
	return id, err
}

func TestExploreCreate(t *testing.T) {
	opts := cataloguetest.Exploration{Collection: "social-links"}
	if testing.Short() {
		opts.Stories = 200 // the mistakes are found in the first 100
	}
	tests := []struct {
		reason string
		client cataloguetest.Create
		want   string
	}{
		{"one attempt", poster{attempts: 1}.create, ""},
		{"asks before it tries again", poster{attempts: 3, exists: lastLink}.create, ""},
		{"tries again", poster{attempts: 3}.create, "record created twice"},
		{"trusts the status", trusting, "record not created"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			f := cataloguetest.SearchCreate(t, tt.client, opts)
			got := ""
			if f != nil {
				got = f.Kind
			}
			if got != tt.want {
				t.Errorf("found %q, want %q: %+v", got, tt.want, f)
			}
			if f != nil {
				t.Logf("%d stories, %d runs, %d requests: %s", f.Stories, f.Runs, f.Requests, f.Report)
			}
		})
	}
}
