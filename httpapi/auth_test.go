package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
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
