// Durable serves films from a bbolt file, as pages to browsers and as JSON to other clients.
// Each write is on disk before it is answered. After an interrupt or SIGTERM, writes that wait
// for others are refused; a second signal ends the program immediately. README.md has its
// commands.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/internal/progress"
	"github.com/gobacklist/backlist/examples/internal/server"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
)

// A Director directs films.
type Director struct {
	ID   int    `json:"id"`
	Name string `json:"name" backlist:"unique"`
}

// A Film has a director.
type Film struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Year     int    `json:"year" backlist:"min=1888"`
	Director int    `json:"director" backlist:"refers=directors"`
}

var (
	directors = catalogue.Define[Director]("directors", catalogue.Options{})
	films     = catalogue.Define[Film]("films", catalogue.Options{Description: &schema.Description{
		Filters: []string{"director", "year__gte", "year__lte"},
		Search:  []string{"name", "director__name"},
	}})
)

// records are the films of a new file.
const records = `{
	"directors": [{"id": 1, "name": "Alfred Hitchcock"}, {"id": 2, "name": "Agnès Varda"}],
	"films": [{"id": 1, "name": "Vertigo", "year": 1958, "director": 1}, {"id": 2, "name": "Rope", "year": 1948, "director": 1},
		{"id": 3, "name": "Cléo de 5 à 7", "year": 1962, "director": 2}]
}`

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "listen on `host:port`; port 0 chooses a free port")
	file := flag.String("file", "films.db", "keep the records in `file`")
	token := flag.String("token", "", "permit writes with \"Authorization: Bearer `T`\"; without a token there are none")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(flag.CommandLine.Output(), "unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(context.Background(), *addr, *file, *token); err != nil {
		log.Fatal(err)
	}
}

// run serves the films of a file until ctx is done or the program receives a signal. Writes that
// then wait for others are refused by the journal.
func run(ctx context.Context, addr, file, token string) (err error) {
	cat, err := catalogue.New(directors, films)
	if err != nil {
		return err
	}
	ctx, refuse := context.WithCancel(ctx)
	defer refuse()
	shown := progress.Loading(os.Stderr, file)
	db, fresh, err := open(ctx, file, cat)
	if shown.Stop(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if fresh {
		if err := cat.Load(strings.NewReader(records), catalogue.LoadOptions{}); err != nil {
			return err
		}
	}
	handler, err := newHandler(cat, token)
	if err != nil {
		return err
	}
	listener, err := server.Listen("-addr", addr)
	if err != nil {
		return err
	}
	fmt.Printf("serving http://%s/v1/\n", listener.Addr())
	s := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second}
	s.RegisterOnShutdown(refuse)
	return server.Serve(ctx, listener, s)
}

// newHandler returns a handler that sends pages to browsers and JSON to other clients.
func newHandler(cat *catalogue.Catalogue, token string) (http.Handler, error) {
	api, err := httpapi.New(cat, httpapi.Options{
		Root:       "/v1/",
		Authorizer: httpapi.Bearer(token),
		OnError:    func(r *http.Request, err error) { log.Printf("%s %s: %v", r.Method, r.URL.Path, err) },
	})
	if err != nil {
		return nil, err
	}
	options := browse.Options{Title: "Films"}
	if token != "" {
		options.Scheme = "Bearer" // visitors can sign in
	}
	pages, err := browse.New(api, options)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", http.RedirectHandler("/v1/", http.StatusFound))
	return mux, httpapi.Mount(mux, "", pages)
}
