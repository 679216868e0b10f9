package cataloguetest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	for _, row := range []struct {
		reason  string
		replace []string // in the responses of the service
		live    Live
		request *http.Request
		want    string
	}{
		{"nothing; next is on another host, and the proxy sends headers", nil, Live{}, list, ""},
		{"a record that does not exist", nil, Live{}, request("GET", "/v1/films/9/", ""), ""},
		{"a redirect is not followed", nil, Live{}, request("GET", "/v1/films", ""), ""},
		{"a value", []string{"Film 2", "Film II"}, Live{}, list, `results[1].title (member): "Film II", fake "Film 2"`},
		{"another type", []string{`"director":2`, `"director":"2"`}, Live{}, request("GET", "/v1/films/1/", ""), `director (member): "2", fake 2`},
		{"a volatile value", []string{"Film 2", "Film II"}, Live{Volatile: []string{"title"}}, list, ""},
		{"a volatile member that is absent", []string{`"title":"Film 2",`, ""}, Live{Volatile: []string{"title"}}, list, `results[1].title (member): absent, fake present`},
		{"a member that the fake lacks", []string{`"title":"Film 2"`, `"title":"Film 2","year":1999`}, Live{}, list, `results[1].year (member): present, fake absent`},
		{"null", []string{`"Film 2"`, "null"}, Live{}, list, `results[1].title (member): null, fake "Film 2"`},
		{"an empty text", []string{`"Film 2"`, `""`}, Live{}, list, `results[1].title (member): "", fake "Film 2"`},
		{"the count", []string{`"count":4`, `"count":5`}, Live{}, list, `count (count): 5, fake 4`},
		{"other records", []string{`"id":2`, `"id":3`}, Live{}, list, `results (count): 1 3, fake 1 2`},
		{"fewer records", []string{`,{"id":2,"title":"Film 2","director":1}`, ""}, Live{}, list, `results (count): 1, fake 1 2`},
		{"another order", []string{`"id":1`, `"id":2`, `"id":2`, `"id":1`}, Live{}, list, `results (order): 2 1, fake 1 2`},
		{"a link", []string{"offset=2", "offset=3"}, Live{}, list, `next (member): "http://catalogue.test/v1/films/?limit=2&offset=3", fake "http://catalogue.test/v1/films/?limit=2&offset=2"`},
		{"the status", []string{"status", "500"}, Live{}, list, `status (status): 500, fake 200`},
		{"a header", []string{"GET, ", ""}, Live{}, list, `Allow (header): POST, HEAD, OPTIONS, fake GET, POST, HEAD, OPTIONS`},
		{"a header that is asked for", nil, Live{Headers: []string{"X-Proxy"}}, list, `X-Proxy (header): on, fake none`},
		{"no JSON", []string{`{"count`, `{count`}, Live{}, request("GET", "/v1/films/?limit=1&offset=9", ""), `body (body): {count":4,"next":null,"previous":`},
	} {
		server := newFilms(t, 4)
		row.live.URL = liveFilms(t, row.replace...).URL
		got := failureOf(t, func(tb testing.TB) { server.Compare(tb, row.live, row.request) })
		want := ""
		if row.want != "" {
			want = requested(row.request) + ": the service and its fake differ:\n  " + row.want
		}
		if got != want && !(row.want != "" && strings.HasPrefix(got, want) && strings.HasPrefix(row.want, "body")) {
			t.Errorf("%s: (-want +got):\n%s", row.reason, cmp.Diff(want, got))
		}
	}
}

// At most ten differences of a request are reported.
func TestCompareManyDifferences(t *testing.T) {
	live := liveFilms(t, `"title"`, `"name"`)
	got := failureOf(t, func(tb testing.TB) {
		newFilms(t, 8).Compare(tb, Live{URL: liveFilms(t, "status", "500").URL}, request("GET", "/v1/films/", ""))
		newFilms(t, 4).Compare(tb, Live{URL: live.URL, Headers: []string{"X-Proxy", "X-Other"}}, request("GET", "/v1/films/?limit=9", ""), request("GET", "/v1/films/1/", ""))
	})
	for _, want := range []string{"results (count): 1 2 3 4, fake 1 2 3 4 5 6 7 8", "results[0].name (member): present, fake absent", "title (member): absent, fake present"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
	many := strings.Fields("A B C D E F G H I J K L")
	got = failureOf(t, func(tb testing.TB) {
		fake := NewWith(t, Options{Definitions: filmDefinitions(), Root: "/v1/", Wrap: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for _, name := range many {
					w.Header().Set("X-"+name, "1")
				}
				next.ServeHTTP(w, r)
			})
		}})
		fake.Compare(tb, Live{URL: live.URL}, request("GET", "/v1/drafts/", ""))
	})
	if n := strings.Count(got, "\n"); n != 11 || !strings.HasSuffix(got, "and 2 more") {
		t.Errorf("%d lines:\n%s", n, got)
	}
}

// A service that assigns other ids is asked for the records that the requests have created.
func TestCompareMapsIDs(t *testing.T) {
	server, live := newFilms(t, 4), liveFilms(t)
	resp, err := http.Post(live.URL+"/v1/films/", "application/json", strings.NewReader(`{"title":"before","director":1}`))
	must(t, err)
	must(t, resp.Body.Close())
	requests := func() []*http.Request {
		return []*http.Request{
			request("POST", "/v1/films/", `{"title":"new","director":1}`), // 5 in the fake, 6 in the service
			request("PATCH", "/v1/films/5/", `{"title":"changed"}`),
			request("GET", "/v1/films/5/", ""),
			request("DELETE", "/v1/films/5/", ""),
		}
	}
	recording := filepath.Join(t.TempDir(), "films.jsonl")
	if got := failureOf(t, func(tb testing.TB) {
		server.Compare(tb, Live{URL: live.URL, MapIDs: true, Recording: recording}, requests()...)
	}); got != "" {
		t.Errorf("with the ids of the fake: %s", got)
	}
	if got := failureOf(t, func(tb testing.TB) {
		newFilms(t, 4).Compare(tb, Live{MapIDs: true, Recording: recording}, requests()...)
	}); got != "" {
		t.Errorf("from the recording: %s", got)
	}
	if got := failureOf(t, func(tb testing.TB) { newFilms(t, 4).Compare(tb, Live{URL: live.URL}, requests()...) }); !strings.Contains(got, "id (member): 7, fake 5") {
		t.Errorf("ids are not mapped: %s", got)
	}
	// An id stands for one record.
	swapped := liveFilms(t, `"id":2`, `"id":1`)
	if got := failureOf(t, func(tb testing.TB) {
		server.Compare(tb, Live{URL: swapped.URL, MapIDs: true}, request("GET", "/v1/films/?limit=2", ""))
	}); !strings.Contains(got, "results[1].id (member): 1, fake 2") {
		t.Errorf("one id for two records: %s", got)
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
	if got := compare(Live{}, list()); strings.Contains(got, "s3cret") || !strings.Contains(got, `results[0].title (member): "Film II", fake "Film 2"`) {
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
