package browse

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// Only the failing collection is shown without a count.
func TestRootWithFailingCollection(t *testing.T) {
	var all []httpapi.Collection
	for _, c := range load(t, books(3)).All() {
		if all = append(all, c); c.Description().Key == "events" {
			all[len(all)-1] = failingList{c}
		}
	}
	h, err := httpapi.NewHandler(all, httpapi.Options{})
	must(t, err)
	got := get(browsing(t, h, Options{}), "/api/")
	if got.status != 200 || !strings.Contains(got.text, "Books 3 records") || !strings.Contains(got.text, "Events Expenses") {
		t.Errorf("GET /api/: %d %s", got.status, got.text)
	}
}

// A failingList is a collection whose List fails.
type failingList struct{ catalogue.AnyCollection }

func (failingList) List(context.Context, catalogue.Query) (catalogue.Listing, error) {
	return catalogue.Listing{Count: 7}, errors.New("no list")
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %s, want %s", n, got, want)
		}
	}
}
