package openapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
)

func TestServeHTTP(t *testing.T) {
	d, err := New(context.Background(), newHandler(t, nil, httpapi.Options{}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	do := func(method, etag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/anywhere", nil)
		if etag != "" {
			r.Header.Set("If-None-Match", etag)
		}
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		return w
	}
	etag := do("GET", "").Header().Get("Etag")
	if len(etag) < 10 {
		t.Errorf("ETag %q", etag)
	}
	for _, tt := range []struct {
		reason, method, etag string
		status               int
		body                 string
	}{
		{"GET", "GET", "", http.StatusOK, string(d.JSON())},
		{"HEAD", "HEAD", "", http.StatusOK, ""},
		{"matching tag", "GET", etag, http.StatusNotModified, ""},
		{"different tag", "GET", `"other"`, http.StatusOK, string(d.JSON())},
		{"other method", "POST", "", http.StatusMethodNotAllowed, `{"detail":"Method \"POST\" not allowed."}`},
		{"method of clients that explore", "OPTIONS", "", http.StatusMethodNotAllowed, `{"detail":"Method \"OPTIONS\" not allowed."}`},
	} {
		w := do(tt.method, tt.etag)
		if diff := cmp.Diff(tt.body, w.Body.String()); w.Code != tt.status || diff != "" {
			t.Errorf("%s: status %d, want %d; body (-want +got):\n%s", tt.reason, w.Code, tt.status, diff)
		}
		if kind := w.Header().Get("Content-Type"); tt.status != http.StatusNotModified && kind != "application/json" {
			t.Errorf("%s: Content-Type %q", tt.reason, kind)
		}
		if allow := w.Header().Get("Allow"); (allow == "GET, HEAD") != (tt.status == http.StatusMethodNotAllowed) {
			t.Errorf("%s: Allow %q", tt.reason, allow)
		}
	}
}
