package pgstore_test

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// connect opens a database without a store.
func connect(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// open opens a store and checks it at the end of the test.
func open(t testing.TB, opts pgstore.Options) *pgstore.Store {
	t.Helper()
	store := openUnchecked(t, opts)
	t.Cleanup(func() {
		if err := store.Check(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return store
}

// openUnchecked opens a store without checking it.
func openUnchecked(t testing.TB, opts pgstore.Options) *pgstore.Store {
	t.Helper()
	store, err := pgstore.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

// A collection has the interfaces of package httpapi that all collections of a store have.
type collection interface {
	httpapi.Collection
	httpapi.Creator
	httpapi.Revisioner
}

func collectionOf(store *pgstore.Store, key string) collection {
	i := slices.IndexFunc(descriptions(), func(d schema.Description) bool { return d.Key == key })
	return store.Collections()[i].(collection) // whose order is that of the document
}

func pageOf(ctx context.Context, c httpapi.Collection, w pagination.Window, terms ...ordering.Term) (count int, records [][]byte, err error) {
	list, err := c.List(ctx, catalogue.Query{Window: w, Terms: terms})
	return list.Count, list.Records, err
}

// knownOf returns those of some names in orderings that are fields of a collection.
func knownOf(t testing.TB, store *pgstore.Store, key string, names ...string) (known []string) {
	t.Helper()
	for _, name := range names {
		switch err := store.Index(t.Context(), key, ordering.Asc(name)); {
		case err == nil:
			known = append(known, name)
		case !errors.Is(err, ordering.ErrUnknownField):
			t.Fatal(err)
		}
	}
	return known
}

// handle returns a handler for a store. By default errors fail the test.
func handle(t testing.TB, store *pgstore.Store, opts httpapi.Options) *httpapi.Handler {
	t.Helper()
	if opts.OnError == nil {
		opts.OnError = func(r *http.Request, err error) { t.Errorf("%s %s: %v", r.Method, r.URL, err) }
	}
	handler, err := httpapi.NewHandler(store.Collections(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// mustNew returns a catalogue of the documented collections.
func mustNew() *catalogue.Catalogue {
	c, err := resources.New()
	if err != nil {
		panic(err)
	}
	return c
}

// descriptions returns those of the documented collections, which tests do not modify.
var descriptions = sync.OnceValue(func() (list []schema.Description) {
	for _, c := range mustNew().All() {
		list = append(list, c.Description())
	}
	return list
})

// described returns the description of a documented collection.
func described(key string) schema.Description {
	list := descriptions()
	return list[slices.IndexFunc(list, func(d schema.Description) bool { return d.Key == key })]
}

// fieldsOf returns the names that the records of a collection can be ordered by.
func fieldsOf(c *catalogue.Catalogue, key string) []string {
	names := map[string]bool{"id": true}
	for _, f := range described(key).Fields {
		names[ordering.Snake(f.Name)] = true
	}
	coll, err := c.Collection(key)
	if err != nil {
		panic(err)
	}
	all, err := coll.List(context.Background(), catalogue.Query{Window: pagination.Window{Limit: math.MaxInt}})
	if err != nil {
		panic(err)
	}
	for _, record := range all.Records {
		r, err := schema.ParseRecord(record)
		if err != nil {
			panic(err)
		}
		for name := range r.All() {
			names[ordering.Snake(name)] = true
		}
	}
	delete(names, "") // of a member such as "_", which is no field
	return slices.Sorted(maps.Keys(names))
}

// mustIn returns d's collection in c.
func mustIn[T any](d catalogue.Definition[T], c *catalogue.Catalogue) *catalogue.Collection[T] {
	coll, err := d.In(c)
	if err != nil {
		panic(err)
	}
	return coll
}
