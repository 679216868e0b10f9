package cataloguetest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi/internal/fake"
)

// Compare sends the same requests to a fake and to the service that it stands for, one after
// another, and fails the test where the responses differ:
//
//	func TestFakeIsTheService(t *testing.T) {
//		server := cataloguetest.NewWith(t, cataloguetest.Options{File: "testdata/catalogue.json", Definitions: all})
//		server.Compare(t, cataloguetest.Live{
//			URL:       os.Getenv("CATALOGUE_URL"), // empty in CI: the recording is compared
//			Recording: "testdata/catalogue.jsonl",
//			Volatile:  []string{"updatedAt"},
//		},
//			httptest.NewRequest("GET", "/api/events/?limit=3", nil),
//			httptest.NewRequest("GET", "/api/events/99999999/", nil))
//	}
//
// Of a request, the method, the path, the query, the header and the body count. Of a response, the
// status counts, the body, and the headers that the fake sends, except Date, Server, ETag,
// Content-Length and Set-Cookie. The order of the members of an object does not count. URLs are
// compared by path and query, apart from the path of Live.URL.
//
// Compare calls tb.Fatalf if a request cannot be sent, or if the recording cannot be written or
// read, or is of other requests. O(size of the responses).
func (s *Server) Compare(tb testing.TB, live Live, requests ...*http.Request) {
	tb.Helper()
	rec, err := newRecording(live, s.URL)
	for i := 0; i < len(requests) && err == nil; i++ {
		var diff string
		if diff, err = s.compare(rec, requests[i]); diff != "" {
			tb.Errorf("%s: the service and its fake differ (-service +fake):\n%s", requested(requests[i]), fake.Truncate(diff, maxDifference))
		}
	}
	if err == nil {
		err = rec.write()
	}
	if err != nil {
		tb.Fatalf("cataloguetest: Compare: %v", err)
	}
}

const maxDifference = 4 << 10 // bytes of the differences of a request

// compare returns the differences between the responses to a request.
func (s *Server) compare(rec *recording, r *http.Request) (diff string, err error) {
	var body []byte
	if r.Body != nil {
		if body, err = io.ReadAll(r.Body); err != nil {
			return "", err
		}
	}
	got, err := answerTo(r, s.Client, s.URL, body, s.URL)
	if err != nil {
		return "", err
	}
	want, err := rec.next(r, body)
	if err != nil {
		return "", err
	}
	return cmp.Diff(rec.compared(want, got.Header), rec.compared(got, got.Header)), nil
}

// unequalHeaders are not compared.
var unequalHeaders = [...]string{"Date", "Server", "Etag", "Content-Length", "Set-Cookie"}

// compared returns the parts of a response that Compare compares: the status, the headers in names,
// and the body.
func (live Live) compared(a answer, names http.Header) map[string]any {
	all := map[string]any{"status": a.Status, "body": live.normal(decode(a.Body))}
	for name := range names {
		if !slices.Contains(unequalHeaders[:], name) {
			all[name] = live.normal(strings.Join(a.Header.Values(name), ", "))
		}
	}
	return all
}

// decode returns the value of a body or, if it is not JSON, the body.
func decode(body string) (value any) {
	in := json.NewDecoder(strings.NewReader(body))
	in.UseNumber()
	if !json.Valid([]byte(body)) || in.Decode(&value) != nil {
		return body
	}
	return value
}

// normal returns a value without what may differ: volatile members, and the hosts of URLs.
func (live Live) normal(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if v[name] = live.normal(member); slices.Contains(live.Volatile, name) {
				v[name] = "volatile"
			}
		}
	case []any:
		for i := range v {
			v[i] = live.normal(v[i])
		}
	case string:
		if link, err := url.Parse(v); err == nil && link.Host != "" {
			return link.RequestURI()
		}
	}
	return value
}
