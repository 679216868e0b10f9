package client_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

// sampleCatalogue returns a catalogue with sample records.
func sampleCatalogue(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	var file bytes.Buffer
	if err := sample.Write(&file, sample.Options{}); err != nil {
		t.Fatal(err)
	}
	cat := mustNew()
	if err := cat.Load(&file, catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	return cat
}

// newHandler returns a handler that serves a catalogue.
func newHandler(t testing.TB, cat *catalogue.Catalogue) http.Handler {
	t.Helper()
	h, err := httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// serve serves h over loopback. It returns a client with the given page size and no rate
// limit.
func serve(t testing.TB, h http.Handler, pageSize int) *client.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return newClient(t, client.Options{BaseURL: server.URL, HTTP: server.Client(), PageSize: pageSize, Rate: -1})
}

// newInProcessClient returns a client of h that can be used in a bubble of testing/synctest.
func newInProcessClient(t testing.TB, h http.Handler, opts client.Options) *client.Client {
	t.Helper()
	opts.BaseURL, opts.HTTP = cmp.Or(opts.BaseURL, "http://catalogue.test"), &http.Client{Transport: inProcess{h}}
	return newClient(t, opts)
}

// newClient returns a client of the documented collections, unless the options have others.
func newClient(t testing.TB, opts client.Options) *client.Client {
	t.Helper()
	if opts.Catalogue == nil {
		opts.Catalogue = mustNew()
	}
	return newRootClient(t, opts)
}

// newRootClient returns a client that reads the root listing unless the options have a
// catalogue.
func newRootClient(t testing.TB, opts client.Options) *client.Client {
	t.Helper()
	c, err := client.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// inProcess is a transport that calls a handler without a network, as required in
// bubbles of testing/synctest.
type inProcess struct{ http.Handler }

func (h inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return recorder.Result(), nil
}

// save returns the output of Save.
func save(t testing.TB, cat *catalogue.Catalogue) string {
	t.Helper()
	var file strings.Builder
	if err := cat.Save(&file); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// importAll imports collections and returns the results and the errors.
func importAll(ctx context.Context, into *catalogue.Catalogue, from *client.Client, keys ...string) (report []client.Imported, err error) {
	for imported := range from.Import(ctx, into, keys...) {
		report, err = append(report, imported), errors.Join(err, imported.Err)
	}
	return report, err
}

// checkImport checks that an import results in an equal catalogue.
func checkImport(t *testing.T, cat *catalogue.Catalogue, from *client.Client) {
	t.Helper()
	copied := mustNew()
	report, err := importAll(t.Context(), copied, from)
	if err != nil {
		t.Fatal(err)
	}
	if save(t, cat) != save(t, copied) {
		t.Error("Save writes different bytes")
	}
	if len(report) != 39 {
		t.Errorf("imported %d collections, want 39", len(report))
	}
	if err := copied.Check(); err != nil {
		t.Error(err)
	}
}

// walk returns the records of a collection. It returns none with an error.
func walk(ctx context.Context, c *client.Client, key string) (records [][]byte, err error) {
	for record, err := range c.All(ctx, key) {
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, nil
}

// walkIDs returns the ids of a walk in order.
func walkIDs(t testing.TB, c *client.Client, key string) ([]int, error) {
	t.Helper()
	records, err := walk(t.Context(), c, key)
	if err != nil {
		return nil, err
	}
	var list []int
	for _, text := range records {
		record, err := schema.ParseRecord(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, record.ID)
	}
	return list, nil
}

// mustNew returns a catalogue of the documented collections.
func mustNew() *catalogue.Catalogue {
	c, err := resources.New()
	if err != nil {
		panic(err)
	}
	return c
}

// mustIn returns d's collection in c.
func mustIn[T any](d catalogue.Definition[T], c *catalogue.Catalogue) *catalogue.Collection[T] {
	coll, err := d.In(c)
	if err != nil {
		panic(err)
	}
	return coll
}
