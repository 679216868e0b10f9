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
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
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

// documented returns indexes for the orderings in the service's document.
func documented() []index {
	by := func(field string) []ordering.Term { return []ordering.Term{ordering.Asc(field)} }
	return []index{
		{"events", by("start_date")}, {"events", by("name")}, {"labels", by("name")},
		{"labels", by("feature_authors")}, {"social-links", by("url")},
	}
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
	for _, i := range append(documented(), c.indexes...) {
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

// config holds the values of the flags.
type config struct {
	store   pgstore.Options
	addr    string
	load    string
	save    string
	check   bool
	token   string
	indexes []index
}

// index is an index to create.
type index struct {
	key   string
	terms []ordering.Term
}

// parse parses the flags. If help is requested, it prints the usage and returns
// flag.ErrHelp.
func parse(args []string, stderr io.Writer) (*config, error) {
	var c config
	flags := flag.NewFlagSet("postgres", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&c.store.Primary, "primary", "", "write to the database with this `DSN`")
	flags.StringVar(&c.store.Replica, "replica", "", "read from the standby with this `DSN`")
	flags.IntVar(&c.store.MaxConns, "conns", 0, "open at most `N` connections to each server (default 8)")
	flags.DurationVar(&c.store.Timeout, "timeout", 0, "time limit for each query of a request (default 5s)")
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "listen on `host:port`; port 0 chooses a free port; if empty, do not serve")
	flags.StringVar(&c.load, "load", "", "replace all records with those of a JSON `file`")
	flags.StringVar(&c.save, "save", "", "write all records to a JSON `file`")
	flags.BoolVar(&c.check, "check", false, "check all rows and counts")
	flags.StringVar(&c.token, "token", "", "permit posts with this bearer `token`")
	flags.Func("index", "create an index for `collection:ordering`, such as books:name, unless it exists; may be repeated", c.addIndex)
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return &c, nil
}

func (c *config) addIndex(text string) error {
	key, by, _ := strings.Cut(text, ":")
	documented, err := resources.New()
	if err != nil {
		return err
	}
	if _, err := documented.Collection(key); err != nil {
		return fmt.Errorf("unknown collection %q", key)
	}
	terms := ordering.Parse(by, nil)
	if terms == nil {
		return errors.New("no field to order by")
	}
	c.indexes = append(c.indexes, index{key, terms})
	return nil
}

// authorizer returns the authorizer for posts, or nil if they are refused.
func (c *config) authorizer() httpapi.Authorizer {
	if c.token == "" {
		return nil
	}
	return httpapi.Bearer(c.token)
}

// saveFile writes all records to a file. It replaces a regular file atomically, because
// the file may be the only copy of the records. It writes to other files, such as
// /dev/stdout, directly.
func saveFile(ctx context.Context, store *pgstore.Store, name string) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(store.Save(ctx, f), f.Close())
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".backlist-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // has no effect after Rename
	if err := errors.Join(store.Save(ctx, f), f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
