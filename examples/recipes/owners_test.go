package recipes

import (
	"context"
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
	h, err := PerOwner(cat, httpapi.Options{ETags: true}, func(r *http.Request) string { return users[r.Header.Get("Authorization")] })
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

// TestOwnerAtWrite checks the owner at the instant of the write: in this test Get does not.
func TestOwnerAtWrite(t *testing.T) {
	cat, err := catalogue.New(catalogue.Define[note]("notes", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := cat.Load(strings.NewReader(`{"notes":[{"id":1,"owner":"ann","title":"a"}]}`), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	all, err := cat.Collection("notes")
	if err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.NewHandler([]httpapi.Collection{readable{owned{all}}}, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, asUser(h, requester{"bob", true}), "")
	for method, body := range map[string]string{"PATCH": `{"title":1}`, "PUT": `{}`, "DELETE": ""} {
		if got := s.do(method, "notes/1/", body); got.StatusCode != 403 {
			t.Errorf("%s: %d %s, want 403", method, got.StatusCode, got.body)
		}
	}
}

// readable shows each record, as if another user owned it a moment later.
type readable struct{ owned }

func (c readable) Get(ctx context.Context, segment string, filter schema.Filter) ([]byte, error) {
	return c.AnyCollection.Get(ctx, segment, filter)
}

func asUser(h http.Handler, from requester) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requester{}, from)))
	})
}
