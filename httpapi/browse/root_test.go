package browse

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
)

// Only the failing collection is shown without a count.
func TestRootWithFailingCollection(t *testing.T) {
	h := newHandlers(t, load(t, books(3)), httpapi.Options{})
	failing := around(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/events/" {
			http.Error(w, `{"count":7}`, 500)
			return
		}
		h.plain.ServeHTTP(w, r)
	})
	got := get(failing, "/api/")
	if got.status != 200 || !strings.Contains(got.text, "Books 3 records") || !strings.Contains(got.text, "Events Expenses") {
		t.Errorf("GET /api/: %d %s", got.status, got.text)
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %s, want %s", n, got, want)
		}
	}
}
