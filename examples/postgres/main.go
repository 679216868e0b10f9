// Postgres serves the catalogue from PostgreSQL instead of memory. It is an example of
// an implementation of httpapi.Collection, with the same handler and the same responses
// as examples/backlist.
//
//	createdb house
//	go run . -dsn dbname=house -load ../../httpapi/testdata/dataset.json &
//	curl 'http://127.0.0.1:8080/api/events/?ordering=-start_date&limit=2'
//
// It migrates the schema, performs -load, -index and -save in that order, and
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
	if c.addr == "" {
		return nil
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

// documented are the orderings in the service's document.
const documented = "events:start_date events:name labels:name labels:feature_authors social-links:url"

// prepare migrates the schema and performs -load, -index and -save.
func (c *config) prepare(ctx context.Context, store *pgstore.Store) error {
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	if c.load != "" {
		if err := loadFile(ctx, store, c.load); err != nil {
			return err
		}
	}
	for _, index := range append(strings.Fields(documented), c.indexes...) {
		key, by, _ := strings.Cut(index, ":")
		if err := store.Index(ctx, key, ordering.Parse(by, nil)...); err != nil {
			return err
		}
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
	save       string
	authorizer httpapi.Authorizer // nil if posts are refused
	indexes    []string           // such as books:name
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
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "listen on `host:port`; port 0 chooses a free port; if empty, do not serve")
	flags.StringVar(&c.load, "load", "", "replace all records with those of a JSON `file`")
	flags.StringVar(&c.save, "save", "", "write all records to a JSON `file`")
	token := flags.String("token", "", "permit posts with this bearer `token`")
	flags.Func("index", "create an index for `collection:ordering`, such as books:name, unless it exists; may be repeated", c.addIndex)
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

func (c *config) addIndex(index string) error {
	if _, by, _ := strings.Cut(index, ":"); ordering.Parse(by, nil) == nil {
		return errors.New("no field to order by")
	}
	c.indexes = append(c.indexes, index)
	return nil
}

// saveFile writes all records to a file. It replaces the file atomically, because the file
// may be the only copy of the records.
func saveFile(ctx context.Context, store *pgstore.Store, name string) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("-save: %s is not a regular file", name)
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
