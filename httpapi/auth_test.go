package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// unreadBody is a body that fails the test if it is read.
type unreadBody struct{ t *testing.T }

func (b unreadBody) Read([]byte) (int, error) {
	b.t.Error("the body was read")
	return 0, io.EOF
}

func (b unreadBody) Close() error { return nil }

// TestAuthorizers checks the responses to the errors of an authorizer, which is asked before
// the body is read. Those of Bearer and Token are in testdata/checks.txtar.
func TestAuthorizers(t *testing.T) {
	const forbidden = `{"detail":"You do not have permission to perform this action."}`
	secret := errors.New("password is 1234")
	for _, test := range []struct {
		reason    string
		err       error
		status    int
		challenge string
		body      string
	}{
		{"unauthorized", Unauthorized(`Basic realm="api"`, "No."), 401, `Basic realm="api"`, `{"detail":"No."}`},
		{"wrapped", fmt.Errorf("store: %w", Unauthorized("X", "No.")), 401, "X", `{"detail":"No."}`},
		{"unauthorized without detail", Unauthorized("X", ""), 401, "X", noCredentials},
		{"unauthorized without challenge", Unauthorized("", "No."), 403, "", `{"detail":"No."}`},
		{"forbidden", Forbidden(`"No" <way>`), 403, "", `{"detail":"\"No\" <way>"}`},
		{"forbidden without detail", Forbidden(""), 403, "", forbidden},
		{"any other error", secret, 403, "", forbidden},
	} {
		var reported error
		h := newStubHandler(t, Options{
			Authorizer: func(*http.Request, string, schema.Actions) error { return test.err },
			OnError:    func(_ *http.Request, err error) { reported = err },
		}, newStub(1))
		r := call{method: "POST", target: "/api/films/"}.request()
		r.Body, r.ContentLength = unreadBody{t}, 1<<40
		want := answer{test.status, viewHeader(listMethods, len(test.body)), test.body}
		if test.challenge != "" {
			want.Header["Www-Authenticate"] = test.challenge
		}
		equal(t, test.reason, want, serve(h, r))
		if (reported != nil) != (test.err == secret) {
			t.Errorf("%s: OnError was called with %v", test.reason, reported)
		}
	}
}

// TestAuthorizedActions checks the actions that the authorizer is asked about.
func TestAuthorizedActions(t *testing.T) {
	type asked struct {
		Collection string
		Action     schema.Actions
	}
	films := func(action schema.Actions) []asked { return []asked{{"films", action}} }
	for _, test := range []struct {
		method, target string
		writes, reads  []asked // without and with AuthorizeReads
	}{
		{"GET", "/api/", nil, []asked{{"", schema.List}}},
		{"GET", "/api/films/", nil, films(schema.List)},
		{"HEAD", "/api/films/1/", nil, films(schema.Retrieve)},
		{"POST", "/api/films/", films(schema.Create), films(schema.Create)},
		{"PUT", "/api/films/9/", films(schema.Update), films(schema.Update)},
		{"PATCH", "/api/films/1/", films(schema.PartialUpdate), films(schema.PartialUpdate)},
		{"DELETE", "/api/films/1/", films(schema.Destroy), films(schema.Destroy)},
		{"OPTIONS", "/api/films/", films(schema.Create), films(schema.List)},
		{"OPTIONS", "/api/films/1/", films(schema.Update), films(schema.Retrieve)},
		{"PUT", "/api/films/", nil, nil},
		{"GET", "/api/films/1/?format=x", nil, nil},
		{"GET", "/api/nope/", nil, nil},
	} {
		for _, reads := range []bool{false, true} {
			var got []asked
			h := newStubHandler(t, Options{
				AuthorizeReads: reads,
				Authorizer: func(_ *http.Request, collection string, action schema.Actions) error {
					got = append(got, asked{collection, action})
					return Unauthorized("Token", "")
				},
			}, newStub(1))
			status := call{method: test.method, target: test.target}.do(h).Status
			want := test.writes
			if reads {
				want = test.reads
			}
			equal(t, fmt.Sprintf("%s %s, reads %t", test.method, test.target, reads), want, got)
			if refused := status == 401; refused != (len(want) > 0 && (reads || test.method != "OPTIONS")) {
				t.Errorf("%s %s, reads %t: %d", test.method, test.target, reads, status)
			}
		}
	}
}

