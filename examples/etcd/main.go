// Etcd serves the catalogue from three or more nodes that keep its records in etcd. Each
// node accepts writes, and reads from its own memory after a quorum has confirmed the last
// write. It is an example of an implementation of the interfaces of package httpapi.
//
//	go run . -three &
//	curl 'http://127.0.0.1:8081/api/events/?ordering=-start_date&limit=2'
//
// With -three the program starts three processes of itself on loopback. Otherwise it is
// one node: a member of an embedded cluster (-name, -peer, -cluster) or a client of an
// existing one (-endpoints). Writes are refused without -token or -open. After an
// interrupt or SIGTERM, it waits at most 10 seconds for running requests. A second signal
// ends it immediately.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/examples/internal/flags"
	"github.com/gobacklist/backlist/examples/internal/progress"
	"github.com/gobacklist/backlist/examples/internal/server"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the next signal ends the program immediately
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
}

// run serves until ctx is done.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	c, err := parse(args, stdout)
	if err != nil {
		return err
	}
	if c.three {
		return runThree(ctx, c, stdout, stderr)
	}
	if c.untilEOF {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		go func() {
			io.Copy(io.Discard, stdin)
			cancel()
		}()
	}
	errorLog := log.New(stderr, "etcd "+c.name+": ", log.LstdFlags|log.Lmsgprefix)
	client, stop, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer stop()
	return c.serve(ctx, client, stdout, errorLog)
}

// serve opens the store and serves it until ctx is done.
func (c *config) serve(ctx context.Context, client *clientv3.Client, stdout io.Writer, errorLog *log.Logger) error {
	store, err := etcdstore.Open(ctx, etcdstore.Options{
		Client:       client,
		Prefix:       c.prefix,
		Serializable: c.serializable,
		Timeout:      c.timeout,
		OnError:      func(err error) { errorLog.Print(err) },
	})
	if err != nil {
		return err
	}
	defer store.Close()
	if c.load != "" {
		shown := progress.Loading(errorLog.Writer(), c.load)
		err := loadFile(ctx, store, c.load)
		if shown.Stop(); err != nil {
			return err
		}
	}
	handler, err := store.NewHandler(httpapi.Options{
		Authorizer: c.authorizer,
		ETags:      true,
		OnError: func(r *http.Request, err error) {
			errorLog.Printf("%s %s: %v", r.Method, r.URL.Path, err)
		},
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
		Handler:           store.ReadOnce(pages),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          errorLog,
	})
}

// withPages returns a handler that sends pages to browsers and the responses of h to other
// clients.
func (c *config) withPages(h *httpapi.Handler) (http.Handler, error) {
	pages, err := browse.New(h, browse.Options{Title: "Catalogue in etcd", Scheme: c.scheme})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", http.RedirectHandler("/api/", http.StatusFound))
	return mux, httpapi.Mount(mux, "", pages)
}

// loadFile replaces the records by those of a file. After ctx is done it waits for a short time,
// in which the store removes what it has stored; a file that is still being read is not waited for.
func loadFile(ctx context.Context, store *etcdstore.Store, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	loaded := make(chan error, 1)
	go func() { loaded <- store.Load(ctx, f) }()
	select {
	case err := <-loaded:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-loaded:
		return err
	case <-time.After(100 * time.Millisecond):
		return ctx.Err()
	}
}

// config holds the values of the flags.
type config struct {
	addr         string
	authorizer   httpapi.Authorizer // nil if writes are refused
	scheme       string             // of the authorizer's tokens, or ""
	prefix       string
	load         string
	serializable bool
	timeout      time.Duration

	// A member of an embedded cluster.
	name, dir, peer, client, cluster string

	endpoints string // of an existing cluster

	three    bool
	untilEOF bool
	passed   []string // the flags that -three passes to the nodes
}

// parse parses the flags. If help is requested, it prints the usage to stdout and
// returns flag.ErrHelp.
func parse(args []string, stdout io.Writer) (*config, error) {
	c := &config{}
	set := flag.NewFlagSet("etcd", flag.ContinueOnError)
	set.BoolVar(&c.three, "three", false, "run three nodes on loopback, at ports 8081 to 8083, or at that of -addr and the next two")
	set.StringVar(&c.addr, "addr", "", "serve HTTP at `host:port` (default 127.0.0.1:8080); port 0 chooses a free port")
	open := set.Bool("open", false, "permit all writes")
	token := set.String("token", "", "permit writes with the bearer token `T`")
	set.StringVar(&c.load, "load", "", "replace the records with those of a JSON `file`")
	set.StringVar(&c.prefix, "prefix", "backlist/", "begin keys in etcd with `text`; nodes with the same prefix have the same records")
	set.BoolVar(&c.serializable, "serializable", false, "read without asking the cluster; reads may miss the last writes")
	set.DurationVar(&c.timeout, "timeout", 5*time.Second, "time limit for each read and write")

	set.StringVar(&c.name, "name", "n1", "member: its `name` in -cluster")
	set.StringVar(&c.dir, "dir", "", "member: keep etcd's files in `directory` (default etcd-NAME); with -three, those of all members")
	set.StringVar(&c.peer, "peer", "http://127.0.0.1:2380", "member: listen for the other members at `URL`")
	set.StringVar(&c.client, "client", "http://127.0.0.1:2379", "member: listen for etcd's clients at `URL`")
	set.StringVar(&c.cluster, "cluster", "", "member: `names and peer URLs` of the first members, as in n1=http://…,n2=http://… (default this one alone)")

	set.StringVar(&c.endpoints, "endpoints", "", "be no member, but a client of the cluster with these client `URLs`, separated by commas")
	set.BoolVar(&c.untilEOF, "until-eof", false, "end at the end of the standard input; -three uses it")
	if err := flags.Parse(set, args, stdout); err != nil {
		return nil, err
	}
	switch {
	case set.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", set.Arg(0))
	case *open && *token != "":
		return nil, errors.New("-open and -token cannot be combined")
	case c.endpoints != "" && c.cluster != "":
		return nil, errors.New("-endpoints cannot be combined with -cluster: a client is no member")
	case c.timeout <= 0:
		return nil, errors.New("-timeout is not positive")
	case !strings.HasSuffix(c.prefix, "/"):
		return nil, fmt.Errorf("-prefix %q does not end with a slash", c.prefix)
	case *open:
		c.authorizer = httpapi.AllowAll
	case *token != "":
		c.authorizer, c.scheme = httpapi.Bearer(*token), "Bearer"
	}
	if c.three {
		return c, c.parseThree(set)
	}
	c.addr = cmp.Or(c.addr, "127.0.0.1:8080")
	c.dir = cmp.Or(c.dir, "etcd-"+c.name)
	c.cluster = cmp.Or(c.cluster, c.name+"="+c.peer)
	return c, nil
}
