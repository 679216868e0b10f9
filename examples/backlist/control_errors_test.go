package main

import (
	"net/http"
	"strings"
	"testing"
)

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
		{"escaped name", "/houses/%61/api/", nil, 404, "Not found."},
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
