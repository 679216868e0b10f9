package clienttest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
)

func mustExplorer(t *testing.T, call Fetch, opts Options) *explorer {
	t.Helper()
	x, err := newExplorer(opts, fetchSubject(call))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// noRecords is a client that sends no requests and returns no records.
func noRecords(context.Context, *http.Client, string) ([]int, error) { return nil, nil }

func TestExplorerErrors(t *testing.T) {
	c, err := catalogue.New(catalogue.Define[struct {
		ID int `json:"id"`
	}]("films", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		reason string
		client Fetch
		opts   Options
		want   string
	}{
		{"no client", nil, Options{}, "nil client"},
		{"unknown event", noRecords, Options{Skip: []string{"insert", "earthquake"}}, `Options.Skip: unknown event "earthquake"; want one of status-500, `},
		{"unknown collection", noRecords, Options{Collection: "event"}, "did you mean events?"},
		{"few records", noRecords, Options{Collection: "films", Catalogue: c}, "Options.Collection: films has 0 records; want at least 4"},
		{"no suitable collection", noRecords, Options{Catalogue: c}, "Options.Catalogue: no collection"},
		{"invalid root", noRecords, Options{Root: "api"}, "root"},
	}
	for _, tt := range tests {
		if _, err := newExplorer(tt.opts, fetchSubject(tt.client)); err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(tt.want)) {
			t.Errorf("%s: %v, want an error with %q", tt.reason, err, tt.want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		if _, err := newExplorer(Options{}, fetchSubject(noRecords)); !errors.Is(err, errExploring) {
			t.Errorf("inside a bubble: %v, want %v", err, errExploring)
		}
	})
}

// TestSkipDocumented checks that the documentation of Options.Skip names all events.
func TestSkipDocumented(t *testing.T) {
	source, err := os.ReadFile("options.go")
	if err != nil {
		t.Fatal(err)
	}
	_, doc, _ := strings.Cut(string(source), "// Skip lists")
	doc, _, _ = strings.Cut(doc, "\n\tExcept ")
	words := strings.FieldsFunc(doc, func(c rune) bool { return c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	for _, name := range kindNames(kinds()) {
		if !slices.Contains(words, name) {
			t.Errorf("%s is not documented", name)
		}
	}
}

// TestExplorerFailures checks what is reported of clients that do not return.
func TestExplorerFailures(t *testing.T) {
	get := func(ctx context.Context, client *http.Client, url string) error {
		r, err := http.NewRequestWithContext(ctx, "GET", url+"/api/events/", nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(r)
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	tests := []struct {
		reason string
		call   Fetch
		want   problemKind
	}{
		{"panics", func(context.Context, *http.Client, string) ([]int, error) { panic("no") }, panicked},
		{"ends its goroutine", func(context.Context, *http.Client, string) ([]int, error) {
			runtime.Goexit()
			return nil, nil
		}, exited},
		{"waits forever", func(context.Context, *http.Client, string) ([]int, error) { select {} }, blocked},
		{"leaves a goroutine", func(context.Context, *http.Client, string) ([]int, error) {
			go func() { <-make(chan int) }()
			return nil, nil
		}, blocked},
		{"sends requests endlessly", func(ctx context.Context, client *http.Client, url string) ([]int, error) {
			for {
				_ = get(ctx, client, url)
			}
		}, endless},
		{"sends requests to another host", func(ctx context.Context, client *http.Client, url string) ([]int, error) {
			return nil, get(ctx, client, "https://elsewhere.example")
		}, otherOrigin},
		{"does not close a body", func(ctx context.Context, client *http.Client, url string) ([]int, error) {
			_, err := client.Get(url + "/api/events/")
			return nil, err
		}, unclosed},
		{"returns late", func(ctx context.Context, client *http.Client, url string) ([]int, error) {
			<-ctx.Done()
			time.Sleep(3 * time.Second)
			return nil, nil
		}, late},
		{"returns in time", func(ctx context.Context, client *http.Client, url string) ([]int, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			return nil, nil
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			x := mustExplorer(t, tt.call, Options{})
			if e := x.run(t, x.script.decode(nil)); e.problem.kind != tt.want {
				t.Errorf("%q (%s), want %q", e.problem.kind, e.problem.text, tt.want)
			}
		})
	}
}

// TestExplorerStuck checks that a client that neither returns nor blocks is abandoned, and
// that its scenario is not run again.
func TestExplorerStuck(t *testing.T) {
	var calls atomic.Int32
	var stop atomic.Bool
	x := mustExplorer(t, func(context.Context, *http.Client, string) ([]int, error) {
		calls.Add(1)
		for !stop.Load() {
			time.Sleep(time.Hour) // of synthetic time
		}
		return nil, nil
	}, Options{})
	defer stop.Store(true)
	x.patience = 20 * time.Millisecond
	found := x.search(t, Options{Scenarios: 3}, mostFindings)
	if len(found) != 1 || found[0].problem.kind != stuck || calls.Load() != 1 {
		t.Errorf("%+v after %d calls, want a finding %q after one", found, calls.Load(), stuck)
	}
}

// TestExplorerTransport runs a client through scenarios, in the transport of scenarios and in
// that of a c, which is net/http's own, and compares its requests and what it returns.
func TestExplorerTransport(t *testing.T) {
	scenarios := 300
	if testing.Short() {
		scenarios = 60
	}
	type answer struct {
		IDs      []int
		Failed   bool
		Requests []string
	}
	for seed := range uint64(scenarios) {
		x := mustExplorer(t, walkNext, Options{})
		s := x.script.decode(x.script.generate(seed))
		play := func(transport func(t *testing.T, h http.Handler) http.RoundTripper) (r answer) {
			e := &trial{scenario: s, data: x.data, grace: x.grace}
			service, err := x.serve(e)
			if err != nil {
				t.Fatal(err)
			}
			defer service.end()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.Background(), x.timeout)
				defer cancel()
				next := transport(t, service.server.Handler)
				g := &guard{next: next, origin: service.origin, limit: requestLimit(e.records, e.limit), cancel: cancel}
				x.fetch(ctx, g, service.server.URL, e)
				r.Requests, _ = g.close()
			})
			r.IDs, r.Failed = e.ids, e.err != nil
			for i, request := range r.Requests { // the texts of errors differ
				if method, _, failed := strings.Cut(request, ": cataloguetest:"); failed {
					r.Requests[i] = method
				}
				for _, text := range []string{": EOF", ": unexpected EOF", ": context deadline exceeded"} {
					r.Requests[i] = strings.TrimSuffix(r.Requests[i], text)
				}
			}
			return r
		}
		directly := play(func(_ *testing.T, h http.Handler) http.RoundTripper { return &direct{handler: h} })
		piped := play(func(t *testing.T, h http.Handler) http.RoundTripper {
			wrap := func(http.Handler) http.Handler { return h }
			return cataloguetest.NewWith(t, cataloguetest.Options{Empty: true, Secure: true, Wrap: wrap}).Client.Transport
		})
		if diff := cmp.Diff(piped, directly); diff != "" {
			t.Errorf("seed %d, %s (-net/http +direct):\n%s", seed, s, diff)
		}
	}
}

// walkNext follows the next links, and returns an error if anything is wrong with a
// response.
func walkNext(ctx context.Context, client *http.Client, url string) (ids []int, err error) {
	for next := url + "/api/events/"; next != ""; {
		r, err := http.NewRequestWithContext(ctx, "GET", next, nil)
		if err != nil {
			return nil, err
		}
		resp, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		var page envelope
		if err != nil || json.Unmarshal(body, &page) != nil || resp.ContentLength != int64(len(body)) {
			return nil, errors.New("no page")
		}
		for _, record := range page.Records {
			id, err := idOf(record)
			if err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
		next = page.Next
	}
	return ids, nil
}

// TestExplorerReportsEachMistake checks that a client that follows redirects and any link is
// told of each mistake once, with the event that allows it.
func TestExplorerReportsEachMistake(t *testing.T) {
	x := mustExplorer(t, walkNext, Options{})
	seen := map[mistake]bool{}
	events := 0
	for _, f := range x.search(t, Options{Scenarios: 60}, mostFindings) {
		m := f.mistake()
		if seen[m] {
			t.Errorf("%v is reported twice", m)
		}
		seen[m] = true
		if m.event != "" {
			events++
			if report := x.report(f); !strings.Contains(report, "Options.Skip to []string{\""+m.event+"\"}") {
				t.Errorf("%v: the report does not name the exception:\n%s", m, report)
			}
		}
	}
	if events < 2 {
		t.Errorf("found %v, want several mistakes", seen)
	}
}