// diary is a record of which only the owner changes anything. Its handlers ask Permit.
type diary struct {
	ID    int    `json:"id"`
	Owner string `json:"owner" backlist:"readonly"`
	Title string `json:"title" backlist:"maxlength=5"`
	Next  *int   `json:"next" backlist:"refers=diaries"`
}

// newDiaries returns two diaries, the first of which is Ann's, and a handler that asks permit. The
// header User has the user, without whom nothing is written.
func newDiaries(t *testing.T, permit func(r *http.Request, action schema.Actions, record string) error) (*catalogue.Collection[diary], *Handler) {
	t.Helper()
	diaries := catalogue.Define[diary]("diaries", catalogue.Options{Description: &schema.Description{Filters: []string{"title"}}})
	c := mustCatalogue(t, diaries)
	must(t, c.Load(strings.NewReader(`{"diaries":[{"id":1,"owner":"ann","title":"a","next":null},{"id":2,"owner":"","title":"b","next":1}]}`), catalogue.LoadOptions{}))
	h := mustHandler(t, c, Options{
		ETags: true, Forms: true,
		Authorizer: func(r *http.Request, _ string, _ schema.Actions) error {
			if r.Header.Get("User") == "" {
				return Unauthorized("Token", "")
			}
			return nil
		},
		Permit: func(r *http.Request, collection string, action schema.Actions, record []byte) error {
			if collection != "diaries" {
				t.Errorf("Permit is asked about %s", collection)
			}
			return permit(r, action, string(record))
		},
	})
	return mustIn(diaries, c), h
}

// isOwner is the Permit of a service whose owners write.
func isOwner(r *http.Request, _ schema.Actions, record string) error {
	if user := r.Header.Get("User"); user == "" || !strings.Contains(record, `"owner":"`+user+`"`) {
		return Forbidden("")
	}
	return nil
}

