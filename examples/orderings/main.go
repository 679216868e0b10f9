// Orderings serves a slice of films, ordered and paged like a collection of the
// catalogue. It is an example of packages ordering and pagination in a hand-written
// handler.
//
//	go run ./examples/orderings &
//	curl 'http://127.0.0.1:8080/films/?ordering=-year,title&limit=2'
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Film is a program's own record. Its json tags name the fields of an ordering.
type Film struct {
	ID         int       `json:"id"`
	Title      string    `json:"title"`
	Year       int       `json:"year"`
	ReleasedAt time.Time `json:"releasedAt"` // ordering=released_at
	Rating     *float64  `json:"rating"`     // null comes last
}

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "listen on `host:port`")
	flag.Parse()
	handler, err := newHandler()
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
	fmt.Printf("serving http://%s/films/\n", srv.Addr)
	log.Fatal(srv.ListenAndServe())
}

func newHandler() (http.Handler, error) {
	filmList, err := list(films())
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /films/{$}", filmList)
	return mux, nil
}

// list returns a handler that responds with a page of records in the requested order.
// The records must not be modified after the call. Each request sorts a copy of them,
// so for thousands of records, or for records that change, use a catalogue.Collection.
func list[T any](records []T) (http.HandlerFunc, error) {
	fields, err := ordering.FieldsOf[T]()
	if err != nil {
		return nil, err
	}
	return func(w http.ResponseWriter, r *http.Request) {
		terms, _ := pagination.ParseQuery(r.URL.RawQuery).Get("ordering")
		sorted := slices.Clone(records)
		if err := fields.Sort(sorted, fields.Parse(terms)...); err != nil {
			http.Error(w, "cannot sort", http.StatusInternalServerError)
			return
		}
		page := pagination.Page(sorted, absolute(r), pagination.Limits{Default: 3, Max: 100})
		w.Header().Set("Content-Type", "application/json")
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false) // do not escape the & of links
		if err := enc.Encode(page); err != nil {
			log.Print(err) // the client has closed the connection
		}
	}, nil
}

// absolute returns the URL of a request with scheme and host, for absolute links.
func absolute(r *http.Request) *url.URL {
	u := *r.URL
	u.Scheme, u.Host = "http", r.Host
	if r.TLS != nil {
		u.Scheme = "https"
	}
	return &u
}
