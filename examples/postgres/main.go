// Postgres serves the catalogue from PostgreSQL instead of memory. It is an example of
// an implementation of httpapi.Collection, with the same handler and the same responses
// as examples/backlist.
//
//	go run . -primary 'host=localhost dbname=house' -load house.json
//	curl 'http://127.0.0.1:8080/api/events/?ordering=-start_date&limit=2'
//
// It migrates the schema, performs -load, -index, -check and -save in that order, and
// serves at -addr unless that is empty. Posts are refused without -token. After an
// interrupt or SIGTERM, it waits at most 30 seconds for running requests. A second
// signal ends it immediately.
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
	"syscall"
	"time"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
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
	if err := c.prepare(ctx, store, stdout); err != nil {
		return err
	}
	if c.addr == "" {
		return nil
	}
	errorLog := log.New(stderr, "postgres: ", log.LstdFlags)
	handler, err := newHandler(c, store, errorLog)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "serving http://%s/api/\n", listener.Addr())
	return serve(ctx, listener, newServer(handler, errorLog))
}

// prepare migrates the schema and performs -load, -index, -check and -save.
func (c *config) prepare(ctx context.Context, store *pgstore.Store, stdout io.Writer) error {
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	if c.load != "" {
		if err := loadFile(ctx, store, c.load); err != nil {
			return err
		}
	}
	for _, i := range c.indexes {
		if err := store.Index(ctx, i.key, i.terms...); err != nil {
			return err
		}
	}
	if c.check {
		if err := store.Check(ctx); err != nil {
			return err
		}
		fmt.Fprintln(stdout, "no errors found")
	}
	if c.save != "" {
		return saveFile(ctx, store, c.save)
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

// newHandler returns a handler for the collections of the store. Entity tags are
// cheap, since the revision of a table is one row.
func newHandler(c *config, store *pgstore.Store, errorLog *log.Logger) (*httpapi.Handler, error) {
	return httpapi.NewHandler(store.Collections(), httpapi.Options{
		Authorizer: c.authorizer(),
		ETags:      true,
		OnError: func(r *http.Request, err error) {
			errorLog.Printf("%s %s: %v", r.Method, r.URL.Path, err)
		},
	})
}

// newServer returns a server with timeouts.
func newServer(h http.Handler, errorLog *log.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          errorLog,
	}
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
