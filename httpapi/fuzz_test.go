package httpapi

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// validating returns a Create that validates bodies as the document describes.
func validating(t testing.TB, key string) func(body []byte) ([]byte, error) {
	collection, ok := schema.Lookup(key)
	if !ok {
		t.Fatalf("no collection %s", key)
	}
	return func(body []byte) ([]byte, error) {
		record, err := collection.Validate(body, schema.Checks{Exists: func(_ string, id int) bool { return id < 10 }})
		if err != nil {
			return nil, err
		}
		return record.MarshalJSON()
	}
}

// FuzzRequest calls the handler with requests, including those that net/http would reject.
// No response is a 5xx, and every response with type JSON is JSON.
func FuzzRequest(f *testing.F) {
	const event = `{"name":"N","slug":"s","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00Z"}`
	f.Add("GET", "/api/events/", "limit=2&offset=1&ordering=-id", "*/*;indent=2", "", "host.example", "")
	f.Add("POST", "/api/events/", "format=api", "application/json", "application/json;charset=latin-1", "[::1]:80", event)
	f.Add("POST", "/api/social-links/", "", "", "*/*", "h", `{"author":1`)
	f.Add("OPTIONS", "/api/", "format=xml", "text/html", "", "h:1", "")
	f.Add("HEAD", "/api/books", "q=%zz;\xff&&", "", "", "h_", "")
	f.Add("\"<\xff", "/api/item_variants/", strings.Repeat("&", 1000), "*/*", "", "a b", "")
	f.Add("PUT", "/api/books/", "\r\n", "application/*;x=\"\\\"", "", "h", "\x00")
	h := newTestHandler(f, Options{Authorizer: AllowAll, Bounds: Bounds{Body: 1000}}, map[string]Collection{
		"events":       creatableCollection{newCollection(30), validating(f, "events")},
		"social-links": creatableCollection{newCollection(3), validating(f, "social-links")},
		"books":        newCollection(5),
	})
	f.Fuzz(func(t *testing.T, method, path, query, accepted, contentType, host, body string) {
		r := &http.Request{
			Method:     method,
			URL:        &url.URL{Path: path, RawQuery: query},
			Host:       host,
			RequestURI: path + "?" + query,
			Header:     http.Header{"Accept": {accepted}, "Content-Type": {contentType}},
			Body:       io.NopCloser(strings.NewReader(body)),
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		checkAnswer(t, method, rec)
	})
}

func checkAnswer(t *testing.T, method string, rec *httptest.ResponseRecorder) {
	t.Helper()
	header := rec.Header()
	if rec.Code >= 500 {
		t.Errorf("status %d: %s", rec.Code, rec.Body)
	}
	if method == http.MethodHead {
		if rec.Body.Len() > 0 {
			t.Errorf("body in the response to HEAD: %s", rec.Body)
		}
		return
	}
	if got := header.Get("Content-Length"); got != strconv.Itoa(rec.Body.Len()) {
		t.Errorf("Content-Length %s, body of %d bytes", got, rec.Body.Len())
	}
	if header.Get("Content-Type") == "application/json" && !json.Valid(rec.Body.Bytes()) {
		t.Errorf("not JSON: %q", rec.Body)
	}
	if isError := rec.Code >= 400; isError && rec.Code != 400 && !strings.Contains(rec.Body.String(), `"detail"`) {
		t.Errorf("%d without detail: %s", rec.Code, rec.Body)
	}
}
