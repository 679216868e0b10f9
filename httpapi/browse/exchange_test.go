package browse

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
)

// The page shows the body of the response, folded if it is long.
func TestResponseBody(t *testing.T) {
	h := newHandlers(t, load(t, books(300)), httpapi.Options{})
	own := newHouse().handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	tests := []struct {
		reason  string
		handler http.Handler
		request *http.Request
		want    string // part of the body
		folded  bool
		open    bool // the folded body is unfolded
	}{
		{"short list", h.browse, request("GET", "/api/books/?limit=2", ""), `"count": 300, "next": "http://host.example/api/books/?limit=2&offset=2"`, false, false},
		{"long list", h.browse, request("GET", "/api/books/?limit=300", ""), `"id": 300`, true, false},
		{"many lines", h.browse, request("GET", "/api/books/?limit=9", ""), `"id": 9`, true, false},
		{"root", h.browse, request("GET", "/api/", ""), `"faqs": "http://host.example/api/faqs/?format=api"`, true, false},
		{"record", own, request("GET", "/api/films/1/", ""), `"extra": { "k": [ 1 ] }`, false, false},
		{"error", h.browse, request("GET", "/api/x/", ""), `{ "detail": "Not found." }`, false, false},
		{"errors of filters", own, request("GET", "/api/films/?status=bogus", ""), `{ "status": [ "Not <bogus>." ] }`, false, false},
		{"nothing else to show", own, request("OPTIONS", "/api/films/", ""), `"name": "Film List"`, true, true},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := do(test.handler, test.request)
			_, shown, _ := strings.Cut(got.text, "Request and response")
			if !strings.Contains(shown, test.want) {
				t.Errorf("the page does not show %s:\n%s", test.want, shown)
			}
			folded := got.find("details", "class", "body")
			if (len(folded) == 1) != test.folded {
				t.Fatalf("%d folded bodies: %.300s", len(folded), shown)
			}
			if !test.folded {
				return
			}
			if _, open := folded[0].attrs["open"]; open != test.open {
				t.Errorf("the body is open: %t", open)
			}
			_, rest, _ := strings.Cut(shown, "Content-Length: ")
			length, _, _ := strings.Cut(rest, " ")
			if !strings.Contains(strings.ReplaceAll(shown, ",", ""), "Body "+length+" bytes") {
				t.Errorf("the length of the body is not %s: %.300s", length, shown)
			}
		})
	}
}

// The page after a form shows the request that the handler was sent.
func TestSentRequest(t *testing.T) {
	mux := http.NewServeMux()
	if err := httpapi.Mount(mux, "/shop", newHouse().handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})); err != nil {
		t.Fatal(err)
	}
	shelf := newHouse()
	shelf.films.refuse = http.ErrBodyNotAllowed
	failing := shelf.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	tests := []struct {
		reason  string
		handler http.Handler
		request *http.Request
		want    string
	}{
		{"GET with a prefix", mux, request("GET", "/shop/api/films/?limit=1", ""), "Request and response GET /shop/api/films/?limit=1 HTTP 200 OK"},
		{"a new record", failing, formRequest("/api/films/?format=api", "title=%3Cb%3E&minutes=7"),
			`POST /api/films/?format=api Content-Type: application/json { "title": "\u003cb\u003e", "minutes": 7, "published": false } HTTP 500`},
		{"a change", failing, formRequest("/api/films/1/?format=api&_method=PATCH", "title=x"), `PATCH /api/films/1/ Content-Type: application/json { "title": "x", "published": false }`},
		{"a deletion", failing, formRequest("/api/films/1/?_method=DELETE", ""), "DELETE /api/films/1/ HTTP 500"},
		{"the handler is not asked", failing, formRequest("/api/films/?format=api", "title=%zz"), "POST /api/films/?format=api HTTP 400"},
	}
	for _, test := range tests {
		got := do(test.handler, test.request)
		if !strings.Contains(got.text, test.want) {
			_, shown, _ := strings.Cut(got.text, "Request and response")
			t.Errorf("%s: the page does not show %q:\n%s", test.reason, test.want, shown)
		}
	}
}

// A body is shown as text, whatever it contains.
func TestHostileBody(t *testing.T) {
	const attack = "</pre></details><script>alert(1)</script>&lt;\x00\"'"
	for _, body := range []string{attack, `{"count":1,"next":null,"previous":null,"results":[{"id":1,"a":"</pre><script>&lt;"}]}`, `{"detail":"</pre><script>"}`} {
		for _, status := range []int{200, 404} {
			h := around(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				w.Write([]byte(body))
			})
			for _, target := range []string{"/api/", "/api/books/"} {
				got := get(h, target)
				if len(got.find("script", "", "")) > 0 || len(got.find("pre", "", "")) != len(got.find("/pre", "", "")) || strings.Contains(got.body, "\x00") {
					t.Errorf("GET %s of %q is\n%s", target, body, got.body)
				}
				if !strings.Contains(got.text, "</pre>") {
					t.Errorf("GET %s of %q does not show the body", target, body)
				}
			}
		}
	}
}
