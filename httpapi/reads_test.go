package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
)

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
			if h.AuthorizesReads() != reads {
				t.Errorf("AuthorizesReads = %t, want %t", !reads, reads)
			}
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
		if _, err := NewHandler(map[string]Collection{"films": newFilms()}, Options{Root: root}); err == nil {
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
