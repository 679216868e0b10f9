package cataloguetest

import (
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMatch sends requests, which may have a header X-Tenant and a body, both after a space.
func TestMatch(t *testing.T) {
	documented := []string{
		"GET /api/books/",
		"HEAD /api/books/?offset=0",
		"GET /api/books/?limit=3&offset=3",
		"POST /api/events/ t1 " + strings.Replace(eventBody, "a-b", "rope", 1),
		"GET /api/item_variants/?offset=3",
		"GET /api/ t2",
		"GET /api/books/?offset=3&offset=0 t1",
	}
	own := []string{
		"GET /v1/films/", "GET /v1/films/2/", "PATCH /v1/films/2/", "DELETE /v1/films/3/", "GET /v1/directors/",
		"GET /v1/directors/2/", "GET /v1/", "GET /v1/films/?offset=2", "GET /v1/films/2", "GET /v1/films/2.5/",
		"GET /v1/films/2/cast/", "GET /api/films/", "POST /v1/drafts/", "GET /v1/drafts/1/",
	}
	tests := []struct {
		reason   string
		requests []string
		match    Match
		want     []int // numbers of the requests, from 1
	}{
		{"zero Match", documented, Match{}, []int{1, 2, 3, 4, 5, 6, 7}},
		{"method", documented, Match{Method: "POST"}, []int{4}},
		{"path", documented, Match{Path: "/api/"}, []int{6}},
		{"unknown path", documented, Match{Path: "/login"}, nil},
		{"pattern with a wildcard", documented, Match{Path: "/api/*/"}, []int{1, 2, 3, 4, 5, 7}},
		{"pattern of a longer path", documented, Match{Path: "/*/books/*/"}, nil},
		{"collection, any method", documented, Match{Collection: "books"}, []int{1, 2, 3, 7}},
		{"collection by key", documented, Match{Collection: "itemVariants"}, []int{5}},
		{"collection by segment", documented, Match{Collection: "item_variants"}, []int{5}},
		{"a value", documented, Match{Query: url.Values{"offset": {"3"}}}, []int{3, 5, 7}},
		{"a value in one collection", documented, Match{Collection: "books", Query: url.Values{"offset": {"3"}}}, []int{3, 7}},
		{"one of two values", documented, Match{Query: url.Values{"offset": {"0", "1"}}}, []int{2, 7}},
		{"any value", documented, Match{Query: url.Values{"offset": nil}}, []int{2, 3, 5, 7}},
		{"two parameters", documented, Match{Query: url.Values{"offset": nil, "limit": {"3"}}}, []int{3}},
		{"a header in another case", documented, Match{Header: http.Header{"x-tenant": {"t1"}}}, []int{4, 7}},
		{"any header", documented, Match{Header: http.Header{"X-Tenant": {}}}, []int{4, 6, 7}},
		{"a body", documented, Match{Body: `"slug":"rope"`}, []int{4}},
		{"no such body", documented, Match{Body: "vertigo"}, nil},
		{"first request", documented, Match{Nth: 1}, []int{1}},
		{"fifth request", documented, Match{Nth: 5}, []int{5}},
		{"more requests than there are", documented, Match{Nth: 9}, nil},
		{"second matching request", documented, Match{Collection: "books", Method: "GET", Nth: 2}, []int{3}},
		{"two times", documented, Match{Times: 2}, []int{1, 2}},
		{"two times from the third", documented, Match{Nth: 3, Times: 2}, []int{3, 4}},
		{"all from the third", documented, Match{Nth: 3, Times: math.MaxInt}, []int{3, 4, 5, 6, 7}},
		{"times of those that match", documented, Match{Header: http.Header{"X-Tenant": nil}, Times: 2}, []int{4, 6}},
		{"share of 1", documented, Match{Share: 1}, []int{1, 2, 3, 4, 5, 6, 7}},

		{"path of a record", own, Match{Path: "/v1/films/2/"}, []int{2, 3}},
		{"pattern of records", own, Match{Path: "/v1/films/*/", Method: "PATCH"}, []int{3}},
		{"own collection by key, with its records", own, Match{Collection: "shortFilms"}, []int{1, 2, 3, 4, 8}},
		{"own collection by segment", own, Match{Collection: "films"}, []int{1, 2, 3, 4, 8}},
		{"other collection", own, Match{Collection: "directors"}, []int{5, 6}},
		{"records have no paths", own, Match{Collection: "drafts"}, []int{13}},
		{"method and collection", own, Match{Collection: "films", Method: "DELETE"}, []int{4}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			server, _ := serveFaults(t, false)
			if strings.Contains(tt.requests[0], "/v1/") {
				server = newFilms(t, 5)
			}
			// Redirects keep the header of the response that is redirected, so they are not followed.
			server.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			injection := server.Inject(tt.match, Header("X-Selected", "yes"))
			var selected []int
			for i, request := range tt.requests {
				parts := append(strings.SplitN(request, " ", 4), "", "")
				resp, _ := ask(t, server, parts[0]+" "+parts[1], parts[3], "X-Tenant", parts[2])
				if resp.Header.Get("X-Selected") != "" {
					selected = append(selected, i+1)
				}
				if parts[3] != "" && resp.StatusCode != http.StatusCreated { // the handler has the body too
					t.Errorf("%s: %s", request, resp.Status)
				}
			}
			if diff := cmp.Diff(tt.want, selected); diff != "" {
				t.Errorf("selected requests (-want +got):\n%s", diff)
			}
			if injection.Remove(); injection.Count() != len(tt.want) {
				t.Errorf("Count() = %d, want %d", injection.Count(), len(tt.want))
			}
		})
	}
}

