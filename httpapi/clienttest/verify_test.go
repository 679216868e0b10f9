package clienttest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/clienttest"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// expected lists the clients that fail each situation, and why: F is followNext, D is
// ignoreErrors, C is countPages, L is trustLimit, and N is compareCount.
var expected = []struct{ situation, fails, reason string }{
	{"several-pages", "L", "L takes the first page for the last, as its limit was clamped; all others are skipped"},
	{"many-pages", "", "all handle it"},
	{"full-pages", "", "all handle it"},
	{"one-full-page", "", "all is on the first page"},
	{"one-record", "", "all is on the first page"},
	{"browsable-api", "", "all handle it"},
	{"empty", "", "the first page is empty"},
	{"status-500-once", "D", "the error has no results and no next"},
	{"status-503-once", "D", "as above"},
	{"status-429-once", "D", "as above"},
	{"status-500-always", "D", "the others check the status"},
	{"status-500-from-second-page", "D", "as for status-500-once"},
	{"error-with-status-200", "F D C", "without a check of count and results it is an empty page"},
	{"html-with-status-200", "D", "D ignores the error of decoding"},
	{"wrong-content-type", "", "all handle it"},
	{"cut-before-header", "", "all handle it"},
	{"cut-in-body", "D", "D ignores the error of decoding"},
	{"truncated-body", "D", "D ignores the error of decoding"},
	{"slow-body", "", "all handle it"},
	{"stalled", "", "all handle it"},
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
}

