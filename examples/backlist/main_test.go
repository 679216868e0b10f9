package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
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

func get(t *testing.T, url string) page {
	t.Helper()
	return decode[page](t, ask(t, "GET "+url, ""), http.StatusOK)
}

const event = `{"name":"A reading","slug":"reading","startDate":"2026-05-10T18:00:00+02:00","endDate":"2026-05-10T20:00:00+02:00"}`

// post posts an event and returns the status.
func post(t *testing.T, base string, headers ...string) int {
	t.Helper()
	return ask(t, "POST "+base+"/api/events/", event, headers...).status
}

func TestDefaultRecords(t *testing.T) {
	s := start(t)
	if got := get(t, s.base+"/api/events/"); got.Count != 300 || len(got.Results) != 21 || got.Next == nil {
		t.Errorf("events: count %d, %d results, next %v", got.Count, len(got.Results), got.Next)
	}
	root := decode[map[string]string](t, ask(t, "GET "+s.base+"/api/", ""), 200)
	if want := s.base + "/api/item_variants/?format=api"; len(root) != 39 || root["itemVariants"] != want {
		t.Errorf("root has %d keys and itemVariants = %q, want 39 and %q", len(root), root["itemVariants"], want)
	}
}

// TestStories checks the collections of the demonstration, and that /v1/ has all others.
func TestStories(t *testing.T) {
	s := start(t, few("-open")...)
	root := decode[map[string]string](t, ask(t, "GET "+s.base+"/v1/", ""), 200)
	if len(root) != 41 || root["stories"] != s.base+"/v1/stories/" || root["events"] != s.base+"/v1/events/" {
		t.Errorf("root = %v", root)
	}
	all := get(t, s.base+"/v1/stories/?limit=1000").Results
	crimes := 0
	for _, story := range all {
		if story["genre"] == "crime" && story["pages"].(float64) <= 30 {
			crimes++
		}
	}
	if got := get(t, s.base+"/v1/stories/?genre=crime&pages__lte=30").Count; got != crimes || crimes == 0 || len(all) != 300 {
		t.Errorf("%d of %d stories by the filter, want %d of 300", got, len(all), crimes)
	}
	title := url.QueryEscape(all[7]["title"].(string))
	for _, story := range get(t, s.base+"/v1/stories/?limit=1000&search="+title).Results {
		if story["id"] == all[7]["id"] {
			all[7] = nil
		}
	}
	if all[7] != nil {
		t.Errorf("search=%s does not find %v", title, all[7])
	}
	for _, tt := range []struct {
		request, body string
		want          int
	}{
		{"PATCH /v1/stories/1/", `{"pages":61}`, 400},
		{"PATCH /v1/stories/1/", `{"pages":6}`, 200},
		{"GET /v1/stories/1/", "", 200},
		{"DELETE /v1/stories/1/", "", 204},
		{"GET /v1/stories/1/", "", 404},
		{"POST /v1/events/", event, 201},
		{"POST /v1/books/", "{}", 405},
		{"GET /api/stories/", "", 404},
		{"GET /v1/nothing/", "", 404},
		{"GET /v1x/", "", 404},
		{"GET /v1", "", 301},
		{"GET /", "", 302},
		{"HEAD /", "", 302},
		{"POST /", "{}", 404},
	} {
		method, path, _ := strings.Cut(tt.request, " ")
		a := ask(t, method+" "+s.base+path, tt.body)
		if a.status != tt.want || a.status == 302 && a.header.Get("Location") != "v1/" {
			t.Errorf("%s: %d %s %s, want %d", tt.request, a.status, a.header.Get("Location"), a.body, tt.want)
		}
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
		sentence      string
	}{
		{"no flag", nil, "", 403, "Writes are refused; -open permits them."},
		{"no flag, with credentials", nil, "Bearer s3cret", 403, "Writes are refused; -open permits them."},
		{"empty token", []string{"-token", ""}, "Bearer ", 403, "Writes are refused; -open permits them."},
		{"open", []string{"-open"}, "", 201, "All writes are permitted."},
		{"missing token", []string{"-token", "s3cret"}, "", 401, "Writes need the token."},
		{"wrong token", []string{"-token", "s3cret"}, "Bearer guess", 401, "Writes need the token."},
		{"right token", []string{"-token", "s3cret"}, "Bearer s3cret", 201, "Writes need the token."},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s := start(t, tt.args...)
			if got := post(t, s.base, "Authorization", tt.authorization); got != tt.want {
				t.Errorf("status = %d, want %d", got, tt.want)
			}
			if s.sentence != tt.sentence {
				t.Errorf("the program says %q, want %q", s.sentence, tt.sentence)
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
		a := ask(t, "GET "+s.base+"/api/events/", "", "Accept", tt.accept)
		if got := a.header.Get("Content-Type"); a.status != http.StatusOK || got != tt.want {
			t.Errorf("%s: %d with %s, want 200 with %s", tt.reason, a.status, got, tt.want)
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

// The documented service is in Italy. Version 3.14 refuses a date without a time.
func TestFramework(t *testing.T) {
	const event = `{"name":"N","slug":"s","startDate":"2024-05-10","endDate":"2024-05-10T20:00:00Z","poster":"https://x.example/p.jpg"}`
	for _, tt := range []struct {
		version, want string
		status        int
	}{
		{"3.14", `{"startDate":["Datetime has wrong format.`, 400},
		{"3.18", `"startDate":"2024-05-10T00:00:00+02:00","endDate":"2024-05-10T22:00:00+02:00"`, 201},
	} {
		s := start(t, few("-open", "-framework", tt.version)...)
		a := ask(t, "POST "+s.base+"/api/events/", event, "Content-Type", "application/json")
		if a.status != tt.status || !strings.Contains(a.body, tt.want) {
			t.Errorf("%s: %d %s, want %d with %s", tt.version, a.status, a.body, tt.status, tt.want)
		}
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
