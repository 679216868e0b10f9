package clienttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// expected lists the clients that fail each situation, and why: F is followNext, D is ignoreErrors, C is countPages, L is trustLimit, and N is compareCount.
var expected = []struct{ situation, fails, reason string }{
	{"several-pages", "L", "L takes the first page for the last, as its limit was clamped; all others are skipped"},
	{"many-pages", "", "all handle it"},
	{"responses-out-of-order", "", "none sends requests concurrently"},
	{"full-pages", "", "all handle it"},
	{"one-full-page", "", "all is on the first page"},
	{"one-record", "", "all is on the first page"},
	{"empty", "", "the first page is empty"},
	{"status-500-once", "D", "the error has no results and no next"},
	{"status-500-always", "D", "the others check the status"},
	{"status-500-from-second-page", "D", "as for status-500-once"},
	{"status-503-once", "D", "as above"},
	{"status-503-always", "D", "as for status-500-always"},
	{"status-503-from-second-page", "D", "as for status-500-once"},
	{"status-429-once", "D", "as above"},
	{"status-429-always", "D", "as for status-500-always"},
	{"status-429-from-second-page", "D", "as for status-500-once"},
	{"status-404-once", "D", "as for status-500-once"},
	{"rate-limit", "D", "as for status-500-once"},
	{"error-with-status-200", "F D C", "without a check of count and results it is an empty page"},
	{"html-with-status-200", "D", "D ignores the error of decoding"},
	{"wrong-content-type", "", "all handle it"},
	{"cut-before-header", "", "all handle it"},
	{"cut-in-body", "D", "D ignores the error of decoding"},
	{"truncated-body", "D", "D ignores the error of decoding"},
	{"stalled", "", "all handle it"},
	{"stalled-in-body", "D", "D ignores the error of decoding, when the context ends"},
	{"cancelled", "", "all use the context"},
	{"next-is-self", "F", "D remembers links, C ignores them"},
	{"next-cycle", "F", "D remembers links, C ignores them"},
	{"empty-pages-with-next", "F D C", "each link is new; C receives only the first page"},
	{"next-on-other-host", "F", "D compares the host, C ignores links"},
	{"next-without-tls", "F", "D compares the scheme, C ignores links"},
	{"redirect-to-other-host", "F C N", "http.Client follows redirects by default"},
	{"row-missing", "F D C", "they do not compare with count"},
	{"row-repeated", "F D C", "they do not check ids"},
	{"row-repeated-for-another", "F D C N", "they do not check ids, and the number of records is right"},
	{"count-shrinks", "", "all handle it"},
	{"record-deleted", "F D C", "they ignore the counts of later pages, and a record is missing"},
	{"record-replaced", "", "in the default order, the new record comes before the second page, and none is lost"},
}

// verify returns what a client did wrong in each situation but those of Skip, with the names of
// the situations in their order.
func verify(t *testing.T, fetch Fetch[int], opts Options) (names []string, problems map[string]string) {
	t.Helper()
	v := mustVerification(t, fetch, opts)
	problems = map[string]string{}
	for _, s := range v.situations {
		problem, _ := v.run(t, s)
		names, problems[s.name] = append(names, s.name), problem
		if problem != "" && s.name == simplest {
			break
		}
	}
	return names, problems
}

// events makes samples once, for all tests.
var events = sync.OnceValues(func() (*catalogue.Catalogue, error) { return samples("events", mostRecords) })

// mustVerification returns a verification of the collection events unless the options say otherwise.
func mustVerification(t *testing.T, fetch Fetch[int], opts Options) *verification {
	t.Helper()
	if opts.Catalogue == nil && opts.Collection == "" {
		c, err := events()
		must(t, err)
		opts.Catalogue, opts.Collection = c, "events"
	}
	v, err := newVerification(fetch, opts)
	must(t, err)
	return v
}

// runSituation runs a client through one situation.
func runSituation(t *testing.T, fetch Fetch[int], name string) (problem string, requests []string) {
	t.Helper()
	v := mustVerification(t, fetch, Options{Skip: only(name)})
	if len(v.situations) != 1 {
		t.Fatalf("situation %q: %d situations", name, len(v.situations))
	}
	return v.run(t, v.situations[0])
}

