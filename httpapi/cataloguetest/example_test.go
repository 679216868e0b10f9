package cataloguetest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// The following are tests and not examples, since a server needs a testing.TB. Keep
// them similar to the package documentation.

// eventNames is the code under test. It returns the names of all events.
func eventNames(ctx context.Context, client *http.Client, base string) (names []string, err error) {
	next := base + "/api/events/"
	for next != "" {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, next, nil)
		if err != nil {
			return nil, err
		}
		resp, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		var page pagination.Envelope[resources.Event]
		err = json.NewDecoder(resp.Body).Decode(&page)
		resp.Body.Close()
		if err != nil {
			return nil, err
		}
		for _, event := range page.Records {
			names = append(names, event.Name)
		}
		next = page.Next
	}
	return names, nil
}

func TestEventNames(t *testing.T) {
	server := cataloguetest.New(t)
	names, err := eventNames(t.Context(), server.Client, server.URL)
	if len(names) != eventsOf(t, server.Catalogue).Count() || err != nil {
		t.Errorf("eventNames = %d names, %v", len(names), err)
	}
	if pages := len(server.Exchanges()); pages != 15 {
		t.Errorf("%d requests, want 15", pages)
	}
}

// TestEventNamesUnavailable makes the second page fail, an hour after the request for the
// first.
func TestEventNamesUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := cataloguetest.New(t)
		slow := server.Inject(cataloguetest.Match{Nth: 1}, cataloguetest.Delay(time.Hour))
		server.Inject(
			cataloguetest.Match{Query: url.Values{"offset": {"21"}}},
			cataloguetest.Status(503, "busy"))

		_, err := eventNames(t.Context(), server.Client, server.URL)
		if err == nil || slow.Count() != 1 {
			t.Errorf("error %v after %d delays", err, slow.Count())
		}
	})
}

func eventsOf(t *testing.T, c *catalogue.Catalogue) *catalogue.Collection[resources.Event] {
	t.Helper()
	events, err := resources.Events.In(c)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// The service has version 3.18 of the framework, and pages with numbers.
func ExampleOptions_pages() {
	server, err := cataloguetest.Open(cataloguetest.Options{
		Handler: httpapi.Options{Pages: pagination.Numbers{Size: "page_size"}, Framework: schema.DRF318(nil)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	resp, err := server.Client.Get(server.URL + "/api/events/?page_size=50&page=last")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	var page pagination.Envelope[resources.Event]
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(page.Records), page.Count)
	fmt.Println(page.Previous)
	// Output:
	// 50 300
	// http://catalogue.test/api/events/?page=5&page_size=50
}

// A file says what the service has.
func ExampleOptions_file() {
	server, err := cataloguetest.Open(cataloguetest.Options{File: "testdata/db.json"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	resp, err := server.Client.Get(server.URL + "/api/posts/?authorId__name=Bob")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Println(string(body), err)
	// Output:
	// {"count":1,"next":null,"previous":null,"results":[{"id":2,"title":"Second","authorId":8}]} <nil>
}

// A program has no testing.TB.
func ExampleOpen_program() {
	server, err := cataloguetest.Open(cataloguetest.Options{MaxExchanges: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	busy, err := server.TryInject(cataloguetest.Match{Path: "/api/events/"}, cataloguetest.Status(503, "busy"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"/api/books/", "/api/events/"} {
		resp, err := server.Client.Get(server.URL + path)
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
		fmt.Println(path, resp.StatusCode)
	}
	for _, e := range server.Exchanges() { // the last one
		fmt.Println(e.Method, e.URL, e.Status, busy.Count())
	}
	// Output:
	// /api/books/ 200
	// /api/events/ 503
	// GET /api/events/ 503 1
}

// A program prints the names that nothing reads. A test with [cataloguetest.NewWith] fails for them
// without an option.
func ExampleOptions_ignored() {
	server, err := cataloguetest.Open(cataloguetest.Options{
		Definitions: []catalogue.AnyDefinition{films},
		Ignored:     []string{"utm_source"},
		OnIgnored:   func(_ *http.Request, name, hint string) { fmt.Println(name + ": " + hint) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	for _, query := range []string{"?utm_source=letter", "?ordering=-nmae", "?limt=2"} {
		resp, err := server.Client.Get(server.URL + "/api/films/" + query)
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
	}
	// Output:
	// nmae: did you mean name?
	// limt: did you mean limit?
}
