package fake

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestInBubble(t *testing.T) {
	if InBubble() {
		t.Error("InBubble() = true outside a bubble")
	}
	synctest.Test(t, func(t *testing.T) {
		for range 40 { // more than from the date of the bubble to that of the test
			if !InBubble() {
				t.Errorf("InBubble() = false at %v", time.Now())
			}
			time.Sleep(365 * 24 * time.Hour)
		}
	})
}

func TestTLSState(t *testing.T) {
	if s := tlsState("a.example"); s.ServerName != "a.example" || !s.HandshakeComplete {
		t.Errorf("TLSState = %+v", s)
	}
}

func TestTruncate(t *testing.T) {
	for _, tt := range []struct {
		text  string
		bytes int
		want  string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc…"},
		{"abé", 3, "ab…"},
		{strings.Repeat("é", 2), 1, "…"},
	} {
		if got := Truncate(tt.text, tt.bytes); got != tt.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", tt.text, tt.bytes, got, tt.want)
		}
	}
}

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
