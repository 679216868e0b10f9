package client_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/client"
)

// clocked counts the time of each request from its making.
type clocked struct {
	h     http.Handler
	start time.Time

	mu    sync.Mutex
	times []time.Duration
}

func newClocked(h http.Handler) *clocked { return &clocked{h: h, start: time.Now()} }

func (c *clocked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.times = append(c.times, time.Since(c.start))
	c.mu.Unlock()
	c.h.ServeHTTP(w, r)
}

func bubbled(t *testing.T, h http.Handler, opts client.Options) *client.Client {
	opts.BaseURL, opts.HTTP = "http://catalogue.test", &http.Client{Transport: inProcess{h}}
	return connect(t, opts)
}

// Ten books in pages of four are three requests.
func TestRate(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name string
		rate float64
		want []time.Duration
	}{
		{"default", 0, []time.Duration{0, 200 * ms, 400 * ms}},
		{"one in two seconds", 0.5, []time.Duration{0, 2000 * ms, 4000 * ms}},
		{"no bound", -1, []time.Duration{0, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newClocked(handler(t, shelf(t)))
				if _, err := bubbled(t, h, client.Options{Rate: c.rate, PageSize: 4}).Walk(t.Context(), "books"); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, h.times); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// All walks of a client share its rate.
func TestRateOfSeveralWalks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newClocked(handler(t, shelf(t)))
		service := bubbled(t, h, client.Options{Rate: 10, PageSize: 4})
		var walks sync.WaitGroup
		for range 4 {
			walks.Go(func() {
				if _, err := service.Walk(t.Context(), "books"); err != nil {
					t.Error(err)
				}
			})
		}
		walks.Wait()
		slices.Sort(h.times)
		if n := len(h.times); n != 12 {
			t.Fatalf("%d requests", n)
		}
		for i, at := range h.times {
			if want := time.Duration(i) * 100 * time.Millisecond; at != want {
				t.Errorf("request %d at %v, want %v", i, at, want)
			}
		}
	})
}

// Who gives up, before or while waiting for a turn, takes none from the others.
func TestRateOfWalksThatAreGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newClocked(handler(t, shelf(t)))
		service := bubbled(t, h, client.Options{Rate: 1})
		walk := func(ctx context.Context, want error) {
			if _, err := service.Walk(ctx, "books"); !errors.Is(err, want) {
				t.Errorf("want %v, got %v", want, err)
			}
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		for range 3 {
			walk(over, context.Canceled)
		}
		walk(t.Context(), nil)
		soon, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		var walks sync.WaitGroup
		for range 3 {
			walks.Go(func() { walk(soon, context.DeadlineExceeded) })
		}
		walks.Wait()
		walk(t.Context(), nil)
		if diff := cmp.Diff([]time.Duration{0, time.Second}, h.times); diff != "" {
			t.Error(diff)
		}
	})
}

