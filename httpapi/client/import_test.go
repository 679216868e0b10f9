package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// An import over HTTP results in an equal catalogue, regardless of the page size.
func TestImportCatalogue(t *testing.T) {
	cat := sampleCatalogue(t)
	for _, size := range []int{13, 1000} {
		checkImport(t, cat, serve(t, newHandler(t, cat), size))
	}
}

// The client adopts the page size of a service with smaller pages.
func TestImportSmallerPages(t *testing.T) {
	cat := sampleCatalogue(t)
	h, err := httpapi.New(cat, httpapi.Options{Limits: pagination.Limits{Max: 5}})
	if err != nil {
		t.Fatal(err)
	}
	copied := mustNew()
	report, err := client.Import(t.Context(), copied, serve(t, h, 100), "labels")
	if err != nil {
		t.Fatal(err)
	}
	n := mustIn(resources.Labels, cat).Count()
	if pages := (n - 1 + 3) / 4; report[0].Pages != pages || report[0].Records != n {
		t.Errorf("Import = %v, want %d labels in %d pages", report, n, pages)
	}
	if got := mustIn(resources.Labels, copied).Count(); got != n {
		t.Errorf("Count() = %d, want %d", got, n)
	}
}

// A collection that cannot be read keeps its records, and the others are imported.
func TestImportForbiddenCollection(t *testing.T) {
	cat := sampleCatalogue(t)
	h := newHandler(t, cat)
	service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/carts/" {
			http.Error(w, `{"detail":"Authentication credentials were not provided."}`, http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	}), 100)
	copied := mustNew()
	load(t, copied, "carts", books(1234))
	report, err := client.Import(t.Context(), copied, service)
	if !errors.Is(err, client.ErrInvalidPage) || !strings.Contains(err.Error(), "carts: ") || !strings.Contains(err.Error(), "401") {
		t.Errorf("Import: error %v, want ErrInvalidPage of carts with 401", err)
	}
	load(t, cat, "carts", books(1234))
	if diff := cataloguetest.Diff(cat, copied); diff != "" {
		t.Error(diff)
	}
	for _, c := range report {
		if (c.Err != nil) != (c.Collection == "carts") || c.Err != nil && !strings.HasPrefix(c.Err.Error(), "carts: offset 0: not a page: status 401 (http") {
			t.Errorf("%s: error %v", c.Collection, c.Err)
		}
	}
	if len(report) != 39 {
		t.Errorf("report:\n%v", report)
	}
}

// A collection with a record that the catalogue rejects is not loaded.
func TestImportInvalidRecord(t *testing.T) {
	type book struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	cat := mustNew()
	load(t, cat, "books", []json.RawMessage{[]byte(`{"id":1,"name":"Onda"}`), []byte(`{"id":2,"name":7}`)})
	into, err := resources.New(catalogue.Define[book]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Import(t.Context(), into, serve(t, newHandler(t, cat), 100))
	var invalid *catalogue.RecordError
	if !errors.As(err, &invalid) || invalid.Collection != "books" || invalid.Index != 1 || invalid.Field != "name" {
		t.Errorf("Import: error %v, want a RecordError of the second book", err)
	}
	if report := cataloguetest.Diff(nil, into); report != "" {
		t.Error(report)
	}
}

func TestImportKeys(t *testing.T) {
	cat := sampleCatalogue(t)
	copied := mustNew()
	report, err := client.Import(t.Context(), copied, serve(t, newHandler(t, cat), 100), "labels", "shelves", "itemVariants")
	if !errors.Is(err, catalogue.ErrUnknownCollection) || !strings.Contains(err.Error(), `"shelves"`) {
		t.Errorf("Import: error %v, want ErrUnknownCollection", err)
	}
	if len(report) != 3 || report[0].Err != nil || report[1].Err == nil || report[2].Err != nil {
		t.Errorf("report:\n%v", report)
	}
	for key, c := range copied.All() {
		want := 0
		if key == "labels" || key == "itemVariants" {
			original, err := cat.Collection(key)
			if err != nil {
				t.Fatal(err)
			}
			want = original.Count()
		}
		if c.Count() != want {
			t.Errorf("%s: %d records, want %d", key, c.Count(), want)
		}
	}
}

// cancelingSource is a source that cancels the context during Walk.
type cancelingSource struct {
	cancel context.CancelFunc
	record string
}

func (cancelingSource) Keys(context.Context) ([]string, error) {
	return []string{"books", "labels", "faqs"}, nil
}

func (s cancelingSource) Walk(context.Context, string) (client.Walk, error) {
	s.cancel()
	return client.Walk{Records: [][]byte{[]byte(s.record)}, Pages: 1}, nil
}

// An import that was canceled before the last collection returns an error, even if all
// collections so far were loaded.
func TestCanceledImport(t *testing.T) {
	for _, c := range []struct {
		name, reason, record string
		keys                 []string
		want                 string
	}{
		{"before the last collection", "two are left", `{"id":1}`, nil, "client: context canceled: not read: labels, faqs"},
		{"after the last collection", "none is left", `{"id":1}`, []string{"books"}, ""},
		{"during a failing collection", "one is left", `{"id":"x"}`, []string{"books", "faqs"}, "\nclient: context canceled: not read: faqs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			ctx, cancel := context.WithCancel(t.Context())
			into := mustNew()
			report, err := client.Import(ctx, into, cancelingSource{cancel, c.record}, c.keys...)
			switch {
			case len(report) != 1:
				t.Errorf("report has %d collections, want 1:\n%v", len(report), report)
			case c.want == "" && err != nil:
				t.Errorf("Import: error %v, want nil", err)
			case c.want != "" && (!errors.Is(err, context.Canceled) || !strings.HasSuffix(err.Error(), c.want)):
				t.Errorf("Import: error %v, want one ending in %q", err, c.want)
			}
			if err := into.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}
