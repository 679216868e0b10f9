package recipes

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// An Issue has comments.
type Issue struct {
	ID    int    `json:"id"`
	Owner string `json:"owner"`
}

// A Comment belongs to an issue, which is that of the path.
type Comment struct {
	ID    int    `json:"id"`
	Issue int    `json:"issue" backlist:"refers=issues,readonly,ondelete=cascade"`
	Text  string `json:"text"`
}

type issueKey struct{}

// Comments adds the comments of each issue, at paths such as /api/issues/7/comments/, to a handler of
// issues. visible returns the tests of the issues that the user of a request can see. For others, the
// response is that for an issue that does not exist, so that users see the comments that they create.
func Comments(cat *catalogue.Catalogue, issues http.Handler, visible func(r *http.Request) []schema.Test) (http.Handler, error) {
	parents, err1 := cat.Collection("issues")
	comments, err2 := cat.Collection("comments")
	if err := cmp.Or(err1, err2); err != nil {
		return nil, err
	}
	ofIssue := func(ctx context.Context) (url.Values, error) {
		return url.Values{"issue": {ctx.Value(issueKey{}).(string)}}, nil
	}
	h, err := httpapi.NewHandler([]httpapi.Collection{httpapi.Restrict(comments, ofIssue)}, httpapi.Options{
		Root:       "/", // below /api/issues/7, with which its links begin
		Authorizer: httpapi.AllowAll,
		Assign: func(r *http.Request, _ string, _ schema.Actions) (schema.Record, error) {
			return schema.Record{}.With("issue", r.Context().Value(issueKey{}))
		},
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, nested := strings.CutPrefix(r.URL.Path, "/api/issues/")
		issue, path, _ := strings.Cut(path, "/")
		if !nested || path != "comments" && !strings.HasPrefix(path, "comments/") {
			issues.ServeHTTP(w, r)
		} else if _, err := parents.Get(r.Context(), issue, schema.Filter{Tests: visible(r)}); err != nil {
			h.WriteError(w, r, err)
		} else {
			r = r.WithContext(context.WithValue(r.Context(), issueKey{}, issue))
			http.StripPrefix("/api/issues/"+issue, h).ServeHTTP(w, r)
		}
	}), err
}