// busyFirst answers the first requests with these, then by the handler.
func busyFirst(h http.Handler, answers ...http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(answers) == 0 {
			h.ServeHTTP(w, r)
			return
		}
		answers[0](w, r)
		answers = answers[1:]
	})
}

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
	// A bubble begins at midnight UTC 2000-01-01.
	date := func(d time.Duration) string {
		return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(d).Format(http.TimeFormat)
	}
	for _, c := range []struct {
		name, reason string
		opts         client.Options
		answers      []http.HandlerFunc
		want         error
		times        []time.Duration
	}{
		{"seconds", "as it says", client.Options{}, []http.HandlerFunc{busy(429, "7")}, nil, []time.Duration{0, 7 * s}},
		{"date", "as it says", client.Options{}, []http.HandlerFunc{busy(503, date(40*s))}, nil, []time.Duration{0, 40 * s}},
		{"date that is over", "the rate is kept all the same", client.Options{Rate: 1}, []http.HandlerFunc{busy(503, date(-40*s))}, nil, []time.Duration{0, s}},
		{"it does not say", "longer each time", client.Options{}, []http.HandlerFunc{busy(503, ""), busy(429, "soon"), busy(503, "-1")}, nil, []time.Duration{0, s, 3 * s, 7 * s}},
		{"too often", "three more, then no more", client.Options{}, []http.HandlerFunc{busy(503, "1"), busy(503, "1"), busy(503, "1"), busy(503, "1")}, client.ErrUnavailable, []time.Duration{0, s, 2 * s, 3 * s}},
		{"never", "as the options say", client.Options{Retries: -1}, []http.HandlerFunc{busy(503, "1")}, client.ErrUnavailable, []time.Duration{0}},
		{"too long", "asking sooner would be rude, waiting longer was not allowed", client.Options{}, []http.HandlerFunc{busy(429, "61")}, client.ErrUnavailable, []time.Duration{0}},
		{"long, and allowed", "as the options say", client.Options{MaxWait: time.Hour}, []http.HandlerFunc{busy(429, "3600")}, nil, []time.Duration{0, time.Hour}},
		{"for ever", "a number beyond all numbers", client.Options{}, []http.HandlerFunc{busy(429, "99999999999999999999")}, client.ErrUnavailable, []time.Duration{0}},
		{"500", "is no such answer", client.Options{}, []http.HandlerFunc{busy(500, "1")}, client.ErrInvalidPage, []time.Duration{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			synctest.Test(t, func(t *testing.T) {
				h := newClocked(busyFirst(handler(t, shelf(t)), c.answers...))
				walk, err := bubbled(t, h, c.opts).Walk(t.Context(), "books")
				if !errors.Is(err, c.want) || err == nil && len(walk.Records) != 10 {
					t.Errorf("want %v, got %v and %d records", c.want, err, len(walk.Records))
				}
				if diff := cmp.Diff(c.times, h.times); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// A service that is busy is not asked for the other collections as well.
func TestImportLeavesABusyServiceAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newClocked(busy(503, "3600"))
		report, err := client.Import(t.Context(), catalogue.New(), bubbled(t, h, client.Options{}))
		if !errors.Is(err, client.ErrUnavailable) || len(report) != 1 || len(h.times) != 1 {
			t.Errorf("%d requests, %v:\n%v", len(h.times), err, report)
		}
	})
}

// A context is obeyed wherever the time goes.
func TestCancel(t *testing.T) {
	const s = time.Second
	never := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for _, c := range []struct {
		name    string
		rate    float64
		answers []http.HandlerFunc
	}{
		{"waiting for its turn", 0.1, nil},
		{"waiting to ask again", -1, []http.HandlerFunc{busy(503, "20")}},
		{"waiting for the answer", -1, []http.HandlerFunc{never}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 5*s)
				defer cancel()
				service := bubbled(t, busyFirst(handler(t, shelf(t)), c.answers...), client.Options{Rate: c.rate, PageSize: 4})
				start := time.Now()
				into := catalogue.New()
				report, err := client.Import(ctx, into, service)
				if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != 5*s {
					t.Errorf("%v after %v", err, took)
				}
				failed := slices.IndexFunc(report, func(c client.Imported) bool { return c.Err != nil })
				if failed != len(report)-1 {
					t.Errorf("it went on after the first that failed, %d, to %d", failed, len(report)-1)
				}
			})
		})
	}
}

// Who breaks off a walk has asked for no more than was seen.
func TestAllEndsWithItsReader(t *testing.T) {
	h := newClocked(handler(t, shelf(t)))
	service := connect(t, client.Options{BaseURL: "http://catalogue.test", HTTP: &http.Client{Transport: inProcess{h}}, Rate: -1, PageSize: 4})
	all := service.All(t.Context(), "books")
	for range 2 { // from the beginning each time
		n := 0
		for record, err := range all {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == 5 {
				if string(record) != `{"id":5,"name":"Book 5"}` {
					t.Errorf("the fifth is %s", record)
				}
				break
			}
		}
	}
	if len(h.times) != 4 {
		t.Errorf("%d requests for the first two pages, twice", len(h.times))
	}
}