// TestPermitOrder sends requests that are wrong in several ways. The responses are those of the
// framework's own tutorial, in its order: the user, the method, filters, the record, its owner, the type
// of the body, its syntax and its fields. Preconditions, which the framework lacks, come after the owner.
func TestPermitOrder(t *testing.T) {
	const forbidden = `{"detail":"You do not have permission to perform this action."}`
	for _, test := range []struct {
		reason, user, method, target, body string
		header                             string // a name and its value
		status                             int
		want                               string // the beginning of the body
	}{
		{"reads are anybody's", "", "GET", "1/", "", "", 200, `{"id":1,"owner":"ann","title":"a","next":null}`},
		{"so are lists", "bob", "GET", "", "", "", 200, `{"count":2,`},
		{"the user comes first", "", "PATCH", "9/?title=x", "{", "", 401, noCredentials},
		{"a new record is no one's before", "bob", "POST", "", `{"title":"too long","next":null}`, "", 400, `{"title":[`},
		{"a method that is not served", "bob", "DELETE", "", "", "", 405, `{"detail":"Method`},
		{"a record that does not exist", "bob", "PATCH", "9/", "{", "", 404, notFound},
		{"a record that a filter hides", "bob", "DELETE", "1/?title=x", "", "", 404, notFound},
		{"the owner before the type", "bob", "PUT", "1/", "{", "Content-Type: text/plain", 403, forbidden},
		{"the owner before a form", "bob", "PUT", "1/", "title=%zz", "Content-Type: application/x-www-form-urlencoded", 403, forbidden},
		{"the owner's form", "ann", "PUT", "1/", "title=f", "Content-Type: application/x-www-form-urlencoded", 200, `{"id":1,"owner":"ann","title":"f","next":null}`},
		{"the owner before the length", "bob", "PUT", "1/", strings.Repeat(" ", 1<<20+1), "", 403, forbidden},
		{"the owner before the syntax", "bob", "PATCH", "1/", "{", "", 403, forbidden},
		{"the owner before the fields", "bob", "PUT", "1/", "{}", "", 403, forbidden},
		{"the owner before references", "bob", "DELETE", "1/", "", "", 403, forbidden},
		{"the owner before preconditions", "bob", "DELETE", "1/", "", `If-Match: "x"`, 403, forbidden},
		{"a record without an owner", "bob", "DELETE", "2/", "", "", 403, forbidden},
		{"a precondition before the body", "ann", "PATCH", "1/", "{", `If-Match: "x"`, 412, `{"detail":"Precondition`},
		{"a type", "ann", "PUT", "1/", "{", "Content-Type: text/plain", 415, `{"detail":"Unsupported`},
		{"a syntax", "ann", "PATCH", "1/", "{", "", 400, `{"detail":"JSON parse`},
		{"fields", "ann", "PATCH", "1/", `{"title":"too long"}`, "", 400, `{"title":[`},
		{"references", "ann", "DELETE", "1/", "", "", 409, `{"detail":"The record cannot`},
		{"the owner writes", "ann", "PATCH", "1/", `{"title":"c","owner":"bob"}`, "", 200, `{"id":1,"owner":"ann","title":"c","next":null}`},
		{"an owner by OPTIONS", "ann", "OPTIONS", "1/", "", "", 200, `{"name":"Diary Instance","description":"","renders":["application/json"],"parses":["application/json","application/x-www-form-urlencoded","multipart/form-data"],"actions":{"PUT":`},
		{"a list by OPTIONS", "bob", "OPTIONS", "", "", "", 200, `{"name":"Diary List","description":"","renders":["application/json"],"parses":["application/json","application/x-www-form-urlencoded","multipart/form-data"],"actions":{"POST":`},
		{"another one by OPTIONS", "bob", "OPTIONS", "1/", "", "", 200, `{"name":"Diary Instance","description":"","renders":["application/json"],"parses":["application/json","application/x-www-form-urlencoded","multipart/form-data"]}`},
	} {
		_, h := newDiaries(t, isOwner)
		c := call{test.method, "/api/diaries/" + test.target, http.Header{"User": {test.user}}, test.body}
		if name, value, ok := strings.Cut(test.header, ": "); ok {
			c.header.Set(name, value)
		}
		if got := c.do(h); got.Status != test.status || !strings.HasPrefix(got.Body, test.want) {
			t.Errorf("%s: %d %s, want %d %s", test.reason, got.Status, got.Body, test.status, test.want)
		}
	}
}

// TestPermitAtWrite changes the owner of a record after Permit has been asked for the first time. Then
// the request changes nothing.
func TestPermitAtWrite(t *testing.T) {
	for method, body := range map[string]string{"PUT": `{"title":"c","next":null}`, "PATCH": `{"title":"c"}`, "DELETE": ""} {
		for _, ifMatch := range []bool{false, true} {
			var diaries *catalogue.Collection[diary]
			var asked []string
			diaries, h := newDiaries(t, func(r *http.Request, action schema.Actions, record string) error {
				err := isOwner(r, action, record)
				if asked = append(asked, record); len(asked) == 1 {
					must(t, diaries.Update(1, func(d *diary) error { d.Owner = "bob"; return nil }))
				}
				return err
			})
			must(t, diaries.Update(2, func(d *diary) error { d.Next = nil; return nil }))
			header := http.Header{"User": {"ann"}}
			if ifMatch {
				header.Set("If-Match", get(h, "/api/diaries/1/").Header["Etag"])
			}
			got := call{method, "/api/diaries/1/", header, body}.do(h)
			if got.Status != 403 {
				t.Errorf("%s, with If-Match: %t: %d %s, want 403", method, ifMatch, got.Status, got.Body)
			}
			equal(t, method+": asked for", []string{`{"id":1,"owner":"ann","title":"a","next":null}`, `{"id":1,"owner":"bob","title":"a","next":null}`}, asked)
			now, err := diaries.Get(1)
			must(t, err)
			equal(t, method+": the record", diary{ID: 1, Owner: "bob", Title: "a"}, now)
		}
	}
}

