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
