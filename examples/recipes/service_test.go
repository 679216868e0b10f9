package recipes

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

type film struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

const films = 12

// newHandler returns a handler of 12 films that permits all writes.
func newHandler(t *testing.T, opts httpapi.Options) *httpapi.Handler {
	t.Helper()
	cat, err := catalogue.New(catalogue.Define[film]("films", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	var records []string
	for id := range films {
		records = append(records, fmt.Sprintf(`{"id":%d,"name":"film %[1]d %s"}`, id+1, strings.Repeat("long ", 300)))
	}
	if err := cat.Load(strings.NewReader(`{"films":[`+strings.Join(records, ",")+"]}"), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	opts.Authorizer, opts.ETags = httpapi.AllowAll, true
	h, err := httpapi.New(cat, opts)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// service is a running server whose root is at url.
type service struct {
	t   *testing.T
	url string // with the prefix and /api/
}

// answer is a response whose body has been read.
type answer struct {
	*http.Response
	body string
}

// serve runs h until the test ends. The root is at prefix + /api/.
func serve(t *testing.T, h http.Handler, prefix string) service {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return service{t, server.URL + prefix + "/api/"}
}

// do sends a request, with more headers as names and values, and follows no redirect. A
// target may be absolute.
func (s service) do(method, target, body string, headers ...string) answer {
	s.t.Helper()
	if !strings.HasPrefix(target, "http") {
		target = s.url + target
	}
	r, err := http.NewRequest(method, target, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer w.Body.Close()
	text, err := io.ReadAll(w.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer{w, string(text)}
}

// check checks the whole service: pages, links, errors, methods, redirects and writes.
func check(t *testing.T, h http.Handler, prefix string) {
	t.Helper()
	s := serve(t, h, prefix)
	s.checkPages()
	s.checkResponses()
	s.checkRedirects(prefix)
	s.checkWrites()
}

// checkPages reads all pages, from the links of the root on.
func (s service) checkPages() {
	var root map[string]string
	if err := json.Unmarshal([]byte(s.do("GET", "", "").body), &root); err != nil || root["films"] != s.url+"films/" {
		s.t.Fatalf("root: %v, %v", root, err)
	}
	next, seen := root["films"]+"?limit=5&x=%20a", 0
	for next != "" {
		if !strings.HasPrefix(next, s.url) {
			s.t.Fatalf("link %s does not begin with %s", next, s.url)
		}
		var page struct {
			Count   int
			Next    string
			Results []film
		}
		got := s.do("GET", next, "")
		if err := json.Unmarshal([]byte(got.body), &page); err != nil || got.StatusCode != 200 || page.Count != films {
			s.t.Fatalf("%s: %d %s (%v)", next, got.StatusCode, got.body, err)
		}
		for _, f := range page.Results {
			if seen++; f.ID != seen {
				s.t.Errorf("%s: film %d, want %d", next, f.ID, seen)
			}
		}
		next = page.Next
	}
	if seen != films {
		s.t.Errorf("%d films, want %d", seen, films)
	}
}

const (
	listMethods   = "GET, POST, HEAD, OPTIONS"
	recordMethods = "GET, PUT, PATCH, DELETE, HEAD, OPTIONS"
)

// checkResponses checks that statuses and headers arrive unchanged.
func (s service) checkResponses() {
	for _, test := range []struct {
		method, target string
		status         int
		allow          string
		body           string // its beginning
	}{
		{"GET", "films/1/", 200, recordMethods, `{"id":1,"name":"film 1`},
		{"GET", "films/%31/", 200, recordMethods, `{"id":1,"name":"film 1`},
		{"GET", "nope/", 404, "", `{"detail":"Not found."}`},
		{"GET", "films/99/", 404, recordMethods, `{"detail":"Not found."}`},
		{"GET", "films/?format=xml", 404, listMethods, `{"detail":"Not found."}`},
		{"DELETE", "films/", 405, listMethods, `{"detail":"Method \"DELETE\" not allowed."}`},
		{"POST", "films/1/", 405, recordMethods, `{"detail":"Method \"POST\" not allowed."}`},
		{"OPTIONS", "films/", 200, listMethods, `{"name":"Film List"`},
		{"OPTIONS", "", 200, "GET, HEAD, OPTIONS", `{"name":"Api Root"`},
	} {
		got := s.do(test.method, test.target, "")
		if got.StatusCode != test.status || got.Header.Get("Allow") != test.allow || !strings.HasPrefix(got.body, test.body) {
			s.t.Errorf("%s %s: %d, Allow %q, %.60s; want %d, %q, %s", test.method, test.target, got.StatusCode, got.Header.Get("Allow"), got.body, test.status, test.allow, test.body)
		}
		if got.Header.Get("Content-Type") != "application/json" || got.Header.Get("X-Content-Type-Options") != "nosniff" {
			s.t.Errorf("%s %s: %v", test.method, test.target, got.Header)
		}
	}
	get, head := s.do("GET", "films/?limit=3", "", "Accept-Encoding", "identity"), s.do("HEAD", "films/?limit=3", "", "Accept-Encoding", "identity")
	if head.StatusCode != 200 || head.body != "" || head.ContentLength != int64(len(get.body)) || head.Header.Get("ETag") != get.Header.Get("ETag") {
		s.t.Errorf("HEAD: %d with %d bytes and %v, want the headers %v", head.StatusCode, len(head.body), head.Header, get.Header)
	}
	if got := s.do("GET", "films/?limit=3", "", "If-None-Match", get.Header.Get("ETag")); got.StatusCode != 304 || got.body != "" {
		s.t.Errorf("If-None-Match: %d %s, want 304", got.StatusCode, got.body)
	}
}

// checkRedirects checks paths without a trailing slash.
func (s service) checkRedirects(prefix string) {
	for method, status := range map[string]int{"GET": 301, "HEAD": 301, "POST": 308} {
		for target, want := range map[string]string{"films?x=1": "films/?x=1", "../api": ""} {
			target = strings.Replace(s.url+target, "/api/../api", "/api", 1)
			got := s.do(method, target, "{}")
			if location := got.Header.Get("Location"); got.StatusCode != status || location != prefix+"/api/"+want {
				s.t.Errorf("%s %s: %d, Location %q; want %d, %q", method, target, got.StatusCode, location, status, prefix+"/api/"+want)
			}
		}
	}
}

// checkWrites creates, changes and deletes a film.
func (s service) checkWrites() {
	const path, failed = "films/13/", `{"detail":"Precondition failed: no entity tag in If-Match is current."}`
	created := s.do("POST", "films/", `{"name":"new"}`)
	tag := created.Header.Get("ETag")
	if created.StatusCode != 201 || created.body != `{"id":13,"name":"new"}` || created.Header.Get("Location") != "" || tag == "" {
		s.t.Fatalf("POST: %d %v %s", created.StatusCode, created.Header, created.body)
	}
	for _, test := range []struct {
		method, target, body, match string
		status                      int
		want                        string
	}{
		{"POST", "films/", `{}`, "*", 400, `{"name":["This field is required."]}`},
		{"GET", path, "", tag, 200, `{"id":13,"name":"new"}`},
		{"PATCH", path, `{"name":"changed"}`, `"x"`, 412, failed},
		{"PATCH", path, `{"name":"changed"}`, tag, 200, `{"id":13,"name":"changed"}`},
		{"PUT", path, `{"name":"put"}`, tag, 412, failed},
		{"DELETE", path, "", "*", 204, ""},
		{"GET", path, "", "*", 404, `{"detail":"Not found."}`},
	} {
		got := s.do(test.method, test.target, test.body, "If-Match", test.match)
		if got.StatusCode != test.status || got.body != test.want {
			s.t.Errorf("%s %s %s: %d %s, want %d %s", test.method, test.target, test.body, got.StatusCode, got.body, test.status, test.want)
		}
	}
}
