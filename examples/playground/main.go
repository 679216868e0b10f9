// Playground serves the handler of package httpapi, with the pages of package browse, as
// a static folder: the handler is compiled to WebAssembly and answers requests inside the
// browser, in a service worker. The folder needs no server of its own.
//
//	go run ./examples/playground &
//	go run ./examples/playground -write site/demo
//
// The first command builds the folder and serves it on a loopback address. The second
// writes it to a directory. Any host of static files can serve that over https, at any path.
// Both need the go command and this module.
//
// In the folder, api/ is a publishing house with sample records, and v1/ has the films of
// the README. Everybody may write. The records are kept in the browser that writes them.
// Requests reach the worker only from pages in that browser. Those of other programs, and
// pages reloaded while holding Shift, reach the host, which has no such files.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gobacklist/backlist/examples/internal/flags"
	"github.com/gobacklist/backlist/examples/internal/progress"
	"github.com/gobacklist/backlist/examples/internal/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the next signal ends the program immediately
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code: 1 if building, writing or serving fails, and 2 if a flag is
// invalid.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "playground:", err)
		return 2
	}
	if err := c.run(ctx, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "playground:", err)
		return 1
	}
	return 0
}

// config holds the values of the flags.
type config struct {
	addr  string
	write string // directory; empty if the folder is to be served
}

// parse parses the flags. If help is requested, it prints the usage to stdout and returns
// flag.ErrHelp.
func parse(args []string, stdout io.Writer) (config, error) {
	var c config
	set := flag.NewFlagSet("playground", flag.ContinueOnError)
	// Not the port of the other examples: the worker stays in the browser.
	set.StringVar(&c.addr, "addr", "127.0.0.1:8081", "listen on `host:port`, a loopback address; port 0 chooses a free port")
	set.StringVar(&c.write, "write", "", "write the static files to `directory` and exit")
	if err := flags.Parse(set, args, stdout); err != nil {
		return c, err
	}
	switch {
	case set.NArg() > 0:
		return c, fmt.Errorf("unexpected argument %q", set.Arg(0))
	case c.write == "":
		return c, checkLoopback(c.addr)
	}
	return c, nil
}

// checkLoopback returns an error if addr is not a loopback address. Browsers run service
// workers over plain HTTP only from these.
func checkLoopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("-addr: %w", err)
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("-addr %s is not a loopback address, so browsers would not run the service worker; use -write and a host with https", addr)
}

// run builds the folder and writes or serves it. It shows on stderr that it is building, if that is
// a terminal.
func (c config) run(ctx context.Context, stdout, stderr io.Writer) error {
	var listener net.Listener
	if c.write == "" { // before the build, which takes a while
		var err error
		if listener, err = server.Listen("-addr", c.addr); err != nil {
			return err
		}
		defer listener.Close()
	}
	shown := progress.Start(stderr, "building the service for browsers", 0)
	wasm, runtime, err := compile(ctx)
	if shown.Stop(); err != nil {
		return err
	}
	files, err := newFolder(wasm, runtime)
	if err != nil {
		return err
	}
	if c.write != "" {
		if err := files.write(c.write); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%d files in %s\n", len(files), c.write)
		return nil
	}
	fmt.Fprintf(stdout, "serving http://%s%s\n", listener.Addr(), mount)
	return server.Serve(ctx, listener, &http.Server{Handler: files.handler(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute})
}
