package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

const blog = `{"posts":[{"id":1,"title":"a","user_id":7},{"id":2,"title":"b","user_id":null}],
"comments":[{"id":1,"body":"x","postId":1,"words":3},{"id":2,"body":"y","postId":1,"words":9}],"users":[{"id":"u\"1","name":"Ann"},{"id":7,"name":"Bob"}]}`

// TestBackwards filters the collections of a file by the records that refer to theirs.
func TestBackwards(t *testing.T) {
	s := serveFile(t, "db.json", blog, "-open")
	for _, row := range []struct {
		reason, request string
		want            string // a part of the body
	}{
		{"by an id", "posts/?comments=2", `{"count":1,"next":null,"previous":null,"results":[{"id":1,`},
		{"by there being some", "posts/?comments__isnull=true", `{"count":1,"next":null,"previous":null,"results":[{"id":2,`},
		{"by a text", "posts/?comments__body__icontains=Y", `{"count":1,`},
		{"by a number", "posts/?comments__words__gte=10", `{"count":0,`},
		{"by a reference", "posts/?comments__post_id=2", `{"count":0,`},
		{"by a key", "users/?posts__isnull=false", `"results":[{"id":"7"`},
	} {
		if code, body := s.ask("GET", row.request, ""); code != 200 || !strings.Contains(body, row.want) {
			t.Errorf("%s: %s: %d %s, want %s", row.reason, row.request, code, body, row.want)
		}
	}
	for _, row := range []struct{ reason, file, filter, want string }{
		{"a name of two", `{"users":[{"id":1}],"my_posts":[{"id":1,"userId":1}],"myPosts":[{"id":1,"userId":1}]}`, "my_posts",
			"userId of users without filters there, because my_posts is the name of another or of a member"},
		{"a member", `{"users":[{"id":1,"posts":[]}],"posts":[{"id":1,"userId":1}]}`, "posts", "userId of users without filters there, because posts is the name"},
		{"a parameter", `{"users":[{"id":1}],"search":[{"id":1,"userId":1}]}`, "search", "userId of users without filters there, because search is the name"},
		{"no name for a path", `{"users":[{"id":1}],"a  b":[{"id":1,"userId":1}]}`, "a  b", "userId of users without filters there"},
		{"a reference to the same collection", `{"users":[{"id":1,"userId":1}]}`, "", "userId of users."},
		{"a field that is a lookup", `{"users":[{"id":1}],"posts":[{"id":1,"userId":1,"isnull":true,"in":2,"a__b":3}]}`, "", "userId of users, isnull"},
	} {
		s := serveFile(t, "db.json", row.file)
		if got := s.p.current.Load().read.Found("http://x/api/"); !strings.Contains(got, row.want) {
			t.Errorf("%s: %s, want %s", row.reason, got, row.want)
		}
		if _, body := s.ask("GET", "users/?"+url.QueryEscape(row.filter)+"__isnull=true", ""); row.filter != "" && !strings.Contains(body, `"count":1,`) {
			t.Errorf("%s: there is a filter: %s", row.reason, body)
		}
	}
}

// TestEmbed sends the parameters of json-server.
func TestEmbed(t *testing.T) {
	s := serveFile(t, "db.json", blog, "-open")
	const first, second = `{"id":1,"body":"x","postId":1,"words":3}`, `{"id":2,"body":"y","postId":1,"words":9}`
	for _, row := range []struct {
		reason, request string
		want            string // the end of the body
	}{
		{"a list", "posts/?_embed=comments", `"results":[{"id":1,"title":"a","user_id":"7","comments":[` + first + "," + second + `]},{"id":2,"title":"b","user_id":null,"comments":[]}]}`},
		{"a record", "posts/1/?_embed=comments", `{"id":1,"title":"a","user_id":"7","comments":[` + first + "," + second + `]}`},
		{"a reference", "comments/2/?_expand=post", `{"id":2,"body":"y","postId":1,"words":9,"post":{"id":1,"title":"a","user_id":"7"}}`},
		{"a list of them", "comments/?_expand=post&limit=1", `,"post":{"id":1,"title":"a","user_id":"7"}}]}`},
		{"a reference to a key", "posts/1/?_expand=user", `"user":{"id":"7","name":"Bob"}}`},
		{"a reference to nothing", "posts/2/?_expand=user", `{"id":2,"title":"b","user_id":null}`},
		{"both", "posts/1/?_expand=user&_embed=comments", `"user":{"id":"7","name":"Bob"},"comments":[` + first + "," + second + `]}`},
		{"a key with a quotation mark", `users/u%221/?_embed=posts`, `{"id":"u\"1","name":"Ann","posts":[]}`},
		{"a key", "users/7/?_embed=posts&_embed=posts", `{"id":"7","name":"Bob","posts":[{"id":1,"title":"a","user_id":"7"}]}`},
		{"names of nothing", "posts/2/?_embed=x&_embed=&_expand=post&_expand", `{"id":2,"title":"b","user_id":null}`},
		{"what does not refer to it", "comments/1/?_embed=posts", first},
		{"with a filter", "posts/?_embed=comments&title=b", `"results":[{"id":2,"title":"b","user_id":null,"comments":[]}]}`},
	} {
		if code, body := s.ask("GET", row.request, ""); code != 200 || !strings.HasSuffix(body, row.want) {
			t.Errorf("%s: %s: %d %s, want %s", row.reason, row.request, code, body, row.want)
		}
	}
	tag := func(target string) string {
		w := httptest.NewRecorder()
		s.p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		return w.Header().Get("Etag")
	}
	before := tag("/api/posts/?_embed=comments")
	if code, body := s.ask("POST", "comments/?_expand=post", `{"postId":2}`); code != 201 || body != `{"postId":2,"id":3}` {
		t.Errorf("a write: %d %s", code, body)
	}
	if after := tag("/api/posts/?_embed=comments"); before == "" || after == before {
		t.Errorf("the tag of a page is %s before and %s after another comment", before, after)
	}
}
