package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// untouchable is a body that must not be read.
type untouchable struct{ t *testing.T }

func (u untouchable) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

func (u untouchable) Close() error { return nil }

func TestAuthorizers(t *testing.T) {
	const (
		forbidden = `{"detail":"You do not have permission to perform this action."}`
		invalid   = `{"detail":"Invalid token."}`
	)
	say := func(err error) Authorizer { return func(*http.Request, string) error { return err } }
	tests := []struct {
		reason      string
		authorizer  Authorizer
		credentials []string
		status      int
		challenge   string
		body        string
	}{
		{"none set", nil, nil, 403, "", noCredentials},
		{"none set, credentials or not", nil, []string{"Bearer x"}, 403, "", noCredentials},
		{"unauthorized", say(Unauthorized(`Basic realm="api"`, "Who?")), nil, 401, `Basic realm="api"`, `{"detail":"Who?"}`},
		{"unauthorized, wrapped", say(fmt.Errorf("store: %w", Unauthorized("X", "Who?"))), nil, 401, "X", `{"detail":"Who?"}`},
		{"unauthorized without detail", say(Unauthorized("X", "")), nil, 401, "X", noCredentials},
		{"unauthorized without challenge", say(Unauthorized("", "Who?")), nil, 403, "", `{"detail":"Who?"}`},
		{"forbidden", say(Forbidden(`"No" <way>`)), nil, 403, "", `{"detail":"\"No\" <way>"}`},
		{"forbidden without detail", say(Forbidden("")), nil, 403, "", forbidden},
		{"any other error", say(errors.New("password is 1234")), nil, 403, "", forbidden},

		{"no header", Token("Token", "0123"), nil, 401, "Token", noCredentials},
		{"wrong token", Token("Token", "0123"), []string{"Token bad"}, 401, "Token", invalid},
		{"no token", Token("Token", "0123"), []string{"Token"}, 401, "Token", `{"detail":"Invalid token header. No credentials provided."}`},
		{"two tokens", Token("Token", "0123"), []string{"Token a b"}, 401, "Token", `{"detail":"Invalid token header. Token string should not contain spaces."}`},
		{"not UTF-8", Token("Token", "0123"), []string{"Token \xff"}, 401, "Token", `{"detail":"Invalid token header. Token string should not contain invalid characters."}`},
		{"other scheme", Token("Token", "0123"), []string{"Basic eDp5"}, 401, "Token", noCredentials},
		{"another scheme", Token("Token", "0123"), []string{"Bearer 0123"}, 401, "Token", noCredentials},
		{"scheme with the token in one word", Token("Token", "0123"), []string{"Token0123"}, 401, "Token", noCredentials},
		{"blank", Token("Token", "0123"), []string{" "}, 401, "Token", noCredentials},
		{"beginning of the token", Token("Token", "0123"), []string{"Token 012"}, 401, "Token", invalid},
		{"case of the token", Token("Token", "abc"), []string{"Token ABC"}, 401, "Token", invalid},
		{"two headers", Token("Token", "0123"), []string{"Token 0123", "Token 0123"}, 401, "Token", `{"detail":"Invalid token header. Token string should not contain spaces."}`},
		{"bearer", Bearer("0123"), []string{"Token 0123"}, 401, "Bearer", noCredentials},
		{"scheme as given", Token("bEARER", "0123"), nil, 401, "bEARER", noCredentials},
		{"no scheme given is Bearer", Token("", "0123"), nil, 401, "Bearer", noCredentials},
		{"empty token configured", Bearer(""), []string{"Bearer x"}, 401, "Bearer", invalid},
		{"empty token configured and sent", Bearer(""), []string{"Bearer "}, 401, "Bearer", `{"detail":"Invalid token header. No credentials provided."}`},
		{"token with a space configured", Bearer("a b"), []string{"Bearer a b"}, 401, "Bearer", `{"detail":"Invalid token header. Token string should not contain spaces."}`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			h := newTestHandler(t, Options{Authorizer: test.authorizer}, nil)
			r := call{method: "POST", target: "/api/events/"}.request()
			r.Body, r.ContentLength = untouchable{t}, 1<<40
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
		{"anybody", AllowAll, ""},
		{"anybody, credentials or not", AllowAll, "Bearer x"},
		{"token", Token("Token", "0123"), "Token 0123"},
		{"case of the scheme", Token("Token", "0123"), "tOKEN 0123"},
		{"case of the scheme given", Token("tOKEN", "0123"), "Token 0123"},
		{"more spaces", Bearer("0123"), "Bearer   0123 "},
		{"not ASCII", Bearer("é"), "Bearer é"},
		{"no scheme given is Bearer", Token("", "0123"), "Bearer 0123"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			h := newTestHandler(t, Options{Authorizer: test.authorizer}, nil)
			c := call{method: "POST", target: "/api/events/"}
			if test.credentials != "" {
				c.header = http.Header{"Authorization": {test.credentials}}
			}
			if got := c.do(h); got.Status != 201 {
				t.Errorf("%d %s", got.Status, got.Body)
			}
		})
	}
}

// The authorizer gets the request and the key, and its unknown errors go to OnError.
func TestAuthorizerIsTold(t *testing.T) {
	secret := errors.New("password is 1234")
	var keys []string
	var told []error
	h := newTestHandler(t, Options{
		Authorizer: func(r *http.Request, collection string) error {
			keys = append(keys, r.Method+" "+collection)
			return secret
		},
		OnError: func(_ *http.Request, err error) { told = append(told, err) },
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
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if len(told) != 2 || told[0] != secret {
		t.Errorf("OnError was told %v", told)
	}
}

// Reads ask nobody, whatever the credentials.
func TestReadsAskNobody(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: Bearer("0123")}, nil)
	for _, target := range []string{"/api/", "/api/events/"} {
		if got := (call{target: target, header: http.Header{"Authorization": {"Bearer bad"}}}).do(h); got.Status != 200 {
			t.Errorf("%s: %d", target, got.Status)
		}
	}
}