// only returns the value of Skip that leaves some situations.
func only(situations ...string) (others []string) {
	for _, e := range expected {
		if !slices.Contains(situations, e.situation) {
			others = append(others, e.situation)
		}
	}
	return others
}

func TestNaiveClientsFail(t *testing.T) {
	clients := []struct {
		letter string
		fetch  Fetch[int]
	}{
		{"F", followNext}, {"D", ignoreErrors}, {"C", countPages}, {"L", trustLimit}, {"N", compareCount},
	}
	for _, c := range clients {
		t.Run(c.letter, func(t *testing.T) {
			t.Parallel()
			names, problems := verify(t, c.fetch, Options{})
			var want, got []string
			for _, e := range expected {
				fails := slices.Contains(strings.Fields(e.fails), c.letter)
				want = append(want, fmt.Sprintf("%s fails: %t", e.situation, fails))
				if fails && e.situation == simplest {
					break
				}
			}
			for _, name := range names {
				got = append(got, fmt.Sprintf("%s fails: %t", name, problems[name] != ""))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%v", diff, problems)
			}
			if skipped := strings.Contains(problems[simplest], fmt.Sprintf("%d other situations are skipped", len(expected)-1)); skipped != (len(want) == 1) {
				t.Errorf("first problem %q of %d results", problems[simplest], len(got))
			}
		})
	}
}

// TestClientsWithOneMistake uses clients that fail in few situations, or in none.
func TestClientsWithOneMistake(t *testing.T) {
	for _, tt := range []struct {
		reason     string
		fetch      Fetch[int]
		collection string
		fails      string // the situations
	}{
		{"net/http retries the first request that is cut", endOnError, "events", "cut-before-header"},
		{"single records, in reverse order, with retries", backwards, "events", ""},
		{"a page is skipped after three attempts with 503", skipping(503), "events", "status-503-always status-503-from-second-page"},
		{"a page is skipped after three attempts with 429", skipping(429), "events", "status-429-always status-429-from-second-page rate-limit"},
		{"a list is read again with the records received before", resuming, "events", "status-404-once"},
		{"waits as long as a limit says", waiting().ids, "events", ""},
		{"azure-sdk-for-go, before pull request 27222", azurePager().ids, "events", "status-500-always status-503-always status-429-always"},
		{"go-bitbucket, after pull request 186", bitbucketPages, "events", "several-pages"},
		{"offsets without an overlap", offsetsOnly().ids, "events", "record-replaced"},
		{"does not compare the count", withoutCount().ids, "events", "row-missing"},
		{"one read for a body", readOnce().ids, "events", "several-pages"},
		{"waits without its context", retrying().ids, "events", "status-503-always status-503-from-second-page"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			names, problems := verify(t, tt.fetch, Options{Collection: tt.collection})
			failed := slices.DeleteFunc(names, func(name string) bool { return problems[name] == "" })
			if got := strings.Join(failed, " "); got != tt.fails {
				t.Errorf("fails %q, want %q: %v", got, tt.fails, problems)
			}
		})
	}
}

// TestVerificationCollections checks that each kind of collection has enough records for
// several pages. The collection with the empty key is the first one of a program's own.
func TestVerificationCollections(t *testing.T) {
	own := films(t, 100)
	before := saved(t, own)
	for key, path := range map[string]string{
		"events": "/api/events/", "labels": "/api/labels/", "authors": "/api/authors/", "books": "/api/books/",
		"social-links": "/api/social-links/", "itemVariants": "/api/item_variants/", "news": "/api/news/", "shortFilms": "/v1/films/", "": "/v1/films/",
	} {
		opts := Options{Collection: key, Skip: only("many-pages", "one-full-page", "one-record")}
		if path == "/v1/films/" {
			opts.Catalogue, opts.Root = own, "/v1/"
		}
		_, problems := verify(t, onlyFirst(path), opts)
		if !strings.HasPrefix(problems["many-pages"], "returned 10 of at least 95 records") {
			t.Errorf("%q: many-pages: %q", key, problems["many-pages"])
		}
		if full, one := problems["one-full-page"], problems["one-record"]; full+one != "" || len(problems) != 3 {
			t.Errorf("%q: unexpected results %q", key, problems)
		}
	}
	if saved(t, own) != before {
		t.Error("the verification changed the catalogue")
	}
}

