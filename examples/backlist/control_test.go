package main

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// list is the JSON of a list.
type list[T any] struct {
	Count   int
	Results []T
}

// startControl starts the program with few records.
func startControl(t *testing.T, args ...string) *server {
	t.Helper()
	return start(t, few(append(args, "-open", "-control", "127.0.0.1:0")...)...)
}

// fork creates a house.
func fork(t *testing.T, s *server, name string) houseJSON {
	t.Helper()
	return decode[houseJSON](t, ask(t, "POST "+s.control+"/houses/", fmt.Sprintf(`{"name":%q}`, name)), 201)
}

// count returns the number of records of a list.
func count(t *testing.T, request string, headers ...string) int {
	t.Helper()
	return decode[list[any]](t, ask(t, request, "", headers...), 200).Count
}

func TestForksAreIndependent(t *testing.T) {
	s := startControl(t)
	before := ask(t, "POST "+s.base+"/api/events/", event) // forks have the records of the main house
	a, b := fork(t, s, "a"), fork(t, s, "")
	if before.status != 201 || a.URL != s.base+"/houses/a" || b.Name == "" || b.URL != s.base+"/houses/"+b.Name {
		t.Fatalf("POST %d, houses %+v, %+v", before.status, a, b)
	}
	ask(t, "POST "+a.URL+"/api/events/", event)
	ask(t, "POST "+s.base+"/api/events/", event, houseHeader, "a")
	ask(t, "POST "+s.control+"/houses/a/faults/", `{"fault":"/api/books/ 503"}`)
	got := map[string]int{
		"main":     count(t, "GET "+s.base+"/api/events/"),
		"main too": count(t, "GET "+s.base+"/houses/main/api/events/"),
		"a":        count(t, "GET "+a.URL+"/api/events/"),
		"header":   count(t, "GET "+s.base+"/api/events/", houseHeader, "a"),
		"both":     count(t, "GET "+a.URL+"/api/events/", houseHeader, "a"),
		"b":        count(t, "GET "+b.URL+"/api/events/"),
		"books":    ask(t, "GET "+a.URL+"/api/books/", "").status,
		"others":   ask(t, "GET "+b.URL+"/api/books/", "").status,
		"log of b": count(t, "GET "+s.control+"/houses/"+b.Name+"/exchanges/"),
	}
	want := map[string]int{"main": 4, "main too": 4, "a": 6, "header": 6, "both": 6, "b": 4, "books": 503, "others": 200, "log of b": 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLinksOfHouse walks the pages of a house by its links, in JSON and HTML.
func TestLinksOfHouse(t *testing.T) {
	for _, base := range []string{"", "https://shop.example/x"} {
		var args []string
		if base != "" {
			args = []string{"-base-url", base}
		}
		s := startControl(t, args...)
		if base == "" {
			base = s.base
		}
		h := fork(t, s, "walk")
		if want := base + "/houses/walk"; h.URL != want {
			t.Errorf("url = %s, want %s", h.URL, want)
		}
		local := func(link string) string { return strings.Replace(link, base, s.base, 1) }
		ids := 0
		next := h.URL + "/api/events/?limit=1"
		for next != "" {
			p := decode[page](t, ask(t, "GET "+local(next), ""), 200)
			ids += len(p.Results)
			next = ""
			if p.Next != nil {
				if next = *p.Next; !strings.HasPrefix(next, h.URL+"/api/events/?") {
					t.Fatalf("next = %s, want a link below %s", next, h.URL)
				}
			}
		}
		if ids != 3 {
			t.Errorf("%d records by links, want 3", ids)
		}
		root := decode[map[string]string](t, ask(t, "GET "+local(h.URL)+"/api/", ""), 200)
		if want := h.URL + "/api/books/?format=api"; root["books"] != want {
			t.Errorf("root has %s, want %s", root["books"], want)
		}
		here, err := url.Parse(h.URL + "/api/")
		if err != nil {
			t.Fatal(err)
		}
		html := ask(t, "GET "+local(here.String()), "", "Accept", "text/html")
		links := regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(html.body, -1)
		for _, link := range links {
			to, err := here.Parse(link[1])
			if err != nil || !strings.HasPrefix(to.String(), h.URL+"/api/") {
				t.Errorf("the HTML page has a link to %v, %v", to, err)
			}
		}
		if len(links) < 39 {
			t.Errorf("%d links in the HTML page", len(links))
		}
	}
}

func TestRootRedirects(t *testing.T) {
	s := startControl(t)
	fork(t, s, "a")
	for path, want := range map[string]string{"/": "/api/", "/houses/a/": "/houses/a/api/", "/houses/a": "/houses/a/api/"} {
		for _, method := range []string{"GET", "HEAD"} {
			r, err := http.NewRequestWithContext(t.Context(), method, s.base+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultClient.Do(r) // follows redirects
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if got := resp.Request.URL.Path; got != want || resp.StatusCode != 200 {
				t.Errorf("%s %s leads to %s with %s, want %s", method, path, got, resp.Status, want)
			}
		}
	}
	if a := ask(t, "POST "+s.base+"/", "{}"); a.status != 404 {
		t.Errorf("POST /: %d, want 404", a.status)
	}
}

func TestFaultsOfHouse(t *testing.T) {
	s := startControl(t, "-fail", "/api/labels/ 418")
	url := s.control + "/houses/main/faults/"
	created := ask(t, "POST "+url, `{"fault":"GET /api/books/ 503 nth=2"}`)
	ask(t, "POST "+url, `{"fault":"GET /api/events/ 502"}`)
	if got := decode[faultJSON](t, created, 201); got.ID != 2 || created.header.Get("Location") != "/houses/main/faults/2/" {
		t.Errorf("created %+v at %s", got, created.header.Get("Location"))
	}
	var statuses []int
	for _, path := range []string{"labels", "books", "books", "books", "events"} {
		statuses = append(statuses, ask(t, "GET "+s.base+"/api/"+path+"/", "").status)
	}
	if diff := cmp.Diff([]int{418, 200, 503, 200, 502}, statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	want := []faultJSON{{1, "/api/labels/ 418", 1}, {2, "GET /api/books/ 503 nth=2", 1}, {3, "GET /api/events/ 502", 1}}
	if diff := cmp.Diff(want, decode[list[faultJSON]](t, ask(t, "GET "+url, ""), 200).Results); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if a := ask(t, "DELETE "+url+"3/", ""); a.status != 204 {
		t.Errorf("DELETE: %d", a.status)
	}
	if got := ask(t, "GET "+s.base+"/api/events/", "").status; got != 200 {
		t.Errorf("after mending: %d", got)
	}
	if a := ask(t, "DELETE "+url+"3/", ""); a.status != 404 {
		t.Errorf("second DELETE: %d, want 404", a.status)
	}
	if a := ask(t, "DELETE "+url, ""); a.status != 204 || count(t, "GET "+url) != 0 {
		t.Errorf("DELETE of all: %d", a.status)
	}
	if got := ask(t, "GET "+s.base+"/api/labels/", "").status; got != 200 {
		t.Errorf("after mending all: %d", got)
	}
	ask(t, "POST "+s.control+"/houses/main/reset/", "")
	if got := ask(t, "GET "+s.base+"/api/labels/", "").status; got != 418 {
		t.Errorf("after a reset: %d, want that of the flag", got)
	}
}

func TestReset(t *testing.T) {
	s := startControl(t)
	fork(t, s, "a")
	for _, name := range []string{"main", "a"} {
		base := s.base + "/houses/" + name
		ids := map[string]bool{}
		for range 2 {
			created := decode[map[string]any](t, ask(t, "POST "+base+"/api/events/", event), 201)
			ids[fmt.Sprint(created["id"])] = true
			ask(t, "POST "+s.control+"/houses/"+name+"/faults/", `{"fault":"cut"}`)
			if a := ask(t, "POST "+s.control+"/houses/"+name+"/reset/", ""); decode[houseJSON](t, a, 200).Faults != 0 {
				t.Errorf("%s: reset returned %s", name, a.body)
			}
			if log := count(t, "GET "+s.control+"/houses/"+name+"/exchanges/"); log != 0 {
				t.Errorf("%s: %d exchanges after a reset", name, log)
			}
			if events := count(t, "GET "+base+"/api/events/"); events != 3 {
				t.Errorf("%s: %d events after a reset, want 3", name, events)
			}
		}
		if len(ids) != 1 {
			t.Errorf("%s: ids %v, want the same after a reset", name, ids)
		}
	}
}

func TestExchangesOfHouse(t *testing.T) {
	s := startControl(t)
	h := fork(t, s, "a")
	ask(t, "POST "+h.URL+"/api/events/?x=1", event, "Authorization", "Bearer s3cret")
	ask(t, "POST "+s.control+"/houses/a/faults/", `{"fault":"DELETE cut"}`)
	ask(t, "DELETE "+h.URL+"/api/events/", "")
	log := decode[list[exchangeJSON]](t, ask(t, "GET "+s.control+"/houses/a/exchanges/", ""), 200).Results
	if len(log) != 2 {
		t.Fatalf("%d exchanges, want 2", len(log))
	}
	first, second := log[0], log[1]
	if first.Method != "POST" || first.URL != "/api/events/?x=1" || first.Headers["Authorization"] != "Bearer s3cret" || first.Body != event ||
		first.Status == nil || *first.Status != 201 || first.AnswerHeaders["Content-Type"] != "application/json" || !strings.Contains(first.Answer, `"slug":"reading"`) || first.Aborted {
		t.Errorf("first exchange: %+v", first)
	}
	if second.Method != "DELETE" || second.Status != nil || !second.Aborted {
		t.Errorf("second exchange: %+v", second)
	}
	if p := decode[list[exchangeJSON]](t, ask(t, "GET "+s.control+"/houses/a/exchanges/?offset=1&limit=1", ""), 200); p.Count != 2 || len(p.Results) != 1 || p.Results[0].Method != "DELETE" {
		t.Errorf("second page of the log: %+v", p)
	}
	if a := ask(t, "DELETE "+s.control+"/houses/a/exchanges/", ""); a.status != 204 || count(t, "GET "+s.control+"/houses/a/exchanges/") != 0 {
		t.Errorf("DELETE of the log: %d", a.status)
	}
}

func TestControlErrors(t *testing.T) {
	s := startControl(t)
	fork(t, s, "test1")
	tests := []struct {
		reason, request, body string
		status                int
		want                  string // in the body
	}{
		{"unknown path", "GET /house/", "", 404, "Not found."},
		{"path without its slash", "GET /x", "", 404, "end with a slash"},
		{"unknown house", "GET /houses/tset1/", "", 404, "did you mean test1?"},
		{"unknown house to break", "POST /houses/nobody/faults/", `{"fault":"cut"}`, 404, "nobody"},
		{"unknown fault", "GET /houses/test1/faults/1/", "", 404, "no such fault"},
		{"fault that is not a number", "DELETE /houses/test1/faults/x/", "", 404, "no such fault"},
		{"other method", "PUT /houses/test1/", "{}", 405, `Method \"PUT\" not allowed.`},
		{"GET of a reset", "GET /houses/test1/reset/", "", 405, `Method \"GET\" not allowed.`},
		{"invalid JSON", "POST /houses/", `{"name"`, 400, "JSON parse error - unexpected EOF"},
		{"list", "POST /houses/", `[]`, 400, "JSON parse error - want an object"},
		{"number", "POST /houses/", `{"name":7}`, 400, "JSON parse error - want an object with text"},
		{"two values", "POST /houses/", `{}{}`, 400, "more than one value"},
		{"unknown member", "POST /houses/", `{"house":"a"}`, 400, `unknown field \"house\"`},
		{"long body", "POST /houses/", `{"name":"` + strings.Repeat("x", 1<<17) + `"}`, 413, "65536 bytes"},
		{"name that exists", "POST /houses/", `{"name":"test1"}`, 400, `{"name":["a house of this name exists"]}`},
		{"main house again", "POST /houses/", `{"name":"main"}`, 400, "exists"},
		{"name that is a path", "POST /houses/", `{"name":"../main"}`, 400, "letters, digits"},
		{"name that is too long", "POST /houses/", `{"name":"` + strings.Repeat("x", 65) + `"}`, 400, "1 to 64"},
		{"removing the main house", "DELETE /houses/main/", "", 409, "can be reset"},
		{"no fault", "POST /houses/test1/faults/", "", 400, `{"fault":["no fault; want one`},
		{"invalid fault", "POST /houses/test1/faults/", `{"fault":"GET /api/events 503"}`, 400, `want \"/api/events/\"`},
	}
	for _, tt := range tests {
		method, path, _ := strings.Cut(tt.request, " ")
		a := ask(t, method+" "+s.control+path, tt.body)
		if a.status != tt.status || !strings.Contains(a.body, tt.want) || a.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s, want %d with %s", tt.reason, a.status, a.body, tt.status, tt.want)
		}
		if (a.header.Get("Allow") != "") != (tt.status == 405) {
			t.Errorf("%s: Allow = %q", tt.reason, a.header.Get("Allow"))
		}
	}
}

func TestSelectionErrors(t *testing.T) {
	s := startControl(t)
	fork(t, s, "a")
	fork(t, s, "b")
	tests := []struct {
		reason, path string
		houses       []string
		status       int
		want         string
	}{
		{"unknown name in the header", "/api/", []string{"c"}, 404, `There is no house "c"`},
		{"empty name", "/api/", []string{""}, 404, `There is no house ""`},
		{"unknown name in the path", "/houses/c/api/", nil, 404, `There is no house "c"`},
		{"no name in the path", "/houses/", nil, 404, `There is no house ""`},
		{"names that differ", "/houses/a/api/", []string{"b"}, 400, "several houses"},
		{"two headers", "/api/", []string{"a", "b"}, 400, "several houses"},
		{"unknown path of a house", "/houses/a/nothing/", nil, 404, "Not found."},
		{"the document has no prefix", "/houses/a/openapi.json", nil, 404, "Not found."},
	}
	for _, tt := range tests {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.base+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header[houseHeader] = tt.houses
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		detail := decode[map[string]string](t, read(t, resp), tt.status)["detail"]
		if !strings.Contains(detail, tt.want) {
			t.Errorf("%s: %s, want %s", tt.reason, detail, tt.want)
		}
	}
	removed := ask(t, "DELETE "+s.control+"/houses/a/", "")
	if after := ask(t, "GET "+s.base+"/houses/a/api/", ""); removed.status != 204 || after.status != 404 {
		t.Errorf("removed with %d, then %d", removed.status, after.status)
	}
}

// TestWithoutControl checks that nothing selects a house.
func TestWithoutControl(t *testing.T) {
	s := start(t, few()...)
	if a := ask(t, "GET "+s.base+"/api/", "", houseHeader, "a"); a.status != 200 {
		t.Errorf("with the header: %d, want 200", a.status)
	}
	if a := ask(t, "GET "+s.base+"/houses/main/api/", ""); a.status != 404 || a.detail(t) != "Not found." {
		t.Errorf("with the path: %d %s, want 404", a.status, a.body)
	}
}

// TestRefusePages checks that only programs on this machine reach the control address.
func TestRefusePages(t *testing.T) {
	s := startControl(t)
	address := strings.TrimPrefix(s.control, "http://")
	_, port, _ := strings.Cut(address, ":")
	tests := []struct {
		reason  string
		headers []string
		want    int
	}{
		{"program", nil, 200},
		{"localhost", []string{"Host", "localhost:" + port}, 200},
		{"IPv6", []string{"Host", "[::1]:" + port}, 200},
		{"another loopback address without a port", []string{"Host", "127.1.2.3"}, 200},
		{"typed into a browser", []string{"Sec-Fetch-Site", "none"}, 200},
		{"name that leads to the address", []string{"Host", "evil.example:" + port}, 403},
		{"name that begins with the address", []string{"Host", "127.0.0.1.evil.example"}, 403},
		{"address of another machine", []string{"Host", "192.0.2.1:" + port}, 403},
		{"another page", []string{"Origin", "http://evil.example"}, 403},
		{"page of another port", []string{"Origin", "http://127.0.0.1:1"}, 403},
		{"page of a file", []string{"Origin", "null"}, 403},
		{"image or link of another page", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"page of another port of this machine", []string{"Sec-Fetch-Site", "same-site"}, 403},
	}
	for _, tt := range tests {
		for _, method := range []string{"GET", "POST"} {
			want := tt.want
			if method == "POST" && want == 200 {
				want = 201
			}
			a := ask(t, method+" "+s.control+"/houses/", "", tt.headers...)
			if a.status != want || a.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s: %s: %d %s, want %d", tt.reason, method, a.status, a.body, want)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	s := startControl(t)
	for i := range maxHouses {
		if a := ask(t, "POST "+s.control+"/houses/", ""); a.status != 201 {
			t.Fatalf("house %d: %d %s", i+1, a.status, a.body)
		}
	}
	if a := ask(t, "POST "+s.control+"/houses/", ""); a.status != 409 || !strings.Contains(a.detail(t), "100 houses") {
		t.Errorf("one house more: %d %s, want 409", a.status, a.body)
	}
	ask(t, "DELETE "+s.control+"/houses/house-7/", "")
	if a := ask(t, "POST "+s.control+"/houses/", ""); a.status != 201 {
		t.Errorf("after one was removed: %d %s", a.status, a.body)
	}
	for range maxFaults {
		ask(t, "POST "+s.control+"/houses/main/faults/", `{"fault":"POST 503"}`)
	}
	if a := ask(t, "POST "+s.control+"/houses/main/faults/", `{"fault":"cut"}`); a.status != 409 || !strings.Contains(a.detail(t), "100 faults") {
		t.Errorf("one fault more: %d %s, want 409", a.status, a.body)
	}
	for range maxExchanges + 5 {
		get(t, s.base+"/api/faqs/")
	}
	if n := count(t, "GET "+s.control+"/houses/main/exchanges/"); n != maxExchanges {
		t.Errorf("%d exchanges are kept, want %d", n, maxExchanges)
	}
}
