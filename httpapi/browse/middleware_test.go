package browse

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

type tenantKey struct{}

// Whatever a page asks passes middleware once, in its context and before it returns, and the log of the
// handler has one entry for it, with the status and the bytes of what was sent.
func TestMiddleware(t *testing.T) {
	cat, err := catalogue.New(
		catalogue.Define[director]("directors", catalogue.Options{}),
		catalogue.Define[film]("films", catalogue.Options{Description: &schema.Description{Filters: []string{"director", "status"}, Search: []string{"title"}}}),
	)
	must(t, err)
	must(t, cat.Load(strings.NewReader(`{"directors":[{"id":1,"name":"D"}],"films":[{"id":1,"title":"F","status":"released","director":1},{"id":2,"title":"G","status":"released","director":1}]}`), catalogue.LoadOptions{}))
	var all []httpapi.Collection
	for _, c := range cat.All() {
		all = append(all, httpapi.Restrict(c, func(ctx context.Context) (url.Values, error) {
			if ctx.Value(tenantKey{}) == nil || ctx.Err() != nil {
				return nil, errors.New("no tenant")
			}
			return nil, nil
		}))
	}
	var log []httpapi.Access
	authorizer := func(r *http.Request, key string, action schema.Actions) error {
		if r.Context().Value(tenantKey{}) == nil || r.Header.Get("X-User") != "ann" {
			return httpapi.Unauthorized("Bearer", "Who is it?")
		}
		return httpapi.Bearer("t")(r, key, action)
	}
	api, err := httpapi.NewHandler(all, httpapi.Options{Authorizer: authorizer, AuthorizeReads: true, OnAccess: func(_ context.Context, a httpapi.Access) { log = append(log, a) },
		OnError: func(r *http.Request, err error) { t.Errorf("%s: %v", r.URL, err) }})
	must(t, err)
	var passed []string
	h := browsing(t, wrapped{api, func(w http.ResponseWriter, r *http.Request) {
		passed = append(passed, r.Method+" "+r.URL.Path)
		ctx, cancel := context.WithCancel(context.WithValue(r.Context(), tenantKey{}, "t1"))
		defer cancel()
		r = r.WithContext(ctx)
		r.Header.Set("X-User", "ann")
		w.Header().Set("X-Tenant", "t1")
		api.ServeHTTP(w, r)
	}}, Options{Scheme: "Bearer"})
	signedIn := []string{"Authorization", "Bearer t"}
	for _, test := range []struct {
		reason  string
		request *http.Request
		key     string // of the collection
		status  int
		method  string // that middleware sees
		shows   string
	}{
		{"the root", request("GET", "/api/", "", signedIn...), "", 200, "GET", "Films 2 records"},
		{"a list with names and facets", request("GET", "/api/films/", "", signedIn...), "films", 200, "GET", "released 2"},
		{"a search", request("GET", "/api/films/?search=f", "", signedIn...), "films", 200, "GET", "1 record in"},
		{"a record and those that refer to it", request("GET", "/api/directors/1/", "", signedIn...), "directors", 200, "GET", "Films 2 F G"},
		{"a form", request("GET", "/api/films/1/?_method=PATCH", "", signedIn...), "films", 200, "GET", "Change"},
		{"a HEAD", request("HEAD", "/api/films/", "", signedIn...), "films", 200, "HEAD", ""},
		{"a mistake", request("GET", "/api/films/?status=x", "", signedIn...), "films", 400, "GET", "Some filters are not valid"},
		{"no such path", request("GET", "/api/x/", "", signedIn...), "", 404, "GET", "404 Not Found"},
		{"no token", request("GET", "/api/films/", ""), "films", 401, "GET", "credentials were not provided"},
		{"another token", formRequest("/api/films/?_method=SIGN-IN", "token=x"), "films", 401, "POST", "does not accept this token"},
		{"the token", formRequest("/api/films/?_method=SIGN-IN", "token=t"), "films", 303, "POST", ""},
		{"an export", request("GET", "/api/films/?_export=csv", "", signedIn...), "films", 200, "GET", "1,F,"},
		{"the HEAD of an export", request("HEAD", "/api/films/?_export=csv", "", signedIn...), "films", 200, "HEAD", ""},
		{"a mistake in an export", request("GET", "/api/films/?_export=csv&status=x", "", signedIn...), "films", 400, "GET", "Some filters are not valid"},
		{"a new record", formRequest("/api/films/?_method=POST", "title=H&minutes=1&price=1&status=released&director=1", signedIn...), "films", 303, "POST", ""},
		{"a change that is not valid", formRequest("/api/films/1/?_method=PATCH", "title=", signedIn...), "films", 400, "PATCH", "may not be blank"},
		{"a change", formRequest("/api/films/1/?_method=PATCH", "title=I", signedIn...), "films", 303, "PATCH", ""},
		{"a deletion", formRequest("/api/films/1/?_method=DELETE", "", signedIn...), "films", 303, "DELETE", ""},
	} {
		log, passed = nil, nil
		got := do(h, test.request)
		if want := test.method + " " + test.request.URL.Path; got.status != test.status || !strings.Contains(got.text, test.shows) || len(passed) != 1 || passed[0] != want {
			t.Errorf("%s: %d %.500s, middleware sees %q, want %d %s, and %q once", test.reason, got.status, got.text, passed, test.status, test.shows, want)
		}
		want := httpapi.Access{Collection: test.key, Method: test.method, Status: test.status, Bytes: len(got.body)}
		if len(log) == 1 {
			log[0].Duration = 0
		}
		equal(t, test.reason+": the log", []httpapi.Access{want}, log)
		if tenant := got.header.Get("X-Tenant"); test.shows != "" && !strings.Contains(test.reason, "export") && tenant != "t1" {
			t.Errorf("%s: the header of middleware is %q", test.reason, tenant)
		}
	}
}

// A response of middleware that the handler does not see is a page too.
func TestMiddlewareThatResponds(t *testing.T) {
	h := browsing(t, middleware(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		w.Write([]byte(`{"detail":"Too <many>."}`))
	}), Options{Scheme: "Bearer"})
	for _, r := range []*http.Request{
		request("GET", "/api/books/", "", "Cookie", doneCookie+"=YWRkZWQKL2FwaS9ib29rcy8KMQ"), formRequest("/api/books/?_method=POST", "title=x"), request("GET", "/api/books/?_export=csv", ""),
	} {
		if got := do(h, r); got.status != 429 || !strings.Contains(got.text, "Too <many>.") || got.header.Get("Retry-After") != "7" {
			t.Errorf("%s %s: %d %s, want a page of 429", r.Method, r.URL, got.status, got.text)
		}
	}
}
