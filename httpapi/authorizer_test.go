package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// unreadBody is a body that fails the test if it is read.
type unreadBody struct{ t *testing.T }

func (b unreadBody) Read([]byte) (int, error) {
	b.t.Error("the body was read")
	return 0, io.EOF
}

func (b unreadBody) Close() error { return nil }

func TestAuthorizers(t *testing.T) {
	const (
		forbidden = `{"detail":"You do not have permission to perform this action."}`
		invalid   = `{"detail":"Invalid token."}`
	)
	returning := func(err error) Authorizer { return func(*http.Request, string, schema.Actions) error { return err } }
	tests := []struct {
		reason      string
		authorizer  Authorizer
		credentials []string
		status      int
		challenge   string
		body        string
	}{
		{"no authorizer", nil, nil, 403, "", noCredentials},
		{"no authorizer, but credentials", nil, []string{"Bearer x"}, 403, "", noCredentials},
		{"unauthorized", returning(Unauthorized(`Basic realm="api"`, "Token required.")), nil, 401, `Basic realm="api"`, `{"detail":"Token required."}`},
		{"unauthorized, wrapped", returning(fmt.Errorf("store: %w", Unauthorized("X", "Token required."))), nil, 401, "X", `{"detail":"Token required."}`},
		{"unauthorized without detail", returning(Unauthorized("X", "")), nil, 401, "X", noCredentials},
		{"unauthorized without challenge", returning(Unauthorized("", "Token required.")), nil, 403, "", `{"detail":"Token required."}`},
		{"forbidden", returning(Forbidden(`"No" <way>`)), nil, 403, "", `{"detail":"\"No\" <way>"}`},
		{"forbidden without detail", returning(Forbidden("")), nil, 403, "", forbidden},
		{"any other error", returning(errors.New("password is 1234")), nil, 403, "", forbidden},

		{"no header", Token("Token", "0123"), nil, 401, "Token", noCredentials},
		{"wrong token", Token("Token", "0123"), []string{"Token bad"}, 401, "Token", invalid},
		{"scheme alone", Token("Token", "0123"), []string{"Token"}, 401, "Token", `{"detail":"Invalid token header. No credentials provided."}`},
		{"two tokens", Token("Token", "0123"), []string{"Token a b"}, 401, "Token", `{"detail":"Invalid token header. Token string should not contain spaces."}`},
		{"not UTF-8", Token("Token", "0123"), []string{"Token \xff"}, 401, "Token", `{"detail":"Invalid token header. Token string should not contain invalid characters."}`},
		{"other scheme", Token("Token", "0123"), []string{"Basic eDp5"}, 401, "Token", noCredentials},
		{"scheme Bearer", Token("Token", "0123"), []string{"Bearer 0123"}, 401, "Token", noCredentials},
		{"no space after the scheme", Token("Token", "0123"), []string{"Token0123"}, 401, "Token", noCredentials},
		{"blank", Token("Token", "0123"), []string{" "}, 401, "Token", noCredentials},
		{"prefix of the token", Token("Token", "0123"), []string{"Token 012"}, 401, "Token", invalid},
		{"token in upper case", Token("Token", "abc"), []string{"Token ABC"}, 401, "Token", invalid},
		{"two headers", Token("Token", "0123"), []string{"Token 0123", "Token 0123"}, 401, "Token", `{"detail":"Invalid token header. Token string should not contain spaces."}`},
		{"other scheme than Bearer", Bearer("0123"), []string{"Token 0123"}, 401, "Bearer", noCredentials},
		{"scheme is sent as configured", Token("bEARER", "0123"), nil, 401, "bEARER", noCredentials},
		{"default scheme", Token("", "0123"), nil, 401, "Bearer", noCredentials},
		{"empty token configured", Bearer(""), []string{"Bearer x"}, 401, "Bearer", invalid},
		{"empty token configured and sent", Bearer(""), []string{"Bearer "}, 401, "Bearer", `{"detail":"Invalid token header. No credentials provided."}`},
		{"token with a space configured", Bearer("a b"), []string{"Bearer a b"}, 401, "Bearer", `{"detail":"Invalid token header. Token string should not contain spaces."}`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			h := newTestHandler(t, Options{Authorizer: test.authorizer}, nil)
			r := call{method: "POST", target: "/api/events/"}.request()
			r.Body, r.ContentLength = unreadBody{t}, 1<<40
			if test.credentials != nil {
				r.Header["Authorization"] = test.credentials
			}
			want := answer{test.status, viewHeader(authorizedVary, createMethods, len(test.body)), test.body}
			if test.challenge != "" {
				want.Header["Www-Authenticate"] = test.challenge
			}
			if diff := cmp.Diff(want, serve(h, r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAuthorized(t *testing.T) {
	tests := []struct {
		reason      string
		authorizer  Authorizer
		credentials string
	}{
		{"AllowAll", AllowAll, ""},
		{"AllowAll with credentials", AllowAll, "Bearer x"},
		{"token", Token("Token", "0123"), "Token 0123"},
		{"scheme in other case", Token("Token", "0123"), "tOKEN 0123"},
		{"configured scheme in other case", Token("tOKEN", "0123"), "Token 0123"},
		{"several spaces", Bearer("0123"), "Bearer   0123 "},
		{"not ASCII", Bearer("é"), "Bearer é"},
		{"default scheme", Token("", "0123"), "Bearer 0123"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			h := newTestHandler(t, Options{Authorizer: test.authorizer}, nil)
			c := call{method: "POST", target: "/api/events/"}
			if test.credentials != "" {
				c.header = http.Header{"Authorization": {test.credentials}}
			}
			if got := c.do(h); got.Status != 201 {
				t.Errorf("%d %s, want 201", got.Status, got.Body)
			}
		})
	}
}

// The authorizer is called with the request and the key. OnError is called with its other
// errors.
func TestAuthorizerCalls(t *testing.T) {
	secret := errors.New("password is 1234")
	var keys []string
	var reported []error
	h := newTestHandler(t, Options{
		Authorizer: func(r *http.Request, collection string, _ schema.Actions) error {
			keys = append(keys, r.Method+" "+collection)
			return secret
		},
		OnError: func(_ *http.Request, err error) { reported = append(reported, err) },
	}, nil)
	for _, c := range []call{
		{method: "POST", target: "/api/events/"},
		{method: "OPTIONS", target: "/api/social-links/"},
		{method: "GET", target: "/api/events/"},
		{method: "HEAD", target: "/api/events/"},
		{method: "PUT", target: "/api/events/"},
		{method: "POST", target: "/api/labels/"},
		{method: "OPTIONS", target: "/api/labels/"},
		{method: "OPTIONS", target: "/api/"},
		{method: "POST", target: "/api/events/?format=xml"},
	} {
		c.do(h)
	}
	if diff := cmp.Diff([]string{"POST events", "OPTIONS social-links"}, keys); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if len(reported) != 2 || reported[0] != secret {
		t.Errorf("OnError was called with %v, want %v twice", reported, secret)
	}
}

func TestReadsRequireNoCredentials(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: Bearer("0123")}, nil)
	for _, target := range []string{"/api/", "/api/events/"} {
		if got := (call{target: target, header: http.Header{"Authorization": {"Bearer bad"}}}).do(h); got.Status != 200 {
			t.Errorf("GET %s: %d, want 200", target, got.Status)
		}
	}
}
