package cataloguetest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// What a test with faults looks like: the second request for a page is answered
// with 503, and the program is to ask again.
func TestFirstEventWhenTheServiceIsBusy(t *testing.T) {
	house := cataloguetest.New(t)
	busy := house.Break(cataloguetest.Where{Collection: "events", Nth: 1}, cataloguetest.Status(503, "busy"))

	if _, err := firstEvent(house.Client, house.URL); err == nil {
		t.Error("no error while the service is busy")
	}
	if name, err := firstEvent(house.Client, house.URL); name == "" || err != nil {
		t.Errorf("the service is not busy any more: %q, %v", name, err)
	}
	if busy.Count() != 1 {
		t.Errorf("the service was busy %d times", busy.Count())
	}
}

func TestBreakAndMend(t *testing.T) {
	house := cataloguetest.New(t)
	house.Break(cataloguetest.Where{}, cataloguetest.Status(500, ""))
	gone := house.Break(cataloguetest.Where{Collection: "books"}, cataloguetest.Status(410, ""))
	expect := func(path string, want int) {
		t.Helper()
		if status, _ := get(t, house, path); status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
	}
	expect("/api/books/", 410)
	expect("/api/", 500)
	gone.Mend()
	expect("/api/books/", 500)
	house.Mend()
	expect("/api/books/", 200)
	expect("/api/", 200)

	other := cataloguetest.New(t)
	other.Break(cataloguetest.Where{}, cataloguetest.Status(500, ""))
	expect("/api/", 200) // houses share nothing
}

// refusedTB is a testing.TB that remembers how it was failed.
type refusedTB struct {
	testing.TB
	said string
}

func (f *refusedTB) Helper() {}

// Fatalf ends the goroutine, as that of a test does.
func (f *refusedTB) Fatalf(format string, args ...any) {
	f.said = strings.TrimSpace(fmt.Sprintf(format, args...))
	panic(f)
}

func TestBreakRefusesNonsense(t *testing.T) {
	tb := &refusedTB{TB: t}
	house := cataloguetest.New(tb)
	defer func() {
		if recover() != tb {
			t.Error("it did not fail at once")
		}
		const want = `cataloguetest: Break: Where.Collection: the document has no collection "magazines"`
		if tb.said != want {
			t.Errorf("it said %q", tb.said)
		}
	}()
	house.Break(cataloguetest.Where{Collection: "magazines"}, cataloguetest.Cut())
}

// Each kind of fault once, as an index of what there is.
func TestBreakIndex(t *testing.T) {
	page := cataloguetest.Where{Method: http.MethodGet, Collection: "events", Page: cataloguetest.AtOffset(21)}
	for name, fault := range map[string]cataloguetest.Fault{
		"Status":            cataloguetest.Status(503, `{"detail":"Later."}`),
		"Header":            cataloguetest.Header("Retry-After", "1"),
		"ContentType":       cataloguetest.ContentType("text/html"),
		"Delay":             cataloguetest.Delay(time.Millisecond),
		"Slow":              cataloguetest.Slow(4096, time.Millisecond),
		"Cut":               cataloguetest.Cut(),
		"CutAfter":          cataloguetest.CutAfter(100),
		"Truncate":          cataloguetest.Truncate(100),
		"NextIsSelf":        cataloguetest.NextIsSelf(),
		"NextCycle":         cataloguetest.NextCycle(),
		"NextHost":          cataloguetest.NextHost("elsewhere.example"),
		"NextScheme":        cataloguetest.NextScheme("https"),
		"EmptyPageWithNext": cataloguetest.EmptyPageWithNext(),
		"MissingRow":        cataloguetest.MissingRow(),
		"RepeatedRow":       cataloguetest.RepeatedRow(),
		"CountShrinks":      cataloguetest.CountShrinks(1),
	} {
		t.Run(name, func(t *testing.T) {
			house := cataloguetest.New(t)
			broken := house.Break(page, fault)
			for _, path := range []string{"/api/events/", "/api/events/?offset=21", "/api/books/?offset=21"} {
				if answer, err := house.Client.Get(house.URL + path); err == nil {
					answer.Body.Close()
				}
			}
			if broken.Count() != 1 {
				t.Errorf("it has happened %d times in three requests, one of them for that page", broken.Count())
			}
		})
	}
}
