// Embed serves a site with pages of its own and mounts the catalogue below /shop. It is
// an example of a program with its own record type and its own authorizer.
//
//	PROGRAMME_PASSWORD=... PRESS_PASSWORD=... go run ./examples/embed &
//	curl http://127.0.0.1:8080/longest
//	curl 'http://127.0.0.1:8080/shop/api/books/?ordering=-pages'
package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// Book is the record type of the collection books, whose fields a program may
// choose.
type Book struct {
	ID       int      `json:"id"`
	Name     string   `json:"name"`
	Pages    int      `json:"pages"`
	Cents    int      `json:"priceInCents"` // ordering=price_in_cents
	Subtitle *string  `json:"subtitle"`
	Tags     []string `json:"tags"`
}

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "listen on `host:port`")
	flag.Parse()
	handler, err := newHandler(map[string]string{
		"programme": os.Getenv("PROGRAMME_PASSWORD"),
		"press":     os.Getenv("PRESS_PASSWORD"),
	})
	if err != nil {
		log.Fatal(err)
	}
	srv := &http.Server{
		Addr:              *addr,
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
	}
	fmt.Printf("serving http://%s/\n", srv.Addr)
	log.Fatal(srv.ListenAndServe())
}

// newHandler returns the handler of the whole site.
func newHandler(passwords map[string]string) (http.Handler, error) {
	definition := catalogue.Define[Book]("books", catalogue.Options{})
	cat, err := resources.New(definition)
	if err != nil {
		return nil, err
	}
	books, err := definition.In(cat)
	if err != nil {
		return nil, err
	}
	events, err := resources.Events.In(cat)
	if err != nil {
		return nil, err
	}
	if err := fill(cat, books); err != nil {
		return nil, err
	}
	api, err := httpapi.New(cat, httpapi.Options{Authorizer: departments(passwords)})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%d books and %d events\n", books.Count(), events.Count())
	})
	mux.HandleFunc("GET /longest", longest(books))
	return mux, httpapi.Mount(mux, "/shop", api)
}

// longest returns a handler that responds with the book that has the most pages.
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

// departments returns the shop's authorizer. The programme department may post
// events, and the press department may post social links, each with its password. A
// department without a password may not post.
func departments(passwords map[string]string) httpapi.Authorizer {
	department := map[string]string{"events": "programme", "social-links": "press"}
	return func(r *http.Request, collection string, _ schema.Actions) error {
		user, password, ok := r.BasicAuth()
		if want := passwords[user]; !ok || want == "" || !equal(password, want) {
			return httpapi.Unauthorized(`Basic realm="shop"`, "")
		}
		if department[collection] != user {
			return httpapi.Forbidden("Another department writes " + collection + ".")
		}
		return nil
	}
}

// equal reports whether two strings are equal, in a time that does not depend on their
// contents.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// fill adds books as Go values, and an author from JSON.
func fill(cat *catalogue.Catalogue, books *catalogue.Collection[Book]) error {
	tales := "Tales of the coast"
	err := books.Batch(func(tx *catalogue.Tx[Book]) error {
		for _, b := range []Book{
			{Name: "Onda", Pages: 240, Cents: 1490, Subtitle: &tales, Tags: []string{"sea"}},
			{Name: "Atlante", Pages: 704, Cents: 3500, Tags: []string{"maps", "sea"}},
			{Name: "Brina", Pages: 96, Cents: 990},
		} {
			if _, err := tx.Insert(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return cat.Load(strings.NewReader(`{"authors": [{"id": 1, "name": "Anna Serra"}]}`), catalogue.LoadOptions{})
}
