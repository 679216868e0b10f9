package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/examples/internal/recorded"
)

// TestVectors replays the requests that were recorded from Django REST framework. In
// httpapi/DIFFERENCES.md are the reasons for the other responses of notyet.json:
//
//   - copies, and the order by tags in pages: a record stands in a list once, whatever it is joined with
//   - permissions, 327: a method that is not served is a 405 without credentials, too
//   - permissions, 331: the wording of a syntax error
func TestVectors(t *testing.T) {
	recorded.Service{Requests: 631, Copies: []string{"copies"}, Handler: func(version string) (http.Handler, error) {
		return program.Handler("-open", "-browse=false", "-data", "testdata/dataset.json", "-framework", version)
	}}.Replay(t)
}

// TestRecords checks that the program serves its own records, and pages of them.
func TestRecords(t *testing.T) {
	h, err := program.Handler("-token", "s3cret")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason, method, target, user, token string
		status                              int
		want                                string // in the body
	}{
		{"all books", "GET", "books/", "", "", 200, `{"count":12,`},
		{"by number", "GET", "shelves-by-number/", "", "", 200, `{"count":12,"next":"http://example.com/api/shelves-by-number/?page=2"`},
		{"no token", "DELETE", "books/1/", "mira", "", 401, `"detail"`},
		{"no user", "DELETE", "books/1/", "", "s3cret", 403, `"Authentication credentials were not provided."`},
		{"another user", "DELETE", "books/1/", "jonas", "s3cret", 403, `"You do not have permission`},
		{"the owner", "DELETE", "books/1/", "mira", "s3cret", 204, ""},
		{"records without an owner", "DELETE", "reviews/3/", "", "s3cret", 204, ""},
		{"a page of the owner's book", "PAGE", "books/2/", "mira", "s3cret", 200, `?_method=DELETE`},
	} {
		r, w := httptest.NewRequest(strings.Replace(test.method, "PAGE", "GET", 1), "/api/"+test.target, nil), httptest.NewRecorder()
		r.Header.Set("X-User", test.user)
		if test.token != "" {
			r.Header.Set("Authorization", "Bearer "+test.token)
		}
		if test.method == "PAGE" {
			r.Header.Set("Accept", "text/html")
		}
		h.ServeHTTP(w, r)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s: %d %.500s, want %d %s", test.reason, w.Code, w.Body, test.status, test.want)
		}
	}
}