// TestInvalidOptions checks the errors of VerifyClient.
func TestInvalidOptions(t *testing.T) {
	few, many := films(t, 94), films(t, 95)
	fetch := func(context.Context, *http.Client, string) ([]int, error) { panic("not called") }
	for _, tt := range []struct {
		reason string
		fetch  Fetch[int]
		opts   Options
		want   string // in the error
	}{
		{"nil Fetch", nil, Options{}, "nil client"},
		{"unknown name", fetch, Options{Skip: []string{"next-is-self", "unknown"}}, `unknown situation "unknown"; want one of several-pages, many-pages, `},
		{"unknown collection", fetch, Options{Collection: "event"}, "did you mean events?"},
		{"segment instead of key", fetch, Options{Collection: "item_variants"}, `unknown collection: "item_variants"`},
		{"none of an empty catalogue", fetch, Options{Catalogue: films(t, 0)}, "shortFilms has 0 records; want at least 95"},
		{"few records", fetch, Options{Catalogue: few, Collection: "shortFilms"}, "shortFilms has 94 records; want at least 95"},
		{"no list", fetch, Options{Catalogue: many, Collection: "drafts"}, "drafts has no list"},
		{"documented collection", fetch, Options{Catalogue: many, Collection: "events"}, `unknown collection: "events"`},
		{"own collection without a catalogue", fetch, Options{Collection: "shortFilms"}, `unknown collection: "shortFilms"`},
		{"invalid root", fetch, Options{Catalogue: many, Root: "v1"}, `Root "v1"`},
	} {
		if _, err := newVerification(tt.fetch, tt.opts); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.reason, err, tt.want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		if _, err := newVerification(Fetch[int](fetch), Options{}); !errors.Is(err, errInBubble) {
			t.Errorf("inside a bubble: %v, want %v", err, errInBubble)
		}
	})
}

// TestVerifyClientFails is run by TestVerifyClient in another process, and fails.
func TestVerifyClientFails(t *testing.T) {
	if os.Getenv("BACKLIST_VERIFY_FAILS") == "" {
		t.Skip("run by TestVerifyClient")
	}
	VerifyClient(t, countPages, Options{})
}