func TestNaiveClientsFail(t *testing.T) {
	clients := []struct {
		letter string
		fetch  clienttest.Fetch
	}{
		{"F", followNext}, {"D", ignoreErrors}, {"C", countPages}, {"L", trustLimit}, {"N", compareCount},
	}
	for _, c := range clients {
		t.Run(c.letter, func(t *testing.T) {
			t.Parallel()
			results, err := clienttest.Verify(c.fetch, clienttest.Options{Timeout: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			var want, got []string
			for _, e := range expected {
				fails := slices.Contains(strings.Fields(e.fails), c.letter)
				want = append(want, e.situation+" "+passes(!fails))
				if fails && e.situation == "several-pages" {
					break
				}
			}
			for _, r := range results {
				got = append(got, r.Situation+" "+passes(r.Problem == ""))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%+v", diff, results)
			}
			if skipped := strings.Contains(results[0].Problem, "31 other situations are skipped"); skipped != (len(want) == 1) {
				t.Errorf("first problem %q of %d results", results[0].Problem, len(got))
			}
		})
	}
}

// TestClientsWithOneMistake uses clients that fail in a single situation.
func TestClientsWithOneMistake(t *testing.T) {
	for _, tt := range []struct {
		reason     string
		fetch      clienttest.Fetch
		collection string
		fails      string
	}{
		{"net/http retries the first request that is cut", endOnError, "events", "cut-before-header"},
		{"small pages arrive at once unless they are slow", readOnce("/api/attribute-types/"), "attribute-types", "slow-body"},
	} {
		t.Run(tt.fails, func(t *testing.T) {
			t.Parallel()
			results, err := clienttest.Verify(tt.fetch, clienttest.Options{Collection: tt.collection, Timeout: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if fails := r.Problem != ""; fails != (r.Situation == tt.fails) {
					t.Errorf("%s: %s: %q", tt.reason, r.Situation, r.Problem)
				}
			}
		})
	}
}

func passes(ok bool) string {
	if ok {
		return "passes"
	}
	return "fails"
}

func TestInvalidVerification(t *testing.T) {
	tests := []struct {
		reason string
		fetch  clienttest.Fetch
		opts   clienttest.Options
		text   string // in the error
	}{
		{"nil Fetch", nil, clienttest.Options{}, "nil client"},
		{"unknown collection", followNext, clienttest.Options{Collection: "magazines"}, `"magazines"`},
		{"segment instead of key", followNext, clienttest.Options{Collection: "item_variants"}, `"item_variants"`},
		{"unknown situation", followNext, clienttest.Options{Skip: []string{"empty", "unknown"}}, `"unknown"`},
	}
	for _, tt := range tests {
		results, err := clienttest.Verify(tt.fetch, tt.opts)
		if err == nil || !strings.Contains(err.Error(), tt.text) || results != nil {
			t.Errorf("%s: %v, want an error containing %q", tt.reason, err, tt.text)
		}
	}
}

// TestVerificationCollections checks that each kind of collection has enough records for
// several pages.
func TestVerificationCollections(t *testing.T) {
	var others []string // all situations but two
	for _, e := range expected {
		if e.situation != "one-record" && e.situation != "many-pages" {
			others = append(others, e.situation)
		}
	}
	for _, key := range []string{"events", "labels", "authors", "social-links", "books", "itemVariants", "news"} {
		fetch := func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
			about, _ := descriptionOf(key)
			page, err := getPage(ctx, client, baseURL+"/api/"+about.Segment+"/")
			for _, r := range page.Results {
				ids = append(ids, r.ID)
			}
			return ids, err
		}
		results, err := clienttest.Verify(fetch, clienttest.Options{Collection: key, Timeout: time.Minute, Skip: others})
		if err != nil || len(results) != 2 {
			t.Fatalf("%s: error %v\n%+v", key, err, results)
		}
		many, one := results[0].Problem, results[1].Problem
		if !strings.HasPrefix(many, "returned 10 of 95 records") || one != "" {
			t.Errorf("%s: unexpected results\n%+v", key, results)
		}
	}
}

// TestVerifyClientFails is run by TestVerifyClient in another process, and fails.
func TestVerifyClientFails(t *testing.T) {
	if os.Getenv("BACKLIST_VERIFY_FAILS") == "" {
		t.Skip("run by TestVerifyClient")
	}
	clienttest.VerifyClient(t, countPages, clienttest.Options{Timeout: time.Minute})
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
		"returned 10 of 25 records, without the one with the id ",                                 // the problem
		"compare the number of records received with count, and return an error if they differ\n", // the remedy
		"GET /api/events/?offset=20: 200 OK\n",                                                    // the requests
	} {
		if !strings.Contains(string(out), line) {
			t.Errorf("output does not contain %q:\n%s", line, out)
		}
	}
}

// TestFollowingNextFails uses a client that follows next links without any check.
func TestFollowingNextFails(t *testing.T) {
	follow := func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
		for at := baseURL + "/api/events/"; at != ""; {
			r, err := http.NewRequestWithContext(ctx, "GET", at, nil)
			if err != nil {
				return nil, err
			}
			resp, err := client.Do(r)
			if err != nil {
				return nil, err
			}
			var page pagination.Envelope[resources.Event]
			err = json.NewDecoder(resp.Body).Decode(&page)
			resp.Body.Close()
			if err != nil {
				return nil, err
			}
			for _, e := range page.Records {
				ids = append(ids, e.ID)
			}
			at = page.Next
		}
		return ids, nil
	}
	results, err := clienttest.Verify(follow, clienttest.Options{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, r := range results {
		if r.Problem != "" {
			failed = append(failed, r.Situation)
		}
	}
	want := []string{
		"next-is-self", "next-cycle", "empty-pages-with-next", "next-on-other-host", "next-without-tls",
		"redirect-to-other-host", "row-missing", "row-repeated", "row-repeated-for-another", "record-deleted",
	}
	if diff := cmp.Diff(want, failed); diff != "" {
		t.Errorf("situations that fail (-want +got):\n%s", diff)
	}
}

// followRoot returns a client that begins at the link of the root listing. Its JSON
// decoder reports what is not JSON. If accept is not empty, it is the Accept header.
func followRoot(accept string) clienttest.Fetch {
	read := func(ctx context.Context, client *http.Client, url string, v any) error {
		r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
		if err != nil {
			return err
		}
		if accept != "" {
			r.Header.Set("Accept", accept)
		}
		resp, err := client.Do(r)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != 200 {
			return fmt.Errorf("%s", resp.Status)
		}
		return json.NewDecoder(resp.Body).Decode(v)
	}
	return func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
		var root map[string]string
		if err := read(ctx, client, baseURL+"/api/", &root); err != nil {
			return nil, err
		}
		for next := root["events"]; next != ""; {
			var page naivePage
			if err := read(ctx, client, next, &page); err != nil {
				return nil, err
			}
			for _, r := range page.Results {
				ids = append(ids, r.ID)
			}
			next = page.Next
		}
		return ids, nil
	}
}

// TestVerifyBrowsableAPI uses clients that pass if the service responds with JSON to
// format=api, and fail in production.
func TestVerifyBrowsableAPI(t *testing.T) {
	for _, tt := range []struct{ reason, accept, problem string }{
		{"HTML is decoded as JSON", "", "returned an error although nothing is wrong (invalid character '<' looking for beginning of value): set the parameter format"},
		{"only JSON is accepted", "application/json", "returned an error although nothing is wrong (406 Not Acceptable): set the parameter format"},
	} {
		results, err := clienttest.Verify(followRoot(tt.accept), clienttest.Options{Timeout: time.Minute, Skip: skipAll("several-pages", "browsable-api")})
		if len(results) != 2 {
			t.Fatalf("%s: %v", tt.reason, err)
		}
		healthy, browsable := results[0], results[1]
		if healthy.Problem != "" || !strings.HasPrefix(browsable.Problem, tt.problem) {
			t.Errorf("%s:\n%+v", tt.reason, results)
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
		catalogue.Define[draft]("drafts", catalogue.Options{Description: &schema.Description{Actions: schema.Create}}),
		catalogue.Define[film]("directors", catalogue.Options{}),
		catalogue.Define[film]("shortFilms", catalogue.Options{Description: &schema.Description{Segment: "films"}}),
	)
	if err != nil {
		t.Fatal(err)
	}
	var drafts, all []string
	for id := 1; id <= n; id++ {
		drafts = append(drafts, fmt.Sprintf(`{"id":%d}`, id))
		all = append(all, fmt.Sprintf(`{"id":%d,"title":"Film %d"}`, id, id))
	}
	file := fmt.Sprintf(`{"drafts":[%s],"directors":[{"id":1,"title":""},{"id":2,"title":""}],"shortFilms":[%s]}`, strings.Join(drafts, ","), strings.Join(all, ","))
	if err := cat.Load(strings.NewReader(file), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	return cat
}

func saved(t *testing.T, c *catalogue.Catalogue) string {
	t.Helper()
	var file strings.Builder
	if err := c.Save(&file); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// Without a collection, the first suitable one is fetched: not directors, which are few,
// and not drafts, which have no list.
func TestVerificationCatalogue(t *testing.T) {
	cat := films(t, 100)
	fetch := func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
		page, err := getPage(ctx, client, baseURL+"/v1/films/")
		var ids []int
		for _, r := range page.Results {
			ids = append(ids, r.ID)
		}
		return ids, err
	}
	var except []string // all situations but two
	for _, e := range expected {
		if e.situation != "many-pages" && e.situation != "one-full-page" {
			except = append(except, e.situation)
		}
	}
	opts := clienttest.Options{Catalogue: cat, Root: "/v1/", Timeout: time.Minute, Skip: except}
	before := saved(t, cat)
	results, err := clienttest.Verify(fetch, opts)
	if err != nil || len(results) != 2 {
		t.Fatalf("error %v, %+v", err, results)
	}
	if many, full := results[0].Problem, results[1].Problem; !strings.HasPrefix(many, "returned 10 of 95 records") || full != "" {
		t.Errorf("unexpected results\n%+v", results)
	}
	if saved(t, cat) != before {
		t.Error("the verification changed the catalogue")
	}
}

func TestInvalidVerificationCatalogue(t *testing.T) {
	few, many := films(t, 94), films(t, 95)
	fetch := func(context.Context, *http.Client, string) ([]int, error) { panic("not called") }
	for _, tt := range []struct {
		reason string
		opts   clienttest.Options
		want   string // in the error
	}{
		{"no suitable collection", clienttest.Options{Catalogue: few}, "no collection is listed and has 95 records"},
		{"few records", clienttest.Options{Catalogue: few, Collection: "shortFilms"}, "shortFilms has 94 records; want at least 95"},
		{"no list", clienttest.Options{Catalogue: many, Collection: "drafts"}, "drafts has no list"},
		{"segment", clienttest.Options{Catalogue: many, Collection: "films"}, `unknown collection: "films"`},
		{"documented collection", clienttest.Options{Catalogue: many, Collection: "events"}, `unknown collection: "events"`},
		{"own collection without a catalogue", clienttest.Options{Collection: "shortFilms"}, `unknown collection: "shortFilms"`},
		{"invalid root", clienttest.Options{Catalogue: many, Root: "v1"}, `Root "v1"`},
	} {
		results, err := clienttest.Verify(fetch, tt.opts)
		if err == nil || !strings.Contains(err.Error(), tt.want) || results != nil {
			t.Errorf("%s: error %v with %d results, want %q", tt.reason, err, len(results), tt.want)
		}
	}
}

// skipAll lists all situations but the given ones.
func skipAll(but ...string) (others []string) {
	for _, e := range expected {
		if !strings.Contains(" "+strings.Join(but, " ")+" ", " "+e.situation+" ") {
			others = append(others, e.situation)
		}
	}
	return others
}

// problemIn runs a client through one situation and returns its problem.
func problemIn(t *testing.T, situation string, fetch clienttest.Fetch) string {
	t.Helper()
	results, err := clienttest.Verify(fetch, clienttest.Options{Timeout: time.Minute, Skip: skipAll(situation)})
	if err != nil || len(results) != 1 {
		t.Fatalf("%s: %d results, error %v", situation, len(results), err)
	}
	return results[0].Problem
}

// fetchList returns a client without mistakes for the list at a path, whose response bodies
// are closed by closeBody.
func fetchList(path string, closeBody func(io.Closer)) clienttest.Fetch {
	return func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
		keep := *client
		keep.Transport = rounder(func(r *http.Request) (*http.Response, error) {
			resp, err := client.Transport.RoundTrip(r)
			if err == nil {
				resp.Body = &ownClose{resp.Body, closeBody}
			}
			return resp, err
		})
		return fetchByOffset(ctx, &keep, baseURL+path, func(resp *http.Response, err error) (body []byte, ended bool, _ error) {
			if err != nil {
				return nil, false, err
			}
			body, err = io.ReadAll(resp.Body)
			return body, false, err
		})
	}
}

type rounder func(*http.Request) (*http.Response, error)

func (f rounder) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// An ownClose is a body that is closed by a function.
type ownClose struct {
	io.ReadCloser
	closeBody func(io.Closer)
}

func (o *ownClose) Close() error {
	o.closeBody(o.ReadCloser)
	return nil
}

// TestVerifyUnclosedBodies uses a client that returns the right records.
func TestVerifyUnclosedBodies(t *testing.T) {
	closed := 0
	tests := []struct {
		reason, situation string
		closeBody         func(io.Closer)
		problem           string // prefix; empty: none
	}{
		{"all closed", "several-pages", func(c io.Closer) { c.Close() }, ""},
		{"closed twice", "several-pages", func(c io.Closer) { c.Close(); c.Close() }, ""},
		{"closed by another goroutine", "several-pages", func(c io.Closer) {
			go func() { time.Sleep(10 * time.Millisecond); c.Close() }()
		}, ""},
		{"none closed", "several-pages", func(io.Closer) {}, "did not close 3 of 3 response bodies: call resp.Body.Close"},
		{"one not closed", "several-pages", func(c io.Closer) {
			if closed++; closed > 1 {
				c.Close()
			}
		}, "did not close 1 of 3 response bodies: "},
		{"the body of an error is not closed", "status-500-always", func(io.Closer) {}, "did not close 1 of 1 response bodies: "},
		{"no response", "cancelled", func(io.Closer) {}, ""},
	}
	for _, tt := range tests {
		problem := problemIn(t, tt.situation, fetchList("/api/events/", tt.closeBody))
		if !strings.HasPrefix(problem, tt.problem) || tt.problem == "" && problem != "" {
			t.Errorf("%s: problem %q, want %q", tt.reason, problem, tt.problem)
		}
	}
}

// TestVerifyOtherCollection checks the advice for clients of another collection than
// events.
func TestVerifyOtherCollection(t *testing.T) {
	closes := func(c io.Closer) { c.Close() }
	numbers := func(ids ...int) clienttest.Fetch {
		return func(context.Context, *http.Client, string) ([]int, error) { return ids, nil }
	}
	tests := []struct {
		reason, situation string
		fetch             clienttest.Fetch
		problem           string // prefix
	}{
		{"records of another collection, whose ids may be the same", "several-pages", fetchList("/api/item_variants/", closes),
			`sent requests to /api/item_variants/ and none to /api/events/: if the client fetches the collection itemVariants, set Options.Collection to "itemVariants"`},
		{"an error is expected", "status-500-always", fetchList("/api/item_variants/", closes), "sent requests to /api/item_variants/ and none to /api/events/: "},
		{"no id is known", "several-pages", numbers(1_000_001, 1_000_002),
			"returned 2 records, and none of their ids is in the collection events: the client probably fetches another collection; set Options.Collection"},
		{"no records", "several-pages", numbers(), "returned 0 of 25 records, without the one with the id "},
	}
	for _, tt := range tests {
		if problem := problemIn(t, tt.situation, tt.fetch); !strings.HasPrefix(problem, tt.problem) {
			t.Errorf("%s: problem %q, want %q", tt.reason, problem, tt.problem)
		}
	}
}

// descriptions returns the descriptions of the documented collections.
func descriptions() (list []schema.Description) {
	c, err := resources.New()
	if err != nil {
		panic(err) // without other definitions there is no error
	}
	for _, collection := range c.All() {
		list = append(list, collection.Description())
	}
	return list
}

// descriptionOf returns the description of a documented collection and reports whether
// there is one.
func descriptionOf(key string) (schema.Description, bool) {
	for _, d := range descriptions() {
		if d.Key == key {
			return d, true
		}
	}
	return schema.Description{}, false
}
