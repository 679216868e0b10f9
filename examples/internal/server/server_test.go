package server

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobacklist/backlist/examples/internal/progress"
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

// Before the handler is there, browsers get a page that they load again, and other clients JSON. Both have the
// progress.
func TestStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &Starting{Board: &progress.Board{}}
		check := func(status int, accept, kind, again, want string) {
			t.Helper()
			r, w := httptest.NewRequest("GET", "/api/", nil), httptest.NewRecorder()
			r.Header.Set("Accept", accept)
			h.ServeHTTP(w, r)
			header := w.Header()
			if w.Code != status || !strings.HasPrefix(header.Get("Content-Type"), kind) || header.Get("Refresh") != again || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: %d %v %s, want %d %s with %s", accept, w.Code, header, w.Body, status, kind, want)
			}
			if (header.Get("Retry-After") == "1") != (status == http.StatusServiceUnavailable) {
				t.Errorf("%d with Retry-After %q", status, header.Get("Retry-After"))
			}
		}
		check(503, "text/html,*/*;q=0.8", "text/html", "1", `<p role="status">starting</p>`)
		shown := progress.Start(h.Board, "loading <b>.json", 40)
		time.Sleep(2 * time.Second)
		check(503, "*/*", "application/json", "", `(loading \u003cb\u003e.json: 0 %, 2 s)`)
		shown.Add(10)
		check(503, "text/html", "text/html", "1", `loading &lt;b&gt;.json: 25 %, 2 s, about 6 s left<`)
		shown.Add(30)
		check(503, "", "application/json", "", `100 %, 2 s)`)
		shown.Stop()
		progress.Start(h.Board, "sorting", 0)
		check(503, "", "application/json", "", `(sorting: 0 s)`)
		h.Set(http.NotFoundHandler())
		check(404, "text/html", "text/plain", "", "404")
	})
}
