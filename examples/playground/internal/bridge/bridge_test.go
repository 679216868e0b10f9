package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
	"github.com/gobacklist/backlist/resources"
)

// newBridge returns a Bridge to h and what it logs.
func newBridge(t *testing.T, h http.Handler, scope string) (*Bridge, *strings.Builder) {
	t.Helper()
	var logged strings.Builder
	b, err := New(h, scope, log.New(&logged, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	return b, &logged
}

// seenRequest is what a handler sees of a request.
type seenRequest struct {
	Method, Host, RequestURI, Path, EscapedPath, Query string
	Length                                             int64
	Header                                             http.Header
	Body                                               string
	Secure                                             bool
}

// echo responds with what it sees.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	for _, name := range []string{"Accept-Encoding", "Content-Length", "User-Agent"} { // of http.Client
		r.Header.Del(name)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(seenRequest{r.Method, r.Host, r.RequestURI, r.URL.Path, r.URL.EscapedPath(), r.URL.RawQuery,
		r.ContentLength, r.Header, string(body), r.TLS != nil})
}

// TestLikeServer compares the responses with those of a net/http.Server, whose handler is
// under http.StripPrefix.
func TestLikeServer(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", echo)
	mux.HandleFunc("/status/{code}/", func(w http.ResponseWriter, r *http.Request) {
		var code int
		fmt.Sscan(r.PathValue("code"), &code)
		w.Header().Set("Content-Type", "text/plain")
		w.Header()["X-Two"] = []string{"a", "b"}
		if code == http.StatusNotModified || code == http.StatusNoContent {
			w.Header().Del("Content-Type")
		}
		w.WriteHeader(http.StatusEarlyHints) // not the final one
		w.WriteHeader(code)
		w.WriteHeader(http.StatusTeapot) // superfluous
		w.Header().Set("X-Late", "true") // too late
		_, _ = io.WriteString(w, "text")
	})
	mux.HandleFunc("/silent/", func(http.ResponseWriter, *http.Request) {})
	server := httptest.NewUnstartedServer(http.StripPrefix("/my demo", mux))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // superfluous WriteHeader
	server.Start()
	defer server.Close()
	scope := server.URL + "/my%20demo/"
	b, _ := newBridge(t, mux, scope)
	for _, c := range []struct{ method, path, body, reason string }{
		{"GET", "api/", "", "a path"},
		{"GET", "", "", "the scope itself"},
		{"GET", "api/?a=%20b&c=%zz", "", "a query, also an invalid one"},
		{"GET", "a%20%C3%A9/", "", "an escaped path"},
		{"POST", "api/", "{}", "a body"},
		{"PATCH", "api/", "\x00\xff", "a body that is not text"},
		{"DELETE", "api/", "", "a method without a body"},
		{"patch", "api/", "", "a method in lower case"},
		{"HEAD", "status/200/", "", "no body"},
		{"HEAD", "silent/", "", "no body, and none written"},
		{"GET", "status/204/", "", "no content"},
		{"GET", "status/304/", "", "not modified"},
		{"GET", "status/404/", "", "an error"},
		{"POST", "status/599/", "x", "the highest status"},
		{"GET", "silent/", "", "a handler that writes nothing"},
	} {
		header := map[string]string{"X-Name": "value", "Accept": "*/*", "X-Latin": "caf\xe9"}
		want := serverResponse(t, c.method, scope+c.path, c.body, header)
		req := Request{Method: c.method, URL: scope + c.path + "#fragment", Body: []byte(c.body)}
		for name, value := range header {
			req.Headers = append(req.Headers, []string{strings.ToLower(name), fromBytes(value)})
		}
		got := b.Answer(t.Context(), req)
		got.Headers = without(got.Headers, "Content-Security-Policy")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s (%s):\n%s", c.method, c.path, c.reason, diff)
		}
	}
}

