package cataloguetest_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// runHouse runs a test with a house to its end and returns its logs and failures.
func runHouse(t *testing.T, opts cataloguetest.Options, test func(house *cataloguetest.House)) (logs, failures []string) {
	t.Helper()
	r := &recorder{TB: t}
	test(cataloguetest.NewWith(r, opts))
	r.end()
	return r.logs, r.errors
}

// here returns the file and the line that is n lines below the caller's.
func here(n int) string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line+n)
}

func TestUnusedFaults(t *testing.T) {
	var at string
	tests := []struct {
		reason string
		test   func(house *cataloguetest.House)
		want   string // with AT for the place of the call; empty: nothing is reported
	}{
		{"no fault", func(house *cataloguetest.House) { getAll(t, house, "/api/") }, ""},
		{"used", func(house *cataloguetest.House) {
			house.Break(cataloguetest.Where{}, cataloguetest.Status(503, "busy"))
			getAll(t, house, "/api/")
		}, ""},
		{"used and mended", func(house *cataloguetest.House) {
			b := house.Break(cataloguetest.Where{}, cataloguetest.Status(503, "busy"))
			getAll(t, house, "/api/")
			b.Mend()
			house.Mend()
		}, ""},
		{"no request", func(house *cataloguetest.House) {
			at = here(1)
			house.Break(cataloguetest.Where{Collection: "events", Method: "GET"}, cataloguetest.Status(503, "busy"))
			getAll(t, house, "/api/", "/api/books/")
		}, `cataloguetest: AT: Break(Where{Method: "GET", Collection: "events"}, Status(503, "busy")) changed no response: no request matched its Where`},
		{"too few requests", func(house *cataloguetest.House) {
			at = here(1)
			house.Break(cataloguetest.Where{Collection: "events", Nth: 3}, cataloguetest.Delay(time.Minute))
			getAll(t, house, "/api/events/", "/api/books/", "/api/events/")
		}, `cataloguetest: AT: Break(Where{Collection: "events", Nth: 3}, Delay(1m0s)) changed no response: requests that matched: 2; Share, After and Nth selected none of them`},
		{"a fault of pages and no page", func(house *cataloguetest.House) {
			at = here(1)
			house.Break(cataloguetest.Where{}, cataloguetest.MissingRow())
			getAll(t, house, "/api/")
		}, `cataloguetest: AT: Break(Where{}, MissingRow()) changed no response: requests that matched: 1, of which 1 were selected; the fault could not change their responses`},
		{"mended alone", func(house *cataloguetest.House) {
			at = here(1)
			house.Break(cataloguetest.Where{}, cataloguetest.Cut()).Mend()
			getAll(t, house, "/api/")
		}, `cataloguetest: AT: Break(Where{}, Cut()) changed no response: no request matched its Where`},
		{"mended with all", func(house *cataloguetest.House) {
			at = here(1)
			house.Break(cataloguetest.Where{}, cataloguetest.Cut())
			house.Mend()
			getAll(t, house, "/api/")
		}, `cataloguetest: AT: Break(Where{}, Cut()) changed no response: no request matched its Where`},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			logs, failures := runHouse(t, cataloguetest.Options{}, tt.test)
			var want []string
			if tt.want != "" {
				want = []string{strings.Replace(tt.want, "AT", at, 1)}
			}
			if diff := cmp.Diff(want, logs); diff != "" || failures != nil {
				t.Errorf("logs (-want +got):\n%s\nfailures %q", diff, failures)
			}
			_, failures = runHouse(t, cataloguetest.Options{RequireFaults: true}, tt.test)
			if diff := cmp.Diff(want, failures); diff != "" {
				t.Errorf("failures with RequireFaults (-want +got):\n%s", diff)
			}
		})
	}
}

// A skipped is a testing.TB of a test that has been skipped.
type skipped struct{ *recorder }

func (skipped) Skipped() bool { return true }

func TestUnusedFaultsOfSkippedTest(t *testing.T) {
	tb := skipped{&recorder{TB: t}}
	house := cataloguetest.NewWith(tb, cataloguetest.Options{RequireFaults: true})
	house.Break(cataloguetest.Where{}, cataloguetest.Cut())
	tb.end()
	if tb.logs != nil || tb.errors != nil {
		t.Errorf("logs %q, failures %q", tb.logs, tb.errors)
	}
}

// TestUnusedFaultsBounded checks that at most ten faults are reported, each with a text of
// bounded length.
func TestUnusedFaultsBounded(t *testing.T) {
	logs, _ := runHouse(t, cataloguetest.Options{}, func(house *cataloguetest.House) {
		for range 25 {
			house.Break(cataloguetest.Where{}, cataloguetest.Status(http.StatusOK, strings.Repeat("x", 5000)))
		}
	})
	if len(logs) != 11 || logs[10] != "cataloguetest: and 15 more faults changed no response" {
		t.Errorf("%d logs, the last %q", len(logs), logs[len(logs)-1])
	}
	for _, line := range logs {
		if len(line) > 250 {
			t.Errorf("a log of %d bytes: %s", len(line), line)
		}
	}
}

// TestUnavailable checks the header Retry-After, which holds whole seconds.
func TestUnavailable(t *testing.T) {
	for after, want := range map[time.Duration]string{
		0: "0", time.Nanosecond: "1", time.Second: "1", 1500 * time.Millisecond: "2", time.Hour: "3600",
	} {
		house := cataloguetest.New(t)
		house.Break(cataloguetest.Where{}, cataloguetest.Unavailable(after))
		resp, err := house.Client.Get(house.URL + "/api/events/")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Header.Get("Retry-After"); got != want || resp.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("Unavailable(%v): status %d, Retry-After %q, want 503 and %q", after, resp.StatusCode, got, want)
		}
	}
}