// TestVerifyClient checks that the expected subtests fail and log the reason.
func TestVerifyClient(t *testing.T) {
	self := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestVerifyClientFails$", "-test.v")
	self.Env = append(os.Environ(), "BACKLIST_VERIFY_FAILS=1")
	out, err := self.CombinedOutput()
	if err == nil {
		t.Fatalf("the test passed:\n%s", out)
	}
	got := map[string]string{}
	for _, m := range regexp.MustCompile(`--- (PASS|FAIL): TestVerifyClientFails/(\S+)`).FindAllStringSubmatch(string(out), -1) {
		got[m[2]] = m[1]
	}
	want := map[string]string{}
	for _, e := range expected {
		want[e.situation] = "PASS"
		if strings.Contains(e.fails, "C") {
			want[e.situation] = "FAIL"
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("subtests (-want +got):\n%s\n%s", diff, out)
	}
	for _, line := range []string{
		"returned 10 of at least 25 records, without the one with the id ",                        // the problem
		"compare the number of records received with count, and return an error if they differ\n", // the remedy
		"GET /api/events/?offset=20: 200 OK\n",                                                    // the requests
	} {
		if !strings.Contains(string(out), line) {
			t.Errorf("output does not contain %q:\n%s", line, out)
		}
	}
}

type draft struct {
	ID int `json:"id"`
}

type film struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

// films returns a catalogue with two directors, n films and n drafts. The segment of the films
// is not their key, and drafts have no list.
func films(t *testing.T, n int) *catalogue.Catalogue {
	t.Helper()
	cat, err := catalogue.New(
		catalogue.Define[film]("shortFilms", catalogue.Options{Description: &schema.Description{Segment: "films"}}),
		catalogue.Define[draft]("drafts", catalogue.Options{Description: &schema.Description{Actions: schema.Create}}),
		catalogue.Define[film]("directors", catalogue.Options{}),
	)
	must(t, err)
	var drafts, all []string
	for id := 1; id <= n; id++ {
		drafts = append(drafts, fmt.Sprintf(`{"id":%d}`, id))
		all = append(all, fmt.Sprintf(`{"id":%d,"title":"Film %d"}`, id, id))
	}
	file := fmt.Sprintf(`{"drafts":[%s],"directors":[{"id":1,"title":""},{"id":2,"title":""}],"shortFilms":[%s]}`, strings.Join(drafts, ","), strings.Join(all, ","))
	must(t, cat.Load(strings.NewReader(file), catalogue.LoadOptions{}))
	return cat
}

func saved(t *testing.T, c *catalogue.Catalogue) string {
	t.Helper()
	var file strings.Builder
	must(t, c.Save(&file))
	return file.String()
}

// closing returns a client that returns the right records, and closes bodies with a function.
func closing(closeBody func(io.Closer)) Fetch[int] {
	client := newCareful()
	client.close = closeBody
	return client.ids
}

// impatient follows links. It waits for responses no longer than its context, but for bodies.
func impatient(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	for next := baseURL + "/api/events/"; next != ""; {
		r, cancel := context.WithCancel(context.Background())
		defer cancel()
		stop := context.AfterFunc(ctx, cancel)
		resp, err := get(r, client, next)
		if stop(); err != nil {
			return nil, err
		}
		var page pagination.Envelope[draft]
		err = json.NewDecoder(resp.Body).Decode(&page)
		if resp.Body.Close(); err != nil {
			return nil, err
		}
		for _, record := range page.Records {
			ids = append(ids, record.ID)
		}
		next = page.Next
	}
	return ids, nil
}

// ending returns a client that waits for the end of its context, and then for some time.
func ending(after time.Duration) Fetch[int] {
	return func(ctx context.Context, _ *http.Client, _ string) ([]int, error) {
		<-ctx.Done()
		time.Sleep(after)
		return nil, ctx.Err()
	}
}

// TestClientProblems uses clients that make one mistake or none.
func TestClientProblems(t *testing.T) {
	numbers := func(ids ...int) Fetch[int] {
		return func(context.Context, *http.Client, string) ([]int, error) { return ids, nil }
	}
	closed := 0
	tests := []struct {
		reason    string
		situation string
		fetch     Fetch[int]
		problem   string // prefix; empty: none
	}{
		{"no problem", "one-record", oneRecord(func(*http.Request) {}), ""},
		{"panic", "one-record", func(context.Context, *http.Client, string) ([]int, error) { panic("page not found") }, "panicked (page not found)"},
		{"runtime panic", "empty", oneRecord(func(*http.Request) {}), "panicked (runtime error: index out of range"},
		{"t.Fatal", "one-record", func(context.Context, *http.Client, string) ([]int, error) {
			runtime.Goexit()
			return nil, nil
		}, "ended its goroutine, as t.Fatal does"},
		{"wait without the context", "stalled", func(context.Context, *http.Client, string) ([]int, error) {
			time.Sleep(time.Hour)
			return nil, nil
		}, "did not return in time after the end of its context: create each request with the context"},
		{"wait without an end", "one-record", func(context.Context, *http.Client, string) ([]int, error) {
			select {}
		}, "left goroutines that are blocked forever"},
		{"a goroutine is left", "one-record", func(context.Context, *http.Client, string) ([]int, error) {
			go func() { <-make(chan int) }()
			return nil, nil
		}, "left goroutines that are blocked forever"},
		{"late", "stalled", ending(3 * time.Second), "did not return in time after the end of its context"},
		{"in time", "cancelled", ending(time.Second), ""},
		{"request without the context", "cancelled", func(_ context.Context, client *http.Client, baseURL string) ([]int, error) {
			return oneRecord(func(*http.Request) {})(context.Background(), client, baseURL)
		}, "returned 1 records and no error: create each request with the context"},
		{"body read without the context", "stalled-in-body", impatient, "left goroutines that are blocked forever"},
		{"no body stops", "stalled", impatient, ""},
		{"error without a fault", "one-record", func(context.Context, *http.Client, string) ([]int, error) {
			return []int{1}, errors.New("two\nlines " + strings.Repeat("x", 500))
		}, "returned an error although nothing is wrong (two lines xxx"},
		{"unknown record", "one-record", numbers(77777), `returned a record with the id "77777", which was never in the collection events, and no error: return the ids of the collection that Options.Collection names`},
		{"no records", "one-record", numbers(), "returned 0 of at least 1 records"},
		{"credentials to another host", "one-record", oneRecord(func(r *http.Request) {
			r.URL = &url.URL{Scheme: "https", Host: "elsewhere.example", Path: "/"}
			r.Header.Set("Authorization", "Bearer s3cret")
			r.Header.Set("Cookie", "session=s3cret")
		}), "sent a request to https://elsewhere.example: "},
		{"panic after a request to another host", "one-record", func(ctx context.Context, client *http.Client, _ string) ([]int, error) {
			_, err := client.Get("https://elsewhere.example/")
			panic(err)
		}, "panicked (Get \"https://elsewhere.example/\""},
		{"same host without TLS", "one-record", oneRecord(func(r *http.Request) { r.URL.Scheme = "http" }), "sent a request to http://"},
		{"other port", "one-record", oneRecord(func(r *http.Request) { r.URL.Host = "127.0.0.1:1" }), "sent a request to https://127.0.0.1:1: "},

		{"all bodies closed", "several-pages", closing(func(c io.Closer) { c.Close() }), ""},
		{"closed twice", "several-pages", closing(func(c io.Closer) { c.Close(); c.Close() }), ""},
		{"closed by another goroutine", "several-pages", closing(func(c io.Closer) {
			go func() { time.Sleep(10 * time.Millisecond); c.Close() }()
		}), ""},
		{"none closed", "several-pages", closing(func(io.Closer) {}), "did not close 3 of 3 response bodies: call resp.Body.Close"},
		{"one not closed", "several-pages", closing(func(c io.Closer) {
			if closed++; closed > 1 {
				c.Close()
			}
		}), "did not close 1 of 3 response bodies: "},
		{"the body of an error is not closed", "status-500-always", closing(func(io.Closer) {}), "did not close 1 of 1 response bodies: "},
		{"no response", "cancelled", closing(func(io.Closer) {}), ""},

		{"no records of several pages", "several-pages", numbers(), "returned 0 of at least 25 records, without the one with the id "},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			problem, requests := runSituation(t, tt.fetch, tt.situation)
			if !strings.HasPrefix(problem, tt.problem) || (tt.problem == "") != (problem == "") || len(problem) > 500 {
				t.Errorf("problem %q, want %q", problem, tt.problem)
			}
			if strings.Contains(problem+formatRequests(requests), "s3cret") {
				t.Errorf("report contains credentials:\n%s%s", problem, formatRequests(requests))
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
		problem, requests := runSituation(t, func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
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
		}, "one-record")
		if why != context.Canceled || !strings.HasPrefix(problem, tt.problem) || len(requests) != 50 {
			t.Errorf("%s: context %v, problem %q, %d requests", tt.reason, why, problem, len(requests))
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

// long reports whether BACKLIST_LONG is set, as in CI.
func long() bool { return os.Getenv("BACKLIST_LONG") != "" && !testing.Short() }

// must ends the test if its preparation failed.
func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// failing records the failures of a test.
type failing struct {
	testing.TB
	texts []string
}

func (f *failing) Errorf(format string, args ...any) {
	f.texts = append(f.texts, fmt.Sprintf(format, args...))
}

// A client that sends names that nothing reads, with or without a fault, fails the test once for each.
func TestIgnored(t *testing.T) {
	mistyped := func(ctx context.Context, client *http.Client, base string) ([]int, error) {
		page, err := getPage(ctx, client, base+"/api/events/?ordering=nmae&debug=1&limit=100&sizee=5")
		return page.appendIDs(nil), err
	}
	for reason, tt := range map[string]struct {
		fetch Fetch[int]
		pages pagination.Style
		want  []string
	}{
		"mistakes": {mistyped, nil, []string{
			"the client sent GET /api/events/?ordering=nmae&debug=1&limit=100&sizee=5, of which nothing reads nmae: did you mean name?",
			"the client sent GET /api/events/?ordering=nmae&debug=1&limit=100&sizee=5, of which nothing reads sizee: want one of offset, limit, ordering, format",
		}},
		"numbers of pages": {newCounting().ids, pagination.Numbers{}, nil},
		"links":            {followNext, nil, nil},
	} {
		v := mustVerification(t, tt.fetch, Options{Pages: tt.pages, Ignored: []string{"debug"}})
		for _, s := range v.situations {
			v.run(t, s)
		}
		tb := &failing{TB: t}
		v.data.reportIgnored(tb)
		if diff := cmp.Diff(tt.want, tb.texts); diff != "" {
			t.Errorf("%s:\n%s", reason, diff)
		}
	}
}
