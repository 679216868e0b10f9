package cataloguetest

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/pagination"
)

// The write happens, whatever becomes of its response. Without Late it does not.
func TestLate(t *testing.T) {
	for _, tt := range []struct {
		fault  Fault
		posted int    // events
		late   int    // with Late
		want   string // the response, with Late
		took   time.Duration
	}{
		{Status(500, "x"), 0, 1, "500 x", 0},
		{Unavailable(time.Second), 0, 1, "503 " + unavailablePage, 0},
		{ResetConnection(), 0, 1, "EOF", 0},
		{Delay(time.Hour), 1, 1, "201", time.Hour},
		{RateLimit(time.Minute), 0, 1, `429 {"detail":"Request was throttled. Expected available in 60 seconds."}`, 0},
		{Header("X", "y"), 1, 1, "201", 0},
		{Truncate(3), 1, 1, `201 {"i`, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			post := func(fault Fault) (made int, response string) {
				server := NewWith(t, Options{Empty: true})
				server.Inject(Match{}, fault)
				resp, err := server.Client.Post(server.URL+"/api/events/", "application/json", strings.NewReader(eventBody))
				if err != nil {
					return eventsOf(server.Catalogue).Count(), innermost(err)
				}
				defer resp.Body.Close()
				body := make([]byte, 200)
				n, _ := resp.Body.Read(body)
				return eventsOf(server.Catalogue).Count(), fmt.Sprint(resp.StatusCode, " ", string(body[:n]))
			}
			made, _ := post(tt.fault)
			start := time.Now()
			late, response := post(Late(tt.fault))
			if made != tt.posted || late != tt.late || !strings.HasPrefix(response, tt.want) || time.Since(start) != tt.took {
				t.Errorf("%s: %d events, and late %d with %s after %v; want %d, %d, %s, %v",
					tt.fault.name, made, late, response, time.Since(start), tt.posted, tt.late, tt.want, tt.took)
			}
		})
	}
}

// A late Do sees the write.
func TestLateDo(t *testing.T) {
	server := NewWith(t, Options{Empty: true})
	seen := -1
	server.Inject(Match{}, Late(Do(func() { seen = eventsOf(server.Catalogue).Count() })))
	if status := postEvent(t, server); status != 201 || seen != 1 {
		t.Errorf("status %d, %d events seen", status, seen)
	}
	if _, err := server.TryInject(Match{}, Late(Status(1, ""))); err == nil {
		t.Error("Late of an invalid fault: no error")
	}
	if _, err := server.TryInject(Match{}, Late(Fault{})); err == nil {
		t.Error("Late of the zero Fault: no error")
	}
}

// A limit ends when its time has passed since the first response, as its header says, in either form.
func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := NewWith(t, Options{Empty: true})
		server.Inject(Match{Path: "/api/books/"}, RateLimit(90*time.Second+1))
		server.Inject(Match{Path: "/api/news/"}, RateLimitDate(90*time.Second+1))
		start := time.Now()
		var got []string
		for _, wait := range []time.Duration{0, 60 * time.Second, 30 * time.Second, time.Second} {
			time.Sleep(wait)
			for _, path := range []string{"/api/books/", "/api/news/"} {
				resp, _ := ask(t, server, "GET "+path, "")
				after := resp.Header.Get("Retry-After")
				if at, err := http.ParseTime(after); err == nil {
					after = "at " + at.Sub(start).String()
				}
				got = append(got, fmt.Sprint(resp.StatusCode, " ", after))
			}
		}
		want := []string{"429 91", "429 at 1m31s", "429 31", "429 at 1m31s", "429 1", "429 at 1m31s", "200 ", "200 "}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// A token that has expired is invalid until another walk begins; pages by offset have none.
