package server

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
)

// The error of a port that is in use says what to do.
func TestBusyPort(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	const remedy = "; -control 127.0.0.1:0 chooses a free port"
	if _, err := Listen("-control", busy.Addr().String()); err == nil || !strings.HasSuffix(err.Error(), remedy) {
		t.Errorf("error %v, want one with %q", err, remedy)
	}
}

// A request that runs when the context ends is answered.
func TestServeEnds(t *testing.T) {
	l, err := Listen("-addr", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(ctx, l, &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			end()
			w.WriteHeader(http.StatusTeapot)
		})})
	}()
	resp, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if err := <-ended; err != nil || resp.StatusCode != http.StatusTeapot {
		t.Errorf("status %d, and Serve returns %v", resp.StatusCode, err)
	}
}
