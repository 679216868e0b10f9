package httpapi

import (
	"net/http"
	"testing"
)

// What middleware set in front of the handler stays, and what it does behind
// does not show in other answers.
func TestSharedHeaders(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	middleware := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept-Encoding")
		h.ServeHTTP(w, r)
		w.Header().Add("Allow", "BREW")
		w.Header().Add("Vary", "Origin")
	})
	for range 2 {
		if got := get(middleware, "/api/news/").Header["Vary"]; got != "Accept-Encoding | Accept | Origin" {
			t.Errorf("Vary: %s", got)
		}
		if got := get(h, "/api/news/"); got.Header["Vary"] != "Accept" || got.Header["Allow"] != readMethods {
			t.Errorf("changed by another answer: %v", got.Header)
		}
	}
}
