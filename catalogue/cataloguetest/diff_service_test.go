package cataloguetest_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/client"
)

// newClient serves a handler on a loopback port and returns a client of it.
func newClient(t testing.TB, h http.Handler) *client.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	service, err := client.New(client.Options{BaseURL: server.URL, Rate: -1})
	if err != nil {
		t.Fatal(err)
	}
	return service
}

func saved(t *testing.T, house *catalogue.Catalogue) string {
	t.Helper()
	var file strings.Builder
	if err := house.Save(&file); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

func TestDiffServiceEqual(t *testing.T) {
	house := cataloguetest.New(t)
	report, err := cataloguetest.DiffService(t.Context(), house.Catalogue, newClient(t, house.Handler))
	if report != "" || err != nil {
		t.Errorf("DiffService = %q, %v", report, err)
	}
}

// TestDiffServiceConcurrentWriter checks that the catalogue is read at the start of the
// call.
func TestDiffServiceConcurrentWriter(t *testing.T) {
	want := booksCatalogue(t, numbered(1, 3, "Book")...)
	h, err := httpapi.New(want.Clone(), httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := want.LoadCollection("books", strings.NewReader("[]")); err != nil {
			t.Error(err)
		}
		h.ServeHTTP(w, r)
	}))
	if report, err := cataloguetest.DiffService(t.Context(), want, service, "books"); report != "" || err != nil {
		t.Errorf("DiffService = %q, %v", report, err)
	}
	if err := want.Check(); err != nil {
		t.Error(err)
	}
}

func TestDiffServiceDiffers(t *testing.T) {
	want := cataloguetest.New(t).Catalogue
	house := cataloguetest.New(t)
	if err := house.Catalogue.Events().Delete(5); err != nil {
		t.Fatal(err)
	}
	id, err := house.Catalogue.SocialLinks().Insert(schema.SocialLink{Title: "New"})
	if err != nil {
		t.Fatal(err)
	}
	err = house.Catalogue.Labels().Update(3, func(l *schema.Label) error {
		l.Name = "Another Press"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before := saved(t, want)

	report, err := cataloguetest.DiffService(t.Context(), want, newClient(t, house.Handler))
	if !errors.Is(err, cataloguetest.ErrDiffers) || !strings.Contains(err.Error(), report) {
		t.Errorf("unexpected error %v", err)
	}
	for _, line := range []string{
		"\n  only in want: 5\n", fmt.Sprintf("\n  only in got: %d\n", id), "\n  record 3 (-want +got):\n", "Another Press",
	} {
		if !strings.Contains("\n"+report, line) {
			t.Errorf("report has no %q:\n%s", line, report)
		}
	}
	if n := strings.Count(report, ": want "); n != 3 {
		t.Errorf("report has %d collections, want 3:\n%s", n, report)
	}
	if saved(t, want) != before {
		t.Error("DiffService changed the catalogue")
	}
	for _, c := range []*catalogue.Catalogue{want, house.Catalogue} {
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	}

	report, err = cataloguetest.DiffService(t.Context(), want, newClient(t, house.Handler), "books", "labels")
	if !errors.Is(err, cataloguetest.ErrDiffers) || !strings.HasPrefix(report, "labels: want ") || strings.Count(report, ": want ") != 1 {
		t.Errorf("books and labels: %v", err)
	}
}

// TestDiffServiceForbiddenCollection checks that a collection that cannot be read is an
// error but not a difference.
func TestDiffServiceForbiddenCollection(t *testing.T) {
	want := cataloguetest.New(t).Catalogue
	house := cataloguetest.New(t)
	if err := house.Catalogue.Events().Delete(5); err != nil {
		t.Fatal(err)
	}
	service := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/carts/" {
			http.Error(w, "", http.StatusForbidden)
			return
		}
		house.Handler.ServeHTTP(w, r)
	}))
	report, err := cataloguetest.DiffService(t.Context(), want, service)
	if !errors.Is(err, cataloguetest.ErrDiffers) || !errors.Is(err, client.ErrInvalidPage) || !strings.Contains(err.Error(), "carts: ") {
		t.Errorf("unexpected error %v", err)
	}
	if !strings.HasPrefix(report, "events: ") || strings.Contains(report, "carts") {
		t.Errorf("unexpected report\n%s", report)
	}
	report, err = cataloguetest.DiffService(t.Context(), want, service, "carts")
	if report != "" || errors.Is(err, cataloguetest.ErrDiffers) || !errors.Is(err, client.ErrInvalidPage) {
		t.Errorf("carts: report %q, error %v", report, err)
	}
}

