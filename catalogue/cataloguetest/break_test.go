package cataloguetest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// Keep this test similar to the package documentation.
func TestFirstEventUnavailable(t *testing.T) {
	house := cataloguetest.New(t)
	busy := house.Break(cataloguetest.Where{Collection: "events", Nth: 1}, cataloguetest.Status(503, "busy"))

	if _, err := firstEvent(house.Client, house.URL); err == nil {
		t.Error("no error of the first call")
	}
	if name, err := firstEvent(house.Client, house.URL); name == "" || err != nil {
		t.Errorf("second call: %q, %v", name, err)
	}
	if busy.Count() != 1 {
		t.Errorf("Count() = %d, want 1", busy.Count())
	}
}

func TestBreakAndMend(t *testing.T) {
	house := cataloguetest.New(t)
	house.Break(cataloguetest.Where{}, cataloguetest.Status(500, ""))
	gone := house.Break(cataloguetest.Where{Collection: "books"}, cataloguetest.Status(410, ""))
	expect := func(path string, want int) {
		t.Helper()
		if status, _ := get(t, house, path); status != want {
			t.Errorf("%s: status %d, want %d", path, status, want)
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
	expect("/api/", 200) // houses share no faults
}

// A fatalTB is a testing.TB that records the message of Fatalf.
type fatalTB struct {
	testing.TB
	message string
}

func (f *fatalTB) Helper() {}

// Fatalf panics, since it must not return.
func (f *fatalTB) Fatalf(format string, args ...any) {
	f.message = strings.TrimSpace(fmt.Sprintf(format, args...))
	panic(f)
}

func TestBreakInvalid(t *testing.T) {
	tb := &fatalTB{TB: t}
	house := cataloguetest.New(tb)
	defer func() {
		if recover() != tb {
			t.Error("Fatalf was not called")
		}
		const want = `cataloguetest: Break: Where.Collection: unknown collection: "magazines": want one of `
		if !strings.HasPrefix(tb.message, want) {
			t.Errorf("Fatalf(%q), want %q", tb.message, want)
		}
	}()
	house.Break(cataloguetest.Where{Collection: "magazines"}, cataloguetest.Cut())
}

func TestEveryFault(t *testing.T) {
	page := cataloguetest.Where{Method: http.MethodGet, Collection: "events", Page: cataloguetest.AtOffset(21)}
	for name, fault := range map[string]cataloguetest.Fault{
		"Status":            cataloguetest.Status(503, `{"detail":"Later."}`),
		"Unavailable":       cataloguetest.Unavailable(time.Second),
		"Header":            cataloguetest.Header("Retry-After", "1"),
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
				if resp, err := house.Client.Get(house.URL + path); err == nil {
					resp.Body.Close()
				}
			}
			if broken.Count() != 1 {
				t.Errorf("Count() = %d, want 1", broken.Count())
			}
		})
	}
}
