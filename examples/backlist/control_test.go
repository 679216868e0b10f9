package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/pagination"
)

// startControl starts the program with few records.
func startControl(t *testing.T, args ...string) *server {
	t.Helper()
	return start(t, few(append(args, "-open", "-control", "127.0.0.1:0")...)...)
}

// results returns the records of a list, all of them.
func results[T any](t *testing.T, url string) []T {
	t.Helper()
	list := decode[pagination.Envelope[T]](t, ask(t, "GET "+url, ""), 200)
	if list.Count != len(list.Records) {
		t.Errorf("%s: %d of %d records", url, len(list.Records), list.Count)
	}
	return list.Records
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
	created := ask(t, "POST "+s.control+"/faults/", `{"fault":"GET /api/books/ 503 nth=2","changed":7}`)
	if diff := cmp.Diff(appliedFault{2, "GET /api/books/ 503 nth=2", 0}, decode[appliedFault](t, created, 201)); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	books, labels := "GET "+s.base+"/api/books/", "GET "+s.base+"/api/labels/"
	if diff := cmp.Diff([]int{418, 200, 503, 200, 418}, statuses(t, labels, books, books, books, labels)); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	want := []appliedFault{{1, "/api/labels/ 418", 2}, {2, "GET /api/books/ 503 nth=2", 1}}
	if diff := cmp.Diff(want, results[appliedFault](t, s.control+"/faults/")); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	first := "DELETE " + s.control + "/faults/1/"
	if diff := cmp.Diff([]int{204, 404, 200}, statuses(t, first, first, labels)); diff != "" {
		t.Errorf("statuses of the deletion, of another one, and of a request (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[1:], results[appliedFault](t, s.control+"/faults/")); diff != "" {
		t.Errorf("faults after the deletion (-want +got):\n%s", diff)
	}
}

func TestControlErrors(t *testing.T) {
	s := startControl(t)
	tests := []struct {
		reason, request, body string
		status                int
		want                  string // in the body
	}{
		{"unknown path", "GET /houses/", "", 404, "Not found."},
		{"unknown fault", "DELETE /faults/1/", "", 404, "Not found."},
		{"other method", "DELETE /faults/", "", 405, "not allowed"},
		{"GET of a reset", "GET /reset/", "", 404, "Not found."},
		{"no fault", "POST /faults/", "", 400, `{"fault":["This field is required."]}`},
		{"invalid JSON", "POST /faults/", `{"fault"`, 400, "JSON parse error"},
		{"invalid fault", "POST /faults/", `{"fault":"503 nth"}`, 400, `{"fault":["unexpected \"nth\"`},
		{"invalid path", "POST /faults/", `{"fault":"GET /api/events 503"}`, 400, `want \"/api/events/\"`},
	}
	for _, tt := range tests {
		method, path, _ := strings.Cut(tt.request, " ")
		a := ask(t, method+" "+s.control+path, tt.body)
		if a.status != tt.status || !strings.Contains(a.body, tt.want) {
			t.Errorf("%s: %d %s, want %d with %s", tt.reason, a.status, a.body, tt.status, tt.want)
		}
	}
	if all := results[appliedFault](t, s.control+"/faults/"); len(all) > 0 {
		t.Errorf("faults %+v after errors", all)
	}
}

func TestExchanges(t *testing.T) {
	s := startControl(t)
	ask(t, "POST "+s.base+"/api/events/?x=1", event, "Authorization", "Bearer s3cret")
	ask(t, "POST "+s.control+"/faults/", `{"fault":"DELETE cut"}`)
	ask(t, "DELETE "+s.base+"/v1/stories/1/", "")
	log := results[exchange](t, s.control+"/exchanges/")
	if len(log) != 2 {
		t.Fatalf("%d exchanges, want 2", len(log))
	}
	first, second := log[0], log[1]
	if first.Method != "POST" || first.URL != "/api/events/?x=1" || first.Headers["Authorization"] != "Bearer s3cret" ||
		first.Body != event || first.Status == nil || *first.Status != 201 || first.AnswerHeaders["Content-Type"] != "application/json" ||
		!strings.Contains(first.Answer, `"slug":"reading"`) || first.Aborted || first.Cut || first.TookMilliseconds <= 0 {
		t.Errorf("first exchange: %+v", first)
	}
	if second.Method != "DELETE" || second.Status != nil || !second.Aborted {
		t.Errorf("second exchange: %+v", second)
	}
	if some := results[exchange](t, s.control+"/exchanges/?method=DELETE"); len(some) != 1 || some[0].ID != 2 {
		t.Errorf("exchanges with a filter: %+v", some)
	}
	for range maxExchanges + 5 {
		get(t, s.base+"/api/faqs/?limit=1")
	}
	if n := len(results[exchange](t, s.control+"/exchanges/")); n != maxExchanges {
		t.Errorf("%d exchanges are kept, want %d", n, maxExchanges)
	}
}

// TestReset checks that a reset returns to the records, faults and ids of the start.
func TestReset(t *testing.T) {
	s := startControl(t, "-fail", "/api/labels/ 418")
	ids := map[any]bool{}
	for range 2 {
		created := decode[map[string]any](t, ask(t, "POST "+s.base+"/api/events/", event), 201)
		ids[created["id"]] = true
		ask(t, "DELETE "+s.base+"/v1/stories/1/", "")
		ask(t, "POST "+s.control+"/faults/", `{"fault":"/api/ 503"}`)
		ask(t, "DELETE "+s.control+"/faults/1/", "")
		if a := ask(t, "POST "+s.control+"/reset/", ""); a.status != 204 {
			t.Fatalf("reset: %d %s", a.status, a.body)
		}
		if n := len(results[exchange](t, s.control+"/exchanges/")); n != 0 {
			t.Errorf("%d exchanges after a reset", n)
		}
		if diff := cmp.Diff([]appliedFault{{1, "/api/labels/ 418", 0}}, results[appliedFault](t, s.control+"/faults/")); diff != "" {
			t.Errorf("faults after a reset (-want +got):\n%s", diff)
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
		reason  string
		headers []string
		want    int // of a POST
	}{
		{"program", nil, 201},
		{"localhost", []string{"Host", "localhost:" + port}, 201},
		{"IPv6", []string{"Host", "[::1]:" + port}, 201},
		{"another loopback address without a port", []string{"Host", "127.1.2.3"}, 201},
		{"typed into a browser", []string{"Sec-Fetch-Site", "none"}, 201},
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
			if method == "GET" && want == 201 {
				want = 200
			}
			a := ask(t, method+" "+s.control+"/faults/", `{"fault":"PUT cut"}`, tt.headers...)
			if a.status != want || a.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s: %s: %d %s, want %d", tt.reason, method, a.status, a.body, want)
			}
		}
	}
}