// TestDiffServiceChanges checks that a service that changes during the call leads to an
// error but not to a report.
func TestDiffServiceChanges(t *testing.T) {
	house := cataloguetest.New(t)
	want := house.Catalogue.Clone()
	service := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		house.Handler.ServeHTTP(w, r)
		if r.URL.Path != "/api/events/" {
			return
		}
		for e := range house.Catalogue.Events().All() {
			if err := house.Catalogue.Events().Delete(e.ID); err != nil {
				t.Error(err)
			}
			break
		}
	}))
	report, err := cataloguetest.DiffService(t.Context(), want, service)
	var page *client.PageError
	if report != "" || !errors.Is(err, client.ErrChanged) || !errors.As(err, &page) || page.Collection != "events" || page.Offset != 100 {
		t.Errorf("DiffService = %q, %v", report, err)
	}
	if err := house.Catalogue.Check(); err != nil {
		t.Error(err)
	}
}

// TestDiffServiceDateTimes uses a service that formats date-times differently.
func TestDiffServiceDateTimes(t *testing.T) {
	const event = `{"id":1,"name":"Reading","slug":"reading","startDate":"2026-05-10T18:00:00Z","endDate":"2026-05-10T20:00:00Z"}`
	want := catalogue.New()
	fill(t, want, "events", event)
	service := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"count": 1, "next": null, "previous": null, "results": [%s]}`, strings.ReplaceAll(event, `00Z`, `00.000000+00:00`))
	}))
	if report, err := cataloguetest.DiffService(t.Context(), want, service, "events"); err != nil {
		t.Errorf("DiffService = %q, %v", report, err)
	}
}

func TestDiffServiceCancelled(t *testing.T) {
	house := cataloguetest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if report, err := cataloguetest.DiffService(ctx, house.Catalogue, newClient(t, house.Handler)); report != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("DiffService = %q, %v", report, err)
	}
	// A nil catalogue equals an empty service.
	empty, err := httpapi.New(catalogue.New(), httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report, err := cataloguetest.DiffService(t.Context(), nil, newClient(t, empty)); report != "" || err != nil {
		t.Errorf("DiffService = %q, %v", report, err)
	}
}

func twoBooks() *catalogue.Catalogue {
	house := catalogue.New()
	if err := house.LoadCollection("books", strings.NewReader(`[{"id":1,"name":"Atlante"},{"id":2,"name":"Onda"}]`)); err != nil {
		log.Fatal(err)
	}
	return house
}

func ExampleDiff() {
	want := twoBooks()
	got := want.Clone()
	books, err := got.Records("books")
	if err != nil {
		log.Fatal(err)
	}
	if err := books.Delete(2); err != nil {
		log.Fatal(err)
	}
	fmt.Print(cataloguetest.Diff(want, got))
	// Output:
	// books: want 2 records, got 1
	//   only in want: 2
	//   record 2 (only in want): {"id":2,"name":"Onda"}
}

func ExampleDiffService() {
	// A server that stands for the remote service.
	handler, err := httpapi.New(twoBooks(), httpapi.Options{})
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()

	service, err := client.New(client.Options{BaseURL: server.URL})
	if err != nil {
		log.Fatal(err)
	}
	want := twoBooks()
	if err := want.LoadCollection("books", strings.NewReader(`[{"id":1,"name":"Atlante"}]`)); err != nil {
		log.Fatal(err)
	}
	report, err := cataloguetest.DiffService(context.Background(), want, service, "books", "authors")
	fmt.Println(errors.Is(err, cataloguetest.ErrDiffers))
	fmt.Print(report)
	// Output:
	// true
	// books: want 1 record, got 2
	//   only in got: 2
	//   record 2 (only in got): {"id":2,"name":"Onda"}
}
