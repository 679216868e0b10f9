package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

const event = `{"name":"A reading","slug":"reading","startDate":"2026-05-10T18:00:00+02:00","endDate":"2026-05-10T20:00:00Z"}`

// request is a request to a handler.
type request struct {
	method, target, body string
	header               http.Header
}

func (r request) do(h http.Handler) *httptest.ResponseRecorder {
	in := httptest.NewRequest(r.method, r.target, strings.NewReader(r.body))
	if r.body != "" {
		in.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(in.Header, r.header)
	out := httptest.NewRecorder()
	h.ServeHTTP(out, in)
	return out
}

// response returns the documented response for a status, or the default response.
// listed is its name in the document.
func (d *document) response(method, path string, status int) (response map[string]any, listed, pointer string) {
	d.t.Helper()
	names := []string{"paths", path, strings.ToLower(method), "responses"}
	all, _ := d.at(names...)
	for _, listed = range []string{fmt.Sprint(status), fmt.Sprintf("%dXX", status/100), "default"} {
		if all[listed] != nil {
			break
		}
	}
	response, pointer = d.at(append(names, listed)...)
	return response, listed, pointer
}

// check compares an answer with the documented response, whose name it returns.
func (d *document) check(r request, answer *httptest.ResponseRecorder) (listed string) {
	d.t.Helper()
	path, _, _ := strings.Cut(r.target, "?")
	return d.checkAt(path, r, answer)
}

// checkAt is like check for a path of the document.
func (d *document) checkAt(path string, r request, answer *httptest.ResponseRecorder) (listed string) {
	d.t.Helper()
	response, listed, pointer := d.response(r.method, path, answer.Code)
	if response["content"] == nil {
		if answer.Body.Len() > 0 {
			d.t.Errorf("%s %.60s: undocumented body: %s", r.method, r.target, answer.Body)
		}
		return listed
	}
	if err := d.schema(pointer + "/content/application~1json/schema").Validate(parse(d.t, answer.Body.Bytes())); err != nil {
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

// TestPages validates all records of all collections of two catalogues.
func TestPages(t *testing.T) { inVersions(t, checkPages) }

func checkPages(t *testing.T, opts openapi.Options) {
	typed := typedHouse(t)
	putBooks(t, typed)
	for reason, house := range map[string]*catalogue.Catalogue{"open books": sampled(t, sample.Options{}), "typed books": typed} {
		h, err := httpapi.New(house, httpapi.Options{Limits: pagination.Limits{Max: -1}})
		if err != nil {
			t.Fatal(err)
		}
		d := describe(t, h, opts)
		paths := []string{"/api/"}
		for _, c := range house.All() {
			paths = append(paths, "/api/"+c.Description().Segment+"/")
		}
		described, _ := d.at("paths")
		if diff := cmp.Diff(slices.Sorted(slices.Values(paths)), slices.Sorted(maps.Keys(described))); diff != "" {
			t.Errorf("%s: paths (-served +described):\n%s", reason, diff)
		}
		for _, path := range paths {
			for _, target := range []string{path, path + "?limit=100000", path + "?limit=2&offset=3&format=api"} {
				r := request{method: "GET", target: target}
				if listed := d.check(r, r.do(h)); listed != "200" {
					t.Errorf("%s: GET %s is answered with response %s, want 200", reason, target, listed)
				}
			}
		}
	}
}

// TestOptionalMembers checks members that the document lets be absent or null: each is
// absent or null in some record and present in another. TestPages checks the rest.
func TestOptionalMembers(t *testing.T) { inVersions(t, checkOptionalMembers) }

func checkOptionalMembers(t *testing.T, opts openapi.Options) {
	house := typedHouse(t)
	putBooks(t, house)
	links, labels := mustIn(resources.SocialLinks, house), mustIn(resources.Labels, house)
	for _, put := range []error{
		insert(links, resources.SocialLink{}), insert(links, resources.SocialLink{Logo: new(string)}),
		insert(labels, resources.Label{}), insert(labels, resources.Label{
			LogoFooter: new(string), LogoFooterWebp: new(string), FacebookPage: new(string),
			BlueskyPage: new(string), LinkedinPage: new(string), InstagramPage: new(string),
		}),
	} {
		if put != nil {
			t.Fatal(put)
		}
	}
	h, err := httpapi.New(house, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := describe(t, h, opts)
	for record, path := range map[string]string{"Book": "/api/books/", "Label": "/api/labels/", "SocialLink": "/api/social-links/"} {
		page := parse(t, request{method: "GET", target: path}.do(h).Body.Bytes()).(map[string]any)
		schema, _ := d.at("components", "schemas", record)
		for name := range schema["properties"].(map[string]any) {
			property, pointer := d.at("components", "schemas", record, "properties", name)
			required := slices.Contains(schema["required"].([]any), any(name))
			nullable := len(property) > 0 && d.schema(pointer).Validate(nil) == nil
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
			anything := d.schema(pointer).Validate(nil) == nil && d.schema(pointer).Validate(false) == nil
			if present == 0 && !anything || required == (absent > 0) || !anything && nullable != (null > 0) {
				t.Errorf("%s.%s: required = %v, nullable = %v, but present in %d records, null in %d, absent in %d",
					record, name, required, nullable, present, null, absent)
			}
		}
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

func insert[T any](c *catalogue.Collection[T], record T) error {
	_, err := c.Insert(record)
	return err
}

// failing is a collection whose List and Create fail.
type failing struct{ about schema.Description }

var errBroken = errors.New("broken")

func (f failing) Description() schema.Description { return f.about }

func (failing) List(context.Context, catalogue.Query) (catalogue.List, error) {
	return catalogue.List{}, errBroken
}

func (failing) Create(context.Context, []byte) ([]byte, error) { return nil, errBroken }

// TestResponses provokes every response that the document lists for events, and
// requests with methods that it does not list.
func TestResponses(t *testing.T) { inVersions(t, checkResponses) }

func checkResponses(t *testing.T, opts openapi.Options) {
	house := sampled(t, sample.Options{Sizes: map[string]int{"events": 30}})
	handler := func(a httpapi.Authorizer) *httpapi.Handler {
		h, err := httpapi.New(house, httpapi.Options{Authorizer: a, ETags: true})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	var collections []httpapi.Collection
	for _, c := range house.All() {
		collections = append(collections, failing{c.Description()})
	}
	broken, err := httpapi.NewHandler(collections, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	open, closed, token := handler(httpapi.AllowAll), handler(nil), handler(httpapi.Bearer("s3cret"))
	d := describe(t, open, opts)

	const path = "/api/events/"
	long, html := path+"?x="+strings.Repeat("x", 20000), http.Header{"Accept": {"text/html"}}
	known := http.Header{"If-None-Match": {request{method: "GET", target: path}.do(open).Header().Get("Etag")}}
	many := path + "?" + strings.Repeat("x=1&", 1001)
	seen := map[string]bool{}
	for _, tt := range []struct {
		reason  string
		handler http.Handler
		want    string // the listed response
		request
	}{
		{"page", open, "200", request{"GET", path, "", nil}},
		{"page with If-None-Match", open, "304", request{"GET", path, "", known}},
		{"too many parameters", open, "400", request{"GET", many, "", nil}},
		{"unknown format", open, "404", request{"GET", path + "?format=xml", "", nil}},
		{"JSON not accepted", open, "406", request{"GET", path, "", html}},
		{"long query", open, "414", request{"GET", long, "", nil}},
		{"failing collection", broken, "default", request{"GET", path, "", nil}},
		{"POST", open, "201", request{"POST", path, event, nil}},
		{"POST of invalid JSON", open, "400", request{"POST", path, `{"`, nil}},
		{"POST of an invalid event", open, "400", request{"POST", path, `{"name":null,"labels":[999999]}`, nil}},
		{"POST of a list", open, "400", request{"POST", path, `[]`, nil}},
		{"POST of deeply nested JSON", open, "400", request{"POST", path, strings.Repeat("[", 300), nil}},
		{"POST without the token", token, "401", request{"POST", path, event, nil}},
		{"POST without an authorizer", closed, "403", request{"POST", path, event, nil}},
		{"POST with an unknown format", open, "404", request{"POST", path + "?format=xml", event, nil}},
		{"POST with JSON not accepted", open, "406", request{"POST", path, event, html}},
		{"POST of a large body", open, "413", request{"POST", path, strings.Repeat(" ", 2<<20), nil}},
		{"POST with a long query", open, "414", request{"POST", long, event, nil}},
		{"POST of text", open, "415", request{"POST", path, "name=x", http.Header{"Content-Type": {"text/plain"}}}},
		{"POST to a failing collection", broken, "default", request{"POST", path, event, nil}},
	} {
		listed := d.check(tt.request, tt.do(tt.handler))
		if listed != tt.want {
			t.Errorf("%s: response %s, want %s", tt.reason, listed, tt.want)
		}
		seen[strings.ToLower(tt.method)+" "+listed] = true
	}
	item, _ := d.at("paths", path)
	for method := range item {
		responses, _ := d.at("paths", path, method, "responses")
		for status := range responses {
			if !seen[method+" "+status] {
				t.Errorf("%s: response %s is documented but not tested", method, status)
			}
		}
	}
	d.checkMethods(open)
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
