package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	films "github.com/gobacklist/backlist/examples/films/collections"
	"github.com/gobacklist/backlist/examples/postgres/internal/pgtest"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	shop "github.com/gobacklist/backlist/examples/shop/collections"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

// TestProgram loads a file, serves it, and writes to it.
func TestProgram(t *testing.T) {
	database := pgtest.New(t)
	first := filepath.Join(t.TempDir(), "first.json")
	cat := mustNew()
	must(t, cat.Load(sampleRecords(t), catalogue.LoadOptions{}))
	must(t, cat.SaveFile(first))

	serving := start(t, "-dsn", database.DSN("postgres"), "-load", first,
		"-addr", "127.0.0.1:0", "-token", "secret")
	api, err := httpapi.New(cat, httpapi.Options{BaseURL: serving.address, Authorizer: httpapi.Bearer("secret")})
	must(t, err)
	memory := httptest.NewServer(api)
	defer memory.Close()
	for _, request := range []struct{ reason, method, target, token, body string }{
		{"root", "GET", "/api/", "", ""},
		{"default order", "GET", "/api/events/?limit=30", "", ""},
		{"two directions", "GET", "/api/events/?ordering=published,-start_date&offset=100", "", ""},
		{"an open member", "GET", "/api/books/?ordering=-name&offset=90", "", ""},
		{"right token", "POST", "/api/social-links/", "secret", `{"title":"T","url":"https://x.example/","type":"instagram","author":1}`},
		{"wrong token", "POST", "/api/social-links/", "wrong", `{}`},
		{"posted record", "GET", "/api/social-links/?ordering=-id&limit=1", "", ""},
	} {
		want := ask(t, memory.URL, request.method, request.target, request.token, request.body)
		got := ask(t, serving.address, request.method, request.target, request.token, request.body)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s %s: -memory +postgres\n%s", request.reason, request.method, request.target, diff)
		}
	}
	checkPages(t, serving.address)
	must(t, serving.end())
	loaded := 0
	for _, c := range cat.All() {
		list, err := c.List(t.Context(), catalogue.Query{})
		must(t, err)
		loaded += list.Count
	}
	loaded-- // the posted one
	if want := fmt.Sprintf("loaded %d records from %s\n", loaded, first); !strings.Contains(serving.log.String(), want) {
		t.Errorf("the log has no %q: %s", want, serving.log)
	}

	store, err := pgstore.Open(pgstore.Options{DSN: database.DSN("postgres")})
	must(t, err)
	defer store.Close()
	var want, got bytes.Buffer
	must(t, errors.Join(cat.Save(&want), store.Save(t.Context(), &got)))
	if diff := cmp.Diff(want.String(), got.String()); diff != "" {
		t.Errorf("stored records: -memory +postgres\n%s", diff)
	}
	must(t, cat.Check())
}

// TestCollections serves the collections of other examples, and compares responses with those from
// memory.
func TestCollections(t *testing.T) {
	database := pgtest.New(t)
	for _, row := range []struct {
		flag, records string
		new           func() (*catalogue.Catalogue, error)
		requests      []string
	}{
		{"-films", "../films/records.json", films.New, []string{
			"GET /api/", "GET /api/films/?director__name=x&minutes__gte=90&search=hitchcock&ordering=-year", "GET /api/screenings/?limit=2",
			"PATCH /api/films/nothing/", "PATCH /api/films/1/", "DELETE /api/directors/5/",
		}},
		{"-shop", "../shop/records.json", func() (*catalogue.Catalogue, error) { return shop.New(nil) }, []string{
			"GET /api/", "GET /api/products/?category__name__icontains=home&ordering=-price", "GET /api/orders/?search=a&limit=3",
			"PATCH /api/products/nothing/",
		}},
	} {
		t.Run(row.flag, func(t *testing.T) {
			cat, err := row.new()
			must(t, err)
			must(t, cat.LoadFile(row.records, catalogue.LoadOptions{}))
			serving := start(t, "-dsn", database.DSN("postgres"), row.flag, "-load", row.records, "-addr", "127.0.0.1:0", "-token", "secret")
			api, err := httpapi.New(cat, httpapi.Options{BaseURL: serving.address, Authorizer: httpapi.Bearer("secret")})
			must(t, err)
			memory := httptest.NewServer(api)
			defer memory.Close()
			for _, request := range row.requests {
				method, target, _ := strings.Cut(request, " ")
				body := "{}"
				if method == "GET" {
					body = ""
				}
				want := ask(t, memory.URL, method, target, "secret", body)
				if diff := cmp.Diff(want, ask(t, serving.address, method, target, "secret", body)); diff != "" {
					t.Errorf("%s: -memory +postgres\n%s", request, diff)
				}
			}
			must(t, serving.end())
		})
	}
}

