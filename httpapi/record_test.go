package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

var asJSON = http.Header{"Content-Type": {"application/json"}}

// TestRecordRequests checks the status, the body and the calls of the collection for
// requests to the path of a record.
func TestRecordRequests(t *testing.T) {
	const bogus = `{"status":["Select a valid choice."]}`
	text := http.Header{"Content-Type": {"text/plain"}}
	tests := []struct {
		reason string
		call   call
		status int
		body   string
		calls  []string
	}{
		{"a record", call{target: "/api/films/1/"}, 200, `{"id":1}`, []string{"Get 1 "}},
		{"only parameters that select", call{target: "/api/films/1/?status=a&limit=5&search=x&x=1&Status=b"}, 200, `{"id":1}`, []string{"Get 1 search=x&status=a"}},
		{"all values of a parameter", call{target: "/api/films/1/?status=a&%73tatus=+b"}, 200, `{"id":1}`, []string{"Get 1 status=a&status=+b"}},
		{"no such record", call{target: "/api/films/9/"}, 404, notFound, []string{"Get 9 "}},
		{"no id", call{target: "/api/films/x/"}, 404, notFound, []string{"Get x "}},
		{"hidden", call{target: "/api/films/1/?status=hidden"}, 404, notFound, []string{"Get 1 status=hidden"}},
		{"invalid filter", call{target: "/api/films/9/?status=bogus"}, 400, bogus, []string{"Get 9 status=bogus"}},
		{"indented", call{target: "/api/films/1/", header: accept("application/json; indent=1")}, 200, "{\n \"id\": 1\n}", []string{"Get 1 "}},
		{"unknown format", call{target: "/api/films/1/?format=xml"}, 404, notFound, nil},
		{"Accept", call{target: "/api/films/1/", header: accept("text/html")}, 406, notAcceptable, nil},
		{"POST", call{method: "POST", target: "/api/films/1/"}, 405, `{"detail":"Method \"POST\" not allowed."}`, nil},

		{"PUT", call{method: "PUT", target: "/api/films/1/?status=a", header: asJSON, body: `{"a":1}`}, 200, `{"id":1,"body":"{\"a\":1}"}`,
			[]string{"Get 1 status=a", `Update 1 status=a {"a":1} false`}},
		{"PATCH without a body", call{method: "PATCH", target: "/api/films/1/"}, 200, `{"id":1,"body":""}`, []string{"Get 1 ", "Update 1   true"}},
		{"PATCH of an invalid value", call{method: "PATCH", target: "/api/films/1/", header: asJSON, body: "bad"}, 400, `{"minutes":["Bad <value>."]}`,
			[]string{"Get 1 ", "Update 1  bad true"}},
		{"a record that is not there before its body", call{method: "PUT", target: "/api/films/9/", header: text, body: "x"}, 404, notFound, []string{"Get 9 "}},
		{"an invalid filter before the record", call{method: "PATCH", target: "/api/films/9/?status=bogus", header: text, body: "x"}, 400, bogus, []string{"Get 9 status=bogus"}},
		{"media type", call{method: "PUT", target: "/api/films/1/", header: text, body: "x"}, 415, `{"detail":"Unsupported media type \"text/plain\" in request."}`, []string{"Get 1 "}},
		{"PUT to the list", call{method: "PUT", target: "/api/films/"}, 405, `{"detail":"Method \"PUT\" not allowed."}`, nil},

		{"DELETE", call{method: "DELETE", target: "/api/films/1/?status=a&x=1", header: text, body: "x"}, 204, "", []string{"Delete 1 status=a"}},
		{"DELETE of a record that is not there", call{method: "DELETE", target: "/api/films/9/"}, 404, notFound, []string{"Delete 9 "}},
		{"DELETE with an invalid filter", call{method: "DELETE", target: "/api/films/1/?status=bogus"}, 400, bogus, []string{"Delete 1 status=bogus"}},
		{"DELETE of a record that others refer to", call{method: "DELETE", target: "/api/films/2/"}, 409,
			`{"detail":"The record cannot be deleted: film of sequels 7 refers to it."}`, []string{"Delete 2 "}},

		{"a filtered page", call{target: "/api/films/?limit=1&status=a&ordering=-name,nope&search=x"}, 200,
			`{"count":2,"next":"http://host.example/api/films/?limit=1&offset=1&ordering=-name%2Cnope&search=x&status=a","previous":null,"results":[{"id":2,"name":"<é> & co","tags":[]}]}`,
			[]string{"List search=x&status=a 1 -name,nope"}},
		{"an invalid filter of a page", call{target: "/api/films/?status=bogus"}, 400, bogus, []string{"List status=bogus 21 "}},
		{"a POST ignores filters", call{method: "POST", target: "/api/films/?status=bogus", header: asJSON, body: "{}"}, 201, `{"id":1,"body":"{}"}`, []string{"Create {}"}},
	}
	for _, test := range tests {
		h, films := newFilmsHandler(t, Options{Authorizer: AllowAll})
		got := test.call.do(h)
		if got.Status != test.status || got.Body != test.body {
			t.Errorf("%s: %d %s, want %d %s", test.reason, got.Status, got.Body, test.status, test.body)
		}
		if diff := cmp.Diff(test.calls, films.calls); diff != "" {
			t.Errorf("%s: calls (-want +got):\n%s", test.reason, diff)
		}
		if test.call.method != "" && test.call.method != "HEAD" {
			continue
		}
		test.call.method = "HEAD"
		if head := test.call.do(h); head.Status != test.status || head.Body != "" {
			t.Errorf("%s: HEAD: %d %s, want %d", test.reason, head.Status, head.Body, test.status)
		}
	}
}

