package browse

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

func TestAccept(t *testing.T) {
	tests := []struct {
		reason string
		accept []string
		want   bool
	}{
		{"Chrome", []string{chrome}, true},
		{"Firefox", []string{firefox}, true},
		{"Firefox since 132", []string{"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/png,image/svg+xml,*/*;q=0.8"}, true},
		{"Safari", []string{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}, true},
		{"lynx", []string{"text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01"}, true},
		{"curl, fetch and XMLHttpRequest", []string{"*/*"}, false},
		{"Go's client", nil, false},
		{"axios", []string{"application/json, text/plain, */*"}, false},
		{"jQuery's getJSON", []string{"application/json, text/javascript, */*; q=0.01"}, false},
		{"an image in a page", []string{"image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"}, false},
		{"Python's requests", []string{"*/*"}, false},
		{"old Java", []string{"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"}, true},
		{"HTML alone", []string{"text/html"}, true},
		{"upper case", []string{"TEXT/HTML"}, true},
		{"parameters", []string{"text/html;charset=utf-8;q=0.3"}, true},
		{"spaces", []string{" text/html ; q=1"}, true},
		{"second header", []string{"image/png", "text/html"}, true},
		{"JSON in the first header", []string{"application/json", "text/html"}, false},
		{"JSON first", []string{"application/json, text/html"}, false},
		{"JSON first with a lower quality", []string{"application/json;q=0.1, text/html"}, false},
		{"HTML first with a lower quality", []string{"text/html;q=0.1, application/json"}, false},
		{"any text", []string{"text/*"}, true},
		{"any text first", []string{"text/*, text/html"}, true},
		{"anything first", []string{"*/*;q=0.1, text/html"}, true},
		{"any application", []string{"application/*, text/html"}, true},
		{"HTML with quality 0", []string{"text/html;q=0, */*"}, true},
		{"XHTML alone", []string{"application/xhtml+xml"}, false},
		{"empty", []string{""}, false},
		{"a longer media type", []string{"text/html5"}, false},
	}
	h := newHandlers(t, load(t, books(1)), httpapi.Options{})
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			r := request("GET", "/api/books/", "")
			r.Header["Accept"] = test.accept
			if test.accept == nil {
				delete(r.Header, "Accept")
			}
			got := do(h.browse, r)
			if isPage := got.header.Get("Content-Type") == "text/html; charset=utf-8"; isPage != test.want {
				t.Errorf("Accept %q: Content-Type %s, want a page: %t", test.accept, got.header.Get("Content-Type"), test.want)
			}
			if test.want {
				return
			}
			if diff := cmp.Diff(do(h.plain, r).comparable(), got.comparable()); diff != "" {
				t.Errorf("differs from the handler's response (-want +got):\n%s", diff)
			}
		})
	}
}

