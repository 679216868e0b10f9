package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// startControl starts the program with few records.
func startControl(t *testing.T, args ...string) *instance {
	t.Helper()
	return start(t, few(append(args, "-open", "-control", "127.0.0.1:0")...)...)
}

// exchangesOf returns the log.
func exchangesOf(t *testing.T, s *instance) []exchange {
	t.Helper()
	return decode[[]exchange](t, ask(t, "GET "+s.control+"/exchanges/", ""), 200)
}

// statuses returns the status of each request.
func statuses(t *testing.T, requests ...string) (all []int) {
	t.Helper()
	for _, request := range requests {
		all = append(all, ask(t, request, "").status)
	}
	return all
}

func TestControlFaults(t *testing.T) {
	s := startControl(t, "-fail", "/api/labels/ 418")
	if a := ask(t, "POST "+s.control+"/faults/", `{"fault":"GET /api/books/ 503 nth=2"}`); a.status != 204 || a.body != "" {
		t.Errorf("POST: %d %s, want 204", a.status, a.body)
	}
	books, labels := "GET "+s.base+"/api/books/", "GET "+s.base+"/api/labels/"
	if diff := cmp.Diff([]int{418, 200, 503, 200, 418}, statuses(t, labels, books, books, books, labels)); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

func TestControlErrors(t *testing.T) {
	s := startControl(t)
	tests := []struct {
		reason, request, body string
		status                int
		want                  string // in the body
	}{
		{"unknown path", "GET /houses/", "", 404, ""},
		{"path below the faults", "POST /faults/1/", `{"fault":"/api/ 503"}`, 404, ""},
		{"other method", "DELETE /faults/", "", 405, ""},
		{"GET of a reset", "GET /reset/", "", 405, ""},
		{"no fault", "POST /faults/", "{}", 400, "no fault; want one such as 503"},
		{"invalid JSON", "POST /faults/", `{"fault"`, 400, `want a JSON object such as {"fault": "GET /api/events/ 503"}`},
		{"another type", "POST /faults/", `{"fault":503}`, 400, `want a JSON object such as {"fault": "GET /api/events/ 503"}`},
		{"invalid fault", "POST /faults/", `{"fault":"503 nth"}`, 400, `unexpected "nth"`},
		{"mistyped collection", "POST /faults/", `{"fault":"GET /api/evnets/ 503"}`, 400, `"/api/evnets/": did you mean /api/events/?`},
		{"mistyped root", "POST /faults/", `{"fault":"/v2/stories/ cut"}`, 400, `"/v2/stories/": did you mean /v1/stories/?`},
		{"mistyped collection in a pattern", "POST /faults/", `{"fault":"/v1/storys/*/ 503"}`, 400, "did you mean /v1/stories/?"},
		{"record without a path", "POST /faults/", `{"fault":"/v1/labels/7/ 503"}`, 400, "did you mean /v1/labels/?"},
		{"path of nothing", "POST /faults/", `{"fault":"/login 503"}`, 400, "want one of /, /openapi.json, /api/, "},
		{"invalid pattern", "POST /faults/", `{"fault":"/v1/[/ 503"}`, 400, "is not a pattern"},
		{"invalid path", "POST /faults/", `{"fault":"GET /api/events 503"}`, 400, `want "/api/events/"`},
	}
	for _, tt := range tests {
		method, path, _ := strings.Cut(tt.request, " ")
		a := ask(t, method+" "+s.control+path, tt.body)
		if a.status != tt.status || !strings.Contains(a.body, tt.want) {
			t.Errorf("%s: %d %s, want %d with %s", tt.reason, a.status, a.body, tt.status, tt.want)
		}
	}
	if all := statuses(t, "GET "+s.base+"/api/", "GET "+s.base+"/api/events/"); !slices.Equal(all, []int{200, 200}) {
		t.Errorf("statuses %v after errors, want no fault", all)
	}
	if a := ask(t, "GET "+s.control+"/faults/", ""); a.status != 200 || a.body != "[]\n" {
		t.Errorf("faults after errors: %d %s, want none", a.status, a.body)
	}
}

// TestFaultList checks that the faults of the flags and of requests are listed, with the
// number of responses that each has changed, and that each path of the service can have one.
func TestFaultList(t *testing.T) {
	s := startControl(t, "-delay", "1ms", "-fail", "GET /api/labels/ 503 nth=2")
	labels := "GET " + s.base + "/api/labels/"
	statuses(t, labels, labels, labels)
	want := []usedFault{{"delay 1ms", 3}, {"GET /api/labels/ 503 nth=2", 1}}
	for _, path := range []string{"/", "/openapi.json", "/api/", "/v1/", "/v1/stories/", "/v1/stories/1/"} {
		fault := path + ` 418 "" nth=1`
		body, err := json.Marshal(map[string]string{"fault": fault})
		if err != nil {
			t.Fatal(err)
		}
		if a := ask(t, "POST "+s.control+"/faults/", string(body)); a.status != 204 {
			t.Fatalf("%s: %d %s", fault, a.status, a.body)
		}
		if got := statuses(t, "GET "+s.base+path); got[0] != 418 {
			t.Errorf("%s: status %d", fault, got[0])
		}
		want[0].Count++
		want = append(want, usedFault{fault, 1})
	}
	for _, unused := range []string{"/v1/*/*/ cut nth=100", "POST cut"} {
		if a := ask(t, "POST "+s.control+"/faults/", `{"fault":"`+unused+`"}`); a.status != 204 {
			t.Fatalf("%s: %d %s", unused, a.status, a.body)
		}
		want = append(want, usedFault{unused, 0})
	}
	list := func() []usedFault {
		return decode[[]usedFault](t, ask(t, "GET "+s.control+"/faults/", ""), 200)
	}
	if diff := cmp.Diff(want, list()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	ask(t, "POST "+s.control+"/reset/", "")
	if diff := cmp.Diff([]usedFault{{"delay 1ms", 0}, {"GET /api/labels/ 503 nth=2", 0}}, list()); diff != "" {
		t.Errorf("faults after a reset (-want +got):\n%s", diff)
	}
}

func TestExchanges(t *testing.T) {
	s := startControl(t)
	ask(t, "POST "+s.base+"/api/events/?x=1", event, "Authorization", "Bearer s3cret")
	ask(t, "POST "+s.control+"/faults/", `{"fault":"DELETE cut"}`)
	ask(t, "DELETE "+s.base+"/v1/stories/1/", "")
	log := exchangesOf(t, s)
	if len(log) != 2 {
		t.Fatalf("%d exchanges, want 2", len(log))
	}
	first, second := log[0], log[1]
	if first.Method != "POST" || first.URL != "/api/events/?x=1" || first.Headers["Authorization"] != "Bearer s3cret" ||
		first.Body != event || first.Status == nil || *first.Status != 201 || first.AnswerHeaders["Content-Type"] != "application/json" ||
		!strings.Contains(first.Answer, `"slug":"reading"`) || first.Aborted || first.Cut {
		t.Errorf("first exchange: %+v", first)
	}
	if second.Method != "DELETE" || second.Status != nil || !second.Aborted {
		t.Errorf("second exchange: %+v", second)
	}
	for range maxExchanges + 5 {
		get(t, s.base+"/api/faqs/?limit=1")
	}
	if n := len(exchangesOf(t, s)); n != maxExchanges {
		t.Errorf("%d exchanges are kept, want %d", n, maxExchanges)
	}
}

// TestReset checks that a reset restores the records, faults and ids of the start.
func TestReset(t *testing.T) {
	s := startControl(t, "-fail", "/api/labels/ 418")
	ids := map[any]bool{}
	for range 2 {
		created := decode[map[string]any](t, ask(t, "POST "+s.base+"/api/events/", event), 201)
		ids[created["id"]] = true
		ask(t, "DELETE "+s.base+"/v1/stories/1/", "")
		ask(t, "POST "+s.control+"/faults/", `{"fault":"/api/ 503"}`)
		if a := ask(t, "POST "+s.control+"/reset/", ""); a.status != 204 {
			t.Fatalf("reset: %d %s", a.status, a.body)
		}
		if a := ask(t, "GET "+s.control+"/exchanges/", ""); a.status != 200 || a.body != "[]\n" {
			t.Errorf("exchanges after a reset: %d %s", a.status, a.body)
		}
		if n := get(t, s.base+"/api/events/").Count; n != 3 {
			t.Errorf("%d events after a reset, want 3", n)
		}
		want := []int{418, 200, 200}
		if diff := cmp.Diff(want, statuses(t, "GET "+s.base+"/api/labels/", "GET "+s.base+"/api/", "GET "+s.base+"/v1/stories/1/")); diff != "" {
			t.Errorf("statuses after a reset (-want +got):\n%s", diff)
		}
	}
	if len(ids) != 1 {
		t.Errorf("ids %v, want the same after a reset", ids)
	}
}

// TestSlowWriteBesideReset checks that a write that arrived before a reset is answered and
// does not reach the records after it.
func TestSlowWriteBesideReset(t *testing.T) {
	s := startControl(t)
	slow := begin(t, s.addr)
	if a := ask(t, "POST "+s.control+"/reset/", ""); a.status != 204 {
		t.Fatalf("reset: %d %s", a.status, a.body)
	}
	if status := slow.end(); status != http.StatusCreated {
		t.Errorf("POST beside the reset: %d", status)
	}
	if n := get(t, s.base+"/api/events/").Count; n != 3 {
		t.Errorf("%d events after the reset, want 3", n)
	}
}

// TestRefusePages checks that only programs on this machine reach the control address.
func TestRefusePages(t *testing.T) {
	s := startControl(t)
	_, port, _ := strings.Cut(strings.TrimPrefix(s.control, "http://"), ":")
	tests := []struct {
		reason    string
		headers   []string
		permitted bool
	}{
		{"program", nil, true},
		{"localhost", []string{"Host", "localhost:" + port}, true},
		{"IPv6", []string{"Host", "[::1]:" + port}, true},
		{"another loopback address without a port", []string{"Host", "127.1.2.3"}, true},
		{"typed into a browser", []string{"Sec-Fetch-Site", "none"}, true},
		{"name that leads to the address", []string{"Host", "evil.example:" + port}, false},
		{"name that begins with the address", []string{"Host", "127.0.0.1.evil.example"}, false},
		{"address of another machine", []string{"Host", "192.0.2.1:" + port}, false},
		{"another page", []string{"Origin", "http://evil.example"}, false},
		{"page of another port", []string{"Origin", "http://127.0.0.1:1"}, false},
		{"page of a file", []string{"Origin", "null"}, false},
		{"image or link of another page", []string{"Sec-Fetch-Site", "cross-site"}, false},
		{"page of another port of this machine", []string{"Sec-Fetch-Site", "same-site"}, false},
	}
	for _, tt := range tests {
		for request, want := range map[string]int{"POST /faults/": 204, "GET /exchanges/": 200} {
			if !tt.permitted {
				want = 403
			}
			method, path, _ := strings.Cut(request, " ")
			a := ask(t, method+" "+s.control+path, `{"fault":"PUT cut"}`, tt.headers...)
			if a.status != want || a.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s: %s: %d %s, want %d", tt.reason, request, a.status, a.body, want)
			}
		}
	}
}
