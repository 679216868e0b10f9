package recipes

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// TestPerOwner sends requests in order. The statuses are those of the framework's own tutorial: a record
// is looked for first, then its permission is checked, and then the body is read.
func TestPerOwner(t *testing.T) {
	const (
		ann, bob  = "Bearer a", "Bearer b"
		forbidden = `{"detail":"You do not have permission to perform this action."}`
		noUser    = `{"detail":"Authentication credentials were not provided."}`
		missing   = `{"detail":"Not found."}`
		first     = `{"id":1,"owner":"ann","title":"a"}`
	)
	cat, err := catalogue.New(catalogue.Define[note]("notes", catalogue.Options{Description: &schema.Description{Filters: []string{"title"}}}))
	if err != nil {
		t.Fatal(err)
	}
	if err := cat.Load(strings.NewReader(`{"notes":[{"id":1,"owner":"ann","title":"a"},{"id":2,"owner":"bob","title":"b"}]}`), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	users := map[string]string{ann: "ann", bob: "bob"}
	h, err := httpapi.New(cat, PerOwner(httpapi.Options{ETags: true}, func(r *http.Request) string { return users[r.Header.Get("Authorization")] }))
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, h, "")
	for _, test := range []struct {
		reason, user, method, target, body string
		status                             int
		want                               string // the beginning of the response
	}{
		{"anybody reads a list", "", "GET", "notes/", "", 200, `{"count":2,`},
		{"and a record", "", "GET", "notes/1/", "", 200, first},
		{"of another user", bob, "GET", "notes/1/", "", 200, first},
		{"a write needs a user", "", "PATCH", "notes/1/", `{}`, 401, noUser},
		{"before the record is looked for", "", "DELETE", "notes/9/", "", 401, noUser},
		{"a record that does not exist", bob, "DELETE", "notes/9/", "", 404, missing},
		{"is looked for before the body is read", bob, "PUT", "notes/9/", "{", 404, missing},
		{"and so is its owner", bob, "PUT", "notes/1/", "{", 403, forbidden},
		{"whatever the body", bob, "PATCH", "notes/1/", `{"title":1}`, 403, forbidden},
		{"a record that a filter hides", bob, "PATCH", "notes/1/?title=x", `{}`, 404, missing},
		{"a deletion", bob, "DELETE", "notes/1/", "", 403, forbidden},
		{"the owner's invalid body", ann, "PATCH", "notes/1/", `{"title":""}`, 400, `{"title":[`},
		{"the owner's valid one", ann, "PATCH", "notes/1/", `{"title":"c"}`, 200, `{"id":1,"owner":"ann","title":"c"}`},
		{"the owner cannot give it away", ann, "PATCH", "notes/1/", `{"owner":"bob"}`, 200, `{"id":1,"owner":"ann","title":"c"}`},
		{"a new record is the user's", bob, "POST", "notes/", `{"title":"d","pin":"","owner":"ann"}`, 201, `{"id":3,"owner":"bob","title":"d"}`},
		{"who may delete it", bob, "DELETE", "notes/3/", "", 204, ""},
	} {
		if got := s.do(test.method, test.target, test.body, "Authorization", test.user); got.StatusCode != test.status || !strings.HasPrefix(got.body, test.want) {
			t.Errorf("%s: %d %s, want %d %s", test.reason, got.StatusCode, got.body, test.status, test.want)
		}
	}
	for user, want := range map[string]bool{ann: true, bob: false, "": false} {
		if got := s.do("OPTIONS", "notes/1/", "", "Authorization", user); got.StatusCode != 200 || strings.Contains(got.body, `"actions":{"PUT"`) != want {
			t.Errorf("OPTIONS of %q: %d %s, want the fields: %t", user, got.StatusCode, got.body, want)
		}
	}
	if got := s.do("DELETE", "notes/1/", "", "Authorization", bob, "If-Match", `"x"`); got.StatusCode != 403 {
		t.Errorf("with a precondition: %d, want 403", got.StatusCode)
	}
}