// TestPermitErrors has a Permit that fails, the first or the second time that it is asked.
func TestPermitErrors(t *testing.T) {
	secret := errors.New("password is 1234")
	for _, test := range []struct {
		reason          string
		err             error // or a panic without one
		status          int
		challenge, body string
		reported        error
	}{
		{"unauthorized", Unauthorized("Token", "Who?"), 401, "Token", `{"detail":"Who?"}`, nil},
		{"wrapped", fmt.Errorf("%w: %w", secret, Forbidden("No.")), 403, "", `{"detail":"No."}`, nil},
		{"another error", secret, 403, "", `{"detail":"You do not have permission to perform this action."}`, secret},
		{"not a 404", catalogue.ErrNotFound, 403, "", `{"detail":"You do not have permission to perform this action."}`, catalogue.ErrNotFound},
		{"a panic", nil, 500, "", internalError, ErrPanic},
	} {
		for _, method := range []string{"PUT", "PATCH", "DELETE"} {
			for at := range 2 {
				asked := 0
				diaries, h := newDiaries(t, func(*http.Request, schema.Actions, string) error {
					if asked++; asked != at+1 {
						return nil
					}
					if test.err == nil {
						panic(secret)
					}
					return test.err
				})
				must(t, diaries.Update(2, func(d *diary) error { d.Next = nil; return nil }))
				var reported error
				h.opts.OnError = func(_ *http.Request, err error) { reported = err }
				c := call{method, "/api/diaries/1/", http.Header{"User": {"ann"}}, `{"title":"c","next":null}`}
				got := c.do(h)
				about := fmt.Sprintf("%s, %s, asked %d times", test.reason, method, at+1)
				if got.Status != test.status || got.Header["Www-Authenticate"] != test.challenge || got.Body != test.body {
					t.Errorf("%s: %d %q %s, want %d %q %s", about, got.Status, got.Header["Www-Authenticate"], got.Body, test.status, test.challenge, test.body)
				}
				if !errors.Is(reported, test.reported) {
					t.Errorf("%s: reported %v, want %v", about, reported, test.reported)
				}
				if n := diaries.Revision(); n != 2 { // after the load and the change above
					t.Errorf("%s: revision %d, want 2", about, n)
				}
				if got := c.do(h); got.Status/100 != 2 {
					t.Errorf("%s, once more: %d %s", about, got.Status, got.Body)
				}
			}
		}
	}
	_, h := newDiaries(t, func(*http.Request, schema.Actions, string) error { return secret })
	var reported error
	h.opts.OnError = func(_ *http.Request, err error) { reported = err }
	got := call{"OPTIONS", "/api/diaries/1/", http.Header{"User": {"ann"}}, ""}.do(h)
	if got.Status != 200 || strings.Contains(got.Body, "actions") || reported != secret {
		t.Errorf("OPTIONS: %d %s, reported %v", got.Status, got.Body, reported)
	}
}

// TestPermitReads reads the stored record in Permit, with a field that no response has, before the write
// and at its instant.
func TestPermitReads(t *testing.T) {
	type secret struct {
		ID    int    `json:"id"`
		Owner string `json:"owner" backlist:"hidden,blank"`
	}
	secrets := catalogue.Define[secret]("secrets", catalogue.Options{})
	c := mustCatalogue(t, secrets)
	must(t, c.Load(strings.NewReader(`{"secrets":[{"id":1,"owner":"ann"}]}`), catalogue.LoadOptions{}))
	var got []string
	h := mustHandler(t, c, Options{Authorizer: AllowAll, Permit: func(_ *http.Request, _ string, _ schema.Actions, record []byte) error {
		stored, err := mustIn(secrets, c).Get(1)
		got = append(got, string(record), stored.Owner)
		return err
	}})
	if status, body := send(h, "PATCH", "/api/secrets/1/", `{"owner":"bob"}`); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	equal(t, "records and owners", []string{`{"id":1}`, "ann", `{"id":1}`, "ann"}, got)
}

