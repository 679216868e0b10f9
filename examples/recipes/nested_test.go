package recipes

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// TestComments sends requests in order to the comments of issues, of which Ann sees 1 and 3, and Bob 2.
func TestComments(t *testing.T) {
	cat, err := catalogue.New(catalogue.Define[Issue]("issues", catalogue.Options{}), catalogue.Define[Comment]("comments", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	const data = `{"issues":[{"id":1,"owner":"ann"},{"id":2,"owner":"bob"},{"id":3,"owner":"ann"}],
		"comments":[{"id":1,"issue":1,"text":"x"},{"id":2,"issue":2,"text":"y"},{"id":3,"issue":1,"text":"z"}]}`
	if err := cat.Load(strings.NewReader(data), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	issues, err := httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	h, err := Comments(cat, issues, func(r *http.Request) []schema.Test {
		return []schema.Test{{Field: "owner", Lookup: "exact", Values: []string{r.Header.Get("User")}}}
	})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, h, "")
	const missing = `{"detail":"Not found."}`
	for _, test := range []struct {
		reason, user, method, target, body string
		status                             int
		want                               string
	}{
		{"a page, with its link", "ann", "GET", "issues/1/comments/?limit=1", "", 200,
			`{"count":2,"next":"` + s.url + `issues/1/comments/?limit=1&offset=1","previous":null,"results":[{"id":1,"issue":1,"text":"x"}]}`},
		{"the last page", "ann", "GET", "issues/1/comments/?limit=1&offset=1", "", 200,
			`{"count":2,"next":null,"previous":"` + s.url + `issues/1/comments/?limit=1","results":[{"id":3,"issue":1,"text":"z"}]}`},
		{"a comment", "ann", "GET", "issues/1/comments/3/", "", 200, `{"id":3,"issue":1,"text":"z"}`},
		{"a comment of another issue", "ann", "GET", "issues/1/comments/2/", "", 404, missing},
		{"PATCH of one", "ann", "PATCH", "issues/1/comments/2/", `{"text":"n"}`, 404, missing},
		{"DELETE of one", "ann", "DELETE", "issues/1/comments/2/", "", 404, missing},
		{"POST: the issue is that of the path", "ann", "POST", "issues/3/comments/", `{"text":"n","issue":2}`, 201, `{"id":4,"issue":3,"text":"n"}`},
		{"and the comment is there", "ann", "GET", "issues/3/comments/4/", "", 200, `{"id":4,"issue":3,"text":"n"}`},
		{"PATCH", "ann", "PATCH", "issues/3/comments/4/", `{"text":"m","issue":2}`, 200, `{"id":4,"issue":3,"text":"m"}`},
		{"a body that is not valid", "ann", "POST", "issues/3/comments/", `{}`, 400, `{"text":["This field is required."]}`},
		{"the comments of another user's issue", "ann", "GET", "issues/2/comments/", "", 404, missing},
		{"POST to them", "ann", "POST", "issues/2/comments/", `{"text":"n"}`, 404, missing},
		{"an issue that does not exist", "ann", "GET", "issues/9/comments/", "", 404, missing},
		{"the other user", "bob", "GET", "issues/2/comments/", "", 200, `{"count":1,"next":null,"previous":null,"results":[{"id":2,"issue":2,"text":"y"}]}`},
		{"an issue itself", "bob", "GET", "issues/2/", "", 200, `{"id":2,"owner":"bob"}`},
		{"an unknown path below one", "bob", "GET", "issues/2/commentss/", "", 404, missing},
		{"a deletion with its comments", "ann", "DELETE", "issues/1/", "", 204, ""},
		{"after it", "ann", "GET", "issues/1/comments/", "", 404, missing},
	} {
		got := s.do(test.method, test.target, test.body, "User", test.user)
		if got.StatusCode != test.status || got.body != test.want {
			t.Errorf("%s: %d %s, want %d %s", test.reason, got.StatusCode, got.body, test.status, test.want)
		}
	}
	if got := s.do("GET", "issues/2/comments", "", "User", "bob"); got.Header.Get("Location") != "/api/issues/2/comments/" {
		t.Errorf("a missing slash: %d %v", got.StatusCode, got.Header)
	}
}