// Other clients get exactly the handler's response, except for an added Vary.
func TestOtherClients(t *testing.T) {
	h := newHandlers(t, load(t, books(30)), httpapi.Options{Authorizer: httpapi.AllowAll})
	const urlencoded = "application/x-www-form-urlencoded"
	tests := []struct {
		reason  string
		request func() *http.Request
		vary    bool // Vary is added
	}{
		{"the root", func() *http.Request { return request("GET", "/api/?format=api", "", "Accept", "*/*") }, false},
		{"a page", func() *http.Request { return request("GET", "/api/books/?format=api&offset=3", "", "Accept", "*/*") }, false},
		{"indented JSON", func() *http.Request {
			return request("GET", "/api/books/", "", "Accept", "application/json; indent=2, text/html")
		}, false},
		{"JSON for a browser", func() *http.Request { return request("GET", "/api/books/?format=json", "") }, false},
		{"two formats", func() *http.Request { return request("GET", "/api/books/?format=api&format=json", "") }, false},
		{"HEAD", func() *http.Request { return request("HEAD", "/api/events/", "", "Accept", "*/*") }, false},
		{"OPTIONS", func() *http.Request { return request("OPTIONS", "/api/events/", "", "Accept", "*/*") }, false},
		{"unknown path", func() *http.Request { return request("GET", "/api/magazines/", "", "Accept", "*/*") }, true},
		{"missing slash", func() *http.Request { return request("GET", "/api/books?limit=2", "", "Accept", "*/*") }, true},
		{"unsupported method", func() *http.Request { return request("DELETE", "/api/books/", "", "Accept", "*/*") }, false},
		{"a form without Accept: text/html", func() *http.Request {
			return request("POST", "/api/events/", "name=x", "Accept", "*/*", "Content-Type", urlencoded, "Origin", "http://host.example")
		}, false},
		{"a post", func() *http.Request {
			return request("POST", "/api/events/", `{"name":""}`, "Accept", "application/json", "Content-Type", "application/json")
		}, false},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			want := do(h.plain, test.request())
			if test.vary {
				if want.header.Get("Vary") != "" {
					t.Fatal("the handler's response has Vary")
				}
				want.header.Set("Vary", "Accept")
			}
			if diff := cmp.Diff(want.comparable(), do(h.browse, test.request()).comparable()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// comparable returns the response without parsed parts.
func (res result) comparable() any {
	return struct {
		Status int
		Header http.Header
		Body   string
	}{res.status, res.header, res.body}
}

// Conditional and range headers refer to the page, so they are not passed to the
// handler.
func TestConditionalHeaders(t *testing.T) {
	var passed http.Header
	h := around(t, func(w http.ResponseWriter, r *http.Request) {
		passed = r.Header
		w.Header().Set("ETag", `"json"`)
		w.Header().Set("Last-Modified", "Sun, 10 May 2026 16:00:00 GMT")
		w.Header().Set("Cache-Control", "max-age=60")
		w.Header().Set("X-Request-Id", "7")
		w.Write([]byte(`{"count":0,"next":null,"previous":null,"results":[]}`))
	})
	r := request("GET", "/api/books/", "", "If-None-Match", `"json"`, "If-Modified-Since", "Sun, 10 May 2026 16:00:00 GMT",
		"Range", "bytes=0-5", "Accept-Encoding", "gzip", "Authorization", "Bearer x", "Cookie", "a=b")
	got := do(h, r)
	if diff := cmp.Diff(http.Header{"Accept": {"application/json"}, "Authorization": {"Bearer x"}, "Cookie": {"a=b"}}, passed); diff != "" {
		t.Errorf("request header of the handler (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{"ETag": "", "Last-Modified": "", "Cache-Control": "private, no-cache", "X-Request-Id": "7", "Vary": "Accept"} {
		if got.header.Get(name) != want {
			t.Errorf("header %s = %q, want %q", name, got.header.Get(name), want)
		}
	}
	if !strings.Contains(got.text, `Etag: "json"`) {
		t.Error("the page does not show the header of the JSON response")
	}
	if r.Header.Get("If-None-Match") == "" || r.Header.Get("Accept") != chrome {
		t.Error("the caller's request was modified")
	}
}

// Values of Vary set by middleware are kept.
func TestVaryOfMiddleware(t *testing.T) {
	h := newHandlers(t, load(t, books(3)), httpapi.Options{})
	middleware := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept-Encoding")
		h.browse.ServeHTTP(w, r)
	})
	for _, accept := range []string{chrome, "*/*"} {
		for target, want := range map[string][]string{"/api/books/": {"Accept-Encoding", "Accept"}, "/api/x/": {"Accept-Encoding", "Accept"}} {
			if got := do(middleware, request("GET", target, "", "Accept", accept)).header["Vary"]; !cmp.Equal(got, want) {
				t.Errorf("GET %s with Accept %q: Vary %q, want %q", target, accept, got, want)
			}
		}
	}
}

// A form without an origin is passed to the handler, which rejects it.
func TestFormWithoutOrigin(t *testing.T) {
	h := newHandlers(t, load(t, "{}"), httpapi.Options{Authorizer: httpapi.AllowAll})
	r := request("POST", "/api/events/", "name=x", "Content-Type", "application/x-www-form-urlencoded")
	if got := do(h.browse, r); got.status != 415 || !strings.Contains(got.text, "Unsupported media type") {
		t.Errorf("%d %s, want 415", got.status, got.text)
	}
}

func TestCrossOriginForm(t *testing.T) {
	const body = "title=x&url=https%3A%2F%2Fx.example&type=web&author=7"
	tests := []struct {
		reason       string
		site, origin string
		want         int
	}{
		{"same origin", "same-origin", "http://host.example", 303},
		{"same origin without Sec-Fetch-Site", "", "http://host.example", 303},
		{"another site", "cross-site", "https://evil.example", 403},
		{"another site without Sec-Fetch-Site", "", "https://evil.example", 403},
		{"same site, another origin", "same-site", "https://evil.host.example", 403},
		{"sandboxed frame", "cross-site", "null", 403},
		{"opaque origin", "", "null", 403},
		{"another port", "", "http://host.example:81", 403},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			cat := load(t, twoAuthors)
			h := newHandlers(t, cat, httpapi.Options{Authorizer: httpapi.AllowAll})
			r := formRequest("/api/social-links/", body)
			r.Header.Del("Sec-Fetch-Site")
			if test.site != "" {
				r.Header.Set("Sec-Fetch-Site", test.site)
			}
			r.Header.Set("Origin", test.origin)
			got := do(h.browse, r)
			if stored := mustIn(resources.SocialLinks, cat).Count(); got.status != test.want || stored != map[int]int{303: 1}[test.want] {
				t.Errorf("status %d, %d records stored, want status %d", got.status, stored, test.want)
			}
		})
	}
}

