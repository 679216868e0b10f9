package sample_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/gobacklist/backlist/resources/sample"
)

// TestVersion1 checks that version 1 always generates the same bytes. The hashes are
// those of the package's own output, so the test does not check that the bytes are
// correct.
func TestVersion1(t *testing.T) {
	if sample.Version != 1 {
		t.Fatalf("Version = %d; add a test with the hashes of that version", sample.Version)
	}
	tests := []struct {
		opts sample.Options
		want string
	}{
		{sample.Options{}, "f5256ca638fb47300b23e51fd9fcc2449bcc2b8340d67b5d038ad73b924fbdc6"},
		{sample.Options{Seed: 1<<64 - 1, Events: 50, Labels: 30, Authors: 9, SocialLinks: 9, Books: 9, Others: 40}, "2c4a63b0566b73573415ad741e7fed76f61ab50fcea5e721c9642d8cc5340d18"},
		{sample.Options{Without: sample.AllOddities}, "d902d6af25b3672f37f0913cf1ea19ff5bea72063b881137a526e9dfa9f6aef0"},
	}
	for _, tt := range tests {
		sum := sha256.Sum256(text(t, tt.opts))
		if got := hex.EncodeToString(sum[:]); got != tt.want {
			t.Errorf("%+v: SHA-256 %s, want %s", tt.opts, got, tt.want)
		}
	}
}
