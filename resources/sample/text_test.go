package sample

import (
	"slices"
	"testing"
	"unicode"
)

func TestSlug(t *testing.T) {
	tests := []struct{ text, want, reason string }{
		{"Gruppo di lettura", "gruppo-di-lettura", "words"},
		{"L'œuvre à l'aube", "l-oeuvre-a-l-aube", "accents and ligatures"},
		{"«Größe»: Straße 9!", "grosse-strasse-9", "punctuation at the ends"},
		{"Źdźbło i Łódź", "zdzblo-i-lodz", "Polish letters"},
		{"サイン会", "fallback", "no Latin letters"},
		{"", "fallback", "empty"},
	}
	for _, tt := range tests {
		if got := slug(tt.text, "fallback"); got != tt.want {
			t.Errorf("%s: slug(%q) = %q, want %q", tt.reason, tt.text, got, tt.want)
		}
	}
}

// TestEveryLatinLetterIsFolded checks the letters of all names, because a letter that is
// not folded splits its word.
func TestEveryLatinLetterIsFolded(t *testing.T) {
	for _, l := range languages() {
		for _, word := range slices.Concat(l.given, l.family, l.heads, l.tails, l.kinds, imprints()) {
			for _, r := range word {
				if unicode.Is(unicode.Latin, r) && slug(string(r), "") == "" {
					t.Errorf("%s: slug drops %q of %q", l.code, r, word)
				}
			}
		}
	}
}