// Pages of other sites cannot write, whatever the kind of their requests. Clients that are
// no browsers, and trusted pages, can.
func TestRequestsOfOtherSites(t *testing.T) {
	foreign := []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}
	const json, text, form = "application/json", "text/plain", "application/x-www-form-urlencoded"
	const film = `{"title":"x"}`
	own := httpapi.Options{Authorizer: httpapi.AllowAll}
	based := httpapi.Options{Authorizer: httpapi.AllowAll, BaseURL: "https://shop.example/our"}
	proxied := httpapi.Options{Authorizer: httpapi.AllowAll, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}
	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin("https://app.example"); err != nil {
		t.Fatal(err)
	}
	trusting := Options{CrossOrigin: protection}
	tests := []struct {
		reason                             string
		opts                               httpapi.Options
		pages                              Options
		method, target, accept, kind, body string
		header                             []string
		status, writes                     int
	}{
		{"form as text/plain", own, Options{}, "POST", "/api/films/", chrome, text, "", foreign, 403, 0},
		{"form without a type", own, Options{}, "POST", "/api/films/", chrome, "", "", foreign, 403, 0},
		{"form with files", own, Options{}, "POST", "/api/films/", chrome, "multipart/form-data; boundary=x", "", foreign, 403, 0},
		{"sendBeacon", own, Options{}, "POST", "/api/films/", "*/*", "", "", foreign, 403, 0},
		{"sendBeacon with text", own, Options{}, "POST", "/api/films/", "*/*", text, film, foreign, 403, 0},
		{"form for JSON", own, Options{}, "POST", "/api/films/?format=json", chrome, form, "", foreign, 403, 0},
		{"fetch", own, Options{}, "POST", "/api/films/", "*/*", json, film, foreign, 403, 0},
		{"fetch with PATCH", own, Options{}, "PATCH", "/api/films/1/", "*/*", json, film, foreign, 403, 0},
		{"fetch with PUT", own, Options{}, "PUT", "/api/films/1/", json, json, film, foreign, 403, 0},
		{"fetch with DELETE", own, Options{}, "DELETE", "/api/films/1/", "*/*", "", "", foreign, 403, 0},
		{"another host of the site", own, Options{}, "POST", "/api/films/", "*/*", "", "", []string{"Sec-Fetch-Site", "same-site", "Origin", "http://a.host.example"}, 403, 0},
		{"a browser without Sec-Fetch-Site", own, Options{}, "POST", "/api/films/", "*/*", "", "", []string{"Origin", "https://evil.example"}, 403, 0},
		{"a sandboxed frame", own, Options{}, "POST", "/api/films/", "*/*", "", "", []string{"Origin", "null"}, 403, 0},
		{"an unknown path", own, Options{}, "POST", "/api/none/", "*/*", "", "", foreign, 403, 0},
		{"a forwarded host that no proxy sent", own, Options{}, "POST", "/api/films/", "*/*", "", "",
			[]string{"Origin", "https://evil.example", "X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "https"}, 403, 0},
		{"an invalid forwarded host", proxied, Options{}, "POST", "/api/films/", "*/*", "", "", []string{"Origin", "https://evil.example", "X-Forwarded-Host", "a b"}, 403, 0},

		{"a read", own, Options{}, "GET", "/api/films/", "*/*", "", "", foreign, 200, 0},
		{"a link", own, Options{}, "GET", "/api/films/", chrome, "", "", foreign, 200, 0},
		{"OPTIONS", own, Options{}, "OPTIONS", "/api/films/", "*/*", "", "", foreign, 200, 0},
		{"curl and Go's client", own, Options{}, "POST", "/api/films/", "*/*", json, film, nil, 201, 1},
		{"fetch of the same origin", own, Options{}, "PATCH", "/api/films/1/", "*/*", json, film, []string{"Sec-Fetch-Site", "same-origin", "Origin", "http://host.example"}, 200, 1},
		{"the same origin without Sec-Fetch-Site", own, Options{}, "POST", "/api/films/", "*/*", json, film, []string{"Origin", "http://host.example"}, 201, 1},
		{"a proxy that changes the host", own, Options{}, "POST", "/api/films/", "*/*", json, film, []string{"Sec-Fetch-Site", "same-origin", "Origin", "https://shop.example"}, 201, 1},
		{"the base URL, without Sec-Fetch-Site", based, Options{}, "POST", "/api/films/", "*/*", json, film, []string{"Origin", "https://shop.example"}, 201, 1},
		{"another scheme than that of the base URL", based, Options{}, "POST", "/api/films/", "*/*", "", "", []string{"Origin", "http://shop.example"}, 403, 0},
		{"a trusted proxy, without Sec-Fetch-Site", proxied, Options{}, "POST", "/api/films/", "*/*", json, film,
			[]string{"Origin", "https://shop.example", "X-Forwarded-Host", "shop.example", "X-Forwarded-Proto", "https"}, 201, 1},
		{"a trusted origin", own, trusting, "POST", "/api/films/", "*/*", json, film, []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://app.example"}, 201, 1},
		{"an origin that is not trusted", own, trusting, "POST", "/api/films/", "*/*", json, film, foreign, 403, 0},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			films := newService().films
			handler, err := httpapi.NewHandler([]httpapi.Collection{films}, test.opts)
			if err != nil {
				t.Fatal(err)
			}
			r := request(test.method, test.target, test.body, test.header...)
			r.Header.Set("Accept", test.accept)
			if test.kind != "" {
				r.Header.Set("Content-Type", test.kind)
			}
			got := do(browsing(t, handler, test.pages), r)
			if got.status != test.status || len(films.calls) != test.writes {
				t.Errorf("status %d, writes %q, want %d and %d: %s", got.status, films.calls, test.status, test.writes, got.body)
			}
			isPage := test.accept == chrome && !strings.Contains(test.target, "json")
			switch {
			case test.status != 403:
			case isPage && (got.one(t, "h1", "", "").text != "403 Forbidden" || !strings.Contains(got.text, "from another site")):
				t.Errorf("the page is %s", got.text)
			case !isPage && got.body != `{"detail":"The request was sent from another site, so nothing was stored."}`,
				!isPage && got.header.Get("Content-Type") != "application/json":
				t.Errorf("%v: %s", got.header, got.body)
			}
		})
	}
}

