package pgstore_test

import (
	"context"
	"log"
	"net/http"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
)

func Example() {
	ctx := context.Background()
	definitions := []catalogue.AnyDefinition{catalogue.Define[film]("films", catalogue.Options{})}

	store, err := pgstore.Open(pgstore.Options{
		DSN:         "host=db1 dbname=films",
		Definitions: definitions, // or an empty Catalogue, or none: the 39 documented collections
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := store.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	handler, err := httpapi.NewHandler(store.Collections(), httpapi.Options{ETags: true})
	if err != nil {
		log.Fatal(err)
	}

	server := &http.Server{Addr: "127.0.0.1:8080", Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}
