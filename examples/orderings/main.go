// Command orderings serves a slice of films, ordered and paged as the catalogue
// is, from a handler written by hand: packages ordering and pagination alone.
//
//	go run ./examples/orderings
//	curl 'http://127.0.0.1:8080/films/?ordering=-year,title&limit=2'
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Film is a record of one's own; its json tags name what it is ordered by.
type Film struct {
	ID         int       `json:"id"`
	Title      string    `json:"title"`
	Year       int       `json:"year"`
	ReleasedAt time.Time `json:"releasedAt"` // ordering=released_at
	Rating     *float64  `json:"rating"`     // null comes last
}

func main() {
	handler, err := newHandler()
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
	log.Printf("serving http://%s/films/", srv.Addr)
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

// list answers with a page of records of any type, in the order asked for. The
// records must not change any more. Each request sorts a copy: for thousands of
// records, or some that change, take a catalogue.Collection.
func list[T any](records []T) (http.HandlerFunc, error) {
	fields, err := ordering.FieldsOf[T]()
	if err != nil {
		return nil, err
	}
	return func(w http.ResponseWriter, r *http.Request) {
		asked, _ := pagination.ParseQuery(r.URL.RawQuery).Get("ordering")
		sorted := slices.Clone(records)
		if err := fields.Sort(sorted, fields.Parse(asked)...); err != nil {
			http.Error(w, "cannot sort", http.StatusInternalServerError)
			return
		}
		page := pagination.Page(sorted, absolute(r), pagination.Limits{Default: 3, Max: 100})
		w.Header().Set("Content-Type", "application/json")
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false) // leaves the & of links alone
		if err := enc.Encode(page); err != nil {
			log.Print(err) // the client has gone
		}
	}, nil
}

// absolute is the request's URL with scheme and host, which links need.
func absolute(r *http.Request) *url.URL {
	u := *r.URL
	u.Scheme, u.Host = "http", r.Host
	if r.TLS != nil {
		u.Scheme = "https"
	}
	return &u
}
