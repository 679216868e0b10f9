package client_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi/client"
)

// timeRecorder is a handler that records the time of each request since its creation.
type timeRecorder struct {
	h     http.Handler
	start time.Time

	mu    sync.Mutex
	times []time.Duration
}

func newTimeRecorder(h http.Handler) *timeRecorder { return &timeRecorder{h: h, start: time.Now()} }

func (c *timeRecorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.times = append(c.times, time.Since(c.start))
	c.mu.Unlock()
	c.h.ServeHTTP(w, r)
}

// Reading ten books in pages of four takes three requests.
func TestRate(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name string
		rate float64
		want []time.Duration
	}{
		{"default", 0, []time.Duration{0, 200 * ms, 400 * ms}},
		{"less than one per second", 0.5, []time.Duration{0, 2000 * ms, 4000 * ms}},
		{"no limit", -1, []time.Duration{0, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newTimeRecorder(newHandler(t, tenBooks(t)))
				if _, err := walk(t.Context(), newInProcessClient(t, h, client.Options{Rate: c.rate, PageSize: 4}), "books"); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, h.times); diff != "" {
					t.Errorf("times (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// All walks of a client share its rate.
func TestRateOfConcurrentWalks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTimeRecorder(newHandler(t, tenBooks(t)))
		service := newInProcessClient(t, h, client.Options{Rate: 10, PageSize: 4})
		var walks sync.WaitGroup
		for range 4 {
			walks.Go(func() {
				if _, err := walk(t.Context(), service, "books"); err != nil {
					t.Error(err)
				}
			})
		}
		walks.Wait()
		slices.Sort(h.times)
		if n := len(h.times); n != 12 {
			t.Fatalf("%d requests, want 12", n)
		}
		for i, at := range h.times {
			if want := time.Duration(i) * 100 * time.Millisecond; at != want {
				t.Errorf("request %d at %v, want %v", i, at, want)
			}
		}
	})
}

// Canceled walks do not delay others.
func TestRateOfCanceledWalks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTimeRecorder(newHandler(t, tenBooks(t)))
		service := newInProcessClient(t, h, client.Options{Rate: 1})
		expect := func(ctx context.Context, want error) {
			if _, err := walk(ctx, service, "books"); !errors.Is(err, want) {
				t.Errorf("error %v, want %v", err, want)
			}
		}
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		for range 3 {
			expect(canceled, context.Canceled)
		}
		expect(t.Context(), nil)
		timeout, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		var walks sync.WaitGroup
		for range 3 {
			walks.Go(func() { expect(timeout, context.DeadlineExceeded) })
		}
		walks.Wait()
		expect(t.Context(), nil)
		if diff := cmp.Diff([]time.Duration{0, time.Second}, h.times); diff != "" {
			t.Errorf("times (-want +got):\n%s", diff)
		}
	})
}

// busyFirst serves the first requests with the given functions, then with h.
func busyFirst(h http.Handler, first ...http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(first) == 0 {
			h.ServeHTTP(w, r)
			return
		}
		first[0](w, r)
		first = first[1:]
	})
}

// busy responds with a status and an optional Retry-After.
func busy(status int, retryAfter string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(status)
	}
}

