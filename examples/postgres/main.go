// Postgres serves the catalogue from PostgreSQL instead of memory. It is an example of
// an implementation of httpapi.Collection, with the same handler and the same responses
// as examples/backlist.
//
//	createdb house
//	go run . -dsn dbname=house -load ../../httpapi/testdata/dataset.json &
//	curl 'http://127.0.0.1:8080/api/events/?ordering=-start_date&limit=2'
//
// It migrates the schema, loads the file of -load, creates indexes, and serves, as pages to
// browsers and as JSON to other clients. With -wait it waits for the database first. Posts are
// refused without -token. After an interrupt or SIGTERM, it waits at most ten seconds for
// running requests. A second signal ends it immediately.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	films "github.com/gobacklist/backlist/examples/films/collections"
	"github.com/gobacklist/backlist/examples/internal/flags"
	"github.com/gobacklist/backlist/examples/internal/progress"
	"github.com/gobacklist/backlist/examples/internal/server"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	shop "github.com/gobacklist/backlist/examples/shop/collections"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
	"github.com/gobacklist/backlist/ordering"
)

func main() {
	err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "postgres:", err)
		os.Exit(1)
	}
}

// run prepares the database and serves until ctx is done or the program receives a signal.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c, err := parse(args, stdout)
	if err != nil {
		return err
	}
	store, err := pgstore.Open(c.store)
	if err != nil {
		return err
	}
	defer store.Close()
	errorLog := log.New(stderr, "postgres: ", log.LstdFlags)
	if err := c.prepare(ctx, store, errorLog); err != nil {
		return err
	}
	failures := failures{log: errorLog}
	defer failures.end()
	handler, err := httpapi.NewHandler(store.Collections(), httpapi.Options{
		Authorizer: c.authorizer,
		ETags:      true, // cheap, since the revision of a table is one row
		OnError:    failures.report,
	})
	if err != nil {
		return err
	}
	pages, err := c.withPages(handler)
	if err != nil {
		return err
	}
	listener, err := server.Listen("-addr", c.addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "serving http://%s/api/\n", listener.Addr())
	return server.Serve(ctx, listener, &http.Server{
		Handler:           pages,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          errorLog,
	})
}

// indexes are for the orderings in the service's document.
const indexes = "events:start_date events:name labels:name labels:feature_authors social-links:url"

// prepare migrates the schema, loads the file of -load, and creates the indexes.
func (c *config) prepare(ctx context.Context, store *pgstore.Store, errorLog *log.Logger) error {
	if err := c.migrate(ctx, store, errorLog); err != nil {
		return err
	}
	if c.load != "" {
		if err := loadFile(ctx, store, c.load, errorLog); err != nil {
			return err
		}
	}
	if c.store.Catalogue != nil { // whose descriptions say what they need
		return nil
	}
	for index := range strings.FieldsSeq(indexes) {
		key, by, _ := strings.Cut(index, ":")
		if err := store.Index(ctx, key, ordering.Parse(by, nil)...); err != nil {
			return err
		}
	}
	return nil
}

// migrate migrates the schema. It waits for the database until the time of -wait is over.
func (c *config) migrate(ctx context.Context, store *pgstore.Store, errorLog *log.Logger) error {
	end := time.Now().Add(c.wait)
	for waits := false; ; {
		err := store.Migrate(ctx)
		if !errors.Is(err, httpapi.ErrUnavailable) || time.Now().After(end) {
			return err
		}
		if !waits {
			errorLog.Printf("waiting for the database: %v", err)
			waits = true
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// loadFile loads a file, and shows the bytes that have been read and then the share of the records
// that have been stored.
func loadFile(ctx context.Context, store *pgstore.Store, name string, errorLog *log.Logger) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	shown, records := progress.Loading(errorLog.Writer(), name), 0
	defer func() { shown.Stop() }()
	err = store.Load(ctx, io.TeeReader(f, shown), pgstore.LoadOptions{Progress: func(stored, total int) {
		if records == 0 {
			shown.Stop()
			shown = progress.Start(errorLog.Writer(), fmt.Sprintf("storing %d records", total), int64(total))
		}
		shown.Add(stored - records)
		records = stored
	}})
	if shown.Stop(); err != nil {
		return err
	}
	errorLog.Printf("loaded %d records from %s", records, name)
	return nil
}

// withPages returns a handler that sends pages to browsers and the responses of h to other
// clients.
func (c *config) withPages(h *httpapi.Handler) (http.Handler, error) {
	pages, err := browse.New(h, browse.Options{Title: "Catalogue in PostgreSQL", Scheme: c.scheme})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", http.RedirectHandler("/api/", http.StatusFound))
	return mux, httpapi.Mount(mux, "", pages)
}

// config holds the values of the flags.
type config struct {
	store      pgstore.Options
	addr       string
	load       string
	wait       time.Duration
	authorizer httpapi.Authorizer // nil if posts are refused
	scheme     string             // of the authorizer's tokens, or ""
}

// parse parses the flags. If help is requested, it prints the usage to stdout and
// returns flag.ErrHelp.
func parse(args []string, stdout io.Writer) (*config, error) {
	var c config
	set := flag.NewFlagSet("postgres", flag.ContinueOnError)
	set.StringVar(&c.store.DSN, "dsn", "", "connect to the database with this `DSN`, a URL or keywords as in psql")
	set.IntVar(&c.store.MaxConns, "conns", 0, "open at most `N` connections (default 8)")
	set.DurationVar(&c.store.Timeout, "timeout", 0, "time limit for each query of a request (default 5s)")
	set.StringVar(&c.addr, "addr", "127.0.0.1:8080", "listen on `host:port`; port 0 chooses a free port")
	set.StringVar(&c.load, "load", "", "replace all records with those of a JSON `file`")
	set.DurationVar(&c.wait, "wait", 0, "wait for the database at most this `long`, as in 1m")
	token := set.String("token", "", "permit writes with this bearer `token`")
	ofFilms := set.Bool("films", false, "serve the collections of examples/films")
	ofShop := set.Bool("shop", false, "serve the collections of examples/shop")
	if err := flags.Parse(set, args, stdout); err != nil {
		return nil, err
	}
	if set.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	var err error
	switch {
	case *ofFilms && *ofShop:
		err = errors.New("-films and -shop cannot be combined")
	case *ofFilms:
		c.store.Catalogue, err = films.New()
	case *ofShop:
		c.store.Catalogue, err = shop.New(nil)
	}
	if *token != "" {
		c.authorizer, c.scheme = httpapi.Bearer(*token), "Bearer"
	}
	return &c, err
}
