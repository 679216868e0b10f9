package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

func TestInvalidConfig(t *testing.T) {
	films := newStub(1)
	renamed, without := newStub(1), newStub(1)
	renamed.about.Key, without.about = "movies", schema.Description{Key: "papers"}
	valid := []Collection{films}
	for _, test := range []struct {
		reason      string
		collections []Collection
		opts        Options
		want        string // in the error
	}{
		{"no collections", nil, Options{}, "no collections"},
		{"nil collection", []Collection{films, nil}, Options{}, "collection 1 is nil"},
		{"zero AnyCollection", []Collection{catalogue.AnyCollection{}}, Options{}, "collection 0 is nil"},
		{"invalid description", []Collection{without}, Options{}, `papers`},
		{"a collection twice", []Collection{films, films}, Options{}, "films"},
		{"a segment twice", []Collection{films, renamed}, Options{}, "movies"},

		{"base URL", valid, Options{BaseURL: "x.example"}, `BaseURL "x.example" is not an absolute http or https URL`},
		{"base URL that cannot be parsed", valid, Options{BaseURL: "http://x example"}, "BaseURL: parse"},
		{"proxy", valid, Options{TrustedProxies: make([]netip.Prefix, 1)}, "TrustedProxies: invalid Prefix"},
		{"root without a slash before", valid, Options{Root: "v1/"}, "Root"},
		{"root without a slash after", valid, Options{Root: "/v1"}, "Root"},
		{"root of slashes", valid, Options{Root: "//"}, "Root"},
		{"root with two slashes", valid, Options{Root: "/a//b/"}, "Root"},
		{"root with a space", valid, Options{Root: "/a b/"}, "Root"},
		{"root with a wildcard", valid, Options{Root: "/{x}/"}, "Root"},
		{"root with dots", valid, Options{Root: "/../"}, "Root"},
		{"root not in ASCII", valid, Options{Root: "/città/"}, "Root"},
		{"root with a quote", valid, Options{Root: `/a"b/`}, "Root"},
	} {
		h, err := NewHandler(test.collections, test.opts)
		if !errors.Is(err, ErrInvalidConfig) || h != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: NewHandler = %v, %v, want ErrInvalidConfig with %s", test.reason, h, err, test.want)
		}
	}
	if _, err := New(nil, Options{}); !errors.Is(err, ErrInvalidConfig) {
		t.Errorf("New(nil) returns %v, want ErrInvalidConfig", err)
	}
	if _, err := New(newFilmCatalogue(t), Options{BaseURL: "shop"}); !errors.Is(err, ErrInvalidConfig) {
		t.Errorf("New with an invalid base URL returns %v, want ErrInvalidConfig", err)
	}
}

// Served agrees with the responses of the handler.
func TestServed(t *testing.T) {
	untagged, papers := newStub(1), newStub(1)
	untagged.about.Key, untagged.about.Segment = "genres", "genre"
	papers.about.Key, papers.about.Segment, papers.about.Actions = "papers", "papers", schema.List
	collections := []Collection{newStub(1), listOnly{untagged}, papers}
	served := newStubHandler(t, Options{
		Authorizer: AllowAll, BaseURL: "HTTPS://x.example/größe/", Pages: pagination.Limits{Default: 7},
	}, collections...).Served()
	if served.Root != "/api/" || served.BaseURL != "https://x.example/gr%C3%B6%C3%9Fe" || served.ETags {
		t.Errorf("%+v, want the default root and the base URL of links", served.Options)
	}
	given := reflect.ValueOf(newStubHandler(t, Options{
		ETagKey: "k", Authorizer: AllowAll, Assign: func(*http.Request, string, schema.Actions) (r schema.Record, _ error) { return r, nil },
		OnAccess: func(context.Context, Access) {}, OnError: func(*http.Request, error) {},
	}, collections...).Served().Options)
	for i := range given.NumField() {
		if f := given.Type().Field(i); !given.Field(i).IsZero() && (f.Type.Kind() == reflect.Func || strings.Contains(f.Name, "Key")) {
			t.Errorf("whoever is handed what is served has %s", f.Name)
		}
	}
	var want []ServedCollection
	for i, path := range []string{"/api/films/", "/api/genre/", "/api/papers/"} {
		about := collections[i].Description()
		about.Pages, about.Actions = pagination.Limits{Default: 7}, []schema.Actions{schema.AllActions, schema.List, schema.List}[i]
		want = append(want, ServedCollection{Path: path, Description: about, Collection: collections[i]})
	}
	equal(t, "the result", want, served.Collections, cmp.Comparer(func(a, b Collection) bool { return a == b }))
	tagging := newStubHandler(t, Options{ETags: true, AuthorizeReads: true, Authorizer: AllowAll}, collections...)
	for _, s := range tagging.Served().Collections {
		if got := get(tagging, s.Path).Header["Etag"]; (got != "") != s.Tagged {
			t.Errorf("%s: ETag %q, Tagged = %v", s.Path, got, s.Tagged)
		}
	}
}

