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
)

// FuzzRequest calls the handler with requests, including those that net/http would reject.
// No response is a 5xx, and every response with type JSON is JSON.
func FuzzRequest(f *testing.F) {
	const film = `{"title":"Lola","slug":"lola","minutes":90,"price":"1","director":1}`
	f.Add("GET", "/api/films/", "limit=2&offset=1&ordering=-id", "*/*;indent=2", "", "host.example", "")
	f.Add("POST", "/api/films/", "format=api", "application/json", "application/json;charset=latin-1", "[::1]:80", film)
	f.Add("POST", "/api/films/", "", "", "*/*", "h", `{"director":1`)
	f.Add("OPTIONS", "/api/", "format=xml", "text/html", "", "h:1", "")
	f.Add("HEAD", "/api/papers", "q=%zz;\xff&&", "", "", "h_", "")
	f.Add("\"<\xff", "/api/notes/", strings.Repeat("&", 1000), "*/*", "", "a b", "")
	f.Add("PUT", "/api/films/1/", "\r\n", "application/*;x=\"\\\"", "", "h", "\x00")
	f.Add("DELETE", "/api/films/3/", "search=x", "", "", "h", "")
	for _, query := range []string{
		"status=released", "minutes__gte=9e1", "search=%C3%89,%20x", "genres=1&genres=", "status=bogus&minutes=x",
		"released__isnull=TRUE&title__icontains=%25", "minutes__lt=1e50", "director=%D9%A1", "search=%00&search=%FF",
		"limit=99999999999999999999&offset=-1&ordering=name&\xff=\xe9%C3", strings.Repeat("\xff", 1815),
	} {
		f.Add("GET", "/api/films/", query, "", "", "h", "")
		f.Add("OPTIONS", "/api/films/999999999999999999999/", query, "", "", "h", "")
	}
	f.Fuzz(func(t *testing.T, method, path, query, accepted, contentType, host, body string) {
		r := &http.Request{
			Method:     method,
			URL:        &url.URL{Path: path, RawQuery: query},
			Host:       host,
			RequestURI: path + "?" + query,
			Header:     http.Header{"Accept": {accepted}, "Content-Type": {contentType}},
			Body:       io.NopCloser(strings.NewReader(body)),
		}
		h := mustHandler(t, newSmallCatalogue(t), Options{Authorizer: AllowAll, MaxBody: 1000})
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