func TestExpireTokens(t *testing.T) {
	const list = "/api/labels/?page_size=2"
	records := files("labels.json", `[{"id":1},{"id":2},{"id":3}]`)
	tokens := Google()
	tokens.Size = "page_size"
	tokens.Pages = pagination.Limits{}
	for _, tt := range []struct {
		reason string
		opts   Options
		place  string
		want   string // of a page, a page with a token twice, and all after another first page
	}{
		{"cursors", Options{Pages: pagination.Cursors{Size: "page_size"}}, "cursor=bz0x", `200 404 {"detail":"Invalid cursor"} 404 {"detail":"Invalid cursor"} 200 200`},
		{"tokens", Options{Codec: tokens}, "pageToken=YXQgMg", `200 400 {"error":{"code":400,"message":"Invalid token."}} 400 {"error":{"code":400,"message":"Invalid token."}} 200 200`},
		{"offsets", Options{}, "offset=2", "200 200 200 200 200"},
	} {
		tt.opts.Fixtures = records
		server := NewWith(t, tt.opts)
		var got []string
		ask := func(query string) {
			status, body := get(t, server, list+query)
			got = append(got, fmt.Sprint(status))
			if status != 200 {
				got = append(got, body)
			}
		}
		ask("")
		expired := server.Inject(Match{Collection: "labels"}, ExpireTokens())
		ask("&" + tt.place)
		ask("&" + tt.place)
		ask("")
		ask("&" + tt.place)
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" || expired.Count() != strings.Count(tt.want, "Invalid") {
			t.Errorf("%s: %d changed (-want +got):\n%s", tt.reason, expired.Count(), diff)
		}
	}
}

// Matches select by parameter, header and body, and several requests from one on.
func TestMatchContents(t *testing.T) {
	requests := []struct{ request, body, tenant string }{
		{"GET /api/events/?a=1&b=2", "", ""},
		{"GET /api/events/?a=2&a=1", "", "t1"},
		{"GET /api/events/", "", "t2"},
		{"POST /api/events/", strings.Replace(eventBody, "a-b", "rope", 1), "t1"},
		{"POST /api/events/?a=", strings.Replace(eventBody, "a-b", "rope-2", 1), ""},
	}
	for _, tt := range []struct {
		reason string
		match  Match
		want   string // numbers of requests
	}{
		{"a value", Match{Query: url.Values{"a": {"1"}}}, "1 2"},
		{"one of two values", Match{Query: url.Values{"a": {"2", ""}}}, "2 5"},
		{"any value", Match{Query: url.Values{"a": nil}}, "1 2 5"},
		{"two parameters", Match{Query: url.Values{"a": {"1"}, "b": {"2"}}}, "1"},
		{"a header in another case", Match{Header: http.Header{"x-tenant": {"t1"}}}, "2 4"},
		{"any header", Match{Header: http.Header{"X-Tenant": {}}}, "2 3 4"},
		{"a body", Match{Body: `"slug":"rope"`}, "4"},
		{"a body and a query", Match{Body: "rope", Query: url.Values{"a": nil}}, "5"},
		{"no such body", Match{Body: "vertigo"}, ""},
		{"two times", Match{Times: 2}, "1 2"},
		{"two times from the third", Match{Nth: 3, Times: 2}, "3 4"},
		{"two times after the first", Match{After: 1, Times: 2}, "2 3"},
		{"the second after one, twice", Match{After: 1, Nth: 2, Times: 2}, "3 4"},
		{"more than there are", Match{Nth: 5, Times: 9}, "5"},
		{"times of those that match", Match{Header: http.Header{"X-Tenant": nil}, Times: 2}, "2 3"},
	} {
		server := NewWith(t, Options{Empty: true})
		server.Inject(tt.match, Header("X-Selected", "yes"))
		var got []string
		for i, r := range requests {
			var header []string
			if r.tenant != "" {
				header = []string{"X-Tenant", r.tenant}
			}
			resp, _ := ask(t, server, r.request, r.body, header...)
			if resp.Header.Get("X-Selected") != "" {
				got = append(got, fmt.Sprint(i+1))
			}
			if r.body != "" && resp.StatusCode != 201 { // the handler has the body too
				t.Errorf("%s: %s: %s", tt.reason, r.request, resp.Status)
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

var digits = regexp.MustCompile(`late_test.go:\d+`)

// A test that fails logs which faults have changed which responses.
func TestFaultTable(t *testing.T) {
	logs, _ := runServer(t, Options{Empty: true}, func(server *Server) {
		server.Inject(Match{Path: "/api/books/", Times: 2}, Late(Status(503, "")))
		server.Inject(Match{Nth: 2}, Delay(1))
		server.Inject(Match{}, MissingRow()) // changes nothing
		getAll(t, server, "/api/news/", "/api/books/", "/api/books/?limit=2", "/api/books/")
		server.tb.Errorf("failed")
	})
	want := `faults, with the numbers of their requests:
  2  GET /api/books/          Delay(1ns)         late_test.go:
  2  GET /api/books/          Late(Status(503))  late_test.go:
  3  GET /api/books/?limit=2  Late(Status(503))  late_test.go:
`
	got := digits.ReplaceAllString(strings.Join(logs, "\n"), "late_test.go:")
	if !strings.Contains(got, want) {
		t.Errorf("logs %s, want %s", got, want)
	}
}