// checkPages checks that browsers get pages.
func checkPages(t *testing.T, address string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", address+"/", nil)
	must(t, err)
	r.Header.Set("Accept", "text/html")
	response, err := http.DefaultClient.Do(r)
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	if path := response.Request.URL.Path; path != "/api/" || !strings.Contains(string(text), "Catalogue in PostgreSQL</bdi></h1>") {
		t.Errorf("the page of / is %s: %s", path, text)
	}
}

// TestWait starts the program before the database.
func TestWait(t *testing.T) {
	database := pgtest.New(t)
	must(t, database.Shutdown("fast"))
	var log output
	go func() {
		for range 600 {
			if strings.Contains(log.String(), "waiting for the database: ") {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if err := database.Start(); err != nil {
			t.Error(err)
		}
	}()
	serving := startLogging(t, &log, "-dsn", database.DSN("postgres"), "-addr", "127.0.0.1:0", "-wait", "2m")
	must(t, serving.end())
	if n := strings.Count(log.String(), "waiting"); n != 1 {
		t.Errorf("%d messages, want 1:\n%s", n, log.String())
	}
	must(t, database.Shutdown("fast"))
	err := run(t.Context(), []string{"-dsn", database.DSN("postgres"), "-wait", "10ms"}, io.Discard, io.Discard)
	if !errors.Is(err, httpapi.ErrUnavailable) {
		t.Errorf("after waiting: %v, want ErrUnavailable", err)
	}
}

func TestInvalidArguments(t *testing.T) {
	for _, row := range []struct {
		reason string
		args   []string
		want   string
	}{
		{"no database", nil, "DSN is empty"},
		{"invalid DSN", []string{"-dsn", "host"}, "invalid options: DSN"},
		{"server not running", []string{"-dsn", "host=/nonexistent user=postgres"}, "pgstore: httpapi: collection is unavailable: "},
		{"unexpected argument", []string{"books"}, `unexpected argument "books"`},
		{"two sets of collections", []string{"-films", "-shop"}, "-films and -shop cannot be combined"},
		{"unknown flag", []string{"-x"}, "unknown flag -x: want one of "},
	} {
		err := run(t.Context(), row.args, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: run(%q) = %v, want an error with %q", row.reason, row.args, err, row.want)
		}
	}
	if err := run(t.Context(), []string{"-h"}, io.Discard, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("run(-h) = %v, want %v", err, flag.ErrHelp)
	}
}

// sampleRecords returns a file of made-up records.
func sampleRecords(t *testing.T) io.Reader {
	var file bytes.Buffer
	err := sample.Write(&file, sample.Options{})
	must(t, err)
	return &file
}

// output is a writer of several goroutines.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

type program struct {
	address string
	log     *output
	end     func() error // stops the program and returns its error
}

// start runs the program and returns when it serves.
func start(t *testing.T, args ...string) program {
	t.Helper()
	return startLogging(t, &output{}, args...)
}

// startLogging runs the program with a log and returns when it serves.
func startLogging(t *testing.T, log *output, args ...string) program {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, args, in, log)
		in.CloseWithError(errors.Join(err, io.EOF))
		ended <- err
	}()
	var output strings.Builder
	for !strings.Contains(output.String(), "/api/\n") {
		buffer := make([]byte, 1024)
		n, err := out.Read(buffer)
		output.Write(buffer[:n])
		if err != nil {
			t.Fatalf("output %q, then %v", output.String(), err)
		}
	}
	_, url, _ := strings.Cut(output.String(), "serving ")
	return program{strings.TrimSuffix(url, "/api/\n"), log, func() error {
		cancel()
		return <-ended
	}}
}

// answer is the part of an answer that is compared.
type answer struct {
	Status int
	Header http.Header
	Body   string
}

// ask sends a request. A body is JSON.
func ask(t *testing.T, address, method, target, token, body string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address+target, strings.NewReader(body))
	must(t, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	must(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(t, err)
	response.Header.Del("Date")
	response.Header["Vary"] = []string{strings.Join(slices.Sorted(strings.SplitSeq(strings.Join(response.Header["Vary"], ", "), ", ")), ", ")} // package browse adds one
	response.Header.Del("Etag")                                                                                                                // PostgreSQL only
	response.Header.Del("Cache-Control")                                                                                                       // PostgreSQL only
	return answer{response.StatusCode, response.Header, string(text)}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mustNew returns a catalogue of the documented collections.
func mustNew() *catalogue.Catalogue {
	c, err := resources.New()
	if err != nil {
		panic(err)
	}
	return c
}
