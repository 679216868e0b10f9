package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
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

// TestAuthorizedActions checks the actions that the authorizer is asked about.
func TestAuthorizedActions(t *testing.T) {
	type asked struct {
		Collection string
		Action     schema.Actions
	}
	tests := []struct {
		method, target string
		writes, reads  []asked // without and with AuthorizeReads
	}{
		{"GET", "/api/", nil, []asked{{"", schema.List}}},
		{"GET", "/api/films/", nil, []asked{{"films", schema.List}}},
		{"HEAD", "/api/films/1/", nil, []asked{{"films", schema.Retrieve}}},
		{"GET", "/api/films/9/", nil, []asked{{"films", schema.Retrieve}}},
		{"POST", "/api/films/", []asked{{"films", schema.Create}}, []asked{{"films", schema.Create}}},
		{"PUT", "/api/films/9/", []asked{{"films", schema.Update}}, []asked{{"films", schema.Update}}},
		{"PATCH", "/api/films/1/", []asked{{"films", schema.PartialUpdate}}, []asked{{"films", schema.PartialUpdate}}},
		{"DELETE", "/api/films/1/", []asked{{"films", schema.Destroy}}, []asked{{"films", schema.Destroy}}},
		{"OPTIONS", "/api/films/", []asked{{"films", schema.Create}}, []asked{{"films", schema.List}}},
		{"OPTIONS", "/api/films/1/", []asked{{"films", schema.Update}}, []asked{{"films", schema.Retrieve}}},
		{"PUT", "/api/films/", nil, nil},
		{"GET", "/api/films/1/?format=x", nil, nil},
		{"GET", "/api/nope/", nil, nil},
	}
	for _, test := range tests {
		for _, reads := range []bool{false, true} {
			var got []asked
			h, films := newFilmsHandler(t, Options{AuthorizeReads: reads, Authorizer: func(_ *http.Request, collection string, action schema.Actions) error {
				got = append(got, asked{collection, action})
				return Unauthorized("Token", "")
			}})
			a := call{method: test.method, target: test.target}.do(h)
			want := test.writes
			if reads {
				want = test.reads
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s, reads %t (-want +got):\n%s", test.method, test.target, reads, diff)
			}
			if refused := a.Status == 401; refused != (len(want) > 0 && (reads || test.method != "OPTIONS")) {
				t.Errorf("%s %s, reads %t: %d", test.method, test.target, reads, a.Status)
			}
			if a.Status == 401 && len(films.calls) > 0 {
				t.Errorf("%s %s: the collection was asked: %v", test.method, test.target, films.calls)
			}
		}
	}
}

// TestRootPath checks that paths and links follow the root.
func TestRootPath(t *testing.T) {
	tests := []struct{ root, list, missing string }{
		{"", "/api/", "/v1/"},
		{"/v1/", "/v1/", "/api/"},
		{"/shop/v2/", "/shop/v2/", "/v2/"},
		{"/", "/", "/api/"},
	}
	for _, test := range tests {
		h, _ := newFilmsHandler(t, Options{Root: test.root})
		if h.Root() != test.list {
			t.Errorf("Root %q: %q", test.root, h.Root())
		}
		if got, want := get(h, test.list).Body, `{"films":"http://host.example`+test.list+`films/"}`; got != want {
			t.Errorf("root %q: %s, want %s", test.root, got, want)
		}
		want := `{"count":2,"next":"http://host.example` + test.list + `films/?limit=1&offset=1","previous":null,"results":[{"id":1,"name":"<é> & co","tags":[]}]}`
		if got := get(h, test.list+"films/?limit=1").Body; got != want {
			t.Errorf("root %q: %s, want %s", test.root, got, want)
		}
		if got := get(h, test.list+"films/1/"); got.Status != 200 {
			t.Errorf("root %q: record: %d", test.root, got.Status)
		}
		if got := get(h, test.missing+"films/"); got.Status != 404 {
			t.Errorf("root %q: %sfilms/: %d, want 404", test.root, test.missing, got.Status)
		}
		mux := http.NewServeMux()
		if err := Mount(mux, "/pre", h); err != nil {
			t.Fatal(err)
		}
		want = `{"films":"http://host.example/pre` + test.list + `films/"}`
		if got := get(mux, "/pre"+test.list).Body; got != want {
			t.Errorf("mounted root %q: %s, want %s", test.root, got, want)
		}
	}
	for _, root := range []string{"v1/", "/v1", "//", "/a//b/", "/a b/", "/{x}/", "/../", "/città/", `/a"b/`} {
		if _, err := NewHandler([]Collection{newFilms()}, Options{Root: root}); err == nil {
			t.Errorf("root %q is accepted", root)
		}
	}
}

// TestRootBehindProxies checks that links have the root after a base URL, and after the
// scheme and host that a trusted proxy sends.
func TestRootBehindProxies(t *testing.T) {
	tests := []struct {
		reason string
		opts   Options
		want   string
	}{
		{"base URL", Options{Root: "/v1/", BaseURL: "https://x.example/shop"}, "https://x.example/shop/v1/films/"},
		{"trusted proxy", Options{Root: "/v1/", TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}, "https://shop.example/v1/films/"},
	}
	for _, test := range tests {
		h, _ := newFilmsHandler(t, test.opts)
		c := call{target: "/v1/films/?limit=1", remote: "192.0.2.1:1234", header: http.Header{"X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"shop.example"}}}
		if got := c.do(h).Body; !strings.Contains(got, `"next":"`+test.want+`?limit=1&offset=1"`) {
			t.Errorf("%s: %s", test.reason, got)
		}
		c.target = "/v1/"
		if got, want := c.do(h).Body, `{"films":"`+test.want+`"}`; got != want {
			t.Errorf("%s: %s, want %s", test.reason, got, want)
		}
	}
}

// TestIgnoredParameters checks the names that OnAccess receives.
func TestIgnoredParameters(t *testing.T) {
	tests := []struct {
		method, target string
		want           []string
	}{
		{"GET", "/api/films/?limit=1&offset=1&ordering=id&format=json&status=&search=x&minutes__gte=1", nil},
		{"GET", "/api/films/?minutes=1&b&Status=x&%62=2&a=", []string{"minutes", "b", "Status", "a"}},
		{"GET", "/api/films/1/?limit=1&offset=1&ordering=id&status=a&x=1", []string{"limit", "offset", "ordering", "x"}},
		{"POST", "/api/films/?limit=1&status=a&format=json", []string{"limit", "status"}},
		{"DELETE", "/api/films/1/?limit=1&status=a", []string{"limit"}},
		{"GET", "/api/?limit=1&x", []string{"limit", "x"}},
	}
	for _, test := range tests {
		var got []string
		h, _ := newFilmsHandler(t, Options{Authorizer: AllowAll, OnAccess: func(_ context.Context, a Access) { got = a.Ignored }})
		call{method: test.method, target: test.target}.do(h)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.method, test.target, diff)
		}
	}
}
