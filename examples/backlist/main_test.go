package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/resources/sample"
)

// server is a run of the program in this process.
type server struct {
	base, addr string // http://127.0.0.1:34567, 127.0.0.1:34567
	control    string // http://127.0.0.1:34568, if there is one
	stop       context.CancelFunc
	done       chan struct{} // closed when code and stderr are set
	code       int
	stderr     output
}

// output is what the program has written so far. It is safe for concurrent use.
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

func (o *output) Len() int { return len(o.String()) }

// start runs the program on a free port until the test ends.
func start(t *testing.T, args ...string) *server {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s := &server{stop: stop, done: make(chan struct{})}
	out, stdout := io.Pipe()
	go func() {
		defer close(s.done)
		s.code = run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), stdout, &s.stderr)
		stdout.Close()
	}()
	t.Cleanup(func() {
		stop()
		<-s.done
	})
	lines := bufio.NewReader(out)
	s.base, s.addr = announced(t, lines)
	if slices.Contains(args, "-control") {
		line, err := lines.ReadString('\n')
		match := regexp.MustCompile(`^control (http://127\.0\.0\.1:[1-9][0-9]*)/\n$`).FindStringSubmatch(line)
		if err != nil || match == nil {
			t.Fatalf("second line = %q, %v", line, err)
		}
		s.control = match[1]
	}
	return s
}

// announced reads the line with the address of the program.
func announced(t *testing.T, stdout *bufio.Reader) (base, addr string) {
	t.Helper()
	line, err := stdout.ReadString('\n')
	match := regexp.MustCompile(`^serving (http://(127\.0\.0\.1:[1-9][0-9]*))/api/\n$`).FindStringSubmatch(line)
	if err != nil || match == nil {
		t.Fatalf("first line = %q, %v", line, err)
	}
	return match[1], match[2]
}

// few returns flags for few records, which are generated quickly, before other flags.
func few(args ...string) []string {
	return append([]string{"-events", "3", "-labels", "1", "-authors", "3", "-social-links", "1", "-books", "10", "-others", "3"}, args...)
}

// page is a response of a collection.
type page struct {
	Count    int              `json:"count"`
	Next     *string          `json:"next"`
	Previous *string          `json:"previous"`
	Results  []map[string]any `json:"results"`
}

func get(t *testing.T, url string) (p page) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s, %v", url, r.Status, err)
	}
	return p
}

const event = `{"name":"A reading","slug":"reading","startDate":"2026-05-10T18:00:00+02:00","endDate":"2026-05-10T20:00:00+02:00"}`

// post posts an event and returns the status.
func post(t *testing.T, base, authorization string) int {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, base+"/api/events/", strings.NewReader(event))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

