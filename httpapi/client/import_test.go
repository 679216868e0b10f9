package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
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
	report, err := importAll(t.Context(), copied, serve(t, h, 100), "labels")
	if err != nil {
		t.Fatal(err)
	}
	n := mustIn(resources.Labels, cat).Count()
	if report[0].Records != n {
		t.Errorf("Import = %v, want %d labels", report, n)
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
	report, err := importAll(t.Context(), copied, service)
	if !errors.Is(err, client.ErrInvalidPage) || !strings.Contains(err.Error(), "carts: ") || !strings.Contains(err.Error(), "401") {
		t.Errorf("Import: error %v, want ErrInvalidPage of carts with 401", err)
	}
	load(t, cat, "carts", books(1234))
	if diff := cmp.Diff(save(t, cat), save(t, copied)); diff != "" {
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
	_, err = importAll(t.Context(), into, serve(t, newHandler(t, cat), 100))
	var invalid *catalogue.RecordError
	if !errors.As(err, &invalid) || invalid.Collection != "books" || invalid.Index != 1 || invalid.Field != "name" {
		t.Errorf("Import: error %v, want a RecordError of the second book", err)
	}
	if text := save(t, into); strings.Contains(text, `"id":1`) {
		t.Errorf("records were loaded: %s", text)
	}
}

func TestImportKeys(t *testing.T) {
	cat := sampleCatalogue(t)
	copied := mustNew()
	report, err := importAll(t.Context(), copied, serve(t, newHandler(t, cat), 100), "labels", "shelves", "itemVariants")
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

// An import that is canceled does not read the collections that are left.
func TestCanceledImport(t *testing.T) {
	cat := sampleCatalogue(t)
	for _, c := range []struct {
		reason string
		keys   []string
		read   int // collections with an error or without one
		fails  bool
	}{
		{"two are left", []string{"labels", "faqs", "books"}, 2, true},
		{"none is left", []string{"labels"}, 1, false},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		service := serve(t, newHandler(t, cat), 1000)
		var report []client.Imported
		for imported := range service.Import(ctx, mustNew(), c.keys...) {
			report = append(report, imported)
			cancel()
		}
		if len(report) != c.read || report[0].Err != nil || c.fails && !errors.Is(report[1].Err, context.Canceled) {
			t.Errorf("%s: %v, want %d results", c.reason, report, c.read)
		}
		cancel()
	}
}