// The body of a forbidden request is not read.
func TestForbiddenBodyIsNotRead(t *testing.T) {
	forbid := func(*http.Request, string, schema.Actions) error { return httpapi.Forbidden("Not you.") }
	h := newHandlers(t, load(t, "{}"), httpapi.Options{Authorizer: forbid})
	for _, change := range []func(*http.Request){
		func(*http.Request) {},
		func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		func(r *http.Request) { r.URL.Path = "/api/books/" },
	} {
		r := formRequest("/api/events/", "")
		r.Body, r.ContentLength = http.NoBody, 10
		r.Body = struct {
			unreadBody
			closer
		}{unreadBody{t}, closer{}}
		change(r)
		if got := do(h.browse, r); got.status != 403 && got.status != 405 {
			t.Errorf("status %d, want 403 or 405", got.status)
		}
	}
}

func TestFormReadError(t *testing.T) {
	cat := load(t, "{}")
	h := newHandlers(t, cat, httpapi.Options{Authorizer: httpapi.AllowAll})
	r := formRequest("/api/events/", "")
	r.Body = struct {
		failingReader
		closer
	}{}
	if got := do(h.browse, r); got.status != 400 || !strings.Contains(got.text, "could not be read") {
		t.Errorf("%d %s, want 400", got.status, got.text)
	}
}

func TestChangeFromAnotherSite(t *testing.T) {
	for _, method := range []string{"PATCH", "DELETE"} {
		for _, header := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "", "Origin", "https://evil.example"}} {
			own := newService()
			h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
			got := do(h, formRequest("/api/films/1/?_method="+method, "title=x", header...))
			if got.status != 403 || own.films.calls != nil {
				t.Errorf("%s with %q: status %d, writes %q", method, header, got.status, own.films.calls)
			}
		}
	}
}

// Requests that are not forms of browsers are not changed.
func TestMethodOfOtherRequests(t *testing.T) {
	own := newService()
	h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	for _, r := range []*http.Request{
		formRequest("/api/films/1/?_method=DELETE", "", "Accept", "*/*"),
		request("POST", "/api/films/1/?_method=DELETE", "", "Content-Type", "application/x-www-form-urlencoded"),
		request("POST", "/api/films/1/?_method=DELETE", "{}", "Content-Type", "application/json", "Origin", "http://host.example"),
	} {
		if got := do(h, r); got.status != 405 || own.films.calls != nil {
			t.Errorf("status %d, writes %q", got.status, own.films.calls)
		}
	}
}
