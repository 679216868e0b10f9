// Etcd serves the catalogue from three or more nodes that keep its records in etcd. Each
// node accepts writes, and reads from its own memory after a quorum has confirmed the last
// write. It is an example of an implementation of the interfaces of package httpapi.
//
//	go run . -three
//	curl 'http://127.0.0.1:8081/api/events/?ordering=-start_date&limit=2'
//
// With -three the program starts three processes of itself on loopback. Otherwise it is
// one node: a member of an embedded cluster (-name, -peer, -cluster) or a client of an
// existing one (-endpoints). Writes are refused without -token or -open. After an
// interrupt or SIGTERM, it waits at most 10 seconds for running requests. A second signal
// ends it immediately.
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

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
	"github.com/gobacklist/backlist/httpapi"
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
	c, err := parse(args, stderr)
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
		if err := loadFile(ctx, store, c.load); err != nil {
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
	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "serving http://%s/api/\n", listener.Addr())
	return serve(ctx, listener, &http.Server{
		Handler:           store.ReadOnce(handler),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          errorLog,
	})
}

func loadFile(ctx context.Context, store *etcdstore.Store, name string) error {
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
	shutdown, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := srv.Shutdown(shutdown); err != nil {
		return fmt.Errorf("requests were still running: %w", err)
	}
	return nil
}
