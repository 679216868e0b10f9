package clienttest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

func mustExplorer(t *testing.T, fetch Fetch[int], opts Options) *explorer {
	t.Helper()
	x, err := newExplorer(fetch, opts)
	must(t, err)
	return x
}

// long reports whether BACKLIST_LONG is set, as in CI.
func long() bool { return os.Getenv("BACKLIST_LONG") != "" && !testing.Short() }

// scenarios returns n scenarios, of which those from seed on show what a test is about. Without
// BACKLIST_LONG they are thirty from seed on.
func scenarios(n int, seed uint64) Options {
	if long() {
		return Options{Scenarios: n}
	}
	return Options{Scenarios: 30, Seed: seed}
}

// TestExploreFindsMistakes checks that the mistakes of clients are found, reduced to few
// requests, and reported with the seed that repeats them.
func TestExploreFindsMistakes(t *testing.T) {
	own := Options{Catalogue: films(t, 60), Root: "/v1/", Timeout: time.Minute, Skip: []string{"delay"}}
	ownFilms := withoutCount()
	ownFilms.path = "/v1/films/"
	tests := []struct {
		client string
		fetch  Fetch[int]
		opts   Options
		want   string // the kind of mistake, or several, separated by commas
		seed   uint64 // without BACKLIST_LONG, the mistake is in the scenarios from this one on
	}{
		{"azure-sdk-for-go, before pull request 27222", azurePager().ids, Options{}, "endless requests", 19},
		{"go-bitbucket, after pull request 186", bitbucketPages, Options{}, "missing record, panicked", 0},
		{"follows every link", followNext, Options{}, "endless requests, repeated record, missing record", 4},
		{"offsets without an overlap", offsetsOnly().ids, Options{}, "missing record", 379},
		{"does not compare the count", withoutCount().ids, Options{}, "missing record", 387},
		{"does not compare the count of its own films", ownFilms.ids, own, "missing record", 387},
		{"stops at the first short page", firstShort().ids, Options{Pages: numbers}, "missing record, unprovoked error", 0},
		{"trusts count while records are deleted", firstCount().ids, Options{Pages: numbers}, "missing record", 66},
		{"asks for page 0", fromZero().ids, Options{Pages: numbers}, "unprovoked error", 0},
		{"ignores that page_size is reduced", unclamped().ids, Options{Pages: numbers}, "missing record", 0},
		{"one read for a body", readOnce().ids, Options{}, "unprovoked error", 1},
		{"waits without its context", retrying().ids, Options{}, "late", 153},
	}
	for _, tt := range tests {
		t.Run(tt.client, func(t *testing.T) {
			x := mustExplorer(t, tt.fetch, tt.opts)
			few := scenarios(600, tt.seed)
			found := x.search(t, few)
			if len(found) == 0 {
				t.Fatal("nothing found")
			}
			f, requests := found[0], len(found[0].requests)
			if f.problem.kind == endless { // until the last step
				requests = 1
				for _, st := range f.steps {
					requests = max(requests, st.at)
				}
			}
			if requests > 5 || !strings.Contains(tt.want, string(f.problem.kind)) {
				t.Errorf("%q after %d requests, want %q after at most 5:\n%s", f.problem.kind, requests, tt.want, x.report(f))
			}
			few.Seed, few.Scenarios = f.seed, 1
			again := x.search(t, few)
			if want := fmt.Sprintf("set Options.Seed to %d and Options.Scenarios to 1.", f.seed); !strings.HasSuffix(x.report(f), want) ||
				len(again) != 1 || again[0].problem != f.problem || again[0].scenario.String() != f.scenario.String() {
				t.Errorf("repeated: %v:\n%s", again, x.report(f))
			}
		})
	}
}

// TestShrinkKeepsTheMistake uses a client that loses records, and panics if there are none:
// the smallest list in which it loses one is not empty.
func TestShrinkKeepsTheMistake(t *testing.T) {
	x := mustExplorer(t, func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
		page, err := getPage(ctx, client, baseURL+"/api/events/")
		if err != nil {
			return nil, err
		}
		_ = page.Results[0]
		return page.appendIDs(nil), nil
	}, Options{})
	e, runs := x.shrink(t, x.run(t, scenario{records: 25, limit: 10}))
	if e.problem.kind != missing || e.records != 3 || e.limit != leastLimit || runs == 0 {
		t.Errorf("reduced in %d runs to %s: %q, want %d records in pages of %d: %q", runs, e.scenario, e.problem.kind, 3, leastLimit, missing)
	}
}

// TestExplorerFailures checks what is reported of clients that do not return.
func TestExplorerFailures(t *testing.T) {
	tests := []struct {
		reason string
		call   Fetch[int]
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
				if resp, err := get(ctx, client, url+"/api/events/"); err == nil {
					resp.Body.Close()
				}
			}
		}, endless},
		{"sends requests to another host", func(ctx context.Context, client *http.Client, url string) ([]int, error) {
			_, err := get(ctx, client, "https://elsewhere.example")
			return nil, err
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
			if e := x.run(t, scenario{limit: leastLimit}); e.problem.kind != tt.want {
				t.Errorf("%q (%s), want %q", e.problem.kind, e.problem.text, tt.want)
			}
		})
	}
}

// TestExploreReportsLossFirst uses clients that make mistakes in most scenarios, and in few of
// them lose a record. Each kind of mistake is reported once, with the event that allows it, and the loss
// first.
func TestExploreReportsLossFirst(t *testing.T) {
	open := withoutCount()
	open.close = func(io.Closer) {}
	sometimes := withoutCount()
	sometimes.fetch = func(ctx context.Context, client *http.Client, url string) (naivePage, error) {
		page, err := sometimes.page(ctx, client, url)
		if err != nil {
			_, _ = client.Get(url) // the body is not closed
		}
		return page, err
	}
	for reason, client := range map[string]*careful{"bodies are never closed": open, "bodies are not closed after errors": sometimes} {
		x := mustExplorer(t, client.ids, Options{})
		found := x.search(t, scenarios(defaultScenarios, 380))
		if kinds := kindsOf(found); len(kinds) < 2 || kinds[0] != missing || kinds[1] != unclosed {
			t.Fatalf("%s: %q, want %q and %q", reason, kinds, missing, unclosed)
		}
		if report := x.report(found[0]); !strings.Contains(report, "Options.Skip to []string{\""+found[0].cause().name+"\"}") {
			t.Errorf("%s: the report does not name the exception:\n%s", reason, report)
		}
	}
}

// kindsOf returns the kinds of the mistakes that were found.
func kindsOf(found []*finding) (kinds []problemKind) {
	for _, f := range found {
		kinds = append(kinds, f.problem.kind)
	}
	return kinds
}

// TestEventIDsExplored is in the documentation of Explore.
func TestEventIDsExplored(t *testing.T) {
	Explore(t, newCareful().ids, Options{Collection: "events", Scenarios: 50})
}