func TestDefaultRecords(t *testing.T) {
	s := start(t)
	if got := get(t, s.base+"/api/events/"); got.Count != 300 || len(got.Results) != 21 || got.Next == nil {
		t.Errorf("events: count %d, %d results, next %v", got.Count, len(got.Results), got.Next)
	}
	r, err := http.Get(s.base + "/api/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var root map[string]string
	if err := json.NewDecoder(r.Body).Decode(&root); err != nil {
		t.Fatal(err)
	}
	if want := s.base + "/api/item_variants/?format=api"; len(root) != 39 || root["itemVariants"] != want {
		t.Errorf("root has %d keys and itemVariants = %q, want 39 and %q", len(root), root["itemVariants"], want)
	}
}

func TestSampleFlags(t *testing.T) {
	tests := []struct {
		reason string
		args   []string
		want   sample.Options
	}{
		{"defaults", nil, sample.Options{}},
		{"seed", []string{"-seed", "18446744073709551615"}, sample.Options{Seed: 1<<64 - 1}},
		{"sizes", []string{"-events", "2", "-labels=3", "-authors", "4", "-social-links", "5", "-books", "6", "-others", "7"},
			sample.Options{Events: 2, Labels: 3, Authors: 4, SocialLinks: 5, Books: 6, Others: 7}},
		{"no records", []string{"-events", "0", "-others", "0"}, sample.Options{Events: -1, Others: -1}},
		{"no oddities", []string{"-plain"}, sample.Options{Without: sample.AllOddities}},
		{"all oddities", []string{"-plain=false"}, sample.Options{}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s, house := start(t, tt.args...), sample.New(tt.want)
			sizes := map[string]int{
				"events": len(house.Events), "labels": len(house.Labels), "social-links": len(house.SocialLinks),
				"authors": len(house.Records("authors")), "books": len(house.Records("books")), "faqs": len(house.Records("faqs")),
			}
			served := map[string]int{}
			for key := range sizes {
				served[key] = get(t, s.base+"/api/"+key+"/").Count
			}
			if diff := cmp.Diff(sizes, served); diff != "" {
				t.Errorf("sizes (-want +got):\n%s", diff)
			}
			var slugs, servedSlugs []any
			for _, e := range house.Events {
				slugs = append(slugs, e.Slug)
			}
			for _, e := range get(t, s.base+"/api/events/?ordering=id&limit=1000").Results {
				servedSlugs = append(servedSlugs, e["slug"])
			}
			if diff := cmp.Diff(slugs, servedSlugs); diff != "" {
				t.Errorf("slugs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestData(t *testing.T) {
	file := filepath.Join(t.TempDir(), "house.json")
	if err := os.WriteFile(file, []byte(`{"books":[{"id":4,"name":"Onda"},{"id":9,"name":"Atlante"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, "-data", file)
	want := []map[string]any{{"id": 9.0, "name": "Atlante"}, {"id": 4.0, "name": "Onda"}}
	if diff := cmp.Diff(want, get(t, s.base+"/api/books/?ordering=name").Results); diff != "" {
		t.Errorf("books (-want +got):\n%s", diff)
	}
	if got := get(t, s.base+"/api/events/").Count; got != 0 {
		t.Errorf("%d events, want 0", got)
	}
}

func TestAuthorization(t *testing.T) {
	tests := []struct {
		reason        string
		args          []string
		authorization string
		want          int
	}{
		{"no flag", nil, "", 403},
		{"no flag, with credentials", nil, "Bearer s3cret", 403},
		{"open", []string{"-open"}, "", 201},
		{"missing token", []string{"-token", "s3cret"}, "", 401},
		{"wrong token", []string{"-token", "s3cret"}, "Bearer guess", 401},
		{"right token", []string{"-token", "s3cret"}, "Bearer s3cret", 201},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s := start(t, tt.args...)
			if got := post(t, s.base, tt.authorization); got != tt.want {
				t.Errorf("status = %d, want %d", got, tt.want)
			}
			stored := map[bool]int{true: 301, false: 300}[tt.want == 201]
			if got := get(t, s.base+"/api/events/").Count; got != stored {
				t.Errorf("%d events afterwards, want %d", got, stored)
			}
		})
	}
}

func TestBrowse(t *testing.T) {
	const chrome = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	tests := []struct {
		reason string
		args   []string
		accept string
		want   string // Content-Type
	}{
		{"browser", nil, chrome, "text/html; charset=utf-8"},
		{"curl", nil, "*/*", "application/json"},
		{"browser with -browse=false", []string{"-browse=false"}, chrome, "application/json"},
	}
	for _, tt := range tests {
		s := start(t, tt.args...)
		r, err := http.NewRequest(http.MethodGet, s.base+"/api/events/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", tt.accept)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if got := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || got != tt.want {
			t.Errorf("%s: %s with %s, want 200 with %s", tt.reason, answer.Status, got, tt.want)
		}
	}
}

func TestBaseURL(t *testing.T) {
	s := start(t, "-base-url", "https://books.example/shop/")
	next := get(t, s.base+"/api/books/").Next
	if want := "https://books.example/shop/api/books/?limit=21&offset=21"; next == nil || *next != want {
		t.Errorf("next = %v, want %s", next, want)
	}
}

func TestMaxLimit(t *testing.T) {
	tests := []struct {
		reason string
		args   []string
		limit  string // of the request
		want   string // in the link
	}{
		{"default", nil, "5000", "limit=1000"},
		{"smaller", []string{"-max-limit", "5"}, "50", "limit=5"},
		{"no limit", []string{"-max-limit", "-1"}, "5000", "limit=5000"},
	}
	for _, tt := range tests {
		s := start(t, tt.args...)
		previous := get(t, s.base+"/api/books/?offset=20000&limit="+tt.limit).Previous
		if previous == nil || !strings.Contains(*previous, tt.want+"&") {
			t.Errorf("%s: previous = %v, want a link with %s", tt.reason, previous, tt.want)
		}
	}
}

func TestInvalidArguments(t *testing.T) {
	file := func(content string) string {
		name := filepath.Join(t.TempDir(), "house.json")
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	dir, valid := t.TempDir(), file(`{"books":[]}`)
	truncated, repeated := file(`{"books":[`), file(`{"books":[{"id":1},{"id":1}],"magazines":[]}`)
	tests := []struct {
		reason string
		args   []string
		want   string // in the message
	}{
		{"unknown flag", []string{"-port", "80"}, "-port"},
		{"unexpected argument", []string{"house.json"}, `"house.json"`},
		{"address without a port", []string{"-addr", "localhost"}, "localhost"},
		{"port out of range", []string{"-addr", "127.0.0.1:99999"}, "99999"},
		{"missing file", []string{"-data", filepath.Join(t.TempDir(), "missing.json")}, "missing.json"},
		{"directory instead of a file", []string{"-data", dir}, dir},
		{"truncated file", []string{"-data", truncated}, truncated},
		{"repeated id in a file", []string{"-data", repeated}, "record 1"},
		{"file and seed", []string{"-data", valid, "-seed", "7"}, "-data"},
		{"file and size", []string{"-books", "0", "-data", valid}, "-data"},
		{"file and plain", []string{"-data", valid, "-plain"}, "-data"},
		{"negative seed", []string{"-seed", "-1"}, "-seed"},
		{"negative size", []string{"-events", "-1"}, "-events"},
		{"size is not a number", []string{"-others", "many"}, `"many"`},
		{"open and token", []string{"-open", "-token", "s3cret"}, "-open and -token"},
		{"empty token", []string{"-token", ""}, "-token"},
		{"token with a space", []string{"-token", "two words"}, "-token"},
		{"limit of 0", []string{"-max-limit", "0"}, "-max-limit 0"},
		{"limit is not a number", []string{"-max-limit", "ten"}, `"ten"`},
		{"base URL without a scheme", []string{"-base-url", "books.example"}, "books.example"},
		{"invalid boolean", []string{"-open=perhaps"}, "perhaps"},
		{"missing value", []string{"-token"}, "-token"},
		{"fault without a name", []string{"-fail", "GET /api/events/"}, `want one such as 503`},
		{"method in lower case", []string{"-fail", "get cut"}, `want "GET"`},
		{"unknown fault", []string{"-fail", "mising-row"}, "did you mean missing-row?"},
		{"unknown number", []string{"-fail", "cut nth2"}, "nth=2"},
		{"unknown name of a number", []string{"-fail", "cut ntth=2"}, "nth"},
		{"number 0", []string{"-fail", "cut nth=0"}, "nth=2"},
		{"share without its sign", []string{"-fail", "503 10"}, "10%"},
		{"share of nothing", []string{"-fail", "503 0%"}, `"0%"`},
		{"share that is not a number", []string{"-fail", "503 NaN%"}, `"NaN%"`},
		{"missing argument", []string{"-fail", "slow 100"}, `want "slow 100 50ms"`},
		{"argument that is not a number", []string{"-fail", "truncate x"}, `want "truncate 100"`},
		{"argument that is not a time", []string{"-fail", "GET delay 3"}, `want "delay 2s"`},
		{"negative time", []string{"-fail", "delay -1s"}, `want "delay 2s"`},
		{"quote without its end", []string{"-fail", `503 "busy`}, `"busy`},
		{"path that is redirected", []string{"-fail", "/api/events cut"}, `want "/api/events/"`},
		{"path with a query", []string{"-fail", "/api/events/?limit=2 cut"}, `want "/api/events/"`},
		{"status of the library", []string{"-fail", "99"}, "want 200 to 999"},
		{"delay without a unit", []string{"-delay", "200"}, "200ms"},
		{"origin without a scheme", []string{"-cors", "localhost:5173"}, `want "http://localhost:5173"`},
		{"origin with a path", []string{"-cors", "http://localhost:5173/"}, `want "http://localhost:5173"`},
		{"origin with upper case and the default port", []string{"-cors", "https://Shop.example:443"}, `want "https://shop.example"`},
		{"second origin", []string{"-cors", "http://localhost,"}, "-cors"},
		{"control on all addresses", []string{"-control", ":8081"}, `want "127.0.0.1:8081"`},
		{"control on another address", []string{"-control", "192.0.2.1:0"}, `want "127.0.0.1:0"`},
		{"control on a name", []string{"-control", "shop.example:0"}, `want "127.0.0.1:0"`},
		{"control without a port", []string{"-control", "127.0.0.1"}, "127.0.0.1:0"},
		{"empty control", []string{"-control", ""}, "-control"},
		{"watch of nothing", []string{"-watch"}, "-data"},
		{"watch of the file that is saved", []string{"-data", valid, "-watch", "-save", valid}, "-watch and -save"},
		{"save over a file", []string{"-save", valid}, "-data " + valid},
		{"save to a directory", []string{"-save", dir}, dir},
		{"save into a missing directory", []string{"-save", filepath.Join(dir, "missing", "house.json")}, "missing"},
		{"save to a missing file of records", []string{"-data", filepath.Join(dir, "house.json"), "-save", filepath.Join(dir, "house.json")}, "without -data"},
		{"interval without a file", []string{"-save-every", "1s"}, "-save"},
		{"negative interval", []string{"-save", filepath.Join(dir, "new.json"), "-save-every", "-1s"}, "-save-every -1s"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			args := append([]string{"-addr", "127.0.0.1:0"}, tt.args...)
			if !slices.Contains(tt.args, "-data") {
				args = few(args...)
			}
			if code := run(context.Background(), args, &stdout, &stderr); code != 2 {
				t.Errorf("exit code %d, want 2", code)
			}
			if stdout.Len() > 0 {
				t.Errorf("stdout = %q, want nothing", &stdout)
			}
			line := stderr.String()
			if !strings.HasPrefix(line, "backlist: ") || strings.Index(line, "\n") != len(line)-1 || !strings.Contains(line, tt.want) {
				t.Errorf("stderr = %q, want one line with %s", line, tt.want)
			}
		})
	}
}

func TestPortInUse(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"-addr", listener.Addr().String()}, &stdout, &stderr)
	if code != 1 || stdout.Len() > 0 || !strings.Contains(stderr.String(), listener.Addr().String()) || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("exit code %d, stdout %q, stderr %q; want 1 and one line with the address", code, &stdout, &stderr)
	}
}
