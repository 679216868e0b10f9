package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/postgres/internal/pgtest"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources/sample"
)

// A house in a file is loaded, served, written to, and is in a file again.
func TestProgram(t *testing.T) {
	database := pgtest.New(t)
	first, last := filepath.Join(t.TempDir(), "first.json"), filepath.Join(t.TempDir(), "last.json")
	house := catalogue.New()
	must(t, house.Load(made(t)))
	must(t, house.SaveFile(first))

	serving := start(t, "-primary", database.DSN("postgres"), "-load", first, "-index", "books:name", "-index", "events:-published,start_date",
		"-check", "-addr", "127.0.0.1:0", "-token", "secret")
	api, err := httpapi.New(house, httpapi.Options{BaseURL: serving.address, Authorizer: httpapi.Bearer("secret")})
	must(t, err)
	memory := httptest.NewServer(api)
	defer memory.Close()
	for _, request := range []struct{ reason, method, target, token, body string }{
		{"the root", "GET", "/api/", "", ""},
		{"the default order", "GET", "/api/events/?limit=30", "", ""},
		{"an index of two directions", "GET", "/api/events/?ordering=published,-start_date&offset=100", "", ""},
		{"an index of an open member", "GET", "/api/books/?ordering=-name&offset=90", "", ""},
		{"who may write", "POST", "/api/social-links/", "secret", `{"title":"T","url":"https://x.example/","type":"instagram","author":1}`},
		{"who may not", "POST", "/api/social-links/", "wrong", `{}`},
		{"what was written", "GET", "/api/social-links/?ordering=-id&limit=1", "", ""},
	} {
		want := ask(t, memory.URL, request.method, request.target, request.token, request.body)
		got := ask(t, serving.address, request.method, request.target, request.token, request.body)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s %s: -memory +postgres\n%s", request.reason, request.method, request.target, diff)
		}
	}
	must(t, serving.end())

	must(t, run(t.Context(), []string{"-primary", database.DSN("postgres"), "-save", last, "-addr", ""}, io.Discard, io.Discard))
	var want bytes.Buffer
	must(t, house.Save(&want))
	got, err := os.ReadFile(last)
	must(t, err)
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("-save: -memory +postgres\n%s", diff)
	}
	must(t, house.Check())
}

// What cannot be done is said, and nothing is served.
func TestRefusals(t *testing.T) {
	for _, row := range []struct {
		reason string
		args   []string
		want   string
	}{
		{"no database", nil, "Primary is empty"},
		{"a DSN that is none", []string{"-primary", "host"}, "Primary"},
		{"nobody there", []string{"-primary", "host=/nonexistent user=postgres"}, "pgstore: the database is away: "},
		{"a collection is no flag", []string{"books"}, `what is "books"`},
		{"a collection that there is not, before anything is loaded", []string{"-index", "boks:name"}, `no collection "boks"`},
		{"an ordering that is none", []string{"-index", "books:,"}, "empty term"},
		{"a flag that there is not", []string{"-x"}, "not defined"},
	} {
		err := run(t.Context(), row.args, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %q: error %v, want one that says %q", row.reason, row.args, err, row.want)
		}
	}
	if err := run(t.Context(), []string{"-h"}, io.Discard, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h: error %v, want %v", err, flag.ErrHelp)
	}
}

// made is a house that nobody has.
func made(t *testing.T) io.Reader {
	var file bytes.Buffer
	_, err := sample.New(sample.Options{}).WriteTo(&file)
	must(t, err)
	return &file
}

// program is one that serves.
type program struct {
	address string
	end     func() error // lets running requests end, and tells what the program said
}

// start runs the program until it says where it serves.
func start(t *testing.T, args ...string) program {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, args, in, io.Discard)
		in.CloseWithError(errors.Join(err, io.EOF))
		ended <- err
	}()
	var said strings.Builder
	for !strings.Contains(said.String(), "/api/\n") {
		buffer := make([]byte, 1024)
		n, err := out.Read(buffer)
		said.Write(buffer[:n])
		if err != nil {
			t.Fatalf("it said %q, and then %v", said.String(), err)
		}
	}
	_, url, _ := strings.Cut(said.String(), "serving ")
	return program{strings.TrimSuffix(url, "/api/\n"), func() error {
		cancel()
		return <-ended
	}}
}

// answer is what counts of one.
type answer struct {
	Status int
	Header http.Header
	Body   string
}

// ask makes a request. A body is JSON.
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
	response.Header.Del("Etag")          // of one handler
	response.Header.Del("Cache-Control") // goes with it
	return answer{response.StatusCode, response.Header, string(text)}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