// TestFaultsConcurrentRequests checks that as many concurrent requests are selected as
// sequential ones.
func TestFaultsConcurrentRequests(t *testing.T) {
	share := Match{Collection: "books", Share: 0.3}
	server, injections := serveFaults(t, true,
		at(Match{Nth: 40}, Header("X-Nth", "40")),
		at(share, Status(500, "")),
		at(Match{Nth: 11, Times: math.MaxInt}, MissingRow()),
		at(Match{}, Page(fewer)),
		at(Match{Nth: 77}, Delay(time.Millisecond)),
	)
	client := server.Client
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 25 {
				resp, err := client.Get(server.URL + "/api/books/?limit=3&offset=3")
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
			}
		})
	}
	all.Wait()
	sequential, counts := serveFaults(t, false, at(share, Status(500, "")))
	for range 200 {
		get(t, sequential, "/api/books/?limit=3&offset=3")
	}
	selected := counts[0].Count()
	if selected < 40 || selected > 80 {
		t.Errorf("%d of 200 requests selected, want about 60", selected)
	}
	if injections[0].Count() != 1 || injections[1].Count() != selected || injections[4].Count() != 1 {
		t.Errorf("Counts = %d, %d, %d, want 1, %d, 1", injections[0].Count(), injections[1].Count(), injections[4].Count(), selected)
	}
	for _, e := range server.Exchanges() {
		if e.Status == http.StatusOK && !strings.HasSuffix(string(e.ResponseBody), "]}") {
			t.Errorf("the log has %v with %s", e, e.ResponseBody)
		}
	}
	if n := len(server.Exchanges()); n != 200 {
		t.Errorf("%d exchanges, want 200", n)
	}
	// A response with a status has no count.
	if n := injections[3].Count(); n != 200-selected {
		t.Errorf("Page: Count() = %d, want %d", n, 200-selected)
	}
}

func TestInvalidFaults(t *testing.T) {
	tests := []struct {
		reason string
		match  Match
		fault  Fault
		text   string // in the error
	}{
		{"zero Fault", Match{}, Fault{}, "zero Fault"},
		{"status of two digits", Match{}, Status(99, ""), "99"},
		{"informational status", Match{}, Status(103, ""), "103"},
		{"status of four digits", Match{}, Status(1000, ""), "1000"},
		{"empty header name", Match{}, Header("", "x"), "Header"},
		{"content length", Match{}, Header("content-length", "5"), "Content-Length"},
		{"space in a header name", Match{}, Header("Retry After", "5"), "Retry After"},
		{"non-ASCII header name", Match{}, Header("É", "5"), "É"},
		{"no function", Match{}, Page(nil), "Page: nil function"},
		{"no function", Match{}, Do(nil), "Do: nil function"},
		{"unknown collection", Match{Collection: "magazines"}, ResetConnection(), "magazines"},
		{"method in lower case", Match{Method: "get"}, ResetConnection(), `Match.Method: "get" is not in upper case; want "GET"`},
		{"method with a space", Match{Method: "GET "}, ResetConnection(), `Match.Method: "GET " is not a method`},
		{"path without the first slash", Match{Path: "api/events/"}, ResetConnection(), `"api/events/" is not a path; want one such as "/api/events/"`},
		{"URL", Match{Path: "http://catalogue.test/api/events/"}, ResetConnection(), `is not a path; want one such as "/api/events/"`},
		{"query", Match{Path: "/api/events/?limit=2"}, ResetConnection(), `has a query or a fragment; want "/api/events/"`},
		{"fragment", Match{Path: "/api/events/#top"}, ResetConnection(), `has a query or a fragment; want "/api/events/"`},
		{"collection without its slash", Match{Path: "/api/item_variants"}, ResetConnection(), `want "/api/item_variants/"`},
		{"root listing without its slash", Match{Path: "/api"}, ResetConnection(), `want "/api/"`},
		{"pattern that is not closed", Match{Path: "/api/[/"}, ResetConnection(), "not a pattern of path.Match"},
		{"records without their slash", Match{Path: "/v1/films/*"}, ResetConnection(), `want "/v1/films/*/"`},
		{"share above 1", Match{Share: 1.1}, ResetConnection(), "1.1"},
		{"negative share", Match{Share: -0.1}, ResetConnection(), "-0.1"},
		{"share is NaN", Match{Share: math.NaN()}, ResetConnection(), "NaN"},
		{"negative Nth", Match{Nth: -1}, ResetConnection(), "-1"},
	}
	for _, tt := range tests {
		opts, root := Options{}, "/api/"
		if strings.HasPrefix(tt.match.Path, "/v1/") {
			opts.Definitions, root = filmDefinitions(), "/v1/"
			opts.Handler.Root = root
		}
		server := NewWith(t, opts)
		i, err := server.TryInject(tt.match, tt.fault)
		if err == nil || i != nil || !strings.HasPrefix(err.Error(), "cataloguetest: ") || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: %v, want an error containing %q", tt.reason, err, tt.text)
		}
		if status, _ := get(t, server, root); status != http.StatusOK {
			t.Errorf("%s: status %d afterwards", tt.reason, status)
		}
		failure := failureOf(t, func(tb testing.TB) { NewWith(tb, opts).Inject(tt.match, tt.fault) })
		if !strings.HasPrefix(failure, "cataloguetest: Inject: ") || !strings.Contains(failure, tt.text) {
			t.Errorf("%s: Inject failed with %q, want %q", tt.reason, failure, tt.text)
		}
	}
}
