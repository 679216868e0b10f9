package fake

import (
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