// observed returns an OnAccess and what it was called with.
func observed() (onAccess func(context.Context, Access), accesses *[]Access) {
	accesses = new([]Access)
	return func(_ context.Context, a Access) { *accesses = append(*accesses, a) }, accesses
}

// Each request is sent three times, since the first may take a different code path.
func TestAccess(t *testing.T) {
	secret := http.Header{"Authorization": {"Bearer secret"}}
	broken := failing("List", errors.New("broken"))
	broken.about.Key, broken.about.Segment = "broken", "broken"
	onAccess, accesses := observed()
	h := newStubHandler(t, Options{Authorizer: AllowAll, ETags: true, OnAccess: onAccess}, newStub(50), broken)
	for _, test := range []struct {
		reason, collection string
		call               call
		status             int
	}{
		{"a page", "films", call{target: "/api/films/?ordering=-status"}, 200},
		{"HEAD", "films", call{method: "HEAD", target: "/api/films/?limit=1"}, 200},
		{"If-None-Match is *", "films", call{target: "/api/films/?limit=2", header: ifNoneMatch("*")}, 304},
		{"the root", "", call{target: "/api/"}, 200},
		{"an unknown path", "", call{target: "/api/secret/"}, 404},
		{"a redirect", "", call{target: "/api/films"}, 301},
		{"unknown format", "films", call{target: "/api/films/?format=secret"}, 404},
		{"too many parameters", "films", call{target: "/api/films/?" + strings.Repeat("&", 1000)}, 400},
		{"a path too long", "", call{target: "/" + strings.Repeat("x", 2048)}, 414},
		{"a method that is not allowed", "films", call{method: "PATCH", target: "/api/films/"}, 405},
		{"a POST", "films", call{method: "POST", target: "/api/films/", body: `"secret"`, header: secret}, 201},
		{"a failure", "broken", call{target: "/api/broken/?limit=1"}, 500},
	} {
		for range 3 {
			*accesses = nil
			got := test.call.do(h)
			if len(*accesses) != 1 {
				t.Fatalf("%s: OnAccess was called %d times, want once", test.reason, len(*accesses))
			}
			a := (*accesses)[0]
			if a.Bytes != len(got.Body) || a.Duration <= 0 {
				t.Errorf("%s: %d bytes in %v, want %d", test.reason, a.Bytes, a.Duration, len(got.Body))
			}
			want := Access{test.collection, cmp.Or(test.call.method, "GET"), test.status, a.Bytes, a.Duration}
			if a != want || got.Status != test.status {
				t.Errorf("%s: %d, OnAccess was called with %+v, want %+v", test.reason, got.Status, a, want)
			}
		}
	}
}

// OnAccess is called for a request that was aborted. If it panics, that is reported.
func TestAccessAndPanics(t *testing.T) {
	aborting := newStub(1)
	aborting.on = func(context.Context, string) error { panic(http.ErrAbortHandler) }
	onAccess, accesses := observed()
	h := newStubHandler(t, Options{OnAccess: onAccess}, aborting)
	if reason := panicValue(func() { get(h, "/api/films/") }); reason != http.ErrAbortHandler {
		t.Errorf("ServeHTTP panics with %v, want ErrAbortHandler", reason)
	}
	if a := *accesses; len(a) != 1 || a[0].Status != 0 || a[0].Collection != "films" {
		t.Errorf("OnAccess was called with %+v, want one aborted request", a)
	}
	var reported error
	h = newStubHandler(t, Options{
		OnAccess: func(context.Context, Access) { panic("oops") },
		OnError:  func(_ *http.Request, err error) { reported = err },
	}, newStub(1))
	if got := get(h, "/api/films/"); got.Status != 200 || !errors.Is(reported, ErrPanic) {
		t.Errorf("%d %s, and OnError was called with %v, want 200 and ErrPanic", got.Status, got.Body, reported)
	}
}
