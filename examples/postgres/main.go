// Postgres serves the catalogue from PostgreSQL instead of memory. It is an example of
// an implementation of httpapi.Collection, with the same handler and the same responses
// as examples/backlist.
//
//	createdb house
//	go run . -dsn dbname=house -load ../../httpapi/testdata/dataset.json &
//	curl 'http://127.0.0.1:8080/api/events/?ordering=-start_date&limit=2'
//
// It migrates the schema, loads the file of -load, creates indexes, and serves. Posts are
// refused without -token. After an interrupt or SIGTERM, it waits at most 30 seconds for
// running requests. A second signal ends it immediately.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the next signal ends the program immediately
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "postgres:", err)
		os.Exit(1)
	}
}

// run prepares the database and serves until ctx is done.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c, err := parse(args, stderr)
	if err != nil {
		return err
	}
	store, err := pgstore.Open(c.store)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := c.prepare(ctx, store); err != nil {
		return err
	}
	errorLog := log.New(stderr, "postgres: ", log.LstdFlags)
	handler, err := httpapi.NewHandler(store.Collections(), httpapi.Options{
		Authorizer: c.authorizer,
		ETags:      true, // cheap, since the revision of a table is one row
		OnError: func(r *http.Request, err error) {
			errorLog.Printf("%s %s: %v", r.Method, r.URL.Path, err)
		},
	})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "serving http://%s/api/\n", listener.Addr())
	return serve(ctx, listener, &http.Server{
		Handler:           handler,
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
func (c *config) prepare(ctx context.Context, store *pgstore.Store) error {
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	if c.load != "" {
		if err := loadFile(ctx, store, c.load); err != nil {
			return err
		}
	}
	for index := range strings.FieldsSeq(indexes) {
		key, by, _ := strings.Cut(index, ":")
		if err := store.Index(ctx, key, ordering.Parse(by, nil)...); err != nil {
			return err
		}
	}
	return nil
}

func loadFile(ctx context.Context, store *pgstore.Store, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return store.Load(ctx, f)
}

// serve serves until ctx is done, and then waits for running requests.
func serve(ctx context.Context, l net.Listener, srv *http.Server) error {
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	shutdown, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := srv.Shutdown(shutdown); err != nil {
		return fmt.Errorf("requests were still running: %w", err)
	}
	return nil
}

// config holds the values of the flags.
type config struct {
	store      pgstore.Options
	addr       string
	load       string
	authorizer httpapi.Authorizer // nil if posts are refused
}

// parse parses the flags. If help is requested, it prints the usage and returns
// flag.ErrHelp.
func parse(args []string, stderr io.Writer) (*config, error) {
	var c config
	flags := flag.NewFlagSet("postgres", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&c.store.DSN, "dsn", "", "connect to the database with this `DSN`, a URL or keywords as in psql")
	flags.IntVar(&c.store.MaxConns, "conns", 0, "open at most `N` connections (default 8)")
	flags.DurationVar(&c.store.Timeout, "timeout", 0, "time limit for each query of a request (default 5s)")
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "listen on `host:port`; port 0 chooses a free port")
	flags.StringVar(&c.load, "load", "", "replace all records with those of a JSON `file`")
	token := flags.String("token", "", "permit posts with this bearer `token`")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *token != "" {
		c.authorizer = httpapi.Bearer(*token)
	}
	return &c, nil
}
