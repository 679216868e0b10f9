package clienttest

import (
	"context"
	"errors"
	"fmt"
	"math"
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

// Clients whose result depends on the order in which responses arrive.

func addsToBefore(first naivePage, n int, responses <-chan arrival, _ func(int), _ func()) ([]int, error) {
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
}

func lastError(first naivePage, n int, responses <-chan arrival, _ func(int), _ func()) (ids []int, err error) {
	ids = first.appendIDs(nil)
	for range n {
		r := <-responses
		ids, err = r.page.appendIDs(ids), r.err
	}
	return ids, err
}

func countsFailures(first naivePage, n int, responses <-chan arrival, again func(int), _ func()) ([]int, error) {
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
}

func dropsLower(first naivePage, n int, responses <-chan arrival, _ func(int), _ func()) ([]int, error) {
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
}

func afterLast(first naivePage, n int, responses <-chan arrival, again func(int), _ func()) ([]int, error) {
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
}

func asTheyArrive(first naivePage, n int, responses <-chan arrival, _ func(int), _ func()) ([]int, error) {
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
}

func firstOfTwo(first naivePage, n int, responses <-chan arrival, again func(int), _ func()) ([]int, error) {
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
}

// Responses that arrive in any order are a situation. Clients that are wrong otherwise too fail others.
func TestRaces(t *testing.T) {
	const order = "responses-out-of-order"
	for name, tt := range map[string]struct {
		collect concurrentClient
		fails   string // a situation
	}{
		"adds to what it had when it sent the request":   {addsToBefore, order},
		"keeps the error of the last response":           {lastError, "status-500-once"},
		"counts failed attempts as pages":                {countsFailures, "status-500-once"},
		"drops ids below the highest":                    {dropsLower, order},
		"takes the page after the last response":         {afterLast, order},
		"numbers pages as they arrive":                   {asTheyArrive, order},
		"takes the first of two responses for each page": {firstOfTwo, simplest},
	} {
		names, problems := verify(t, tt.collect.ids, Options{})
		if problem := problems[tt.fails]; problem == "" || tt.fails == order && !strings.HasSuffix(problem, remedyOrder) {
			t.Errorf("a client that %s: %q in %s", name, problem, names)
		}
	}
	_, problems := verify(t, concurrentClient(byOffset).ids, Options{Skip: []string{"redirect-to-other-host", "record-replaced"}})
	for name, problem := range problems {
		if problem != "" {
			t.Errorf("a client that is right: %s: %s", name, problem)
		}
	}
}

// A situation is the same in each run, of clients that send requests concurrently too.
func TestReplay(t *testing.T) {
	runs := 3
	if long() {
		runs = 10
	}
	for name, collect := range map[string]concurrentClient{"right": byOffset, "attempts": countsFailures, "hedged": firstOfTwo} {
		concurrent := 0
		for _, name := range []string{"responses-out-of-order", "status-503-from-second-page", "cut-in-body", "record-replaced"} {
			problem, requests := runSituation(t, collect.ids, name)
			concurrent = max(concurrent, len(requests))
			for n := range runs {
				got, again := runSituation(t, collect.ids, name)
				if diff := cmp.Diff(requests, again); diff != "" || got != problem {
					t.Fatalf("%s, run %d: %s, want %s\n%s", name, n, got, problem, diff)
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
	attempts := func(most int, pause time.Duration) Fetch[int] {
		return func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
			for range most {
				page, failed := getPage(ctx, client, baseURL+"/api/events/?limit=100")
				if err = failed; err == nil || ctx.Err() != nil {
					return page.appendIDs(nil), err
				}
				time.Sleep(pause)
			}
			return nil, err
		}
	}
	for _, row := range []struct {
		reason, situation string
		fetch             Fetch[int]
		want              string
	}{
		{"at once", "status-503-always", attempts(math.MaxInt, 0), "sent GET /api/events/?limit=100 11 times at one instant, after the first 503 Service Unavailable: " + remedyBusy},
		{"at once", "status-429-always", attempts(math.MaxInt, 0), "sent GET /api/events/?limit=100 11 times at one instant, after the first 429 Too Many Requests: " + remedyBusy},
		{"three attempts", "status-503-always", attempts(3, 0), ""},
		{"as many as it likes, if it waits", "status-503-always", attempts(20, time.Second), ""},
	} {
		if problem, _ := runSituation(t, row.fetch, row.situation); problem != row.want {
			t.Errorf("%s, %s: %s, want %s", row.reason, row.situation, problem, row.want)
		}
	}
}
