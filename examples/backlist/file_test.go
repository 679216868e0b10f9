package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A served is the program with a file, without a port.
type served struct {
	t *testing.T
	p *program
}

// serveFile serves a file with a name and a text.
func serveFile(t *testing.T, name, text string, args ...string) served {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := tryFile(t, path, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func tryFile(t *testing.T, path string, args ...string) (served, error) {
	c, err := parse(append([]string{path}, args...), io.Discard)
	if err != nil {
		return served{}, err
	}
	p, err := newProgram(t.Context(), c, log.New(t.Output(), "", 0))
	return served{t, p}, err
}

// ask sends a request below /api/ and returns the status and the body.
func (s served) ask(method, path, body string) (int, string) {
	s.t.Helper()
	r := httptest.NewRequest(method, "/api/"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.p.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// page returns a list.
func (s served) page(path string) page {
	s.t.Helper()
	code, body := s.ask("GET", path, "")
	var p page
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&p); code != 200 || err != nil {
		s.t.Fatalf("GET %s: %d %s", path, code, body)
	}
	return p
}

const smallFile = `{"posts":[{"id":1,"title":"a","authorId":2}],"authors":[{"id":2,"name":"b"}]}`

// TestFileIsSaved checks that the program writes the records back when it ends, and says what it
// serves.
func TestFileIsSaved(t *testing.T) {
	for _, args := range [][]string{{"-open", "-save"}, {"-save", "-open"}, {"--save", "--open"}} {
		path := filepath.Join(t.TempDir(), "cards.json")
		if err := os.WriteFile(path, []byte(`[{"id":0},{"id":1}]`), 0o640); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var stdout, stderr output
		done := make(chan int)
		go func() {
			done <- run(ctx, append([]string{"-addr", "127.0.0.1:0", path}, args...), &stdout, &stderr)
		}()
		for !strings.Contains(stdout.String(), "permitted") && stderr.Len() == 0 {
			time.Sleep(time.Millisecond)
		}
		base := regexp.MustCompile("http://[0-9.:]+").FindString(stdout.String())
		want := fmt.Sprintf("serving %s/api/\n%[1]s/api/cards/ has 2 records: id integer.\nThe kinds of fields are guesses: writes may send others. All writes are permitted.\n", base)
		if diff := cmp.Diff(want, stdout.String()); diff != "" {
			t.Errorf("-want +got:\n%s%s", diff, stderr.String())
		}
		ask(t, "POST "+base+"/api/cards/", `{"name":"<é>"}`)
		stop()
		code := <-done
		saved, err := os.ReadFile(path)
		about, _ := os.Stat(path)
		if want := `[{"id":0},{"id":1},{"name":"<é>","id":2}]` + "\n"; code != 0 || err != nil || string(saved) != want || about.Mode() != 0o640 {
			t.Errorf("%q: exit code %d, %v, %s %v, want %s", args, code, err, saved, about.Mode(), want)
		}
	}
}

// TestFileWithFaults checks that faults apply to the collections of a file.
func TestFileWithFaults(t *testing.T) {
	s := serveFile(t, "f.json", smallFile, "-fail", "GET /api/posts/ 503", "-fail", "GET /api/authors/ missing-row")
	code, _ := s.ask("GET", "posts/", "")
	if p := s.page("authors/"); code != 503 || len(p.Results) != 0 {
		t.Errorf("posts: %d; authors: %v", code, p.Results)
	}
}

// TestFileWithoutWrites checks that writes are refused by default, or need the token.
func TestFileWithoutWrites(t *testing.T) {
	for want, args := range map[int][]string{403: nil, 401: {"-token", "s3cret"}, 201: {"-open"}} {
		if code, body := serveFile(t, "f.json", smallFile, args...).ask("POST", "posts/", "{}"); code != want {
			t.Errorf("%v: %d %s, want %d", args, code, body, want)
		}
	}
}

// TestFilePages reads the pages of files, in all styles.
func TestFilePages(t *testing.T) {
	for _, text := range []string{blog, `{"users":{"ann":{"age":1,"home":{"city":"Bonn"}},"bob":{"age":2}}}`, `[{"id":"x y/é","a":[1,{"b":null}]},{"id":"10","a__b":true,"unitPrice":1e5}]`} {
		for _, args := range [][]string{{"-open"}, {"-pages", "numbers"}, {"-pages", "cursors"}, {"-framework", "3.18"}} {
			s := serveFile(t, "f.json", text, args...)
			s.checkPages()
		}
	}
}

// checkPages reads the first pages of all collections as JSON and as browsers do, and a page for
// each order.
func (s served) checkPages() {
	s.t.Helper()
	paths := []string{"/api/", "/openapi.json"}
	for _, c := range s.p.current.Load().start.All() {
		m := c.Description()
		path := "/api/" + m.Segment + "/"
		paths = append(paths, path, path+"?search=a")
		for _, f := range m.Fields {
			paths = append(paths, path+"?"+url.Values{"ordering": {"-" + f.Name}}.Encode())
		}
		if _, body := s.ask("GET", m.Segment+"/", ""); strings.Contains(body, `"id":1,`) {
			paths = append(paths, path+"1/")
		}
	}
	for _, path := range paths {
		for _, accept := range []string{"application/json", "text/html"} {
			r, w := httptest.NewRequest("GET", path, nil), httptest.NewRecorder()
			r.Header.Set("Accept", accept)
			if s.p.ServeHTTP(w, r); w.Code != 200 {
				s.t.Errorf("GET %s: %d %.300s", path, w.Code, w.Body)
			}
		}
	}
}
