package cataloguetest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/url"
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
)

func mustExplorer(t *testing.T, call Fetch, opts Exploration) *explorer {
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
	house, err := catalogue.NewOnly(catalogue.Define[struct {
		ID int `json:"id"`
	}]("films", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		reason string
		client Fetch
		opts   Exploration
		want   string
	}{
		{"no client", nil, Exploration{}, "nil client"},
		{"unknown event", noRecords, Exploration{Except: []string{"insert", "earthquake"}}, `Exploration.Except: unknown event "earthquake"; want one of status-500, `},
		{"unknown collection", noRecords, Exploration{Collection: "event"}, "did you mean events?"},
		{"few records", noRecords, Exploration{Collection: "films", Catalogue: house}, "Exploration.Collection: films has 0 records; want at least 4"},
		{"no suitable collection", noRecords, Exploration{Catalogue: house}, "Exploration.Catalogue: no collection"},
		{"invalid root", noRecords, Exploration{Root: "api"}, "root"},
	}
	for _, tt := range tests {
		if _, err := newExplorer(tt.opts, fetchSubject(tt.client)); err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(tt.want)) {
			t.Errorf("%s: %v, want an error with %q", tt.reason, err, tt.want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		if _, err := newExplorer(Exploration{}, fetchSubject(noRecords)); !errors.Is(err, errExploring) {
			t.Errorf("inside a bubble: %v, want %v", err, errExploring)
		}
	})
}

// TestExceptDocumented checks that the documentation of Exploration.Except names all events.
func TestExceptDocumented(t *testing.T) {
	source, err := os.ReadFile("explore.go")
	if err != nil {
		t.Fatal(err)
	}
	_, doc, _ := strings.Cut(string(source), "// Except lists")
	doc, _, _ = strings.Cut(doc, "\n\tExcept ")
	words := strings.FieldsFunc(doc, func(c rune) bool { return c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	for _, name := range kindNames(storyKinds()) {
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
			x := mustExplorer(t, tt.call, Exploration{})
			if e := x.run(t, x.script.decode(nil)); e.problem.kind != tt.want {
				t.Errorf("%q (%s), want %q", e.problem.kind, e.problem.text, tt.want)
			}
		})
	}
}

// TestExplorerStuck checks that a client that neither returns nor blocks is abandoned, and
// that its story is not run again.
func TestExplorerStuck(t *testing.T) {
	var calls atomic.Int32
	var stop atomic.Bool
	x := mustExplorer(t, func(context.Context, *http.Client, string) ([]int, error) {
		calls.Add(1)
		for !stop.Load() {
			time.Sleep(time.Hour) // of synthetic time
		}
		return nil, nil
	}, Exploration{})
	defer stop.Store(true)
	x.patience = 20 * time.Millisecond
	found := x.search(t, Exploration{Stories: 3}, mostFindings)
	if len(found) != 1 || found[0].problem.kind != stuck || calls.Load() != 1 {
		t.Errorf("%+v after %d calls, want a finding %q after one", found, calls.Load(), stuck)
	}
}

// TestExplorerTransport runs a client through stories, in the transport of stories and in
// that of a house, which is net/http's own, and compares its requests and what it returns.
func TestExplorerTransport(t *testing.T) {
	stories := 300
	if testing.Short() {
		stories = 60
	}
	type result struct {
		IDs      []int
		Failed   bool
		Requests []string
	}
	for seed := range uint64(stories) {
		x := mustExplorer(t, walkNext, Exploration{})
		s := x.script.decode(x.script.generate(seed))
		play := func(transport func(h http.Handler) (http.RoundTripper, func())) (r result) {
			e := &ended{story: s, data: x.data, grace: x.grace}
			service, err := x.serve(e)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.Background(), x.timeout)
				defer cancel()
				next, end := transport(service.handler)
				defer end()
				g := &guard{next: next, origin: mustURL(t, "https://"+domain), limit: e.requestLimit(), cancel: cancel}
				x.fetch(ctx, g, "https://"+domain, e)
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
		inStory := play(func(h http.Handler) (http.RoundTripper, func()) { return &direct{handler: h}, func() {} })
		piped := play(func(h http.Handler) (http.RoundTripper, func()) {
			_, client, end, err := serveInProcess(h, "https", log.New(io.Discard, "", 0))
			if err != nil {
				t.Fatal(err)
			}
			return client.Transport, end
		})
		if diff := cmp.Diff(piped, inStory); diff != "" {
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
		page, ok := parseEnvelope(body)
		if err != nil || !ok || resp.ContentLength != int64(len(body)) {
			return nil, errors.New("no page")
		}
		for _, row := range page.rows {
			var record struct{ ID int }
			if err := json.Unmarshal(row.of(body), &record); err != nil {
				return nil, err
			}
			ids = append(ids, record.ID)
		}
		next = page.link(page.next)
	}
	return ids, nil
}

func mustURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestExplorerReportsEachMistake checks that a client that follows redirects and any link is
// told of each mistake once, with the event that allows it.
func TestExplorerReportsEachMistake(t *testing.T) {
	x := mustExplorer(t, walkNext, Exploration{})
	seen := map[mistake]bool{}
	events := 0
	for _, f := range x.search(t, Exploration{Stories: 60}, mostFindings) {
		m := f.mistake()
		if seen[m] {
			t.Errorf("%v is reported twice", m)
		}
		seen[m] = true
		if m.event != "" {
			events++
			if report := x.report(f); !strings.Contains(report, "Exploration.Except to []string{\""+m.event+"\"}") {
				t.Errorf("%v: the report does not name the exception:\n%s", m, report)
			}
		}
	}
	if events < 2 {
		t.Errorf("found %v, want several mistakes", seen)
	}
}
