package cataloguetest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// liveFilms returns the running service of a test, which is not in process and has other records
// if they are given. Each pair of texts is replaced in its responses.
func liveFilms(t *testing.T, replace ...string) *httptest.Server {
	t.Helper()
	server := newFilms(t, 4)
	replacer := strings.NewReplacer(replace...)
	live := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		server.Handler.ServeHTTP(recorder, r)
		for name, values := range recorder.Header() {
			w.Header()[name] = []string{replacer.Replace(values[0])}
		}
		w.Header().Del("Content-Length")
		w.Header().Set("Set-Cookie", "session=c00k1e")
		w.Header().Set("X-Proxy", "on")
		if recorder.Code = max(recorder.Code, 200); strings.Contains(replacer.Replace("status"), "500") {
			recorder.Code = 500
		}
		w.WriteHeader(recorder.Code)
		_, _ = w.Write([]byte(replacer.Replace(recorder.Body.String())))
	}))
	t.Cleanup(live.Close)
	return live
}

func request(method, target, body string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// The service differs from its fake in one point, which is found with its place and kind.
func TestCompare(t *testing.T) {
	list := request("GET", "/v1/films/?limit=2", "")
	title := []string{"Film 2", "Film II"}
	for _, row := range []struct {
		reason  string
		replace []string // in the responses of the service
		live    Live
		request *http.Request
		want    []string // lines of the difference
	}{
		{"nothing; next is on another host, and the proxy sends headers", nil, Live{}, list, nil},
		{"a record that does not exist", nil, Live{}, request("GET", "/v1/films/9/", ""), nil},
		{"a redirect is not followed", nil, Live{}, request("GET", "/v1/films", ""), nil},
		{"a value", title, Live{}, list, []string{`- "title": string("Film II")`, `+ "title": string("Film 2")`}},
		{"another type", []string{`"director":2`, `"director":"2"`}, Live{}, request("GET", "/v1/films/1/", ""), []string{`- "director": string("2")`, `+ "director": s"2"`}},
		{"a volatile value", title, Live{Volatile: []string{"title"}}, list, nil},
		{"a volatile member that is absent", []string{`"title":"Film 2",`, ""}, Live{Volatile: []string{"title"}}, list, []string{`+ "title": string("volatile")`}},
		{"a member that the fake lacks", []string{`"title":"Film 2"`, `"title":"Film 2","year":1999`}, Live{}, list, []string{`- "year": s"1999"`}},
		{"null", []string{`"Film 2"`, "null"}, Live{}, list, []string{`- "title": nil`}},
		{"the count", []string{`"count":4`, `"count":5`}, Live{}, list, []string{`- "count": s"5"`}},
		{"fewer records", []string{`,{"id":2,"title":"Film 2","director":1}`, ""}, Live{}, list, []string{`+ map[string]any{"director": s"1", "id": s"2",`}},
		{"another order", []string{`"id":1`, `"id":2`, `"id":2`, `"id":1`}, Live{}, list, []string{`- "id": s"2"`, `+ "id": s"1"`}},
		{"a link", []string{"offset=2", "offset=3"}, Live{}, list, []string{`"/v1/films/?limit=2&offset=`}},
		{"the status", []string{"status", "500"}, Live{}, list, []string{`- "status": int(500)`, `+ "status": int(200)`}},
		{"a header", []string{"GET, ", ""}, Live{}, list, []string{`"Allow":`}},
		{"no JSON", []string{`{"count`, `{count`}, Live{}, request("GET", "/v1/films/?limit=1&offset=9", ""), []string{`{count":4,`}},
	} {
		server := newFilms(t, 4)
		row.live.URL = liveFilms(t, row.replace...).URL
		got := failureOf(t, func(tb testing.TB) { server.Compare(tb, row.live, row.request) })
		if row.want != nil {
			row.want = append(row.want, requested(row.request)+": the service and its fake differ (-service +fake):")
		}
		checkMessage(t, row.reason, got, row.want...)
	}
	long := failureOf(t, func(tb testing.TB) {
		newFilms(t, 300).Compare(tb, Live{URL: liveFilms(t, "Film", "Movie").URL}, request("GET", "/v1/films/?limit=300", ""))
	})
	if n := len(long); n < maxDifference || n > maxDifference+200 {
		t.Errorf("%d bytes of many differences", n)
	}
}

// A recording stands for the service, and has nothing that is secret.
func TestCompareRecording(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "films.jsonl")
	list := func() *http.Request {
		r := request("GET", "/v1/films/?limit=1&api_key=s3cret&director=1", "")
		r.Header.Set("Authorization", "Bearer s3cret")
		r.Header.Set("Cookie", "session=s3cret")
		return r
	}
	compare := func(live Live, requests ...*http.Request) string {
		live.Recording = recording
		return failureOf(t, func(tb testing.TB) { newFilms(t, 4).Compare(tb, live, requests...) })
	}
	if got := compare(Live{}, list()); !strings.Contains(got, "no such file") || !strings.Contains(got, "set Live.URL to record it") {
		t.Errorf("without a recording: %s", got)
	}
	if got := compare(Live{URL: liveFilms(t, "Film 2", "Film II").URL}, list()); !strings.Contains(got, "api_key=REDACTED&director=1: the service") {
		t.Errorf("while it is recorded: %s", got)
	}
	text, err := os.ReadFile(recording)
	must(t, err)
	for _, secret := range []string{"s3cret", "c00k1e", "127.0.0.1", "Authorization"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the recording has %q: %s", secret, text)
		}
	}
	if got := compare(Live{}, list()); strings.Contains(got, "s3cret") || !strings.Contains(got, "Film II") {
		t.Errorf("from the recording: %s", got)
	}
	for reason, requests := range map[string][]*http.Request{
		"of another request": {request("GET", "/v1/films/", "")},
		"of fewer requests":  {list(), list()},
	} {
		if got := compare(Live{}, requests...); !strings.Contains(got, "set Live.URL to record it again") {
			t.Errorf("a recording %s: %s", reason, got)
		}
	}
	must(t, os.WriteFile(recording, []byte("{"), 0o600))
	if got := compare(Live{}, list()); !strings.Contains(got, "response 1: unexpected EOF") {
		t.Errorf("a recording that is cut: %s", got)
	}
	if got := failureOf(t, func(tb testing.TB) { newFilms(t, 1).Compare(tb, Live{}) }); !strings.Contains(got, "neither Live.URL nor Live.Recording") {
		t.Errorf("without a service: %s", got)
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	if got := compare(Live{URL: gone.URL}, list()); !strings.Contains(got, "connect") || strings.Contains(got, "s3cret") {
		t.Errorf("a service that is down: %s", got)
	}
}

func TestSecrets(t *testing.T) {
	for text, want := range map[string]string{
		"/a/?token=x&b=1":             "/a/?token=REDACTED&b=1",
		"/a/?b=1&API_KEY=x":           "/a/?b=1&API_KEY=REDACTED",
		`{"next":"/a/?page_token=x"}`: `{"next":"/a/?page_token=REDACTED"}`,
		`/a/?b=1\u0026sig=x\u0026c=1`: `/a/?b=1\u0026sig=REDACTED\u0026c=1`,
		"/a/?author=x&authority=y":    "/a/?author=x&authority=y",
		"a token=x":                   "a token=x",
	} {
		if got := secret.ReplaceAllString(text, withoutSecret); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
