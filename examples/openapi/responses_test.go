package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// check compares an answer with the documented response, whose name it returns: a status,
// a class such as 4XX, or default.
func (d *parsedDocument) check(r request, answer *httptest.ResponseRecorder) (listed string) {
	d.t.Helper()
	names := []string{"paths", r.path(), strings.ToLower(r.method), "responses"}
	all, _ := d.at(names...)
	for _, listed = range []string{fmt.Sprint(answer.Code), fmt.Sprintf("%dXX", answer.Code/100), "default"} {
		if all[listed] != nil {
			break
		}
	}
	response, pointer := d.at(append(names, listed)...)
	if response["content"] == nil {
		if answer.Body.Len() > 0 {
			d.t.Errorf("%s %.60s: undocumented body: %s", r.method, r.target, answer.Body)
		}
		return listed
	}
	if err := d.valid(pointer+"/content/application~1json/schema", parse(d.t, answer.Body.Bytes())); err != nil {
		d.t.Errorf("%s %.60s: %d: %v in %.500s", r.method, r.target, answer.Code, err, answer.Body)
	}
	headers, _ := response["headers"].(map[string]any)
	for name := range headers {
		if answer.Header().Get(name) == "" {
			d.t.Errorf("%s %.60s: %d has no header %s", r.method, r.target, answer.Code, name)
		}
	}
	return listed
}

// TestPages validates all records of all collections, on pages and alone.
func TestPages(t *testing.T) {
	c := newService(t, manuscriptDefinition)
	putManuscripts(t, c)
	insert(t, c, filmDefinition, FilmRecord{Film: Film{Status: "announced", Director: 1}}) // with nil lists
	h := newHandler(t, c, httpapi.Options{Pages: pagination.Limits{Max: -1}})
	d := describe(t, h)
	want, targets := []string{"/api/"}, []string{"/api/"}
	for _, served := range h.Served().Collections {
		path := served.Path
		want = append(want, path)
		targets = append(targets, path, path+"?limit=100000", path+"?limit=2&offset=3")
		if served.Collection.Description().Actions.Has(schema.Retrieve) {
			want = append(want, path+"{id}/")
			targets = append(targets, path+"1/", path+"2/")
		}
	}
	described, _ := d.at("paths")
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(maps.Keys(described))); diff != "" {
		t.Errorf("paths (-served +described):\n%s", diff)
	}
	for _, target := range targets {
		r := request{method: "GET", target: target}
		if listed := d.check(r, r.do(h)); listed != "200" {
			t.Errorf("GET %s is answered with response %s, want 200", target, listed)
		}
	}
}

// TestResponses provokes every response that the document lists for a collection without
// paths of records, and for one with them.
func TestResponses(t *testing.T) {
	c := newService(t)
	handler := func(a httpapi.Authorizer) *httpapi.Handler {
		return newHandler(t, c, httpapi.Options{Authorizer: a, ETags: true})
	}
	open, closed, token := handler(httpapi.AllowAll), handler(nil), handler(httpapi.Bearer("s3cret"))
	panicking := func(*http.Request, string, schema.Actions) error { panic("authorizer") }
	broken := newHandler(t, c, httpapi.Options{Authorizer: panicking, AuthorizeReads: true, ETags: true})
	d := describe(t, open)
	seen := map[string]bool{}
	check := func(h http.Handler, want string, r request) {
		t.Helper()
		answer := r.do(h)
		if listed := d.check(r, answer); listed != want {
			t.Errorf("%s %.60s: response %s, want %s: %.300s", r.method, r.target, listed, want, answer.Body)
		}
		seen[strings.ToLower(r.method)+" "+r.path()+" "+want] = true
	}

	const events, films, one = "/api/events/", "/api/films/", "/api/films/1/"
	long, many := "?x="+strings.Repeat("x", 20000), "?"+strings.Repeat("x=1&", 1001)
	html, text := http.Header{"Accept": {"text/html"}}, http.Header{"Content-Type": {"text/plain"}}
	known, stale := http.Header{"If-None-Match": {"*"}}, http.Header{"If-Match": {`"x"`}}

	// Failures that do not depend on the body.
	for method, paths := range map[string][]string{
		"GET": {events, films, one}, "POST": {events, films}, "PUT": {one}, "PATCH": {one}, "DELETE": {one},
	} {
		for _, path := range paths {
			check(open, "404", request{method, path + "?format=xml", "", nil})
			check(open, "default", request{method, path, "", html})
			check(open, "default", request{method, path + long, "", nil})
			check(broken, "default", request{method, path, "", nil})
			if method != "POST" {
				check(open, "400", request{method, path + many, "", nil})
			}
			if method != "GET" {
				check(token, "401", request{method, path, "", nil})
				check(closed, "403", request{method, path, "", nil})
			}
			if method == "GET" {
				check(open, "304", request{method, path, "", known})
			}
			if path == one {
				check(open, "404", request{method, path + "?awards=3&awards=3&search=zzz", "", nil})
				check(open, "404", request{method, "/api/films/99/", "{}", nil})
			}
			if path == one && method != "GET" {
				check(open, "412", request{method, path, "{}", stale})
			}
			if method == "GET" || method == "DELETE" {
				continue
			}
			check(open, "400", request{method, path, `{"`, nil})
			check(open, "400", request{method, path, `[]`, nil})
			check(open, "400", request{method, path, strings.Repeat("[", 300), nil})
			check(open, "default", request{method, path, strings.Repeat(" ", 2<<20), nil})
			check(open, "default", request{method, path, "x", text})
		}
	}
	for _, c := range []struct{ want, method, target, body string }{
		{"200", "GET", events, ""},
		{"200", "GET", films, ""},
		{"200", "GET", films + "?status__in=released&minutes__range=1,100", ""},
		{"400", "GET", films + "?status=bogus&minutes=x", ""},
		{"200", "GET", one, ""},
		{"200", "GET", one + "?status=released", ""},
		{"404", "GET", one + "?status=withdrawn", ""},
		{"201", "POST", events, newEvent},
		{"400", "POST", events, `{"name":null,"labels":[999999]}`},
		{"201", "POST", films, newFilm},
		{"400", "POST", films, newFilm}, // the slug is taken
		{"400", "POST", films, `{"price":"x"}`},
		{"200", "PUT", one, strings.Replace(newFilm, `"new"`, `"other"`, 1)},
		{"400", "PUT", one, newFilm},
		{"200", "PATCH", one, `{"awards":[3],"rating":1}`},
		{"400", "PATCH", one, `{"awards":[99],"status":"x"}`},
		{"204", "DELETE", "/api/films/3/", ""},
		{"409", "DELETE", "/api/directors/2/", ""},
	} {
		check(open, c.want, request{c.method, c.target, c.body, nil})
	}
	// No record refers to a film, and a PUT to a catalogue has no conflicts.
	seen["put /api/films/{id}/ 409"], seen["patch /api/films/{id}/ 409"], seen["delete /api/films/{id}/ 409"] = true, true, true
	for _, path := range []string{events, films, films + "{id}/"} {
		item, _ := d.at("paths", path)
		for method := range item {
			if method == "parameters" {
				continue
			}
			responses, _ := d.at("paths", path, method, "responses")
			for status := range responses {
				if !seen[method+" "+path+" "+status] {
					t.Errorf("%s %s: response %s is documented but not tested", method, path, status)
				}
			}
		}
	}
}

