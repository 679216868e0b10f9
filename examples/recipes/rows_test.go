package recipes

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

type note struct {
	ID    int    `json:"id"`
	Owner string `json:"owner" backlist:"readonly"`
	Title string `json:"title"`
	Pin   string `json:"pin" backlist:"hidden,blank"`
}

// newNotes runs a server in which Ann has the notes 1 and 3, and Bob the note 2.
func newNotes(t *testing.T) service {
	t.Helper()
	cat, err := catalogue.New(catalogue.Define[note]("notes", catalogue.Options{
		Description: &schema.Description{Filters: []string{"title"}, Search: []string{"title"}},
		Unique:      [][]string{{"owner", "title"}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	const data = `{"notes":[{"id":1,"owner":"ann","title":"a"},{"id":2,"owner":"bob","title":"b"},{"id":3,"owner":"ann","title":"c"}]}`
	if err := cat.Load(strings.NewReader(data), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	users := map[string]string{"Bearer a": "ann", "Bearer b": "bob"}
	h, err := PerUser(cat, httpapi.Options{ETags: true}, func(r *http.Request) string { return users[r.Header.Get("Authorization")] })
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, h, "")
}

// TestPerUser sends requests in order. None of a user shows or changes a note of another one.
func TestPerUser(t *testing.T) {
	const (
		ann, bob = "Bearer a", "Bearer b"
		missing  = `{"detail":"Not found."}`
		noUser   = `{"detail":"Authentication credentials were not provided."}`
		empty    = `{"count":0,"next":null,"previous":null,"results":[]}`
		bobs     = `{"count":1,"next":null,"previous":null,"results":[{"id":2,"owner":"bob","title":"b"}]}`
	)
	s := newNotes(t)
	for _, test := range []struct {
		reason, user, method, target, body string
		status                             int
		want                               string // the beginning of the response
	}{
		{"a list, with its count", bob, "GET", "notes/", "", 200, bobs},
		{"the last page of another user is past the end", bob, "GET", "notes/?limit=1&offset=1", "", 200, `{"count":1,"next":null,"previous":"`},
		{"an ordering by a field of all records", bob, "GET", "notes/?ordering=-title", "", 200, bobs},
		{"a filter", bob, "GET", "notes/?title=a", "", 200, empty},
		{"a search", bob, "GET", "notes/?search=a", "", 200, empty},
		{"the owner is no parameter", bob, "GET", "notes/?owner=ann", "", 200, bobs},
		{"a record", ann, "GET", "notes/1/", "", 200, `{"id":1,"owner":"ann","title":"a"}`},
		{"a record of another user", bob, "GET", "notes/1/", "", 404, missing},
		{"is not found as one that does not exist", bob, "GET", "notes/9/", "", 404, missing},
		{"HEAD", bob, "HEAD", "notes/1/", "", 404, ""},
		{"OPTIONS shows no fields", bob, "OPTIONS", "notes/1/", "", 200, `{"name":"Note Instance"`},
		{"PATCH", bob, "PATCH", "notes/1/", `{"title":"x"}`, 404, missing},
		{"PATCH with an invalid body", bob, "PATCH", "notes/1/", `{"title":""}`, 404, missing},
		{"PUT", bob, "PUT", "notes/1/", `{"title":"x","pin":""}`, 404, missing},
		{"DELETE", bob, "DELETE", "notes/1/", "", 404, missing},
		{"POST: the owner in the body does not count", bob, "POST", "notes/", `{"title":"d","pin":"","owner":"ann"}`, 201, `{"id":4,"owner":"bob","title":"d"}`},
		{"PATCH: neither does it", bob, "PATCH", "notes/4/", `{"owner":"ann"}`, 200, `{"id":4,"owner":"bob","title":"d"}`},
		{"titles of another user are not taken", bob, "POST", "notes/", `{"title":"a","pin":""}`, 201, `{"id":5,"owner":"bob","title":"a"}`},
		{"those of the user are", bob, "POST", "notes/", `{"title":"a","pin":""}`, 400, `{"nonFieldErrors":["The fields owner, title must make a unique set."]}`},
		{"nothing of the other user has changed", ann, "GET", "notes/", "", 200,
			`{"count":2,"next":null,"previous":null,"results":[{"id":1,"owner":"ann","title":"a"},{"id":3,"owner":"ann","title":"c"}]}`},
		{"a deletion", ann, "DELETE", "notes/1/", "", 204, ""},
		{"without credentials", "", "GET", "notes/", "", 401, noUser},
		{"with invalid ones", "Bearer c", "GET", "notes/2/", "", 401, noUser},
		{"a write without credentials", "", "DELETE", "notes/2/", "", 401, noUser},
	} {
		got := s.do(test.method, test.target, test.body, "Authorization", test.user)
		if got.StatusCode != test.status || !strings.HasPrefix(got.body, test.want) {
			t.Errorf("%s: %d %s, want %d %s", test.reason, got.StatusCode, got.body, test.status, test.want)
		}
		if strings.Contains(got.body, `"actions"`) {
			t.Errorf("%s: the fields are shown: %s", test.reason, got.body)
		}
	}
}

// TestPerUserTags checks that a tag tells nothing about another user, and that no shared cache
// keeps a response.
func TestPerUserTags(t *testing.T) {
	s := newNotes(t)
	do := func(user, target, condition, tag string) answer {
		return s.do("GET", target, "", "Authorization", "Bearer "+user, condition, tag)
	}
	for _, target := range []string{"notes/", "notes/?limit=1"} {
		a, b := do("a", target, "X", ""), do("b", target, "X", "")
		if tag := a.Header.Get("Etag"); tag == "" || tag == b.Header.Get("Etag") {
			t.Errorf("%s: the pages of two users have the tags %s and %s", target, tag, b.Header.Get("Etag"))
		}
		if got := a.Header.Get("Cache-Control"); got != "private, no-cache" {
			t.Errorf("%s: Cache-Control %q", target, got)
		}
		if got := do("b", target, "If-None-Match", a.Header.Get("Etag")); got.StatusCode != 200 {
			t.Errorf("%s with the tag of another user: %d", target, got.StatusCode)
		}
		if got := do("a", target, "If-None-Match", a.Header.Get("Etag")); got.StatusCode != 304 {
			t.Errorf("%s with the tag of the user: %d", target, got.StatusCode)
		}
	}
	record := do("a", "notes/1/", "X", "")
	tag := record.Header.Get("Etag")
	if tag == "" || record.StatusCode != 200 {
		t.Fatalf("the record: %d with tag %q", record.StatusCode, tag)
	}
	for _, condition := range [][2]string{{"If-None-Match", tag}, {"If-None-Match", "*"}, {"If-Match", tag}, {"If-Match", `"x"`}} {
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			if got := s.do(method, "notes/1/", "{}", "Authorization", "Bearer b", condition[0], condition[1]); got.StatusCode != 404 {
				t.Errorf("%s with %s: %s by another user: %d, want 404", method, condition[0], condition[1], got.StatusCode)
			}
		}
	}
}
