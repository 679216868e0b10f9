package cataloguetest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// withLogin returns a handler that also serves POST /login.
func withLogin(collections http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", collections)
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"token":"s3cret"}`)
	})
	return mux
}

func TestOptionsWrap(t *testing.T) {
	house := cataloguetest.NewWith(t, cataloguetest.Options{Wrap: withLogin})
	busy := house.Break(cataloguetest.Where{Path: "/login", Nth: 1}, cataloguetest.Status(503, "busy"))
	house.Break(cataloguetest.Where{Collection: "events"}, cataloguetest.CountShrinks(1))
	if resp := send(t, house, "POST /login", "{}"); resp.StatusCode != http.StatusServiceUnavailable || busy.Count() != 1 {
		t.Errorf("first login: %s, Count() = %d", resp.Status, busy.Count())
	}
	if resp := send(t, house, "POST /login", "{}"); resp.StatusCode != http.StatusOK {
		t.Errorf("second login: %s", resp.Status)
	}
	if p := page(t, house, "/api/events/"); p.Count != house.Catalogue.Events().Count()-1 {
		t.Errorf("%d events, want one less than %d", p.Count, house.Catalogue.Events().Count())
	}
	house.Asked(t, "POST /login", "POST /login", "GET /api/events/")
	if e := house.Exchanges()[1]; string(e.Answer) != `{"token":"s3cret"}` {
		t.Errorf("logged response %s", e.Answer)
	}
	message := failureOf(t, func(tb testing.TB) { house.NeverWrote(tb) })
	if !strings.Contains(message, "POST /login: 200") {
		t.Errorf("NeverWrote: %q", message)
	}
}

func TestOptionsWrapNil(t *testing.T) {
	got := failureOf(t, func(tb testing.TB) {
		cataloguetest.NewWith(tb, cataloguetest.Options{Wrap: func(http.Handler) http.Handler { return nil }})
	})
	if want := "cataloguetest: options: Wrap returned a nil handler"; got != want {
		t.Errorf("failed with %q, want %q", got, want)
	}
}
