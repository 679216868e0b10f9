package cataloguetest_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
)

// TestExchanges checks that an exchange is recorded once the client has its response.
func TestExchanges(t *testing.T) {
	for name, opts := range map[string]cataloguetest.Options{"in process": {Empty: true}, "loopback": {Empty: true, Server: true}} {
		t.Run(name, func(t *testing.T) {
			house := cataloguetest.NewWith(t, opts)
			request, err := http.NewRequest("POST", house.URL+"/api/events/?a=%20b", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("X-Test", "1")
			resp, err := house.Client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if resp.Body.Close(); err != nil {
				t.Fatal(err)
			}
			log := house.Exchanges()
			if len(log) != 1 {
				t.Fatalf("%d exchanges, want 1", len(log))
			}
			e := log[0]
			got := map[string]any{"method": e.Method, "url": e.URL.String(), "header": e.Header.Get("X-Test"), "body": string(e.Body),
				"status": e.Status, "type": e.AnswerHeader.Get("Content-Type"), "answer": string(e.Answer), "cut": e.Cut, "aborted": e.Aborted}
			want := map[string]any{"method": "POST", "url": "/api/events/?a=%20b", "header": "1", "body": "{}",
				"status": 400, "type": "application/json", "answer": string(body), "cut": false, "aborted": false}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if e.Took <= 0 {
				t.Errorf("Took = %v", e.Took)
			}
		})
	}
}

func TestExchangesAreCopies(t *testing.T) {
	house := cataloguetest.New(t)
	getAll(t, house, "/api/news/?limit=1")
	first := house.Exchanges()
	clear(first[0].Answer)
	first[0].AnswerHeader.Set("Content-Type", "text/plain")
	first[0].Header.Set("User-Agent", "changed")
	first[0].URL.Path = "/"
	e := house.Exchanges()[0]
	if bytes.Equal(e.Answer, first[0].Answer) || e.AnswerHeader.Get("Content-Type") != "application/json" ||
		e.Header.Get("User-Agent") != "Go-http-client/1.1" || e.URL.Path != "/api/news/" {
		t.Errorf("exchange was changed: %+v", e)
	}
}

func TestExchangesOfConcurrentRequests(t *testing.T) {
	house := cataloguetest.New(t)
	var all sync.WaitGroup
	want := map[string]int{}
	for i := range 8 {
		path := fmt.Sprintf("/api/events/?limit=%d", i+1)
		want["GET "+path] = 20
		all.Go(func() {
			for range 20 {
				getAll(t, house, path)
				house.Exchanges()
			}
		})
	}
	all.Wait()
	got := map[string]int{}
	for _, e := range house.Exchanges() {
		got[e.Method+" "+e.URL.String()]++
		if e.Status != 200 || !bytes.HasPrefix(e.Answer, []byte(`{"count":300,`)) || !bytes.HasSuffix(e.Answer, []byte("}]}")) {
			t.Errorf("%s: %d, %.20s…", e.URL, e.Status, e.Answer)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestExchangesOfHandlerCalls checks that calls of the handler without the client are
// recorded.
func TestExchangesOfHandlerCalls(t *testing.T) {
	house := cataloguetest.New(t)
	house.Handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("HEAD", "/api/", nil))
	house.Asked(t, "HEAD /api/")
	if e := house.Exchanges()[0]; e.Status != 200 || len(e.Answer) != 0 {
		t.Errorf("unexpected exchange %v", e)
	}
}

// TestExchangesAreBounded checks that only the beginning of a long body is kept, and that
// the client receives all of it.
func TestExchangesAreBounded(t *testing.T) {
	house := cataloguetest.NewWith(t, cataloguetest.Options{Empty: true})
	long := strings.Repeat("x", 2<<20)
	err := house.Catalogue.LoadCollection("news", strings.NewReader(`[{"id": 1, "text": "`+long+`"}]`))
	if err != nil {
		t.Fatal(err)
	}
	const pages = 70 // of 1 MiB each in the log
	for range pages {
		if _, body := get(t, house, "/api/news/"); len(body) < len(long) {
			t.Fatalf("client received %d bytes, want at least %d", len(body), len(long))
		}
	}
	log := house.Exchanges()
	kept := 0
	for i, e := range log {
		if !e.Cut || len(e.Answer) != 0 && len(e.Answer) != 1<<20 || e.Status != 200 {
			t.Errorf("exchange %d: Cut = %t with %d bytes", i, e.Cut, len(e.Answer))
		}
		kept += len(e.Answer)
	}
	if len(log) != pages || kept > 64<<20 || kept < 60<<20 {
		t.Errorf("%d exchanges with %d bytes, want %d with at most 64 MiB", len(log), kept, pages)
	}
	if got := failureOf(t, func(tb testing.TB) { house.WalkedOnce(tb, "news") }); got != "news: GET /api/news/: too long to be checked" {
		t.Errorf("WalkedOnce failed with %q", got)
	}
}

func TestForget(t *testing.T) {
	house := cataloguetest.New(t)
	getAll(t, house, "/api/", "/api/events/")
	house.Forget()
	house.Asked(t)
	getAll(t, house, "/api/books/")
	house.Asked(t, "GET /api/books/")
}

func TestExchangeString(t *testing.T) {
	house := cataloguetest.New(t)
	getAll(t, house, "/api/nothing/?q=1")
	e := house.Exchanges()[0]
	e.Took = 41_300
	if got, want := e.String(), "GET /api/nothing/?q=1 → 404, 23 bytes, 41µs"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	e.Aborted = true
	if got, want := e.String(), "GET /api/nothing/?q=1 → 404, 23 bytes, then cut off, 41µs"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	if got, want := (cataloguetest.Exchange{}).String(), " → no response yet, 0s"; got != want {
		t.Errorf("zero Exchange: String() = %q, want %q", got, want)
	}
	e.Status, e.Answer = 0, nil
	if got, want := e.String(), "GET /api/nothing/?q=1 → cut off, 41µs"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}
