package wire

import (
	"net/http"
	"testing"
)

// A Recorder keeps the first final status, with the header at that time.
func TestRecorder(t *testing.T) {
	initial := http.Header{"X-First": {"1"}}
	r := NewRecorder(initial)
	r.WriteHeader(http.StatusEarlyHints)
	r.Header().Set("X-Second", "2")
	if r.Status != 0 || r.Sent != nil {
		t.Errorf("after status 103: %d with %v", r.Status, r.Sent)
	}
	for _, text := range []string{"a", "bc"} {
		if n, err := r.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("Write(%q) = %d, %v", text, n, err)
		}
		r.Header().Set("X-Late", "3")
		r.Header()["X-First"][0] = "changed"
	}
	r.WriteHeader(http.StatusTeapot)
	if r.Status != 200 || string(r.Body) != "abc" || len(r.Sent) != 2 || r.Sent.Get("X-First") != "1" || r.Sent.Get("X-Second") != "2" {
		t.Errorf("recorded %d, %v, %q", r.Status, r.Sent, r.Body)
	}
	if initial.Get("X-Late") != "3" {
		t.Error("the handler does not see the header")
	}
}
