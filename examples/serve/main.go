// Serve serves the catalogue of a publishing house, with generated records or those of
// a file. It is an example of a complete server, with flags, timeouts, graceful
// shutdown, HTML pages for browsers, and an OpenAPI document.
//
//	go run ./examples/serve
//	curl 'http://127.0.0.1:8080/api/events/?ordering=-start_date&limit=2'
//
// Browsers receive HTML pages, and other clients JSON. The OpenAPI document is served
// at /openapi.json, and -openapi writes it to a file. Package sample generates the
// records. The flag -seed selects other records, -events and similar flags set their
// number, and -plain disables oddities.
//
// Posts are refused without -open or -token. After an interrupt or SIGTERM, serve waits
// at most 30 seconds for running requests. A second signal ends it immediately.
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

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
	"github.com/gobacklist/backlist/httpapi/openapi"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailed  = 1 // for example, the port is in use
	exitMisused = 2 // a flag or a file is invalid
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the next signal ends the program immediately
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run serves until ctx is done and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		return fail(stderr, err, exitMisused)
	}
	errorLog := log.New(stderr, "serve: ", log.LstdFlags)
	api, err := newHandler(c, errorLog)
	if err != nil {
		return fail(stderr, err, exitMisused)
	}
	document, err := openapi.New(ctx, api, openapi.Options{Scheme: c.scheme(), OpenAPI: c.version})
	if err != nil {
		return fail(stderr, err, exitMisused)
	}
	if c.openapi != "" {
		if err := writeDocument(c.openapi, document, stdout); err != nil {
			return fail(stderr, err, exitFailed)
		}
		return exitOK
	}
	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		return fail(stderr, err, listenCode(err))
	}
	fmt.Fprintf(stdout, "serving http://%s/api/\n", listener.Addr())
	if err := serve(ctx, listener, newServer(c.routes(api, document), errorLog)); err != nil {
		return fail(stderr, err, exitFailed)
	}
	return exitOK
}

func fail(stderr io.Writer, err error, code int) int {
	fmt.Fprintln(stderr, "serve:", err)
	return code
}

// listenCode returns the exit code for an error of net.Listen: exitFailed if the
// system refuses the address, exitMisused if the address is invalid.
func listenCode(err error) int {
	var refused *os.SyscallError
	if errors.As(err, &refused) {
		return exitFailed
	}
	return exitMisused
}

// writeDocument writes the OpenAPI document to a file, or to stdout for "-".
func writeDocument(file string, document *openapi.Document, stdout io.Writer) error {
	if file != "-" {
		return os.WriteFile(file, document.JSON(), 0o644)
	}
	_, err := stdout.Write(document.JSON())
	return err
}

// newHandler loads the records and returns the handler that serves them.
func newHandler(c config, errorLog *log.Logger) (*httpapi.Handler, error) {
	house, err := load(c)
	if err != nil {
		return nil, err
	}
	return httpapi.New(house, httpapi.Options{
		Authorizer: c.authorizer(),
		BaseURL:    c.baseURL,
		Limits:     c.limits,
		ETags:      true,
		OnError: func(r *http.Request, err error) {
			errorLog.Printf("%s %s: %v", r.Method, r.URL.Path, err)
		},
	})
}

// routes returns a handler for the API, the HTML pages and the OpenAPI document.
func (c *config) routes(api, document http.Handler) http.Handler {
	if c.browse {
		api = browse.New(api, browse.Options{})
	}
	mux := http.NewServeMux()
	mux.Handle("/openapi.json", document)
	mux.Handle("/", api)
	return mux
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
