package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const front = "http://localhost:5173"

// TestCORS checks the headers of the Fetch standard, section "CORS protocol" (3.3).
func TestCORS(t *testing.T) {
	const exposed = "Allow, ETag, Location, Retry-After, WWW-Authenticate"
	const methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
	simple := map[string]string{"Allow-Origin": front, "Allow-Credentials": "true", "Expose-Headers": exposed}
	preflight := map[string]string{"Allow-Origin": front, "Allow-Credentials": "true", "Allow-Methods": methods, "Max-Age": "600"}
	with := func(m map[string]string, name, value string) map[string]string {
		all := map[string]string{name: value}
		for k, v := range m {
			if k != name {
				all[k] = v
			}
		}
		return all
	}
	tests := []struct {
		reason  string
		cors    string
		request string // method and path
		headers []string
		status  int
		want    map[string]string // without Access-Control-
		vary    bool              // contains Origin
	}{
		{"no -cors", "", "GET /api/", []string{"Origin", front}, 200, nil, false},
		{"no page", front, "GET /api/", nil, 200, nil, true},
		{"page", front, "GET /api/", []string{"Origin", front}, 200, simple, true},
		{"second origin of the list", "https://shop.example, " + front, "GET /api/", []string{"Origin", front}, 200, simple, true},
		{"another port", front, "GET /api/", []string{"Origin", "http://localhost:5174"}, 200, nil, true},
		{"origin in other letters, which browsers do not send", front, "GET /api/", []string{"Origin", "http://LOCALHOST:5173"}, 200, nil, true},
		{"page of a file", "null", "GET /api/", []string{"Origin", "null"}, 200, with(simple, "Allow-Origin", "null"), true},
		{"any page: no credentials, and the same for each", "*", "GET /api/", []string{"Origin", front}, 200,
			map[string]string{"Allow-Origin": "*", "Expose-Headers": exposed}, false},
		{"errors can be read", front, "GET /api/unknown/", []string{"Origin", front}, 404, simple, true},
		{"redirects can be followed", front, "GET /api/events", []string{"Origin", front}, 301, simple, true},
		{"fault", front, "GET /api/books/", []string{"Origin", front}, 503, simple, true},
		{"metadata, which are no preflight", front, "OPTIONS /api/events/", []string{"Origin", front}, 200, simple, true},
		{"no page, but the header of a preflight", front, "OPTIONS /api/events/", []string{"Access-Control-Request-Method", "POST"}, 200, nil, true},
		{"preflight", front, "OPTIONS /api/events/", []string{"Origin", front, "Access-Control-Request-Method", "PUT"}, 204, preflight, true},
		{"preflight with headers", front, "OPTIONS /api/events/", []string{"Origin", front, "Access-Control-Request-Method", "POST",
			"Access-Control-Request-Headers", "authorization,content-type,if-match,x-backlist-house"}, 204,
			with(preflight, "Allow-Headers", "authorization,content-type,if-match,x-backlist-house"), true},
		{"preflight of any page", "*", "OPTIONS /api/events/", []string{"Origin", front, "Access-Control-Request-Method", "POST"}, 204,
			map[string]string{"Allow-Origin": "*", "Allow-Methods": methods, "Max-Age": "600"}, false},
		{"preflight of another page", front, "OPTIONS /api/events/", []string{"Origin", "http://evil.example", "Access-Control-Request-Method", "POST"}, 200, nil, true},
		{"preflight is not delayed or broken", front, "OPTIONS /api/books/", []string{"Origin", front, "Access-Control-Request-Method", "GET"}, 204, preflight, true},
	}
	servers := map[string]*instance{"": start(t, few("-fail", "/api/books/ 503")...)}
	for _, tt := range tests {
		if servers[tt.cors] == nil {
			servers[tt.cors] = start(t, few("-fail", "/api/books/ 503", "-cors", tt.cors)...)
		}
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s := servers[tt.cors]
			method, path, _ := strings.Cut(tt.request, " ")
			a := ask(t, method+" "+s.base+path, "", tt.headers...)
			got := map[string]string{}
			for name := range a.header {
				if short, ok := strings.CutPrefix(name, "Access-Control-"); ok {
					got[short] = a.header.Get(name)
				}
			}
			if tt.want == nil {
				tt.want = map[string]string{}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || a.status != tt.status {
				t.Errorf("status %d, want %d; headers (-want +got):\n%s", a.status, tt.status, diff)
			}
			varies := strings.Contains(strings.Join(a.header.Values("Vary"), ","), "Origin")
			if varies != tt.vary {
				t.Errorf("Vary = %q, want Origin: %t", a.header.Values("Vary"), tt.vary)
			}
		})
	}
}

// TestCORSVary checks that a preflight varies by the headers that its response repeats, and
// that other values of Vary stay.
func TestCORSVary(t *testing.T) {
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Add("Vary", "Accept") })
	for method, want := range map[string][]string{"OPTIONS": {"Origin", "Access-Control-Request-Headers"}, "GET": {"Origin", "Accept"}} {
		r := httptest.NewRequest(method, "/", nil)
		r.Header.Set("Origin", front)
		r.Header.Set("Access-Control-Request-Method", "PUT")
		w := httptest.NewRecorder()
		allowOrigins([]string{front}, next).ServeHTTP(w, r)
		if diff := cmp.Diff(want, w.Header().Values("Vary")); diff != "" {
			t.Errorf("%s: Vary (-want +got):\n%s", method, diff)
		}
	}
}

// Pages of other sites write only if -cors permits it.
func TestCORSWrites(t *testing.T) {
	const link = `{"title":"x","url":"https://x.example","type":"web","author":1}`
	const evil = "http://evil.example"
	for _, tt := range []struct {
		reason, cors, origin string
		want                 int
	}{
		{"no -cors", "", front, 403},
		{"page", front, front, 201},
		{"second origin of the list", "https://shop.example, " + front, front, 201},
		{"page of another origin", front, evil, 403},
		{"any page", "*", evil, 201},
		{"page of a file", front + ",null", "null", 201},
	} {
		args := few("-open")
		if tt.cors != "" {
			args = append(args, "-cors", tt.cors)
		}
		s := start(t, args...)
		if a := ask(t, "POST "+s.base+"/api/social-links/", link, "Origin", tt.origin, "Sec-Fetch-Site", "cross-site"); a.status != tt.want {
			t.Errorf("%s: status %d, want %d: %s", tt.reason, a.status, tt.want, a.body)
		}
	}
}

// With a token, which a cookie can hold, pages of other sites write only if they send it
// themselves, whatever -cors permits.
func TestCORSWritesWithToken(t *testing.T) {
	const link = `{"title":"x","url":"https://x.example","type":"web","author":1}`
	s := start(t, few("-token", "T", "-cors", "*")...)
	for _, tt := range []struct {
		reason string
		header []string
		want   int
	}{
		{"token of the page", []string{"Authorization", "Bearer T"}, 201},
		{"wrong token of the page", []string{"Authorization", "Bearer X"}, 401},
		{"a cookie at most", []string{"Cookie", "x=y"}, 403},
	} {
		header := append(tt.header, "Origin", "http://evil.example", "Sec-Fetch-Site", "cross-site")
		if a := ask(t, "POST "+s.base+"/api/social-links/", link, header...); a.status != tt.want {
			t.Errorf("%s: status %d, want %d: %s", tt.reason, a.status, tt.want, a.body)
		}
	}
}
