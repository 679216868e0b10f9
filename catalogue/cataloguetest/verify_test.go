package cataloguetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// expected says of each pathology which of the naive clients fail it, and why. F is
// who follows blindly, D who decodes whatever, C who counts pages, L who trusts its
// limit, and so asks for no second page and lacks what is on it; N is C, and compares
// how many records came with the first count.
var expected = []struct{ pathology, fails, why string }{
	{"several-pages", "L", "only who trusts its limit ends with a page that was clamped"},
	{"many-pages", "L", "and here"},
	{"full-pages", "L", "and here"},
	{"one-full-page", "", "all is on the first page"},
	{"one-record", "", "all is on the first page"},
	{"empty", "", "nothing is on the first page"},
	{"status-500-once", "D L", "an error's document has no results and no next"},
	{"status-503-once", "D L", "nor has a gateway's page"},
	{"status-429-once", "D L", "nor a throttle's"},
	{"status-500-always", "D", "the others look at the status of the first page too"},
	{"status-500-from-second-page", "D L", "as for once"},
	{"error-with-status-200", "F D C L", "the status is right; who does not ask for count and results takes it for an empty page"},
	{"html-with-status-200", "D L", "it cannot be decoded"},
	{"wrong-content-type", "L", "the page is right all the same"},
	{"cut-before-header", "L", "none of them takes an error for the end"},
	{"cut-in-body", "D L", "half a page cannot be decoded"},
	{"truncated-body", "D L", "half a page cannot be decoded"},
	{"slow-body", "L", "time does no harm"},
	{"stalled", "L", "the request has the context"},
	{"cancelled", "", "the first request has the context"},
	{"next-is-self", "F L", "D has been there, C does not look"},
	{"next-cycle", "F L", "D has been there, C does not look"},
	{"empty-pages-with-next", "F D C L", "each next is new; who counts pages gets none but the first"},
	{"next-on-other-host", "F L", "D compares, C does not look"},
	{"next-without-tls", "F L", "D compares, C does not look"},
	{"redirect-to-other-host", "F C L N", "http.Client follows unless it is told not to"},
	{"row-missing", "F D C L", "nobody compares with count"},
	{"row-repeated", "F D C L", "nobody keeps ids"},
	{"row-repeated-for-another", "F D C L N", "nobody keeps ids, and their number is right"},
	{"count-shrinks", "L", "nobody looks at the count of a later page, and all records come"},
	{"record-deleted", "F D C L", "nobody looks at the count of a later page, and a record has slipped"},
}

func TestNaiveClientsFail(t *testing.T) {
	clients := []struct {
		letter string
		fetch  cataloguetest.Fetch
	}{
		{"F", followsBlindly}, {"D", decodesWhatever}, {"C", countsPages}, {"L", trustsItsLimit}, {"N", comparesCount},
	}
	for _, c := range clients {
		t.Run(c.letter, func(t *testing.T) {
			t.Parallel()
			report, err := cataloguetest.CheckClient(c.fetch, cataloguetest.Verification{Timeout: time.Minute})
			if !errors.Is(err, cataloguetest.ErrClientFailed) {
				t.Fatalf("%v", err)
			}
			var want, got []string
			for _, e := range expected {
				want = append(want, e.pathology+" "+passes(!slices.Contains(strings.Fields(e.fails), c.letter)))
			}
			for _, r := range report.Results {
				got = append(got, r.Pathology+" "+passes(r.Problem == ""))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n%s", diff, report)
			}
		})
	}
}

