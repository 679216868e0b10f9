package clienttest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// An arrival is the response to the request for the page that begins at an offset.
type arrival struct {
	at   int
	page naivePage
	err  error
}

// A concurrentClient reads the first page, and then requests all others at once. collect returns the
// ids, given the first page and the other responses as they arrive, of which there are n. again
// requests the page at an offset once more; stop cancels the requests.
type concurrentClient func(first naivePage, n int, responses <-chan arrival, again func(at int), stop func()) ([]int, error)

func (collect concurrentClient) ids(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
	first, err := getPage(ctx, client, baseURL+"/api/events/?ordering=id")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	responses := make(chan arrival, 1000) // no goroutine blocks
	request := func(at int) {
		go func() {
			page, err := getPage(ctx, client, fmt.Sprintf("%s/api/events/?ordering=id&offset=%d", baseURL, at))
			responses <- arrival{at, page, err}
		}()
	}
	n := 0
	if size := len(first.Results); size > 0 {
		for at := size; at < first.Count; at += size {
			request(at)
			n++
		}
	}
	return collect(first, n, responses, request, cancel)
}

// byOffset keeps the pages by their offsets, and checks the number of records.
func byOffset(first naivePage, n int, responses <-chan arrival, _ func(int), _ func()) ([]int, error) {
	ids, pages := first.appendIDs(nil), map[int]naivePage{}
	for range n {
		r := <-responses
		if r.err != nil {
			return nil, r.err
		}
		pages[r.at] = r.page
	}
	for at := len(first.Results); n > 0 && at < first.Count; at += len(first.Results) {
		ids = pages[at].appendIDs(ids)
	}
	slices.Sort(ids)
	if len(slices.Compact(slices.Clone(ids))) != first.Count || len(ids) != first.Count {
		return nil, errors.New("not all records")
	}
	return ids, nil
}

// races are clients whose result depends on the order in which responses arrive.
var races = map[string]concurrentClient{
	"adds to what it had when it sent the request": func(first naivePage, n int, responses <-chan arrival, _ func(int), _ func()) ([]int, error) {
		had, ids := map[int][]int{}, first.appendIDs(nil)
		size := len(first.Results)
		for i := range n {
			had[size*(1+i)] = slices.Clone(ids[:min(len(ids), size)])
		}
		for range n {
			r := <-responses
			if r.err != nil {
				return nil, r.err
			}
			ids = r.page.appendIDs(had[r.at])
			had[r.at+size] = ids
		}
		return ids, nil
	},
	"keeps the error of the last response": func(first naivePage, n int, responses <-chan arrival, _ func(int), _ func()) (ids []int, err error) {
		ids = first.appendIDs(nil)
		for range n {
			r := <-responses
			ids, err = r.page.appendIDs(ids), r.err
		}
		return ids, err
	},
	"counts failed attempts as pages": func(first naivePage, n int, responses <-chan arrival, again func(int), _ func()) ([]int, error) {
		ids, failed := first.appendIDs(nil), 0
		for range n {
			r := <-responses
			if r.err != nil {
				if failed++; failed > 2 {
					return nil, r.err
				}
				again(r.at)
			}
			ids = r.page.appendIDs(ids)
		}
		return ids, nil
	},
	"drops ids below the highest": func(first naivePage, n int, responses <-chan arrival, _ func(int), _ func()) ([]int, error) {
		ids := first.appendIDs(nil)
		for range n {
			r := <-responses
			if r.err != nil {
				return nil, r.err
			}
			highest := slices.Max(ids)
			for _, id := range r.page.appendIDs(nil) {
				if id > highest {
					ids = append(ids, id)
				}
			}
		}
		return ids, nil
	},
	"takes the page after the last response": func(first naivePage, n int, responses <-chan arrival, again func(int), _ func()) ([]int, error) {
		ids, last := first.appendIDs(nil), arrival{page: first}
		for range n {
			if last = <-responses; last.err != nil {
				return nil, last.err
			}
			ids = last.page.appendIDs(ids)
		}
		if last.page.Next != "" {
			again(last.at + len(last.page.Results))
			last = <-responses
			ids = last.page.appendIDs(ids)
		}
		return ids, last.err
	},
	"numbers pages as they arrive": func(first naivePage, n int, responses <-chan arrival, _ func(int), _ func()) ([]int, error) {
		ids := first.appendIDs(nil)
		for range n {
			r := <-responses
			if r.err != nil {
				return nil, r.err
			}
			page := r.page.appendIDs(nil)
			if len(page) > 0 && page[0] < ids[len(ids)-1] {
				return nil, errors.New("not in order")
			}
			ids = append(ids, page...)
		}
		return ids, nil
	},
	"takes the first of two responses for each page": func(first naivePage, n int, responses <-chan arrival, again func(int), _ func()) ([]int, error) {
		ids, size := first.appendIDs(nil), len(first.Results)
		for i := range n {
			again(size * (1 + i))
		}
		for range n { // but both of one page may be first
			r := <-responses
			if r.err != nil {
				return nil, r.err
			}
			ids = r.page.appendIDs(ids)
		}
		slices.Sort(ids)
		return slices.Compact(ids), nil
	},
}

