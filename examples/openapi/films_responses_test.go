package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
)

// TestFilmResponses provokes every response that the document lists for the films.
func TestFilmResponses(t *testing.T) { inVersions(t, checkFilmResponses) }

func checkFilmResponses(t *testing.T, opts openapi.Options) {
	handler := func(a httpapi.Authorizer) *httpapi.Handler {
		h, err := httpapi.New(filmHouse(t), httpapi.Options{Authorizer: a, ETags: true})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	panicking := func(*http.Request, string, schema.Actions) error { panic("authorizer") }
	open, closed, token, broken := handler(httpapi.AllowAll), handler(nil), handler(httpapi.Bearer("s3cret")), handler(panicking)
	d := describe(t, open, opts)

	const list, one, bad = "/api/films/", "/api/films/1/", "?status=bogus&minutes=x"
	const body = `{"title":"T","slug":"t","minutes":1,"price":"1.5","director":1}`
	many, long := "?"+strings.Repeat("x=1&", 1001), "?x="+strings.Repeat("x", 20000)
	html, text := http.Header{"Accept": {"text/html"}}, http.Header{"Content-Type": {"text/plain"}}
	known, stale := http.Header{"If-None-Match": {"*"}}, http.Header{"If-Match": {`"x"`}}
	// Responses common to the methods, which fail before the body is read.
	common := func(h http.Handler, method, want, query string, header http.Header) filmCase {
		return filmCase{h, want, request{method, one + query, "", header}}
	}
	cases := []filmCase{
		{open, "200", request{"GET", list, "", nil}},
		{open, "200", request{"GET", list + "?status__in=released&minutes__range=1,100", "", nil}},
		{open, "304", request{"GET", list, "", known}},
		{open, "400", request{"GET", list + bad, "", nil}},
		{open, "400", request{"GET", list + many, "", nil}},
		{open, "200", request{"GET", one, "", nil}},
		{open, "200", request{"GET", "/api/films/2/?status=released", "", nil}},
		{open, "304", request{"GET", one, "", known}},
		{open, "404", request{"GET", "/api/films/9/", "", nil}},
		{open, "404", request{"GET", one + "?status=released", "", nil}},
		{open, "201", request{"POST", list, body, nil}},
		{open, "400", request{"POST", list, `{"price":"x"}`, nil}},
		{open, "200", request{"PUT", one, strings.Replace(body, `"t"`, `"u"`, 1), nil}},
		{open, "400", request{"PUT", one, body, nil}}, // the slug is taken
		{open, "400", request{"PUT", one, `{`, nil}},
		{open, "200", request{"PATCH", one, `{"genres":[3],"rating":1}`, nil}},
		{open, "400", request{"PATCH", one, `{"genres":[9],"status":"x"}`, nil}},
		{open, "204", request{"DELETE", "/api/films/2/", "", nil}},
		{open, "409", request{"DELETE", "/api/directors/1/", "", nil}},
	}
	for _, method := range []string{"PUT", "PATCH"} {
		cases = append(cases,
			filmCase{open, "413", request{method, one, strings.Repeat(" ", 2<<20), nil}},
			filmCase{open, "415", request{method, one, "x", text}},
		)
	}
	for _, method := range []string{"PUT", "PATCH", "DELETE"} {
		cases = append(cases,
			common(token, method, "401", "", nil), common(closed, method, "403", "", nil), common(open, method, "404", "?genres=3&genres=3&search=zzz", nil),
			common(open, method, "400", bad, nil), common(broken, method, "default", "", nil), common(open, method, "412", "", stale),
		)
	}
	for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
		cases = append(cases,
			common(open, method, "406", "", html), common(open, method, "414", long, nil),
			common(open, method, "404", "?format=xml", nil), common(open, method, "400", many, nil),
		)
	}
	seen := d.checkFilms(cases)
	const path = "/api/films/{id}/"
	item, _ := d.at("paths", path)
	delete(item, "parameters")
	// No record refers to a film, a PUT to a catalogue has no conflicts, and a GET does not fail.
	rare := []string{"put 409", "patch 409", "delete 409", "get default"}
	for method := range item {
		responses, _ := d.at("paths", path, method, "responses")
		for status := range responses {
			if !seen[method+" "+path+" "+status] && !slices.Contains(rare, method+" "+status) {
				t.Errorf("%s: response %s is documented but not tested", method, status)
			}
		}
	}
}

// filmCase is a request and the name of its response in the document.
type filmCase struct {
	handler http.Handler
	want    string
	request request
}

// checkFilms compares answers with the document. It returns the responses that it saw.
func (d *document) checkFilms(cases []filmCase) (seen map[string]bool) {
	seen = map[string]bool{}
	for _, c := range cases {
		answer := c.request.do(c.handler)
		path := template(c.request.target)
		if listed := d.checkAt(path, c.request, answer); listed != c.want {
			d.t.Errorf("%s %.60s: response %s, want %s: %.300s", c.request.method, c.request.target, listed, c.want, answer.Body)
		}
		seen[strings.ToLower(c.request.method)+" "+path+" "+c.want] = true
	}
	return seen
}

// template returns the path of a target in the document.
func template(target string) string {
	path, _, _ := strings.Cut(target, "?")
	if parts := strings.Split(path, "/"); len(parts) == 5 {
		parts[3] = "{id}"
		return strings.Join(parts, "/")
	}
	return path
}
