package clienttest

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
)

func mustExplorer(t *testing.T, fetch Fetch[int], opts Options) *explorer {
	t.Helper()
	x, err := newExplorer(fetch, opts)
	must(t, err)
	return x
}

// TestExploreFindsMistakes checks that the mistakes of clients are found, reduced to few
// requests, and reported with a test that repeats them.
func TestExploreFindsMistakes(t *testing.T) {
	own := Options{Catalogue: films(t, 60), Root: "/v1/", Timeout: time.Minute, Skip: []string{"delay", "load"}}
	ownFilms := withoutCount()
	ownFilms.path = "/v1/films/"
	tests := []struct {
		client string
		fetch  Fetch[int]
		opts   Options
		want   string // the kind of mistake, or several, separated by commas
	}{
		{"azure-sdk-for-go, before pull request 27222", azurePager().ids, Options{}, "endless requests"},
		{"go-bitbucket, after pull request 186", bitbucketPages, Options{}, "missing record, panicked"},
		{"follows every link", followNext, Options{}, "endless requests, repeated record, missing record"},
		{"offsets without an overlap", offsetsOnly().ids, Options{}, "missing record"},
		{"does not compare the count", withoutCount().ids, Options{}, "missing record"},
		{"does not compare the count of its own films", ownFilms.ids, own, "missing record"},
		{"stops at the first short page", firstShort().ids, Options{Pages: numbers}, "missing record, unprovoked error"},
		{"trusts count while records are deleted", firstCount().ids, Options{Pages: numbers}, "missing record"},
		{"asks for page 0", fromZero().ids, Options{Pages: numbers}, "unprovoked error"},
		{"ignores that page_size is reduced", unclamped().ids, Options{Pages: numbers}, "missing record"},
		{"one read for a body", readOnce("/api/events/").ids, Options{}, "unprovoked error"},
		{"waits without its context", retrying().ids, Options{}, "late"},
	}
	for _, tt := range tests {
		t.Run(tt.client, func(t *testing.T) {
			x := mustExplorer(t, tt.fetch, tt.opts)
			few := tt.opts
			few.Scenarios = 600
			found := x.search(t, few, 1)
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
			_, code, _ := strings.Cut(x.report(f), "is the client:\n\n")
			opts := printedOptions(t, code)
			if opts.Catalogue != nil {
				t.Errorf("the printed test has a catalogue")
			}
			if printed := fmt.Sprintf("Pages: %#v,", tt.opts.Pages); strings.Contains(code, printed) != (tt.opts.Pages != nil) {
				t.Errorf("the printed test does not have %s", printed)
			}
			opts.Catalogue, opts.Pages = tt.opts.Catalogue, tt.opts.Pages
			again := mustExplorer(t, tt.fetch, opts).search(t, opts, 1)
			if len(again) != 1 || again[0].problem != f.problem || again[0].scenario.String() != f.scenario.String() {
				t.Errorf("the printed test finds %v:\n%s", again, code)
			}
		})
	}
}

// printedOptions returns the Options in the source of a test, except the Catalogue and the Pages.
func printedOptions(t *testing.T, code string) (opts Options) {
	t.Helper()
	source := "package p\n\n" + code
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	must(t, err)
	body := file.Decls[0].(*ast.FuncDecl).Body.List
	call := body[0].(*ast.ExprStmt).X.(*ast.CallExpr)
	if name := call.Fun.(*ast.SelectorExpr).Sel.Name; name != "Explore" || len(body) != 1 {
		t.Fatalf("the test calls %s, want Explore", name)
	}
	members := map[string]any{}
	for _, e := range call.Args[2].(*ast.CompositeLit).Elts {
		field := e.(*ast.KeyValueExpr)
		name := field.Key.(*ast.Ident).Name
		if _, ok := reflect.TypeFor[Options]().FieldByName(name); !ok {
			t.Fatalf("no option %s", name)
		}
		switch value := field.Value.(type) {
		case *ast.BasicLit:
			members[name] = json.RawMessage(value.Value)
		case *ast.CompositeLit:
			if name == "Pages" {
				continue
			}
			var list []json.RawMessage
			for _, e := range value.Elts {
				list = append(list, json.RawMessage(e.(*ast.BasicLit).Value))
			}
			members[name] = list
		}
	}
	text, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(text, &opts)
	}
	must(t, err)
	return opts
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

// TestSkipDocumented checks that the documentation of Options.Skip names all events.
func TestSkipDocumented(t *testing.T) {
	source, err := os.ReadFile("clienttest.go")
	must(t, err)
	_, doc, _ := strings.Cut(string(source), "// Skip lists")
	doc, _, _ = strings.Cut(doc, "\n\tExcept ")
	words := strings.FieldsFunc(doc, func(c rune) bool { return c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	for _, name := range kindNames(form{}.kinds()) {
		if !slices.Contains(words, name) {
			t.Errorf("%s is not documented", name)
		}
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

// TestExplorerReportsEachMistake checks that a client that follows redirects and any link is
// told of each mistake once, with the event that allows it.
func TestExplorerReportsEachMistake(t *testing.T) {
	x := mustExplorer(t, followEnvelopes, Options{})
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

// TestExploreReportsLossFirst uses clients that make mistakes in most scenarios, and in few
// of them lose a record. The loss comes first, and no number of other mistakes hides it.
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
		for _, most := range []int{1, 2, 3} {
			x := mustExplorer(t, client.ids, Options{})
			var kinds []problemKind
			for _, f := range x.search(t, Options{Scenarios: 300}, most) {
				kinds = append(kinds, f.problem.kind)
			}
			if len(kinds) == 0 || len(kinds) > most || kinds[0] != missing || most > 1 && !slices.Contains(kinds, unclosed) {
				t.Errorf("%s: at most %d mistakes: %q, want %q first, and %q", reason, most, kinds, missing, unclosed)
			}
		}
	}
}

// TestEventIDsExplored is in the documentation of Explore.
func TestEventIDsExplored(t *testing.T) {
	Explore(t, newCareful().ids, Options{Collection: "events", Scenarios: 200})
}

// FuzzEventIDs is in the documentation of Explore.
func FuzzEventIDs(f *testing.F) {
	f.Add([]byte{5, 0, 16, 1, 0})             // a wrong link
	f.Add([]byte{9, 1, 26, 1, 0, 25, 2, 200}) // a deletion and an insertion
	f.Fuzz(func(t *testing.T, scenario []byte) {
		Explore(t, newCareful().ids, Options{Scenario: scenario})
	})
}