// TestWayBack checks that all pages of package browse have a link to the scope, where they can be in a
// frame, and that nothing else has.
func TestWayBack(t *testing.T) {
	cat, err := resources.New()
	if err != nil {
		t.Fatal(err)
	}
	handler, err := httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	pages, err := browse.New(handler, browse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.HandleFunc("/text/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, `<nav aria-label="Breadcrumb"><ol>`)
	})
	b, _ := newBridge(t, mux, "https://host.example/a%20&b/")
	const link = `<nav aria-label="Breadcrumb"><ol><li><a href="/a%20&amp;b/" target="_top">Playground</a></li>`
	for _, c := range []struct {
		method, path, accept string
		linked               bool
		reason               string
	}{
		{"GET", "api/", "text/html", true, "the root"},
		{"GET", "api/labels/", "text/html", true, "a list"},
		{"GET", "api/events/?_method=POST", "text/html", true, "a form"},
		{"GET", "api/none/", "text/html", true, "404"},
		{"GET", "none", "text/html", true, "404 of a path that is nowhere"},
		{"POST", "api/labels/", "text/html", true, "405"},
		{"GET", "api/labels/", "*/*", false, "JSON"},
		{"GET", "text/", "text/html", false, "not a page"},
	} {
		resp := b.Answer(t.Context(), Request{Method: c.method, URL: "https://host.example/a%20&b/" + c.path, Headers: [][]string{{"accept", c.accept}}})
		if got := strings.Count(string(resp.Body), link); got != map[bool]int{true: 1}[c.linked] {
			t.Errorf("%s %s (%s): %d links in %.3000s", c.method, c.path, c.reason, got, resp.Body)
		}
		for _, header := range resp.Headers {
			if header[0] == "X-Frame-Options" && (header[1] == "SAMEORIGIN") != c.linked || header[0] == "Content-Security-Policy" && strings.Contains(header[1], "frame-ancestors 'self'") != c.linked {
				t.Errorf("%s %s (%s): %s", c.method, c.path, c.reason, header)
			}
			if header[0] == "Content-Length" && header[1] != fmt.Sprint(len(resp.Body)) {
				t.Errorf("%s %s (%s): Content-Length %s, and %d bytes", c.method, c.path, c.reason, header[1], len(resp.Body))
			}
		}
	}
}

// serverResponse returns the response of a server, without its date.
func serverResponse(t *testing.T, method, target, body string, header map[string]string) Response {
	t.Helper()
	r, err := http.NewRequest(method, target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{header: resp.Header, head: method == "HEAD"}
	w.header.Del("Date")
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(data)
	want := w.response()
	want.Headers = without(want.Headers, "Content-Security-Policy")
	return want
}

func without(headers [][]string, name string) [][]string {
	var rest [][]string
	for _, pair := range headers {
		if pair[0] != name {
			rest = append(rest, pair)
		}
	}
	return rest
}

func TestSecure(t *testing.T) {
	b, _ := newBridge(t, http.HandlerFunc(echo), "https://x.example/")
	var got seenRequest
	if err := json.Unmarshal(b.Answer(t.Context(), Request{Method: "GET", URL: "https://x.example//a/"}).Body, &got); err != nil {
		t.Fatal(err)
	}
	want := seenRequest{Method: "GET", Host: "x.example", RequestURI: "//a/", Path: "//a/", EscapedPath: "//a/", Header: http.Header{}, Secure: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestCookies checks that cookies come back until they are removed, to the paths that they are for.
func TestCookies(t *testing.T) {
	b, _ := newBridge(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch c := (&http.Cookie{Name: "a", Value: "1", Path: "/x/v1/", HttpOnly: true, Secure: true}); r.URL.Path {
		case "/v1/set":
			http.SetCookie(w, c)
		case "/v1/remove":
			c.MaxAge = -1
			http.SetCookie(w, c)
		}
		_, _ = io.WriteString(w, r.Header.Get("Cookie"))
	}), "https://host.example/x/")
	for _, step := range []struct{ path, cookie, reason string }{
		{"v1/", "", "none is set"}, {"v1/set", "", "it is set now"}, {"v1/films/?a=b", "a=1", "it is sent"}, {"api/", "", "another path"},
		{"v1/remove", "a=1", "it is sent, and removed"}, {"v1/", "", "none is left"},
	} {
		if got := b.Answer(t.Context(), Request{Method: "GET", URL: "https://host.example/x/" + step.path}); string(got.Body) != step.cookie {
			t.Errorf("%s: %q, want %q", step.reason, got.Body, step.cookie)
		}
	}
}

// TestRefused checks requests that are not passed on, and responses that browsers refuse.
func TestRefused(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/panic":
			_, _ = io.WriteString(w, "half")
			panic("secret")
		case "/abort":
			panic(http.ErrAbortHandler)
		case "/999":
			w.WriteHeader(999)
		}
	})
	b, logged := newBridge(t, handler, "http://127.0.0.1/x/")
	for _, c := range []struct {
		method, url, reason string
		status              int
	}{
		{"GET", "http://127.0.0.1/x/panic", "a panic after a part of the body", 500},
		{"GET", "http://127.0.0.1/x/abort", "an aborted response", 500},
		{"GET", "http://127.0.0.1/x/999", "a status that a browser refuses", 500},
		{"GET", "http://127.0.0.1/x/%zz", "a path that is not valid", 400},
		{"", "http://127.0.0.1/x/", "no method", 400},
		{"GET", "http://127.0.0.1/", "outside the scope", 404},
		{"GET", "http://127.0.0.1.example/x/", "another host", 404},
		{"GET", "", "no URL", 404},
	} {
		got := b.Answer(t.Context(), Request{Method: c.method, URL: c.url})
		want := failure(c.status)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s (%s):\n%s", c.method, c.url, c.reason, diff)
		}
	}
	if got := logged.String(); !strings.Contains(got, "GET /x/panic: panic: secret\n") || !strings.Contains(got, "bridge_test.go:") {
		t.Errorf("logged %q, want the panic with its stack", got)
	}
	if got, want := string(failure(500).Body), `{"detail":"Internal Server Error."}`; got != want {
		t.Errorf("body = %s, want %s", got, want)
	}
}

