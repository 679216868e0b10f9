package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/pagination"
)

// start serves the site until the test ends.
func start(t *testing.T) *httptest.Server {
	t.Helper()
	handler, err := newHandler(map[string]string{"programme": "pass1", "press": "pass2", "sales": ""})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	return srv
}

// get returns the status and body of an answer.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(body)
}

func TestRoutes(t *testing.T) {
	srv := start(t)
	tests := []struct {
		path   string
		status int
		body   string
		reason string
	}{
		{"/", 200, "3 books and 0 events\n", "the program's own page"},
		{"/longest", 200, "Atlante, 704 pages\n", "a page of typed records"},
		{"/api/", 404, "404 page not found\n", "the catalogue is below /shop only"},
		{"/shop/nothing", 404, "404 page not found\n", "unknown path outside the catalogue"},
		{"/shop/api/magazines/", 404, `{"detail":"Not found."}`, "unknown collection"},
	}
	for _, tt := range tests {
		status, body := get(t, srv.URL+tt.path)
		if status != tt.status || body != tt.body {
			t.Errorf("%s: GET %s = %d %q, want %d %q", tt.reason, tt.path, status, body, tt.status, tt.body)
		}
	}
}

func TestLinksHavePrefix(t *testing.T) {
	srv := start(t)
	_, body := get(t, srv.URL+"/shop/api")
	var root map[string]string
	if err := json.Unmarshal([]byte(body), &root); err != nil {
		t.Fatal(err)
	}
	if want := srv.URL + "/shop/api/books/?format=api"; root["books"] != want {
		t.Errorf("link to books = %q, want %q", root["books"], want)
	}
	_, body = get(t, srv.URL+"/shop/api/books/?limit=2")
	var page pagination.Envelope[Book]
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		t.Fatal(err)
	}
	if want := srv.URL + "/shop/api/books/?limit=2&offset=2"; page.Next != want {
		t.Errorf("next = %q, want %q", page.Next, want)
	}
}

func TestOrderingsOfBooks(t *testing.T) {
	srv := start(t)
	tests := []struct {
		ordering string
		want     []string
		reason   string
	}{
		{"", []string{"Onda", "Atlante", "Brina"}, "by id"},
		{"price_in_cents", []string{"Brina", "Onda", "Atlante"}, "snake_case of the JSON name"},
		{"-pages", []string{"Atlante", "Onda", "Brina"}, "numbers by value"},
		{"subtitle", []string{"Onda", "Atlante", "Brina"}, "null is last"},
		{"cents", []string{"Onda", "Atlante", "Brina"}, "a Go name is ignored"},
	}
	for _, tt := range tests {
		_, body := get(t, srv.URL+"/shop/api/books/?ordering="+tt.ordering)
		var page pagination.Envelope[Book]
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range page.Records {
			got = append(got, b.Name)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || page.Count != 3 {
			t.Errorf("%s: ordering=%s: count %d (-want +got):\n%s", tt.reason, tt.ordering, page.Count, diff)
		}
	}
}

func TestAuthorization(t *testing.T) {
	const (
		event = `{"name":"A reading","slug":"reading","startDate":"2026-05-10T18:00:00Z","endDate":"2026-05-10T20:00:00Z"}`
		link  = `{"title":"Anna","url":"https://instagram.example/anna/","type":"instagram","author":1}`
	)
	tests := []struct {
		reason         string
		path, body     string
		user, password string
		want           int
	}{
		{"programme posts an event", "events", event, "programme", "pass1", 201},
		{"press posts a link", "social-links", link, "press", "pass2", 201},
		{"programme posts a link", "social-links", link, "programme", "pass1", 403},
		{"press posts an event", "events", event, "press", "pass2", 403},
		{"wrong password", "events", event, "programme", "pass2", 401},
		{"no credentials", "events", event, "", "", 401},
		{"department without a password", "events", event, "sales", "", 401},
		{"unknown user", "events", event, "other", "", 401},
		{"unknown author", "social-links", strings.Replace(link, "1}", "2}", 1), "press", "pass2", 400},
		{"read-only collection", "books", `{}`, "programme", "pass1", 405},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			srv := start(t)
			r, err := http.NewRequest(http.MethodPost, srv.URL+"/shop/api/"+tt.path+"/", strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			if tt.user != "" {
				r.SetBasicAuth(tt.user, tt.password)
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != tt.want {
				t.Errorf("status = %d, want %d", answer.StatusCode, tt.want)
			}
			if got, want := answer.Header.Get("WWW-Authenticate") != "", tt.want == 401; got != want {
				t.Errorf("answer has WWW-Authenticate: %t, want %t", got, want)
			}
			stored := "3 books and 0 events\n"
			if tt.path == "events" && tt.want == 201 {
				stored = "3 books and 1 events\n"
			}
			if _, body := get(t, srv.URL); body != stored {
				t.Errorf("GET / = %q, want %q", body, stored)
			}
		})
	}
}
