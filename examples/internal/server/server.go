// Package server serves until a signal, as the example programs do.
package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gobacklist/backlist/examples/internal/progress"
)

// Listen listens at the address that a flag such as -addr has. If the port is in use, the error
// says how to choose another.
func Listen(flag, addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%w; %s 127.0.0.1:0 chooses a free port", err, flag)
	}
	return l, err
}

// patience is the time in which running requests can end.
const patience = 10 * time.Second

// A Starting is the handler of a program that does not have its records yet. It responds with 503, the
// progress of Board, and a page that browsers load again each second, until Set is called. It is safe for
// concurrent use.
type Starting struct {
	Board   *progress.Board
	handler atomic.Pointer[http.Handler]
}

// Set makes h serve the requests from now on.
func (s *Starting) Set(h http.Handler) { s.handler.Store(&h) }

// ServeHTTP serves a request.
func (s *Starting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := s.handler.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	text := cmp.Or(s.Board.Line(), "starting")
	header := w.Header()
	header.Set("Retry-After", "1")
	header.Set("Cache-Control", "no-store")
	header.Set("Vary", "Accept")
	header.Set("X-Content-Type-Options", "nosniff")
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		header.Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_ = json.NewEncoder(w).Encode(map[string]string{"detail": "The records are not there yet (" + text + "). Please try again."})
		return
	}
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	header.Set("Refresh", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = fmt.Fprintf(w, startingPage, html.EscapeString(text)) // the client is gone if it fails
}

// startingPage is a page with a text. Its colors are those of the pages of package browse.
const startingPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Starting</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>
:root { color-scheme: light dark; --ground: #faf9f7; --ink: #22262b; --soft: #5b626b; }
@media (prefers-color-scheme: dark) { :root { --ground: #14161a; --ink: #e4e3df; --soft: #a3a9b1; } }
body { margin: 0 auto; max-width: 60rem; padding: 2rem clamp(1rem, 3vw, 2.5rem); background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, "Noto Sans", sans-serif; }
h1 { font-size: 1.6rem; }
p { color: var(--soft); font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
</style>
</head>
<body>
<main>
<h1>The service is starting</h1>
<p role="status">%s</p>
<p>This page shows the records as soon as they are there.</p>
</main>
</body>
</html>
`

// Serve serves until ctx is done or the program receives a signal that Catch catches, and then waits at most
// ten seconds for running requests.
func Serve(ctx context.Context, l net.Listener, s *http.Server) error {
	ctx, stop := Catch(ctx)
	defer stop()
	return Begin(l, s)(ctx)
}

// Catch returns a context that is done after an interrupt, SIGTERM or, unless the program ignores that as nohup
// makes it do, SIGHUP. A program that saves its records calls it before it answers a write: a signal before
// ends the program immediately, and so does a second one.
func Catch(ctx context.Context) (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // NotifyContext would undo that
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Begin serves. The function that it returns waits until a context is done, and then at most ten seconds for
// running requests.
func Begin(l net.Listener, s *http.Server) (wait func(context.Context) error) {
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	return func(ctx context.Context) error {
		select {
		case err := <-failed:
			return err
		case <-ctx.Done():
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		defer s.Close() // an interrupted request gets no answer afterwards
		if err := s.Shutdown(ctx); err != nil {
			return fmt.Errorf("requests were still running: %w", err)
		}
		return nil
	}
}
