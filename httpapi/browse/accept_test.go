package browse

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
)

func TestWhoGetsAPage(t *testing.T) {
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
		{"a picture of a page", []string{"image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"}, false},
		{"Python's requests", []string{"*/*"}, false},
		{"old Java", []string{"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"}, true},
		{"HTML alone", []string{"text/html"}, true},
		{"in capitals", []string{"TEXT/HTML"}, true},
		{"with parameters", []string{"text/html;charset=utf-8;q=0.3"}, true},
		{"spaces", []string{" text/html ; q=1"}, true},
		{"in a second header", []string{"image/png", "text/html"}, true},
		{"JSON in the first header", []string{"application/json", "text/html"}, false},
		{"JSON first", []string{"application/json, text/html"}, false},
		{"JSON first though less liked", []string{"application/json;q=0.1, text/html"}, false},
		{"HTML first though less liked", []string{"text/html;q=0.1, application/json"}, true},
		{"any text", []string{"text/*"}, false},
		{"any text first", []string{"text/*, text/html"}, false},
		{"any application", []string{"application/*, text/html"}, false},
		{"not HTML", []string{"text/html;q=0, */*"}, false},
		{"not HTML, precisely", []string{"text/html; q=0.000, application/xml"}, false},
		{"XHTML alone", []string{"application/xhtml+xml"}, false},
		{"empty", []string{""}, false},
		{"a name that begins so", []string{"text/html5"}, false},
	}
	p := newPair(t, load(t, shelf(1)), httpapi.Options{})
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			r := request("GET", "/api/books/", "")
			r.Header["Accept"] = test.accept
			if test.accept == nil {
				delete(r.Header, "Accept")
			}
			got := do(p.browse, r)
			if isPage := got.header.Get("Content-Type") == "text/html; charset=utf-8"; isPage != test.want {
				t.Errorf("%q gets %s", test.accept, got.header.Get("Content-Type"))
			}
			if test.want {
				return
			}
			if diff := cmp.Diff(do(p.plain, r).answer(), got.answer()); diff != "" {
				t.Errorf("not what the handler says (-want +got):\n%s", diff)
			}
		})
	}
}

// answer is what can be compared.
func (s shown) answer() any {
	return struct {
		Status int
		Header http.Header
		Body   string
	}{s.status, s.header, s.body}
}

// Tools get from it what they get without, to the byte, but for the Vary that was
// missing.
func TestOthersGetWhatTheHandlerSays(t *testing.T) {
	p := newPair(t, load(t, shelf(30)), httpapi.Options{Authorizer: httpapi.AllowAll})
	const urlencoded = "application/x-www-form-urlencoded"
	tests := []struct {
		reason  string
		request func() *http.Request
		vary    bool // is added
	}{
		{"the root", func() *http.Request { return request("GET", "/api/?format=api", "", "Accept", "*/*") }, false},
		{"a page", func() *http.Request { return request("GET", "/api/books/?format=api&offset=3", "", "Accept", "*/*") }, false},
		{"a page, indented", func() *http.Request {
			return request("GET", "/api/books/", "", "Accept", "application/json; indent=2, text/html")
		}, false},
		{"a browser that asks for JSON", func() *http.Request { return request("GET", "/api/books/?format=json", "") }, false},
		{"the last format counts", func() *http.Request { return request("GET", "/api/books/?format=api&format=json", "") }, false},
		{"HEAD", func() *http.Request { return request("HEAD", "/api/events/", "", "Accept", "*/*") }, false},
		{"OPTIONS", func() *http.Request { return request("OPTIONS", "/api/events/", "", "Accept", "*/*") }, false},
		{"nothing there", func() *http.Request { return request("GET", "/api/magazines/", "", "Accept", "*/*") }, true},
		{"a missing slash", func() *http.Request { return request("GET", "/api/books?limit=2", "", "Accept", "*/*") }, true},
		{"no method there", func() *http.Request { return request("DELETE", "/api/books/", "", "Accept", "*/*") }, false},
		{"a form that no browser sends", func() *http.Request {
			return request("POST", "/api/events/", "name=x", "Accept", "*/*", "Content-Type", urlencoded, "Origin", "http://host.example")
		}, false},
		{"a post", func() *http.Request {
			return request("POST", "/api/events/", `{"name":""}`, "Accept", "application/json", "Content-Type", "application/json")
		}, false},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			want := do(p.plain, test.request())
			if test.vary {
				if want.header.Get("Vary") != "" {
					t.Fatal("the handler says Vary by itself")
				}
				want.header.Set("Vary", "Accept")
			}
			if diff := cmp.Diff(want.answer(), do(p.browse, test.request()).answer()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Who speaks like a browser but does not say where its form comes from is told
// what the handler tells everybody.
func TestFormWithoutOrigin(t *testing.T) {
	p := newPair(t, load(t, "{}"), httpapi.Options{Authorizer: httpapi.AllowAll})
	r := request("POST", "/api/events/", "name=x", "Content-Type", "application/x-www-form-urlencoded")
	if got := do(p.browse, r); got.status != 415 || !strings.Contains(got.text, "Unsupported media type") {
		t.Errorf("%d %s, want 415", got.status, got.text)
	}
}