func TestInvalidScope(t *testing.T) {
	for _, scope := range []string{"", "/demo/", "file:///demo/", "http://x.example", "http://x.example/demo", "http://x.example/?a/", "http://x.example/#/", "http:///", "http://x.example/%zz/"} {
		if b, err := New(http.NotFoundHandler(), scope, log.Default()); err == nil {
			t.Errorf("New accepted the scope %q: %+v", scope, b)
		}
	}
}

// TestHeaderValues checks values that a browser would refuse, or that it cannot have sent.
func TestHeaderValues(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Lines", "a\r\nb\x00c")
		w.Header().Set("X-Utf8", "é")
		w.Header()["Vary"] = []string{"Origin", "Accept"}
		w.Header().Set("X-Sent", r.Header.Get("X-Sent"))
		w.Header().Set("Content-Security-Policy", "default-src 'self'")
	})
	b, _ := newBridge(t, handler, "http://127.0.0.1/")
	req := Request{Method: "GET", URL: "http://127.0.0.1/", Headers: [][]string{{"x-sent", "é長"}, {"x-sent"}, nil}}
	got := without(b.Answer(t.Context(), req).Headers, "Content-Length")
	want := [][]string{{"Content-Security-Policy", "default-src 'self'"}, {"Vary", "Origin, Accept"}, {"X-Lines", "a  b c"}, {"X-Sent", "é?"}, {"X-Utf8", "Ã©"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestConcurrent checks that a request that waits does not delay others.
func TestConcurrent(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	b, _ := newBridge(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			close(arrived)
			<-release
		}
		fmt.Fprint(w, r.URL.Path)
	}), "http://127.0.0.1/")
	waiting := make(chan Response)
	go func() {
		waiting <- b.Answer(context.Background(), Request{Method: "GET", URL: "http://127.0.0.1/wait"})
	}()
	<-arrived
	if got := b.Answer(t.Context(), Request{Method: "GET", URL: "http://127.0.0.1/now"}); string(got.Body) != "/now" {
		t.Errorf("response = %q", got.Body)
	}
	close(release)
	if got := <-waiting; string(got.Body) != "/wait" {
		t.Errorf("response of the request that waited = %q", got.Body)
	}
}

// FuzzAnswer checks that no request causes a panic outside the handler.
func FuzzAnswer(f *testing.F) {
	f.Add("GET", "api/?a=b#c", "x-name", "value", []byte("body"))
	f.Add("POST", "//%2F\x00", "", "\r\n", []byte(nil))
	f.Fuzz(func(t *testing.T, method, path, name, value string, body []byte) {
		b, logged := newBridge(t, http.HandlerFunc(echo), "http://127.0.0.1/x/")
		got := b.Answer(t.Context(), Request{Method: method, URL: "http://127.0.0.1/x/" + path, Headers: [][]string{{name, value}}, Body: body})
		if logged.Len() > 0 {
			t.Errorf("logged %s", logged)
		}
		rest, _, _ := strings.Cut(path, "#")
		if _, err := url.ParseRequestURI("/" + rest); (got.Status == 200) != (err == nil && method != "") {
			t.Errorf("status = %d, and the URL has %v", got.Status, err)
		}
	})
}