// What is sent: GET alone, the program's headers, and in the order of ids.
func TestRequests(t *testing.T) {
	var asked []string
	h := handler(t, shelf(t))
	service := connect(t, client.Options{
		BaseURL: "http://catalogue.test/shop//", PageSize: 4, Rate: -1,
		Header: http.Header{"Authorization": {"Bearer s3cret"}},
		HTTP: &http.Client{Transport: inProcess{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Method+" "+r.URL.String()+" "+r.Header.Get("Authorization")+" "+r.Header.Get("Accept"))
			r.RequestURI = r.URL.RequestURI()
			http.StripPrefix("/shop", h).ServeHTTP(w, r)
		})}},
	})
	if _, err := service.Walk(t.Context(), "books"); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, query := range []string{"limit=4", "limit=4&offset=3", "limit=4&offset=6"} {
		want = append(want, "GET http://catalogue.test/shop/api/books/?"+query+"&ordering=id Bearer s3cret application/json")
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
}

// Names of headers are told apart by no one's case, and the caller's map is his.
func TestHeaders(t *testing.T) {
	given := http.Header{"accept": {"text/html"}, "x-tag": {"b"}, "X-Tag": {"a"}}
	var sent http.Header
	h := handler(t, shelf(t))
	service := connect(t, client.Options{
		BaseURL: "http://catalogue.test", Rate: -1, Header: given,
		HTTP: &http.Client{Transport: inProcess{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sent = r.Header.Clone()
			r.Header["X-Tag"][0] = "overwritten"
			h.ServeHTTP(w, r)
		})}},
	})
	given.Set("X-Late", "1")
	for range 2 {
		if _, err := service.Walk(t.Context(), "books"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(http.Header{"Accept": {"application/json"}, "X-Tag": {"a", "b"}}, sent); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff(http.Header{"accept": {"text/html"}, "x-tag": {"b"}, "X-Tag": {"a"}, "X-Late": {"1"}}, given); diff != "" {
		t.Error(diff)
	}
}

func TestOptions(t *testing.T) {
	const base = "http://catalogue.test"
	for _, c := range []struct {
		reason string
		opts   client.Options
	}{
		{"no base", client.Options{}},
		{"not absolute", client.Options{BaseURL: "catalogue.test"}},
		{"no host", client.Options{BaseURL: "http:///api/"}},
		{"neither http nor https", client.Options{BaseURL: "ftp://catalogue.test"}},
		{"credentials belong in a header", client.Options{BaseURL: "http://a:b@catalogue.test"}},
		{"a query", client.Options{BaseURL: base + "?limit=1"}},
		{"an empty query", client.Options{BaseURL: base + "?"}},
		{"a fragment", client.Options{BaseURL: base + "#"}},
		{"no URL", client.Options{BaseURL: "http://[::1"}},
		{"pages of one cannot overlap", client.Options{BaseURL: base, PageSize: 1}},
		{"less than one request a day", client.Options{BaseURL: base, Rate: 1e-300}},
		{"no number", client.Options{BaseURL: base, Rate: math.NaN()}},
		{"less than nothing", client.Options{BaseURL: base, PageSize: -2}},
		{"less than nothing", client.Options{BaseURL: base, MaxBody: -1}},
		{"less than nothing", client.Options{BaseURL: base, MaxRecords: -1}},
		{"less than nothing", client.Options{BaseURL: base, MaxWait: -1}},
	} {
		if service, err := client.New(c.opts); !errors.Is(err, client.ErrInvalidOptions) || service != nil {
			t.Errorf("%s, but %v", c.reason, err)
		}
	}
	// The client that is given keeps its own way with redirects.
	given := httptest.NewServer(nil).Client()
	connect(t, client.Options{BaseURL: base, HTTP: given})
	if given.CheckRedirect != nil {
		t.Error("the given client was changed")
	}
}