// TestRecordHeaders checks the complete headers of a record, a 404 and a 204.
func TestRecordHeaders(t *testing.T) {
	h, _ := newFilmsHandler(t, Options{Authorizer: AllowAll})
	for target, length := range map[string]int{"/api/films/1/": len(`{"id":1}`), "/api/films/9/": len(notFound)} {
		if diff := cmp.Diff(viewHeader("Accept", recordMethods, length), get(h, target).Header); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
	want := viewHeader("Accept", recordMethods, 0)
	delete(want, "Content-Type")
	if diff := cmp.Diff(want, call{method: "DELETE", target: "/api/films/1/"}.do(h).Header); diff != "" {
		t.Errorf("DELETE (-want +got):\n%s", diff)
	}
}

// TestRecordPaths checks which paths are those of records, and their ids. Django REST
// framework reads ids with Python's int(), which also takes underscores and other digits.
func TestRecordPaths(t *testing.T) {
	tests := []struct {
		path    string
		status  int
		segment string // that the collection is called with, or "" if it is not called
	}{
		{"/api/films/1/", 200, "1"},
		{"/api/films/001/", 200, "001"},
		{"/api/films/%201/", 200, " 1"},
		{"/api/films/1%20/", 200, "1 "},
		{"/api/films/1%0A/", 200, "1\n"},
		{"/api/films/%C2%851%C2%A0/", 200, "\u00851\u00a0"},
		{"/api/films/%1c1/", 404, "\x1c1"}, // white space of str.strip, but not of int
		{"/api/films/1%1f%C2%A0/", 404, "1\x1f\u00a0"},
		{"/api/films/+1/", 200, "+1"},
		{"/api/films/0/", 404, "0"},
		{"/api/films/-1/", 404, "-1"},
		{"/api/films/1_1/", 404, "1_1"},
		{"/api/films/%D9%A1/", 404, "\u0661"},
		{"/api/films/1,6/", 404, "1,6"},
		{"/api/films/7%00/", 404, "7\x00"},
		{"/api/films/%00/", 404, "\x00"},
		{"/api/films/99999999999999999999/", 404, "99999999999999999999"},
		{"/api/films/" + strings.Repeat("9", 2000) + "/", 404, strings.Repeat("9", 2000)},
		{"/api/films/1.0/", 404, ""},
		{"/api/films/1.json/", 404, ""},
		{"/api/films/.5/", 404, ""},
		{"/api/films/1.2.3/", 404, ""},
		{"/api/films/1/x/", 404, ""},
		{"/api/films//", 404, ""},
		{"/api//1/", 404, ""},
		{"/api/1/", 404, ""},
		{"/api/films/1", 301, ""},
		{"/api/films", 301, ""},
		{"/api/films/1.0", 404, ""},
	}
	for _, test := range tests {
		h, films := newFilmsHandler(t, Options{})
		got := get(h, test.path)
		want := ""
		if test.segment != "" {
			want = "Get " + test.segment + " "
		}
		if calls := strings.Join(films.calls, "; "); got.Status != test.status || calls != want {
			t.Errorf("%.60s: %d, calls %q, want %d and %q", test.path, got.Status, calls, test.status, want)
		}
		if location := got.Header["Location"]; test.status == 301 && location != test.path+"/" {
			t.Errorf("%s: Location %s", test.path, location)
		}
	}
}

// TestRecordRedirects checks the escapes of a path that lacks its slash. They are those of
// Django's escape_uri_path.
func TestRecordRedirects(t *testing.T) {
	h, _ := newFilmsHandler(t, Options{})
	for _, test := range []struct{ reason, id, want string }{
		{"left as they are", "!'()*$&+,:@-_~a1", "!'()*$&+,:@-_~a1"},
		{"needlessly escaped", "%21%27%28%29%2A", "!'()*"},
		{"escaped, though allowed in a path", ";=", "%3B%3D"},
		{"escaped already", "%3B%3D%25%23%3F%5b%5D", "%3B%3D%25%23%3F%5B%5D"},
		{"not ASCII", "%C3%A9t%C3%A9", "%C3%A9t%C3%A9"},
		{"not allowed in a header", "a%0D%0AX:%20b", "a%0D%0AX:%20b"},
	} {
		got := get(h, "/api/films/"+test.id+"?a=;=!'()*")
		if want := "/api/films/" + test.want + "/?a=;=!'()*"; got.Status != 301 || got.Header["Location"] != want {
			t.Errorf("%s: %d, Location %s, want 301 and %s", test.reason, got.Status, got.Header["Location"], want)
		}
	}
}

// TestActions checks that Allow lists exactly the actions of the description that the
// collection implements.
func TestActions(t *testing.T) {
	type onlyList struct{ Collection }
	tests := []struct {
		reason       string
		actions      schema.Actions
		list, record string // Allow; empty if the path is not served
	}{
		{"all", schema.AllActions, createMethods, recordMethods},
		{"reads", schema.List | schema.Retrieve, readMethods, readMethods},
		{"list only", schema.List, readMethods, ""},
		{"list and create", schema.List | schema.Create, createMethods, ""},
		{"create only", schema.Create, "POST, OPTIONS", ""},
		{"no list", schema.Retrieve | schema.Destroy, "OPTIONS", "GET, DELETE, HEAD, OPTIONS"},
		{"partial updates only", schema.List | schema.PartialUpdate, readMethods, "PATCH, OPTIONS"},
	}
	for _, test := range tests {
		films := newFilms()
		films.description.Actions = test.actions
		h, err := NewHandler([]Collection{films}, Options{Authorizer: AllowAll})
		if err != nil {
			t.Fatal(err)
		}
		for target, want := range map[string]string{"/api/films/": test.list, "/api/films/1/": test.record} {
			got := call{method: "OPTIONS", target: target}.do(h)
			if got.Header["Allow"] != want || (got.Status == 200) != (want != "") {
				t.Errorf("%s: OPTIONS %s: %d, Allow %q, want %q", test.reason, target, got.Status, got.Header["Allow"], want)
			}
			for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
				allowed := strings.Contains(", "+want+", ", ", "+method+", ")
				if status := (call{method: method, target: target}).do(h).Status; want != "" && (status != 405) != allowed {
					t.Errorf("%s: %s %s: %d, Allow %q", test.reason, method, target, status, want)
				}
			}
		}
	}
	bare := onlyList{newFilms()}
	h, err := NewHandler([]Collection{bare}, Options{Authorizer: AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	if got := (call{method: "OPTIONS", target: "/api/films/"}).do(h); got.Header["Allow"] != readMethods {
		t.Errorf("a collection that implements nothing else: Allow %q", got.Header["Allow"])
	}
}

// TestRecordMetadata checks OPTIONS of a record, which lists the fields for PUT if the
// client may write and the record is there.
func TestRecordMetadata(t *testing.T) {
	const (
		common  = `{"name":"Film Instance","description":"","renders":["application/json"],"parses":["application/json"]`
		actions = `,"actions":{"PUT":{"id":{"type":"integer","required":false,"readOnly":true,"label":"ID"},` +
			`"minutes":{"type":"integer","required":true,"readOnly":false,"label":"Minutes","minValue":0},` +
			`"status":{"type":"choice","required":false,"readOnly":false,"label":"Status","choices":[{"value":"announced","displayName":"Announced"},{"value":"in_post","displayName":"In post"}]},` +
			`"director":{"type":"field","required":true,"readOnly":false,"label":"Director"}}}`
	)
	tests := []struct {
		reason, target string
		authorizer     Authorizer
		want           string
	}{
		{"may write", "/api/films/1/", AllowAll, common + actions + "}"},
		{"may not write", "/api/films/1/", nil, common + "}"},
		{"no such record", "/api/films/9/", AllowAll, common + "}"},
		{"hidden by a filter", "/api/films/1/?status=hidden", AllowAll, common + "}"},
		{"invalid filter", "/api/films/1/?status=bogus", AllowAll, common + "}"},
		{"list", "/api/films/", nil, strings.Replace(common, "Instance", "List", 1) + "}"},
	}
	for _, test := range tests {
		h, _ := newFilmsHandler(t, Options{Authorizer: test.authorizer})
		got := call{method: "OPTIONS", target: test.target}.do(h)
		if diff := cmp.Diff(test.want, got.Body); got.Status != 200 || diff != "" {
			t.Errorf("%s: %d (-want +got):\n%s", test.reason, got.Status, diff)
		}
	}
}

// TestBrokenBody checks that nothing is written if a body ends early.
func TestBrokenBody(t *testing.T) {
	for _, method := range []string{"PUT", "PATCH"} {
		h, films := newFilmsHandler(t, Options{Authorizer: AllowAll})
		r := call{method: method, target: "/api/films/1/", header: asJSON}.request()
		r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"minutes":`), iotest.ErrReader(io.ErrUnexpectedEOF)))
		if got := serve(h, r); got.Status != 400 || got.Body != `{"detail":"The body of the request could not be read."}` {
			t.Errorf("%s: %d %s", method, got.Status, got.Body)
		}
		if diff := cmp.Diff([]string{"Get 1 "}, films.calls); diff != "" {
			t.Errorf("%s: calls (-want +got):\n%s", method, diff)
		}
	}
}

// TestRecordErrors checks the status of errors of the program.
func TestRecordErrors(t *testing.T) {
	for _, test := range []struct {
		err    error
		status int
	}{
		{errors.New("secret"), 500},
		{context.Canceled, 503},
		{ErrUnavailable, 503},
		{ErrGone, 410},
	} {
		var reported error
		h, films := newFilmsHandler(t, Options{Authorizer: AllowAll, OnError: func(_ *http.Request, err error) { reported = err }})
		films.err = test.err
		for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
			reported = nil
			got := call{method: method, target: "/api/films/1/"}.do(h)
			if got.Status != test.status || !errors.Is(reported, test.err) || strings.Contains(got.Body, "secret") {
				t.Errorf("%s with %v: %d %s, reported %v, want %d", method, test.err, got.Status, got.Body, reported, test.status)
			}
		}
	}
}

func created(body string) string { return `{"id":1,"body":` + quote(body) + `}` }

func TestCreate(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll}, nil)
	for path, vary := range map[string]string{"/api/events/": authorizedVary, "/api/social-links/": "Accept", "/api/events/?limit=1&x": authorizedVary} {
		body := created(`{"url":"https://x.example/"}`)
		want := answer{201, viewHeader(vary, createMethods, len(body)), body} // and no Location
		got := call{method: "POST", target: path, body: `{"url":"https://x.example/"}`, header: http.Header{"Content-Type": {"application/json"}}}.do(h)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestContentType(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll}, nil)
	tests := []struct {
		reason, contentType string
		ok                  bool
	}{
		{"the type itself", "application/json", true},
		{"upper case", "APPLICATION/JSON", true},
		{"UTF-8", "application/json; charset=utf-8", true},
		{"Latin-1", "application/json;charset=latin-1", true},
		{"unknown charset", "application/json; charset=bogus", true},
		{"other parameter", "application/json; indent=4", true},
		{"range of subtypes", "application/*", true},
		{"anything", "*/*", true},
		{"range of types", "*/json", true},
		{"absent", "", false},
		{"text", "text/plain", false},
		{"text/json", "text/json", false},
		{"form", "application/x-www-form-urlencoded", false},
		{"multipart", "multipart/form-data; boundary=x", false},
		{"xml", "application/xml", false},
		{"structured suffix", "application/vnd.api+json", false},
		{"longer", "application/jsonx", false},
		{"type alone", "application", false},
		{"star alone", "*", false},
		{"two types", "application/json, text/plain", false},
		{"quotes", `text/"<x>"`, false},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			c := call{method: "POST", target: "/api/events/", body: "{}", header: http.Header{"Content-Type": {test.contentType}}}
			if test.reason == "absent" {
				c.header = nil
			}
			want := answer{Status: 201, Body: created("{}")}
			if !test.ok {
				want = answer{Status: 415, Body: `{"detail":"Unsupported media type \"` + strings.ReplaceAll(test.contentType, `"`, `\"`) + `\" in request."}`}
			}
			want.Header = viewHeader(authorizedVary, createMethods, len(want.Body))
			if diff := cmp.Diff(want, c.do(h)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// An empty body requires no type.
			c.body = ""
			if got := c.do(h); got.Status != 201 {
				t.Errorf("without a body: %d %s, want 201", got.Status, got.Body)
			}
		})
	}
}

func TestCharset(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll}, nil)
	tests := []struct{ reason, contentType, body, want string }{
		{"no charset", "application/json", "é", "é"},
		{"UTF-8", "application/json;charset=utf-8", "é", "é"},
		{"Latin-1", "application/json;charset=latin-1", "caf\xe9\xff a", "caféÿ a"},
		{"Latin-1 by another name", "application/json; charset=ISO-8859-1", "\xe9", "é"},
		{"quoted", `application/json; charset="iso_8859-1"`, "\xe9", "é"},
		{"UTF-8 sent as Latin-1", "application/json;charset=latin1", "é", "Ã©"},
		{"unknown charset", "application/json;charset=bogus", "é", "é"},
		{"empty charset", "application/json;charset=", "é", "é"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := call{method: "POST", target: "/api/events/", body: test.body, header: http.Header{"Content-Type": {test.contentType}}}.do(h)
			if want := created(test.want); got.Body != want {
				t.Errorf("%s, want %s", got.Body, want)
			}
		})
	}
}

func TestBodyLimit(t *testing.T) {
	tests := []struct {
		reason  string
		maxBody int64
		size    int
		known   bool
		status  int
	}{
		{"at the limit", 100, 100, true, 201},
		{"past the limit", 100, 101, true, 413},
		{"at the limit, length unknown", 100, 100, false, 201},
		{"past the limit, length unknown", 100, 101, false, 413},
		{"default", 0, 1 << 20, true, 201},
		{"past the default", 0, 1<<20 + 1, true, 413},
		{"past the default, length unknown", 0, 1<<20 + 1, false, 413},
		{"before content type", 10, 11, false, 413},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			h := newTestHandler(t, Options{Authorizer: AllowAll, MaxBody: test.maxBody}, nil)
			r := call{method: "POST", target: "/api/events/", body: strings.Repeat("x", test.size)}.request()
			if test.reason != "before content type" {
				r.Header.Set("Content-Type", "application/json")
			}
			if !test.known {
				r.ContentLength = -1
			}
			got := serve(h, r)
			if got.Status != test.status {
				t.Errorf("%d, want %d", got.Status, test.status)
			}
			limit := test.maxBody
			if limit == 0 {
				limit = 1048576
			}
			if got.Status == 413 && !strings.Contains(got.Body, fmt.Sprintf(" %d bytes", limit)) {
				t.Errorf("%s does not name the limit", got.Body)
			}
		})
	}
}

// If the announced length is past the limit, the body is not read.
func TestAnnouncedLengthPastLimit(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll}, nil)
	r := call{method: "POST", target: "/api/events/"}.request()
	r.Body, r.ContentLength = unreadBody{t}, 1<<20+1
	if got := serve(h, r); got.Status != 413 {
		t.Errorf("%d, want 413", got.Status)
	}
}

// endlessBody is an infinite body. It counts the bytes that are read.
type endlessBody struct{ read int }

func (b *endlessBody) Read(p []byte) (int, error) {
	b.read += len(p)
	clear(p)
	return len(p), nil
}

// A body of unknown length is read up to the limit.
func TestEndlessBody(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll, MaxBody: 100_000}, nil)
	body := new(endlessBody)
	r := call{method: "POST", target: "/api/events/"}.request()
	r.Body, r.ContentLength = io.NopCloser(body), -1
	if got := serve(h, r); got.Status != 413 || body.read > 100_001 {
		t.Errorf("%d after %d bytes, want 413 after at most 100001", got.Status, body.read)
	}
}

func TestUnreadableBody(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll}, nil)
	r := call{method: "POST", target: "/api/events/"}.request()
	r.Body = io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))
	if got := serve(h, r); got.Status != 400 {
		t.Errorf("body that fails: %d, want 400", got.Status)
	}
	r.Body = nil
	if got := serve(h, r); got.Status != 201 {
		t.Errorf("nil body: %d, want 201", got.Status)
	}
}

func TestInvalidRecord(t *testing.T) {
	fields := schema.FieldErrors{
		{Field: "name", Messages: []string{"This field is required.", "<&>"}},
		{Field: "startDate", Messages: []string{"Bad."}},
	}
	syntax := &schema.SyntaxError{Reason: "no value", Line: 2, Column: 3}
	tests := []struct {
		reason string
		err    error
		want   string
	}{
		{"fields", fields, `{"name":["This field is required.","<&>"],"startDate":["Bad."]}`},
		{"fields, wrapped", fmt.Errorf("events: %w", fields), `{"name":["This field is required.","<&>"],"startDate":["Bad."]}`},
		{"syntax", syntax, `{"detail":"` + syntax.Error() + `"}`},
		{"syntax, wrapped", fmt.Errorf("events: %w", syntax), `{"detail":"` + syntax.Error() + `"}`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			events := creatableCollection{newCollection(0), func([]byte) ([]byte, error) { return nil, test.err }}
			opts := Options{Authorizer: AllowAll, OnError: func(_ *http.Request, err error) { t.Errorf("OnError: %v", err) }}
			h := newTestHandler(t, opts, map[string]Collection{"events": events})
			want := answer{400, viewHeader(authorizedVary, createMethods, len(test.want)), test.want}
			if diff := cmp.Diff(want, call{method: "POST", target: "/api/events/"}.do(h)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// POST requires a Creator, and a collection that can be posted to.
func TestPostRequiresCreator(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll}, map[string]Collection{
		"labels": creatableCollection{newCollection(0), func([]byte) ([]byte, error) { return nil, errors.New("called") }},
		"events": newCollection(0),
	})
	for _, path := range []string{"/api/labels/", "/api/events/"} {
		got := call{method: "POST", target: path}.do(h)
		if got.Status != 405 || got.Header["Allow"] != readMethods {
			t.Errorf("POST %s: %d, Allow %s, want 405 and no POST", path, got.Status, got.Header["Allow"])
		}
	}
}

// TestContentEncoding checks that a body with a content coding is rejected with 415, after
// authorization and size and before its type, and that only this 415 has Accept-Encoding
// (RFC 9110, section 12.5.3).
func TestContentEncoding(t *testing.T) {
	const (
		gzip = `{"detail":"Unsupported content encoding \"gzip\" in request."}`
		text = `{"detail":"Unsupported media type \"text/plain\" in request."}`
	)
	for _, test := range []struct {
		reason   string
		opts     Options
		coding   string
		mime     string
		body     string
		status   int
		response string // "" for any
		accepts  string // Accept-Encoding
	}{
		{"a coding", Options{Authorizer: AllowAll}, "gzip", "application/json", "{}", 415, gzip, "identity"},
		{"a coding before a type", Options{Authorizer: AllowAll}, "gzip", "text/plain", "{}", 415, gzip, "identity"},
		{"a type alone", Options{Authorizer: AllowAll}, "identity", "text/plain", "{}", 415, text, ""},
		{"no coding", Options{Authorizer: AllowAll}, "identity", "application/json", "{}", 201, "", ""},
		{"no body", Options{Authorizer: AllowAll}, "gzip", "", "", 201, "", ""},
		{"not authorized", Options{}, "gzip", "application/json", "{}", 403, "", ""},
		{"too large", Options{Authorizer: AllowAll, MaxBody: 1}, "gzip", "application/json", "{}", 413, "", ""},
		{"markup", Options{Authorizer: AllowAll}, `<"x">`, "application/json", "{}", 415,
			`{"detail":"Unsupported content encoding \"<\"x\">\" in request."}`, "identity"},
	} {
		h := newTestHandler(t, test.opts, nil)
		header := http.Header{"Content-Encoding": {test.coding}, "Content-Type": {test.mime}}
		got := call{method: "POST", target: "/api/events/", header: header, body: test.body}.do(h)
		if got.Status != test.status || test.response != "" && got.Body != test.response || got.Header["Accept-Encoding"] != test.accepts {
			t.Errorf("%s: %d %s, Accept-Encoding %q, want %d %s, %q", test.reason, got.Status, got.Body, got.Header["Accept-Encoding"], test.status, test.response, test.accepts)
		}
	}
	for method, want := range map[string]int{"PUT": 415, "PATCH": 415, "DELETE": 204, "GET": 200} {
		h := newTaggedFilms(t, Options{})
		header := http.Header{"Content-Encoding": {"gzip"}, "Content-Type": {"application/json"}}
		if got := (call{method: method, target: "/api/films/1/", header: header, body: "\x1f\x8b" + strings.Repeat("x", 20)}).do(h); got.Status != want {
			t.Errorf("%s: %d %s, want %d", method, got.Status, got.Body, want)
		}
	}
}

// TestPostDuplicate posts a value that another record has in a unique field.
func TestPostDuplicate(t *testing.T) {
	links := catalogue.Define[resources.SocialLink]("social-links", catalogue.Options{Unique: []string{"url"}})
	house, err := resources.New(links)
	if err != nil {
		t.Fatal(err)
	}
	if err := house.Load(strings.NewReader(`{"authors":[{"id":2}]}`), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	handler, err := New(house, Options{Authorizer: AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		why, body string
		status    int
		want      string // at the end of the response
	}{
		{"the first", link, 201, `"author":2}`},
		{"the same url", link, 400, `{"url":["social link with this url already exists."]}`},
		{"another url", strings.Replace(link, "x.example", "y.example", 1), 201, `"author":2}`},
	} {
		r := httptest.NewRequest("POST", "http://host.example/api/social-links/", strings.NewReader(row.body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if got := w.Body.String(); w.Code != row.status || !strings.HasSuffix(got, row.want) {
			t.Errorf("%s: %d %s, want %d and %s", row.why, w.Code, got, row.status, row.want)
		}
	}
	if n := mustIn(resources.SocialLinks, house).Count(); n != 2 {
		t.Errorf("%d records, want 2", n)
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
