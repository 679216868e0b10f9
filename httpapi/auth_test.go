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
