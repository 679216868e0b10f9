package pgstore_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	films "github.com/gobacklist/backlist/examples/films/collections"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	rotas "github.com/gobacklist/backlist/examples/rota/collections"
	shops "github.com/gobacklist/backlist/examples/shop/collections"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/httpapitest"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// TestConformance compares the collections of the service and those of programs with catalogues in
// memory.
func TestConformance(t *testing.T) {
	own := func(func() time.Time) (*catalogue.Catalogue, error) { return catalogue.New(recordedFilms()...) }
	cinema := func(func() time.Time) (*catalogue.Catalogue, error) { return films.New() }
	house := func(func() time.Time) (*catalogue.Catalogue, error) { return resources.New() }
	for _, row := range []struct {
		service, data string
		new           func(now func() time.Time) (*catalogue.Catalogue, error)
		pages         pagination.Style
	}{
		{"house", "../../../httpapi/testdata/dataset.json", house, nil},
		{"own", "../../../httpapi/testdata/own/dataset.json", own, nil},
		{"rota", "../../rota/testdata/dataset.json", rotas.New, pagination.Numbers{}},
		{"shop", "../../shop/testdata/dataset.json", shops.New, pagination.Cursors{}},
		{"films", "", cinema, nil},
		{"library", "", newLibrary, nil},
	} {
		t.Run(row.service, func(t *testing.T) {
			t.Parallel()
			cat := made(t, row.new)
			if row.service == "library" {
				if err := cat.Load(strings.NewReader(libraryData(newGenerator(1))), catalogue.LoadOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			if row.data != "" {
				if err := cat.LoadFile(row.data, catalogue.LoadOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			dsn := shared.DSN(newDatabase(t, "template1"))
			opts := pgstore.Options{DSN: dsn, Timeout: time.Minute} // for slow machines
			if row.service != "house" {
				opts.Catalogue = made(t, row.new)
			}
			store := open(t, opts)
			db := connect(t, dsn)
			httpapitest.Compare(t, cat, func(ctx context.Context, file []byte) ([]httpapi.Collection, error) {
				// A load does not lower the highest id.
				if _, err := db.ExecContext(ctx, `UPDATE collections SET last_id = 0`); err != nil {
					return nil, err
				}
				return store.Collections(), store.Load(ctx, bytes.NewReader(file), pgstore.LoadOptions{})
			}, httpapitest.Options{Handler: httpapi.Options{Pages: row.pages}, Requests: 300})
		})
	}
}
