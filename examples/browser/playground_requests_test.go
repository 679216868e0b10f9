package browser

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
)

// answer is a response as a script sees it.
type answer struct {
	URL    string            `json:"url"` // after redirects
	Status int               `json:"status"`
	Header map[string]string `json:"header"` // names in lower case
	Body   string            `json:"body"`
}

// send sends a request by the script of a page.
func (p *tab) send(url, method, body string, header map[string]string) answer {
	p.t.Helper()
	if header == nil {
		header = map[string]string{"Content-Type": "application/json"}
	}
	init := map[string]any{"method": method, "headers": header, "cache": "no-store"}
	if body != "" {
		init["body"] = body
	}
	arguments, err := json.Marshal([]any{url, init})
	if err != nil {
		p.t.Fatal(err)
	}
	return script[answer](p, fmt.Sprintf(`let r
		try { r = await fetch(...%s) } catch (error) { return {body: String(error)} }
		return {url: r.url, status: r.status, header: Object.fromEntries(r.headers), body: await r.text()}`, arguments))
}

// compareWithServer sends requests to the worker, and to the handler in this process under
// the same path. The responses must be the same.
func compareWithServer(t *testing.T, p *tab, root string) {
	handler, err := httpapi.New(sampleHouse(t), httpapi.Options{Authorizer: httpapi.AllowAll, ETags: true})
	if err != nil {
		t.Fatal(err)
	}
	pages, err := browse.New(handler, browse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := http.StripPrefix("/playground", pages)
	tagLine := regexp.MustCompile(`(?m)^Etag: .*\n`) // in pages
	event := `{"name":"Größe 長","slug":"new","startDate":"2026-05-10T18:00+02:00","endDate":"2026-05-10T20:00+02:00","labels":[1]}`
	for _, c := range []struct {
		method, path, body string
		header             map[string]string
		reason             string
	}{
		{"GET", "api/", "", nil, "links have the prefix"},
		{"GET", "api/events/?ordering=-start_date&offset=42", "", nil, "an ordering and an offset"},
		{"GET", "api/events/?limit=2&x=%C3%A9&y=a+b&z=%zz", "", nil, "links keep parameters"},
		{"GET", "api/events/?limit=300", "", nil, "a long page"},
		{"GET", "api/events/?limit=1", "", map[string]string{"Accept": "application/json; indent=4"}, "indentation"},
		{"GET", "api/labels/", "", map[string]string{"Accept": "text/html"}, "a page"},
		{"GET", "api/labels/", "", map[string]string{"Accept": "image/png"}, "406"},
		{"GET", "api/none/", "", nil, "404"},
		{"GET", "api//events/", "", nil, "404, since the handler does not clean paths"},
		{"GET", "api/%zz/", "", nil, "a path that is not valid"},
		{"GET", "api/events/?" + strings.Repeat("x", 20_000), "", nil, "414"},
		{"HEAD", "api/events/", "", nil, "no body, with its length"},
		{"OPTIONS", "api/events/", "", nil, "the metadata"},
		{"GET", "api/events/", "", map[string]string{"If-None-Match": "*"}, "304"},
		{"GET", "api/events?limit=3", "", nil, "301"},
		{"POST", "api/events", event, nil, "308, after which the body is sent again"},
		{"POST", "api/events/", event, nil, "201"},
		{"POST", "api/events/", `{"name":1}`, nil, "400 with the fields"},
		{"POST", "api/events/", `{`, nil, "400 for the syntax"},
		{"POST", "api/events/", "", nil, "no body"},
		{"POST", "api/events/", `{}`, map[string]string{"Content-Type": "text/plain"}, "415"},
		{"POST", "api/events/", strings.Repeat(" ", 5<<20) + "{}", nil, "413 for a body that is not copied"},
		{"PUT", "api/events/", `{}`, nil, "405"},
		{"DELETE", "api/events/1/", "", nil, "404, since events have no paths"},
		{"PATCH", "api/events/", `{}`, nil, "405"},
	} {
		if c.header == nil {
			c.header = map[string]string{"Content-Type": "application/json"}
		}
		got, want := p.send(root+c.path, c.method, c.body, c.header), reference(t, server, c.method, root+c.path, c.body, c.header)
		for _, name := range []string{"etag", "content-security-policy"} { // keys differ; the bridge adds a policy
			delete(got.Header, name)
			delete(want.Header, name)
		}
		got.Body, want.Body = tookLine.ReplaceAllString(got.Body, ""), tookLine.ReplaceAllString(want.Body, "")
		if tagLine.MatchString(got.Body) { // in a page, also its length depends on the key
			delete(got.Header, "content-length")
			delete(want.Header, "content-length")
		}
		got.Body, want.Body = tagLine.ReplaceAllString(got.Body, ""), tagLine.ReplaceAllString(want.Body, "")
		if back := `<li><a href="/playground/" target="_top">Playground</a></li>`; strings.Contains(got.Body, back) { // a page
			got.Body = strings.Replace(got.Body, back, "", 1)
			for _, name := range []string{"content-length", "x-frame-options"} { // the start page has it in a frame
				delete(got.Header, name)
				delete(want.Header, name)
			}
		}
		if got.Status != want.Status || got.Body != want.Body || got.URL != want.URL || !maps.Equal(got.Header, want.Header) {
			t.Errorf("%s %.60s (%s):\n got %d %s %v %.300s\nwant %d %s %v %.300s", c.method, c.path, c.reason,
				got.Status, got.URL, got.Header, got.Body, want.Status, want.URL, want.Header, want.Body)
		}
	}
}

// tookLine is the line of a page with the time of the answer.
var tookLine = regexp.MustCompile(`<p class="lead took"[^\n]*`)

// reference returns the response of a server in this process. It follows redirects.
func reference(t *testing.T, server http.Handler, method, target, body string, header map[string]string) answer {
	t.Helper()
	r, err := http.NewRequest(method, target, strings.NewReader(body))
	if err != nil { // a path that is not valid, which net/http refuses before any handler
		return answer{URL: target, Status: 400, Body: `{"detail":"Bad Request."}`, Header: map[string]string{
			"content-type": "application/json", "x-content-type-options": "nosniff", "content-length": "25",
		}}
	}
	r.RequestURI = r.URL.RequestURI()
	r.Header.Set("Accept", "*/*")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	if location := w.Header().Get("Location"); location != "" {
		next, err := r.URL.Parse(location)
		if err != nil {
			t.Fatal(err)
		}
		return reference(t, server, method, next.String(), body, header)
	}
	got := answer{URL: target, Status: w.Code, Body: w.Body.String(), Header: make(map[string]string)}
	for name, values := range w.Header() {
		got.Header[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return got
}
