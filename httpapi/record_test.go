package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
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
		{"no id", call{target: "/api/films/x/"}, 404, notFound, []string{"Get 0 "}},
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
			[]string{"PageWhere search=x&status=a 1 -name,nope"}},
		{"an invalid filter of a page", call{target: "/api/films/?status=bogus"}, 400, bogus, []string{"PageWhere status=bogus 21 "}},
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
		path   string
		status int
		call   string // of the collection
	}{
		{"/api/films/1/", 200, "Get 1 "},
		{"/api/films/001/", 200, "Get 1 "},
		{"/api/films/%201/", 200, "Get 1 "},
		{"/api/films/1%20/", 200, "Get 1 "},
		{"/api/films/1%0A/", 200, "Get 1 "},
		{"/api/films/%C2%851%C2%A0/", 200, "Get 1 "},
		{"/api/films/%1c1/", 404, "Get 0 "}, // white space of str.strip, but not of int
		{"/api/films/1%1f%C2%A0/", 404, "Get 0 "},
		{"/api/films/+1/", 200, "Get 1 "},
		{"/api/films/0/", 404, "Get 0 "},
		{"/api/films/-1/", 404, "Get 0 "},
		{"/api/films/1_1/", 404, "Get 0 "},
		{"/api/films/%D9%A1/", 404, "Get 0 "},
		{"/api/films/1,6/", 404, "Get 0 "},
		{"/api/films/7%00/", 404, "Get 0 "},
		{"/api/films/%00/", 404, "Get 0 "},
		{"/api/films/99999999999999999999/", 404, "Get 0 "},
		{"/api/films/" + strings.Repeat("9", 2000) + "/", 404, "Get 0 "},
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
		if calls := strings.Join(films.calls, "; "); got.Status != test.status || calls != test.call {
			t.Errorf("%.60s: %d, calls %q, want %d and %q", test.path, got.Status, calls, test.status, test.call)
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
	type onlyPage struct{ Collection }
	tests := []struct {
		reason       string
		actions      schema.Actions
		list, record string // Allow; empty if the path is not served
	}{
		{"all", schema.AllActions, createMethods, recordMethods},
		{"reads", schema.ReadActions, readMethods, readMethods},
		{"list only", schema.List, readMethods, ""},
		{"list and create", schema.List | schema.Create, createMethods, ""},
		{"create only", schema.Create, "POST, OPTIONS", ""},
		{"no list", schema.Retrieve | schema.Destroy, "OPTIONS", "GET, DELETE, HEAD, OPTIONS"},
		{"partial updates only", schema.List | schema.PartialUpdate, readMethods, "PATCH, OPTIONS"},
	}
	for _, test := range tests {
		films := newFilms()
		films.description.Actions = test.actions
		h, err := NewHandler(map[string]Collection{"films": films}, Options{Authorizer: AllowAll})
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
	bare := described{onlyPage{newFilms()}, filmDescription()}
	h, err := NewHandler(map[string]Collection{"films": bare}, Options{Authorizer: AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	if got := (call{method: "OPTIONS", target: "/api/films/"}).do(h); got.Header["Allow"] != readMethods {
		t.Errorf("a collection that implements nothing else: Allow %q", got.Header["Allow"])
	}
	if got := get(h, "/api/films/?status=bogus"); got.Status != 200 {
		t.Errorf("filter of a collection that is not a Filterer: %d, want 200", got.Status)
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
