package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/resources/sample"
)

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
		want   map[string]int // sizes other than the default
		seed   uint64
	}{
		{"defaults", nil, nil, 0},
		{"seed", []string{"-seed", "18446744073709551615"}, nil, 1<<64 - 1},
		{"sizes", []string{"-events", "2", "-labels=3", "-authors", "4", "-social-links", "5", "-books", "6", "-others", "7"},
			map[string]int{"events": 2, "labels": 3, "authors": 4, "social-links": 5, "books": 6, "faqs": 7}, 0},
		{"no records", []string{"-events", "0", "-others", "0"}, map[string]int{"events": 0, "faqs": 0}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s, made := start(t, tt.args...), generated(t, sample.Options{Seed: tt.seed, Sizes: tt.want})
			sizes := map[string]int{}
			for _, key := range []string{"events", "labels", "social-links", "authors", "books", "faqs"} {
				sizes[key] = len(made[key])
			}
			served := map[string]int{}
			for key := range sizes {
				served[key] = get(t, s.base+"/api/"+key+"/").Count
			}
			if diff := cmp.Diff(sizes, served); diff != "" {
				t.Errorf("sizes (-want +got):\n%s", diff)
			}
			var slugs, servedSlugs []any
			for _, e := range made["events"] {
				slugs = append(slugs, e["slug"])
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
		{"smaller", []string{"-max-limit", "50"}, "100", "limit=50"},
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

// generated returns generated records by collection.
func generated(t *testing.T, opts sample.Options) map[string][]map[string]any {
	t.Helper()
	var file bytes.Buffer
	if err := sample.Write(&file, opts); err != nil {
		t.Fatal(err)
	}
	var made map[string][]map[string]any
	if err := json.Unmarshal(file.Bytes(), &made); err != nil {
		t.Fatal(err)
	}
	return made
}
