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
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// expected lists the clients that fail each pathology, and why: F is followNext, D is
// ignoreErrors, C is countPages, L is trustLimit, and N is compareCount.
var expected = []struct{ pathology, fails, reason string }{
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
		fetch  cataloguetest.Fetch
	}{
		{"F", followNext}, {"D", ignoreErrors}, {"C", countPages}, {"L", trustLimit}, {"N", compareCount},
	}
	for _, c := range clients {
		t.Run(c.letter, func(t *testing.T) {
			t.Parallel()
			report, err := cataloguetest.CheckClient(c.fetch, cataloguetest.Verification{Timeout: time.Minute})
			if !errors.Is(err, cataloguetest.ErrClientFailed) {
				t.Fatalf("CheckClient: error %v, want %v", err, cataloguetest.ErrClientFailed)
			}
			var want, got []string
			for _, e := range expected {
				fails := slices.Contains(strings.Fields(e.fails), c.letter)
				want = append(want, e.pathology+" "+passes(!fails))
				if fails && e.pathology == "several-pages" {
					break
				}
			}
			for _, r := range report.Results {
				got = append(got, r.Pathology+" "+passes(r.Problem == ""))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, report)
			}
			if skipped := strings.Contains(report.Results[0].Problem, "31 other pathologies are skipped"); skipped != (len(want) == 1) {
				t.Errorf("first problem %q of %d results", report.Results[0].Problem, len(got))
			}
		})
	}
}

// TestClientsWithOneMistake uses clients that fail in a single pathology.
func TestClientsWithOneMistake(t *testing.T) {
	for _, tt := range []struct {
		reason     string
		fetch      cataloguetest.Fetch
		collection string
		fails      string
	}{
		{"net/http retries the first request that is cut", endOnError, "events", "cut-before-header"},
		{"small pages arrive at once unless they are slow", readOnce("/api/attribute-types/"), "attribute-types", "slow-body"},
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

func TestInvalidVerification(t *testing.T) {
	tests := []struct {
		reason string
		fetch  cataloguetest.Fetch
		opts   cataloguetest.Verification
		text   string // in the error
	}{
		{"nil Fetch", nil, cataloguetest.Verification{}, "Fetch"},
		{"unknown collection", followNext, cataloguetest.Verification{Collection: "magazines"}, `"magazines"`},
		{"segment instead of key", followNext, cataloguetest.Verification{Collection: "item_variants"}, `"item_variants"`},
		{"unknown pathology", followNext, cataloguetest.Verification{Except: []string{"empty", "unknown"}}, `"unknown"`},
	}
	for _, tt := range tests {
		report, err := cataloguetest.CheckClient(tt.fetch, tt.opts)
		if err == nil || errors.Is(err, cataloguetest.ErrClientFailed) || !strings.Contains(err.Error(), tt.text) || report.Results != nil {
			t.Errorf("%s: %v, want an error containing %q", tt.reason, err, tt.text)
		}
	}
}

// TestVerificationCollections checks that each kind of collection has enough records for
// several pages.
func TestVerificationCollections(t *testing.T) {
	var others []string // all pathologies but two
	for _, e := range expected {
		if e.pathology != "one-record" && e.pathology != "many-pages" {
			others = append(others, e.pathology)
		}
	}
	for _, key := range []string{"events", "labels", "authors", "social-links", "books", "itemVariants", "news"} {
		fetch := func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
			about, _ := schema.Lookup(key)
			page, err := getPage(ctx, client, baseURL+"/api/"+about.Segment+"/")
			for _, r := range page.Results {
				ids = append(ids, r.ID)
			}
			return ids, err
		}
		report, err := cataloguetest.CheckClient(fetch, cataloguetest.Verification{Collection: key, Timeout: time.Minute, Except: others})
		if !errors.Is(err, cataloguetest.ErrClientFailed) || len(report.Results) != 2 {
			t.Fatalf("%s: error %v\n%s", key, err, report)
		}
		many, one := report.Results[0].Problem, report.Results[1].Problem
		if !strings.HasPrefix(many, "returned 10 of 95 records") || one != "" {
			t.Errorf("%s: unexpected report\n%s", key, report)
		}
	}
}

// TestVerifyClientFails is run by TestVerifyClient in another process, and fails.
func TestVerifyClientFails(t *testing.T) {
	if os.Getenv("BACKLIST_VERIFY_FAILS") == "" {
		t.Skip("run by TestVerifyClient")
	}
	cataloguetest.VerifyClient(t, countPages, cataloguetest.Verification{Timeout: time.Minute})
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
		want[e.pathology] = "PASS"
		if strings.Contains(e.fails, "C") {
			want[e.pathology] = "FAIL"
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

// A client that follows next links without any check fails ten pathologies.
func ExampleCheckClient() {
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
			var page pagination.Envelope[schema.Event]
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