// onlyErrors are the options for clients that read pages concurrently and do not notice writes.
var onlyErrors = Options{Skip: []string{
	"insert", "delete", "wrong-content-type", "redirect-to-other-host", "row-repeated", "row-missing",
	"row-repeated-for-another", "next-is-self", "next-cycle", "next-on-other-host", "next-without-tls", "empty-pages-with-next", "count-shrinks",
	"no-body-with-status-200", "error-with-status-200", "html-with-status-200",
}}

// Responses that arrive in any order are one of the events of a scenario. Whether a client is right is
// found in a thousand of them, which are as many as Explore runs, and usually in the first.
func TestRaces(t *testing.T) {
	ordered := 0 // clients that are wrong only if responses arrive in another order than that of their offsets
	for name, collect := range races {
		found := mustExplorer(t, collect.ids, onlyErrors).search(t, scenarios(defaultScenarios, 0))
		if len(found) == 0 {
			t.Errorf("a client that %s: nothing found", name)
			continue
		}
		f := found[0]
		t.Logf("a client that %s %s: %s", name, f.problem.text, f.scenario)
		if f.order > 0 {
			ordered++
		}
		if f.problem.kind != missing && f.problem.kind != repeated && f.problem.kind != unprovoked {
			t.Errorf("a client that %s: %q", name, f.problem.kind)
		}
	}
	if ordered < 4 {
		t.Errorf("%d clients need an order, want at least 4", ordered)
	}
	if found := mustExplorer(t, concurrentClient(byOffset).ids, onlyErrors).search(t, scenarios(defaultScenarios, 0)); len(found) > 0 {
		t.Errorf("a client that is right %s: %s", found[0].problem.text, found[0].scenario)
	}
}

// A scenario is the same in each run, of clients that send requests concurrently too.
func TestReplay(t *testing.T) {
	runs := 3
	if long() {
		runs = 10
	}
	for name, collect := range map[string]concurrentClient{"right": byOffset, "attempts": races["counts failed attempts as pages"], "hedged": races["takes the first of two responses for each page"]} {
		opts := Options{Skip: onlyErrors.Skip[2:]} // with writes
		x := mustExplorer(t, collect.ids, opts)
		concurrent := 0
		for seed := range uint64(10) {
			s := generate(seed, x.kinds, len(x.data.ids)/2, x.data.apart())
			s.records, s.limit = 30, leastLimit
			want := x.run(t, s)
			concurrent = max(concurrent, len(want.requests))
			for n := range runs {
				got := x.run(t, s)
				if diff := cmp.Diff(want.requests, got.requests); diff != "" || got.problem != want.problem || fmt.Sprint(got.ids, got.err) != fmt.Sprint(want.ids, want.err) {
					t.Fatalf("%s, seed %d, run %d: %s: %v, %v, want %v, %v\n%s", name, seed, n, s, got.problem, got.err, want.problem, want.err, diff)
				}
			}
		}
		if concurrent < 10 {
			t.Errorf("%s: at most %d requests", name, concurrent)
		}
	}
}

// A client that sends a request again at once, whenever it fails, is stopped.
func TestBusy(t *testing.T) {
	impatient := func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
		for ctx.Err() == nil {
			if page, err := getPage(ctx, client, baseURL+"/api/events/?limit=100"); err == nil {
				return page.appendIDs(nil), nil
			}
		}
		return nil, ctx.Err()
	}
	x := mustExplorer(t, impatient, Options{})
	kind := func(name string) kind { return x.kinds[slices.Index(kindNames(x.kinds), name)] }
	for _, row := range []struct {
		event string
		want  string
	}{
		{"status-503", "sent GET /api/events/?limit=100 11 times at one instant, after the first 503 Service Unavailable"},
		{"status-429", "sent GET /api/events/?limit=100 11 times at one instant, after the first 429 Too Many Requests"},
		{"cut-before-header", "sent GET /api/events/?limit=100 11 times at one instant, after the first EOF"},
	} {
		e := x.run(t, scenario{records: 1, limit: 2, steps: []step{{kind: kind(row.event), at: 1, rest: true}}})
		if e.problem.kind != busy || !strings.HasPrefix(e.problem.text, row.want) || e.problem.remedy != remedyBusy {
			t.Errorf("%s: %+v, want %s", row.event, e.problem, row.want)
		}
	}
	twice := scenario{records: 1, limit: 2, steps: []step{{kind: kind("status-503"), at: 1}, {kind: kind("status-503"), at: 2}}}
	if e := x.run(t, twice); e.problem.kind != "" {
		t.Errorf("three attempts at one instant: %+v", e.problem)
	}
	// As many as it likes, if it waits.
	x.fetch = func(ctx context.Context, client *http.Client, baseURL string) (texts []string, err error) {
		for range 20 {
			if _, err = getPage(ctx, client, baseURL+"/api/events/"); err != nil {
				time.Sleep(time.Second)
			}
		}
		return nil, err
	}
	always := scenario{records: 1, limit: 2, steps: []step{{kind: kind("status-503"), at: 1, rest: true}}}
	if e := x.run(t, always); e.problem.kind != "" {
		t.Errorf("twenty attempts, each a second after the one before: %+v", e.problem)
	}
}
