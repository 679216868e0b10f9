package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// start serves until the test ends and returns the URL of the list.
func start(t *testing.T) string {
	t.Helper()
	handler, err := newHandler()
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	return srv.URL + "/films/"
}

func get(t *testing.T, url string) (page pagination.Envelope[Film]) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if got := r.Header.Get("Content-Type"); r.StatusCode != http.StatusOK || got != "application/json" {
		t.Fatalf("GET %s: %s, Content-Type %q", url, r.Status, got)
	}
	if err := json.NewDecoder(r.Body).Decode(&page); err != nil {
		t.Fatalf("GET %s: %v", url, err)
	}
	return page
}

func ids(films []Film) (list []int) {
	for _, f := range films {
		list = append(list, f.ID)
	}
	return list
}

func TestOrderings(t *testing.T) {
	url := start(t)
	tests := []struct {
		ordering string
		want     []int
		reason   string
	}{
		{"", []int{1, 2, 3, 4, 5, 6, 7}, "no ordering keeps the slice's order"},
		{"title", []int{6, 7, 2, 4, 1, 3, 5}, "text by its bytes"},
		{"year", []int{1, 3, 2, 5, 4, 7, 6}, "ties keep the slice's order"},
		{"-year,title", []int{6, 7, 4, 2, 5, 1, 3}, "a second term breaks ties"},
		{"released_at", []int{3, 1, 2, 5, 7, 4, 6}, "a time, by its snake_case name"},
		{"rating", []int{3, 6, 5, 1, 4, 2, 7}, "numbers by value, null last"},
		{"-rating", []int{2, 7, 4, 1, 5, 3, 6}, "null first when descending"},
		{"bogus,-id", []int{7, 6, 5, 4, 3, 2, 1}, "an unknown field is dropped"},
		{"releasedAt", []int{1, 2, 3, 4, 5, 6, 7}, "the JSON name is not a field"},
		{"id&ordering=-id", []int{7, 6, 5, 4, 3, 2, 1}, "the last of two parameters"},
	}
	for _, tt := range tests {
		page := get(t, url+"?limit=10&ordering="+tt.ordering)
		if diff := cmp.Diff(tt.want, ids(page.Records)); diff != "" {
			t.Errorf("%s: ordering=%s (-want +got):\n%s", tt.reason, tt.ordering, diff)
		}
	}
}

func TestFollowNext(t *testing.T) {
	url := start(t)
	page := get(t, url+"?ordering=-id")
	if page.Previous != "" || page.Next != url+"?limit=3&offset=3&ordering=-id" {
		t.Errorf("previous %q, next %q", page.Previous, page.Next)
	}
	var all []int
	for {
		if page.Count != 7 {
			t.Errorf("count %d, want 7", page.Count)
		}
		all = append(all, ids(page.Records)...)
		if page.Next == "" {
			break
		}
		page = get(t, page.Next)
	}
	if diff := cmp.Diff([]int{7, 6, 5, 4, 3, 2, 1}, all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if want := url + "?limit=3&offset=3&ordering=-id"; page.Previous != want {
		t.Errorf("previous of the last page is %q, want %q", page.Previous, want)
	}
}

// TestNoHTMLEscaping checks that & is not escaped, as in the service.
func TestNoHTMLEscaping(t *testing.T) {
	r, err := http.Get(start(t) + "?offset=3&limit=3")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`?limit=3&offset=6"`, `"A Winter & a Half"`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
}

func TestUnknownRoutes(t *testing.T) {
	url := start(t)
	for method, target := range map[string]string{http.MethodGet: url + "1/", http.MethodPost: url} {
		r, err := http.NewRequest(method, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		want := map[string]int{http.MethodGet: 404, http.MethodPost: 405}[method]
		if answer.StatusCode != want {
			t.Errorf("%s %s = %d, want %d", method, target, answer.StatusCode, want)
		}
	}
}

// TestListDoesNotModifyRecords checks that requests do not modify the slice of records,
// which they share.
func TestListDoesNotModifyRecords(t *testing.T) {
	records := films()
	handler, err := list(records)
	if err != nil {
		t.Fatal(err)
	}
	handler(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/films/?ordering=-id", nil))
	if diff := cmp.Diff(films(), records); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestListOfInts(t *testing.T) {
	if _, err := list([]int{1}); !errors.Is(err, ordering.ErrInvalidFields) {
		t.Errorf("err = %v, want ordering.ErrInvalidFields", err)
	}
}
