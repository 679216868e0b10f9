package httpapi_test

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
)

type Post struct {
	ID    int    `json:"id"`
	Owner string `json:"owner" backlist:"readonly"`
	Title string `json:"title" backlist:"maxlength=100"`
}

type Comment struct {
	ID    int    `json:"id"`
	Post  int    `json:"post" backlist:"refers=posts,ondelete=cascade,related=comments"`
	Owner string `json:"owner" backlist:"readonly"`
	Body  string `json:"body"`
}

// PostShown is what a response has of a post.
type PostShown struct {
	Post
	CommentCount int       `json:"comment_count" backlist:"method"`
	Comments     []Comment `json:"comments"`
}

var (
	posts = catalogue.Define[Post]("posts", catalogue.Options{Description: &schema.Description{
		Filters: []string{"owner", "comments__owner", "comments__isnull"},
		Search:  []string{"title", "comments__body"},
	}})
	comments = catalogue.Define[Comment]("comments", catalogue.Options{Description: &schema.Description{Filters: []string{"post"}}})
)

func showPost(at *catalogue.Catalogue, p *Post) (PostShown, error) {
	shown := PostShown{Post: *p}
	all, err := comments.In(at)
	if err != nil {
		return shown, err
	}
	of, err := all.Where(ordering.Equal("post", p.ID)).All(ordering.Asc("id"))
	for c := range of {
		shown.CommentCount++
		shown.Comments = append(shown.Comments, c)
	}
	return shown, err
}

// A blog: everybody reads, users write, and only the owner of a post or a comment changes it.
func Example_blog() {
	blog, err := catalogue.New(catalogue.Show(posts, showPost, comments), comments)
	if err != nil {
		log.Fatal(err)
	}
	user := func(r *http.Request) string { return r.Header.Get("User") } // of a session or a token
	handler, err := httpapi.New(blog, httpapi.Options{
		Authorizer: func(r *http.Request, _ string, _ schema.Actions) error {
			if user(r) == "" {
				return httpapi.Unauthorized("Bearer", "")
			}
			return nil
		},
		Permit: func(r *http.Request, _ string, _ schema.Actions, record []byte) error {
			var own struct{ Owner string }
			if err := json.Unmarshal(record, &own); err != nil || own.Owner == user(r) {
				return err
			}
			return httpapi.Forbidden("")
		},
		Assign: func(r *http.Request, _ string, _ schema.Actions) (schema.Record, error) {
			return schema.Record{}.With("owner", user(r))
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	send := func(user, method, target, body string) {
		r, w := httptest.NewRequest(method, "/api/"+target, strings.NewReader(body)), httptest.NewRecorder()
		r.Header.Set("User", user)
		r.Header.Set("Content-Type", "application/json")
		handler.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body)
	}
	send("ann", "POST", "posts/", `{"title":"Hello"}`)
	send("bob", "POST", "comments/", `{"post":1,"body":"Welcome!"}`)
	send("", "GET", "posts/1/", "")
	send("bob", "PATCH", "posts/1/", `{"title":"Mine"}`)
	send("", "GET", "posts/?comments__owner=bob&search=welcome", "")

	// Output:
	// 201 {"id":1,"owner":"ann","title":"Hello","comment_count":0,"comments":[]}
	// 201 {"id":1,"post":1,"owner":"bob","body":"Welcome!"}
	// 200 {"id":1,"owner":"ann","title":"Hello","comment_count":1,"comments":[{"id":1,"post":1,"owner":"bob","body":"Welcome!"}]}
	// 403 {"detail":"You do not have permission to perform this action."}
	// 200 {"count":1,"next":null,"previous":null,"results":[{"id":1,"owner":"ann","title":"Hello","comment_count":1,"comments":[{"id":1,"post":1,"owner":"bob","body":"Welcome!"}]}]}
}
