package clienttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"
)

// runSituation runs a client through one situation. If returns is false, it does not
// wait for the client.
func runSituation(t *testing.T, fetch Fetch, name string, returns bool) result {
	t.Helper()
	v, err := newVerification(fetch, Options{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	v.grace = time.Minute
	if !returns {
		v.timeout, v.grace = time.Millisecond, time.Millisecond
	}
	for _, s := range v.situations {
		if s.name == name {
			r, err := v.run(s)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
	}
	t.Fatalf("no situation %q", name)
	return result{}
}

// oneRecord returns a client for the situation "one-record" whose request is modified
// by change.
func oneRecord(change func(*http.Request)) Fetch {
	return func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
		r, err := http.NewRequestWithContext(ctx, "GET", baseURL+"/api/events/", nil)
		if err != nil {
			return nil, err
		}
		change(r)
		resp, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		var page struct{ Results []struct{ ID int } }
		if err := json.NewDecoder(resp.Body).Decode(&page); err != nil {
			return nil, err
		}
		return []int{page.Results[0].ID}, nil
	}
}

func TestClientProblems(t *testing.T) {
	proceed := make(chan struct{})
	defer close(proceed)
	tests := []struct {
		reason    string
		situation string
		fetch     Fetch
		problem   string // prefix
	}{
		{"no problem", "one-record", oneRecord(func(*http.Request) {}), ""},
		{"panic", "one-record", func(context.Context, *http.Client, string) ([]int, error) { panic("page not found") }, "panicked: page not found"},
		{"runtime panic", "empty", oneRecord(func(*http.Request) {}), "panicked: runtime error: index out of range"},
		{"t.Fatal", "one-record", func(context.Context, *http.Client, string) ([]int, error) {
			runtime.Goexit()
			return nil, nil
		}, "ended its goroutine, as t.Fatal does"},
		{"wait without the context", "stalled", func(context.Context, *http.Client, string) ([]int, error) {
			<-proceed
			return nil, nil
		}, "did not return within 1ms after the end of its context: create each request with the context"},
		{"wait without a fault", "one-record", func(context.Context, *http.Client, string) ([]int, error) {
			<-proceed
			return nil, nil
		}, "did not return within 1ms after the end of its context"},
		{"request without the context", "cancelled", func(_ context.Context, client *http.Client, baseURL string) ([]int, error) {
			return oneRecord(func(*http.Request) {})(context.Background(), client, baseURL)
		}, "returned 1 records and no error: create each request with the context"},
		{"error without a fault", "one-record", func(context.Context, *http.Client, string) ([]int, error) {
			return []int{1}, errors.New("two\nlines " + strings.Repeat("x", 500))
		}, "returned an error although nothing is wrong (two lines xxx"},
		{"unknown record", "one-record", func(context.Context, *http.Client, string) ([]int, error) {
			return []int{77777}, nil
		}, "returned 1 records, and none of their ids is in the collection events: the client probably fetches another collection; set Options.Collection"},
		{"no records", "one-record", func(context.Context, *http.Client, string) ([]int, error) { return nil, nil },
			"returned 0 of 1 records"},
		{"credentials to another host", "one-record", oneRecord(func(r *http.Request) {
			r.URL = &url.URL{Scheme: "https", Host: "elsewhere.example", Path: "/"}
			r.Header.Set("Authorization", "Bearer s3cret")
			r.Header.Set("Cookie", "session=s3cret")
		}), "sent a request to https://elsewhere.example with credentials in Authorization and Cookie: "},
		{"panic after a request to another host", "one-record", func(ctx context.Context, client *http.Client, _ string) ([]int, error) {
			_, err := client.Get("https://elsewhere.example/")
			panic(err)
		}, "panicked: Get \"https://elsewhere.example/\""},
		{"same host without TLS", "one-record", oneRecord(func(r *http.Request) { r.URL.Scheme = "http" }), "sent a request to http://"},
		{"other port", "one-record", oneRecord(func(r *http.Request) { r.URL.Host = "127.0.0.1:1" }), "sent a request to https://127.0.0.1:1: "},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			r := runSituation(t, tt.fetch, tt.situation, !strings.HasPrefix(tt.problem, "did not return"))
			if r.problem == "" && tt.problem != "" || !strings.HasPrefix(r.problem, tt.problem) || len(r.problem) > 500 {
				t.Errorf("problem %q, want %q", r.problem, tt.problem)
			}
			if tt.problem == "" && r.problem != "" {
				t.Errorf("problem %q, want none", r.problem)
			}
			if strings.Contains(r.problem+formatRequests(r.requests), "s3cret") {
				t.Errorf("report contains credentials:\n%s%s", r.problem, formatRequests(r.requests))
			}
		})
	}
}

// TestClientEndlessRequests checks that the context of a client that ignores its errors
// ends after a number of requests, to the service or to another host.
func TestClientEndlessRequests(t *testing.T) {
	for _, tt := range []struct{ reason, url, problem string }{
		{"the service", "", "sent more than 50 requests: "},
		{"another host", "https://elsewhere.example", "sent a request to https://elsewhere.example: "},
	} {
		var why error
		r := runSituation(t, func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
			if tt.url != "" {
				baseURL = tt.url
			}
			for ctx.Err() == nil {
				if resp, err := client.Get(baseURL + "/api/events/"); err == nil {
					resp.Body.Close()
				}
			}
			why = ctx.Err()
			return nil, why
		}, "one-record", true)
		if why != context.Canceled || !strings.HasPrefix(r.problem, tt.problem) || len(r.requests) != 50 {
			t.Errorf("%s: context %v, problem %q, %d requests", tt.reason, why, r.problem, len(r.requests))
		}
	}
}