func TestMountErrors(t *testing.T) {
	h := newStubHandler(t, Options{}, newStub(1))
	taken := http.NewServeMux()
	taken.Handle("/api/", h)
	for _, test := range []struct {
		reason  string
		mux     *http.ServeMux
		prefix  string
		handler http.Handler
	}{
		{"nil mux", nil, "", h},
		{"nil handler", http.NewServeMux(), "", nil},
		{"pattern taken", taken, "", h},
		{"no slash", http.NewServeMux(), "shop", h},
		{"only a slash", http.NewServeMux(), "/", h},
		{"slash at the end", http.NewServeMux(), "/shop/", h},
		{"two slashes", http.NewServeMux(), "/a//b", h},
		{"dots", http.NewServeMux(), "/a/../b", h},
		{"host", http.NewServeMux(), "x.example/shop", h},
		{"method", http.NewServeMux(), "GET /shop", h},
		{"wildcard", http.NewServeMux(), "/{shop}", h},
		{"escape", http.NewServeMux(), "/%73hop", h},
		{"space", http.NewServeMux(), "/my shop", h},
	} {
		if err := Mount(test.mux, test.prefix, test.handler); !errors.Is(err, ErrInvalidConfig) {
			t.Errorf("%s: Mount returns %v, want ErrInvalidConfig", test.reason, err)
		}
	}
}

// Base returns the prefix of all links, whichever option determines it.
func TestBase(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} // of httptest.NewRequest
	tests := []struct {
		reason, prefix string
		opts           Options
		header, value  string
		want           string
	}{
		{"the request", "", Options{}, "X-Forwarded-Prefix", "/ignored", "http://host.example"},
		{"a prefix that is stripped", "/shop", Options{}, "", "", "http://host.example/shop"},
		{"a base URL", "/shop", Options{BaseURL: "https://x.example/our/"}, "", "", "https://x.example/our"},
		{"a proxy", "/shop", Options{TrustedProxies: proxies, ForwardedPrefix: true}, "X-Forwarded-Prefix", "/our", "http://host.example/our/shop"},
		{"an invalid header", "", Options{TrustedProxies: proxies}, "X-Forwarded-Proto", "ftp", ""},
	}
	for _, test := range tests {
		c := mustCatalogue(t, catalogue.Define[schema.Record]("films", catalogue.Options{}))
		h := mustHandler(t, c, test.opts)
		r := httptest.NewRequest("GET", "http://host.example"+test.prefix+"/api/", nil)
		r.RequestURI = test.prefix + "/api/"
		r.Header.Set(test.header, test.value)
		w, got := httptest.NewRecorder(), ""
		http.StripPrefix(test.prefix, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = h.Base(r)
			h.ServeHTTP(w, r)
		})).ServeHTTP(w, r)
		if got != test.want || test.want != "" && !strings.Contains(w.Body.String(), `"`+test.want+`/api/films/"`) {
			t.Errorf("%s: Base = %q, want %q; the root is %s", test.reason, got, test.want, w.Body)
		}
	}
}
