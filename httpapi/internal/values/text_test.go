package values

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

// A pattern is found in the texts for it.
func TestText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, pattern := range []string{
		`^[A-Z]{3}-[0-9]{4}$`, `^\+?[0-9 ]*$`, `^[0-9]{4,5}$`, `^(a|bc)+d?$`, `^[^a]$`, `(?i)^x.y\.$`, `^\p{L}{2,}$`, `\d\d`, ``, `^[\x00-\x1f]$`, `^(?:é|[α-ω])*?$`,
	} {
		re := regexp.MustCompile(pattern)
		for range 100 {
			if text := Text(re, rng.IntN); !re.MatchString(text) {
				t.Fatalf("%s does not match %q", pattern, text)
			}
		}
	}
	last := func(n int) int { return n - 1 }
	if got := Text(regexp.MustCompile(`^[A-Z]{3}-[0-9]{4}$`), last); got != "ZZZ-9999" {
		t.Errorf("the last of all texts: %q", got)
	}
}
