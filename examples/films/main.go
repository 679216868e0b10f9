// Films serves three collections of its own: directors, genres and films, which refer to
// directors and genres. It is an example of definitions, filters and a search. All records
// are in memory.
//
//	go run ./examples/films -open
//	curl 'http://127.0.0.1:8080/api/films/?status=released&minutes__gte=90&search=lights'
//	curl -X PATCH -H 'Content-Type: application/json' -d '{"published":true}' http://127.0.0.1:8080/api/films/1/
//
// Browsers receive HTML pages, unless -browse=false. Without -data there are no records. Writes are refused without -open or -token.
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

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the next signal ends the program immediately
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run serves until ctx is done and returns the exit code: 1 if serving fails, and 2 if a
// flag or the file is invalid.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "films:", err)
		return 2
	}
	api, err := routes(c, log.New(stderr, "films: ", log.LstdFlags))
	if err != nil {
		fmt.Fprintln(stderr, "films:", err)
		return 2
	}
	if err := serve(ctx, c.addr, api, stdout); err != nil {
		fmt.Fprintln(stderr, "films:", err)
		return 1
	}
	return 0
}

// routes returns the handler of the collections, with HTML pages unless -browse=false.
func routes(c config, errorLog *log.Logger) (http.Handler, error) {
	api, err := newHandler(c, errorLog)
	if err != nil || !c.browse {
		return api, err
	}
	return browse.New(api, browse.Options{})
}

// newHandler loads the records and returns the handler that serves them.
func newHandler(c config, errorLog *log.Logger) (*httpapi.Handler, error) {
	house, err := newHouse(c.now)
	if err != nil {
		return nil, err
	}
	if c.data != "" {
		if err := house.LoadFile(c.data, catalogue.LoadOptions{}); err != nil {
			return nil, err
		}
	}
	return httpapi.New(house, httpapi.Options{
		Authorizer: c.authorizer,
		BaseURL:    c.baseURL,
		OnError: func(r *http.Request, err error) {
			errorLog.Printf("%s %s: %v", r.Method, r.URL.Path, err)
		},
	})
}

// serve serves until ctx is done, and then waits at most 30 seconds for running requests.
func serve(ctx context.Context, addr string, h http.Handler, stdout io.Writer) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "serving http://%s/api/\n", listener.Addr())
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	shutdown, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return srv.Shutdown(shutdown)
}
