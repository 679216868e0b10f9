// Package server serves until a signal, as the example programs do.
package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
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

// wait is the time in which running requests can end.
const wait = 10 * time.Second

// Serve serves until ctx is done or the program receives an interrupt, SIGTERM or, unless it ignores
// that as nohup makes it do, SIGHUP, and then waits at most ten seconds for running requests. A second signal ends the program immediately, and so
// does the first one before Serve is called, unless the caller catches it.
func Serve(ctx context.Context, l net.Listener, s *http.Server) error {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // NotifyContext would undo that
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, signals...)
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		stop()
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	defer s.Close() // an interrupted request gets no answer afterwards
	if err := s.Shutdown(ctx); err != nil {
		return fmt.Errorf("requests were still running: %w", err)
	}
	return nil
}