func TestRetries(t *testing.T) {
	const s = time.Second
	// Time in a bubble starts at midnight UTC 2000-01-01.
	date := func(d time.Duration) string {
		return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(d).Format(http.TimeFormat)
	}
	for _, c := range []struct {
		name, reason string
		opts         client.Options
		first        []http.HandlerFunc
		want         error
		times        []time.Duration
	}{
		{"Retry-After in seconds", "the delay is observed", client.Options{}, []http.HandlerFunc{busy(429, "7")}, nil, []time.Duration{0, 7 * s}},
		{"Retry-After with a date", "the delay is observed", client.Options{}, []http.HandlerFunc{busy(503, date(40*s))}, nil, []time.Duration{0, 40 * s}},
		{"Retry-After in the past", "the rate still applies", client.Options{Rate: 1}, []http.HandlerFunc{busy(503, date(-40*s))}, nil, []time.Duration{0, s}},
		{"no valid Retry-After", "the delay doubles each time", client.Options{}, []http.HandlerFunc{busy(503, ""), busy(429, "soon"), busy(503, "-1")}, nil, []time.Duration{0, s, 3 * s, 7 * s}},
		{"too many retries", "the default is three", client.Options{}, []http.HandlerFunc{busy(503, "1"), busy(503, "1"), busy(503, "1"), busy(503, "1")}, client.ErrUnavailable, []time.Duration{0, s, 2 * s, 3 * s}},
		{"no retries", "Retries is negative", client.Options{Retries: -1}, []http.HandlerFunc{busy(503, "1")}, client.ErrUnavailable, []time.Duration{0}},
		{"delay above a minute", "the walk would stop for long", client.Options{}, []http.HandlerFunc{busy(429, "61")}, client.ErrUnavailable, []time.Duration{0}},
		{"delay out of range", "the number overflows", client.Options{}, []http.HandlerFunc{busy(429, "99999999999999999999")}, client.ErrUnavailable, []time.Duration{0}},
		{"500", "other statuses are not retried", client.Options{}, []http.HandlerFunc{busy(500, "1")}, client.ErrInvalidPage, []time.Duration{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			synctest.Test(t, func(t *testing.T) {
				h := newTimeRecorder(busyFirst(newHandler(t, tenBooks(t)), c.first...))
				records, err := walk(t.Context(), newInProcessClient(t, h, c.opts), "books")
				if !errors.Is(err, c.want) || err == nil && len(records) != 10 {
					t.Errorf("%d records, %v, want error %v", len(records), err, c.want)
				}
				if diff := cmp.Diff(c.times, h.times); diff != "" {
					t.Errorf("times (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// Import stops at the first collection if the service is unavailable.
func TestImportFromUnavailableService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTimeRecorder(busy(503, "3600"))
		report, err := importAll(t.Context(), mustNew(), newInProcessClient(t, h, client.Options{}))
		if !errors.Is(err, client.ErrUnavailable) || len(report) != 1 || len(h.times) != 1 {
			t.Errorf("%d requests, %v:\n%v", len(h.times), err, report)
		}
	})
}

// Import returns as soon as the context is done.
func TestCancelImport(t *testing.T) {
	const s = time.Second
	never := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for _, c := range []struct {
		name  string
		rate  float64
		first []http.HandlerFunc
	}{
		{"waiting for the rate limit", 0.1, nil},
		{"waiting to retry", -1, []http.HandlerFunc{busy(503, "20")}},
		{"waiting for the response", -1, []http.HandlerFunc{never}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 5*s)
				defer cancel()
				service := newInProcessClient(t, busyFirst(newHandler(t, tenBooks(t)), c.first...), client.Options{Rate: c.rate, PageSize: 4})
				start := time.Now()
				into := mustNew()
				report, err := importAll(ctx, into, service)
				if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != 5*s {
					t.Errorf("Import: error %v after %v, want DeadlineExceeded after 5s", err, took)
				}
				failed := slices.IndexFunc(report, func(c client.Imported) bool { return c.Err != nil })
				if failed != len(report)-1 {
					t.Errorf("Import continued to collection %d after %d failed", len(report)-1, failed)
				}
			})
		})
	}
}

// Breaking out of an iteration requests no further pages.
func TestAllBreak(t *testing.T) {
	h := newTimeRecorder(newHandler(t, tenBooks(t)))
	service := newInProcessClient(t, h, client.Options{Rate: -1, PageSize: 4})
	all := service.All(t.Context(), "books")
	for range 2 { // the iterator can be reused
		n := 0
		for record, err := range all {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == 5 {
				if string(record) != `{"id":5,"name":"Book 5"}` {
					t.Errorf("fifth record = %s, want id 5", record)
				}
				break
			}
		}
	}
	if len(h.times) != 4 {
		t.Errorf("%d requests, want 4", len(h.times))
	}
}

// The header is copied, except for Accept.
func TestRequests(t *testing.T) {
	given := http.Header{"Accept": {"text/html"}, "X-Tag": {"a", "b"}}
	var got []string
	var sent http.Header
	h := newHandler(t, tenBooks(t))
	service := newInProcessClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Method+" "+r.URL.String())
		sent = r.Header.Clone()
		r.Header["X-Tag"][0] = "overwritten"
		r.RequestURI = r.URL.RequestURI()
		http.StripPrefix("/shop", h).ServeHTTP(w, r)
	}), client.Options{BaseURL: "http://catalogue.test/shop//", PageSize: 4, Rate: -1, Header: given})
	given.Set("X-Late", "1")
	if _, err := walk(t.Context(), service, "books"); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, query := range []string{"limit=4", "limit=4&offset=3", "limit=4&offset=6"} {
		want = append(want, "GET http://catalogue.test/shop/api/books/?"+query+"&ordering=id")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(http.Header{"Accept": {"application/json"}, "X-Tag": {"a", "b"}}, sent); diff != "" {
		t.Errorf("header of the last request (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(http.Header{"Accept": {"text/html"}, "X-Tag": {"a", "b"}, "X-Late": {"1"}}, given); diff != "" {
		t.Errorf("header of the options (-want +got):\n%s", diff)
	}
}

func TestInvalidOptions(t *testing.T) {
	const base = "http://catalogue.test"
	for _, c := range []struct {
		reason string
		opts   client.Options
	}{
		{"no BaseURL", client.Options{}},
		{"relative BaseURL", client.Options{BaseURL: "catalogue.test"}},
		{"BaseURL without host", client.Options{BaseURL: "http:///api/"}},
		{"BaseURL with another scheme", client.Options{BaseURL: "ftp://catalogue.test"}},
		{"BaseURL with user", client.Options{BaseURL: "http://a:b@catalogue.test"}},
		{"BaseURL with query", client.Options{BaseURL: base + "?limit=1"}},
		{"BaseURL with empty query", client.Options{BaseURL: base + "?"}},
		{"BaseURL with fragment", client.Options{BaseURL: base + "#"}},
		{"invalid BaseURL", client.Options{BaseURL: "http://[::1"}},
		{"PageSize of one", client.Options{BaseURL: base, PageSize: 1}},
		{"Rate below one request per day", client.Options{BaseURL: base, Rate: 1e-300}},
		{"Rate not a number", client.Options{BaseURL: base, Rate: math.NaN()}},
		{"negative PageSize", client.Options{BaseURL: base, PageSize: -2}},
		{"negative MaxBody", client.Options{BaseURL: base, MaxBody: -1}},
	} {
		if service, err := client.New(c.opts); err == nil || !strings.HasPrefix(err.Error(), "client: invalid option: ") || service != nil {
			t.Errorf("%s: New = %v, %v, want one about an invalid option", c.reason, service, err)
		}
	}
}

func TestHTTPClientIsNotModified(t *testing.T) {
	given := httptest.NewServer(nil).Client()
	newClient(t, client.Options{BaseURL: "http://catalogue.test", HTTP: given})
	if given.CheckRedirect != nil {
		t.Error("New modified the http.Client")
	}
}
