package recipes

import (
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
)

const app = "https://app.example"

func TestCORS(t *testing.T) {
	h := CORS(newHandler(t, httpapi.Options{}), app)
	check(t, h, "")
	s := serve(t, h, "")
	got := s.do("GET", "films/?limit=1", "", "Origin", app)
	vary := strings.Join(got.Header.Values("Vary"), ", ")
	if got.Header.Get("Access-Control-Allow-Origin") != app || !strings.Contains(vary, "Origin") || !strings.Contains(vary, "Accept") {
		t.Errorf("GET: %v", got.Header)
	}
	if exposed := strings.ToLower(got.Header.Get("Access-Control-Expose-Headers")); !strings.Contains(exposed, "etag") {
		t.Errorf("exposed headers are %q", exposed)
	}
	if got := s.do("GET", "films/?limit=1", "", "Origin", "https://evil.example"); got.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("GET of another origin: %v", got.Header)
	}
}

// TestPreflight sends preflight requests, which are answered without the handler. See the
// Fetch standard, section "CORS protocol".
func TestPreflight(t *testing.T) {
	s := serve(t, CORS(newHandler(t, httpapi.Options{}), app), "")
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		got := s.do("OPTIONS", "films/1/", "", "Origin", app, "Access-Control-Request-Method", method,
			"Access-Control-Request-Headers", "authorization,content-type,if-match")
		allowed := strings.Split(got.Header.Get("Access-Control-Allow-Methods"), ", ")
		if got.StatusCode != 204 || got.Header.Get("Access-Control-Allow-Origin") != app || !slices.Contains(allowed, method) {
			t.Errorf("%s: %d %v", method, got.StatusCode, got.Header)
		}
	}
}
