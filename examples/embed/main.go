// Command embed is a shop with pages of its own, which mounts the catalogue
// below /shop: with its own type of book, and its own rule for who may write.
//
//	STAGE_PASSWORD=... PRESS_PASSWORD=... go run ./examples/embed
//	curl http://127.0.0.1:8080/longest
//	curl 'http://127.0.0.1:8080/shop/api/books/?ordering=-pages'
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Book is what this shop knows of a book. The document does not show the
// fields of one, so they are the program's own.
type Book struct {
	ID       int      `json:"id"`
	Name     string   `json:"name"`
	Pages    int      `json:"pages"`
	Cents    int      `json:"priceInCents"` // ordering=price_in_cents
	Subtitle *string  `json:"subtitle"`
	Tags     []string `json:"tags"`
}

func main() {
	handler, err := newHandler(map[string]string{
		"stage": os.Getenv("STAGE_PASSWORD"),
		"press": os.Getenv("PRESS_PASSWORD"),
	})
	if err != nil {
		log.Fatal(err)
	}
	srv := &http.Server{
		Addr:              "127.0.0.1:8080",
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
	}
	log.Printf("serving http://%s/", srv.Addr)
	log.Fatal(srv.ListenAndServe())
}

// newHandler is the whole site.
func newHandler(passwords map[string]string) (http.Handler, error) {
	house, err := catalogue.NewWith(catalogue.Define[Book]("books", catalogue.Options{}))
	if err != nil {
		return nil, err
	}
	books, err := catalogue.Define[Book]("books", catalogue.Options{}).In(house)
	if err != nil {
		return nil, err
	}
	if err := stock(house, books); err != nil {
		return nil, err
	}
	api, err := httpapi.New(house, httpapi.Options{Authorizer: desks(passwords)})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%d books and %d events\n", books.Count(), house.Events().Count())
	})
	mux.HandleFunc("GET /longest", longest(books))
	return mux, httpapi.Mount(mux, "/shop", api)
}

// longest names the book with the most pages, straight from the collection that
// the catalogue serves.
func longest(books *catalogue.Collection[Book]) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		page, err := books.Page(pagination.Window{Limit: 1}, ordering.Desc("pages"))
		if err != nil || len(page.Records) == 0 {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "%s, %d pages\n", page.Records[0].Name, page.Records[0].Pages)
	}
}
