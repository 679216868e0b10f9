package browse

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// cookieOf returns the cookie that a response sets, as a browser sends it, and reports whether the
// response removes it.
func cookieOf(t *testing.T, res result, name string) (cookie string, removed bool) {
	t.Helper()
	for _, c := range (&http.Response{Header: res.header}).Cookies() {
		if c.Name == name {
			return c.Name + "=" + c.Value, c.MaxAge < 0
		}
	}
	return "", false
}

// After a form, the page says once what has been done.
func TestDone(t *testing.T) {
	h := newService().handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	tests := []struct {
		reason, target, body string // of the form
		next                 string // page that follows
		says                 string
		link                 bool // to the record
	}{
		{"added", "/api/films/?_method=POST&limit=1", "title=x", "/api/films/?limit=1", "Nächte & <Tage> has been added.", true},
		{"changed", "/api/films/1/?_method=PATCH&_list=limit%3D1", "title=x", "/api/films/1/?_list=limit%3D1", "Nächte & <Tage> has been changed.", false},
		{"deleted", "/api/films/1/?_method=DELETE&_list=limit%3D1", "", "/api/films/?limit=1", "Nächte & <Tage> has been deleted.", false},
	}
	for _, test := range tests {
		form := do(h, formRequest(test.target, test.body))
		cookie, _ := cookieOf(t, form, doneCookie)
		says := func(h http.Handler, target, cookie string) bool {
			return len(do(h, request("GET", target, "", "Cookie", cookie)).find("p", "class", "done")) > 0
		}
		for _, other := range []string{"/api/directors/", "/api/directors/1/", "/api/films/9/", "/api/"} {
			if says(h, other, cookie) {
				t.Errorf("%s: %s says so", test.reason, other)
			}
		}
		page := do(h, request("GET", test.next, "", "Cookie", cookie))
		if !strings.Contains(page.text, test.says) || strings.Contains(page.body, `role="status"><a href="./1/">`) != test.link {
			t.Errorf("%s: %s leads to %s", test.reason, test.target, page.text)
		}
		if at, err := request("GET", test.target, "").URL.Parse(form.header.Get("Location")); err != nil || at.RequestURI() != test.next {
			t.Errorf("%s: leads to %s, want %s", test.reason, form.header.Get("Location"), test.next)
		}
		if _, removed := cookieOf(t, page, doneCookie); !removed {
			t.Errorf("%s: the page would say so again", test.reason)
		}
		for _, other := range []string{"", "added", "Everything\n/api/films/\n\n\n1", "deleted\n/api/films/\n\n", "deleted\n/api/directors/\n\n\n1", "\n\n\n\n"} {
			if says(h, test.next, doneCookie+"="+base64.RawURLEncoding.EncodeToString([]byte(other))) {
				t.Errorf("%s: after %q, the page says so", test.reason, other)
			}
		}
	}
}

// Whether a text is a token decides the service, which is asked without writing anything. A page
// says what a token permits only after the service has accepted it.
func TestSignIn(t *testing.T) {
	const refused, open = "The service does not accept", `<details class="session" name="header" open>`
	bearer := httpapi.Bearer("good")
	// Readers have a token that permits no writes.
	readers := func(r *http.Request, key string, action schema.Actions) error {
		if r.Header.Get("Authorization") == "Bearer reader" {
			return httpapi.Forbidden("")
		}
		return bearer(r, key, action)
	}
	updates := schema.List | schema.Retrieve | schema.Update
	for _, test := range []struct {
		reason   string
		opts     httpapi.Options
		actions  schema.Actions
		token    string
		accepted bool
	}{
		{"the token", httpapi.Options{Authorizer: bearer}, schema.AllActions, "good", true},
		{"any text", httpapi.Options{Authorizer: bearer}, schema.AllActions, "anything", false},
		{"a text that cannot be sent", httpapi.Options{Authorizer: bearer}, schema.AllActions, "go od", false},
		{"no text", httpapi.Options{Authorizer: bearer}, schema.AllActions, "", false},
		{"a token that permits no writes", httpapi.Options{Authorizer: readers}, schema.AllActions, "reader", true},
		{"records can be changed only", httpapi.Options{Authorizer: bearer}, updates, "good", true},
		{"any text, records can be changed only", httpapi.Options{Authorizer: bearer}, updates, "anything", true},
		{"reads need a token", httpapi.Options{Authorizer: bearer, AuthorizeReads: true}, schema.List, "good", true},
		{"any text, reads need a token", httpapi.Options{Authorizer: bearer, AuthorizeReads: true}, schema.List, "anything", false},
		{"nothing needs a token", httpapi.Options{Authorizer: bearer}, schema.List, "anything", true},
	} {
		own := newService()
		own.films.about.Actions = test.actions
		handler, err := httpapi.NewHandler([]httpapi.Collection{own.directors, own.films, own.genres}, test.opts)
		must(t, err)
		h := browsing(t, handler, Options{Scheme: "Bearer"})
		for _, target := range []string{"/api/", "/api/films/", "/api/directors/1/"} {
			page := do(h, formRequest(target+"?_method=SIGN-IN&x=1", "token="+test.token))
			cookie, _ := cookieOf(t, page, tokenCookie)
			if accepted := page.status == http.StatusSeeOther && cookie != "" && page.header.Get("Location") == "?x=1"; accepted != test.accepted {
				t.Errorf("%s, %s: %d, %v", test.reason, target, page.status, page.header)
			}
			if !test.accepted && (page.status != http.StatusUnauthorized || cookie != "" || !strings.Contains(page.text, refused) || !strings.Contains(page.body, open)) {
				t.Errorf("%s, %s: the page is %d %s", test.reason, target, page.status, page.text)
			}
			if page := do(h, request("GET", target, "", "Cookie", cookie)); test.accepted && page.status != http.StatusOK {
				t.Errorf("%s, %s: signed in, the page is %d", test.reason, target, page.status)
			}
		}
		if len(own.films.calls) > 0 {
			t.Errorf("%s: writes: %q", test.reason, own.films.calls)
		}
	}

	// The service stops to accept a token.
	valid := "good"
	own := newService()
	handler, err := httpapi.NewHandler([]httpapi.Collection{own.films}, httpapi.Options{Authorizer: func(r *http.Request, key string, action schema.Actions) error {
		return httpapi.Bearer(valid)(r, key, action)
	}})
	must(t, err)
	h := browsing(t, handler, Options{Scheme: "Bearer"})
	cookie, _ := cookieOf(t, do(h, formRequest("/api/films/?_method=SIGN-IN", "token=good")), tokenCookie)
	for _, target := range []string{"/api/films/", "/api/films/1/"} {
		valid = "good"
		if page := do(h, request("GET", target, "", "Cookie", cookie)); !strings.Contains(page.text, "Sign out") || strings.Contains(page.text, "Read-only") {
			t.Errorf("%s: %s", target, page.text)
		}
		valid = "other"
		if page := do(h, request("GET", target, "", "Cookie", cookie)); !strings.Contains(page.text, refused) || strings.Contains(page.text, "Read-only") {
			t.Errorf("%s with a token that is not valid any more: %s", target, page.text)
		}
	}
}