// TestAbandonedClient checks that the requests of an abandoned client fail.
func TestAbandonedClient(t *testing.T) {
	proceed, done := make(chan struct{}), make(chan error)
	r := runSituation(t, func(_ context.Context, client *http.Client, baseURL string) ([]int, error) {
		<-proceed
		resp, err := client.Get(baseURL + "/api/events/")
		if err == nil {
			resp.Body.Close()
		}
		done <- err
		return nil, nil
	}, "one-record", false)
	proceed <- struct{}{}
	if err := <-done; !errors.Is(err, errVerified) {
		t.Errorf("error %v, want %v", err, errVerified)
	}
	if len(r.requests) > 0 || !strings.Contains(formatRequests(r.requests), "no requests were sent") {
		t.Errorf("requests: %q", formatRequests(r.requests))
	}
}

// TestUnusualClient checks that a client may fetch single records in reverse order and
// retry each, because only its result counts.
func TestUnusualClient(t *testing.T) {
	results, err := Verify(backwards, Options{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Problem != "" {
			t.Errorf("%s: %s", r.Situation, r.Problem)
		}
	}
}

func backwards(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	strict := *client
	strict.CheckRedirect = func(*http.Request, []*http.Request) error { return errors.New("redirected") }
	last := 0
	one := func(offset int) (id, count int, err error) {
		for range 3 {
			r, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("%s/api/events/?limit=1&ordering=id&offset=%d", baseURL, offset), nil)
			if err != nil {
				return 0, 0, err
			}
			resp, err := strict.Do(r)
			if err != nil {
				continue
			}
			var page struct {
				Count   *int
				Results []struct{ ID int }
			}
			err = json.NewDecoder(resp.Body).Decode(&page)
			resp.Body.Close()
			if err == nil && resp.StatusCode == 200 && page.Count != nil && len(page.Results) == min(1, max(*page.Count-offset, 0)) {
				if len(page.Results) == 0 {
					return 0, *page.Count, nil
				}
				return page.Results[0].ID, *page.Count, nil
			}
		}
		return 0, 0, fmt.Errorf("no record at offset %d", offset)
	}
	_, count, err := one(0)
	if err != nil {
		return nil, err
	}
	for offset := count - 1; offset >= 0; offset-- {
		id, now, err := one(offset)
		if err != nil || id == last || now != count {
			return nil, fmt.Errorf("offset %d: record %d of %d, %v", offset, id, now, err)
		}
		ids, last = append(ids, id), id
	}
	return ids, nil
}

func TestCompareIDs(t *testing.T) {
	tests := []struct {
		reason    string
		got, want []int
		deleted   int
		problem   string
	}{
		{"no records", nil, nil, 0, ""},
		{"other order", []int{3, 1, 2}, []int{1, 2, 3}, 0, ""},
		{"one missing", []int{1, 3}, []int{1, 2, 3}, 0, "returned 2 of 3 records, without the one with the id 2, and no error"},
		{"one twice", []int{1, 1, 3}, []int{1, 2, 3}, 0, "returned the record with the id 1 twice and no error"},
		{"one unknown", []int{1, 2, 3, 4}, []int{1, 2, 3}, 0, "returned a record with the id 4, which is not in the collection, and no error"},
		{"with the deleted record", []int{1, 2, 3}, []int{1, 2, 3}, 1, ""},
		{"without the deleted record", []int{2, 3}, []int{1, 2, 3}, 1, ""},
		{"without another record", []int{1, 3}, []int{1, 2, 3}, 1, "returned 2 of 3 records, without the one with the id 2, and no error"},
	}
	for _, tt := range tests {
		if problem := compareIDs(tt.got, tt.want, tt.deleted); problem != tt.problem {
			t.Errorf("%s: compareIDs(%v, %v, %d) = %q, want %q", tt.reason, tt.got, tt.want, tt.deleted, problem, tt.problem)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"https://a.example/x", "https://a.example/y?z", true},
		{"https://a.example", "https://A.EXAMPLE:443", true},
		{"http://a.example:80", "http://a.example", true},
		{"http://a.example", "https://a.example", false},
		{"http://a.example:443", "https://a.example:443", false},
		{"https://a.example", "https://a.example:8443", false},
		{"https://a.example", "https://b.a.example", false},
		{"https://a.example@b.example", "https://a.example", false},
		{"http://[::1]:80", "http://[::1]", true},
	}
	for _, tt := range tests {
		a, errA := url.Parse(tt.a)
		b, errB := url.Parse(tt.b)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if sameOrigin(a, b) != tt.want || sameOrigin(b, a) != tt.want {
			t.Errorf("sameOrigin(%s, %s) = %t, want %t", tt.a, tt.b, !tt.want, tt.want)
		}
	}
}

func TestFormatRequests(t *testing.T) {
	var all []string
	for i := range 12 {
		all = append(all, fmt.Sprintf("GET /%d: 200 OK", i))
	}
	tests := []struct {
		requests []string
		want     string
	}{
		{nil, "no requests were sent with the client passed to Fetch"},
		{all[:9], strings.Join(all[:9], "\n\t")},
		{all, strings.Join(all[:6], "\n\t") + "\n\t… 4 more …\n\t" + strings.Join(all[10:], "\n\t")},
	}
	for _, tt := range tests {
		if got := formatRequests(tt.requests); got != "\t"+tt.want+"\n" {
			t.Errorf("%d requests: %q, want %q", len(tt.requests), got, tt.want)
		}
	}
	if all[6] != "GET /6: 200 OK" {
		t.Error("formatRequests changed the requests")
	}
}