// Clients with a mistake that shows in one pathology alone.
func TestClientsWithOneMistake(t *testing.T) {
	for _, tt := range []struct {
		reason     string
		fetch      cataloguetest.Fetch
		collection string
		fails      string
	}{
		{"net/http asks once more by itself, and so no error of the first cut comes", takesErrorsForTheEnd, "events", "cut-before-header"},
		{"small pages come at once, but not if they are slow", readsOnce("/api/attribute-types/"), "attribute-types", "slow-body"},
	} {
		t.Run(tt.fails, func(t *testing.T) {
			t.Parallel()
			report, err := cataloguetest.CheckClient(tt.fetch, cataloguetest.Verification{Collection: tt.collection, Timeout: time.Minute})
			if !errors.Is(err, cataloguetest.ErrClientFailed) {
				t.Errorf("%s: %v", tt.reason, err)
			}
			for _, r := range report.Results {
				if fails := r.Problem != ""; fails != (r.Pathology == tt.fails) {
					t.Errorf("%s: %s: %q", tt.reason, r.Pathology, r.Problem)
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

func TestVerificationsThatCannotBe(t *testing.T) {
	tests := []struct {
		reason string
		fetch  cataloguetest.Fetch
		opts   cataloguetest.Verification
		names  string
	}{
		{"no client", nil, cataloguetest.Verification{}, "Fetch"},
		{"no such collection", followsBlindly, cataloguetest.Verification{Collection: "magazines"}, `"magazines"`},
		{"a segment is no key", followsBlindly, cataloguetest.Verification{Collection: "item_variants"}, `"item_variants"`},
		{"no such pathology", followsBlindly, cataloguetest.Verification{Except: []string{"empty", "plague"}}, `"plague"`},
	}
	for _, tt := range tests {
		report, err := cataloguetest.CheckClient(tt.fetch, tt.opts)
		if err == nil || errors.Is(err, cataloguetest.ErrClientFailed) || !strings.Contains(err.Error(), tt.names) || report.Results != nil {
			t.Errorf("%s: %v, want an error that names %s", tt.reason, err, tt.names)
		}
	}
}

// Every collection has enough records to be verified with: who sees nothing of
// the second page lacks something in each.
func TestVerificationOfEveryCollection(t *testing.T) {
	var others []string // but two
	for _, e := range expected {
		if e.pathology != "one-record" && e.pathology != "many-pages" {
			others = append(others, e.pathology)
		}
	}
	for _, key := range []string{"events", "labels", "authors", "social-links", "books", "itemVariants", "news"} {
		fetch := func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
			about, _ := resources.Lookup(key)
			page, err := naiveGet(ctx, client, baseURL+"/api/"+about.Segment+"/")
			for _, r := range page.Results {
				ids = append(ids, r.ID)
			}
			return ids, err
		}
		report, err := cataloguetest.CheckClient(fetch, cataloguetest.Verification{Collection: key, Timeout: time.Minute, Except: others})
		if !errors.Is(err, cataloguetest.ErrClientFailed) || len(report.Results) != 2 {
			t.Fatalf("%s: %v\n%s", key, err, report)
		}
		many, one := report.Results[0].Problem, report.Results[1].Problem
		if !strings.HasPrefix(many, "returned 10 of 95 records") || one != "" {
			t.Errorf("%s:\n%s", key, report)
		}
	}
}

// TestVerifyClientInner is run by TestVerifyClient alone, and fails.
func TestVerifyClientInner(t *testing.T) {
	if os.Getenv("BACKLIST_NAIVE") == "" {
		t.Skip("for TestVerifyClient")
	}
	cataloguetest.VerifyClient(t, countsPages, cataloguetest.Verification{Timeout: time.Minute})
}

// The subtests that fail are those of the table, and say why.
func TestVerifyClient(t *testing.T) {
	self := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestVerifyClientInner$", "-test.v")
	self.Env = append(os.Environ(), "BACKLIST_NAIVE=1")
	out, err := self.CombinedOutput()
	if err == nil {
		t.Fatalf("it passes:\n%s", out)
	}
	got := map[string]string{}
	for _, m := range regexp.MustCompile(`--- (PASS|FAIL): TestVerifyClientInner/(\S+)`).FindAllStringSubmatch(string(out), -1) {
		got[m[2]] = m[1]
	}
	want := map[string]string{}
	for _, e := range expected {
		want[e.pathology] = "PASS"
		if strings.Contains(e.fails, "C") {
			want[e.pathology] = "FAIL"
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, out)
	}
	for _, line := range []string{
		"returned 10 of 25 records, not ",                                                // what was wrong
		"compare how many records came with count, and return an error if they differ\n", // what to do
		"GET /api/events/?offset=20: 200 OK\n",                                           // what was asked
	} {
		if !strings.Contains(string(out), line) {
			t.Errorf("nothing says %q:\n%s", line, out)
		}
	}
}

// What a client is told that goes where next leads, and asks nothing.
func ExampleCheckClient() {
	follow := func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
		for at := baseURL + "/api/events/"; at != ""; {
			r, err := http.NewRequestWithContext(ctx, "GET", at, nil)
			if err != nil {
				return nil, err
			}
			answer, err := client.Do(r)
			if err != nil {
				return nil, err
			}
			var page pagination.Envelope[resources.Event]
			err = json.NewDecoder(answer.Body).Decode(&page)
			answer.Body.Close()
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
	report, err := cataloguetest.CheckClient(follow, cataloguetest.Verification{Timeout: time.Minute})
	fmt.Println(errors.Is(err, cataloguetest.ErrClientFailed))
	for _, result := range report.Results {
		if result.Problem != "" {
			fmt.Println(result.Pathology)
		}
	}
	// Output:
	// true
	// next-is-self
	// next-cycle
	// empty-pages-with-next
	// next-on-other-host
	// next-without-tls
	// redirect-to-other-host
	// row-missing
	// row-repeated
	// row-repeated-for-another
	// record-deleted
}