// TestMethods compares the documented methods of all paths with those that are answered.
// HEAD and OPTIONS, which are always answered, are not documented.
func TestMethods(t *testing.T) {
	h := newHandler(t, newService(t), httpapi.Options{Authorizer: httpapi.AllowAll})
	d := describe(t, h)
	_, refused := d.at("components", "schemas", "Detail") // a 405 is never the answer to a documented request
	paths, _ := d.at("paths")
	for path := range paths {
		item, _ := d.at("paths", path)
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} {
			answer := request{method: method, target: strings.Replace(path, "{id}", "1", 1)}.do(h)
			_, listed := item[strings.ToLower(method)]
			if allowed := answer.Code != http.StatusMethodNotAllowed; allowed != listed {
				t.Errorf("%s %s = %d, documented: %v", method, path, answer.Code, listed)
			} else if !allowed {
				if err := d.valid(refused, parse(t, answer.Body.Bytes())); err != nil {
					t.Errorf("%s %s: %v", method, path, err)
				}
			}
		}
	}
}

// TestOptionalMembers checks members that the document lets be absent or null: each is
// absent or null in some record and present in another. TestPages checks the rest.
func TestOptionalMembers(t *testing.T) {
	c := newService(t, manuscriptDefinition)
	putManuscripts(t, c)
	putOptional(t, c)
	h := newHandler(t, c, httpapi.Options{Pages: pagination.Limits{Max: -1}})
	d := describe(t, h)
	for record, path := range map[string]string{
		"Film": "/api/films/", "Manuscript": "/api/manuscripts/", "Label": "/api/labels/", "SocialLink": "/api/social-links/",
	} {
		page := parse(t, request{method: "GET", target: path + "?limit=100000"}.do(h).Body.Bytes()).(map[string]any)
		schema, _ := d.at("components", "schemas", record)
		for name := range schema["properties"].(map[string]any) {
			property, pointer := d.at("components", "schemas", record, "properties", name)
			required := slices.Contains(schema["required"].([]any), any(name))
			nullable := len(property) > 0 && d.valid(pointer, nil) == nil
			var present, absent, null int
			for _, r := range page["results"].([]any) {
				value, ok := r.(map[string]any)[name]
				switch {
				case !ok:
					absent++
				case value == nil:
					null++
				default:
					present++
				}
			}
			anything := d.valid(pointer, nil) == nil && d.valid(pointer, false) == nil
			if present == 0 && !anything || required == (absent > 0) || !anything && nullable != (null > 0) {
				t.Errorf("%s.%s: required = %v, nullable = %v, but present in %d records, null in %d, absent in %d",
					record, name, required, nullable, present, null, absent)
			}
		}
	}
}
