package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/pagination"
)

// A second instance of the service, over loopback, becomes the same house, whatever
// the size of a page.
func TestImportIsTheWholeHouse(t *testing.T) {
	house := sampled(t)
	for _, size := range []int{13, 1000} {
		copied := catalogue.New()
		report, err := client.Import(t.Context(), copied, serve(t, handler(t, house), size))
		if err != nil {
			t.Fatal(err)
		}
		if len(report) != 39 {
			t.Errorf("%d collections were imported", len(report))
		}
		if diff := cataloguetest.Diff(house, copied); diff != "" {
			t.Errorf("pages of %d:\n%s", size, diff)
		}
		if saved(t, house) != saved(t, copied) {
			t.Errorf("pages of %d: it is saved in other bytes", size)
		}
		if err := copied.Check(); err != nil {
			t.Error(err)
		}
	}
}

// A service that gives smaller pages than are asked for is read in those.
func TestImportInPagesOfTheService(t *testing.T) {
	house := sampled(t)
	h, err := httpapi.New(house, httpapi.Options{Limits: pagination.Limits{Max: 5}})
	if err != nil {
		t.Fatal(err)
	}
	copied := catalogue.New()
	report, err := client.Import(t.Context(), copied, serve(t, h, 100), "labels")
	if err != nil {
		t.Fatal(err)
	}
	n := house.Labels().Count()
	if pages := (n - 1 + 3) / 4; report[0].Pages != pages || report[0].Records != n {
		t.Errorf("%d labels in %d pages: %v", n, pages, report)
	}
	if saved := copied.Labels().Count(); saved != n {
		t.Errorf("%d labels of %d", saved, n)
	}
}

// What cannot be read stays as it is, and does not keep the rest out.
func TestImportOfWhatIsShown(t *testing.T) {
	house := sampled(t)
	h := handler(t, house)
	service := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/carts/" {
			http.Error(w, `{"detail":"Authentication credentials were not provided."}`, http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	}), 100)
	copied := catalogue.New()
	load(t, copied, "carts", books(1234))
	report, err := client.Import(t.Context(), copied, service)
	if !errors.Is(err, client.ErrInvalidPage) || !strings.Contains(err.Error(), "carts: ") || !strings.Contains(err.Error(), "401") {
		t.Errorf("error %v", err)
	}
	load(t, house, "carts", books(1234))
	if diff := cataloguetest.Diff(house, copied); diff != "" {
		t.Error(diff)
	}
	for _, c := range report {
		if (c.Err != nil) != (c.Collection == "carts") {
			t.Error(c)
		}
	}
	if len(report) != 39 || !strings.Contains(report.String(), "\ncarts: not loaded: offset 0: not a page: status 401 (http") {
		t.Errorf("report:\n%v", report)
	}
}

// A record that the catalogue does not take keeps its collection out.
func TestImportOfBadRecords(t *testing.T) {
	type book struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	house := catalogue.New()
	load(t, house, "books", []json.RawMessage{[]byte(`{"id":1,"name":"Onda"}`), []byte(`{"id":2,"name":7}`)})
	into, err := catalogue.NewWith(catalogue.Define[book]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Import(t.Context(), into, serve(t, handler(t, house), 100))
	var bad *catalogue.RecordError
	if !errors.As(err, &bad) || bad.Collection != "books" || bad.Index != 1 || bad.Field != "name" {
		t.Errorf("error %v", err)
	}
	if report := cataloguetest.Diff(nil, into); report != "" {
		t.Error(report)
	}
}

func TestImportOfNamedCollections(t *testing.T) {
	house := sampled(t)
	copied := catalogue.New()
	report, err := client.Import(t.Context(), copied, serve(t, handler(t, house), 100), "labels", "shelves", "itemVariants")
	if !errors.Is(err, catalogue.ErrUnknownCollection) || !strings.Contains(err.Error(), `"shelves"`) {
		t.Errorf("error %v", err)
	}
	if len(report) != 3 || report[0].Err != nil || report[1].Err == nil || report[2].Err != nil {
		t.Errorf("report:\n%v", report)
	}
	for key, c := range copied.All() {
		want := 0
		if key == "labels" || key == "itemVariants" {
			original, err := house.Encoded(key)
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

// ending is a source whose context ends while a collection is read, whole or not.
type ending struct {
	end    context.CancelFunc
	record string
}

func (ending) Keys() []string { return []string{"books", "labels", "faqs"} }

func (e ending) Walk(context.Context, string) (client.Walk, error) {
	e.end()
	return client.Walk{Records: [][]byte{[]byte(e.record)}, Pages: 1}, nil
}

// An import that its context ended before the last collection is not all there was,
// even if whatever was tried was loaded.
func TestImportThatIsEnded(t *testing.T) {
	for _, c := range []struct {
		name, reason, record string
		keys                 []string
		want                 string
	}{
		{"between", "two are left", `{"id":1}`, nil, "client: context canceled: 2 collections not read"},
		{"behind the last", "none is left", `{"id":1}`, []string{"books"}, ""},
		{"in one that is not loaded", "that failed otherwise, and one is left", `{"id":"x"}`, []string{"books", "faqs"}, "\nclient: context canceled: 1 collection not read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Log(c.reason)
			ctx, cancel := context.WithCancel(t.Context())
			into := catalogue.New()
			report, err := client.Import(ctx, into, ending{cancel, c.record}, c.keys...)
			switch {
			case len(report) != 1:
				t.Errorf("tried were\n%v", report)
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (!errors.Is(err, context.Canceled) || !strings.HasSuffix(err.Error(), c.want)):
				t.Errorf("want %q, got %v", c.want, err)
			}
			if err := into.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}
